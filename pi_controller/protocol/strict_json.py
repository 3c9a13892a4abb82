"""JSON from outside, read without leniency: every pitfall is one sentence and no other exception."""

import json
import re
from collections.abc import Container, Iterable, Iterator
from math import isfinite
from typing import Any, NoReturn

import msgspec
from msgspec import inspect

from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence, as_told, listed, said_by

DEEPEST = 16
"""Levels of lists and objects; the deepest command (undo, replace, body, sheet, resources) needs six."""
LARGEST_INT = 2**53 - 1
"""Beyond it a JavaScript client reads another number than was meant (RFC 8259, section 6)."""
LONGEST_KEY = 40

OBJECT = Sentence("request.object")
LIST = Sentence("request.list")
NUMBER = Sentence("request.number")
WHOLE_NUMBER = Sentence("request.whole_number")
_KINDS: dict[type[inspect.Type], tuple[Sentence, tuple[type, ...]]] = {
    inspect.IntType: (WHOLE_NUMBER, (int,)),
    inspect.FloatType: (NUMBER, (int, float)),
    inspect.StrType: (Sentence("request.text"), (str,)),
    inspect.BoolType: (Sentence("request.true_or_false"), (bool,)),
    inspect.NoneType: (as_told("null"), (type(None),)),
    inspect.StructType: (OBJECT, (dict,)),
    inspect.DictType: (OBJECT, (dict,)),
    inspect.VarTupleType: (LIST, (list, tuple)),
    inspect.ListType: (LIST, (list, tuple)),
    inspect.TupleType: (LIST, (list, tuple)),
    inspect.BytesType: (Sentence("request.text"), (str,)),
    inspect.AnyType: (Sentence("request.json_value"), (object,)),
}
"""What a JSON value of this type is called, and what it is in Python."""


def decode(raw: bytes) -> object:
    """The JSON value in `raw`. Malformed on anything that two readers could understand differently."""
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_pairs, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Malformed(Sentence("request.not_utf8", place=error.start)) from error
    except RecursionError as error:
        raise Malformed(Sentence("request.too_deep", most=DEEPEST)) from error
    except json.JSONDecodeError as error:
        raise Malformed(Sentence("request.not_json", why=error.msg, place=error.pos)) from error
    except Malformed:
        raise
    except ValueError as error:  # CPython limits the digits of an int (sys.set_int_max_str_digits)
        raise Malformed(Sentence("request.too_many_digits", largest=LARGEST_INT)) from error
    check_values(value)
    return value


def check_values(value: object) -> None:
    """Malformed when a value, however deep, is one that JSON does not carry safely."""
    level: list[object] = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _parts(outer)]
        if not level:
            return
    raise Malformed(Sentence("request.too_deep", most=DEEPEST))


def read_as(value: object, expected: Any) -> Any:
    """This JSON value as that type. Malformed with the first mistake: which place, what stands there, what is
    expected; a type that checks itself gives the sentence of its ValueError."""
    try:
        return msgspec.convert(value, expected, strict=True)
    except msgspec.ValidationError as error:
        mistakes = _mistakes(inspect.type_info(expected), value, "")
        raise Malformed(next(mistakes, Sentence("request.body_not_expected"))) from error


def shown(value: object) -> Sentence:
    """The value as it may stand in a sentence: short, in ASCII."""
    if isinstance(value, dict):
        return OBJECT
    if isinstance(value, list | tuple):
        return LIST
    if isinstance(value, str):
        return as_told(json.dumps(value if len(value) <= LONGEST_KEY else value[:LONGEST_KEY] + "…"))
    if value is None or isinstance(value, bool | int | float):
        return as_told(json.dumps(value))
    return Sentence("request.of_type", name=type(value).__name__)


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
            raise Malformed(Sentence("request.not_finite"))
    elif isinstance(value, int):
        if abs(value) > LARGEST_INT:
            raise Malformed(Sentence("request.too_large", largest=LARGEST_INT))
    elif value is not None:
        raise Malformed(Sentence("request.no_json_value", value=shown(value)))


def _check_key(key: object) -> None:
    if not isinstance(key, str) or not key.isascii() or not key.isidentifier() or len(key) > LONGEST_KEY:
        raise Malformed(Sentence("request.no_key", value=shown(key)))


def _check_text(text: str) -> None:
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise Malformed(Sentence("request.half_a_character", value=shown(text)))


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(Sentence("request.given_twice", name=shown(twice)))
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(Sentence("request.no_json_number", name=name))


def _mistakes(node: inspect.Type, value: Any, path: str) -> Iterator[Sentence]:
    """Sentences on what is wrong with the value at this path, the parts of it before itself."""
    here = _alternative(node, value)
    if not _fits(here, value):
        place = as_told(f"`{path}`") if path else Sentence("request.body")
        yield Sentence("request.wrong", place=place, expected=_in_words(node), value=shown(value))
    elif isinstance(here, inspect.StructType):
        yield from _in_object(here, value, path, _tags(node))
    elif isinstance(here, inspect.ListType | inspect.VarTupleType):
        for index, item in enumerate(value):
            yield from _mistakes(here.item_type, item, f"{path}[{index}]")
    elif isinstance(here, inspect.TupleType):
        for index, (item_type, item) in enumerate(zip(here.item_types, value, strict=False)):
            yield from _mistakes(item_type, item, f"{path}[{index}]")
    elif isinstance(here, inspect.DictType):
        for name, item in value.items():
            yield from _mistakes(here.value_type, item, f"{path}.{name}" if path else name)


def _in_object(node: inspect.StructType, value: Any, path: str, tags: inspect.Type) -> Iterator[Sentence]:
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
            yield (
                Sentence("request.unknown_field", name=within + name, known=known)
                if known
                else Sentence("request.field_where_none_is", name=within + name)
            )
    yield from _missing([field.encode_name for field in node.fields if field.required], value, types, within)
    try:
        msgspec.convert(value, node.cls, strict=True)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        problem = said_by(cause) if isinstance(cause, Exception) else Sentence("request.not_expected")
        yield Sentence("request.at_place", path=path, problem=problem) if path else problem


def _missing(
    needed: Iterable[str], value: Container[str], types: dict[str, inspect.Type], within: str
) -> Iterator[Sentence]:
    for name in needed:
        if name not in value:
            yield Sentence("request.field_missing", name=within + name, expected=_in_words(types[name]))


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


def _in_words(node: inspect.Type) -> Sentence:
    """What a value of this type is called in a sentence."""
    *before, last = dict.fromkeys(_choices(node))
    return Sentence("list.or", before=listed(before), next=last) if before else last


def _choices(node: inspect.Type) -> list[Sentence]:
    if isinstance(node, inspect.UnionType):
        return [choice for part in node.types for choice in _choices(part)]
    if isinstance(node, inspect.LiteralType):
        return [shown(choice) for choice in sorted(node.values, key=str)]
    if isinstance(node, inspect.Metadata):
        return _choices(node.type)
    if isinstance(node, inspect.StrType) and node.pattern is not None:
        return [Sentence("request.text_of_form", form=node.pattern)]
    kind = _KINDS[type(node)][0]
    if isinstance(node, inspect.IntType | inspect.FloatType) and node.ge is not None:
        if node.le is None:
            return [Sentence("request.from", kind=kind, least=node.ge)]
        return [Sentence("request.from_to", kind=kind, least=node.ge, most=node.le)]
    return [kind]
