"""What stands against a start and other commands besides the rules, in the answer and in the picture alike."""

from pi_controller.core.game_loop.obstacles import Obstacles
from pi_controller.protocol.commands import BODIES
from tests.core.hall import Hall, accepted


def test_sentences_come_and_go_by_part() -> None:
    obstacles = Obstacles()
    assert obstacles.against_start() == ()
    obstacles.set("supply", "Too low.")
    obstacles.set("heat", "Too hot.")
    obstacles.set("supply", "Still too low.")
    assert obstacles.against_start() == ("Still too low.", "Too hot.")
    obstacles.set("supply", None)
    obstacles.set("disk", None)
    assert obstacles.against_start() == ("Too hot.",)


def test_every_reason_that_blocks_a_start_is_told_at_once() -> None:
    hall = Hall().play()
    hall.loop.obstacles.set("heat", "Too hot.")
    hall.loop.obstacles.set("disk", "Full.")
    hall.loop.obstacles.test("Ada tests.")
    hall.loop.changed()
    (answer,) = hall.ask("start")
    assert answer.reasons == ("The game is already under way.", "Ada tests.", "Too hot.", "Full.")
    assert hall.picture["allowed"]["start"] == {"reasons": list(answer.reasons), "override": False}


def test_a_start_on_a_computer_that_is_not_fit_takes_an_override() -> None:
    hall = Hall().begin()
    hall.loop.obstacles.set("heat", "Too hot.")
    hall.loop.changed()
    assert hall.picture["allowed"]["start"] == {"reasons": ["Too hot."], "override": True}
    (refused,) = hall.ask("start")
    assert (refused.accepted, refused.reasons) == (False, ("Too hot.",))
    assert accepted(hall.ask("start", {"override": True}))


def test_no_override_goes_over_a_test_of_the_hardware() -> None:
    hall = Hall().begin()
    hall.loop.obstacles.set("heat", "Too hot.")
    hall.loop.obstacles.test("Ada tests.")
    (refused,) = hall.ask("start", {"override": True})
    assert refused.reasons == ("Ada tests.", "Too hot.")


def test_a_dead_disk_stands_against_resuming_beside_an_open_claim() -> None:
    hall = Hall().play()
    hall.press()
    hall.loop.saves.troubled("The card is dead.")
    told = hall.picture["allowed"]["resume"]
    assert [reason.split()[0] for reason in told["reasons"]] == ["Open:", "The"]
    assert told["override"]


def test_the_picture_tells_of_every_command_there_is() -> None:
    assert set(Hall().begin().picture["allowed"]) == set(BODIES)
