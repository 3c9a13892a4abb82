"""A report as one table: a row for each thing that happened, in its order."""

import csv
import io
from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import asdict

from pi_controller.protocol.game_report import GameReport

Row = Mapping[str, object]
"""The fields of what happened; those that are no column are left out."""
COLUMNS = (
    "at_ms",
    "what",
    "source",
    "name",
    "board",
    "side",
    "round",
    "phase",
    "paused",
    "remaining_ms",
    "length_ms",
    "dice",
    "sum",
    "robber_target",
    "status",
    "points",
    "press_to_seen_ms",
    "undone",
    "about",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""So begins what a spreadsheet would reckon out."""


def csv_of(report: GameReport) -> bytes:
    """UTF-8 with a mark that spreadsheets know, lines end as RFC 4180 says; empty where nothing is to say."""
    into = io.StringIO()
    writer = csv.DictWriter(into, COLUMNS, restval="", extrasaction="ignore")
    writer.writeheader()
    parts = (_rolls, _turns, _pauses, _claims, _commands, _notes)
    rows = [row for part in parts for row in part(report)]
    for row in sorted(rows, key=_at):
        writer.writerow({name: _plain(value) for name, value in row.items()})
    return b"\xef\xbb\xbf" + into.getvalue().encode()


def _at(row: Row) -> int:
    at_ms = row["at_ms"]
    return at_ms if isinstance(at_ms, int) else 0


def _rolls(report: GameReport) -> Iterator[Row]:
    for roll in report.rolls:
        dice = f"{roll.dice[0]} {roll.dice[1]}"
        called = {"what": "roll", "phase": roll.kind, "length_ms": roll.duration_ms, "dice": dice}
        yield asdict(roll) | called


def _turns(report: GameReport) -> Iterator[Row]:
    for turn in report.turns:
        yield asdict(turn) | {"what": "turn"}


def _pauses(report: GameReport) -> Iterator[Row]:
    for pause in report.pauses:
        yield asdict(pause) | {"what": "pause", "about": " ".join(pause.reasons)}


def _claims(report: GameReport) -> Iterator[Row]:
    for claim in report.claims:
        called = {
            "name": claim.id,
            "remaining_ms": claim.pressed_ms_before_end,
            "length_ms": claim.verdict_ms,
        }
        yield asdict(claim) | called | {"what": "claim"}


def _commands(report: GameReport) -> Iterator[Row]:
    for command in report.commands:
        about = msgspec.json.encode(command.body).decode() if command.body else None
        yield asdict(command) | {"what": "command", "about": about}


def _notes(report: GameReport) -> Iterator[Row]:
    for note in report.notes:
        yield asdict(note) | {"what": "note", "name": note.what}


def _plain(value: object) -> object:
    """Nothing that a spreadsheet takes for a formula (OWASP, CSV injection)."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
