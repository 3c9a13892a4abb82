"""Reads a line of the journal back from the disk. Blocks; for a thread."""

from pathlib import Path

from pi_controller.journal.errors import JournalError
from pi_controller.journal.files import FileSystem
from pi_controller.journal.record import decode
from pi_controller.journal.store import segments
from pi_controller.sentence import Sentence, said_by

NOT_THERE = Sentence("test.line_not_there")


def check_line(folder: Path, token: str, *, files: FileSystem) -> Sentence | None:
    """None when the journal in this folder of a game has a whole line with this token, its hash intact, and
    otherwise what is wrong. Raises OSError."""
    wanted = token.encode()
    for _number, path in reversed(segments(folder)):
        for line in reversed(files.read_back(path).splitlines(keepends=True)):
            if wanted in line:
                return _intact(line)
    return NOT_THERE


def _intact(line: bytes) -> Sentence | None:
    try:
        decode(line)
    except JournalError as error:
        return Sentence("test.lines_damaged", why=said_by(error))
    return None
