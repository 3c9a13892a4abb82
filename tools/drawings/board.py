"""A board as a .kicad_pcb from the sheet and KiCad's list of nets: places, tracks and ground."""

from dataclasses import dataclass
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
from tools.drawings.plan import Plan
from tools.drawings.router import VIA, VIA_DRILL, Grid, NoWayError, Shape
from tools.drawings.schematic import STATE, Part, Sheet
from tools.drawings.sexpr import Text, child, children, dump, parse, uuid
from tools.drawings.symbols import LIBRARY

CORNER = 50.0
"""The board's upper left corner on KiCad's page."""
ROUNDS = 40
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


def routed(plan: Plan, placed: list[Placed], nets: dict[tuple[str, str], str]) -> Grid:
    """All nets; one that finds no way goes earlier. Raises NoWayError when that does not help."""
    every = shapes(placed, nets)
    pads: dict[str, list[Shape]] = {}
    for shape in every:
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
        grid = Grid(plan.wide, plan.high, every)
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
    titles = reference_places(plan, placed)
    body = [
        "kicad_pcb",
        ["version", "20241229"],
        ["generator", Text("make board")],
        ["generator_version", Text("9.0")],
        ["general", ["thickness", 1.6], ["legacy_teardrops", "no"]],
        ["paper", Text("A4")],
        ["title_block", ["title", Text(sheet.title)], ["rev", Text("1")],
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


def reference_places(plan: Plan, placed: list[Placed]) -> dict[str, tuple[float, float, float]]:
    """Beside each part a place for its reference where nothing else is printed or soldered; in the part's own
    coordinates. Parts without such a place are left out."""
    taken = [item.box(pad_box(pad)) for item in placed for pad in item.footprint.pads]
    taken += [item.box(line) for item in placed for line in item.footprint.silk]
    taken += [
        (x - len(text) * size * 0.5, y - size, x + len(text) * size * 0.5, y + size)
        for text, x, y, size in plan.texts
    ]
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
