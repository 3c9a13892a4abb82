"""Reads the files of a game's journal, judges each line and follows the lines from the first one on.

A line is kept as it stands, in bytes: as values they would need five times the memory.
"""

import errno
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from pi_controller.journal.errors import DamagedLine
from pi_controller.journal.files import NotRegular, read_lines
from pi_controller.journal.record import FIRST_PREV, Record, decode, hash_of, known
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

PROGRESS_EVERY = 2000
"""So many lines (some 0.05 s, on a Raspberry Pi 0.2 s) lie between two signs of progress."""

Progress = Callable[[int], None]
"""Told now and then how many lines have been worked through by now."""


class Records(Sequence[Record]):
    """Lines that chain, as records; each is made anew when it is asked for."""

    def __init__(self, lines: Sequence[bytes] = ()) -> None:
        self.lines = lines

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> "Records": ...
    def __getitem__(self, index: int | slice) -> "Record | Records":
        return Records(self.lines[index]) if isinstance(index, slice) else known(self.lines[index])

    def __iter__(self) -> Iterator[Record]:
        return map(known, self.lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]  # as of a list


def _same(one: object, other: object) -> bool:
    return one == other


@dataclass(frozen=True, slots=True)
class JournalFile:
    """One segment. `verdicts` has for each line its seq, or why it is damaged."""

    name: str
    number: int
    path: Path
    lines: Sequence[bytes]
    verdicts: Sequence[int | Sentence]
    trouble: str | Sentence = ""
    """Why it, or a part of it, could not be read; empty when all of it could."""

    @property
    def size(self) -> int:
        return sum(map(len, self.lines))


class Gathering:
    """The lines of one game from all its files, each at the place in the chain that it claims."""

    def __init__(self, game_id: str, progress: Progress) -> None:
        self._game_id = game_id
        self._progress = progress
        self._read = 0
        self._after: dict[str, bytes] = {}
        self._lines: list[bytes] = []
        self._head = FIRST_PREV
        self.foreign = False
        """Whether there is the first line of another game."""
        self.whole = False
        """Whether any line ends with a line feed."""
        self.reaches = 0
        """How many lines a chain would have that goes up to the last line that is known to have existed."""

    def file(self, number: int, path: Path) -> JournalFile:
        """One segment of the first device. Where two lines claim one place the later one is believed.

        A file that cannot be opened counts as one damaged line; of one that the disk gives back in part, the
        lines with missing bytes are damaged. Raises OSError when it may not be read.
        """
        try:
            lines, refused = read_lines(path)
        except OSError as error:
            if error.errno != errno.EIO and not isinstance(error, NotRegular):
                raise
            reason = Sentence("journal.line_cannot_be_read", why=why(error))
            return JournalFile(path.name, number, path, (b"",), (reason,), trouble=why(error))
        verdicts = [self._judge(line, self._after) for line in lines]
        trouble = "" if refused is None else why(refused)
        return JournalFile(path.name, number, path, lines, verdicts, trouble=trouble)

    def copy(self, paths: Iterable[Path], own: Iterable[JournalFile]) -> None:
        """The segments of a copy: of use only for places that the first device does not claim. One that
        cannot be read is of none; whose device it is tells so."""
        mine = {line for file in own for line in file.lines}
        after: dict[str, bytes] = {}
        for path in paths:
            for line in _as_far_as_readable(path):
                if line not in mine:
                    self._judge(line, after)
        self._after = after | self._after

    def follow(self) -> list[bytes]:
        """The lines that chain from line 0 on, of all that was gathered by now."""
        while (line := self._after.pop(_place(len(self._lines), self._head), None)) is not None:
            self._lines.append(line)
            self._head = hash_of(line)
        return self._lines

    def _judge(self, line: bytes, after: dict[str, bytes]) -> int | Sentence:
        self._read += 1
        if self._read % PROGRESS_EVERY == 0:
            self._progress(self._read)
        self.whole = self.whole or line.endswith(b"\n")
        try:
            record = decode(line)
        except DamagedLine as damage:
            return damage.sentence
        if record.seq == 0 and record.data.get("game_id") != self._game_id:
            self.foreign = True
            return Sentence("journal.line_begins_another_game")
        self.reaches = max(self.reaches, record.seq + 1)
        after[_place(record.seq, record.prev)] = line
        return record.seq


def _as_far_as_readable(path: Path) -> list[bytes]:
    """None where it cannot be read: a copy must not cost the game that it is a copy of."""
    try:
        return read_lines(path)[0]
    except FileNotFoundError:
        return []
    except OSError as error:
        log.warning("a copy of the journal, %s, cannot be read: %s", path, error)
        return []


def _place(seq: int, prev: str) -> str:
    return f"{seq} {prev}"
