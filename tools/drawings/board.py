"""A board as a .kicad_pcb from the sheet and KiCad's list of nets: places, tracks and ground."""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from math import cos, radians, sin

from tools.drawings.footprints import (
    FOOTPRINTS,
    Box,
    Footprint,
    Pad,
    attributes,
    drawing,
    model,
    pad_box,
    pad_node,
)
from tools.drawings.marks import Mark, belongs, places, wanted
from tools.drawings.nets import DrawingError
from tools.drawings.router import CELL, VIA, VIA_DRILL, Grid, NoWayError, Shape, Track
from tools.drawings.schematic import STATE, Part, Sheet
from tools.drawings.sexpr import Text, child, children, dump, parse, uuid
from tools.drawings.symbols import LIBRARY

THIN = 0.25
"""Tracks without a width of their own, in millimetres."""


@dataclass(frozen=True)
class Plan:
    """All in millimetres from the upper left corner.

    `places`: x, y and degrees to the left. `widths`: by net. `texts`: middle and height of the letters.
    `grounds`: parts whose ground pins are joined by tracks too, since others cut them off from the areas.
    """

    name: str
    grounds: tuple[str, ...]
    wide: float
    high: float
    places: dict[str, tuple[float, float, float]]
    widths: dict[str, float]
    texts: tuple[tuple[str, float, float, float], ...]

    def width(self, net: str) -> float:
        """Of this net's tracks; KiCad puts a slash before the names of a sheet."""
        return self.widths.get(net.lstrip("/"), THIN)


CORNER = 50.0
"""The board's upper left corner on KiCad's page."""
ROUNDS = 40
FAN = 0.2
"""Width of the tracks that lead away from pads which lie close together."""
AREA = "GND"
"""This net is an area on both sides; its pads on the surface get a via each before anything is routed."""
_LAYERS = (
    (0, "F.Cu", "signal"), (2, "B.Cu", "signal"), (13, "F.Paste", "user"), (15, "B.Paste", "user"),
    (5, "F.SilkS", "user"), (7, "B.SilkS", "user"), (1, "F.Mask", "user"), (3, "B.Mask", "user"),
    (25, "Edge.Cuts", "user"), (27, "Margin", "user"), (31, "F.CrtYd", "user"), (29, "B.CrtYd", "user"),
    (35, "F.Fab", "user"), (33, "B.Fab", "user"),
)  # fmt: skip


@dataclass(frozen=True)
class Placed:
    sheet: str
    part: Part
    footprint: Footprint
    x: float
    y: float
    angle: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A place of the footprint on the board."""
        turn = radians(self.angle)
        return (
            round(self.x + x * cos(turn) + y * sin(turn), 4),
            round(self.y - x * sin(turn) + y * cos(turn), 4),
        )

    def box(self, box: Box) -> Box:
        (x1, y1), (x2, y2) = self.at(*box[:2]), self.at(*box[2:])
        return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def read_nets(netlist: str) -> dict[tuple[str, str], str]:
    """(reference, pin) → net name, from `kicad-cli sch export netlist`."""
    return {
        (str(child(item, "ref")[1]), str(child(item, "pin")[1])): str(child(net, "name")[1])
        for net in children(child(parse(netlist), "nets"), "net")
        for item in children(net, "node")
    }


def place(sheet: Sheet, plan: Plan) -> list[Placed]:
    """Raises KeyError for a part that has no place."""
    return [
        Placed(plan.name, part, FOOTPRINTS[part.kind.footprint], *plan.places[part.ref])
        for part in sheet.parts.values()
        if part.kind.footprint
    ]


def shapes(placed: list[Placed], nets: dict[tuple[str, str], str]) -> list[Shape]:
    """All pads and holes for the router."""
    found = []
    for item in placed:
        for pad in item.footprint.pads:
            layers = (0, 1) if pad.drill else (0,)
            net = nets.get((item.part.ref, pad.number), f"{item.part.ref}.{pad.number}") if pad.number else ""
            found.append(Shape(net, *item.box(pad_box(pad)), layers, round=pad.round, drill=pad.drill))
    return found


def fans(placed: list[Placed], nets: dict[tuple[str, str], str]) -> tuple[list[Shape], list[Track]]:
    """Of pads that lie too close for the grid: where the router meets them, and tracks that lead there."""
    joined = Counter(nets.values())
    ends, tracks = [], []
    for item in placed:
        for pad, (bend, x, y) in zip(item.footprint.pads, item.footprint.fans, strict=False):
            net = nets.get((item.part.ref, pad.number), "")
            if joined[net] < 2:
                continue
            ex, ey = (round(value / CELL) * CELL for value in item.at(x, y))
            ends.append(Shape(net, ex - FAN / 2, ey - FAN / 2, ex + FAN / 2, ey + FAN / 2, (0,)))
            stops = (item.at(pad.x, pad.y), item.at(bend, pad.y), (ex, ey))
            tracks += [Track(net, one, other, 0, FAN) for one, other in pairwise(stops)]
    return ends, tracks


def routed(plan: Plan, placed: list[Placed], nets: dict[tuple[str, str], str]) -> Grid:
    """All nets; one that finds no way goes earlier. Raises NoWayError when that does not help."""
    every = shapes(placed, nets)
    ends, leads = fans(placed, nets)
    coarse = shapes([item for item in placed if not item.footprint.fans], nets)
    pads: dict[str, list[Shape]] = {}
    for shape in coarse + ends:
        if shape.net:
            pads.setdefault(shape.net, []).append(shape)
    surface = [shape for shape in pads.pop(AREA) if 1 not in shape.layers]
    cut_off = [item for item in placed if item.part.ref in plan.grounds]
    pads[AREA] = [shape for shape in shapes(cut_off, nets) if shape.net == AREA]
    order = sorted(
        (net for net in pads if len(pads[net]) > 1),
        key=lambda net: (net == AREA, -plan.width(net), _span(pads[net]), net),
    )
    for _ in range(ROUNDS):
        grid = Grid(plan.wide, plan.high, every, list(leads))
        grid.sink(AREA, surface, plan.width(AREA))
        try:
            for net in order:
                grid.route(net, pads[net], plan.width(net))
        except NoWayError as stuck:
            failed = stuck
            here = order.index(stuck.net)
            order.insert(here // 2, order.pop(here))
        else:
            return grid
    raise failed


def _span(pads: list[Shape]) -> float:
    return (
        max(p.x2 for p in pads) - min(p.x1 for p in pads) + max(p.y2 for p in pads) - min(p.y1 for p in pads)
    )


def board(sheet: Sheet, plan: Plan, nets: dict[tuple[str, str], str]) -> str:
    """The text of the .kicad_pcb, its areas of ground not yet filled."""
    placed = place(sheet, plan)
    grid = routed(plan, placed, nets)
    numbers = {net: index for index, net in enumerate(["", *sorted(set(nets.values()))])}
    joints = {pin: ["net", numbers[net], Text(net)] for pin, net in nets.items()}
    printed = mark_places(sheet, plan, placed)
    titles = reference_places(plan, placed, printed)
    body = [
        "kicad_pcb",
        ["version", "20241229"],
        ["generator", Text("make board")],
        ["generator_version", Text("9.0")],
        ["general", ["thickness", 1.6], ["legacy_teardrops", "no"]],
        ["paper", Text("A4")],
        ["title_block", ["title", Text(sheet.title)], ["rev", Text("2")],
         ["comment", 1, Text(f"State: {STATE}")]],
        ["layers", *([number, Text(name), kind] for number, name, kind in _LAYERS)],
        ["setup", ["pad_to_mask_clearance", 0], ["allow_soldermask_bridges_in_footprints", "no"]],
        *(["net", number, Text(net)] for net, number in numbers.items()),
        *(_module(item, joints, titles.get(item.part.ref)) for item in placed),
        *_tracks(grid, numbers),
        ["gr_rect", ["start", CORNER, CORNER], ["end", CORNER + plan.wide, CORNER + plan.high],
         ["stroke", ["width", 0.1], ["type", "solid"]], ["fill", "no"], ["layer", Text("Edge.Cuts")],
         ["uuid", uuid("edge")]],
        *(_text(*text) for text in plan.texts),
        *(_mark(mark) for mark in printed),
        *(_ground(plan, layer, numbers["GND"]) for layer in ("F.Cu", "B.Cu")),
        ["embedded_fonts", "no"],
    ]  # fmt: skip
    return dump(body) + "\n"


def _text(text: str, x: float, y: float, size: float) -> list:
    return [
        "gr_text", Text(text), ["at", CORNER + x, CORNER + y, 0], ["layer", Text("F.SilkS")],
        ["uuid", uuid(text)],
        ["effects", ["font", ["size", size, size], ["thickness", round(size * 0.15, 3)]]],
    ]  # fmt: skip


def _mark(mark: Mark) -> list:
    size = mark.size
    return [
        "gr_text", Text(mark.text), ["at", *_page((round(mark.x, 3), round(mark.y, 3))), mark.angle],
        ["layer", Text("F.SilkS")], ["uuid", uuid("mark", mark.ref, mark.pin)],
        ["effects", ["font", ["size", size, size], ["thickness", round(size * 0.15, 3)]],
         ["justify", mark.justify]],
    ]  # fmt: skip


def _tracks(grid: Grid, numbers: dict[str, int]) -> list[list]:
    layers = (Text("F.Cu"), Text("B.Cu"))
    return [
        *(
            [
                "segment", ["start", *_page(track.start)], ["end", *_page(track.end)], ["width", track.width],
                ["layer", layers[track.layer]], ["net", numbers[track.net]], ["uuid", uuid("track", index)],
            ]
            for index, track in enumerate(grid.tracks)
        ),
        *(
            [
                "via", ["at", *_page(via.at)], ["size", VIA], ["drill", VIA_DRILL], ["layers", *layers],
                ["net", numbers[via.net]], ["uuid", uuid("via", index)],
            ]
            for index, via in enumerate(grid.vias)
        ),
    ]  # fmt: skip


def _ground(plan: Plan, layer: str, number: int) -> list:
    edge = 0.5
    x1, y1, x2, y2 = CORNER + edge, CORNER + edge, CORNER + plan.wide - edge, CORNER + plan.high - edge
    corners = [["xy", x, y] for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2))]
    return [
        "zone", ["net", number], ["net_name", Text("GND")], ["layer", Text(layer)],
        ["uuid", uuid("zone", layer)],
        ["hatch", "edge", 0.5], ["connect_pads", ["clearance", 0.3]], ["min_thickness", 0.25],
        ["filled_areas_thickness", "no"],
        ["fill", "yes", ["thermal_gap", 0.4], ["thermal_bridge_width", 0.5]],
        ["polygon", ["pts", *corners]],
    ]  # fmt: skip


def _page(point: tuple[float, float]) -> tuple[float, float]:
    return CORNER + point[0], CORNER + point[1]


def _module(
    item: Placed, joints: dict[tuple[str, str], list], title: tuple[float, float, float] | None
) -> list:
    part, ref = item.part, item.part.ref
    font = ["effects", ["font", ["size", 0.8, 0.8], ["thickness", 0.12]]]
    hidden = [["hide", "yes"]]
    x, y, turn = title or (0, 0, 0)
    fields = [
        ("Reference", ref, "F.SilkS" if title else "F.Fab", (x, y, turn), []),
        ("Value", part.kind.value, "F.Fab", (0, 0, item.angle % 180), []),
        ("Datasheet", "", "F.Fab", (0, 0, 0), hidden),
        ("Description", part.kind.description, "F.Fab", (0, 0, 0), hidden),
        ("Part", part.kind.maker_part, "F.Fab", (0, 0, 0), hidden),
    ]
    return [
        "footprint", Text(f"{LIBRARY}:{item.footprint.name}"), ["layer", Text("F.Cu")],
        ["uuid", uuid("footprint", ref)], ["at", *_page((item.x, item.y)), item.angle],
        *(["property", Text(key), Text(value), ["at", *at], ["layer", Text(layer)], *hide,
           ["uuid", uuid(ref, "field", key)], font] for key, value, layer, at, hide in fields),
        ["path", Text(f"/{uuid(item.sheet, ref)}")],
        ["sheetname", Text("/")], ["sheetfile", Text(f"{item.sheet}.kicad_sch")],
        attributes(item.footprint),
        *drawing(item.footprint, ref),
        *(pad_node(pad, item.angle, _joint(ref, index, pad, joints))
          for index, pad in enumerate(item.footprint.pads)),
        ["embedded_fonts", "no"],
        *model(item.footprint),
    ]  # fmt: skip


def _joint(ref: str, index: int, pad: Pad, joints: dict[tuple[str, str], list]) -> tuple[list, ...]:
    own = ["uuid", uuid(ref, "pad", index)]
    net = joints.get((ref, pad.number))
    return (net, own) if net else (own,)


def _printed(plan: Plan, placed: list[Placed]) -> list[Box]:
    """What nothing else may be printed on: pads, lines and texts."""
    taken = [item.box(pad_box(pad)) for item in placed for pad in item.footprint.pads]
    taken += [item.box(line) for item in placed for line in item.footprint.silk]
    return taken + [
        (x - len(text) * size * 0.5, y - size, x + len(text) * size * 0.5, y + size)
        for text, x, y, size in plan.texts
    ]


def mark_places(sheet: Sheet, plan: Plan, placed: list[Placed]) -> list[Mark]:
    """A free place for each mark. Raises DrawingError for one that has none."""
    taken = _printed(plan, placed)
    bodies = [(item.part.ref, item.box(item.footprint.body)) for item in placed]
    by_ref = {item.part.ref: item for item in placed}
    found = []
    for (ref, pin), text in wanted(sheet).items():
        item = by_ref[ref]
        pad = next(pad for pad in item.footprint.pads if pad.number == pin)
        around = [item.box(pad_box(pad)), *(item.box(line) for line in item.footprint.silk)]
        whole = _around(around)
        at = item.at(pad.x, pad.y)
        alone = len(item.footprint.pads) == 1
        spots = places(at, whole, text, alone=alone) + places(at, item.box(pad_box(pad)), text)
        others = [item.at(other.x, other.y) for other in item.footprint.pads if other.number != pin]
        for spot in spots:
            if not belongs(spot.x, spot.y, at, others):
                continue
            under = any(_near(spot.box, body, 0) for other, body in bodies if other != ref)
            if not under and _inside(plan, spot.box) and not any(_near(spot.box, other) for other in taken):
                taken.append(spot.box)
                found.append(replace(spot, ref=ref, pin=pin))
                break
        else:
            raise DrawingError(
                f'{plan.name}: no place for "{text}" at pin {pin} of {ref}; move its neighbours.'
            )
    return found


def _around(boxes: list[Box]) -> Box:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def reference_places(
    plan: Plan, placed: list[Placed], marks: list[Mark]
) -> dict[str, tuple[float, float, float]]:
    """Beside each part a place for its reference where nothing else is printed or soldered; in the part's own
    coordinates. Parts without such a place are left out."""
    taken = _printed(plan, placed) + [mark.box for mark in marks]
    found = {}
    for item in placed:
        ref = item.part.ref
        wide, high = len(ref) * 0.76 + 0.1, 0.95
        x1, y1, x2, y2 = item.box(item.footprint.courtyard)
        mx, my = (x1 + x2) / 2, (y1 + y2) / 2
        upright = tuple(
            place
            for gap in (0, 0.3)
            for place in (
                (mx, y1 - high / 2 - gap),
                (mx, y2 + high / 2 + gap),
                (x1 - wide / 2 - gap, my),
                (x2 + wide / 2 + gap, my),
            )
        )
        for x, y in (*upright, (mx, my), (x1 + wide / 2 + 0.5, y2 - high), (mx, y1 + 3)):
            box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
            if not any(_near(box, other) for other in taken) and _inside(plan, box):
                taken.append(box)
                dx, dy = x - item.x, y - item.y
                turn = radians(item.angle)
                found[ref] = (
                    round(dx * cos(turn) - dy * sin(turn), 3),
                    round(dx * sin(turn) + dy * cos(turn), 3),
                    0,
                )
                break
    return found


def _near(one: Box, other: Box, gap: float = 0.2) -> bool:
    return (
        one[0] < other[2] + gap
        and other[0] < one[2] + gap
        and one[1] < other[3] + gap
        and other[1] < one[3] + gap
    )


def _inside(plan: Plan, box: Box) -> bool:
    return box[0] > 0.6 and box[1] > 0.6 and box[2] < plan.wide - 0.6 and box[3] < plan.high - 0.6
