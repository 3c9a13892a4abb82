"""Bodies of parts from hardware/enclosure/bodies.toml: boxes and cylinders in millimetres."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.kicad_files import Footprint

TABLE = Path(__file__).parents[2] / "hardware" / "enclosure" / "bodies.toml"
Corner = tuple[float, float, float]


class BodyError(Exception):
    """The table has no body for a part, or one that cannot be read."""


@dataclass(frozen=True)
class Block:
    """A box between two corners."""

    low: Corner
    high: Corner
    colour: str


@dataclass(frozen=True)
class Rod:
    """A cylinder from `low` to `high`, which differ along one axis."""

    low: Corner
    high: Corner
    diameter: float
    colour: str

    @property
    def axis(self) -> int:
        return next(axis for axis in (0, 1, 2) if self.low[axis] != self.high[axis])


Solid = Block | Rod


@dataclass(frozen=True)
class Entry:
    """One table of the file; `verified` says whether somebody compared the sizes with their source."""

    source: str
    verified: bool
    solids: tuple[dict, ...]


class Bodies:
    """Raises BodyError for a file that lacks something."""

    def __init__(self, text: str | None = None) -> None:
        tables = tomllib.loads(TABLE.read_text(encoding="utf-8") if text is None else text)
        self.entries = {
            kind: {name: _entry(kind, name, table) for name, table in tables[kind].items()}
            for kind in ("footprint", "plug", "part")
        }

    def part(self, name: str) -> tuple[Solid, ...]:
        """Of a part that lies in a box."""
        return tuple(_solid(solid) for solid in self._entry("part", name).solids)

    def mounted(self, footprint: Footprint) -> tuple[Solid, ...]:
        """On the board: x to the right, y upwards, z from the board's top."""
        return self._on_board("footprint", footprint)

    def plugged(self, footprint: Footprint) -> tuple[Solid, ...]:
        """What is put into it; nothing for parts into which nothing is put."""
        if self._name("plug", footprint.name) is None:
            return ()
        return self._on_board("plug", footprint)

    def _on_board(self, kind: str, footprint: Footprint) -> tuple[Solid, ...]:
        found: list[Solid] = []
        for solid in self._entry(kind, footprint.name).solids:
            found += _at_outline(solid, footprint)
        return tuple(_upwards(solid) for solid in found)

    def _entry(self, kind: str, name: str) -> Entry:
        known = self._name(kind, name)
        if known is None:
            raise BodyError(f'{name} has no body; write [{kind}."{name}"] into {TABLE.name}.')
        return self.entries[kind][known]

    def _name(self, kind: str, name: str) -> str | None:
        """The name itself, or the longest one with a star that it begins with."""
        fitting = [
            known
            for known in self.entries[kind]
            if known == name or (known.endswith("*") and name.startswith(known[:-1]))
        ]
        return max(fitting, key=lambda known: (known == name, len(known)), default=None)


def _entry(kind: str, name: str, table: dict) -> Entry:
    lacking = {"what", "source", "verified", "solids"} - table.keys()
    if lacking:
        raise BodyError(f'[{kind}."{name}"] in {TABLE.name} does not say {", ".join(sorted(lacking))}.')
    return Entry(table["source"], table["verified"], tuple(table["solids"]))


def _solid(solid: dict) -> Solid:
    colour = solid["colour"]
    if "box" in solid:
        x1, y1, z1, x2, y2, z2 = map(float, solid["box"])
        return Block((x1, y1, z1), (x2, y2, z2), colour)
    first, second, start, end, diameter = map(float, solid["rod"])
    match solid.get("axis", "z"):
        case "x":
            low, high = (start, first, second), (end, first, second)
        case "y":
            low, high = (first, start, second), (first, end, second)
        case _:
            low, high = (first, second, start), (first, second, end)
    return Rod(low, high, diameter, colour)


def _at_outline(solid: dict, footprint: Footprint) -> list[Solid]:
    """Outline and pins of the footprint as solids, everything else as it is; y still downwards."""
    x1, y1, x2, y2 = footprint.body
    if "outline" in solid:
        low, high = solid["outline"]
        inset = solid.get("inset", 0)
        if solid.get("round"):
            x, y = (x1 + x2) / 2, (y1 + y2) / 2
            return [Rod((x, y, low), (x, y, high), min(x2 - x1, y2 - y1), solid["colour"])]
        return [
            Block((x1 + inset, y1 + inset, low), (x2 - inset, y2 - inset, high), solid["colour"]),
        ]
    if "pins" in solid:
        low, high, size = solid["pins"]
        half = size / 2
        return [
            Block((pad.x - half, pad.y - half, low), (pad.x + half, pad.y + half, high), solid["colour"])
            for pad in footprint.pads
        ]
    return [_solid(solid)]


def _upwards(solid: Solid) -> Solid:
    """From the footprints' y to one that points upwards on the page."""
    (x1, y1, z1), (x2, y2, z2) = solid.low, solid.high
    if isinstance(solid, Block):
        return Block((x1, -y2, z1), (x2, -y1, z2), solid.colour)
    return Rod((x1, -y2, z1), (x2, -y1, z2), solid.diameter, solid.colour)
