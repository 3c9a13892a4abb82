"""What is printed at pins: number and label at each pin of a connector, + at a polarised capacitor, 1 at the
first pin of a circuit. `wanted` lists them, `unmarked` reads a finished board and tells what is not there."""

from dataclasses import dataclass
from math import cos, hypot, radians, sin

from tools.drawings.footprints import FOOTPRINTS, Box
from tools.drawings.schematic import Part, Sheet
from tools.drawings.sexpr import child, children, parse

SIZES = (0.8, 0.7)
WIDE = 0.98
"""Of a letter, by its height; the widest ones of KiCad's font."""
NEAR = 6.5
"""A mark begins at most so far from the middle of its pin."""
BARRED = frozenset({"D", "D_Schottky", "D_Zener", "D_TVS", "LED"})
"""Symbols whose footprint prints a bar at the cathode, pin 1."""


Point = tuple[float, float]


@dataclass(frozen=True)
class Mark:
    """`x`, `y`: where the text begins, its end beside the pin; `angle` 0 or 90; `justify` left or right."""

    ref: str
    pin: str
    text: str
    x: float
    y: float
    angle: int
    justify: str
    size: float

    @property
    def box(self) -> Box:
        long, half = len(self.text) * self.size * WIDE, self.size * 0.62
        if self.angle:  # read from below: left begins at the bottom
            ends = (self.y - long, self.y) if self.justify == "left" else (self.y, self.y + long)
            return self.x - half, ends[0], self.x + half, ends[1]
        ends = (self.x, self.x + long) if self.justify == "left" else (self.x - long, self.x)
        return ends[0], self.y - half, ends[1], self.y + half


def wanted(sheet: Sheet) -> dict[tuple[str, str], str]:
    """(reference, pin) → text of every mark that the sheet's parts need."""
    texts = {(ref, pin): f"{pin} {label.split(',')[0]}" for (ref, pin), label in sheet.labels.items()}
    for part in sheet.parts.values():
        if part.symbol.name == "C_Polar":
            texts[part.ref, "1"] = "+"
        elif part.symbol.prefix == "U" or part.symbol.name in {"Pi_header", "TVS_2"}:
            texts[part.ref, "1"] = "1"
        elif part.symbol.prefix == "TP":
            texts[part.ref, "1"] = part.kind.value.replace("_", " ")
    return texts


def places(pad: tuple[float, float], around: Box, text: str, *, alone: bool = False) -> list[Mark]:
    """Beside what stands in the box `around`, the nearest first. At a pad that is alone a long text may lie
    across, above or below."""
    x, y = pad
    x1, y1, x2, y2 = around
    found = []
    for size in SIZES:
        for gap in (0.25, 0.6, 1.2, 2.0, 3.0):
            half = size * 0.62 + gap
            spots = [
                (x2 + gap, y, 0, "left"),
                (x1 - gap, y, 0, "right"),
                (x, y2 + gap, 90, "right"),
                (x, y1 - gap, 90, "left"),
            ]
            if alone or len(text) < 3:
                wide = len(text) * size * WIDE / 2
                spots += [(x - wide, y1 - half, 0, "left"), (x - wide, y2 + half, 0, "left")]
            spots.sort(key=lambda spot: hypot(spot[0] - x, spot[1] - y))
            found += [Mark("", "", text, sx, sy, angle, justify, size) for sx, sy, angle, justify in spots]
    return found


def belongs(x: float, y: float, pin: tuple[float, float], others: list[tuple[float, float]]) -> bool:
    """Whether a text that begins at x, y is read with this pin and with none of the others."""
    far = hypot(x - pin[0], y - pin[1])
    return far < NEAR and all(hypot(x - ox, y - oy) > far for ox, oy in others)


def unmarked(board: str, sheet: Sheet) -> list[str]:
    """What the board does not print: a sentence for each pin or part, none for a board that is right."""
    root = parse(board)
    printed = [
        (str(item[1]), *(float(value) for value in child(item, "at")[1:4]))
        for item in children(root, "gr_text")
        if str(child(item, "layer")[1]) == "F.SilkS"
    ]
    pads = _pads(root)
    missing = []
    for (ref, pin), text in wanted(sheet).items():
        twins = [place for (other, number), place in pads.items() if other == ref and number != pin]
        here = pads[ref, pin]
        if not any(said == text and _points(spot, here, twins) for said, *spot in printed):
            missing.append(f'{sheet.name}: "{text}" is not printed at pin {pin} of {ref}; run `make board`.')
    return missing + [
        f"{sheet.name}: {part.kind.footprint} of {part.ref} has no bar at its cathode."
        for part in sheet.parts.values()
        if part.symbol.name in BARRED and not _bar(part)
    ]


def _points(spot: list[float], here: Point, twins: list[Point]) -> bool:
    """A text at this place and angle belongs to the pin `here`: it is the nearest of all, or the nearest of
    those that stand in line with the text."""
    x, y, angle = spot

    def far(pin: Point) -> float:
        return hypot(x - pin[0], y - pin[1])

    def aside(pin: Point) -> float:
        return abs(x - pin[0]) if angle else abs(y - pin[1])

    if far(here) >= NEAR:
        return False
    in_line = [other for other in twins if aside(other) <= aside(here) + 0.1]
    return all(far(other) > far(here) for other in twins) or (
        aside(here) < 0.1 and all(far(other) > far(here) for other in in_line)
    )


def _bar(part: Part) -> bool:
    """A line across, beyond pin 1."""
    footprint = FOOTPRINTS[part.kind.footprint]
    edge = min(pad.x - pad.wide / 2 for pad in footprint.pads if pad.number == "1")
    return any(x1 == x2 < edge for x1, _, x2, _ in footprint.silk)


def _pads(root: list) -> dict[tuple[str, str], tuple[float, float]]:
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for module in children(root, "footprint"):
        ref = next(str(item[2]) for item in children(module, "property") if item[1] == "Reference")
        x, y, *turn = (float(value) for value in child(module, "at")[1:])
        angle = radians(turn[0] if turn else 0)
        for pad in children(module, "pad"):
            px, py = float(child(pad, "at")[1]), float(child(pad, "at")[2])
            at = (x + px * cos(angle) + py * sin(angle), y - px * sin(angle) + py * cos(angle))
            found.setdefault((ref, str(pad[1])), at)
    return found
