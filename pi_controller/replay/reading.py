"""The lines of games from where they come: the state folder, or an exported game on standard input."""

from collections.abc import Iterable
from pathlib import Path

from pi_controller.journal.errors import DamagedLine, JournalError
from pi_controller.journal.exports import export_lines
from pi_controller.journal.record import FIRST_PREV, Record, decode
from pi_controller.journal.store import Store
from pi_controller.sentence import Sentence

STANDARD_INPUT = "-"
"""In place of a game's id."""


def from_folder(state_dir: Path, game_id: str) -> list[Record]:
    """The game's good lines. UnknownGame, JournalError, OSError."""
    return [decode(line) for line in export_lines(state_dir, game_id)]


def games_in(lines: Iterable[bytes]) -> list[list[Record]]:
    """The games whose lines follow each other, each whole. JournalError: lines that do not chain."""
    games: list[list[Record]] = []
    for number, line in enumerate(lines, start=1):
        try:
            record = decode(line)
        except DamagedLine as damage:
            raise _unusable(number, damage.sentence) from damage
        if record.seq == 0:
            games.append([])
        before = games[-1] if games else []
        if (record.seq, record.prev) != (len(before), before[-1].hash if before else FIRST_PREV):
            raise _unusable(number, Sentence("journal.line_does_not_continue"))
        before.append(record)
    if not games:
        raise _unusable(1, Sentence("journal.begins_no_game"))
    return games


def _unusable(line: int, why: Sentence) -> JournalError:
    return JournalError(Sentence("replay.no_journal", line=line, why=why))


def seed_of(state_dir: Path, game_id: str) -> bytes | None:
    """The game's own seed, for who may read it: without it the rolls in the journal stand for the dice."""
    try:
        return Store(state_dir).read_seed(game_id)
    except (JournalError, OSError):
        return None
