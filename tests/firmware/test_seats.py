"""Who acts in a game whose seats a node learns from the master."""

import pytest

from table_node import messages as m
from table_node import view as v
from table_node import words_en
from table_node.canvas import TEXT
from table_node.phrases import PLAYS_ROOM, plays
from tests.firmware.hall import Hall, playing

SECOND = 1_000_000
NOBODY = 15


def acting(seat: int, following: int = NOBODY) -> int:
    return seat | following << 4


def three() -> Hall:
    """The third of three seats plays, and all have been told."""
    hall = playing()
    for index, name in enumerate((b"Sun", b"Moon", b"Star")):
        hall.introduce(index, index + 1, name)
    turn(hall, acting(2, 0), flags=m.NEXT_SUN)
    return hall


def turn(hall: Hall, seats: int | None, *, flags: int, phase: int = m.ROUND) -> None:
    hall.game.acting = seats
    hall.game.begin(hall.board.now_us, flags=flags, phase=phase)
    hall.run(300_000)


def named(hall: Hall) -> list[tuple[str, int, int]]:
    return [(view.name, view.sign, view.active) for view in hall.node.views]


def test_both_sides_name_the_seat_that_acts() -> None:
    hall = three()
    assert named(hall) == [("Star", v.HEXAGON, v.NOBODY)] * 2
    turn(hall, acting(1, 2), flags=m.MOON_ACTIVE)
    assert named(hall) == [("Moon", 2, v.MOON)] * 2
    assert [view.signs for view in hall.node.views] == [(1, 2)] * 2


def test_in_a_game_of_sun_and_moon_nothing_is_named() -> None:
    hall = three()
    turn(hall, None, flags=m.SUN_ACTIVE)
    assert named(hall) == [("", v.HEXAGON, v.SUN)] * 2
    assert [view.signs for view in hall.node.views] == [v.SIDES_SIGNS] * 2


def test_a_seat_that_is_not_known_yet_has_its_number() -> None:
    hall = playing()
    turn(hall, acting(2), flags=0)
    assert hall.view.name == "Seat 3"
    hall.introduce(2, 0, b"")
    assert hall.view.name == "Seat 3"
    hall.introduce(2, 0, b"Red team")
    assert hall.view.name == "Red team"


def test_while_counting_in_the_first_seat_is_named_and_otherwise_only_who_acts() -> None:
    hall = three()
    turn(hall, acting(NOBODY, 1), flags=0, phase=m.READY)
    assert hall.view.name == ""
    hall.game.resume_at = hall.board.now_us + 3 * SECOND
    turn(hall, acting(NOBODY, 1), flags=m.COUNTING_IN | m.PAUSED, phase=m.READY)
    assert (hall.view.kind, hall.view.name) == ("counting", "Moon")
    turn(hall, acting(NOBODY, 1), flags=0, phase=m.ROBBER)
    assert hall.view.name == ""


def test_seats_of_another_master_or_version_are_not_taken() -> None:
    hall = three()
    hall.introduce(2, 1, b"Comet", epoch=hall.game.epoch + 1)
    hall.introduce(2, 1, b"Comet", version=1)
    hall.introduce(2, 1, b"Comet", version=3)
    assert named(hall) == [("Star", v.HEXAGON, v.NOBODY)] * 2


def test_a_new_masters_seats_are_told_anew() -> None:
    hall = three()
    hall.game.epoch += 1
    hall.run(3 * SECOND)
    assert hall.view.name == "Seat 3"


def test_beside_the_third_seat_both_buttons_say_wait() -> None:
    hall = three()
    turn(hall, acting(2, 0), flags=0, phase=m.ROUND)
    for side in (0, 1):
        hall.hold(side)
        assert hall.node.views[side].claim == v.WAIT_FOR_YOUR_SIDE
    hall.run(5 * SECOND)
    assert [claim.at_us for claim in hall.node.claims] == [0, 0]


def test_in_a_turn_of_the_third_seat_both_buttons_ask_the_master() -> None:
    hall = three()
    turn(hall, acting(2, 0), flags=0, phase=m.TURN)
    for side in (0, 1):
        hall.hold(side)
        assert hall.node.views[side].claim == v.SENT


def test_the_own_seat_claims_as_in_any_game() -> None:
    hall = three()
    turn(hall, acting(1, 2), flags=m.MOON_ACTIVE)
    hall.hold(0)
    hall.hold(1)
    assert [hall.node.views[side].claim for side in (0, 1)] == [v.WAIT_FOR_YOUR_SIDE, v.SENT]


@pytest.mark.parametrize(
    ("name", "said"), [("Star", "Star plays"), ("Comets", "Comets"), ("Comet crew", "Comet cre")]
)
def test_what_has_no_room_is_cut_off(name: str, said: str) -> None:
    assert plays(words_en, name) == said
    assert TEXT.width(said) <= PLAYS_ROOM
