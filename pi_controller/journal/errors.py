"""What can be wrong with a journal, one sentence each, and what its threads report to whoever owns the
game."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pi_controller.language.words import WordedError, shown
from pi_controller.sentence import SaidError, Sentence, as_told

# ruff: noqa: N818 - the names say what is the matter; "Error" would add nothing


class JournalError(WordedError):
    """Base of all journal errors."""


class DamagedLine(JournalError, ValueError):
    """These bytes are not a journal line; the sentence says why."""


class NewerJournal(JournalError, RuntimeError):
    """The journal was written by a newer version; its files have not been touched."""


class StateInUse(JournalError, BlockingIOError):
    """Another process holds this state folder."""


class UnknownGame(JournalError, LookupError):
    """There is no such game in this state folder."""


class NoGame(UnknownGame):
    """A folder that lies among the games, and that no game of its name was written to."""


class ExportRefused(JournalError, FileExistsError):
    """The target of an export exists already."""


class NoFolder(JournalError, FileNotFoundError):
    """The folder that an export is to lie in is not there."""


class OtherSeed(JournalError, FileExistsError):
    """The game's folder holds another seed already."""


class FileUnusable(SaidError, OSError):
    """An operation on a file fails, and the reason is ours instead of the system's; `strerror` has it in
    English. `number` is the system's number for such a failure."""

    def __init__(self, number: int | None, reason: Sentence | str, path: Path | None = None) -> None:
        OSError.__init__(self, number, shown(reason), None if path is None else str(path))
        self.sentence = reason if isinstance(reason, Sentence) else as_told(reason)


Part = Literal["journal", "files", "space", "second_copy", "heartbeat", "pairing", "exports"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """One sentence for the director. `fatal`: for the time being nothing of the game reaches the disk.

    A fatal one, and each of `space`, `second_copy`, `heartbeat` and `exports`, is followed by one
    `on_mended(part)` as soon as that part works again; one of `pairing` lasts until the next start, the
    others are over when told.
    """

    sentence: Sentence
    fatal: bool
    part: Part = "journal"
