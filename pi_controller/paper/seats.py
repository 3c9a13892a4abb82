"""The seat codes of a hall: half a sheet a board, with a code for each of its sides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from pi_controller.language.words import words
from pi_controller.paper.document import Paper
from pi_controller.paper.picture import FAINT, GREY, Picture
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES, Side

WIDTH_MM, HEIGHT_MM = 210.0, 148.5
"""Half of A4."""
MARGIN_MM = 14.0
CODE_MM = 66.0
NAMES: dict[Side, Sentence] = {"sun": Sentence("side.sun"), "moon": Sentence("side.moon")}


@dataclass(frozen=True, slots=True)
class BoardCodes:
    """A board with the seat code of each side."""

    board: str
    codes: Mapping[Side, str]


def add(paper: Paper, boards: Sequence[BoardCodes], address: str) -> None:
    """Two boards a sheet, to be cut between them. `address` is that of the controller for phones."""
    for start in range(0, len(boards), 2):
        page = Picture(WIDTH_MM, 2 * HEIGHT_MM)
        for place, board in enumerate(boards[start : start + 2]):
            page.place(_half(board, address), 0, place * HEIGHT_MM)
        page.line((0, HEIGHT_MM), (WIDTH_MM, HEIGHT_MM), colour=FAINT)
        paper.sheet(page)


def seat_address(address: str, code: str) -> str:
    """What the QR code of a seat says: behind the `#` nothing leaves the phone before it asks for it."""
    return f"{address.rstrip('/')}/phone#{quote(code)}"


def _half(board: BoardCodes, address: str) -> Picture:
    half, middle = Picture(WIDTH_MM, HEIGHT_MM), WIDTH_MM / 2
    room = WIDTH_MM - 2 * MARGIN_MM
    title = words(Sentence("paper.seat_board", board=board.board))
    half.fitted_text(middle, 27, title, width=room, size_pt=44, bold=True, anchor="middle")
    for place, side in enumerate(SIDES):
        centre = WIDTH_MM * (1 + 2 * place) / 4
        half.qr((centre - CODE_MM / 2, 36), CODE_MM, seat_address(address, board.codes[side]))
        half.fitted_text(
            centre, 112, words(NAMES[side]), width=CODE_MM, size_pt=24, bold=True, anchor="middle"
        )
    lines = (Sentence("paper.seat_how"), Sentence("paper.seat_one_device"), Sentence("paper.seat_lasts"))
    for number, line in enumerate(lines):
        half.fitted_text(middle, 120 + 7 * number, words(line), width=room, size_pt=14, anchor="middle")
    half.fitted_text(
        middle, 141.5, f"{address.rstrip('/')}/phone", width=room, size_pt=10, colour=GREY, anchor="middle"
    )
    return half
