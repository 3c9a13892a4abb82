"""Both verifiers on classic games: turns of 3 to 6 seats, no robber phases, a first seat that was rolled for."""

from dataclasses import replace

import pytest

from pi_controller.game.commands import Contribute, End, Pause, Redo, Resume, Start, Turn, Undo
from pi_controller.game.dice import DiceBook
from pi_controller.game.game import new_game
from pi_controller.game.rule_sets import CLASSIC as RULES
from pi_controller.game.rule_sets import CLASSIC_SEATS
from tests.journal.exports import CLASSIC, Plan, built, chained, records_of
from tests.journal.test_verify import both, refusal
from tests.journal.test_verify_played import Journalled


def classic(**changes: object) -> Plan:
    seats = ("red", "blue", "white", "orange")
    book = DiceBook(bytes(range(32)), "at home", CLASSIC)
    return replace(Plan(book, seats=seats, steps=("next",) * 15), **changes)


def sides_of(lines: list[bytes]) -> list[str]:
    return [record["data"]["side"] for record in records_of(lines) if record["kind"] == "turned"]


def test_in_a_classic_game_every_roll_belongs_to_a_turn_and_a_7_begins_no_phase() -> None:
    report = both(lines := built(classic(steps=("next",) * 60)))
    assert (report.verdict, report.rolls, report.robber_phases) == ("proved", 60, 0)
    turns = [record["data"] for record in records_of(lines) if record["kind"] == "turned"]
    assert sum(sum(turn["dice"]) == 7 for turn in turns) >= 5
    assert {turn["draw"] for turn in turns} == {0}
    assert sides_of(lines)[:5] == ["orange", "red", "blue", "white", "orange"]


def test_the_house_rule_of_a_classic_game_is_committed_to() -> None:
    plan = classic()
    book = replace(plan.book, terms=replace(CLASSIC, rounds_without_seven=60))
    lines = built(replace(plan, book=book, steps=("next",) * 60))
    assert both(lines).ok
    records = records_of(lines)
    assert all(sum(record["data"]["dice"]) != 7 for record in records if record["kind"] == "turned")
    records[0]["data"]["terms"]["rounds_without_seven"] = 0
    assert both(chained(records)).told[-1].startswith("REFUSED: The seed gives commitment")


@pytest.mark.parametrize("first_side", ["drawn", "highest"])
def test_more_seats_than_a_byte_can_name_are_refused_at_once(first_side: str) -> None:
    """By `drawn` no byte would ever name one of them."""
    plan = classic(steps=())
    records = records_of(built(plan))
    records[0]["data"]["terms"]["first_side"] = first_side
    records[0]["data"]["rules"] = {"sides": [[f"seat {number}", {}] for number in range(257)]}
    assert "257 seats" in both(chained(records)).told[-1]


@pytest.mark.parametrize(
    ("terms", "wrong"),
    [
        ({"after_robber": "due_side"}, "The dice terms are wrong: schedule"),
        ({"after_robber": "due_side", "schedule": [[1, 90_000]]}, "The seed gives commitment"),
        ({"after_robber": "nobody"}, "The dice terms are wrong: after_robber"),
        ({"schedule": [[2, 90_000]]}, "The dice terms are wrong: schedule"),
        ({"first_side": "brown"}, "The dice terms are wrong: first_side"),
    ],
)
def test_other_terms_of_a_classic_game_are_refused(terms: dict[str, object], wrong: str) -> None:
    records = records_of(built(classic()))
    records[0]["data"]["terms"] |= terms
    assert wrong in both(chained(records)).told[-1]


def test_version_1_knows_no_game_without_a_robber_phase() -> None:
    said = refusal(lambda records: records[0]["data"].update(after_robber="no_phase"))
    assert "after_robber is 'no_phase', neither 'due_side' nor 'other_side'" in said


def test_a_seat_alone_begins() -> None:
    assert sides_of(lines := built(classic(seats=("red",)))) == ["red"] * 15
    assert both(lines).ok


def test_a_turn_that_another_seat_took_is_refused() -> None:
    records = records_of(built(classic()))
    turn = next(record["data"] for record in records if record["kind"] == "turned")
    turn["side"] = "white"
    assert 'shows {"dice":[' in both(chained(records)).told[-1]


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_game_that_was_played_with_undo_and_pauses_passes(seats: int) -> None:
    rules = replace(RULES, sides=CLASSIC_SEATS[:seats], building_ms=30_000)
    played = Journalled(new_game("at home", rules, bytes([seats] * 32)))
    played.do(Contribute("lantern"))
    played.do(Start())
    for number in range(20 * seats):
        played.wait(7)
        assert played.do(Turn()) == ()
        if number % 9 == 8:
            played.do(Pause())
            played.do(Resume())
            played.wait(3)
        if number % 11 == 10:
            played.do(Undo())
            played.do(Turn() if number % 2 else Redo())
    played.do(End(confirm=True))
    report = played.verified()
    assert report.ok, report.told
    assert report.rolls >= 5 * seats
    assert {record["kind"] for record in played.records} >= {"acts", "turned", "corrected"}
