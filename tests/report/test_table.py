import csv
import io

import pytest
from msgspec.structs import replace

from pi_controller.language.languages import LANGUAGES
from pi_controller.protocol.game_report import GameReport
from pi_controller.report.table import COLUMNS, csv_of


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
