"""What comes over the broker is read strictly into its type, or refused with a sentence, and nothing else happens."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
import pytest
from paho.mqtt.client import MQTTMessage

from pi_controller.language.words import words
from pi_controller.links.payloads import (
    LARGEST,
    MOST_UNREAD,
    PAYLOADS,
    TOLD_US,
    ClockQuestion,
    Reader,
    hall_and_name,
    read,
)
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import OF_LINKS, decode_request
from pi_controller.protocol.picture import Beat, Picture
from tests.hall_of_tables import troubled_hall
from tests.links.test_schema import EXAMPLES
from tests.protocol.pictures import picture

SAID: dict[str, Any] = {where.split("/")[2]: json.loads(text) for where, text in EXAMPLES.items()} | {
    "picture": picture(),
    "tables": troubled_hall()[1],
}
STRANGE: list[Any] = [
    *(None, True, -1, 2**53, 2**80, 1e308, "", "x" * 300, "\ud800", "a\nb", [], {}, [[[]]], {"a": {"b": 1}}),
    *(["x"] * 1_001, {"key": "link.lost", "params": {"hall": {"key": "a.b", "params": {}}}}),
]


def spoilt(value: Any, strange: Any) -> Iterator[Any]:
    """The same with one value, anywhere in it, in the place of another one."""
    yield strange
    if isinstance(value, dict):
        for name in value:
            yield from (value | {name: one} for one in spoilt(value[name], strange))
            yield {key: one for key, one in value.items() if key != name}
    elif isinstance(value, list) and value:
        yield from ([one, *value[1:]] for one in spoilt(value[0], strange))


@pytest.mark.parametrize("name", PAYLOADS)
def test_whatever_stands_in_a_payload_it_is_read_or_one_sentence(name: str) -> None:
    """In the two that have hundreds of values, each gives way to a quarter of the strange ones."""
    kind, refused = PAYLOADS[name], list[str]()
    assert isinstance(read(json.dumps(SAID[name]).encode(), kind), kind), "as it is said it is taken"
    step = 4 if name in ("picture", "tables") else 1
    for number, strange in enumerate(STRANGE):
        for value in islice(spoilt(SAID[name], strange), number % step, None, step):
            try:
                found = read(json.dumps(value).encode("utf-8", "surrogatepass"), kind)
            except Malformed as error:
                refused.append(words(error.sentence))
            else:
                assert msgspec.convert(msgspec.to_builtins(found), kind) == found
    assert len(refused) > 50
    assert all(0 < len(said) < 700 for said in refused)


def beat(more: bytes) -> bytes:
    return b'{"version":1,"beat":1,"session":"s","as_of_ms":1' + more + b"}"


@pytest.mark.parametrize(
    ("payload", "key"),
    [
        (beat(b',"x":' + b"[" * 100_000), "request.too_deep"),
        (beat(b',"x":' + b"[" * 100_000 + b"]" * 100_000), "request.too_deep"),
        (b"[" * 2_000 + b"]" * 2_000, "request.too_deep"),
        (b'null}\n{"version":1,"id":1,"ask":"roster"}\n{"x":{}}', "request.not_json"),
        (beat(b',"as_of_ms":1e999'), "request.given_twice"),
        (beat(b',"x":1e999'), "request.not_finite"),
        (beat(b',"x":NaN'), "request.no_json_number"),
        (beat(b',"x":9007199254740993'), "request.too_large"),
        (beat(b',"x":' + b"1" * 5_000), "request.too_many_digits"),
        (beat(b',"x":"\xff"'), "request.not_utf8"),
        (beat(b',"x":"\\ud800"'), "request.half_a_character"),
        (beat(b',"beat":1'), "request.given_twice"),
        (b"x" * (LARGEST + 1), "request.too_long"),
        (b"", "request.not_json"),
    ],
)
def test_what_two_readers_could_understand_differently_is_refused(payload: bytes, key: str) -> None:
    with pytest.raises(Malformed) as refused:
        read(payload, Beat)
    assert refused.value.sentence.key == key
    with pytest.raises(Malformed):
        read(payload, Picture)


@pytest.mark.parametrize("strange", [2**60, "\ud800", {"key": "a.b", "params": {"a": 2**60}}])
def test_what_of_a_picture_core_must_not_read_it_refuses(strange: Any) -> None:
    """Its numbers, texts and levels are looked at there."""
    kept = msgspec.json.encode(picture())
    said = read(kept, Picture)
    assert msgspec.json.decode(msgspec.json.encode(said), type=Picture) == said
    shown = msgspec.to_builtins(said) | {"caption": {"key": "a.b", "params": {"a": strange}, "until_ms": 1}}
    news = {"leader": "main", "term": 1, "offset_us": 0, "error_us": 0, "heard_us": 0, "picture": shown}
    line = json.dumps({"version": 1, "id": 1, "ask": "follow"} | news).encode("utf-8", "surrogatepass")
    with pytest.raises(Malformed):
        decode_request(line, OF_LINKS)


@pytest.mark.parametrize(
    ("topic", "found"),
    [
        ("controller/east/ask", ("east", "ask")),
        ("controller/main/answer/east", ("main", "answer")),
        ("controller/main/answer/east/more", None),
        ("controller/main", None),
        ("controller//ask", None),
        ("controller/a b/ask", None),
        ("controller/east/ask\n", None),
        (f"controller/{'x' * 17}/ask", None),
        ("elsewhere/east/ask", None),
    ],
)
def test_whose_topic_it_is(topic: str, found: tuple[str, str] | None) -> None:
    assert hall_and_name(topic) == found


def message(where: str, payload: bytes, *, retain: bool = False) -> MQTTMessage:
    said = MQTTMessage(topic=where.encode())
    said.payload, said.retain = payload, retain
    return said


ASKED = EXAMPLES["controller/east/ask"].encode()
STATUS = EXAMPLES["controller/main/status"].encode()


def test_what_is_taken_and_whose_it_is() -> None:
    reader = Reader(lambda: 0)
    assert reader.take(message("controller/east/ask", ASKED)) == ("east", read(ASKED, ClockQuestion))
    assert reader.take(message("controller/main/status", b"", retain=True)) == ("main", None)
    assert reader.take(message("controller/main/status", STATUS, retain=True)) is not None
    for where, payload, retain in (
        ("controller/east/ask", ASKED, True),
        ("controller/east/status", STATUS, False),
        ("controller/main/weather", b"{}", False),
        ("homeassistant/x", b"{}", False),
    ):
        count = len(reader.unread())
        assert reader.take(message(where, payload, retain=retain)) is None
        assert len(reader.unread()) == count + 1


def test_what_is_refused_is_counted_by_topic_for_a_minute() -> None:
    now_us = 0
    reader = Reader(lambda: now_us)
    for _ in range(3):
        assert reader.take(message("controller/east/ask", b"{}")) is None
    now_us = 10
    assert reader.take(message("controller/" + "x" * 60_000, b"")) is None
    assert [(one.topic, one.count) for one in reader.unread()] == [
        ("controller/east/ask", 3),
        ("controller/?", 1),
    ]
    assert reader.take(message("controller/east/ask", ASKED)) is not None
    now_us = TOLD_US
    assert [one.topic for one in reader.unread()] == ["controller/?"]
    for number in range(2 * MOST_UNREAD):
        reader.take(message(f"controller/h{number}/ask", b"{}"))
    assert len(reader.unread()) == MOST_UNREAD
