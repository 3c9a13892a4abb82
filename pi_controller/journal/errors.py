"""What can be wrong with a journal, one sentence each."""
# ruff: noqa: N818 - the names say what is the matter; "Error" would add nothing


class JournalError(Exception):
    """Base of all journal errors; its text is one sentence for people."""


class DamagedLine(JournalError, ValueError):
    """These bytes are not a journal line; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NewerJournal(JournalError, RuntimeError):
    """The journal was written by a newer version; its files have not been touched."""


class StateInUse(JournalError, BlockingIOError):
    """Another process holds this state folder."""


class UnknownGame(JournalError, LookupError):
    """There is no such game in this state folder."""


class ExportRefused(JournalError, FileExistsError):
    """The target of an export exists already."""


class OtherSeed(JournalError, FileExistsError):
    """The game's folder holds another seed already."""
