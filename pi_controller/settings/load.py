"""Reads the settings file; where it cannot be used, the copy of the last one that could."""

import stat
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect

from pi_controller.journal.store import write_private
from pi_controller.language.languages import EVERY, chosen
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.settings.checks import (
    LEAF_CHECKS,
    LIST_CHECKS,
    pin_problems,
    port_problems,
    select_problems,
    written,
)
from pi_controller.settings.fault import (
    SettingsFault,
    allowed,
    did_you_mean,
    excerpt,
    key_excerpt,
    key_text,
    toml_text,
)
from pi_controller.settings.sections import HardwareChoice, Settings

# The version of a settings file's form, the way from an older form to the newest, and how a file is replaced.
#
# The key `version` stands at the top of the file; a file without it is of version 1, the first form. Further
# settings are no new form. A change that an older file would not survive raises NEWEST and adds its step.


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


MOST_PROBLEMS = 200
"""Several times as many as there are settings; what holds more is hardly a settings file."""
LARGEST_FILE = 1024 * 1024
SECTIONS: dict[str, type[msgspec.Struct]] = {
    field.name: field.type for field in msgspec.structs.fields(Settings)
}


@dataclass
class _Found:
    """Mistakes, and the `section.key` of what could not be read."""

    problems: list[Sentence] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)


def load(path: Path | None, hardware: HardwareChoice | None = None) -> Settings:
    """The settings of this file over the defaults; without a file the defaults.

    `hardware` sets the drivers of all roles at once; on a Pi a part that is not fitted stays so.
    Raises SettingsFault with every problem there is, up to a number that nobody reads.
    """
    table = {} if path is None else table_of(read_text(path), path)
    return from_table(table, hardware, file=str(path))


def from_table(table: dict[str, Any], hardware: HardwareChoice | None = None, *, file: str) -> Settings:
    """The settings of what TOML made of the file of this name; otherwise as `load`."""
    check_version(table, file)
    table = {key: body for key, body in table.items() if key != KEY}
    found = _Found()
    sections: dict[str, Any] = {}
    for name, body in table.items():
        if name not in SECTIONS:
            found.problems.append(_unknown_section(name, body))
        elif not isinstance(body, dict):
            found.problems.append(Sentence("settings.no_section", name=name, value=excerpt(body)))
        else:
            sections[name] = _section(name, body, found)
    settings = _with_hardware(Settings(**sections), hardware)
    unreadable = frozenset(found.unreadable)
    checks = (pin_problems, select_problems, port_problems)
    problems = (*found.problems, *(one for check in checks for one in check(settings, unreadable)))
    if len(problems) > MOST_PROBLEMS:
        more = Sentence("settings.more_mistakes", count=len(problems) - MOST_PROBLEMS)
        problems = (*problems[:MOST_PROBLEMS], more)
    if problems:
        raise SettingsFault(problems)
    return settings


def _section(name: str, body: dict[str, Any], found: _Found) -> msgspec.Struct:
    fields = {field.name: field for field in msgspec.structs.fields(SECTIONS[name])}
    values: dict[str, Any] = {}
    for key, given in body.items():
        if key not in fields:
            found.problems.append(_unknown_key(name, key, given))
            continue
        value = _languages(given) if (name, key) == ("hall", "languages") else given
        problems = _leaf_problems(f"{name}.{key}", value, fields[key])
        if problems:
            found.problems += problems
            found.unreadable.add(f"{name}.{key}")
        else:
            values[key] = msgspec.convert(value, fields[key].type)
    return SECTIONS[name](**values)


def _languages(value: Any) -> Any:
    """With our own tags in place of others that name the same language, such as `pt_BR` and `pt-PT`."""
    if not isinstance(value, list):
        return value
    return [(chosen([tag], EVERY) if isinstance(tag, str) else None) or tag for tag in value]


def _leaf_problems(path: str, value: Any, field: msgspec.structs.FieldInfo) -> list[Sentence]:
    if path in LIST_CHECKS:
        return list(LIST_CHECKS[path](value))
    try:
        checked = msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return [
            Sentence(
                "settings.value_unusable",
                setting=written(path, value),
                allowed=allowed(inspect.type_info(field.type)),
                default=toml_text(field.default),
            )
        ]
    problem = LEAF_CHECKS[path](checked) if path in LEAF_CHECKS else None
    if problem is None:
        return []
    return [Sentence("settings.value_wrong", setting=written(path, value), problem=problem)]


def _with_hardware(settings: Settings, hardware: HardwareChoice | None) -> Settings:
    if hardware is None:
        return settings
    drivers = {"sim": "sim", "pi": "gpiozero", "none": "none"}
    roles: dict[str, str] = dict.fromkeys(("lamps", "buzzer", "pause_button"), drivers[hardware])
    if hardware == "none":
        roles |= {"display": "none", "shutdown_button": "none", "panel_current": "none"}
        roles["pause_button"] = "usb"  # a laptop's, if one is chosen
    elif hardware == "sim":
        roles |= {"display": "sim", "shutdown_button": "sim", "sound": "sim", "panel_current": "sim"}
    else:
        fitted = {"display": "luma", "shutdown_button": "gpiozero", "panel_current": "ina226"}
        roles |= {role: real for role, real in fitted.items() if getattr(settings.hardware, role) != "none"}
        roles["sound"] = "alsa"
    return msgspec.structs.replace(settings, hardware=msgspec.structs.replace(settings.hardware, **roles))


def _unknown_section(name: str, body: Any) -> Sentence:
    homes = [section for section, kind in SECTIONS.items() if name in kind.__struct_fields__]
    if homes and not isinstance(body, dict):
        return Sentence(
            "settings.in_no_section", name=key_excerpt(name), value=excerpt(body), section=homes[0]
        )
    remedy = did_you_mean(name, SECTIONS)
    if isinstance(body, dict):
        return Sentence("settings.unknown_section", name=key_excerpt(name), remedy=remedy)
    return Sentence("settings.unknown", name=key_excerpt(name), value=excerpt(body), remedy=remedy)


def _unknown_key(section: str, key: str, value: Any) -> Sentence:
    homes = [name for name, kind in SECTIONS.items() if key in kind.__struct_fields__]
    remedy = (
        Sentence("settings.belongs_to", section=homes[0])
        if homes
        else did_you_mean(key, SECTIONS[section].__struct_fields__)
    )
    return Sentence(
        "settings.unknown_key", section=section, name=key_excerpt(key), value=excerpt(value), remedy=remedy
    )


def table_of(text: str, path: Path) -> dict[str, Any]:
    """What TOML makes of this text, which is that of the file. SettingsFault when it makes nothing."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise SettingsFault((Sentence("settings.file_nested_too_deeply", file=_named(path)),)) from None
    except ValueError as problem:  # a TOMLDecodeError, or a number that no integer takes
        raise SettingsFault(
            (Sentence("settings.file_is_no_toml", file=_named(path), error=str(problem)),)
        ) from None


def read_text(path: Path) -> str:
    """SettingsFault when this can be no settings file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SettingsFault((Sentence("settings.file_is_none", file=_named(path)),))
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as problem:
        if isinstance(problem, SettingsFault):
            raise
        reason = why(problem) if isinstance(problem, OSError) else str(problem)
        raise SettingsFault(
            (Sentence("settings.file_unreadable", file=_named(path), reason=reason),)
        ) from None
    found = _unreadable(data, _named(path))
    if found is not None:
        raise SettingsFault((found,))
    return data.decode("utf-8")


def _unreadable(data: bytes, file: str) -> Sentence | None:
    """Why these bytes are no text of a settings file."""
    if len(data) > LARGEST_FILE:
        return Sentence("settings.file_too_large", file=file, bytes=LARGEST_FILE)
    if data.startswith(b"\xef\xbb\xbf"):
        return Sentence("settings.file_begins_with_a_mark", file=file)
    if b"\0" in data:
        return Sentence("settings.file_holds_nul", file=file, line=_line(data, data.index(0)))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        return Sentence("settings.file_is_not_utf8", file=file, line=_line(data, problem.start))
    return None


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _named(path: Path) -> str:
    return excerpt(str(path))


FILE_NAME = "settings.good.toml"
"""In the state folder: a copy of the settings file as it was when core last started with it."""


def load_or_make_do(
    path: Path | None, hardware: HardwareChoice | None, folder: Path
) -> tuple[Settings, tuple[Sentence, ...]]:
    """As `load`, except that mistakes come back as sentences: then the settings are the last good ones that
    are kept in this folder, or the defaults."""
    try:
        return load(path, hardware), ()
    except SettingsFault as fault:
        problems = fault.problems
    try:
        return load(folder / FILE_NAME, hardware), (LAST_GOOD, *problems)
    except SettingsFault:
        return load(None, hardware), (DEFAULTS, *problems)


LAST_GOOD = Sentence("settings.last_good_are_used")
DEFAULTS = Sentence("settings.defaults_are_used")


# Settings as rows of words for documents, and as text that is itself a settings file: everything in force, or
# what differs from the defaults.


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting; `allowed` is its type and range."""

    section: str
    key: str
    meaning: Sentence
    allowed: Sentence
    type: inspect.Type
    default: Any

    @property
    def path(self) -> str:
        return f"{self.section}.{self.key}"

    def value(self, settings: Settings) -> Any:
        """What these settings say."""
        return getattr(getattr(settings, self.section), self.key)

    def line(self, value: Any) -> str:
        """This setting as a line of a settings file."""
        return f"{self.key} = {self.text(value)}"

    def text(self, value: Any) -> str:
        """A value of this setting as TOML; bus addresses as data sheets write them."""
        return f"0x{value:02X}" if self.key == "i2c_address" else toml_text(value)

    def comment(self) -> str:
        """What stands above the setting in a settings file."""
        return f"# {words(self.meaning)} ({words(self.allowed)})"


SECTION_TEXTS: dict[str, Sentence] = {
    "hall": Sentence("section.hall"),
    "event": Sentence("section.event"),
    "game": Sentence("section.game"),
    "classic": Sentence("section.classic"),
    "hardware": Sentence("section.hardware"),
    "pins": Sentence("section.pins"),
    "pause_button": Sentence("section.pause_button"),
    "shutdown_button": Sentence("section.shutdown_button"),
    "buzzer": Sentence("section.buzzer"),
    "sound": Sentence("section.sound"),
    "display": Sentence("section.display"),
    "panel_current": Sentence("section.panel_current"),
    "tables": Sentence("section.tables"),
    "journal": Sentence("section.journal"),
    "web": Sentence("section.web"),
    "core": Sentence("section.core"),
    "links": Sentence("section.links"),
}
"""What each section is about."""


@cache
def rows() -> tuple[SettingRow, ...]:
    """Every setting there is, in the order of the sections."""
    return tuple(
        _row(section.name, field)
        for section in msgspec.structs.fields(Settings)
        for field in msgspec.structs.fields(section.type)
    )


def _row(section: str, field: msgspec.structs.FieldInfo) -> SettingRow:
    said = [part for part in get_args(field.type) if isinstance(part, Sentence)]
    if not said:
        raise TypeError(f"[{section}] {field.name} has no description")
    kind = inspect.type_info(field.type)
    return SettingRow(section, field.name, said[0], allowed(kind), kind, field.default)


Source = Callable[[SettingRow], Sentence]
"""Where the value of a setting comes from."""


def show(settings: Settings, source: Source | None = None) -> str:
    """Everything in force as TOML, each setting under its meaning, with its `source` beside it."""
    parts = [f"# {words(Sentence('settings.comment_on_version'))}\n{KEY} = {NEWEST}\n"]
    for section, members in groupby(rows(), lambda row: row.section):
        lines = [f"# {words(SECTION_TEXTS[section])}", f"[{section}]"]
        for row in members:
            beside = () if source is None else (source(row),)
            lines += [row.comment(), _line_of(settings, row, *beside)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _line_of(settings: Settings, row: SettingRow, *beside: Sentence) -> str:
    comment = f"  # {'; '.join(map(words, beside))}" if beside else ""
    return row.line(row.value(settings)) + comment


def diff(settings: Settings, source: Source | None = None) -> str:
    """What differs from the defaults as TOML, with the default and the `source` beside it; or a comment that
    nothing does."""
    changed = [row for row in rows() if row.value(settings) != row.default]
    lines: list[str] = []
    for section, members in groupby(changed, lambda row: row.section):
        lines.append(f"[{section}]")
        for row in members:
            default = Sentence("settings.comment_on_default", default=row.text(row.default))
            beside = () if source is None else (source(row),)
            lines.append(_line_of(settings, row, default, *beside))
    return "\n".join(lines or [f"# {words(Sentence('settings.all_at_default'))}"]) + "\n"


def file_text(settings: Settings) -> str:
    """A settings file that says what differs from the defaults, each setting under its meaning."""
    changed = [row for row in rows() if row.value(settings) != row.default]
    parts = [f"# {words(Sentence('settings.rest_at_default'))}\n{KEY} = {NEWEST}\n"]
    for section, members in groupby(changed, lambda row: row.section):
        lines = [f"[{section}]"]
        for row in members:
            lines += [row.comment(), row.line(row.value(settings))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)
