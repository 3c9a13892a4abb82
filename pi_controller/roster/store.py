"""The roster's file in the state folder: replaced as a whole, so that a power cut leaves the old or the new
one."""

import os
from itertools import count
from pathlib import Path

from pi_controller.roster.fault import RosterFault
from pi_controller.roster.model import Roster
from pi_controller.roster.text import from_file, to_json

FILE_NAME = "roster.json"


class RosterStore:
    """Blocks on the disk: `save` belongs on a thread of its own."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / FILE_NAME

    def load(self) -> Roster | None:
        """The kept roster, None when there is none.

        RosterFault when the file is not one: it has been moved aside then, so that nothing overwrites it.
        """
        if not self.path.exists():
            return None
        try:
            return from_file(self.path)
        except RosterFault as fault:
            aside = self._move_aside()
            sentence = (
                f"The roster is not used, all tables stand nowhere: import it again. It lies in {aside}."
            )
            raise RosterFault((sentence, *fault.problems)) from None

    def save(self, roster: Roster) -> None:
        """Raises OSError; the old file is there then."""
        new = self.path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            file.write(to_json(roster))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)
        folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _move_aside(self) -> Path:
        names = (self.path.with_suffix(f".broken-{number}") for number in count(1))
        aside = next(path for path in names if not path.exists())
        self.path.rename(aside)
        return aside
