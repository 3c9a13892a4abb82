"""The hall as rows of boards with their cable: where adapters, injectors, zone ends and terminators are."""

from itertools import pairwise

from pi_controller.language.words import words
from pi_controller.paper.document import Paper
from pi_controller.paper.hall import Chain, PaperHall
from pi_controller.paper.picture import BAD, GREY, INK, Picture, Point
from pi_controller.roster.model import Row
from pi_controller.sentence import Sentence

MOST_IN_LINE = 16
LEFT_MM = 14.0
FIRST_MM = 13.0
LINE_MM = 25.0
BOX_MM = 9.0
PLUG_MM = 1.2
WIDEST_MM = 20.0
MOST_BEND_MM = 4.0


def add(paper: Paper, hall: PaperHall) -> None:
    paper.heading(words(Sentence("paper.title_map")))
    paper.paragraph(words(Sentence("paper.map_legend")))
    chains = hall.chains
    for row in hall.roster.rows:
        own = [chain for chain in chains if chain.row is row]
        drawn = _drawn(row, own, paper.width_mm) if row.boards else None
        title = Sentence("paper.row", row=row.name, shape=_shape(row), count=len(row.boards))
        paper.heading(words(title), level=2, room_mm=12 + (drawn.height_mm if drawn else 0))
        if drawn:
            paper.picture(drawn)


def _shape(row: Row) -> Sentence:
    if row.shape == "ring":
        return Sentence("paper.shape_ring")
    if row.shape == "angled":
        return Sentence("paper.shape_angled", angle=row.angle)
    return Sentence("paper.shape_straight")


def _drawn(row: Row, chains: list[Chain], width_mm: float) -> Picture:
    places = _places(row, width_mm)
    bottom = max(y for _, y in places.values())
    picture = Picture(width_mm, bottom + 9)
    pitch = _pitch(row, width_mm)
    for chain in chains:
        _cable(picture, chain, [places[name] for name in chain.boards], pitch)
    for name, (x, y) in places.items():
        corner, size = (x - pitch * 0.36, y - BOX_MM / 2), (pitch * 0.72, BOX_MM)
        picture.rect(corner, size, fill="#ffffff", round_mm=1, line_mm=0.3)
        picture.fitted_text(x, y + 1.2, name, width=pitch * 0.58, size_pt=9, bold=True, anchor="middle")
    return picture


def _pitch(row: Row, width_mm: float) -> float:
    in_line = -(-len(row.boards) // 2) if row.shape == "ring" else min(len(row.boards), MOST_IN_LINE)
    return min((width_mm - 2 * LEFT_MM) / in_line, WIDEST_MM)


def _places(row: Row, width_mm: float) -> dict[str, Point]:
    """Middle of each board's box. A ring runs to the right above and back below; a long row goes on below."""
    pitch = _pitch(row, width_mm)
    upper = -(-len(row.boards) // 2)
    found: dict[str, Point] = {}
    for number, board in enumerate(row.boards):
        if row.shape == "ring":
            line, column = (0, number) if number < upper else (1, 2 * upper - 1 - number)
        else:
            line, column = divmod(number, MOST_IN_LINE)
        bend = MOST_BEND_MM * row.angle / 90 * (1 if column % 2 else -1) if row.shape == "angled" else 0.0
        found[board.name] = (LEFT_MM + (column + 0.5) * pitch, LINE_MM * line + FIRST_MM + bend)
    return found


def _cable(picture: Picture, chain: Chain, places: list[Point], pitch: float) -> None:
    ahead = _side(places[0], places[1]) if len(places) > 1 else 1.0
    x, y = places[0]
    edge = x - ahead * pitch * 0.36
    start = (edge - ahead * 10, y)
    _link(picture, start, (x, y))
    _open(picture, (edge - ahead * 6, y))
    picture.circle(*start, 1.6, fill="#ffffff")
    picture.text(start[0], y + 5, chain.name, size_pt=7, anchor="middle", colour=GREY)
    for number, (here, there) in enumerate(pairwise(places), 1):
        _link(picture, here, there)
        if number in chain.ends:
            _open(picture, _between(here, there))
    for number, zone in chain.injectors.items():
        at = _between(places[number - 1], places[number]) if number else (edge - ahead * 2.5, y)
        _injector(picture, at, chain.zones.index(zone) + 1)
    back = _side(places[-2], places[-1]) if len(places) > 1 else 1.0
    x, y = places[-1]
    edge = x + back * pitch * 0.36
    picture.rect((min(edge, edge + back * PLUG_MM), y - PLUG_MM), (PLUG_MM, 2 * PLUG_MM), fill=INK)


def _link(picture: Picture, here: Point, there: Point) -> None:
    """Straight, or with two corners from the end of a line to the begin of the next."""
    _, level = _between(here, there)
    corners = [here, (here[0], level), (there[0], level), there] if _is_bent(here, there) else [here, there]
    for start, end in pairwise(corners):
        picture.line(start, end, width_mm=0.5)


def _is_bent(here: Point, there: Point) -> bool:
    return abs(here[1] - there[1]) > LINE_MM / 2 and abs(here[0] - there[0]) > 1


def _between(here: Point, there: Point) -> Point:
    """A place on the cable: halfway, or in the middle of its piece along the lines."""
    y = min(here[1], there[1]) + BOX_MM if _is_bent(here, there) else (here[1] + there[1]) / 2
    return (here[0] + there[0]) / 2, y


def _side(here: Point, there: Point) -> float:
    return 1.0 if there[0] >= here[0] else -1.0


def _open(picture: Picture, at: Point) -> None:
    for x in (at[0] - 0.6, at[0] + 0.6):
        picture.line((x - 0.7, at[1] + 1.8), (x + 0.7, at[1] - 1.8), width_mm=0.4, colour=BAD)


def _injector(picture: Picture, at: Point, number: int) -> None:
    x, y = at
    top = y - BOX_MM / 2 - 3.2
    picture.line((x, y), (x, top + 2), width_mm=0.5)
    picture.text(x, top + 2.2, "▲", size_pt=10, anchor="middle")
    picture.text(x, top - 1.6, f"{number}", size_pt=7.5, anchor="middle", bold=True)
