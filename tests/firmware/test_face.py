"""Every face against pictures kept as PNG. `UPDATE_GOLDEN=1 pytest tests/firmware/test_face.py` draws them anew."""

import os
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pi_controller.language.languages import LANGUAGES
from table_node import view as v
from table_node.canvas import SMALL, Canvas
from table_node.face import ALIKE, Face
from table_node.layout_full import PART
from table_node.layout_parts import NOTED, ROOM
from table_node.view import View
from tests.firmware import micropython
from tests.matrix import paired
from tools.node_words import module
from tools.table_faces import FACES, LONG, Buffer, image, picture

GOLDEN = Path(__file__).parent / "golden"
COLUMNS = 4
LAYOUTS = {"whole": 8, "half": 4}
ROUND = FACES["your turn"]


def sheet(pages: int) -> Image.Image:
    """All faces, one bit a pixel, in their order."""
    height = pages * 8
    whole = Image.new("1", (COLUMNS * 128, -(-len(FACES) // COLUMNS) * height))
    for number, fields in enumerate(FACES.values()):
        whole.paste(picture(fields, pages), place(number, height))
    return whole


def place(number: int, height: int) -> tuple[int, int]:
    return number % COLUMNS * 128, number // COLUMNS * height


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_face_looks_as_it_did(layout: str) -> None:
    pages = LAYOUTS[layout]
    path = GOLDEN / f"faces-{layout}.png"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        sheet(pages).save(path, optimize=True)
    with Image.open(path) as kept:
        assert kept.size == sheet(pages).size, "a face is new or gone: draw them anew"
        others = [
            name
            for number, (name, fields) in enumerate(FACES.items())
            if crop(kept, number, pages * 8) != picture(fields, pages).tobytes()
        ]
    assert others == []


def crop(kept: Image.Image, number: int, height: int) -> bytes:
    x, y = place(number, height)
    return kept.crop((x, y, x + 128, y + height)).tobytes()


def test_every_kind_of_the_view_has_a_face() -> None:
    assert {fields["kind"] for fields in FACES.values()} == set(v.KINDS)
    statuses = {fields.get("claim", 0) for fields in FACES.values()}
    assert statuses == set(range(v.WAIT_FOR_YOUR_SIDE + 1))


@pytest.mark.parametrize("digit", "0123456789")
def test_a_digit_of_the_countdown_is_at_least_40_pixels_tall(digit: str) -> None:
    seen = picture(ROUND | {"seconds": int("1" + digit)})
    box = seen.crop((30, 16, 62, 64)).getbbox()
    assert box is not None
    assert box[3] - box[1] >= 40


WANDERING = [name for name, fields in FACES.items() if fields["kind"] != "pattern"]
"""A pattern goes to the edges and never wanders."""


@pytest.mark.parametrize("name", [name for name in WANDERING if not FACES[name].get("hold")])
def test_nothing_is_cut_off_when_the_picture_has_wandered(name: str) -> None:
    """The pixels of letters and symbols are the same ones, three further to the right."""
    here = picture(FACES[name])
    there = picture(FACES[name] | {"shift_x": 3})
    assert here.crop((2, 0, ROOM - 1, 63)).tobytes() == there.crop((5, 0, ROOM + 2, 63)).tobytes()


@pytest.mark.parametrize("name", WANDERING)
def test_the_last_row_stays_dark(name: str) -> None:
    """It comes in at the top when the picture wanders down."""
    assert picture(FACES[name]).crop((0, 63, 128, 64)).getbbox() is None


def test_the_own_turn_is_seen_at_a_glance() -> None:
    """A lit bar, which the other side does not have."""
    bar = (0, 0, 90, 15)
    pixels = 90 * 15
    assert lit(picture(ROUND).crop(bar)) > pixels * 0.6
    assert lit(picture(ROUND | {"active": v.MOON}).crop(bar)) < pixels * 0.4


def test_sides_can_be_swapped() -> None:
    assert picture(ROUND).tobytes() != picture(ROUND | {"own_side": v.MOON}).tobytes()


def test_the_bar_fills_while_the_button_is_held() -> None:
    bars = [
        picture(ROUND | {"claim": v.HOLDING, "hold": hold}).crop((0, 0, 128, 15))
        for hold in (1, 60, 120, 180, 255)
    ]
    columns = [
        sum(bar.crop((x, 0, x + 1, 15)).getbbox() == (0, 0, 1, 15) for x in range(128)) for bar in bars
    ]
    assert columns == sorted(columns)
    assert columns[0] == 0
    assert columns[-1] > 60


def test_no_number_is_shown_without_a_link() -> None:
    """A view keeps what it knew last; the face must not show it."""
    stale = ROUND | {"kind": "no_link"}
    fresh = FACES["no link"] | {"board": "A12"}
    assert picture(stale).tobytes() == picture(fresh).tobytes()
    assert picture(stale, 4).tobytes() == picture(fresh, 4).tobytes()


FIELDS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(v.KINDS),
        "phase": st.integers(0, 5),
        "own_side": st.integers(0, 1),
        "active": st.integers(-1, 1),
        "next_side": st.integers(-1, 1),
        "name": st.sampled_from(("", "", "Red", "Comet crew")),
        "sign": st.integers(0, 2),
        "signs": st.sampled_from((v.SIDES_SIGNS, (0, 0))),
        "seconds": st.integers(-1, 3600),
        "resume": st.integers(0, 3),
        "round": st.integers(0, 65535),
        "dice": st.sampled_from((0, 0x11, 0x34, 0x66)),
        "sum": st.integers(0, 12),
        "last": st.integers(0, 12),
        "target": st.integers(0, 12),
        "reasons": st.integers(0, 31),
        "claim": st.integers(0, 9),
        "hold": st.integers(0, 255),
        "withdrawing": st.booleans(),
        "last_round": st.booleans(),
        "message": st.sampled_from(("", "", "Short break", str(LONG["message"]))),
        "page": st.integers(0, 9),
        "update": st.booleans(),
        "board": st.sampled_from(("", "A1", "WWWWWW", "b-gjq9")),
        "number": st.integers(0, 65535),
        "shift_x": st.integers(0, 3),
        "shift_y": st.integers(0, 1),
    }
)


@settings(max_examples=60, deadline=None)
@given(st.lists(FIELDS, min_size=2, max_size=6), st.sampled_from((4, 8)), st.data())
def test_drawing_what_differs_gives_the_whole_picture(
    views: list[dict[str, object]], pages: int, data: st.DataObject
) -> None:
    display = Buffer(pages)
    face = Face(display)
    seen = View()
    for fields in views:
        # Sometimes only one field changes, as in play.
        names = data.draw(st.sampled_from((tuple(fields), ("seconds",), ("hold",), ("claim",))))
        for name in names:
            setattr(seen, name, fields[name])
        seen.look += 1
        for _ in range(data.draw(st.integers(0, 2))):
            face.draw(seen)  # and the view changes before the picture is whole
    finish(face, seen)
    fresh = Buffer(pages)
    finish(Face(fresh), seen)
    assert display.buffer == fresh.buffer
    assert display.shift_y == seen.shift_y


@pytest.mark.parametrize("pages", LAYOUTS.values())
@pytest.mark.parametrize("seconds", [100, 50])
def test_a_countdown_that_changes_back_while_it_is_drawn_stands_as_it_is(seconds: int, pages: int) -> None:
    for steps in range(1, 9):
        display = Buffer(pages)
        face = Face(display)
        seen = View()
        seen.kind, seen.phase, seen.round = "round", v.ROUND, 3
        for shown in (seconds, seconds + 1):
            seen.seconds = shown
            seen.look += 1
            for _ in range(steps):
                face.draw(seen)
        seen.seconds = seconds
        seen.look += 1
        finish(face, seen)
        fresh = Buffer(pages)
        finish(Face(fresh), seen)
        assert display.buffer == fresh.buffer, steps


@pytest.mark.parametrize("pages", LAYOUTS.values())
def test_a_founding_without_a_countdown_stays_without_one(pages: int) -> None:
    display = Buffer(pages)
    face = Face(display)
    seen = View()
    seen.kind, seen.phase, seen.board, seen.seconds = "round", v.FOUNDING, "A1", 101
    finish(face, seen)
    poster = bytes(display.buffer)
    seen.seconds = 100
    seen.look += 1
    finish(face, seen)
    assert bytes(display.buffer) == poster


def test_nothing_is_drawn_when_nothing_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    display = Buffer()
    face = Face(display)
    seen = View()
    finish(face, seen)
    display.buffer[:] = bytes(1024)
    assert face.draw(seen)
    assert display.buffer == bytes(1024)


@pytest.mark.parametrize("pages", LAYOUTS.values())
def test_a_scene_of_play_is_drawn_in_steps(pages: int) -> None:
    """The node answers its master between them."""
    seen = View()
    for kind in ("round", "robber", "paused", "counting"):
        seen.kind = kind
        seen.round += 1
        assert finish(Face(Buffer(pages)), seen) >= 3


def test_micropython_draws_the_same(tmp_path: Path) -> None:
    """The bytes of every face, drawn by real MicroPython."""
    script = tmp_path / "draw.py"
    script.write_text(DRAW.format(faces=list(FACES.values())))
    drawn = micropython.run(script).split()
    expected = [bytes(buffer(fields, pages)).hex() for fields in FACES.values() for pages in LAYOUTS.values()]
    assert drawn == expected


def buffer(fields: dict[str, object], pages: int) -> bytearray:
    display = Buffer(pages)
    seen = View()
    for name, value in fields.items():
        setattr(seen, name, value)
    finish(Face(display), seen)
    return display.buffer


def finish(face: Face, seen: View) -> int:
    """Draws to the end; in how many steps."""
    steps = 1
    while not face.draw(seen):
        steps += 1
    return steps


DRAW = """
from binascii import hexlify
from table_node.face import ALIKE, Face
from table_node.view import View

class Display:
    def __init__(self, pages):
        self.buffer = bytearray(128 * pages)

for fields in {faces!r}:
    for pages in (8, 4):
        display, seen = Display(pages), View()
        for name, value in fields.items():
            setattr(seen, name, value)
        face = Face(display)
        while not face.draw(seen):
            pass
        print(hexlify(display.buffer).decode())
"""


def lit(seen: Image.Image) -> int:
    return seen.histogram()[255]


@pytest.mark.parametrize("kind", ALIKE)
@pytest.mark.parametrize("pages", LAYOUTS.values())
def test_the_second_side_takes_over_what_both_see_alike(kind: str, pages: int) -> None:
    near, far = Face(Buffer(pages)), Face(Buffer(pages))
    far.twin = near
    views = View(), View()
    for side, seen in enumerate(views):
        seen.own_side = side
        seen.kind, seen.round, seen.seconds, seen.dice, seen.sum, seen.reasons = kind, 3, 41, 0x34, 7, 2
        seen.look = 1
    far.draw(views[1])
    finish(near, views[0])
    assert finish(far, views[1]) <= 2
    alone = Buffer(pages)
    finish(Face(alone), views[1])
    assert far.display.buffer == alone.buffer


def test_the_lit_field_of_a_pause_is_there_in_the_first_step() -> None:
    """It was made while nothing else was to be done, also after the picture has wandered."""
    face = Face(Buffer())
    seen = View()
    seen.round = 3
    for shift in (0, 2):
        seen.kind, seen.shift_x = "round", shift
        finish(face, seen)
        seen.kind = "paused"
        assert face.draw(seen) == PART
        first = bytes(face.display.buffer[:256])
        finish(face, seen)
        end = shift + NOTED
        assert first[:end] == face.display.buffer[:end]
        assert any(first[:end])


REASONS = {"claim": 4, "check": 8, "director": 2, "button": 1, "restart": 16}


@paired(reason=list(REASONS), language=list(LANGUAGES))
def test_a_message_leaves_the_reason_of_a_pause_readable(reason: str, language: str) -> None:
    """It stands whole below the message, in two small lines, whatever page of the message shows."""
    words = import_module(f"table_node.{module(language)}")
    (held,) = [each for each in words.REASONS if each[0] == REASONS[reason]]
    wanted = Canvas(bytearray(8 * 128))
    for number, line in enumerate(held[1:3]):
        assert 40 + SMALL.width(line) <= ROOM
        wanted.text(SMALL, line, 40, 6 + number)
    pause = FACES["pause by button"] | LONG | {"reasons": REASONS[reason], "words": words}
    shown = [picture(pause | {"page": page}) for page in range(4)]
    below = (40, 48, 128, 64)
    assert all(each.crop(below).tobytes() == as_picture(wanted).crop(below).tobytes() for each in shown)
    assert len({each.tobytes() for each in shown}) == 4, "all pages of the message show"


def as_picture(canvas: Canvas) -> Image.Image:
    """What stands on it, one bit a pixel."""
    return image(bytes(canvas.pixels))


def test_two_reasons_of_a_pause_stand_below_a_message() -> None:
    two = picture(FACES["pause by button"] | LONG | {"reasons": 6})
    wanted = Canvas(bytearray(8 * 128))
    wanted.text(SMALL, "Checking claim", 40, 6)
    wanted.text(SMALL, "and director", 40, 7)
    below = (40, 48, 128, 64)
    assert two.crop(below).tobytes() == as_picture(wanted).crop(below).tobytes()
