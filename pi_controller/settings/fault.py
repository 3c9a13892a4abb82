"""Why settings are refused, and how mistakes of the parser become sentences about fields and values."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from msgspec import inspect

from pi_controller.settings.toml import toml_text


class SettingsFault(ValueError):  # noqa: N818 - the word of the settings, as callers know it
    """The settings cannot be used; `problems` holds one sentence for each mistake."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def allowed(kind: inspect.Type) -> str:
    """The values of this type in words, such as `a whole number from 0 to 27`."""
    if isinstance(kind, inspect.Metadata):
        return allowed(kind.type)
    if isinstance(kind, inspect.LiteralType):
        return " or ".join(toml_text(value) for value in kind.values)
    if isinstance(kind, inspect.IntType):
        return "a whole number" + _range(kind)
    if isinstance(kind, inspect.FloatType):
        return "a number" + _range(kind)
    if isinstance(kind, inspect.BoolType):
        return "true or false"
    if isinstance(kind, inspect.UnionType):
        return " or ".join(allowed(part) for part in kind.types)
    if isinstance(kind, inspect.VarTupleType):
        return "a list of " + allowed(kind.item_type)
    if isinstance(kind, inspect.DataclassType):
        return "{ " + ", ".join(f"{field.name} = {allowed(field.type)}" for field in kind.fields) + " }"
    return "text in quotes"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A remedy for an unknown word: the nearest known one, or all of them."""
    names = list(known)
    near = get_close_matches(word.lower(), names, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}."


def _range(kind: Any) -> str:
    return "" if kind.ge is None else f" from {kind.ge} to {kind.le}"
