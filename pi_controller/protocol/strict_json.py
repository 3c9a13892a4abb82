"""JSON from outside, read without leniency: every pitfall is one sentence and no other exception."""

import json
import re
from collections.abc import Container, Iterable, Iterator
from math import isfinite
from typing import Any, NoReturn

import msgspec
from msgspec import inspect

from pi_controller.protocol.errors import Malformed

DEEPEST = 16
"""Levels of lists and objects; the deepest command (undo, replace, body, sheet, resources) needs six."""
LARGEST_INT = 2**53 - 1
"""Beyond it a JavaScript client reads another number than was meant (RFC 8259, section 6)."""
LONGEST_KEY = 40

_KINDS: dict[type[inspect.Type], tuple[str, tuple[type, ...]]] = {
    inspect.IntType: ("a whole number", (int,)),
    inspect.FloatType: ("a number", (int, float)),
    inspect.StrType: ("a text", (str,)),
    inspect.BoolType: ("true or false", (bool,)),
    inspect.NoneType: ("null", (type(None),)),
    inspect.StructType: ("an object", (dict,)),
    inspect.DictType: ("an object", (dict,)),
    inspect.VarTupleType: ("a list", (list, tuple)),
    inspect.ListType: ("a list", (list, tuple)),
    inspect.AnyType: ("a JSON value", (object,)),
}
"""What a JSON value of this type is called, and what it is in Python."""


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


def read_as(value: object, expected: Any) -> Any:
    """This JSON value as that type. Malformed with the first mistake: which place, what stands there, what is
    expected; a type that checks itself gives the sentence of its ValueError."""
    try:
        return msgspec.convert(value, expected, strict=True)
    except msgspec.ValidationError as error:
        mistakes = _mistakes(inspect.type_info(expected), value, "")
        raise Malformed(next(mistakes, "the body is not what is expected here")) from error


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


def _mistakes(node: inspect.Type, value: Any, path: str) -> Iterator[str]:
    """Sentences on what is wrong with the value at this path, the parts of it before itself."""
    here = _alternative(node, value)
    if not _fits(here, value):
        yield f"{f'`{path}`' if path else 'the body'} must be {_in_words(node)}, not {shown(value)}"
    elif isinstance(here, inspect.StructType):
        yield from _in_object(here, value, path, _tags(node))
    elif isinstance(here, inspect.ListType | inspect.VarTupleType):
        for index, item in enumerate(value):
            yield from _mistakes(here.item_type, item, f"{path}[{index}]")


def _in_object(node: inspect.StructType, value: Any, path: str, tags: inspect.Type) -> Iterator[str]:
    types = {field.encode_name: field.type for field in node.fields}
    within = f"{path}." if path else ""
    if node.tag_field is not None:
        types[node.tag_field] = tags
        yield from _missing([node.tag_field], value, types, within)
    for name, part in value.items():
        if name in types:
            yield from _mistakes(types[name], part, within + name)
        elif node.forbid_unknown_fields:
            known = ", ".join(f"`{field.encode_name}`" for field in node.fields)
            expected = f"known here: {known}" if known else "nothing is expected here"
            yield f"`{within}{name}` is not known; {expected}"
    yield from _missing([field.encode_name for field in node.fields if field.required], value, types, within)
    try:
        msgspec.convert(value, node.cls, strict=True)
    except msgspec.ValidationError as error:
        sentence = error.__cause__ or "this is not what is expected here"
        yield f"at `{path}`: {sentence}" if path else str(sentence)


def _missing(
    needed: Iterable[str], value: Container[str], types: dict[str, inspect.Type], within: str
) -> Iterator[str]:
    for name in needed:
        if name not in value:
            yield f"`{within}{name}` is missing; it must be {_in_words(types[name])}"


def _fits(node: Any, value: Any) -> bool:
    """Whether the value itself is of this type; what lies within it is not looked at."""
    if isinstance(node, inspect.LiteralType):
        return value in node.values
    classes = _KINDS[type(node)][1]
    if not issubclass(type(value), classes) or (type(value) is bool and not {bool, object} & {*classes}):
        return False
    if isinstance(node, inspect.IntType | inspect.FloatType):
        not_too_low = (node.ge is None or value >= node.ge) and (node.gt is None or value > node.gt)
        return not_too_low and (node.le is None or value <= node.le)
    if isinstance(node, inspect.StrType):
        fits = (node.min_length or 0) <= len(value) <= (node.max_length or len(value))
        return fits and (node.pattern is None or re.search(node.pattern, value) is not None)
    return True


def _alternative(node: inspect.Type, value: Any) -> inspect.Type:
    """Of several types the one that is meant: the object that the tag names, or the first that fits."""
    if isinstance(node, inspect.Metadata):
        return _alternative(node.type, value)
    if not isinstance(node, inspect.UnionType):
        return node
    said = value if isinstance(value, dict) else {}
    tagged = [part for part in node.types if isinstance(part, inspect.StructType) and part.tag_field]
    named = [part for part in tagged if said.get(str(part.tag_field)) == part.tag]
    fitting = [part for part in node.types if _fits(part, value)]
    return [*named, *fitting, node.types[0]][0]


def _tags(node: inspect.Type) -> inspect.LiteralType:
    """What may stand in the field that tells several kinds of object apart."""
    kinds = node.types if isinstance(node, inspect.UnionType) else (node,)
    return inspect.LiteralType(tuple(str(kind.tag) for kind in kinds if isinstance(kind, inspect.StructType)))


def _in_words(node: inspect.Type) -> str:
    """What a value of this type is called in a sentence."""
    choices = [*dict.fromkeys(_choices(node))]
    return choices[0] if len(choices) == 1 else ", ".join(choices[:-1]) + " or " + choices[-1]


def _choices(node: inspect.Type) -> list[str]:
    if isinstance(node, inspect.UnionType):
        return [choice for part in node.types for choice in _choices(part)]
    if isinstance(node, inspect.LiteralType):
        return [shown(choice) for choice in sorted(node.values, key=str)]
    if isinstance(node, inspect.Metadata):
        return _choices(node.type)
    if isinstance(node, inspect.StrType) and node.pattern is not None:
        return [f"a text of the form {node.pattern}"]
    if isinstance(node, inspect.IntType | inspect.FloatType):
        return [_KINDS[type(node)][0] + _range(node)]
    return [_KINDS[type(node)][0]]


def _range(node: inspect.IntType | inspect.FloatType) -> str:
    if node.ge is not None and node.le is not None:
        return f" from {node.ge} to {node.le}"
    return "" if node.ge is None else f" from {node.ge} on"
