"""Every face of a table's display, in every language, as pictures: `python -m tools.table_faces FILE.png`."""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "firmware"))

from pi_controller.language.languages import ENGLISH, LANGUAGES  # noqa: E402
from table_node.face import Face  # noqa: E402
from table_node.view import View  # noqa: E402
from tools.node_words import module  # noqa: E402


class Buffer:
    """A display that is only looked at."""

    def __init__(self, pages: int = 8) -> None:
        self.buffer = bytearray(128 * pages)
        self.shift_y = 0


ROUND = {
    "kind": "round", "phase": 1, "active": 0, "next_side": 1, "seconds": 34, "round": 12, "dice": 0x53,
    "sum": 8, "last": 6, "board": "A12",
}  # fmt: skip
ROBBER = ROUND | {
    "kind": "robber", "phase": 2, "active": -1, "seconds": 12, "dice": 0x34, "sum": 7, "target": 8,
}  # fmt: skip
PAUSED = ROUND | {"kind": "paused", "reasons": 1}
FOUNDING = ROUND | {"phase": 4, "seconds": -1, "dice": 0, "sum": 0, "last": 0, "round": 0}
THIRD: dict[str, object] = {"active": -1, "name": "Star", "sign": 0}

SEATS = {"message": "Please take your seats"}
LONG: dict[str, object] = {
    "message": "Der Saal schließt um 22:30 Uhr; Jacken gibt es an der Garderobe bitte nur bis 22:15."
}

NAMELESS = "seat of which nothing is known"

FACES: dict[str, dict[str, object]] = {
    "your turn": ROUND,
    "the other side plays": ROUND | {"active": 1, "dice": 0x66, "sum": 12, "seconds": 28},
    "last seconds": ROUND | {"seconds": 4},
    "last round": ROUND | {"last_round": True, "seconds": 41, "dice": 0x56, "sum": 11, "last": 10},
    "minutes": ROUND | {"phase": 5, "seconds": 125},
    "founding": FOUNDING,
    "robber": ROBBER,
    "robber to 12": ROBBER | {"target": 12, "seconds": 5},
    "robber to the desert": ROBBER | {"target": 7, "seconds": 9},
    "pause by button": PAUSED,
    "pause by claim": PAUSED | {"reasons": 4},
    "pause by the director": PAUSED | {"reasons": 2, "seconds": 125},
    "pause, several reasons": PAUSED | {"reasons": 7},
    "pause for a check": PAUSED | {"reasons": 8},
    "pause after a restart": PAUSED | {"reasons": 16},
    "pause in the robber phase": PAUSED | {"phase": 2, "target": 8, "seconds": 7, "active": -1},
    "pause, desert": PAUSED | {"phase": 2, "target": 7, "seconds": 7, "active": -1},
    "goes on in": PAUSED | {"kind": "counting", "resume": 3},
    "goes on, other side": PAUSED | {"kind": "counting", "resume": 1, "active": 1},
    "starts in": PAUSED | {"kind": "counting", "resume": 2, "phase": 0, "active": -1, "next_side": 0},
    "ready, Sun": {"kind": "ready", "board": "A12", "next_side": 0},
    "ready, Moon": {"kind": "ready", "board": "Tisch7", "own_side": 1, "next_side": 0},
    "in repair": {"kind": "ready", "board": "B7", "maintenance": True},
    "ended": {"kind": "ended", "phase": 3},
    "winner": {"kind": "ended", "phase": 3, "claim": 8},
    "holding": ROUND | {"claim": 1, "hold": 120},
    "claim sent": ROUND | {"claim": 2},
    "claim received": ROUND | {"claim": 3},
    "director asked": ROUND | {"claim": 4},
    "director comes": PAUSED | {"claim": 5, "reasons": 4},
    "claim rejected": ROUND | {"claim": 6},
    "taking back by holding": PAUSED | {"claim": 4, "hold": 150, "reasons": 4},
    "taking back": ROUND | {"claim": 4, "withdrawing": True},
    "taken back": ROUND | {"claim": 7},
    "confirmed": PAUSED | {"claim": 8, "reasons": 4},
    "wait for your side": ROUND | {"active": 1, "claim": 9},
    "no link": {"kind": "no_link", "board": "A12"},
    "identify": {"kind": "identify", "board": "A12", "address": 12},
    "identify, long name": {"kind": "identify", "board": "Wg-123", "address": 12},
    "enrol": {"kind": "enrol", "number": 17},
    "walk": {"kind": "walk", "board": "A12"},
    "walk, sent": {"kind": "walk", "board": "A12", "claim": 2, "number": 117},
    "walk, heard": {"kind": "walk", "board": "A12", "claim": 3, "number": 7},
    "all lit": {"kind": "pattern", "number": 0},
    "every other pixel": {"kind": "pattern", "number": 2},
    "edges": {"kind": "pattern", "number": 3},
    "digits": {"kind": "pattern", "number": 4},
    "new firmware": {"kind": "update", "number": 42},
    "safe mode": {"kind": "safe"},
    "update": ROUND | {"update": True},
    "boot": {"kind": "boot", "version": "1.1", "uid": "e6614c311b7f4a2d"},
    "third seat plays": ROUND | THIRD,
    "own seat plays": ROUND | {"name": "Red", "sign": 0, "signs": (0, 0)},
    "seat with a long name": ROUND | THIRD | {"name": "Comet crew", "last_round": True},
    NAMELESS: ROUND | THIRD | {"name": "Seat 3"},
    "founding, third seat": FOUNDING | THIRD,
    "goes on, third seat": PAUSED | THIRD | {"kind": "counting", "resume": 2},
    "message, ready": {"kind": "ready", "board": "A12", "next_side": 0} | SEATS,
    "message, own turn": ROUND | SEATS,
    "message, last seconds": ROUND | SEATS | {"active": 1, "seconds": 4},
    "message, minutes": ROUND | LONG | {"phase": 5, "seconds": 125},
    "message, second page": ROUND | LONG | {"page": 1},
    "message, last page": ROUND | LONG | {"page": 3},
    "message, robber": ROBBER | SEATS,
    "message, pause": PAUSED | {"message": "Short break"},
    "message, claim": ROUND | SEATS | {"claim": 4},
    "message, third seat": ROUND | THIRD | SEATS,
    "message, ended": {"kind": "ended", "phase": 3, "message": "¡Gracias por jugar!"},
    "ready, other seats": {"kind": "ready", "board": "A12", "next_side": 0, "signs": (0, 0)},
}


def picture(fields: dict[str, object], pages: int = 8) -> Image.Image:
    """The face of these fields of the view, one bit a pixel; 4 pages are half a display."""
    seen = View()
    for name, value in fields.items():
        if not hasattr(seen, name):
            raise AttributeError(f"The view has no field {name!r}.")
        setattr(seen, name, value)
    display = Buffer(pages)
    face = Face(display)
    while not face.draw(seen):
        pass
    return image(display.buffer)


def image(buffer: bytes | bytearray) -> Image.Image:
    """A display's buffer as a picture."""
    height = len(buffer) // 16
    points = bytes(255 * (buffer[y // 8 * 128 + x] >> y % 8 & 1) for y in range(height) for x in range(128))
    return Image.frombytes("L", (128, height), points).convert("1")


PLAY = (
    "your turn", "the other side plays", "last seconds", "robber", "robber to the desert", "pause by claim",
)  # fmt: skip
TEST = ("walk", "walk, sent", "walk, heard", "every other pixel", "edges", "digits")
MESSAGE = (
    "message, ready", "message, own turn", "message, last seconds", "message, second page", "message, pause",
    "message, claim",
)  # fmt: skip
CLAIM = ("holding", "claim sent", "director asked", "director comes", "claim rejected", "wait for your side")


def sheet(
    names: Iterable[str] = FACES, *, tag: str = ENGLISH, pages: int = 8, scale: int = 3, columns: int = 4
) -> Image.Image:
    """Faces with their names, in the words of this language."""
    words = import_module(f"table_node.{module(tag)}")
    chosen = {name: FACES[name] | {"words": words} for name in names}
    if NAMELESS in chosen:
        chosen[NAMELESS]["name"] = words.SEAT.format(number=3)
    width, height, gap, name_height = 128 * scale, pages * 8 * scale, 14, 20
    rows = -(-len(chosen) // columns)
    whole = Image.new(
        "RGB", (columns * (width + gap) + gap, rows * (height + gap + name_height) + gap), "#d9dce1"
    )
    draw, font = ImageDraw.Draw(whole), ImageFont.load_default(15)
    for number, (name, fields) in enumerate(chosen.items()):
        x = gap + number % columns * (width + gap)
        y = gap + number // columns * (height + gap + name_height)
        draw.text((x, y), name, fill="#20242b", font=font)
        lit = picture(fields, pages).resize((width, height), Image.Resampling.NEAREST)
        whole.paste(Image.new("RGB", lit.size, "#0b0d12"), (x, y + name_height))
        whole.paste(Image.new("RGB", lit.size, "#cfe8ff"), (x, y + name_height), lit)
    return whole


if __name__ == "__main__":
    out = Path(sys.argv[1])
    for tag in LANGUAGES:
        end = "" if tag == ENGLISH else f"_{tag}"
        sheet(tag=tag).save(out.with_name(f"{out.stem}{end}.png"), optimize=True)
    sheet(pages=4).save(out.with_name(f"{out.stem}_shared.png"), optimize=True)
    for kind, names in (("play", PLAY), ("claim", CLAIM), ("message", MESSAGE), ("test", TEST)):
        sheet(names, columns=3, scale=2).save(out.with_name(f"{out.stem}_{kind}.png"), optimize=True)
