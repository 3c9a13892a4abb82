"""The words of every face in every language: all of them are there, whole, each at its own place."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

from pi_controller.language import languages
from table_node import canvas as canvas_module
from table_node import face as face_module
from table_node import view as v
from table_node.canvas import SMALL, TEXT, WIDTH, Canvas, Font
from table_node.layout_parts import NOTED, ROOM
from table_node.phrases import PLAYS_ROOM
from table_node.said import FURTHER
from table_node.view import View
from tests.matrix import further
from tools import node_words
from tools.table_faces import FACES, PAUSED, ROUND, Buffer

ROOT = Path(__file__).parent.parent.parent
PAGES = {"whole": 8, "half": 4}
REASONS = (1, 2, 4, 8, 16)
TWO_REASONS = {
    f"pause for {first} and {second}": PAUSED | {"reasons": first | second, "seconds": seconds}
    for first, second in combinations(REASONS, 2)
    for seconds in (34, 125)
}
WITH_TARGETS = {
    f"pause for {reasons}, target {target}": PAUSED | {"reasons": reasons, "phase": 2, "target": target}
    for reasons in (0, *REASONS)
    for target in (v.DESERT, 12)
}
CLAIMS = {
    f"claim {claim}, {kind}": ROUND | {"kind": kind, "claim": claim, "hold": hold, "reasons": 4, "target": 12}
    for claim in range(1, v.WAIT_FOR_YOUR_SIDE + 1)
    for kind in ("round", "robber", "paused", "counting")
    for hold in (0, 200)
}
COUNTED_IN = {
    f"counting, {side}": PAUSED | {"kind": "counting", "resume": 3, "active": side, "phase": phase}
    for side in (0, 1)
    for phase in (v.READY, v.ROUND)
}
EVERY = (
    {name: fields for name, fields in FACES.items() if fields["kind"] != "pattern"}
    | TWO_REASONS
    | WITH_TARGETS
    | CLAIMS
    | COUNTED_IN
)
SPOKEN = (*languages.EVERY, node_words.NONE)
OFF = 3
"""The farthest that a picture wanders."""


def words_of(tag: str) -> ModuleType:
    return import_module(f"table_node.{node_words.module(tag)}")


class Watched(Canvas):
    """Notes what is wrong with what is drawn: `wrong`."""

    wrong: list[str]

    def __init__(self, buffer: bytearray) -> None:
        super().__init__(buffer)
        self._taken: set[tuple[int, int]] = set()

    def erase(self, x: int, page: int, width: int, pages: int) -> None:
        self._taken -= set(_cells(x, page, width, pages))
        super().erase(x, page, width, pages)

    def text(self, font: Font, text: str, x: int, page: int) -> int:
        lacking = [letter for letter in text if letter not in font.letters]
        if lacking:
            self.wrong.append(f"no letter for {lacking}")
        self._take(text, x, page, font.width(text), font.pages)
        return super().text(font, text, x, page)

    def symbol(self, symbol: tuple[int, int, bytes], x: int, page: int) -> int:
        self._take("a symbol", x, page, symbol[0], symbol[1])
        return super().symbol(symbol, x, page)

    def _take(self, what: str, x: int, page: int, width: int, pages: int) -> None:
        if x < 0 or x + width > WIDTH or page + pages > self.pages:
            self.wrong.append(f"{what!r} reaches from {x} to {x + width}")
        cells = set(_cells(x, page, width, pages))
        if cells & self._taken:
            self.wrong.append(f"{what!r} stands on something else")
        self._taken |= cells


def _cells(x: int, page: int, width: int, pages: int) -> Iterator[tuple[int, int]]:
    return ((column, row) for column in range(x, x + width) for row in range(page, page + pages))


@pytest.mark.parametrize("shift", [OFF, *further(0)])
@pytest.mark.parametrize("pages", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize("tag", SPOKEN)
def test_every_face_fits(tag: str, pages: int, shift: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(face_module, "Canvas", Watched)
    found = []
    for name, fields in EVERY.items():
        Watched.wrong = []
        draw(fields | {"words": words_of(tag), "shift_x": shift}, pages)
        found += [f"{name}: {wrong}" for wrong in Watched.wrong]
    assert found == []


def draw(fields: dict[str, object], pages: int) -> Buffer:
    seen, display = View(), Buffer(pages)
    for name, value in fields.items():
        setattr(seen, name, value)
    face = face_module.Face(display)
    while not face.draw(seen):
        pass
    return display


@pytest.mark.parametrize("tag", languages.EVERY)
def test_a_lit_heading_and_its_notes_have_room_beside_one_another(tag: str) -> None:
    words = words_of(tag)
    for sign, heading in ((18, words.PAUSE), (18, words.YOUR_TURN), (0, words.GOES_ON), (0, words.STARTS_IN)):
        assert sign + 2 + TEXT.width(heading) <= NOTED
    assert TEXT.width(words.SEAT.format(number=8)) <= PLAYS_ROOM
    for note in (words.ROUND, *words.LAST_ROUND, *words.UPDATE, "65535"):
        assert SMALL.width(note) <= ROOM - NOTED - 2


@cache
def sources() -> dict[str, str]:
    return node_words.sources(ROOT)


@pytest.mark.parametrize("tag", languages.EVERY)
def test_the_words_are_those_of_the_catalogue(tag: str) -> None:
    path = f"firmware/table_node/{node_words.module(tag)}.py"
    assert (ROOT / path).read_text(encoding="utf-8") == sources()[path]


def test_the_fonts_have_the_letters_of_messages_and_of_all_words() -> None:
    """Draw a new one in tools/small_letters.txt, then `python -m tools.glyphs`."""
    assert set(TEXT.letters) == set(SMALL.letters) >= {*map(chr, range(ord(" "), 0x7F)), *FURTHER}
    for tag in languages.EVERY:
        assert node_words.undrawn(node_words.texts(ROOT, tag), TEXT.letters) == []


def test_a_letter_that_the_fonts_lack_is_named_with_its_texts() -> None:
    texts = {"node.a": "Ďalší", "node.b": "ďalej", "node.c": "hra"}
    assert node_words.undrawn(texts, "Ďaejlr hí") == ["š: node.a", "ď: node.b"]


NO_WORDS = {"firmware/table_node/main.py": {"MicroPython", "1.25 or newer"}}
"""Said before a node knows any hall, in English."""
DRAWN = {"centred", "double", "over", "text"}
"""Methods of a canvas that draw letters."""
LETTER = re.compile(r"[^\W\d_](?![^{]*\})")
TELLING = re.compile(r"[A-Z]{2}|[A-Z][a-z]|[a-z] [a-z]|\} [a-z]|[a-z] \{")


def drawn_as_it_stands(source: str) -> set[str]:
    """Texts with letters that are drawn without coming from a language's module, and what else reads like a
    text: capitals, or several words."""
    tree = ast.parse(source)
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    drawn = {id(node) for call in calls if call.func.attr in DRAWN for node in ast.walk(call)}
    texts = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents
    ]
    return {text.value for text in texts if (LETTER if id(text) in drawn else TELLING).search(text.value)}


def test_no_text_of_a_face_stands_in_the_code() -> None:
    found = {}
    for path in sorted((ROOT / "firmware" / "table_node").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "canvas" in source and not path.name.startswith("words_"):
            found[str(path.relative_to(ROOT))] = drawn_as_it_stands(source)
    assert {path: texts for path, texts in found.items() if texts} == NO_WORDS


def test_the_scan_finds_texts_of_faces() -> None:
    for code in (
        'canvas.centred(TEXT, "pause", 0, 9, 1)',
        'word = "SAFE MODE"',
        'note = "round " + "{} left"',
    ):
        assert drawn_as_it_stands(code)


def test_without_words_there_are_symbols_and_numbers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    written: set[str] = set()
    text_of = canvas_module.Canvas.text

    def text(canvas: Canvas, font: Font, text: str, x: int, page: int) -> int:
        written.add(text)
        return text_of(canvas, font, text, x, page)

    monkeypatch.setattr(canvas_module.Canvas, "text", text)
    told = {
        str(fields.get(name, "")) for fields in EVERY.values() for name in ("board", "name", "uid", "version")
    }
    for fields in EVERY.values():
        for pages in PAGES.values():
            draw(fields | {"words": words_of(node_words.NONE), "message": ""}, pages)
    said = {text.strip() for text in written if any(letter.isalpha() for letter in text)}
    cut = {text for text in said if any(name.startswith(text) for name in told)}
    assert said - cut == set()
