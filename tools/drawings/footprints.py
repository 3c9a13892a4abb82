"""Our own footprints in millimetres, y downwards; pads are long enough for soldering by hand."""

from dataclasses import dataclass

from tools.drawings.sexpr import Text, dump, uuid
from tools.drawings.symbols import LIBRARY

Box = tuple[float, float, float, float]
MARGIN = 0.25
"""Courtyard around body and pads."""
MODELS = "controller.3dshapes"
"""Folder of the models in hardware/library; they are made from hardware/enclosure/bodies.toml."""


@dataclass(frozen=True)
class Pad:
    """`drill` 0 is a pad on the surface; without a number it is a bare hole."""

    number: str
    x: float
    y: float
    wide: float
    high: float
    drill: float = 0
    round: bool = False


@dataclass(frozen=True)
class Footprint:
    """`body` is the part's outline; `silk` are lines; a board part may reach over the board's edge."""

    name: str
    pads: tuple[Pad, ...]
    body: Box
    silk: tuple[Box, ...] = ()
    overhang: bool = False
    bought: bool = True
    fans: tuple[tuple[float, float, float], ...] = ()
    """Of each pad, where there are any: x of the bend and the place where the router meets a short track
    that leads away from pads that lie too close for its grid."""

    @property
    def courtyard(self) -> Box:
        boxes = [self.body, *(pad_box(pad) for pad in self.pads)]
        return (
            min(box[0] for box in boxes) - MARGIN,
            min(box[1] for box in boxes) - MARGIN,
            max(box[2] for box in boxes) + MARGIN,
            max(box[3] for box in boxes) + MARGIN,
        )

    @property
    def surface(self) -> bool:
        return all(not pad.drill for pad in self.pads)


def pad_box(pad: Pad) -> Box:
    return pad.x - pad.wide / 2, pad.y - pad.high / 2, pad.x + pad.wide / 2, pad.y + pad.high / 2


def _rectangle(box: Box) -> tuple[Box, ...]:
    x1, y1, x2, y2 = box
    return (x1, y1, x2, y1), (x2, y1, x2, y2), (x2, y2, x1, y2), (x1, y2, x1, y1)


def _chip(name: str, at: float, pad: tuple[float, float], body: tuple[float, float]) -> Footprint:
    """Two pads left and right of a flat part."""
    long, high = body
    pads = (Pad("1", -at, 0, *pad), Pad("2", at, 0, *pad))
    y = max(high, pad[1]) / 2 + 0.2
    gap = at - pad[0] / 2 - 0.25
    lines = (
        ((-gap, -high / 2 - 0.15, gap, -high / 2 - 0.15), (-gap, high / 2 + 0.15, gap, high / 2 + 0.15))
        if gap > 0.1
        else ()
    )
    if name in {"SMA", "SOD-123", "LED_0805"}:  # a bar at the cathode
        edge = -at - pad[0] / 2 - 0.25
        lines = (*lines, (edge, -y, edge, y))
    return Footprint(name, pads, (-long / 2, -high / 2, long / 2, high / 2), lines)


def _sot23() -> Footprint:
    pads = (Pad("1", -0.94, -0.95, 1.48, 0.6), Pad("2", -0.94, 0.95, 1.48, 0.6), Pad("3", 0.94, 0, 1.48, 0.6))
    return Footprint(
        "SOT-23", pads, (-0.65, -1.45, 0.65, 1.45), ((-0.65, -1.65, 0.65, -1.65), (-0.65, 1.65, 0.65, 1.65))
    )


def _sot223() -> Footprint:
    legs = tuple(Pad(str(i + 1), -3.15, y, 2, 1.5) for i, y in enumerate((-2.3, 0, 2.3)))
    return Footprint(
        "SOT-223", (*legs, Pad("2", 3.15, 0, 2, 3.8)), (-1.75, -3.25, 1.75, 3.25),
        ((-1.75, -3.45, 1.75, -3.45), (-1.75, 3.45, 1.75, 3.45)),
    )  # fmt: skip


def _sot23_5() -> Footprint:
    left = tuple(Pad(str(i + 1), -1.35, y, 1.3, 0.6) for i, y in enumerate((-0.95, 0, 0.95)))
    right = (Pad("4", 1.35, 0.95, 1.3, 0.6), Pad("5", 1.35, -0.95, 1.3, 0.6))
    lines = ((-0.8, -1.65, 0.8, -1.65), (-0.8, 1.65, 0.8, 1.65), (-1.9, -1.6, -1.4, -1.6))
    return Footprint("SOT-23-5", left + right, (-0.8, -1.45, 0.8, 1.45), lines)


def _soic8() -> Footprint:
    ys = (-1.905, -0.635, 0.635, 1.905)
    left = tuple(Pad(str(i + 1), -2.475, y, 1.95, 0.6) for i, y in enumerate(ys))
    right = tuple(Pad(str(8 - i), 2.475, y, 1.95, 0.6) for i, y in enumerate(ys))
    lines = ((-1.95, -2.6, 1.95, -2.6), (-1.95, 2.6, 1.95, 2.6), (-3.6, -2.5, -3.1, -2.5))
    return Footprint("SOIC-8", left + right, (-1.95, -2.45, 1.95, 2.45), lines)


def _fine(name: str, count: int, pitch: float, pad: Pad, body: Box) -> Footprint:
    """Legs at both sides, too close for the router: a short track leads each of them to a pitch of 1 mm."""
    half = count // 2
    steps = [index - (half - 1) / 2 for index in range(half)]
    spots = [(str(i + 1), -1, step) for i, step in enumerate(steps)]
    spots += [(str(count - i), 1, step) for i, step in enumerate(steps)]
    pads = tuple(Pad(number, side * pad.x, step * pitch, pad.wide, pad.high) for number, side, step in spots)
    edge = pad.x + pad.wide / 2
    bend, end = edge + 0.2, edge + 2.2
    fans = tuple((side * bend, side * end, step) for _, side, step in spots)
    x1, y1, x2, y2 = body
    silk = ((x1, y1 - 0.15, x2, y1 - 0.15), (x1, y2 + 0.15, x2, y2 + 0.15))
    return Footprint(name, pads, body, silk, fans=fans)


def _shunt() -> Footprint:
    """2512 with a pad for the measuring track at each end: pins 3 and 4 touch the part, not the current."""
    pads = (
        *(Pad(str(i + 1), side * 2.95, -0.65, 2.1, 2.1) for i, side in enumerate((-1, 1))),
        *(Pad(str(i + 3), side * 2.95, 1.2, 2.1, 0.8) for i, side in enumerate((-1, 1))),
    )
    silk = ((-1.6, -1.85, 1.6, -1.85), (-1.6, 1.85, 1.6, 1.85))
    return Footprint("R_2512_4", pads, (-3.2, -1.6, 3.2, 1.6), silk)


def _pins(count: int) -> Footprint:
    """One row downwards, pin 1 square."""
    pads = tuple(Pad(str(i + 1), 0, 2.54 * i, 1.7, 1.7, 1.0, round=i > 0) for i in range(count))
    body = (-1.27, -1.27, 1.27, 2.54 * (count - 1) + 1.27)
    return Footprint(
        f"Pins_{count}", pads, body, (*_rectangle((-1.4, -1.4, 1.4, body[3] + 0.13)), (-1.7, -1.4, -1.7, 0))
    )


def _xh(count: int) -> Footprint:
    """JST XH, upright, one row downwards, pin 1 square; the wall with the two slots is at the left."""
    pads = tuple(Pad(str(i + 1), 0, 2.5 * i, 1.95, 1.7, 1.0, round=i > 0) for i in range(count))
    end = 2.5 * (count - 1) + 2.45
    silk = (*_rectangle((-3.55, -2.6, 2.5, end + 0.15)), (-3.9, -1.5, -3.9, 0))
    return Footprint(f"XH_{count}", pads, (-3.4, -2.45, 2.35, end), silk)


def _pins_2x20() -> Footprint:
    pads = tuple(
        Pad(str(i + 1), 2.54 * (i % 2), 2.54 * (i // 2), 1.7, 1.7, 1.0, round=i > 0) for i in range(40)
    )
    body = (-1.27, -1.27, 3.81, 49.53)
    return Footprint("Pins_2x20", pads, body, _rectangle((-1.4, -1.4, 3.94, 49.66)))


def _pico() -> Footprint:
    """Two sockets of 20 pins, 17.78 mm apart; the USB plug reaches over the upper edge."""
    left = tuple(Pad(str(i + 1), 0, 2.54 * i, 1.6, 1.6, 1.0, round=i > 0) for i in range(20))
    right = tuple(Pad(str(40 - i), 17.78, 2.54 * i, 1.6, 1.6, 1.0, round=True) for i in range(20))
    body = (-1.61, -1.37, 19.39, 49.63)
    return Footprint("Pico", left + right, body, _rectangle((-1.75, -1.5, 19.53, 49.8)), overhang=True)


def _rj45() -> Footprint:
    """Contacts in two rows; the plug comes from below, over the board's edge."""
    pads = [Pad(str(i + 1), 1.27 * i, -2.54 * (i % 2), 1.5, 1.5, 0.9, round=i > 0) for i in range(8)]
    pads += [Pad("", x, 6.35, 3.25, 3.25, 3.25, round=True) for x in (-1.27, 10.16)]
    body = (-3.2, -3.77, 12.1, 13.97)
    silk = ((-3.35, -3.92, 12.25, -3.92), (-3.35, -3.92, -3.35, 12), (12.25, -3.92, 12.25, 12))
    return Footprint("RJ45", tuple(pads), body, silk, overhang=True)


def _sip3() -> Footprint:
    pads = tuple(Pad(str(i + 1), 2.54 * i, 0, 1.5, 2.2, 1.0, round=i > 0) for i in range(3))
    body = (-3.4, -7.0, 8.5, 2.0)
    return Footprint("SIP-3", pads, body, _rectangle((-3.55, -7.15, 8.65, 2.15)))


def _wired(name: str, pads: tuple[Pad, ...], body: Box) -> Footprint:
    x1, y1, x2, y2 = body
    return Footprint(name, pads, body, _rectangle((x1 - 0.15, y1 - 0.15, x2 + 0.15, y2 + 0.15)))


def _two(apart: float, size: float, drill: float, *, down: bool = False) -> tuple[Pad, Pad]:
    """Pins 1 and 2, the first square."""
    x, y = (0.0, apart) if down else (apart, 0.0)
    return Pad("1", 0, 0, size, size, drill), Pad("2", x, y, size, size, drill, round=True)


DIP_RIGHT = tuple(Pad(n, 7.62, y, 1.6, 1.6, 0.8, round=True) for n, y in (("3", 2.54), ("4", 0.0)))
PEG = Pad("", 11.25, 0, 2.7, 2.7, 2.7, round=True)
"""Hole for the peg in the middle of a fuse holder."""
TEST_POINT = (-0.75, -0.75, 0.75, 0.75)

FOOTPRINTS = {
    footprint.name: footprint
    for footprint in (
        _chip("R_0805", 1.0, (1.2, 1.4), (2.0, 1.25)),
        _chip("C_0805", 1.0, (1.2, 1.4), (2.0, 1.25)),
        _chip("LED_0805", 1.0, (1.2, 1.4), (2.0, 1.25)),
        _chip("C_1206", 1.56, (1.33, 1.8), (3.2, 1.6)),
        _chip("R_1206", 1.56, (1.33, 1.8), (3.2, 1.6)),
        _chip("L_6045", 2.35, (2.1, 5.7), (6.0, 6.0)),
        _chip("SMA", 2.25, (3.0, 1.8), (4.6, 2.6)),
        _chip("SOD-123", 1.75, (1.3, 1.2), (2.8, 1.6)),
        _chip("1812", 2.22, (1.3, 3.4), (4.5, 3.2)),
        _chip("C_1210", 1.56, (1.33, 2.7), (3.2, 2.5)),
        _shunt(),
        _fine("VSSOP-10", 10, 0.5, Pad("", 2.2, 0, 1.45, 0.3), (-1.5, -1.5, 1.5, 1.5)),
        _fine("SM8", 8, 0.65, Pad("", 1.9, 0, 1.1, 0.4), (-1.4, -1.5, 1.4, 1.5)),
        _sot23(),
        _sot23_5(),
        _sot223(),
        _soic8(),
        *(_pins(count) for count in (2, 4, 7)),
        *(_xh(count) for count in (2, 4, 5, 7)),
        _pins_2x20(),
        _pico(),
        _rj45(),
        _sip3(),
        _wired("Terminal_2", _two(5.08, 2.6, 1.3), (-2.6, -4.2, 7.7, 4.0)),
        _wired("Fuse_5x20", (*_two(22.5, 2.8, 1.4), PEG), (-1.6, -4.8, 24.1, 4.8)),
        _wired("R_Axial", _two(12.7, 1.8, 0.9), (-1, -1.7, 13.7, 1.7)),
        _wired("C_Radial", _two(3.5, 1.8, 0.9), (-2.3, -4.05, 5.8, 4.05)),
        _wired("DIP-4", (*_two(2.54, 1.6, 0.8, down=True), *DIP_RIGHT), (-0.9, -1.4, 8.5, 3.9)),
        Footprint("TestPoint", (Pad("1", 0, 0, 1.5, 1.5, 0.8, round=True),), TEST_POINT, bought=False),
        Footprint("Hole_M3", (Pad("", 0, 0, 3.2, 3.2, 3.2, round=True),), (-3, -3, 3, 3), bought=False),
    )
}  # fmt: skip


def pad_node(pad: Pad, angle: float = 0, extra: tuple = ()) -> list:
    shape = "circle" if pad.round and pad.wide == pad.high else "oval" if pad.round else "rect"
    if not pad.number:
        kind, layers = "np_thru_hole", ["layers", Text("*.Cu"), Text("*.Mask")]
    elif pad.drill:
        kind, layers = "thru_hole", ["layers", Text("*.Cu"), Text("*.Mask")]
    else:
        kind, layers = "smd", ["layers", Text("F.Cu"), Text("F.Mask"), Text("F.Paste")]
    drill = [["drill", pad.drill]] if pad.drill else []
    keep = [["remove_unused_layers", "no"]] if kind == "thru_hole" else []
    at = ["at", pad.x, pad.y, *([angle] if angle else [])]
    return [
        "pad",
        Text(pad.number),
        kind,
        shape,
        at,
        ["size", pad.wide, pad.high],
        *drill,
        layers,
        *keep,
        *extra,
    ]


def line(box: Box, layer: str, width: float, name: object) -> list:
    x1, y1, x2, y2 = box
    return [
        "fp_line", ["start", x1, y1], ["end", x2, y2], ["stroke", ["width", width], ["type", "solid"]],
        ["layer", Text(layer)], ["uuid", uuid(name, layer, box)],
    ]  # fmt: skip


def drawing(footprint: Footprint, name: object) -> list[list]:
    """Lines on silk screen, courtyard and assembly drawing."""
    return [
        *(line(box, "F.SilkS", 0.15, name) for box in footprint.silk),
        *(line(box, "F.CrtYd", 0.05, name) for box in _rectangle(footprint.courtyard)),
        *(line(box, "F.Fab", 0.1, name) for box in _rectangle(footprint.body)),
    ]


def model(footprint: Footprint) -> list[list]:
    """What KiCad's pictures show; bare holes and areas have no model."""
    if not footprint.bought:
        return []
    none = ["xyz", 0, 0, 0]
    return [[
        "model", Text(f"${{KIPRJMOD}}/../library/{MODELS}/{footprint.name}.wrl"),
        ["offset", none], ["scale", ["xyz", 1, 1, 1]], ["rotate", none],
    ]]  # fmt: skip


def attributes(footprint: Footprint) -> list:
    if not footprint.bought:
        return ["attr", "exclude_from_pos_files", "exclude_from_bom"]
    return ["attr", "smd" if footprint.surface else "through_hole"]


def module(footprint: Footprint) -> str:
    """The text of its .kicad_mod."""
    effects = ["effects", ["font", ["size", 0.8, 0.8], ["thickness", 0.12]]]
    name = footprint.name
    body = [
        "footprint", Text(name), ["version", "20241229"], ["generator", Text("make generate")],
        ["generator_version", Text("9.0")], ["layer", Text("F.Cu")],
        *(["property", Text(key), Text(value), ["at", 0, 0, 0], ["layer", Text(layer)],
           ["uuid", uuid(name, key)], effects]
          for key, value, layer in (("Reference", "REF**", "F.SilkS"), ("Value", name, "F.Fab"))),
        attributes(footprint),
        *drawing(footprint, name),
        *(pad_node(pad, extra=(["uuid", uuid(name, index)],)) for index, pad in enumerate(footprint.pads)),
        ["embedded_fonts", "no"],
        *model(footprint),
    ]  # fmt: skip
    return dump(body) + "\n"


def modules() -> dict[str, str]:
    """Files of the footprint library."""
    place = f"hardware/library/{LIBRARY}.pretty"
    return {f"{place}/{name}.kicad_mod": module(footprint) for name, footprint in FOOTPRINTS.items()}
