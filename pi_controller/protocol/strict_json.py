"""JSON from outside, read without leniency: every pitfall is one sentence and no other exception."""

import json
import re
from math import isfinite
from typing import Any, NoReturn

import msgspec
from msgspec import inspect

from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence, as_told, one_of, sentence_of

DEEPEST = 16
"""Levels of lists and objects; the deepest command (undo, replace, body, sheet, resources) needs six."""
LARGEST_INT = 2**53 - 1
"""Beyond it a JavaScript client reads another number than was meant (RFC 8259, section 6)."""
LONGEST_KEY = 40

OBJECT = Sentence("request.object")
LIST = Sentence("request.list")
_KINDS: dict[type[inspect.Type], Sentence] = {
    inspect.IntType: Sentence("request.whole_number"),
    inspect.FloatType: Sentence("request.number"),
    inspect.StrType: Sentence("request.text"),
    inspect.BoolType: Sentence("request.true_or_false"),
    inspect.NoneType: as_told("null"),
    inspect.StructType: OBJECT,
    inspect.DictType: OBJECT,
    inspect.VarTupleType: LIST,
    inspect.ListType: LIST,
    inspect.TupleType: LIST,
    inspect.BytesType: Sentence("request.text"),
    inspect.AnyType: Sentence("request.json_value"),
}
"""What a JSON value of this type is called."""
_KEY = re.compile(rf"[A-Za-z_][A-Za-z0-9_]{{0,{LONGEST_KEY - 1}}}")
_HALF = re.compile(r"[\ud800-\udfff]")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
"""From a value to a part of it, as msgspec writes it: a field, an item, or a value of a dictionary."""
_PLACED = re.compile(r"(.*) - at `\$([^`]*)`", re.DOTALL)
_FIELD = re.compile(r"(?:Object) .*field `(.+)`")


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
    level = [value]
    for _ in range(DEEPEST):
        inner: list[object] = []
        for each in level:
            if isinstance(each, dict):
                if odd := [key for key in each if not (isinstance(key, str) and _KEY.fullmatch(key))]:
                    raise Malformed(Sentence("request.no_key", value=shown(odd[0])))
                inner += each.values()
            elif isinstance(each, list | tuple):
                inner += each
            else:
                _check_plain(each)
        if not inner:
            return
        level = inner
    raise Malformed(Sentence("request.too_deep", most=DEEPEST))


def _check_plain(value: object) -> None:
    """One that is neither an object nor a list."""
    if isinstance(value, str):
        if _HALF.search(value):
            raise Malformed(Sentence("request.half_a_character", value=shown(value)))
    elif isinstance(value, float):
        if not isfinite(value):
            raise Malformed(Sentence("request.not_finite"))
    elif isinstance(value, int):
        if abs(value) > LARGEST_INT:
            raise Malformed(Sentence("request.too_large", largest=LARGEST_INT))
    elif value is not None:
        raise Malformed(Sentence("request.no_json_value", value=shown(value)))


def read_as(value: object, expected: Any) -> Any:
    """This JSON value as that type. Malformed with the first mistake: which place, what stands there, what is
    expected; a type that checks itself gives the sentence of its ValueError."""
    try:
        return msgspec.convert(value, expected, strict=True)
    except msgspec.ValidationError as error:
        raise Malformed(_mistake(error, inspect.type_info(expected), value)) from error


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


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(Sentence("request.given_twice", name=shown(twice)))
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(Sentence("request.no_json_number", name=name))


def _mistake(error: msgspec.ValidationError, node: inspect.Type, value: Any) -> Sentence:
    """What msgspec found first in this value of this type, as a sentence. The error names the place; what
    stands there and what is expected is looked up."""
    message, path = str(error), ""
    placed = _PLACED.fullmatch(message)
    message, place = (message, "") if placed is None else placed.groups()
    for name, index in _STEP.findall(place):
        here = _meant(node, value)
        if isinstance(here, inspect.StructType):
            node, value, path = (
                _field_types(here, node)[name],
                value[name],
                f"{path}.{name}" if path else name,
            )
        elif isinstance(here, inspect.ListType | inspect.VarTupleType | inspect.TupleType):
            node = here.item_types[int(index)] if isinstance(here, inspect.TupleType) else here.item_type
            value, path = value[int(index)], f"{path}[{index}]"
        else:
            break  # in a dictionary, of which msgspec does not name the key
    else:
        here = _meant(node, value)
        if isinstance(error.__cause__, Exception):
            problem = sentence_of(error.__cause__)
            return Sentence("request.at_place", path=path, problem=problem) if path else problem
        if isinstance(here, inspect.StructType) and (field := _FIELD.fullmatch(message)):
            return _wrong_field(here, node, field[1], f"{path}." if path else "")
        if _KINDS.get(type(here)) != LIST or not isinstance(value, list | tuple):
            where = as_told(f"`{path}`") if path else Sentence("request.body")
            return Sentence("request.wrong", place=where, expected=_in_words(node), value=shown(value))
    if not path:
        return Sentence("request.body_not_expected")
    return Sentence("request.at_place", path=path, problem=Sentence("request.not_expected"))


def _wrong_field(here: inspect.StructType, node: inspect.Type, name: str, within: str) -> Sentence:
    """The field is needed and not there, or is none of these."""
    types = _field_types(here, node)
    if name in types:
        return Sentence("request.field_missing", name=within + name, expected=_in_words(types[name]))
    known = ", ".join(f"`{field.encode_name}`" for field in here.fields)
    if known:
        return Sentence("request.unknown_field", name=within + name, known=known)
    return Sentence("request.field_where_none_is", name=within + name)


def _field_types(here: inspect.StructType, node: inspect.Type) -> dict[str, inspect.Type]:
    """Those of an object, of which `node` may allow several kinds."""
    types = {field.encode_name: field.type for field in here.fields}
    return types if here.tag_field is None else types | {here.tag_field: _tags(node)}


def _meant(node: inspect.Type, value: object) -> inspect.Type:
    """Of several types the one whose parts a value may have: the object that its tag names, or the first."""
    if isinstance(node, inspect.Metadata):
        return _meant(node.type, value)
    kinds = node.types if isinstance(node, inspect.UnionType) else (node,)
    if isinstance(value, dict):
        objects = [kind for kind in kinds if isinstance(kind, inspect.StructType)]
        named = [kind for kind in objects if kind.tag_field and value.get(kind.tag_field) == kind.tag]
        return [*named, *objects, *kinds][0]
    return next((kind for kind in kinds if _KINDS.get(type(kind)) == shown(value)), kinds[0])


def _tags(node: inspect.Type) -> inspect.LiteralType:
    """What may stand in the field that tells several kinds of object apart."""
    kinds = node.types if isinstance(node, inspect.UnionType) else (node,)
    return inspect.LiteralType(tuple(str(kind.tag) for kind in kinds if isinstance(kind, inspect.StructType)))


def _in_words(node: inspect.Type) -> Sentence:
    """What a value of this type is called in a sentence."""
    return one_of(dict.fromkeys(_choices(node)))


def _choices(node: inspect.Type) -> list[Sentence]:
    if isinstance(node, inspect.UnionType):
        return [choice for part in node.types for choice in _choices(part)]
    if isinstance(node, inspect.LiteralType):
        return [shown(choice) for choice in sorted(node.values, key=str)]
    if isinstance(node, inspect.Metadata):
        return _choices(node.type)
    if isinstance(node, inspect.StrType) and node.pattern is not None:
        return [Sentence("request.text_of_form", form=node.pattern)]
    kind = _KINDS[type(node)]
    if isinstance(node, inspect.IntType | inspect.FloatType) and node.ge is not None:
        if node.le is None:
            return [Sentence("request.from", kind=kind, least=node.ge)]
        return [Sentence("request.from_to", kind=kind, least=node.ge, most=node.le)]
    return [kind]
