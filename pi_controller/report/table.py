"""A report as one table: a row for each thing that happened, in its order."""

import csv
import io
from collections.abc import Iterator, Mapping

import msgspec

from pi_controller.protocol.game_report import GameReport

Cell = str | int | float | bool | None
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
    writer = csv.DictWriter(into, COLUMNS, restval="")
    writer.writeheader()
    rows = [
        *_rolls(report),
        *_turns(report),
        *_pauses(report),
        *_claims(report),
        *_commands(report),
        *_notes(report),
    ]
    for row in sorted(rows, key=_at):
        writer.writerow({name: _plain(value) for name, value in row.items()})
    return b"\xef\xbb\xbf" + into.getvalue().encode()


def _at(row: Mapping[str, Cell]) -> float:
    return float(row["at_ms"] or 0)


def _rolls(report: GameReport) -> Iterator[Mapping[str, Cell]]:
    for roll in report.rolls:
        yield {
            "at_ms": roll.at_ms,
            "what": "roll",
            "side": roll.side,
            "round": roll.round,
            "phase": roll.kind,
            "length_ms": roll.duration_ms,
            "dice": f"{roll.dice[0]} {roll.dice[1]}",
            "sum": roll.sum,
            "robber_target": roll.robber_target,
        }


def _turns(report: GameReport) -> Iterator[Mapping[str, Cell]]:
    for turn in report.turns:
        yield {"what": "turn", **msgspec.structs.asdict(turn)}


def _pauses(report: GameReport) -> Iterator[Mapping[str, Cell]]:
    for pause in report.pauses:
        yield {
            "at_ms": pause.at_ms,
            "what": "pause",
            "round": pause.round,
            "length_ms": pause.length_ms,
            "about": " ".join(pause.reasons),
        }


def _claims(report: GameReport) -> Iterator[Mapping[str, Cell]]:
    for claim in report.claims:
        yield {
            "at_ms": claim.at_ms,
            "what": "claim",
            "name": claim.id,
            "board": claim.board,
            "side": claim.side,
            "round": claim.round,
            "remaining_ms": claim.pressed_ms_before_end,
            "status": claim.status,
            "points": claim.points,
            "length_ms": claim.verdict_ms,
        }


def _commands(report: GameReport) -> Iterator[Mapping[str, Cell]]:
    for command in report.commands:
        yield {
            "at_ms": command.at_ms,
            "what": "command",
            "source": command.source,
            "name": command.name,
            "round": command.round,
            "phase": command.phase,
            "paused": command.paused,
            "remaining_ms": command.remaining_ms,
            "press_to_seen_ms": command.press_to_seen_ms,
            "undone": command.undone,
            "about": msgspec.json.encode(command.body).decode() if command.body else None,
        }


def _notes(report: GameReport) -> Iterator[Mapping[str, Cell]]:
    for note in report.notes:
        yield {"at_ms": note.at_ms, "what": "note", "name": note.what, "about": note.about}


def _plain(value: Cell) -> Cell:
    """Nothing that a spreadsheet takes for a formula (OWASP, CSV injection)."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
