"""A hall as it is cabled: chains of boards from an adapter to a terminator, with injectors between them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from pi_controller.language.words import all_words, shown, words
from pi_controller.paper.document import Paper, Tone
from pi_controller.paper.picture import BAD, FAINT, GREY, INK, PageDrawing, Point, bars
from pi_controller.roster.model import Roster, Row
from pi_controller.roster.seat_codes import seat_address
from pi_controller.sentence import Sentence
from pi_controller.supply import report
from pi_controller.supply.zone import LEAST_V, SupplyPlan, SupplyWiring, Zone, proposed
from pi_controller.vocabulary import SIDES, Side

MOST_CHAIN = 32
"""Nodes on one segment of the bus."""
SPARES = 10
"""One in so many, rounded up, is laid in beside what the hall needs."""

CableKind = Literal["head", "table", "zone", "lead"]
"""head and zone: +24 V (pins 1 and 2) open. lead: two wires from a supply to an injector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One segment: boards in the order of the cable, from the adapter on. `zones` count along it, from 1."""

    name: str
    row: Row
    boards: tuple[str, ...]
    zones: tuple[Zone, ...]

    @property
    def ends(self) -> frozenset[int]:
        """Places after which a zone ends and +24 V is cut, the last board left out."""
        return frozenset(zone.last for zone in self.zones[:-1])

    @property
    def injectors(self) -> dict[int, Zone]:
        """By the place after which the injector sits; 0: before the first board."""
        return {zone.injector_after: zone for zone in self.zones}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCable:
    """`start` and `end` name the sockets that its plugs go into."""

    name: str
    kind: CableKind
    start: Sentence
    end: Sentence
    length_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperHall:
    """What is printed of. `addresses`: segment and address of each node's uid, where they are known."""

    roster: Roster
    wiring: SupplyWiring
    head_m: float = 10.0
    """From an adapter at the controller to the first board of a chain."""
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def chains(self) -> tuple[Chain, ...]:
        """Rows of more than MOST_CHAIN boards are several chains; the last starts at the row's far end."""
        parts = [part for row in self.roster.rows if row.boards for part in _parts(row)]
        plan = self.plan
        return tuple(
            Chain(name=name, row=row, boards=boards, zones=zones)
            for (name, row, boards), zones in zip(parts, plan.rows, strict=True)
        )

    @property
    def plan(self) -> SupplyPlan:
        """The supply, one entry of `rows` a chain."""
        parts = [part for row in self.roster.rows if row.boards for part in _parts(row)]
        return proposed(self.wiring, [len(boards) for _, _, boards in parts])

    @property
    def cables(self) -> tuple[PlannedCable, ...]:
        """All cables, chain by chain in the order in which they are laid."""
        return tuple(cable for chain in self.chains for cable in self._of(chain))

    def _of(self, chain: Chain) -> Iterator[PlannedCable]:
        start, zone = Sentence("paper.adapter", chain=chain.name), 0
        for number, (station, its_zone) in enumerate(_stations(chain)):
            kind: CableKind = "head" if number == 0 else "table" if its_zone == zone else "zone"
            length = self.head_m if kind == "head" else self.wiring.hop_m
            name = f"{chain.name}-{number:02}"
            yield PlannedCable(name=name, kind=kind, start=start, end=station.entrance, length_m=length)
            start, zone = station.exit, its_zone
        for number in range(1, len(chain.zones) + 1):
            name = f"{chain.name}-S{number}"
            supply = Sentence("paper.supply_of_a_zone", chain=chain.name, zone=number)
            injector = Sentence("paper.injector", chain=chain.name, zone=number)
            yield PlannedCable(
                name=name, kind="lead", start=supply, end=injector, length_m=self.wiring.lead_m
            )


@dataclass(frozen=True, slots=True)
class _Station:
    """A board or an injector on the way of the cable, by its sockets."""

    entrance: Sentence
    exit: Sentence


def _parts(row: Row) -> Iterator[tuple[str, Row, tuple[str, ...]]]:
    names = [board.name for board in row.boards]
    count = -(-len(names) // MOST_CHAIN)
    for number in range(count):
        part = names[number * len(names) // count : (number + 1) * len(names) // count]
        is_last = count > 1 and number == count - 1
        name = row.name if count == 1 else f"{row.name}.{number + 1}"
        yield name, row, tuple(part[::-1] if is_last else part)


def _stations(chain: Chain) -> Iterator[tuple[_Station, int]]:
    """Boards and injectors along the cable, each with the number of its zone."""
    for number, zone in enumerate(chain.zones, 1):
        for place in range(zone.first, zone.last + 1):
            if zone.injector_after == place - 1:
                yield _injector(chain.name, number), number
            yield _board(chain.boards[place - 1]), number


def _injector(chain: str, zone: int) -> _Station:
    return _Station(
        Sentence("paper.injector_in", chain=chain, zone=zone),
        Sentence("paper.injector_out", chain=chain, zone=zone),
    )


def _board(name: str) -> _Station:
    return _Station(Sentence("paper.board_in", board=name), Sentence("paper.board_out", board=name))


# The hall as rows of boards with their cable: where adapters, injectors, zone ends and terminators are.


MOST_IN_LINE = 16
LEFT_MM = 14.0
FIRST_MM = 13.0
LINE_MM = 25.0
BOX_MM = 9.0
PLUG_MM = 1.2
WIDEST_MM = 20.0
MOST_BEND_MM = 4.0


def add_map(paper: Paper, hall: PaperHall) -> None:
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


def _drawn(row: Row, chains: list[Chain], width_mm: float) -> PageDrawing:
    places = _places(row, width_mm)
    bottom = max(y for _, y in places.values())
    picture = PageDrawing(width_mm, bottom + 9)
    pitch = _pitch(row, width_mm)
    for chain in chains:
        _map_cable(picture, chain, [places[name] for name in chain.boards], pitch)
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


def _map_cable(picture: PageDrawing, chain: Chain, places: list[Point], pitch: float) -> None:
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
        _map_injector(picture, at, chain.zones.index(zone) + 1)
    back = _side(places[-2], places[-1]) if len(places) > 1 else 1.0
    x, y = places[-1]
    edge = x + back * pitch * 0.36
    picture.rect((min(edge, edge + back * PLUG_MM), y - PLUG_MM), (PLUG_MM, 2 * PLUG_MM), fill=INK)


def _link(picture: PageDrawing, here: Point, there: Point) -> None:
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


def _open(picture: PageDrawing, at: Point) -> None:
    for x in (at[0] - 0.6, at[0] + 0.6):
        picture.line((x - 0.7, at[1] + 1.8), (x + 0.7, at[1] - 1.8), width_mm=0.4, colour=BAD)


def _map_injector(picture: PageDrawing, at: Point, number: int) -> None:
    x, y = at
    top = y - BOX_MM / 2 - 3.2
    picture.line((x, y), (x, top + 2), width_mm=0.5)
    picture.text(x, top + 2.2, "▲", size_pt=10, anchor="middle")
    picture.text(x, top - 1.6, f"{number}", size_pt=7.5, anchor="middle", bold=True)


# Labels for boards and cables, on sheets of self-adhesive paper.


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


LABEL_SHEETS = {
    "70x37": LabelSheet(columns=3, rows=8, width=70.0, height=37.0, top=0.5),
    "70x42": LabelSheet(columns=3, rows=7, width=70.0, height=42.4),
    "63x38": LabelSheet(columns=3, rows=7, width=63.5, height=38.1, left=7.2, top=15.15, gap=2.5),
    "105x57": LabelSheet(columns=2, rows=5, width=105.0, height=57.0, top=6.0),
}


def add_labels(paper: Paper, hall: PaperHall, sheet: LabelSheet) -> None:
    """One label a board, then two a cable, one for each end; cables start on a sheet of their own."""
    for batch in (list(_boards(hall, sheet)), list(_cables(hall.cables, sheet))):
        for start in range(0, len(batch), sheet.room):
            paper.sheet(_sheet(batch[start : start + sheet.room], sheet))


def content(board: str, uid: str | None) -> str:
    """What a board's QR code says."""
    return f"{CODE} {board} {uid or '-'}"


def _sheet(labels: Sequence[PageDrawing], sheet: LabelSheet) -> PageDrawing:
    page = PageDrawing(210, 297)
    for place, label in enumerate(labels):
        row, column = divmod(place, sheet.columns)
        page.place(label, sheet.left + column * (sheet.width + sheet.gap), sheet.top + row * sheet.height)
    return page


def _boards(hall: PaperHall, sheet: LabelSheet) -> Iterator[PageDrawing]:
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
            yield _board_label(board.name, content(board.name, board.node), all_words(lines), sheet)


def _board_label(name: str, code: str, lines: Sequence[str], sheet: LabelSheet) -> PageDrawing:
    label = PageDrawing(sheet.width, sheet.height)
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


def _cables(cables: Sequence[PlannedCable], sheet: LabelSheet) -> Iterator[PageDrawing]:
    for cable in cables:
        yield _cable_label(cable, cable.start, cable.end, sheet)
        yield _cable_label(cable, cable.end, cable.start, sheet)


def _cable_label(cable: PlannedCable, here: Sentence, there: Sentence, sheet: LabelSheet) -> PageDrawing:
    """A flag: folded along the line round the cable, both halves stand upright."""
    label, half = PageDrawing(sheet.width, sheet.height), sheet.height / 2
    face = _flag(cable, here, there, PageDrawing(sheet.width, half))
    label.place(face, 0, 0)
    label.place(face, 0, half, upside_down=True)
    label.line((INSET_MM, half), (sheet.width - INSET_MM, half), colour=FAINT)
    return label


def _flag(cable: PlannedCable, here: Sentence, there: Sentence, face: PageDrawing) -> PageDrawing:
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


# The seat codes of a hall: half a sheet a board, with a code for each of its sides.


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


def add_seats(paper: Paper, boards: Sequence[BoardCodes], address: str) -> None:
    """Two boards a sheet, to be cut between them. `address` is that of the controller for phones."""
    for start in range(0, len(boards), 2):
        page = PageDrawing(WIDTH_MM, 2 * HEIGHT_MM)
        for place, board in enumerate(boards[start : start + 2]):
            page.place(_half(board, address), 0, place * HEIGHT_MM)
        page.line((0, HEIGHT_MM), (WIDTH_MM, HEIGHT_MM), colour=FAINT)
        paper.sheet(page)


def _half(board: BoardCodes, address: str) -> PageDrawing:
    half, middle = PageDrawing(WIDTH_MM, HEIGHT_MM), WIDTH_MM / 2
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


# Sheets of a hall: its cables and parts, its supply, and what to ask of the venue's network.


KINDS: dict[CableKind, Sentence] = {
    "head": Sentence("paper.head_cable"),
    "table": Sentence("paper.table_cable"),
    "zone": Sentence("paper.zone_cable"),
    "lead": Sentence("paper.supply_lead"),
}
CABLES_HEAD = (
    Sentence("paper.cable"),
    Sentence("paper.from"),
    Sentence("paper.to"),
    Sentence("paper.length"),
    Sentence("paper.kind"),
)
PARTS_HEAD = (
    Sentence("paper.part"),
    Sentence("paper.needed"),
    Sentence("paper.spare"),
    Sentence("paper.pack"),
)


def cable_list(paper: Paper, hall: PaperHall) -> None:
    """The list to tick off while the cables are laid."""
    paper.heading(words(Sentence("paper.cables")))
    paper.paragraph(words(Sentence("paper.how_cables_are_laid")))
    for chain in hall.chains:
        own = [cable for cable in hall.cables if cable.name.startswith(f"{chain.name}-")]
        title = Sentence("paper.chain_of_boards", chain=chain.name, count=len(chain.boards))
        paper.heading(words(title), level=2)
        paper.table(
            ("", *all_words(CABLES_HEAD)),
            [
                (
                    "□",
                    cable.name,
                    *all_words((cable.start, cable.end, _metres(cable.length_m), KINDS[cable.kind])),
                )
                for cable in own
            ],
            right=[4],
            widths=[1, 2.2, 5, 5, 2, 5],
        )
        paper.paragraph(words(Sentence("paper.where_the_terminator_goes", board=chain.boards[-1])))


def parts_list(paper: Paper, hall: PaperHall) -> None:
    """What this hall needs beside the controller and its panel."""
    chains = hall.chains
    rows = [
        (Sentence("paper.table_node"), len(hall.roster.boards)),
        (Sentence("paper.usb_adapter"), len(chains)),
        (Sentence("paper.terminator_plug"), len(chains)),
    ]
    rows += [
        (Sentence("paper.cable_of_length", kind=KINDS[kind], length=_metres(length)), count)
        for (kind, length), count in sorted(_kinds(hall.cables).items())
    ]
    rows += report.to_buy(hall.plan)
    paper.heading(words(Sentence("paper.parts_for_this_hall")))
    paper.table(
        all_words(PARTS_HEAD),
        [
            (words(part), f"{count}", f"{-(-count // SPARES)}", f"{count + -(-count // SPARES)}")
            for part, count in rows
        ],
        right=[1, 2, 3],
        widths=[8, 2, 2, 2],
    )
    paper.paragraph(words(Sentence("paper.how_many_spares", one_in=SPARES)))


def _kinds(cables: tuple[PlannedCable, ...]) -> Counter[tuple[CableKind, float]]:
    return Counter((cable.kind, cable.length_m) for cable in cables)


def _metres(length_m: float) -> Sentence:
    """Nothing is known of a lead of length 0."""
    if not length_m:
        return Sentence("paper.as_needed")
    return Sentence("paper.metres", length_m=length_m)


def supply_sheet(paper: Paper, hall: PaperHall) -> None:
    plan, chains = hall.plan, hall.chains
    names = [chain.name for chain in chains]
    paper.heading(words(Sentence("paper.supply")))
    paper.paragraph(words(Sentence("paper.computed", assumptions=report.assumptions(plan))))
    rows = [tuple(map(shown, row)) for row in report.rows(plan, names)]
    tones: list[Tone] = ["bad" if zone.faults else "" for zones in plan.rows for zone in zones]
    head = (words(Sentence("paper.chain")), *map(shown, report.HEAD[1:]))
    paper.table(head, rows, right=range(3, 8), tones=tones)
    for trouble in report.troubles(plan, names):
        paper.paragraph(words(Sentence("paper.do_not_build", trouble=trouble)), tone="bad")
    for remark in all_words(report.remarks(plan, names)):
        paper.paragraph(remark, tone="warn")
    worst = min(chains, key=lambda chain: min((v for zone in chain.zones for v in zone.volts), default=0.0))
    volts = [v for zone in worst.zones for v in zone.volts]
    if volts:
        paper.heading(words(Sentence("paper.volts_at_boards", chain=worst.name)), level=2, room_mm=60)
        labels = worst.boards[: len(volts)]
        paper.picture(bars(volts, labels=labels, unit="V", floor=LEAST_V, width_mm=paper.width_mm))


ASKED = (
    (Sentence("network.a_place"), Sentence("network.why_a_place")),
    (Sentence("network.no_isolation"), Sentence("network.why_no_isolation")),
    (Sentence("network.long_connections"), Sentence("network.why_long_connections")),
    (Sentence("network.wifi_for_guests"), Sentence("network.why_wifi_for_guests")),
)
TRAFFIC = (
    (Sentence("network.in"), Sentence("network.port_of_the_pages"), Sentence("network.for_the_pages")),
    (Sentence("network.in"), Sentence("network.port_of_the_staff"), Sentence("network.for_the_staff")),
    (Sentence("network.in"), Sentence("network.port_of_the_broker"), Sentence("network.for_the_broker")),
    (Sentence("network.in"), Sentence("network.port_of_ssh"), Sentence("network.for_ssh")),
    (Sentence("network.out"), Sentence("network.none_needed"), Sentence("network.for_nothing")),
    (Sentence("network.out"), Sentence("network.port_of_ntp"), Sentence("network.for_ntp")),
)
NEVER = (
    Sentence("network.no_own_network"),
    Sentence("network.no_multicast"),
    Sentence("network.no_internet"),
    Sentence("network.no_data_about_guests"),
)
FIGURES = (
    (Sentence("network.opening_a_page"), Sentence("network.bytes_of_a_page")),
    (Sentence("network.following"), Sentence("network.bytes_of_following")),
    (Sentence("network.delay"), Sentence("network.how_much_delay")),
    (Sentence("network.failure"), Sentence("network.what_a_failure_does")),
)


def network_sheet(paper: Paper, address: str, fingerprint: str = "") -> None:
    """`address` of the pages, empty when it is not known yet; `fingerprint` of the staff's certificate, empty
    without one."""
    paper.heading(words(Sentence("network.for_the_owner")))
    paper.paragraph(words(Sentence("network.what_it_is")))
    line = "________________________________"
    paper.key_values(
        [
            (words(Sentence("network.address")), address or line),
            (words(Sentence("network.socket")), line),
            (words(Sentence("network.person")), line),
        ]
    )
    if fingerprint:
        paper.key_values([(words(Sentence("network.fingerprint")), fingerprint)])
    paper.heading(words(Sentence("network.asked")), level=2)
    head = (words(Sentence("network.please")), words(Sentence("network.why_and_how")))
    paper.table(head, _rows(ASKED), widths=[2, 4])
    paper.heading(words(Sentence("network.connections")), level=2)
    head = (words(Sentence("network.port")), words(Sentence("network.for")))
    paper.table(("", *head), _rows(TRAFFIC), widths=[0.6, 3, 4])
    paper.heading(words(Sentence("network.never")), level=2)
    paper.bullets(all_words(NEVER))
    paper.heading(words(Sentence("network.how_much")), level=2)
    paper.table(("", words(Sentence("network.figure"))), _rows(FIGURES), widths=[2, 4])
    paper.paragraph(words(Sentence("network.encrypted") if fingerprint else Sentence("network.plain_http")))


def _rows(rows: Sequence[Sequence[Sentence]]) -> list[list[str]]:
    return [all_words(row) for row in rows]
