"""A sheet that is drawn by calls: parts at places, wires between their pins.

All places are in steps of 1.27 mm, with y downwards as on paper."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from tools.drawings.sexpr import Text, dump, uuid
from tools.drawings.symbols import FONT, HIDDEN, LIBRARY, STEP, SYMBOLS, Symbol, definition

Point = tuple[int, int]
STATE = "paper"
LIFT = {"PMOS": 3.2, "PMOS_SOT223": 3.2}
"""How far above its middle the text of a lying part begins, where it is not a thin one."""
_TURN = {0: (1, 0, 0, 1), 90: (0, -1, 1, 0), 180: (-1, 0, 0, -1), 270: (0, 1, -1, 0)}


@dataclass(frozen=True)
class Kind:
    """What is bought: value on the drawing, footprint, and the line in the list of parts."""

    value: str
    footprint: str
    description: str
    maker_part: str = ""


@dataclass(frozen=True)
class Part:
    """A symbol on the sheet. `at(number)` is where a wire meets its pin."""

    ref: str
    symbol: Symbol
    kind: Kind
    x: int
    y: int
    angle: int

    def at(self, number: str) -> Point:
        pin = self.symbol.by_number[number]
        a, b, c, d = _TURN[self.angle]
        return self.x + a * pin.x + b * pin.y, self.y - (c * pin.x + d * pin.y)


@dataclass
class Sheet:
    """Raises ValueError when two parts get one reference."""

    name: str
    title: str
    comments: tuple[str, ...]
    parts: dict[str, Part] = field(default_factory=dict)
    _wires: list[tuple[Point, Point]] = field(default_factory=list)
    _items: list[list] = field(default_factory=list)
    _ends: Counter[Point] = field(default_factory=Counter)
    _powers: int = 0
    labels: dict[tuple[str, str], str] = field(default_factory=dict)
    """(reference, pin) of each connector to what is printed at the pin."""

    def put(self, symbol: str | Symbol, ref: str, kind: Kind, at: Point, *, angle: int = 0) -> Part:
        """Place a part; `angle` turns it to the left in steps of 90 degrees."""
        if ref in self.parts:
            raise ValueError(f"{self.name}: {ref} is drawn twice; give one of them another number")
        drawn = SYMBOLS[symbol] if isinstance(symbol, str) else symbol
        part = Part(ref, drawn, kind, *at, angle)
        self.parts[ref] = part
        self._pins(part)
        return part

    def power(self, net: str, at: Point) -> None:
        """GND or a supply; GND hangs, the others stand."""
        self._powers += 1
        self._special(net, f"#PWR{self._powers:02d}", at)

    def flag(self, at: Point) -> None:
        """Tells the checker that power comes in here."""
        self._powers += 1
        self._special("PWR_FLAG", f"#FLG{self._powers:02d}", at)

    def wire(self, *points: Point) -> None:
        """Lines from point to point; where two do not stand in line the wire goes sideways first."""
        for start, end in pairwise(points):
            corner = (end[0], start[1])
            for one, other in ((start, corner), (corner, end)):
                if one != other:
                    self._wires.append((one, other))
                    self._ends.update((one, other))

    def label(self, net: str, at: Point, *, left: bool = False) -> None:
        """Name the wire under `at`; the text runs to the right unless `left`."""
        justify = ["justify", "right" if left else "left", "bottom"]
        angle = 180 if left else 0
        self._items.append(
            [
                "label",
                Text(net),
                ["at", *_mm(at), angle],
                [*FONT, justify],
                ["uuid", uuid(self.name, net, at)],
            ]
        )

    def port(self, net: str, at: Point, *, shape: str = "bidirectional", left: bool = False) -> None:
        """A name that joins wires over the whole sheet; with `left` the flag stands left of its wire."""
        justify = ["justify", "right" if left else "left"]
        self._items.append(
            [
                "global_label", Text(net), ["shape", shape], ["at", *_mm(at), 180 if left else 0],
                [*FONT, justify], ["uuid", uuid(self.name, "port", net, at)],
            ]
        )  # fmt: skip

    def unused(self, at: Point) -> None:
        self._items.append(["no_connect", ["at", *_mm(at)], ["uuid", uuid(self.name, "unused", at)]])

    def text(self, text: str, at: Point, size: float = 1.5) -> None:
        effects = ["effects", ["font", ["size", size, size]], ["justify", "left", "bottom"]]
        self._items.append(
            ["text", Text(text), ["exclude_from_sim", "no"], ["at", *_mm(at), 0], effects,
             ["uuid", uuid(self.name, text, at)]]
        )  # fmt: skip

    def frame(self, title: str, corner: Point, other: Point) -> None:
        """A dashed box around a group, with its title inside at the top."""
        self._items.append(
            [
                "rectangle", ["start", *_mm(corner)], ["end", *_mm(other)],
                ["stroke", ["width", 0.15], ["type", "dash"]], ["fill", ["type", "none"]],
                ["uuid", uuid(self.name, title, corner)],
            ]
        )  # fmt: skip
        self.text(title, (corner[0] + 1, corner[1] + 3), 2)

    def file(self) -> str:
        """The text of the .kicad_sch."""
        root = uuid(self.name, "sheet")
        dots = self._junctions()
        used = {part.symbol.name: part.symbol for part in self.parts.values()}
        comments = [["comment", number, Text(line)] for number, line in enumerate(self.comments, 1)]
        body = [
            "kicad_sch",
            ["version", "20250114"],
            ["generator", Text("make generate")],
            ["generator_version", Text("9.0")],
            ["uuid", root],
            ["paper", Text("A3")],
            ["title_block", ["title", Text(self.title)], ["rev", Text("2")], *comments],
            ["lib_symbols", *(definition(used[name], library=False) for name in sorted(used))],
            *([["junction", ["at", *_mm(at)], ["diameter", 0], ["color", 0, 0, 0, 0],
                ["uuid", uuid(self.name, "dot", at)]]
               for at in dots]),
            *([["wire", ["pts", ["xy", *_mm(one)], ["xy", *_mm(other)]],
                ["stroke", ["width", 0], ["type", "default"]], ["uuid", uuid(self.name, "wire", index)]]
               for index, (one, other) in enumerate(_pieces(self._wires, dots))]),
            *self._items,
            *(_instance(self.name, root, part) for part in self.parts.values()),
            ["sheet_instances", ["path", Text("/"), ["page", Text("1")]]],
            ["embedded_fonts", "no"],
        ]  # fmt: skip
        return dump(body) + "\n"

    def _special(self, symbol: str, ref: str, at: Point) -> None:
        part = Part(ref, SYMBOLS[symbol], Kind(symbol, "", ""), *at, 0)
        self.parts[ref] = part
        self._pins(part)

    def _pins(self, part: Part) -> None:
        self._ends.update(part.at(number) for number in part.symbol.by_number)

    def _junctions(self) -> list[Point]:
        """Where three ends meet, or an end meets the middle of a wire."""
        return sorted(
            point
            for point, count in self._ends.items()
            if count > 2 or (count >= 1 and any(_inside(point, wire) for wire in self._wires))
        )


def _inside(point: Point, wire: tuple[Point, Point]) -> bool:
    (x, y), ((x1, y1), (x2, y2)) = point, wire
    if point in wire:
        return False
    return (x == x1 == x2 and min(y1, y2) < y < max(y1, y2)) or (
        y == y1 == y2 and min(x1, x2) < x < max(x1, x2)
    )


def _pieces(wires: list[tuple[Point, Point]], dots: list[Point]) -> list[tuple[Point, Point]]:
    """Each wire in pieces from dot to dot: KiCad joins only ends."""
    pieces = []
    for one, other in wires:
        stops = sorted({one, other} | {dot for dot in dots if _inside(dot, (one, other))})
        pieces += list(pairwise(stops))
    return pieces


def _mm(point: Point) -> tuple[float, float]:
    return round(point[0] * STEP, 4), round(point[1] * STEP, 4)


def _instance(project: str, root: Text, part: Part) -> list:
    symbol = part.symbol
    listed = "no" if symbol.prefix in {"#PWR", "#FLG", "H", "TP"} else "yes"
    board = "no" if symbol.power else "yes"
    own = uuid(project, part.ref)
    return [
        "symbol",
        ["lib_id", Text(f"{LIBRARY}:{symbol.name}")],
        ["at", *_mm((part.x, part.y)), part.angle],
        ["unit", 1],
        ["exclude_from_sim", "no"], ["in_bom", listed], ["on_board", board], ["dnp", "no"],
        ["uuid", own],
        *_fields(part),
        *(["pin", Text(number), ["uuid", uuid(project, part.ref, number)]] for number in symbol.by_number),
        ["instances", ["project", Text(project),
                       ["path", Text(f"/{root}"), ["reference", Text(part.ref)], ["unit", 1]]]],
    ]  # fmt: skip


def _fields(part: Part) -> list[list]:
    symbol, kind = part.symbol, part.kind
    fields = []
    for key, text, (x, y, side) in (
        ("Reference", part.ref, symbol.texts[0]),
        ("Value", kind.value, symbol.texts[1]),
    ):
        turned = part.angle in {90, 270}
        if turned:  # beside a lying part there is no room: above and below
            x, y, side = (0, LIFT.get(symbol.name, 1.8), "") if key == "Reference" else (0, -1.9, "")  # noqa: PLW2901
            if symbol.name in LIFT and key == "Value":
                y = LIFT[symbol.name] + 2  # noqa: PLW2901
        place = [round((part.x + x) * STEP, 4), round((part.y - y) * STEP, 4), 90 if turned else 0]
        if part.angle == 180 and side:
            side = "right"  # noqa: PLW2901  KiCad turns the side with the part
        effects = [*FONT, ["justify", side]] if side else list(FONT)
        if (symbol.prefix.startswith("#") and key == "Reference") or symbol.name == "PWR_FLAG":
            effects = list(HIDDEN)
        fields.append(["property", Text(key), Text(text), ["at", *place], effects])
    for key, text in (
        ("Footprint", f"{LIBRARY}:{kind.footprint}" if kind.footprint else ""),
        ("Datasheet", ""),
        ("Description", kind.description),
        ("Part", kind.maker_part),
    ):
        fields.append(["property", Text(key), Text(text), ["at", *_mm((part.x, part.y)), 0], HIDDEN])
    return fields
