"""A report as one table: a row for each thing that happened, in its order."""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import asdict

from pi_controller.language.words import BYTE_ORDER_MARK, csv_lines
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


def csv_of(report: GameReport, language: str | None = None) -> bytes:
    """UTF-8 with a byte order mark; empty cells where nothing is to say; separator and decimal mark of this
    language, or without one as programs read them."""
    parts = (_rolls, _turns, _pauses, _claims, _commands, _notes)
    rows = [row for part in parts for row in part(report)]
    cells = [[row.get(name) for name in COLUMNS] for row in sorted(rows, key=_at)]
    return (BYTE_ORDER_MARK + csv_lines([COLUMNS, *cells], language)).encode()


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
