"""JSON from outside, read without leniency: every pitfall is one sentence and no other exception."""

import json
from collections.abc import Iterator
from math import isfinite
from typing import NoReturn

from pi_controller.protocol.errors import Malformed

DEEPEST = 16
"""Levels of lists and objects; the deepest command (undo, replace, body, sheet, resources) needs six."""
LARGEST_INT = 2**53 - 1
"""Beyond it a JavaScript client reads another number than was meant (RFC 8259, section 6)."""
LONGEST_KEY = 40


def decode(raw: bytes) -> object:
    """The JSON value in `raw`. Malformed on anything that two readers could understand differently."""
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_pairs, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Malformed(f"the text is not UTF-8: byte {error.start} does not belong there") from error
    except RecursionError as error:
        raise Malformed(f"the JSON is nested deeper than {DEEPEST} levels") from error
    except json.JSONDecodeError as error:
        raise Malformed(f"this is not JSON: {error.msg} at character {error.pos}") from error
    except Malformed:
        raise
    except ValueError as error:  # CPython limits the digits of an int (sys.set_int_max_str_digits)
        raise Malformed(f"a number has too many digits; the largest is {LARGEST_INT}") from error
    check_values(value)
    return value


def check_values(value: object) -> None:
    """Malformed when a value, however deep, is one that JSON does not carry safely."""
    level: list[object] = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _parts(outer)]
        if not level:
            return
    raise Malformed(f"the JSON is nested deeper than {DEEPEST} levels")


def shown(value: object) -> str:
    """The value as it may stand in a sentence: short, in ASCII."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        return json.dumps(value if len(value) <= LONGEST_KEY else value[:LONGEST_KEY] + "…")
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    return f"a {type(value).__name__}"


def _parts(value: object) -> Iterator[object]:
    """What lies one level deeper; the value itself is checked on the way."""
    if isinstance(value, dict):
        for key in value:
            _check_key(key)
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif isinstance(value, str):
        _check_text(value)
    elif isinstance(value, float):
        if not isfinite(value):
            raise Malformed("a number is not finite; NaN and infinity are not JSON")
    elif isinstance(value, int):
        if abs(value) > LARGEST_INT:
            raise Malformed(f"a number is too large; the largest is {LARGEST_INT}")
    elif value is not None:
        raise Malformed(f"{shown(value)} is not a JSON value")


def _check_key(key: object) -> None:
    if not isinstance(key, str) or not key.isascii() or not key.isidentifier() or len(key) > LONGEST_KEY:
        raise Malformed(f'{shown(key)} is not a key that is used here; keys are plain words such as "board"')


def _check_text(text: str) -> None:
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise Malformed(f"{shown(text)} holds half of a surrogate pair, which is no character")


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(f"{shown(twice)} is given twice in one object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(f"{name} is not a JSON number")
