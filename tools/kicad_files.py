"""KiCad's files as they lie in hardware/, read without KiCad: joints of a sheet, places on a board."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import cos, radians, sin
from pathlib import Path

HARDWARE = Path(__file__).parent.parent / "hardware"
BOARDS = ("panel", "node")
Nets = dict[str, set[tuple[str, str]]]
Box = tuple[float, float, float, float]
Point = tuple[float, float]
Place = tuple[int, int]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+')
_UNBOUGHT = {"TP", "H"}


class DrawingError(ValueError):
    """A drawing cannot be used; the text says where and what to do."""


class Text(str):
    """An atom that is written in quotes."""

    __slots__ = ()


@dataclass(frozen=True)
class Kind:
    """What is bought: value, footprint and description of a sheet's part, the number of its pins, and the
    code that the sheet names, if it names one."""

    value: str
    footprint: str
    description: str
    pins: int
    code: str = ""


@dataclass(frozen=True)
class Part:
    """A part of a sheet; `pins` has (name, electrical type) by number, as its symbol says."""

    ref: str
    kind: Kind
    pins: dict[str, tuple[str, str]]

    @property
    def letters(self) -> str:
        return self.ref.rstrip("0123456789")

    @property
    def bought(self) -> bool:
        """False for test points."""
        return self.letters not in _UNBOUGHT

    @property
    def directed(self) -> bool:
        """False where it does not matter which way round the part is."""
        names = {name for name, _ in self.pins.values()}
        return len(self.pins) > 2 or (len(self.pins) == 2 and names != {"~"})

    def pin(self, number: str) -> str:
        """As hardware/netlist.toml writes it."""
        if not self.directed:
            return self.ref
        name = self.pins[number][0]
        return f"{self.ref}.{number}" if name == number else f"{self.ref}.{number} {name}"


@dataclass(frozen=True)
class Pad:
    """Millimetres from the footprint's origin; `drill` 0 is a pad on the surface, no number a bare hole."""

    number: str
    x: float
    y: float
    wide: float
    high: float
    drill: float = 0


@dataclass(frozen=True)
class Footprint:
    """Millimetres, y downwards: outlines of the body and of its room, lines that are printed."""

    name: str
    pads: tuple[Pad, ...]
    body: Box
    courtyard: Box
    silk: tuple[Box, ...] = ()
    bought: bool = True

    @property
    def surface(self) -> bool:
        return all(not pad.drill for pad in self.pads)


@dataclass(frozen=True)
class Placed:
    """A footprint on a board: millimetres from the board's upper left corner, degrees to the left."""

    ref: str
    value: str
    footprint: Footprint
    x: float
    y: float
    angle: float

    def at(self, x: float, y: float) -> Point:
        """A place of the footprint on the board."""
        turn = radians(self.angle)
        return (
            round(self.x + x * cos(turn) + y * sin(turn), 4),
            round(self.y - x * sin(turn) + y * cos(turn), 4),
        )


@dataclass(frozen=True)
class Board:
    """`printed`: texts on the front with their place on the board and their angle. `pads`: net of each
    (reference, pad)."""

    name: str
    wide: float
    high: float
    placed: dict[str, Placed]
    printed: tuple[tuple[str, float, float, float], ...]
    pads: dict[tuple[str, str], str]


def dump(node: object) -> str:
    """The text of nested lists."""
    if isinstance(node, list | tuple):
        return "(" + " ".join(map(dump, node)) + ")\n"
    if isinstance(node, Text):
        return '"' + node.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return str(node)


def parse(text: str) -> list:
    """The outermost list; quoted atoms become Text, others str. Raises ValueError where it does not close."""
    stack: list[list] = [[]]
    for match in _TOKEN.finditer(text):
        atom = match.group()
        if atom == "(":
            stack.append([])
        elif atom == ")":
            if len(stack) == 1:
                raise ValueError("a list is closed that was never opened")
            done = stack.pop()
            stack[-1].append(done)
        elif atom.startswith('"'):
            stack[-1].append(
                Text(re.sub(r"\\(.)", lambda hit: "\n" if hit[1] == "n" else hit[1], atom[1:-1]))
            )
        else:
            stack[-1].append(atom)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError("the file is cut short")
    return stack[0][0]


def children(node: list, name: str) -> Iterator[list]:
    """Lists in `node` that begin with this name."""
    for item in node:
        if isinstance(item, list) and item and item[0] == name:
            yield item


def child(node: list, name: str) -> list:
    """The first of them; raises KeyError where there is none."""
    for item in children(node, name):
        return item
    raise KeyError(name)


def opened(path: Path) -> list:
    """A file as nested lists; raises DrawingError for one that is none of KiCad's."""
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DrawingError(
            f"{path.name} cannot be read as a drawing ({error}); mend it, or take it back with git."
        ) from error


def file(name: str, ending: str, folder: Path = HARDWARE) -> Path:
    """Of the board called so."""
    return folder / name / f"{name}.{ending}"


def _numbers(node: list) -> list[float]:
    return [float(value) for value in node[1:]]


def _fields(node: list) -> dict[str, str]:
    return {str(item[1]): str(item[2]) for item in children(node, "property")}


# ---- sheets


def _pins(sheet: list) -> dict[str, dict[str, list]]:
    """By symbol and number."""
    return {
        str(symbol[1]): {
            str(child(pin, "number")[1]): pin
            for unit in children(symbol, "symbol")
            for pin in children(unit, "pin")
        }
        for symbol in children(child(sheet, "lib_symbols"), "symbol")
    }


def parts(sheet: list) -> dict[str, Part]:
    """By reference, symbols of power and holes left out."""
    found, library = {}, _pins(sheet)
    for symbol in children(sheet, "symbol"):
        fields = _fields(symbol)
        pins = {
            key: (str(child(pin, "name")[1]), str(pin[1]))
            for key, pin in library[str(child(symbol, "lib_id")[1])].items()
        }
        ref, footprint = fields["Reference"], fields["Footprint"].rpartition(":")[2]
        if pins and not ref.startswith("#"):
            told = fields.get("Description", "")
            kind = Kind(fields["Value"], footprint, told, len(pins), fields.get("Part", ""))
            found[ref] = Part(ref, kind, pins)
    return found


@cache
def sheet_parts(name: str) -> dict[str, Part]:
    """Of the board called so."""
    return parts(opened(file(name, "kicad_sch")))


class _Groups:
    """Places that are joined."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}

    def top(self, item: object) -> object:
        while (above := self._above.get(item, item)) != item:
            item = above
        return item

    def join(self, one: object, other: object) -> None:
        self._above.setdefault(one, one)
        self._above[self.top(one)] = self.top(other)


def joined(sheet: list) -> Nets:
    """Net name → pins as (reference, number), power symbols left out. A net without a name is called after
    its first pin. Raises DrawingError where two names are joined."""
    groups = _Groups()
    wires = [
        tuple(_place(point) for point in children(child(wire, "pts"), "xy"))
        for wire in children(sheet, "wire")
    ]
    pins = pin_places(sheet)
    labels = [
        (_place(child(item, "at")), str(item[1]))
        for kind in ("label", "global_label")
        for item in children(sheet, kind)
    ]
    labels += [(place, value) for place, ref, _, value in pins if ref.startswith("#PWR")]
    places = {end for wire in wires for end in wire}
    places |= {place for place, *_ in pins} | {place for place, _ in labels}
    for start, end in wires:
        groups.join(start, end)
        for place in places:
            if _on(place, start, end):
                groups.join(place, start)
    for place, name in labels:
        groups.join(place, name)
    by_top: dict[object, str] = {}
    for name in sorted({name for _, name in labels}):
        if groups.top(name) in by_top:
            raise DrawingError(f"{by_top[groups.top(name)]} and {name} are joined by a wire; take it away.")
        by_top[groups.top(name)] = name
    nets: Nets = {}
    for place, ref, pin, _ in sorted(pins, key=lambda pin: (pin[1], pin[2])):
        if not ref.startswith("#"):
            name = by_top.setdefault(groups.top(place), f"{ref}.{pin}")
            nets.setdefault(name, set()).add((ref, pin))
    return nets


def _place(node: list) -> Place:
    return round(float(node[1]) * 10_000), round(float(node[2]) * 10_000)


def _on(place: Place, start: Place, end: Place) -> bool:
    (x, y), (x1, y1), (x2, y2) = place, start, end
    return min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2)


def pin_places(sheet: list) -> list[tuple[Place, str, str, str]]:
    """Place, reference, number and value of every pin."""
    library = _pins(sheet)
    turns = {0: (1, 0, 0, 1), 90: (0, -1, 1, 0), 180: (-1, 0, 0, -1), 270: (0, 1, -1, 0)}
    found = []
    for symbol in children(sheet, "symbol"):
        x, y, angle = _numbers(child(symbol, "at"))
        a, b, c, d = turns[int(angle)]
        # KiCad mirrors after it has turned
        axis = next((item[1] for item in children(symbol, "mirror")), "")
        across, down = -1 if axis == "y" else 1, -1 if axis == "x" else 1
        fields = _fields(symbol)
        for number, pin in library[str(child(symbol, "lib_id")[1])].items():
            px, py, *_ = _numbers(child(pin, "at"))
            at = ["at", x + across * (a * px + b * py), y - down * (c * px + d * py)]
            found.append((_place(at), fields["Reference"], number, fields["Value"]))
    return found


def same_joints(what: str, net_of: dict[tuple[str, str], str], nets: Nets) -> None:
    """`what` must join the same pins as the sheet, whatever it calls the nets. Raises DrawingError."""
    joints: Nets = {}
    for pin, net in net_of.items():
        joints.setdefault(net, set()).add(pin)
    ours = {frozenset(pins) for pins in nets.values()}
    remedy = "in KiCad: Update PCB from Schematic."
    for net, pins in sorted(joints.items()):
        if frozenset(pins) not in ours:
            listed = ", ".join(f"{ref}.{pin}" for ref, pin in sorted(pins)[:6])
            raise DrawingError(f"{what}: {net} joins {listed}, the sheet does not; {remedy}")
    if len(joints) != len(ours):
        raise DrawingError(f"{what} has {len(joints)} nets, the sheet {len(ours)}; {remedy}")


def netlist(text: str) -> dict[tuple[str, str], str]:
    """(reference, pin) → net name, from `kicad-cli sch export netlist`."""
    return {
        (str(child(item, "ref")[1]), str(child(item, "pin")[1])): str(child(net, "name")[1])
        for net in children(child(parse(text), "nets"), "net")
        for item in children(net, "node")
    }


# ---- boards


@cache
def board(path: Path) -> Board:
    """A .kicad_pcb. Raises DrawingError for a file that is none, or that has no outline."""
    root = opened(path)
    if not (edge := _drawn(root, "gr_", "Edge.Cuts")):
        raise DrawingError(f"{path.name} has no outline on Edge.Cuts; draw it.")
    x1, y1, x2, y2 = _around(edge)
    placed, nets = {}, {}
    for module in children(root, "footprint"):
        fields = _fields(module)
        x, y, *turn = _numbers(child(module, "at"))
        angle = turn[0] if turn else 0.0
        ref = fields["Reference"]
        placed[ref] = Placed(
            ref, fields["Value"], footprint(module), round(x - x1, 4), round(y - y1, 4), angle % 360
        )
        nets |= {
            (ref, str(pad[1])): str(net[2]) for pad in children(module, "pad") for net in children(pad, "net")
        }
    printed = []
    for item in children(root, "gr_text"):
        if child(item, "layer")[1] == "F.SilkS":
            x, y, *turn = _numbers(child(item, "at"))
            printed.append((str(item[1]), x - x1, y - y1, turn[0] if turn else 0.0))
    return Board(path.stem, x2 - x1, y2 - y1, placed, tuple(printed), nets)


def footprint(module: list) -> Footprint:
    """Of a board's (footprint …), or of a .kicad_mod."""
    turned = (_numbers(child(module, "at")) if any(children(module, "at")) else [0.0, 0.0])[2:]
    pads = tuple(_pad(pad, turned[0] if turned else 0.0) for pad in children(module, "pad"))
    body, room = (_drawn(module, "fp_", layer) for layer in ("F.Fab", "F.CrtYd"))
    unbought = any("exclude_from_bom" in item for item in children(module, "attr"))
    return Footprint(
        str(module[1]).rpartition(":")[2],
        tuple(sorted(pads, key=lambda pad: (not pad.number, pad.number.rjust(3)))),
        _around(body),
        _around(room),
        tuple(_drawn(module, "fp_", "F.SilkS")),
        not unbought,
    )


def _pad(pad: list, turned: float) -> Pad:
    x, y, *turn = _numbers(child(pad, "at"))
    wide, high = _numbers(child(pad, "size"))
    if round((turn[0] if turn else 0.0) - turned) % 180 == 90:
        wide, high = high, wide
    drills = [float(value) for item in children(pad, "drill") for value in item[1:2] if value != "oval"]
    return Pad(str(pad[1]), x, y, wide, high, drills[0] if drills else 0)


def _drawn(node: list, prefix: str, layer: str) -> list[Box]:
    """Lines, rectangles and outlines on a layer, each as the box between its ends."""
    found = []
    for item in node:
        if not (isinstance(item, list) and str(item[0]).startswith(prefix)):
            continue
        if not any(on[1] == layer for on in children(item, "layer")) or item[0].endswith("text"):
            continue
        ends = [_numbers(end) for key in ("start", "end") for end in children(item, key)]
        ends += [_numbers(end) for points in children(item, "pts") for end in children(points, "xy")]
        if len(ends) == 2:
            found.append((*ends[0][:2], *ends[1][:2]))
        elif ends:
            found.append(_around([(*end, *end) for end in ends]))
    return found  # type: ignore[return-value]


def _around(boxes: list[Box]) -> Box:
    xs = [value for box in boxes for value in (box[0], box[2])] or [0.0]
    ys = [value for box in boxes for value in (box[1], box[3])] or [0.0]
    return min(xs), min(ys), max(xs), max(ys)
