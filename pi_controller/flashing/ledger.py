"""The list of Picos that got the firmware: a table in the state folder, a line for each installation."""

import csv
from dataclasses import astuple, dataclass, fields
from pathlib import Path

NAME = "installed-nodes.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One installation; `when` in UTC, `uid` in 16 hex digits as the bus uses it."""

    when: str
    uid: str
    firmware: str
    micropython: str
    machine: str


_COLUMNS = tuple(field.name for field in fields(Entry))


def add(state_dir: Path, entry: Entry) -> None:
    """Append to the list; OSError when it cannot be written."""
    state_dir.mkdir(parents=True, exist_ok=True)
    path = state_dir / NAME
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        if is_new:
            table.writerow(_COLUMNS)
        table.writerow(astuple(entry))


def entries(state_dir: Path) -> tuple[Entry, ...]:
    """The newest of each Pico, oldest first; a line that is not whole is left out."""
    path = state_dir / NAME
    if not path.exists():
        return ()
    newest: dict[str, Entry] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in list(csv.reader(file))[1:]:
            if len(row) == len(_COLUMNS):
                entry = Entry(**dict(zip(_COLUMNS, row, strict=True)))
                newest.pop(entry.uid, None)
                newest[entry.uid] = entry
    return tuple(newest.values())
