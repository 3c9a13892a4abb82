"""Words 40 % longer than the English ones, with marks above them, on every face: which have no room, and what becomes
of those."""

import ast
import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from pi_controller.language.languages import ENGLISH
from table_node import face as face_module
from table_node.canvas import TEXT, WIDTH, Canvas, Font
from tests.firmware.test_words import EVERY, OFF, PAGES, ROOT, draw
from tools import node_words

LONGER = 0.4
"""Translations of short texts are about as much longer, or more (W3C, "Text size in translation")."""
MARKED = str.maketrans("aceilnosuzACLOS", "ãçéíłńóśüżÄÇŁÓŚ")
"""With letters that both fonts have."""
WITHOUT_ROOM = {
    "YOUR_TURN", "PLAYS", "GOES_ON", "ROBBER_TO", "ROBBER_TO_DESERT", "ROUND", "LAST_ROUND", "UPDATE",
    "REASONS", "PAUSE_REMARK", "TO", "DESERT", "CLAIMS", "TAKE_BACK", "TAKING_BACK",
}  # fmt: skip
"""On a whole display, where a heading and what is noted at its right, or the lines of a pause and its number, share
the width: the later one is drawn over the earlier. On half a display nothing is: what is too long stands in two small
lines."""


def longer(text: str) -> str:
    """Every word of it; parameters, in braces, as they are."""

    def stretched(found: re.Match[str]) -> str:
        word = found[0]
        return word if word[0] == "{" else (word + word[: round(LONGER * len(word))]).translate(MARKED)

    return re.sub(r"\{\w+\}|[^\W\d]+", stretched, text)


TEXTS = {key: longer(text) for key, text in node_words.texts(ROOT, ENGLISH).items()}
WORDS = SimpleNamespace(
    **{name: ast.literal_eval(word.literal(TEXTS)) for name, word in node_words.WORDS.items()}
)


class Strict(Canvas):
    """Every letter stands whole or not at all, none after one that is left out, and nothing else is touched."""

    short: set[str]
    """What has ended at the display's edge, and what stands on something else that is written, or under it."""

    def __init__(self, buffer: bytearray) -> None:
        super().__init__(buffer)
        self._written: dict[tuple[int, int], str] = {}

    def erase(self, x: int, page: int, width: int, pages: int) -> None:
        for cell in _cells(x, page, width, pages):
            self._written.pop(cell, None)
        super().erase(x, page, width, pages)

    def text(self, font: Font, text: str, x: int, page: int) -> int:
        assert x >= 0
        expected = bytearray(self.buffer)
        end = super().text(font, text, x, page)
        for letter in text:
            width = font.width(letter)
            if x + width > WIDTH:
                self.short.add(text)
                break
            start = font.starts[font.letters.index(letter)]
            for row in range(font.pages):
                place = (page + row) * WIDTH + x
                expected[place : place + width] = font.data[start + row * width : start + (row + 1) * width]
            for cell in _cells(x, page, width, font.pages):
                if cell in self._written:
                    self.short |= {text, self._written[cell]}
                self._written[cell] = text
            x += width + font.gap
        assert self.buffer == expected
        return end


def _cells(x: int, page: int, width: int, pages: int) -> Iterator[tuple[int, int]]:
    return ((column, row) for column in range(x, x + width) for row in range(page, page + pages))


def names_of(texts: set[str]) -> set[str]:
    """By the names of the words; numbers are none, and a seat's name is cut off before it is drawn."""
    own = {name: value for name, value in vars(WORDS).items() if not name.startswith(("SHORT_", "SEAT_"))}
    lines = {name: set(_lines(value)) for name, value in own.items()}
    return {name for name, said in lines.items() for text in texts if any(_is(text, line) for line in said)}


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, tuple):
        for one in value:
            yield from _lines(one)
    elif isinstance(value, str) and value:
        yield value


def _is(text: str, line: str) -> bool:
    return re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(line)), text) is not None


@pytest.mark.parametrize("pages", PAGES.values(), ids=PAGES)
def test_a_word_without_room_ends_with_a_whole_letter(pages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_module, "Canvas", Strict)
    Strict.short = set()
    for fields in EVERY.values():
        draw(fields | {"words": WORDS, "shift_x": OFF}, pages)
    assert names_of(Strict.short) == (WITHOUT_ROOM if pages == PAGES["whole"] else set())


def test_nothing_follows_a_letter_without_room() -> None:
    """The second letter would have some."""
    canvas = Canvas(bytearray(2 * WIDTH))
    canvas.text(TEXT, "Wi", WIDTH + 1 - TEXT.width("W"), 0)
    assert not any(canvas.buffer)
