from typing import Any

from pi_controller.replay.tables import NAMELESS, Pictures, ReplayedDisplay, halved
from table_node import words_de
from table_node.view import View
from tools.table_faces import FACES, picture

BOARDS = ("A1", "B12", "Tisch7", "Wg-123")
READY = [name for name in FACES if "ready" in name or name == "founding"]


def view(name: str, **changes: Any) -> Any:
    seen = View()
    for field, value in (FACES[name] | {"board": ""} | changes).items():
        setattr(seen, field, value)
    return seen


def whole(pictures: Pictures, glass: ReplayedDisplay, board: str = "") -> bytes:
    """The rows as a page puts them together."""
    halves = [pictures.halves[glass.left], pictures.halves[glass.right]]
    if glass.names != NAMELESS and board:
        names = pictures.names[glass.names][board]
        halves = [
            bytes(a ^ b for a, b in zip(half, pictures.halves[name], strict=True))
            for half, name in zip(halves, names, strict=True)
        ]
    return b"".join(half[row * 8 : row * 8 + 8] for row in range(64) for half in halves)


def test_halves_are_left_and_right() -> None:
    rows = bytes(range(16)) * 64
    assert halved(rows) == (bytes(range(8)) * 64, bytes(range(8, 16)) * 64)


def test_a_picture_is_what_the_firmware_draws_from_nothing() -> None:
    pictures = Pictures(())
    for name in FACES:
        expected = picture(FACES[name] | {"board": "", "shift_x": 0}).tobytes()
        assert whole(pictures, pictures.of(view(name))) == expected, name


def test_a_picture_is_kept_once() -> None:
    pictures = Pictures(())
    first = [pictures.of(view("your turn", seconds=seconds)) for seconds in range(30, 36)]
    kept = len(pictures.halves)
    assert [pictures.of(view("your turn", seconds=seconds)) for seconds in range(30, 36)] == first
    assert len(pictures.halves) == kept == 7, "one right half for six countdowns"


def test_names_of_boards_stand_as_the_firmware_writes_them() -> None:
    pictures = Pictures(BOARDS)
    for name in READY:
        for changes in ({}, {"words": words_de}):
            found = pictures.of(view(name, **changes))
            for board in BOARDS:
                expected = picture(FACES[name] | {"board": board} | changes).tobytes()
                assert whole(pictures, found, board) == expected, (name, board)
    assert pictures.of(view("your turn")).names == NAMELESS
