"""The version of a settings file's form, the way from an older form to the newest, and how a file is
replaced.

The key `version` stands at the top of the file; a file without it is of version 1, the first form. Further
settings are no new form. A change that an older file would not survive raises NEWEST and adds its step.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_controller.journal.private import write_private
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.toml import excerpt, key_text, toml_text

KEY = "version"
FIRST = 1
NEWEST = 1
Table = dict[str, Any]
Steps = Mapping[int, Callable[[Table], Table]]
STEPS: Steps = {}
"""From each older version to the next one."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A settings file in its newest form, and what had to change."""

    text: str
    changes: tuple[Sentence, ...]


def check_version(table: Table, name: str, newest: int = NEWEST) -> None:
    """Raise SettingsFault unless this file, called `name`, is of the newest form."""
    found = table.get(KEY, FIRST)
    if isinstance(found, bool) or not isinstance(found, int) or found < FIRST:
        problem = Sentence("settings.no_version", value=excerpt(found), newest=newest)
    elif found > newest:
        problem = Sentence("settings.version_is_newer", file=name, found=found, newest=newest)
    elif found < newest:
        problem = Sentence("settings.version_is_older", file=name, found=found, newest=newest)
    else:
        return
    raise SettingsFault((problem,))


def upgrade(text: str, table: Table, name: str, *, steps: Steps = STEPS, newest: int = NEWEST) -> Upgrade:
    """A file called `name` in its newest form; `table` is what TOML makes of its text.

    SettingsFault when its version is not one that was ever there, or newer.
    """
    found = table.get(KEY, FIRST)
    if type(found) is not int or found not in {*steps, newest}:
        check_version(table, name, newest)
    if found == newest:
        if KEY in table:
            return Upgrade(text, ())
        return Upgrade(f"{KEY} = {newest}\n{text}", (Sentence("settings.says_its_version", newest=newest),))
    for version in range(found, newest):
        table = steps[version](table)
    changes = (
        Sentence("settings.went_to_version", found=found, newest=newest),
        Sentence("settings.comments_in_the_old_file"),
    )
    return Upgrade(_text({**table, KEY: newest}), changes)


def _text(table: Table) -> str:
    lines = [f"{KEY} = {table[KEY]}"]
    for name, body in table.items():
        if isinstance(body, dict):
            lines += ["", f"[{key_text(name)}]"]
            lines += [f"{key_text(key)} = {toml_text(value)}" for key, value in body.items()]
    return "\n".join(lines) + "\n"


READABLE = 0o644
"""Settings hold no secrets, and the services' user has to read what root writes."""


def replace_file(path: Path, text: str, stamp: str) -> Path | None:
    """Whole or not at all; the backup's path, None when there was no file. `stamp` names the moment.

    Raises OSError; then the old file is in force.
    """
    backup = None
    if path.exists():
        backup = path.with_name(f"{path.name}.{stamp}")
        write_private(backup, path.read_bytes(), mode=READABLE)
    write_private(path, text.encode(), mode=READABLE)
    return backup
