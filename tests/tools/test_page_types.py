"""The types of the pages' messages: how a schema and a page become TypeScript."""

import pytest

from tools.page_types import expression, namespace, parts


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "integer", "minimum": 0}, "number"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"enum": ["moon", "sun"]}, '"moon" | "sun"'),
        ({"const": True, "type": "boolean"}, "true"),
        ({"$ref": "#/$defs/Row"}, "Row"),
        ({"type": "array", "items": {"$ref": "#/$defs/Row"}}, "Row[]"),
        ({"type": "array", "items": {"enum": [1, 2]}}, "(1 | 2)[]"),
        ({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]}, "[number, string]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
        ({}, "unknown"),
    ],
)
def test_a_schema_becomes_a_type(schema: dict[str, object], type_: str) -> None:
    assert expression(schema) == type_


def test_what_a_page_sends_may_lack_what_has_a_default_and_what_it_hears_lacks_nothing() -> None:
    fields = {"properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a"]}
    heard, sent = {"Heard": fields}, {"Sent": {**fields, "additionalProperties": False}}
    assert namespace("Api", heard)[1:-1] == ["  type Heard = {", "    a: string;", "    b: number;", "  };"]
    assert namespace("Api", sent)[1:-1] == ["  type Sent = {", "    a: string;", "    b?: number;", "  };"]


def test_commands_are_fields_of_one_type() -> None:
    lines = namespace("Api", {"picture": {"$ref": "#/x/P"}, "commands.end": {"$ref": "#/x/EndBody"}})
    assert lines[1:-1] == ["  type Commands = {", "    end: EndBody;", "  };"]


def test_the_parts_of_all_pages_have_the_kinds_of_their_elements() -> None:
    lines = parts(['<button data-is="go"></button><p data-is="note">', '<ul data-is="go"></ul>'], [])
    assert lines[2:-1] == ['  "go": HTMLButtonElement | HTMLElement;', '  "note": HTMLElement;']


def test_the_parts_of_templates_have_them_too() -> None:
    script = 'if (a <b) html`<p>${x}</p><input @input=${(e) => f(e)} data-is="text"><p data-is=${name}></p>`'
    assert parts([], [script])[2:-1] == ['  "text": HTMLInputElement;']
