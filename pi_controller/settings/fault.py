"""Why settings are refused, and how mistakes of the parser become sentences about fields and values."""

import json
from collections.abc import Iterable
from difflib import get_close_matches
from functools import reduce
from typing import Any

from msgspec import Struct, inspect
from msgspec.structs import asdict

from pi_controller.language.words import all_words
from pi_controller.sentence import Sentence, as_told, separated

# Values as TOML text; the standard library only reads TOML.


LONGEST_EXCERPT = 80
LONGEST_KEY = 40
DEEPEST_EXCERPT = 3
LARGEST_PLAIN_INT = 10**30


def toml_text(value: Any) -> str:
    """A setting's value as TOML that reads back as the same value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return "[" + ", ".join(toml_text(item) for item in value) + "]"
    if isinstance(value, Struct):
        return toml_text(asdict(value))
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key_text(key)} = {toml_text(item)}" for key, item in value.items()) + " }"
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_PLAIN_INT:
        return f"{value:.1f}"
    return str(value)


def key_text(key: str) -> str:
    """A key, quoted where TOML asks for it."""
    return (
        key if key and key.isascii() and key.replace("_", "").replace("-", "").isalnum() else toml_text(key)
    )


def key_excerpt(key: str) -> str:
    """A key somebody wrote, short enough for a sentence."""
    return key_text(key if len(key) <= LONGEST_KEY else key[: LONGEST_KEY - 1] + "…")


def excerpt(value: Any) -> str:
    """What somebody wrote, short enough for a sentence: long, deep and huge values are cut."""
    text = toml_text(_shallow(value, DEEPEST_EXCERPT))
    return text if len(text) <= LONGEST_EXCERPT else text[: LONGEST_EXCERPT - 1] + "…"


def _shallow(value: Any, depth: int) -> Any:
    if isinstance(value, dict | list) and depth == 0:
        return "…"
    if isinstance(value, dict):
        return {key: _shallow(item, depth - 1) for key, item in list(value.items())[:LONGEST_EXCERPT]}
    if isinstance(value, list):
        return [_shallow(item, depth - 1) for item in value[:LONGEST_EXCERPT]]
    if isinstance(value, int) and abs(value) >= LARGEST_PLAIN_INT:
        return hex(value)  # the decimal form of a huge number is an error of its own
    return value


class SettingsFault(ValueError):  # noqa: N818 - the word of the settings, as callers know it
    """The settings cannot be used; `problems` holds one sentence for each mistake. Its text are all of them
    in English, one a line."""

    def __init__(self, problems: tuple[Sentence, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(all_words(self.problems))


def allowed(kind: inspect.Type) -> Sentence:
    """The values of this type, such as `a whole number from 0 to 27`."""
    if isinstance(kind, inspect.Metadata):
        return allowed(kind.type)
    if isinstance(kind, inspect.LiteralType):
        return _either([as_told(toml_text(value)) for value in kind.values])
    if isinstance(kind, inspect.IntType | inspect.FloatType):
        return _number(kind)
    if isinstance(kind, inspect.BoolType):
        return Sentence("settings.true_or_false")
    if isinstance(kind, inspect.UnionType):
        return _either([allowed(part) for part in kind.types])
    if isinstance(kind, inspect.VarTupleType):
        return Sentence("settings.list_of", items=allowed(kind.item_type))
    if isinstance(kind, inspect.StructType):
        return Sentence("settings.inline_table", fields=separated(map(_field, kind.fields)))
    return Sentence("settings.text_in_quotes")


def did_you_mean(word: str, known: Iterable[str]) -> Sentence:
    """A remedy for an unknown word: the nearest known one, or all of them."""
    names = list(known)
    near = get_close_matches(word.lower(), names, n=1)
    if near:
        return Sentence("settings.did_you_mean", word=near[0])
    return Sentence("settings.known_are", words=", ".join(names))


def _number(kind: inspect.IntType | inspect.FloatType) -> Sentence:
    is_whole = isinstance(kind, inspect.IntType)
    if kind.ge is None or kind.le is None:
        return Sentence("settings.whole_number") if is_whole else Sentence("settings.number")
    if is_whole:
        return Sentence("settings.whole_number_within", least=kind.ge, most=kind.le)
    return Sentence("settings.number_within", least=kind.ge, most=kind.le)


def _either(choices: list[Sentence]) -> Sentence:
    return reduce(lambda before, one: Sentence("settings.either", before=before, next=one), choices)


def _field(field: Any) -> Sentence:
    return Sentence("settings.field", name=field.name, value=allowed(field.type))
