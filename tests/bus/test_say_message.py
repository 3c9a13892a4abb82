import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.bus import messages
from pi_controller.bus.messages import PART_BYTES, BadMessage, SayMessage, carried, parts_of
from pi_controller.game.commands import LONGEST_TEXT
from table_node import said


@pytest.mark.parametrize(
    ("typed", "on_the_wire"),
    [
        ("Zażółć gęślą jaźń", "Zażółć gęślą jaźń"),
        ("¿Señor Müller? “Já!” – ok…", '¿Señor Müller? "Já!" - ok...'),
        ("Cafe\u0301 dvořák", "Café dvorák"),
        ("1\u00a0000 €, ½ m²", "1 000 EUR, 1/2 m2"),
        ("Спасибо 🎉", "???????"),
        ("  \u2003 ", ""),
    ],
)
def test_a_message_is_told_in_letters_that_tables_draw(typed: str, on_the_wire: str) -> None:
    assert carried(typed) == on_the_wire


@given(st.text(max_size=LONGEST_TEXT))
def test_every_message_goes_into_parts_and_comes_out_of_them(typed: str) -> None:
    text = carried(typed)
    parts = parts_of(text, epoch=3, number=9)
    assert [
        SayMessage.of(SayMessage.layout.unpack(SayMessage.layout.pack(part.values()))) for part in parts
    ] == list(parts)
    assert "".join(part.text for part in parts) == text
    assert [(part.part, part.parts) for part in parts] == [
        (at, len(parts)) for at in range(len(parts))
    ] or not text


def test_the_longest_message_has_room() -> None:
    assert len("".join(part.text for part in parts_of("W" * LONGEST_TEXT, epoch=0, number=0))) == LONGEST_TEXT


@pytest.mark.parametrize(
    ("said_so", "why"),
    [
        ({"part": 2, "parts": 2}, "there is no part 2 of 2"),
        ({"part": 0, "parts": 16}, "there is no part 0 of 16"),
        ({"text": "x" * (PART_BYTES + 1)}, "it must be at most 20 printable characters"),
        ({"text": "a\nb"}, "it must be at most 20 printable characters"),
        ({"text": "ř"}, "has letters that the wire does not carry"),
    ],
)
def test_what_no_part_can_be_is_refused(said_so: dict[str, object], why: str) -> None:
    with pytest.raises(BadMessage, match=why):
        SayMessage(epoch=1, number=1, **said_so).values()  # type: ignore[arg-type]


def test_both_ends_have_the_same_letters() -> None:
    assert said.FURTHER == messages.FURTHER
