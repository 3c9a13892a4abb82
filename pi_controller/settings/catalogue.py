"""All settings as rows of words, for reports and documents."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from pi_controller.settings.sections import Settings
from pi_controller.settings.toml import toml_text
from pi_controller.settings.wording import allowed


@dataclass(frozen=True, slots=True)
class Row:
    """One setting; `allowed` is its type and range in words."""

    section: str
    key: str
    meaning: str
    allowed: str
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
