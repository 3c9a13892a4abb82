"""How long each seat of a classic game took."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS
from pi_controller.game.turn_order import Due
from pi_controller.journal.record import Record
from pi_controller.language.words import speaking
from pi_controller.paper.document import Paper
from pi_controller.protocol.game_report import GameReport
from pi_controller.replay.changes import changes_of
from pi_controller.report.fallback import add_dice, add_sheets, add_state, drawn, due_after
from pi_controller.report.figures import report_of
from pi_controller.report.printed import print_report
from tests.core.disk import DiskHall
from tests.core.hand import S
from tests.paper.reading import pages
from tests.report.played import records_of
from tests.report.test_printed import rows

RULES = replace(CLASSIC, sides=CLASSIC_SEATS[:3], first_side="red")


@pytest.fixture(scope="module")
def played(recorded: list[Record]) -> GameReport:
    return report_of(changes_of(recorded))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Three seats: turns of 10 s, 20 s, 30 s with a pause of 8 s and 3 s after it, 10 s, 45 s; then the end."""
    hall = DiskHall(tmp_path_factory.mktemp("turns"), rules=RULES)
    hall.log.prompt = True
    hall.ask("start")
    hall.move(0)
    for _ in range(6):
        hall.ask("turn")
    for number, seconds in enumerate((10, 20, 30, 10, 45)):
        hall.move(4 * S)
        hall.ask("turn")
        if number == 2:
            hall.ask("pause")
            hall.move(8 * S)
            hall.ask("resume")
            hall.move(3 * S)
        if number == 4:
            hall.ask("claim")
            hall.ask("verdict", {"claim": hall.picture.claims[0].id, "confirmed": False})
            hall.ask("resume")
            hall.move(3 * S)
        hall.move((seconds - 4) * S)
        hall.ask("turn")
    hall.ask("end", {"confirm": True})
    return records_of(hall)


def test_the_time_of_each_seat_is_told_without_pauses(played: GameReport) -> None:
    told = [(one.side, one.turns, one.total_ms, one.mean_ms) for one in played.seats]
    assert told == [("red", 2, 20_000, 10_000), ("blue", 2, 65_000, 32_500), ("white", 1, 30_000, 30_000)]
    assert played.longest_turn is not None
    longest = played.longest_turn
    assert (longest.side, longest.round, longest.length_ms) == ("blue", 5, 45_000)


def test_a_7_is_expected_from_the_first_roll(played: GameReport) -> None:
    assert [one.expected for one in played.distribution if one.sum == 7] == [pytest.approx(5 / 6, abs=0.001)]


def test_a_table_has_a_row_for_each_turn(played: GameReport) -> None:
    found = [(row["side"], row["round"], row["length_ms"]) for row in rows(played) if row["what"] == "turn"]
    assert found == [("red", "1", "10000"), ("blue", "2", "20000"), ("white", "3", "30000"),
                     ("red", "4", "10000"), ("blue", "5", "45000")]  # fmt: skip


def test_paper_tells_it_without_a_word_of_the_other_game(played: GameReport) -> None:
    text = " ".join(pages(print_report(played)))
    for word in ("Time per seat", "Longest turn", "Blue, turn 5: 0:45", "32.5 s", "Turns"):
        assert word in text
    for word in ("Round", "round", "Side", "Robber phases", "Robber to", "Board", "Before the end", "86400"):
        assert word not in text
    with speaking("de"):
        assert "Längster Zug" in " ".join(pages(print_report(played)))


def test_a_turn_without_a_limit_has_no_length_of_a_day(played: GameReport) -> None:
    assert {roll.duration_ms for roll in played.rolls} == {0}
    assert [(one.round, one.pressed_ms_before_end) for one in played.claims] == [(5, 0)]


def test_by_hand_the_first_turn_comes_after_the_founding(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path, rules=replace(RULES, first_side="blue"))
    hall.log.prompt = True
    hall.ask("start")
    hall.move(0)
    hall.ask("turn")
    last = changes_of(records_of(hall))[-1]
    assert last.game.state.phase == "founding"
    assert due_after(last, last.game.rules) == Due(1, 0, "blue")


def test_by_hand_a_game_in_turns_goes_on_by_turns(recorded: list[Record]) -> None:
    changes = list(changes_of(recorded))
    turns = [one for one in changes if one.game.state.phase == "turn"]
    assert [due_after(one, RULES) for one in turns[:3]] == [
        Due(1, 0, "red"),
        Due(2, 0, "blue"),
        Due(2, 0, "blue"),
    ]
    paper = Paper("Playing on without the controller")
    add_state(paper, RULES, turns[1])
    add_dice(paper, RULES, list(drawn(RULES, due_after(turns[1], RULES), count=90, source=Random(1))))
    add_sheets(paper, RULES, 1)
    text = " ".join(pages(paper.pdf()))
    for word in (
        "Turn 1",
        "No time limit",
        "Turn Seat Dice Sum □",
        "□ 2 Blue",
        "□ 91 Red",
        "Seat Turn Verdict",
    ):
        assert word in text
    other = r"[Rr]ounds?|[Ss]ides?|Robber to|Board|Foreign|Grain|Desert|Stop|86400"
    assert re.findall(rf"\b({other})\b", text) == []


def test_the_other_game_has_no_seats(report: GameReport) -> None:
    assert (report.seats, report.longest_turn) == ([], None)
    assert {row["what"] for row in rows(report)} == {"roll", "pause", "claim", "command"}
