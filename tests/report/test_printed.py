"""The report on paper and as a table."""

import ast
import csv
import io
from typing import get_args

import pytest
from msgspec.structs import replace

from pi_controller.game.commands import COMMANDS as ALL_COMMANDS
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import all_texts, speaking
from pi_controller.protocol.game_report import GameReport
from pi_controller.report.printed import COMMANDS, ROLES, SOURCES, clock, effect, print_report, source_text
from pi_controller.report.table import COLUMNS, csv_of
from pi_controller.vocabulary import Phase
from pi_controller.web.http.routes import Role
from tests.architecture.sources import python
from tests.paper.reading import pages


def test_a_report_is_printed_in_the_language_that_is_spoken(report: GameReport) -> None:
    pdf = print_report(report)
    assert pdf == print_report(report)
    assert "Claims and verdicts" in " ".join(pages(pdf))
    with speaking("de"):
        assert "Siegmeldungen und Entscheidungen" in " ".join(pages(print_report(report)))


def test_each_effect_has_words(report: GameReport) -> None:
    keys = [effect(one).key.removeprefix("page.report_") for one in report.commands]
    assert keys[0:2] == ["then_ready", "then_paused"]
    assert keys[-3:] == ["taken_back", "then_round", "then_over"]


def test_what_stood_after_a_command_is_told_apart_in_every_phase(report: GameReport) -> None:
    told = {
        phase: effect(replace(report.commands[0], phase=phase, paused=False)) for phase in get_args(Phase)
    }
    assert len(set(told.values())) == len(get_args(Phase))


def test_long_times_have_hours() -> None:
    assert [clock(ms) for ms in (0, 61_999, 3_661_000)] == ["0:00", "1:01", "1:01:01"]


def test_every_command_has_a_name_on_paper_and_on_the_page() -> None:
    assert set(COMMANDS) == set(ALL_COMMANDS)
    assert {f"page.command_{name}" for name in ALL_COMMANDS if name != "press"} <= all_texts("en").keys()


def test_every_source_has_a_name_on_paper_and_on_the_page() -> None:
    """What core calls those who give commands, and the roles of who logs in."""
    given = set()
    for _, module in python("pi_controller/core"):
        for node in ast.walk(module):
            if (
                isinstance(node, ast.keyword)
                and node.arg == "source"
                and isinstance(node.value, ast.Constant)
            ):
                given.add(node.value.value)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("SOURCE", "SEAT"):
                given.add(ast.literal_eval(node.value))
    assert given >= {"button", "system", "table", "seat", "hall"}
    assert set(SOURCES) == given | {"web", "cli"}
    assert set(ROLES) == set(get_args(Role))
    assert {f"page.by_{source}" for source in SOURCES} <= all_texts("en").keys()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("web", "director"),
        ("web:judge", "Judge"),
        ("web:judge:Anna", "Anna · Judge"),
        ("web:judge:0", "Judge"),
        ("web:Bea", "Bea"),
        ("seat", "a player's phone"),
        ("", ""),
    ],
)
def test_a_source_is_told_in_words(source: str, text: str) -> None:
    assert source_text(source) == text


@pytest.mark.parametrize(
    ("language", "separator", "mark"),
    [(None, ",", "."), ("en", ",", "."), *((one, ";", ",") for one in LANGUAGES if one != "en")],
)
def test_a_spreadsheet_in_each_language_takes_the_cells_apart(
    report: GameReport, language: str | None, separator: str, mark: str
) -> None:
    slow = replace(report, commands=[replace(report.commands[0], press_to_seen_ms=1234.5)])
    text = csv_of(slow, language).decode("utf-8")
    head, *found = csv.reader(io.StringIO(text.removeprefix("\ufeff")), delimiter=separator)
    assert (text[0], tuple(head)) == ("\ufeff", COLUMNS)
    assert {len(row) for row in found} == {len(COLUMNS)}
    assert f"1234{mark}5" in [row[COLUMNS.index("press_to_seen_ms")] for row in found]


def rows(report: GameReport) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_of(report).decode("utf-8-sig"))))


def test_everything_that_happened_has_a_row_in_its_order(report: GameReport) -> None:
    found = rows(report)
    assert [int(row["at_ms"]) for row in found] == sorted(int(row["at_ms"]) for row in found)
    counted = {
        what: sum(row["what"] == what for row in found) for what in ("roll", "pause", "claim", "command")
    }
    assert counted == {"roll": 2, "pause": 1, "claim": 2, "command": len(report.commands)}


def test_no_cell_is_a_formula_for_a_spreadsheet(report: GameReport) -> None:
    evil = replace(report, commands=[replace(report.commands[0], source="=1+1")])
    assert [row["source"] for row in rows(evil) if row["source"]] == ["'=1+1"]
