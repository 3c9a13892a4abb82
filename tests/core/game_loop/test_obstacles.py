"""What stands against a start and other commands besides the rules, in the answer and in the picture alike."""

from pi_controller.core.game_loop.picture import Obstacles
from pi_controller.language.words import all_words
from pi_controller.protocol.commands import BODIES
from pi_controller.protocol.picture import NotAllowedView
from pi_controller.protocol.sentences import view, views
from pi_controller.sentence import as_told
from tests.core.hall import Hall, accepted

TOO_HOT = as_told("Too hot.")


def test_sentences_come_and_go_by_part() -> None:
    obstacles = Obstacles()
    assert obstacles.against(disk=None) == {}
    obstacles.set("supply", as_told("Too low."))
    obstacles.set("heat", TOO_HOT)
    obstacles.set("supply", as_told("Still too low."))
    assert obstacles.against(disk=None)["start"].reasons == (as_told("Still too low."), TOO_HOT)
    obstacles.set("supply", None)
    obstacles.set("disk", None)
    assert obstacles.against(disk=None)["start"].reasons == (TOO_HOT,)


def test_every_reason_that_blocks_a_start_is_told_at_once() -> None:
    hall = Hall().play()
    hall.loop.obstacles.set("heat", TOO_HOT)
    hall.loop.obstacles.set("disk", as_told("Full."))
    hall.loop.obstacles.test(as_told("Ada tests."))
    hall.loop.changed()
    (answer,) = hall.ask("start")
    told = ["The game is already under way.", "Ada tests.", "Too hot.", "Full."]
    assert all_words(answer.reasons) == told
    assert hall.picture.allowed["start"] == NotAllowedView(
        reasons=told, keys=views(answer.reasons), override=False
    )


def test_a_start_on_a_computer_that_is_not_fit_takes_an_override() -> None:
    hall = Hall().begin()
    hall.loop.obstacles.set("heat", TOO_HOT)
    hall.loop.changed()
    assert hall.picture.allowed["start"] == NotAllowedView(
        reasons=["Too hot."], keys=[view(TOO_HOT)], override=True
    )
    (refused,) = hall.ask("start")
    assert (refused.accepted, refused.reasons) == (False, (TOO_HOT,))
    assert accepted(hall.ask("start", {"override": True}))


def test_no_override_goes_over_a_test_of_the_hardware() -> None:
    hall = Hall().begin()
    hall.loop.obstacles.set("heat", TOO_HOT)
    hall.loop.obstacles.test(as_told("Ada tests."))
    (refused,) = hall.ask("start", {"override": True})
    assert refused.reasons == (as_told("Ada tests."), TOO_HOT)


def test_a_dead_disk_stands_against_resuming_beside_an_open_claim() -> None:
    hall = Hall().play()
    hall.press()
    hall.loop.saves.troubled(as_told("The card is dead."))
    told = hall.picture.allowed["resume"]
    assert [reason.split()[0] for reason in told.reasons] == ["Open", "The"]
    assert told.override


def test_the_picture_tells_of_every_command_there_is() -> None:
    assert set(Hall().begin().picture.allowed) == set(BODIES)
