"""A reader's complaint as a sentence: which place, what stands there, what is expected."""

import re
from typing import Any

import msgspec
from msgspec import inspect

from pi_controller.control.strict_json import shown

_PLACE = re.compile(r"(?P<complaint>.*) - at `\$(?P<path>.*)`", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
_WORDS: dict[type[inspect.Type], str] = {
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.StrType: "a text",
    inspect.BoolType: "true or false",
    inspect.NoneType: "null",
    inspect.StructType: "an object",
    inspect.DictType: "an object",
    inspect.VarTupleType: "a list",
    inspect.ListType: "a list",
}


def explain(error: msgspec.ValidationError, value: object, expected: Any) -> str:
    """The sentence for what msgspec found when it read `value` as `expected`."""
    found = _PLACE.fullmatch(str(error))
    complaint, steps = (found["complaint"], found["path"]) if found else (str(error), "")
    path = steps.removeprefix(".")
    place = f"`{path}`" if path else "the body"
    node = inspect.type_info(expected)
    here: Any = value
    for name, index in _STEP.findall(steps):
        node, here = _inside(node, name), here[name or int(index)]
    if complaint.startswith("Object missing required field"):
        return _missing(complaint, path, node)
    if complaint.startswith("Object contains unknown field"):
        return _unknown(complaint, path, node)
    if complaint.startswith(("Expected ", "Invalid enum value", "Number out of range")):
        return f"{place} must be {in_words(node)}, not {shown(here)}"
    return f"at `{path}`: {complaint}" if path else complaint


def in_words(node: inspect.Type) -> str:
    """What a value of this type is called in a sentence."""
    choices = _choices(node)
    return choices[0] if len(choices) == 1 else ", ".join(choices[:-1]) + " or " + choices[-1]


def _choices(node: inspect.Type) -> list[str]:
    if isinstance(node, inspect.UnionType):
        return [choice for part in node.types for choice in _choices(part)]
    if isinstance(node, inspect.LiteralType):
        return [shown(choice) for choice in sorted(node.values, key=str)]
    if isinstance(node, inspect.Metadata):
        return _choices(node.type)
    return [_WORDS[type(node)]]


def _missing(complaint: str, path: str, node: inspect.Type) -> str:
    name = complaint.split("`")[1]
    return f"`{_joined(path, name)}` is missing; it must be {in_words(_inside(node, name))}"


def _unknown(complaint: str, path: str, node: inspect.Type) -> str:
    name = complaint.split("`")[1]
    known = ", ".join(f"`{field.encode_name}`" for field in _plain(node).fields)
    return f"`{_joined(path, name)}` is not known; " + (
        f"known here: {known}" if known else "nothing is expected here"
    )


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _plain(node: inspect.Type) -> Any:
    """The node itself, or of an optional one what it is when it is there."""
    if isinstance(node, inspect.UnionType):
        return next(part for part in node.types if not isinstance(part, inspect.NoneType))
    return node


def _inside(node: inspect.Type, name: str) -> inspect.Type:
    """The type of the field of this name, or of the items of a list."""
    plain = _plain(node)
    found: inspect.Type
    if name:
        found = next(field.type for field in plain.fields if field.encode_name == name)
    else:
        found = plain.item_type
    return found
