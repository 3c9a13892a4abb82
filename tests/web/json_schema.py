"""As much of JSON Schema 2020-12 as the published description uses; an unknown word is an error."""

import re
from collections.abc import Iterator
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
ANNOTATIONS = {"title", "description", "default", "contentEncoding"}
HANDLED = {
    "$ref", "type", "enum", "const", "anyOf", "properties", "required", "additionalProperties", "items",
    "prefixItems", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength",
    "pattern",
}  # fmt: skip


def problems(value: Any, schema: dict[str, Any], document: dict[str, Any], place: str = "$") -> list[str]:
    """What is wrong with the value; empty when it is as described."""
    return list(_problems(value, schema, document, place))


def _problems(value: Any, schema: dict[str, Any], document: dict[str, Any], place: str) -> Iterator[str]:
    unknown = set(schema) - HANDLED - ANNOTATIONS
    assert not unknown, f"{place}: the checker does not know {unknown}"
    if "$ref" in schema:
        yield from _problems(value, found(document, schema["$ref"]), document, place)
    if "anyOf" in schema and all(problems(value, each, document, place) for each in schema["anyOf"]):
        yield f"{place}: {value!r} is none of the choices"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is not one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r} is not {schema['const']!r}"
    if "type" in schema and not _has_type(value, schema["type"]):
        yield f"{place}: {value!r} is no {schema['type']}"
        return
    yield from _scalar(value, schema, place)
    if isinstance(value, dict):
        yield from _object(value, schema, document, place)
    if isinstance(value, list):
        yield from _array(value, schema, document, place)


def found(document: dict[str, Any], reference: str) -> dict[str, Any]:
    """What a `#/…` reference points to; a KeyError when it points nowhere."""
    node: Any = document
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    assert isinstance(node, dict)
    return node


def _has_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _scalar(value: Any, schema: dict[str, Any], place: str) -> Iterator[str]:
    if isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            yield f"{place}: the length of {value!r}"
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{place}: {value!r} does not match {schema['pattern']}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            yield f"{place}: {value} is out of range"
        if value <= schema.get("exclusiveMinimum", value - 1):
            yield f"{place}: {value} is too small"


def _object(
    value: dict[str, Any], schema: dict[str, Any], document: dict[str, Any], place: str
) -> Iterator[str]:
    known = schema.get("properties", {})
    yield from (f"{place}: {name} is missing" for name in schema.get("required", ()) if name not in value)
    if schema.get("additionalProperties") is False:
        yield from (f"{place}: {name} is not known" for name in value if name not in known)
    for name in known.keys() & value.keys():
        yield from _problems(value[name], known[name], document, f"{place}.{name}")


def _array(value: list[Any], schema: dict[str, Any], document: dict[str, Any], place: str) -> Iterator[str]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{place}: {len(value)} items"
    first = schema.get("prefixItems", [])
    for number, item in enumerate(value):
        each = first[number] if number < len(first) else schema.get("items")
        if each is False:
            yield f"{place}[{number}]: one item too many"
        elif each is not None:
            yield from _problems(item, each, document, f"{place}[{number}]")
