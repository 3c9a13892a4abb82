"""The classic game at one table (rules K1 to K6), and who acts when."""

import re
from dataclasses import replace
from itertools import count

import pytest
from msgspec import structs

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Contribute,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resume,
    Sheet,
    Skip,
    Start,
    Step,
    Timer,
    Turn,
    Undo,
    Verdict,
)
from pi_controller.game.events import PhaseBegan, SeatBegan
from pi_controller.game.game import apply, new_game, tick
from pi_controller.game.room import timeline
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS, CONNECT, UNTIMED_NS
from pi_controller.game.turn_order import Due, TurnOrder
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


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_seats_found_from_the_first_to_the_last_and_back(seats):
    one = table(sides=CLASSIC_SEATS[:seats], first_side="blue")
    order = [seat for seat, _ in CLASSIC_SEATS[:seats]]
    order = order[1:] + order[:1]
    acted = []
    while one.picture.phase == "founding":
        acted.append(one.picture.side)
        assert (one.picture.turn.placed, one.picture.turn.timed, one.picture.dice) == (
            len(acted) - 1,
            False,
            None,
        )
        one.wait(5).do(Turn(one.picture.side))
    assert acted == order + order[::-1]
    assert (one.picture.phase, one.picture.round, one.picture.side) == ("turn", 1, "blue")
    assert (one.picture.turn.to_roll, one.picture.next_side) == (True, order[1])


def test_the_highest_roll_begins_and_equal_ones_roll_again():
    ties = 0
    for number in range(40):
        one = Hall(CLASSIC, bytes([number]) * 32).started()
        times, among = one.picture.turn.opening, {"red", "blue", "white", "orange"}
        for rolls in times:
            assert {roll.side for roll in rolls} == among
            best = max(sum(roll.dice) for roll in rolls)
            among = {roll.side for roll in rolls if sum(roll.dice) == best}
            assert sum(rolls[0].dice) == best
        assert among == {one.picture.side}
        ties += len(times) > 1
    assert ties > 3
    assert table().picture.turn.opening == []


def test_a_seven_begins_no_phase_and_comes_from_the_first_roll_on():
    sevens = 0
    for number in range(60):
        one = Hall(BASE, bytes([number]) * 32).started()
        for _ in range(9):
            one.do(Turn())
        sevens += one.picture.sum == 7
        assert (one.picture.phase, one.picture.side, one.picture.robber_target) == ("turn", "red", None)
    assert 4 <= sevens <= 20


def test_by_the_house_rule_the_first_turns_of_each_seat_have_no_seven():
    rules = replace(BASE, sides=CLASSIC_SEATS[:3], rounds_without_seven=6)
    later = 0
    for number in range(60):
        one = Hall(rules, bytes([number]) * 32).started()
        for _ in range(6 + 2 * 7):
            one.do(Turn())
        sums = {roll.round: roll.sum for roll in one.picture.history}
        assert 7 not in [sums[turn] for turn in range(1, 7)]
        later += sums[7] == 7
    assert later > 3


def test_the_first_press_rolls_and_the_next_ends_the_turn():
    one = in_turn()
    assert one.picture.dice is None
    one.wait(30).do(Turn("red"))
    assert (one.picture.sum, one.picture.round, one.picture.turn.to_roll) == (sum(one.picture.dice), 1, False)
    assert one.picture.turn.elapsed_ms == 30_000
    one.wait(5).do(Press())
    assert (one.picture.side, one.picture.round, one.picture.dice) == ("blue", 2, None)


def test_without_a_limit_nothing_ever_turns_by_itself():
    one = in_turn().wait(3600 * 5)
    assert (one.picture.side, one.picture.remaining_ms, one.picture.duration_ms) == ("red", 0, 0)
    assert one.picture.turn.elapsed_ms == 5 * 3600_000
    assert one.game.state.duration_ns == UNTIMED_NS
    assert "no countdown" in one.refused(AddTime(1000))


def test_when_time_is_up_before_the_dice_the_clock_rolls_and_gives_half_a_minute():
    one = in_turn(schedule=TIMED).wait(60)
    assert (one.picture.side, one.picture.turn.to_roll, one.picture.remaining_ms) == ("red", False, 30_000)
    assert one.wait(29.999).picture.side == "red"
    assert one.wait(0.001).picture.side == "blue"


def test_when_time_is_up_after_the_dice_the_turn_ends():
    one = in_turn(schedule=TIMED).wait(10).do(Turn("red")).wait(50)
    assert (one.picture.side, one.picture.remaining_ms, one.picture.dice) == ("blue", 60_000, None)


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


def test_a_press_from_before_the_present_step_does_nothing():
    ended_late = in_turn(schedule=TIMED).do(Turn("red")).wait(60.005)
    assert ended_late.do(Turn("red"), ago=0.01).picture.side == "blue"
    to_roll_late = in_turn(schedule=TIMED).wait(60.005)
    assert to_roll_late.do(Turn("red"), ago=0.01).picture.side == "red"
    twice = in_turn().wait(1).do(Turn("red"))
    assert twice.do(Press(), ago=0.01).picture.side == "red"
    before_a_pause = in_turn().wait(1).do(Pause()).do(Resume()).wait(3.005)
    assert before_a_pause.do(Turn("red"), ago=0.01).picture.dice is None
    assert before_a_pause.do(Turn("red"), ago=0.001).picture.dice is not None


def test_a_turn_begins_at_the_moment_of_contact():
    one = in_turn(schedule=TIMED).do(Turn()).wait(10).do(Turn("red"), ago=0.25)
    assert (one.picture.side, one.picture.remaining_ms) == ("blue", 59_750)


def test_skipping_does_what_the_button_does():
    one = in_turn().do(Skip())
    assert one.picture.dice is not None
    assert one.do(Skip()).picture.side == "blue"


def test_a_pause_keeps_the_time_of_the_turn():
    one = in_turn(schedule=TIMED).wait(10).do(Pause()).wait(500).do(Resume()).wait(3)
    assert (one.picture.remaining_ms, one.picture.turn.elapsed_ms) == (50_000, 10_000)


def test_who_acts_claims_also_at_the_beginning_of_the_turn():
    one = in_turn().do(Claim(side="red"))
    assert (one.picture.pause_reasons, one.picture.claims[0].side) == (["claim"], "red")
    one.do(Verdict(one.picture.claims[0].id, sheet=Sheet(settlements=2, cities=4)))
    assert [winner.side for winner in one.picture.winners] == ["red"]
    assert (one.picture.phase, one.picture.decided_by) == ("ended", "points")


def test_a_claim_without_a_seat_is_that_of_who_acted_at_the_contact():
    one = in_turn(schedule=TIMED).do(Turn()).wait(60.005).do(Claim(), ago=0.01)
    (claim,) = one.picture.claims
    assert (claim.side, claim.round, claim.pressed_ms_before_end) == ("red", 1, 5)


def test_a_claim_in_a_turn_without_a_limit_has_no_time_left():
    assert in_turn().do(Claim(side="red")).picture.claims[0].pressed_ms_before_end == 0


def test_nobody_claims_while_founding_or_while_the_others_build():
    assert "nothing to claim" in table().refused(Claim(side="red"))
    for claim in (Claim(side="blue"), Claim()):
        assert "nobody's turn" in building().refused(claim)
    assert in_turn().refused(Claim(side="blue"), source="seat")


def test_a_score_too_low_lets_play_go_on():
    one = in_turn(schedule=TIMED).wait(10).do(Claim(side="red"))
    one.wait(100).do(Verdict(one.picture.claims[0].id, sheet=Sheet(settlements=1, cities=4))).wait(3)
    assert (one.picture.running, one.picture.remaining_ms) == (True, 50_000)
    assert one.picture.claims[0].status == "rejected"


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


def test_a_roll_that_is_undone_comes_again_with_the_same_dice():
    one = in_turn().wait(10).do(Turn("red"), source="seat")
    dice = one.picture.dice
    one.wait(5).do(Undo())
    assert (one.picture.dice, one.picture.turn.to_roll, one.picture.history) == (None, True, [])
    assert one.do(Redo()).picture.dice == dice
    assert one.do(Undo()).wait(20).do(Turn("red"), source="seat").picture.dice == dice


def test_an_end_of_turn_by_mistake_is_taken_back_whoever_pressed():
    for press, source in ((Turn("red"), "seat"), (Turn(), "table"), (Press(), "button")):
        one = in_turn().do(Turn("red"), source="seat").wait(4)
        before = one.picture
        one.do(press, source=source)
        assert one.picture.side == "blue"
        assert one.wait(2).do(Undo()).picture.side == "red"
        assert (one.picture.dice, one.picture.turn.elapsed_ms) == (before.dice, before.turn.elapsed_ms + 2000)


def test_every_press_back_to_the_start_is_taken_back():
    one = in_turn(schedule=TIMED).do(Turn("red"), source="seat").do(Turn(), source="table").do(Press())
    for _ in range(12):
        one.do(Undo())
    assert one.picture.phase == "ready"


def test_with_a_limit_a_press_is_taken_back_at_once():
    one = in_turn(schedule=TIMED).wait(10).do(Turn("red")).wait(20).do(Turn("red")).wait(5).do(Undo())
    assert (one.picture.side, one.picture.running, one.picture.remaining_ms) == ("red", True, 25_000)


@pytest.mark.parametrize(("presses", "to_roll"), [(1, True), (2, False)])
def test_a_turn_whose_time_would_be_up_comes_back_paused(presses, to_roll):
    one = in_turn(schedule=TIMED).wait(50)
    for _ in range(presses):
        one.do(Turn("red"), source="seat")
    one.wait(12).do(Undo())
    assert (one.picture.side, one.picture.turn.to_roll) == ("red", to_roll)
    assert (one.picture.pause_reasons, one.picture.remaining_ms) == (["director"], 10_000)
    one.do(Redo())
    assert (one.picture.running, one.picture.turn.to_roll) == (
        True,
        presses == 2 or one.picture.side == "blue",
    )


def test_a_turn_that_nobody_has_seen_is_never_jumped_over():
    one = in_turn(schedule=TIMED).do(Turn()).wait(5).do(Pause()).wait(70)
    assert "unseen" in one.refused(Undo())


def test_a_word_is_closed_once_the_rolls_for_the_first_turn_were_seen():
    one = Hall(CLASSIC).do(Start()).wait(0).do(Undo())
    assert one.picture.phase == "ready"
    assert "before the start" in one.refused(Contribute("lantern"))


def test_an_end_by_mistake_comes_back_paused():
    one = in_turn().wait(5).do(End(confirm=True)).wait(60).do(Undo())
    assert (one.picture.side, one.picture.pause_reasons) == ("red", ["director"])


def test_the_fold_of_the_journal_is_the_decided_game():
    one, journal = Hall(replace(BASE, sides=CLASSIC_SEATS[:5], schedule=TIMED, building_ms=9_000)), []

    def give(command, seconds):
        decision = one.ask(command)
        assert not decision.reasons
        journal.extend(decision.events)
        one.now += seconds
        for event in tick(one.game, one.now_ns):
            one.game = apply(one.game, event)
            journal.append(event)

    for command in (Start(), *[Turn()] * 12, Undo(), Claim(side="red"), Undo(), Redo()):
        give(command, 4)
    give(Resume(override=True), 200)
    folded = new_game("test-game", one.game.rules, b"s" * 32)
    for event in journal:
        folded = apply(folded, event)
    assert folded == one.game
    assert {type(event).__name__ for event in journal} >= {"SeatBegan", "PhaseBegan", "Corrected", "Resumed"}


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
    assert "Play is paused" in in_turn().do(Pause()).do(Resume()).refused(Turn("red"))


def test_after_the_end_a_seat_has_one_sheet_by_whichever_board_it_claims():
    one = in_turn().do(End(confirm=True)).do(Claim(board="A", side="red")).do(Claim(board="B", side="red"))
    assert [(claim.board, claim.side) for claim in one.picture.claims] == [("A", "red")]
    one.do(Verdict(one.picture.claims[0].id, sheet=Sheet(settlements=2, cities=4)))
    assert "sheet" in one.refused(Claim(board="B", side="red"))
    assert "names its seat" in one.refused(Claim())
    assert len(one.do(Claim(side="blue")).picture.claims) == 2


# Who acts when: asked of the order alone, and seen in games with two seats and with three.

ABC = TurnOrder(("a", "b", "c"), "due_side")


def test_the_seats_act_in_turn() -> None:
    due, acting = Due(1, 0, "b"), []
    for _ in range(5):
        coming = ABC.next_phase(due, (1, 1), due.draw)
        acting.append((coming.phase, coming.round, coming.seat))
        due = coming.after
    assert acting == [("round", 1 + i, "bcabc"[i]) for i in range(5)]


@pytest.mark.parametrize(("after_robber", "seat"), [("due_side", "b"), ("other_side", "c")])
def test_a_seven_is_no_turn_and_no_round(after_robber: str, seat: str) -> None:
    order = structs.replace(ABC, after_robber=after_robber)  # type: ignore[arg-type]
    coming = order.next_phase(Due(12, 3, "b"), (3, 4), 5)
    assert (coming.phase, coming.round, coming.seat) == ("robber", 11, None)
    assert coming.after == Due(12, 6, seat)


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
    assert "one of sun, moon" in Hall(CONNECT).started().refused(Claim("7", "star"))


def test_a_first_seat_must_be_one_of_them() -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the sentence is looked at
        replace(CONNECT, first_side="star")
    assert refused.value.sentence == Sentence("range.first_side", given="star", known="sun, moon, drawn")
