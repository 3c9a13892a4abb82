import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.strict_json import decode


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"\xff", "the text is not UTF-8: byte 0 does not belong there"),
        (b"[1,", "this is not JSON: Expecting value at character 3"),
        (b"", "this is not JSON: Expecting value at character 0"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"-Infinity", "-Infinity is not a JSON number"),
        (b"1e999", "a number is not finite; NaN and infinity are not JSON"),
        (b"9007199254740992", "a number is too large; the largest is 9007199254740991"),
        (b"9" * 5000, "a number has too many digits; the largest is 9007199254740991"),
        (b'{"a": 1, "b": 2, "a": 3}', '"a" is given twice in one object'),
        (b'"\\ud800"', r'"\ud800" holds half of a surrogate pair, which is no character'),
        (b"[" * 100_000, "the JSON is nested deeper than 16 levels"),
        (b"[" * 17 + b"]" * 17, "the JSON is nested deeper than 16 levels"),
        (b'{"a b": 1}', '"a b" is not a key that is used here; keys are plain words such as "board"'),
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
