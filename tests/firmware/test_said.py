"""The director's message on a node's displays."""

import pytest

from table_node import messages as m
from table_node.canvas import SMALL, TEXT
from table_node.layout_said import Lines, broken
from table_node.said import FURTHER, PAGE_SECONDS
from tests.firmware.hall import Hall, playing

SECOND = 1_000_000
SEATS = b"Please take your seats, the game goes on"


def shown(hall: Hall) -> list[tuple[str, int]]:
    return [(view.message, view.page) for view in hall.node.views]


def test_a_message_stands_on_both_sides_once_it_is_whole() -> None:
    hall = playing()
    hall.say(7, SEATS, only=0)
    assert shown(hall) == [("", 0)] * 2
    hall.say(7, SEATS, only=1)
    hall.run(100_000)
    assert shown(hall) == [(SEATS.decode(), 0)] * 2
    hall.run(PAGE_SECONDS * SECOND)
    assert shown(hall) == [(SEATS.decode(), 1)] * 2


def test_another_one_takes_its_place_from_its_first_page_on_and_an_end_ends_it() -> None:
    hall = playing()
    hall.say(1, SEATS)
    hall.run(4 * SECOND)
    hall.say(2, SEATS[:21], only=1)
    assert shown(hall) == [(SEATS.decode(), 1)] * 2
    hall.say(2, SEATS[:21], only=0)
    hall.run(100_000)
    assert shown(hall) == [(SEATS[:21].decode(), 0)] * 2
    hall.say(3, b"")
    hall.run(100_000)
    assert shown(hall) == [("", 0)] * 2
    hall.say(3, b"")
    hall.say(
        4,
        b"Gr\xa7\xb0e".replace(b"\xa7", bytes([0x80 + FURTHER.index("ü")])).replace(
            b"\xb0", bytes([0x80 + FURTHER.index("ß")])
        ),
    )
    hall.run(100_000)
    assert shown(hall) == [("Grüße", 0)] * 2


def test_heard_again_it_goes_on_as_it_stands() -> None:
    hall = playing()
    hall.say(1, SEATS)
    hall.run(4 * SECOND)
    hall.say(1, SEATS)
    hall.run(100_000)
    assert shown(hall) == [(SEATS.decode(), 1)] * 2


def test_of_another_master_or_version_no_message_is_taken_and_a_new_master_has_none() -> None:
    hall = playing()
    hall.say(1, SEATS, epoch=hall.game.epoch + 1)
    hall.say(1, SEATS, version=3)
    hall.run(100_000)
    assert shown(hall) == [("", 0)] * 2
    hall.say(1, SEATS)
    hall.run(100_000)
    assert shown(hall) == [(SEATS.decode(), 0)] * 2
    hall.game.epoch += 1
    hall.run(3 * SECOND)
    assert shown(hall) == [("", 0)] * 2


def test_what_the_table_shows_of_play_and_claims_goes_on_beside_it() -> None:
    hall = playing()
    hall.say(1, SEATS)
    hall.hold(0)
    hall.run(100_000)
    assert (hall.view.kind, hall.view.message) == ("round", SEATS.decode())
    assert hall.poll()["sun"] != 0
    hall.game.pause(hall.board.now_us, m.CLAIM)
    hall.run(300_000)
    assert (hall.view.kind, hall.view.message) == ("paused", SEATS.decode())


@pytest.mark.parametrize("font", [TEXT, SMALL], ids=["TEXT", "SMALL"])
def test_lines_break_between_words_and_only_where_they_must_within_one(font: object) -> None:
    room = 85
    lines = list(broken(font, "Donaudampfschifffahrtsgesellschaft a b", room))
    assert "".join(lines).replace(" ", "") == "Donaudampfschifffahrtsgesellschaftab"
    assert all(font.width(line) <= room for line in lines)  # type: ignore[attr-defined]
    assert list(broken(font, "one two", room)) == ["one two"]


def test_lines_are_broken_anew_only_for_another_text_or_room() -> None:
    lines = Lines(TEXT, 3)
    said = "one two three four five six seven eight nine ten"
    assert len(list(lines.prepare(said, 85))) == 4
    assert list(lines.prepare(said, 85)) == []
    assert (lines.pages(), len(lines.page(0)), len(lines.page(1))) == (2, 3, 1)
    assert len(list(lines.prepare(said, 123))) == 3
    assert list(lines.prepare("one", 85))
    assert (lines.pages(), lines.page(0)) == (1, ["one"])
