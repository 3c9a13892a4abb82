"""A reader's complaint as a sentence: which place, what stands there, what is expected."""

import re
from typing import Any

import msgspec
from msgspec import inspect

from pi_controller.protocol.strict_json import shown

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
    inspect.AnyType: "a JSON value",
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
        node, here = _inside(node, name, here), here[name or int(index)]
    if complaint.startswith("Object missing required field"):
        return _missing(complaint, path, node, here)
    if complaint.startswith("Object contains unknown field"):
        return _unknown(complaint, path, node, here)
    if complaint.startswith(("Expected ", "Invalid enum value", "Invalid value", "Number out of range")):
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
    if isinstance(node, inspect.StrType) and node.pattern is not None:
        return [f"a text of the form {node.pattern}"]
    if isinstance(node, inspect.IntType | inspect.FloatType):
        return [_WORDS[type(node)] + _range(node)]
    return [_WORDS[type(node)]]


def _range(node: inspect.IntType | inspect.FloatType) -> str:
    if node.ge is not None and node.le is not None:
        return f" from {node.ge} to {node.le}"
    return "" if node.ge is None else f" from {node.ge} on"


def _missing(complaint: str, path: str, node: inspect.Type, value: Any) -> str:
    name = complaint.split("`")[1]
    return f"`{_joined(path, name)}` is missing; it must be {in_words(_inside(node, name, value))}"


def _unknown(complaint: str, path: str, node: inspect.Type, value: Any) -> str:
    name = complaint.split("`")[1]
    known = ", ".join(f"`{field.encode_name}`" for field in _plain(node, value).fields)
    return f"`{_joined(path, name)}` is not known; " + (
        f"known here: {known}" if known else "nothing is expected here"
    )


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _plain(node: inspect.Type, value: Any) -> Any:
    """The node itself, or of an optional one what it is when it is there; of several kinds of object the one
    that the value's tag names, otherwise the first."""
    if not isinstance(node, inspect.UnionType):
        return node
    parts = [part for part in node.types if not isinstance(part, inspect.NoneType)]
    tagged = [part for part in parts if isinstance(part, inspect.StructType) and part.tag_field is not None]
    said = value if isinstance(value, dict) else {}
    return next((part for part in tagged if said.get(str(part.tag_field)) == part.tag), parts[0])


def _inside(node: inspect.Type, name: str, value: Any) -> inspect.Type:
    """The type of the field of this name, or of the items of a list."""
    plain = _plain(node, value)
    found: inspect.Type
    if not name:
        found = plain.item_type
    elif name == plain.tag_field:
        kinds = node.types if isinstance(node, inspect.UnionType) else (node,)
        found = inspect.LiteralType(
            tuple(str(kind.tag) for kind in kinds if isinstance(kind, inspect.StructType))
        )
    else:
        found = next(field.type for field in plain.fields if field.encode_name == name)
    return found
