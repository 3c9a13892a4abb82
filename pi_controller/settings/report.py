"""Settings as rows of words for documents, and as text that is itself a settings file: everything in force,
or what differs from the defaults."""

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, get_args

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
    meaning: Sentence
    allowed: Sentence
    default: Any

    def line(self, value: Any) -> str:
        """This setting as a line of a settings file."""
        return f"{self.key} = {self.text(value)}"

    def text(self, value: Any) -> str:
        """A value of this setting as TOML; bus addresses as data sheets write them."""
        return f"0x{value:02X}" if self.key == "i2c_address" else toml_text(value)

    def comment(self) -> str:
        """What stands above the setting in a settings file."""
        return f"# {words(self.meaning)} ({words(self.allowed)})"


SECTIONS: dict[str, Sentence] = {
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
def rows() -> tuple[Row, ...]:
    """Every setting there is, in the order of the sections."""
    return tuple(
        _row(section.name, field)
        for section in msgspec.structs.fields(Settings)
        for field in msgspec.structs.fields(section.type)
    )


def _row(section: str, field: msgspec.structs.FieldInfo) -> Row:
    said = [part for part in get_args(field.type) if isinstance(part, Sentence)]
    if not said:
        raise TypeError(f"[{section}] {field.name} has no description")
    return Row(section, field.name, said[0], allowed(inspect.type_info(field.type)), field.default)


def show(settings: Settings) -> str:
    """Everything in force as TOML, each setting under its meaning."""
    parts = [f"# {words(Sentence('settings.comment_on_version'))}\n{KEY} = {NEWEST}\n"]
    for section, members in groupby(rows(), lambda row: row.section):
        lines = [f"# {words(SECTIONS[section])}", f"[{section}]"]
        for row in members:
            lines += [row.comment(), row.line(_value(settings, row))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def diff(settings: Settings) -> str:
    """What differs from the defaults as TOML, with the default beside it; or a comment that nothing does."""
    changed = [row for row in rows() if _value(settings, row) != row.default]
    lines: list[str] = []
    for section, members in groupby(changed, lambda row: row.section):
        lines.append(f"[{section}]")
        for row in members:
            default = Sentence("settings.comment_on_default", default=row.text(row.default))
            lines.append(f"{row.line(_value(settings, row))}  # {words(default)}")
    return "\n".join(lines or [f"# {words(Sentence('settings.all_at_default'))}"]) + "\n"


def file_text(settings: Settings) -> str:
    """A settings file that says what differs from the defaults, each setting under its meaning."""
    changed = [row for row in rows() if _value(settings, row) != row.default]
    parts = [f"# {words(Sentence('settings.rest_at_default'))}\n{KEY} = {NEWEST}\n"]
    for section, members in groupby(changed, lambda row: row.section):
        lines = [f"[{section}]"]
        for row in members:
            lines += [row.comment(), row.line(_value(settings, row))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _value(settings: Settings, row: Row) -> Any:
    return getattr(getattr(settings, row.section), row.key)
