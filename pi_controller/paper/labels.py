"""Labels for boards and cables, on sheets of self-adhesive paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_controller.language.words import all_words, words
from pi_controller.paper.document import Paper
from pi_controller.paper.hall import Cable, CableKind, PaperHall
from pi_controller.paper.picture import BAD, FAINT, GREY, Picture
from pi_controller.sentence import Sentence

CODE = "TB1"
"""First word of a board's QR code, `TB1 BOARD UID`: the board's name, the unique id of its node or `-`."""
INSET_MM = 3.0
WARNINGS: dict[CableKind, Sentence] = {
    "head": Sentence("paper.label_open"),
    "table": Sentence("paper.label_no_ethernet"),
    "zone": Sentence("paper.label_open"),
    "lead": Sentence("paper.label_24_volts"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSheet:
    """A4 sheets with so many labels; sizes in millimetres."""

    columns: int
    rows: int
    width: float
    height: float
    left: float = 0.0
    top: float = 0.0
    gap: float = 0.0
    """Between columns; rows touch."""

    @property
    def room(self) -> int:
        return self.columns * self.rows


SHEETS = {
    "70x37": LabelSheet(columns=3, rows=8, width=70.0, height=37.0, top=0.5),
    "70x42": LabelSheet(columns=3, rows=7, width=70.0, height=42.4),
    "63x38": LabelSheet(columns=3, rows=7, width=63.5, height=38.1, left=7.2, top=15.15, gap=2.5),
    "105x57": LabelSheet(columns=2, rows=5, width=105.0, height=57.0, top=6.0),
}


def add(paper: Paper, hall: PaperHall, sheet: LabelSheet) -> None:
    """One label a board, then two a cable, one for each end; cables start on a sheet of their own."""
    for batch in (list(_boards(hall, sheet)), list(_cables(hall.cables, sheet))):
        for start in range(0, len(batch), sheet.room):
            paper.sheet(_sheet(batch[start : start + sheet.room], sheet))


def content(board: str, uid: str | None) -> str:
    """What a board's QR code says."""
    return f"{CODE} {board} {uid or '-'}"


def _sheet(labels: Sequence[Picture], sheet: LabelSheet) -> Picture:
    page = Picture(210, 297)
    for place, label in enumerate(labels):
        row, column = divmod(place, sheet.columns)
        page.place(label, sheet.left + column * (sheet.width + sheet.gap), sheet.top + row * sheet.height)
    return page


def _boards(hall: PaperHall, sheet: LabelSheet) -> Iterator[Picture]:
    for row in hall.roster.rows:
        for place, board in enumerate(row.boards, 1):
            address = hall.addresses.get(board.node or "", "")
            lines = [
                Sentence("paper.label_place", row=row.name, place=place, of=len(row.boards)),
                Sentence("paper.label_node", uid=f"{board.node[:8]} {board.node[8:]}")
                if board.node
                else Sentence("paper.label_no_node"),
            ]
            if address:
                lines.append(Sentence("paper.label_address", address=address))
            yield _board(board.name, content(board.name, board.node), all_words(lines), sheet)


def _board(name: str, code: str, lines: Sequence[str], sheet: LabelSheet) -> Picture:
    label = Picture(sheet.width, sheet.height)
    side = sheet.height - 2 * INSET_MM
    left = INSET_MM + side + 1
    room = sheet.width - left - INSET_MM
    label.qr((INSET_MM, INSET_MM), side, code)
    label.fitted_text(left, INSET_MM + side * 0.5, name, width=room, size_pt=sheet.height * 1.2, bold=True)
    for number, line in enumerate(lines):
        label.fitted_text(
            left, INSET_MM + side * (0.66 + 0.13 * number), line, width=room, size_pt=7.5, colour=GREY
        )
    return label


def _cables(cables: Sequence[Cable], sheet: LabelSheet) -> Iterator[Picture]:
    for cable in cables:
        yield _cable(cable, cable.start, cable.end, sheet)
        yield _cable(cable, cable.end, cable.start, sheet)


def _cable(cable: Cable, here: Sentence, there: Sentence, sheet: LabelSheet) -> Picture:
    """A flag: folded along the line round the cable, both halves stand upright."""
    label, half = Picture(sheet.width, sheet.height), sheet.height / 2
    face = _flag(cable, here, there, Picture(sheet.width, half))
    label.place(face, 0, 0)
    label.place(face, 0, half, upside_down=True)
    label.line((INSET_MM, half), (sheet.width - INSET_MM, half), colour=FAINT)
    return label


def _flag(cable: Cable, here: Sentence, there: Sentence, face: Picture) -> Picture:
    right, upper, lower = face.width_mm - INSET_MM, face.height_mm * 0.45, face.height_mm * 0.78
    room = right - INSET_MM
    is_open = cable.kind in ("head", "zone")
    face.fitted_text(INSET_MM, upper, cable.name, width=room * 0.4, size_pt=15, bold=True)
    face.fitted_text(right, upper, words(here), width=room * 0.55, size_pt=11, bold=True, anchor="end")
    face.fitted_text(
        INSET_MM,
        lower,
        words(WARNINGS[cable.kind]),
        width=room * 0.5,
        size_pt=7.5,
        colour=BAD if is_open else GREY,
        bold=is_open,
    )
    towards = words(Sentence("paper.label_to", place=there))
    face.fitted_text(right, lower, towards, width=room * 0.48, size_pt=8, anchor="end")
    return face
