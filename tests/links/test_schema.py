"""The published schema of the topics, and the examples beside it."""

import json
import re

import pytest

from pi_controller.links.payloads import PAYLOADS, schema_text
from tests.links.published import DOCS, SCHEMA, wrong
from tests.protocol.pictures import picture

PAGE = (DOCS / "mqtt.md").read_text(encoding="utf-8")
ASK = '{"sent_us": 7, "controller": "c", "to": "r"}'
EXAMPLES = dict(re.findall(r"^(controller/\S+) (\{.*\})$", PAGE, re.MULTILINE))


def test_the_published_schema_is_current() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), "run `make generate`"


def test_the_page_has_a_row_and_an_example_of_each_message() -> None:
    told = {
        name
        for row in re.findall(r"^\| (`[^|]*) \|", PAGE, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert told == set(PAYLOADS)
    long = {"picture", "tables"}  # api.md has them
    assert {topic.split("/")[2] for topic in EXAMPLES} == set(PAYLOADS) - long


@pytest.mark.parametrize("topic", EXAMPLES)
def test_the_examples_are_as_the_schema_says(topic: str) -> None:
    assert wrong(topic, EXAMPLES[topic].encode()) == []


def test_a_picture_is_as_the_schema_says() -> None:
    assert wrong("controller/main/picture", json.dumps(picture()).encode()) == []


@pytest.mark.parametrize("topic", EXAMPLES)
def test_a_field_with_another_name_is_found_out(topic: str) -> None:
    body = json.loads(EXAMPLES[topic])
    for name in body:
        changed = {key: value for key, value in body.items() if key != name} | {f"{name}_s": body[name]}
        assert any(f"{name}_s is not known" in one for one in wrong(topic, json.dumps(changed).encode()))


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("controller/main/weather", "{}"),
        ("elsewhere/main/ask", ASK),
        ("controller/main/ask", ASK.replace("7", "-7")),
        ("controller/east/press", '{"key": "a b", "do": "press", "at_us": 1, "source": "button"}'),
        ("controller/east/claim", '{"key": "ab", "do": "pause", "at_us": 1, "source": "table"}'),
    ],
)
def test_what_is_no_message_is_found_out(topic: str, payload: str) -> None:
    assert wrong(topic, payload.encode())


def test_what_is_retained_is_known() -> None:
    assert wrong("controller/main/ask", ASK.encode(), retain=True)
    assert not wrong("controller/main/ask", ASK.encode(), retain=False)
