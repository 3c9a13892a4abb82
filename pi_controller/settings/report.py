"""Settings as text that is itself a settings file: everything in force, or what differs from the defaults."""

from itertools import groupby
from typing import Any

from pi_controller.settings.catalogue import Row, rows, sections
from pi_controller.settings.sections import Settings
from pi_controller.settings.versions import KEY, NEWEST


def show(settings: Settings) -> str:
    """Everything in force as TOML, each setting under its meaning."""
    parts = [f"# Version of this file's form\n{KEY} = {NEWEST}\n"]
    for section, members in groupby(rows(), lambda row: row.section):
        lines = [f"# {sections()[section]}", f"[{section}]"]
        for row in members:
            lines += [f"# {row.meaning} ({row.allowed})", row.line(_value(settings, row))]
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
            lines += [f"# {row.meaning} ({row.allowed})", row.line(_value(settings, row))]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _value(settings: Settings, row: Row) -> Any:
    return getattr(getattr(settings, row.section), row.key)
