"""The classic game at one table (rules K1 to K6), and who acts when."""

import re
from dataclasses import replace
from itertools import count

import pytest

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Contribute,
    End,
    LastRounds,
    Pause,
    Press,
    Resume,
    Sheet,
    Start,
    Step,
    Timer,
    Turn,
    Undo,
    Verdict,
)
from pi_controller.game.events import PhaseBegan, SeatBegan
from pi_controller.game.room import timeline
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, CONNECT, UNTIMED_NS
from pi_controller.game.turn_order import TurnOrder
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.game.hall import Hall
from tests.game.three_seats import THREE

TIMED = (Step(1, 60),)
BASE = replace(CLASSIC, first_side="red")


def table(**options):
    """Red begins; founding has begun."""
    return Hall(replace(BASE, **options)).started()


def in_turn(**options):
    """In Red's first turn, before its dice."""
    one = table(**options)
    for _ in range(2 * len(one.game.rules.seats)):
        one.do(Turn())
    return one


def building(seats=5):
    """The others build after Red's first turn."""
    return in_turn(sides=CLASSIC_SEATS[:seats], building_ms=20_000).do(Turn()).do(Turn())


def facts(one, command, kind):
    """What of this kind the command brings to the journal."""
    return [event for event in one.ask(command).events if isinstance(event, kind)]


def test_without_a_limit_nothing_ever_turns_by_itself():
    one = in_turn().wait(3600 * 5)
    assert (one.picture.side, one.picture.remaining_ms, one.picture.duration_ms) == ("red", 0, 0)
    assert one.picture.turn.elapsed_ms == 5 * 3600_000
    assert one.game.state.duration_ns == UNTIMED_NS
    assert "no countdown" in one.refused(AddTime(1000))


def test_all_others_build_after_a_turn_of_five():
    one = building()
    picture = one.picture
    assert (picture.side, picture.turn.building, picture.remaining_ms) == (None, True, 20_000)
    assert picture.next_side == "blue"
    assert "turn of Blue" in one.refused(Turn("red"))
    assert one.do(Turn("blue")).picture.side == "blue"
    assert building().wait(20).picture.side == "blue"
    assert in_turn(building_ms=20_000).do(Turn()).do(Turn()).picture.side == "blue"


def test_the_dice_are_journalled_once_for_each_roll():
    one = in_turn(sides=CLASSIC_SEATS[:5], building_ms=20_000)
    assert len(facts(one, Turn(), PhaseBegan)) == 1
    assert [event.seat for event in facts(one, Turn(), SeatBegan)] == [None]
    assert facts(building().do(Undo()), Turn(), PhaseBegan) == []


def test_the_button_of_another_seat_is_refused():
    one = in_turn()
    assert "turn of Red" in one.refused(Turn("blue"), source="seat")
    assert "purple" in one.refused(Turn("purple"))
    assert "paused" in one.do(Pause()).refused(Turn("red"))


def test_nobody_claims_while_founding_or_while_the_others_build():
    assert "nothing to claim" in table().refused(Claim(side="red"))
    for claim in (Claim(side="blue"), Claim()):
        assert "nobody's turn" in building().refused(claim)
    assert in_turn().refused(Claim(side="blue"), source="seat")


@pytest.mark.parametrize(
    ("sheet", "why"),
    [
        (Sheet(settlements=6, cities=2), "settlements"),
        (Sheet(settlements=2, cities=5), "cities"),
        (Sheet(settlements=5, cities=4, foreign_left=True), "foreign territory"),
    ],
)
def test_a_sheet_holds_no_more_than_there_is(sheet, why):
    one = in_turn().do(Claim(side="red"))
    assert why in one.refused(Verdict(one.picture.claims[0].id, sheet=sheet))


def test_the_pieces_and_points_are_those_of_the_base_game():
    pieces = CLASSIC.pieces
    assert (pieces.settlements, pieces.cities, pieces.roads, CLASSIC.target_points) == (5, 4, 15, 10)
    assert "last rounds" in in_turn().refused(LastRounds(2))


def test_a_word_is_closed_once_the_rolls_for_the_first_turn_were_seen():
    one = Hall(CLASSIC).do(Start()).wait(0).do(Undo())
    assert one.picture.phase == "ready"
    assert "before the start" in one.refused(Contribute("lantern"))


def test_no_sentence_of_a_turn_speaks_of_sides_rounds_or_boards():
    one = in_turn(schedule=TIMED).do(AddTime(1000)).do(Turn("red")).do(Press(), source="button")
    told = [one.refused(Claim(side="red"))]
    one.do(Claim(side="blue"))
    told += [one.refused(Resume()), one.refused(Turn("blue"))]
    told += [words(action.said) for action in timeline(one.game, one.now_ns).done[:4]]
    assert told[3:] == ["Blue: claim", "Turn button pressed", "Red: turn button", "1 s added"]
    late = in_turn(schedule=TIMED).do(AddTime(1000)).wait(400)
    told.append(late.refused(Undo(Pause())))
    assert "turn 1" in told[-1]
    told += [
        late.refused(Turn("green")),
        late.refused(Claim(side="green")),
        late.refused(Claim(side="red"), ago=10_000),
        late.refused(Timer("Pizza", 60.0)),
    ]
    assert "turn: claim again" in told[-2]
    assert not [sentence for sentence in told if re.search(r"\b(sides?|rounds?|boards?|hall)\b", sentence)]


def test_in_the_three_two_one_after_a_pause_the_button_waits():
    assert "The game is paused" in in_turn().do(Pause()).do(Resume()).refused(Turn("red"))


def test_after_the_end_a_seat_has_one_sheet_by_whichever_board_it_claims():
    one = in_turn().do(End(confirm=True)).do(Claim(board="A", side="red")).do(Claim(board="B", side="red"))
    assert [(claim.board, claim.side) for claim in one.picture.claims] == [("A", "red")]
    one.do(Verdict(one.picture.claims[0].id, sheet=Sheet(settlements=2, cities=4)))
    assert "sheet" in one.refused(Claim(board="B", side="red"))
    assert "name the seat" in one.refused(Claim())
    assert len(one.do(Claim(side="blue")).picture.claims) == 2


# Who acts when: asked of the order alone, and seen in games with two seats and with three.


ABC = TurnOrder(("a", "b", "c"), "due_side")


def test_a_drawn_seat_favours_nobody() -> None:
    assert [ABC.first("drawn", iter([byte])) for byte in (0, 1, 2, 3, 254)] == ["a", "b", "c", "a", "c"]
    assert ABC.first("drawn", iter([255, 4])) == "b"
    assert ABC.first("c", count()) == "c"


def test_the_picture_names_the_seats_and_who_of_them_acts() -> None:
    hall = Hall(THREE).in_round(1)
    for seat in (0, 1, 2, 0):
        picture = hall.picture
        assert (picture.seat, picture.next_seat) == (seat, (seat + 1) % 3)
        assert picture.seats[seat].id == picture.side
        while hall.picture.round == picture.round:
            hall.wait(hall.picture.remaining_ms / 1000)
        while hall.picture.phase == "robber":
            assert (hall.picture.seat, hall.picture.next_seat) == (None, picture.next_seat)
            hall.wait(hall.picture.remaining_ms / 1000)
    assert [seat.sign for seat in hall.picture.seats] == ["sun", "moon", "star"]
    assert [seat.id for seat in Hall(CONNECT).picture.seats] == ["sun", "moon"]


def test_the_third_seat_claims_in_its_own_round_and_wins() -> None:
    hall = Hall(THREE).in_round(2)
    assert "not the Star side's round" in hall.refused(Claim("7", "star"))
    hall.in_round(3).do(Claim("7", "star"))
    (claim,) = hall.picture.claims
    hall.do(Verdict(claim.id, confirmed=True))
    assert [winner.side for winner in hall.picture.winners] == ["star"]


def test_nobody_claims_for_a_seat_that_is_not_there() -> None:
    assert "one of sun or moon" in Hall(CONNECT).started().refused(Claim("7", "star"))


def test_a_first_seat_must_be_one_of_them() -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the sentence is looked at
        replace(CONNECT, first_side="star")
    assert refused.value.sentence == Sentence("range.first_side", given="star", known="sun, moon, drawn")
