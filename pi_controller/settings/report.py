"""Settings as rows of words for documents, and as text that is itself a settings file: everything in force,
or what differs from the defaults."""

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

import msgspec
from msgspec import inspect

from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import allowed
from pi_controller.settings.sections import Settings
from pi_controller.settings.toml import toml_text
from pi_controller.settings.versions import KEY, NEWEST


@dataclass(frozen=True, slots=True)
class Row:
    """One setting; `allowed` is its type and range."""

    section: str
    key: str
    meaning: str
    allowed: Sentence
    default: Any

    def line(self, value: Any) -> str:
        """This setting as a line of a settings file."""
        return f"{self.key} = {self.text(value)}"

    def text(self, value: Any) -> str:
        """A value of this setting as TOML; bus addresses as data sheets write them."""
        return f"0x{value:02X}" if self.key == "i2c_address" else toml_text(value)


@cache
def rows() -> tuple[Row, ...]:
    """Every setting there is, in the order of the sections."""
    return tuple(
        _row(section.name, field)
        for section in msgspec.structs.fields(Settings)
        for field in msgspec.structs.fields(section.type)
    )


@cache
def sections() -> dict[str, str]:
    """What each section is about, by its name."""
    return {field.name: field.type.__doc__ for field in msgspec.structs.fields(Settings)}


def _row(section: str, field: msgspec.structs.FieldInfo) -> Row:
    kind = inspect.type_info(field.type)
    if not isinstance(kind, inspect.Metadata) or not kind.extra_json_schema:
        raise TypeError(f"[{section}] {field.name} has no description")
    return Row(section, field.name, kind.extra_json_schema["description"], allowed(kind), field.default)


def show(settings: Settings) -> str:
    """Everything in force as TOML, each setting under its meaning."""
    parts = [f"# Version of this file's form\n{KEY} = {NEWEST}\n"]
    for section, members in groupby(rows(), lambda row: row.section):
        lines = [f"# {sections()[section]}", f"[{section}]"]
        for row in members:
            lines += [f"# {row.meaning} ({words(row.allowed)})", row.line(_value(settings, row))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def diff(settings: Settings) -> str:
    """What differs from the defaults as TOML, with the default beside it; or a comment that nothing does."""
    changed = [row for row in rows() if _value(settings, row) != row.default]
    lines: list[str] = []
    for section, members in groupby(changed, lambda row: row.section):
        lines.append(f"[{section}]")
        lines += [f"{row.line(_value(settings, row))}  # default: {row.text(row.default)}" for row in members]
    return "\n".join(lines or ["# Everything is at its default."]) + "\n"


def file_text(settings: Settings) -> str:
    """A settings file that says what differs from the defaults, each setting under its meaning."""
    changed = [row for row in rows() if _value(settings, row) != row.default]
    parts = [f"# What is not here is at its default: `pi-controller settings show`.\n{KEY} = {NEWEST}\n"]
    for section, members in groupby(changed, lambda row: row.section):
        lines = [f"[{section}]"]
        for row in members:
            lines += [f"# {row.meaning} ({words(row.allowed)})", row.line(_value(settings, row))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _value(settings: Settings, row: Row) -> Any:
    return getattr(getattr(settings, row.section), row.key)
