import json
from contextlib import suppress
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.strict_json import decode, read_as


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"\xff", "The text is not UTF-8: byte 0 does not belong there."),
        (b"[1,", "This is not JSON: Expecting value at character 3."),
        (b"", "This is not JSON: Expecting value at character 0."),
        (b'{"a": NaN}', "NaN is not a JSON number."),
        (b"-Infinity", "-Infinity is not a JSON number."),
        (b"1e999", "A number is not finite; NaN and infinity are not JSON."),
        (b"9007199254740992", "A number is too large; the largest is 9007199254740991."),
        (b"9" * 5000, "A number has too many digits; the largest is 9007199254740991."),
        (b'{"a": 1, "b": 2, "a": 3}', '"a" is given twice in one object.'),
        (b'"\\ud800"', r'"\ud800" contains half of a surrogate pair, which is not a character.'),
        (b"[" * 100_000, "The JSON is nested deeper than 16 levels."),
        (b"[" * 17 + b"]" * 17, "The JSON is nested deeper than 16 levels."),
        (b'{"a b": 1}', '"a b" is not a key that is used here; keys are plain words such as "board".'),
    ],
)
def test_a_pitfall_is_one_sentence(raw: bytes, sentence: str) -> None:
    with pytest.raises(Malformed) as caught:
        decode(raw)
    assert str(caught.value) == sentence


def test_what_is_plain_comes_through() -> None:
    raw = '{"a": [1, -2.5, null, true, "Zoë 🎲"], "b": {"c": 9007199254740991}}'
    assert decode(raw.encode()) == json.loads(raw)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with suppress(Malformed):
        decode(raw)


class Small(Struct, tag="small", tag_field="kind", forbid_unknown_fields=True):
    sizes: list[Annotated[float, Meta(gt=0, le=9)]]
    name: Annotated[str, Meta(min_length=1)] = "x"

    def __post_init__(self) -> None:
        if len(self.sizes) > 2:
            raise ValueError("there are at most two sizes")


class Large(Struct, tag="large", tag_field="kind"):
    inner: Small | None = None


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "The body must be an object, not a list."),
        ({}, '`kind` is missing; it must be "large" or "small".'),
        ({"kind": "tiny"}, '`kind` must be "large" or "small", not "tiny".'),
        ({"kind": "small"}, "`sizes` is missing; it must be a list."),
        ({"kind": "small", "sizes": [1, 0]}, "`sizes[1]` must be a number, not 0."),
        ({"kind": "small", "sizes": [True]}, "`sizes[0]` must be a number, not true."),
        ({"kind": "small", "sizes": [], "name": ""}, '`name` must be a text, not "".'),
        ({"kind": "small", "sizes": [], "age": 1}, "`age` is not known; known here: `sizes`, `name`."),
        ({"kind": "small", "sizes": [1, 2, 3]}, "there are at most two sizes"),
        ({"kind": "large", "inner": 1}, "`inner` must be an object or null, not 1."),
        ({"kind": "large", "inner": {"kind": "small", "sizes": [1, 2, 3]}}, "At `inner`: there are at most two sizes"),
    ],
)  # fmt: skip
def test_a_wrong_structure_is_one_sentence_with_its_place(value: object, sentence: str) -> None:
    with pytest.raises(Malformed) as caught:
        read_as(value, Small | Large)
    assert str(caught.value) == sentence


def test_a_right_structure_is_read() -> None:
    value = {"kind": "large", "age": 1, "inner": {"kind": "small", "sizes": [1.5]}}
    assert read_as(value, Small | Large) == Large(Small([1.5]))
