"""Values as TOML text; the standard library only reads TOML."""

import json
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

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
