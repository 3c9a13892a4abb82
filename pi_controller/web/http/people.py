"""Who stands behind the number in a command's source. The journal, which anybody may have, holds no names."""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pi_controller.journal.private import write_private
from pi_controller.web.http.roles import Role

FILE_NAME = "people"
A_DAY_S = 24 * 3600.0
"""A log-in ends within a day: so much longer than a game its director's name is kept."""


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """`number` is never given again, also when the name has gone."""

    number: int
    role: Role
    name: str
    last_s: float
    """Wall clock, when a link for them was last made."""

    @property
    def source(self) -> str:
        """As who may see names reads it."""
        return f"web:{self.name}" if self.role == "director" else f"web:{self.role}:{self.name}"


class Kept(msgspec.Struct, kw_only=True):
    next: int = 1
    people: list[Named] = []


class People:
    """`STATE/web/people`, as it was when it was looked at last: the command line makes links, too. A file
    that cannot be read holds no names; its numbers go on from the clock, so that none is given twice.
    `name_of` and `sources` wait for no disk."""

    def __init__(self, folder: Path, wall_s: Callable[[], float]) -> None:
        self._folder = folder
        self._wall_s = wall_s
        self._kept = self._read()

    def look(self) -> None:
        """Read the file."""
        self._kept = self._read()

    def number_of(self, role: Role, name: str) -> int:
        """The same for the same role and name; 0 without a name. Raises OSError."""
        if name == "":
            return 0
        with self._changing() as kept:
            found = next((one for one in kept.people if (one.role, one.name) == (role, name)), None)
            number = kept.next if found is None else found.number
            kept.next = max(kept.next, number + 1)
            others = [one for one in kept.people if one is not found]
            kept.people = [*others, Named(number=number, role=role, name=name, last_s=self._wall_s())]
        return number

    def name_of(self, number: int) -> str:
        """Empty for nobody, and for a name that has gone."""
        return next((one.name for one in self._kept.people if one.number == number), "")

    def sources(self) -> dict[str, str]:
        """What stands in journals, and what it is for who may see names."""
        return {f"web:{one.role}:{one.number}": one.source for one in self._kept.people}

    def forget(self, *, keep_days: int) -> None:
        """Names go when no game can be left in which they did something. 0 days: never. Raises OSError."""
        if keep_days == 0:
            return
        oldest_s = self._wall_s() - (keep_days + 1) * A_DAY_S
        if any(one.last_s < oldest_s for one in self._read().people):
            with self._changing() as kept:
                kept.people = [one for one in kept.people if one.last_s >= oldest_s]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Kept]:
        """While no other process changes them."""
        lock = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = self._read()
            yield kept
            write_private(self._folder / FILE_NAME, msgspec.json.encode(kept))
            self._kept = kept
        finally:
            os.close(lock)

    def _read(self) -> Kept:
        try:
            return msgspec.json.decode((self._folder / FILE_NAME).read_bytes(), type=Kept)
        except FileNotFoundError:
            return Kept()
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return Kept(next=int(self._wall_s()))
