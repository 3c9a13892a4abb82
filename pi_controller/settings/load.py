"""Reads the settings file; where it cannot be used, the copy of the last one that could."""

import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from pi_controller.settings.checks import (
    LEAF_CHECKS,
    LIST_CHECKS,
    pin_problems,
    select_problems,
    written,
)
from pi_controller.settings.fault import SettingsFault, allowed, did_you_mean
from pi_controller.settings.sections import HardwareChoice, Settings
from pi_controller.settings.toml import excerpt, key_excerpt, toml_text
from pi_controller.settings.versions import KEY, check_version

MOST_PROBLEMS = 200
"""Several times as many as there are settings; what holds more is hardly a settings file."""
LARGEST_FILE = 1024 * 1024
SECTIONS: dict[str, type[msgspec.Struct]] = {
    field.name: field.type for field in msgspec.structs.fields(Settings)
}


@dataclass
class _Found:
    """Sentences, and the `section.key` of what could not be read."""

    problems: list[str] = field(default_factory=list)
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
            remedy = f"write [{name}] on a line of its own."
            found.problems.append(f"{name} = {excerpt(body)} is not a section; {remedy}")
        else:
            sections[name] = _section(name, body, found)
    settings = _with_hardware(Settings(**sections), hardware)
    unreadable = frozenset(found.unreadable)
    problems = (*found.problems, *pin_problems(settings, unreadable), *select_problems(settings, unreadable))
    if len(problems) > MOST_PROBLEMS:
        more = f"There are {len(problems) - MOST_PROBLEMS} more mistakes; mend these first."
        problems = (*problems[:MOST_PROBLEMS], more)
    if problems:
        raise SettingsFault(problems)
    return settings


def _section(name: str, body: dict[str, Any], found: _Found) -> msgspec.Struct:
    fields = {field.name: field for field in msgspec.structs.fields(SECTIONS[name])}
    values: dict[str, Any] = {}
    for key, value in body.items():
        if key not in fields:
            found.problems.append(_unknown_key(name, key, value))
            continue
        problems = _leaf_problems(f"{name}.{key}", value, fields[key])
        if problems:
            found.problems += problems
            found.unreadable.add(f"{name}.{key}")
        else:
            values[key] = msgspec.convert(value, fields[key].type)
    return SECTIONS[name](**values)


def _leaf_problems(path: str, value: Any, field: msgspec.structs.FieldInfo) -> list[str]:
    if path in LIST_CHECKS:
        return list(LIST_CHECKS[path](value))
    try:
        checked = msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        kind = allowed(inspect.type_info(field.type))
        remedy = f"write {kind}; the default is {toml_text(field.default)}."
        return [f"{written(path, value)} cannot be used: {remedy}"]
    problem = LEAF_CHECKS[path](checked) if path in LEAF_CHECKS else None
    return [f"{written(path, value)}: {problem}."] if problem else []


def _with_hardware(settings: Settings, hardware: HardwareChoice | None) -> Settings:
    if hardware is None:
        return settings
    roles: dict[str, str] = dict.fromkeys(
        ("lamps", "buzzer", "pause_button"), "sim" if hardware == "sim" else "gpiozero"
    )
    if hardware == "sim":
        roles |= {"display": "sim", "shutdown_button": "sim", "sound": "sim"}
    else:
        fitted = {"display": "luma", "shutdown_button": "gpiozero"}
        roles |= {role: real for role, real in fitted.items() if getattr(settings.hardware, role) != "none"}
        roles["sound"] = "alsa"
    return msgspec.structs.replace(settings, hardware=msgspec.structs.replace(settings.hardware, **roles))


def _unknown_section(name: str, body: Any) -> str:
    homes = [section for section, kind in SECTIONS.items() if name in kind.__struct_fields__]
    if homes and not isinstance(body, dict):
        return f"{key_excerpt(name)} = {excerpt(body)} stands in no section; put it under [{homes[0]}]."
    if isinstance(body, dict):
        return f"[{key_excerpt(name)}] is not a section; {did_you_mean(name, SECTIONS)}"
    return f"{key_excerpt(name)} = {excerpt(body)} is not known; {did_you_mean(name, SECTIONS)}"


def _unknown_key(section: str, key: str, value: Any) -> str:
    homes = [name for name, kind in SECTIONS.items() if key in kind.__struct_fields__]
    remedy = (
        f"it belongs to [{homes[0]}]." if homes else did_you_mean(key, SECTIONS[section].__struct_fields__)
    )
    return f"[{section}] {key_excerpt(key)} = {excerpt(value)} is not a setting of this section; {remedy}"


def table_of(text: str, path: Path) -> dict[str, Any]:
    """What TOML makes of this text, which is that of the file. SettingsFault when it makes nothing."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _file_fault(path, "is nested too deeply; settings need no more than a list of tables") from None
    except ValueError as problem:  # a TOMLDecodeError, or a number that no integer takes
        raise _file_fault(path, f"is not a TOML file: {problem}; correct it there") from None


def read_text(path: Path) -> str:
    """SettingsFault when this can be no settings file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _file_fault(path, "is not a file; name the settings file itself")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as problem:
        if isinstance(problem, SettingsFault):
            raise
        reason = getattr(problem, "strerror", None) or str(problem)
        raise _file_fault(path, f"cannot be read ({reason}); check its name and its permissions") from None
    if len(data) > LARGEST_FILE:
        raise _file_fault(path, f"is larger than {LARGEST_FILE} bytes; name the settings file itself")
    if data.startswith(b"\xef\xbb\xbf"):
        raise _file_fault(path, "begins with a byte order mark; save it as UTF-8 without one")
    if b"\0" in data:
        raise _file_fault(
            path, f"holds a NUL byte in line {_line(data, data.index(0))}; save it as plain text in UTF-8"
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise _file_fault(
            path, f"is not UTF-8 in line {_line(data, problem.start)}; save it as UTF-8"
        ) from None


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _file_fault(path: Path, problem: str) -> SettingsFault:
    return SettingsFault((f"The settings file {excerpt(str(path))} {problem}.",))


FILE_NAME = "settings.good.toml"
"""In the state folder: a copy of the settings file as it was when core last started with it."""


def load_or_make_do(
    path: Path | None, hardware: HardwareChoice | None, folder: Path
) -> tuple[Settings, tuple[str, ...]]:
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


LAST_GOOD = "The settings file has mistakes, so that the last good settings are used; mend it and restart."
DEFAULTS = "The settings file has mistakes, so that the defaults are used; mend it and restart."
