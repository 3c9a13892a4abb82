"""Reads a line of the journal back from the disk. Blocks; for a thread."""

from pathlib import Path

from pi_controller.journal.errors import JournalError
from pi_controller.journal.files import FileSystem
from pi_controller.journal.record import decode
from pi_controller.journal.store import segments

NOT_THERE = (
    "The line that was just saved is not in the journal's files: change the card before the next game."
)
DAMAGED = "The journal's newest lines come back damaged from the disk ({why}): change the card."


def check_line(folder: Path, token: str, *, files: FileSystem) -> str | None:
    """None when the journal in this folder of a game has a whole line with this token, its hash intact, and
    otherwise what is wrong. Raises OSError."""
    wanted = token.encode()
    for _number, path in reversed(segments(folder)):
        for line in reversed(files.read_back(path).splitlines(keepends=True)):
            if wanted in line:
                return _intact(line)
    return NOT_THERE


def _intact(line: bytes) -> str | None:
    try:
        decode(line)
    except JournalError as error:
        return DAMAGED.format(why=error)
    return None
