"""Finds tracks on a board of two layers by searching a grid for the cheapest way; no chance, no KiCad."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import hypot

CELL = 0.25
"""Millimetres; a via counts as eight cells of track."""
VIA, VIA_DRILL = 0.7, 0.3
VIA_COST = 12.0
CLEARANCE = 0.25
HOLE_GAP = 0.3
SINK = 20
"""So many cells around a pad its via to an area of copper is looked for."""

Cell = tuple[int, int, int]
_MOVES = tuple((dx, dy, hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)


class NoWayError(Exception):
    """A connection found no way; `net` is its net."""

    def __init__(self, net: str, pin: str) -> None:
        super().__init__(f"{net} finds no way to {pin}: move parts apart, or route it earlier.")
        self.net = net


@dataclass(frozen=True)
class Shape:
    """Copper or a hole: a box, on these layers (0 front, 1 back), of a net ("" belongs to nobody)."""

    net: str
    x1: float
    y1: float
    x2: float
    y2: float
    layers: tuple[int, ...]
    round: bool = False
    drill: float = 0


@dataclass(frozen=True)
class Track:
    net: str
    start: tuple[float, float]
    end: tuple[float, float]
    layer: int
    width: float


@dataclass(frozen=True)
class Via:
    net: str
    at: tuple[float, float]


@dataclass
class Grid:
    """A board of `wide` × `high` mm with its origin at the upper left; keeps what has been routed."""

    wide: float
    high: float
    shapes: list[Shape]
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.columns = round(self.wide / CELL) + 1
        self.rows = round(self.high / CELL) + 1

    def route(self, net: str, pads: list[Shape], width: float) -> None:
        """Join all pads of the net; raises NoWayError."""
        copper, holes = self._blocked(net, width / 2), self._blocked(net, VIA / 2, vias=True)
        tree = set(self._cells(pads[0]))
        self._stub(pads[0], width)
        rest = list(pads[1:])
        while rest:
            goals = {cell: pad for pad in rest for cell in self._cells(pad)}
            path = _search(tree, goals, copper, holes, self.columns)
            if path is None:
                raise NoWayError(net, f"{rest[0].x1:.1f}, {rest[0].y1:.1f}")
            reached = goals[path[-1]]
            rest.remove(reached)
            self._stub(reached, width)
            self._lay(net, path, width)
            tree |= set(path) | set(self._cells(reached))

    def sink(self, net: str, pads: list[Shape], width: float) -> None:
        """A via beside each pad of the surface, for a net that is an area at the back; raises NoWayError."""
        for pad in pads:
            if 1 in pad.layers:
                continue
            copper, holes = self._blocked(net, width / 2), self._blocked(net, VIA / 2, vias=True)
            (x, y, _), *_ = self._cells(pad)
            goals = {
                (column, row, 0): pad
                for column in range(x - SINK, x + SINK + 1)
                for row in range(y - SINK, y + SINK + 1)
                if 0 < column < self.columns and 0 < row < self.rows
                if not holes[0][row * self.columns + column]
            }
            path = _search(set(self._cells(pad)), goals, copper, holes, self.columns) if goals else None
            if path is None:
                raise NoWayError(net, f"{pad.x1:.1f}, {pad.y1:.1f}")
            self._stub(pad, width)
            self._lay(net, path, width)
            self.vias.append(Via(net, (path[-1][0] * CELL, path[-1][1] * CELL)))

    def _cells(self, pad: Shape) -> list[Cell]:
        x, y = round((pad.x1 + pad.x2) / 2 / CELL), round((pad.y1 + pad.y2) / 2 / CELL)
        return [(x, y, layer) for layer in pad.layers]

    def _stub(self, pad: Shape, width: float) -> None:
        """From the pad's middle to the grid."""
        middle = ((pad.x1 + pad.x2) / 2, (pad.y1 + pad.y2) / 2)
        x, y, layer = self._cells(pad)[0]
        if hypot(middle[0] - x * CELL, middle[1] - y * CELL) > 0.001:
            thin = min(width, pad.x2 - pad.x1, pad.y2 - pad.y1)
            self.tracks.append(Track(pad.net, middle, (x * CELL, y * CELL), layer, thin))

    def _lay(self, net: str, path: list[Cell], width: float) -> None:
        start = path[0]
        for before, here, after in zip(path, path[1:], [*path[2:], None], strict=False):
            if before[2] != here[2]:
                self.vias.append(Via(net, (here[0] * CELL, here[1] * CELL)))
                start = here
            elif after is None or _step(before, here) != _step(here, after):
                self.tracks.append(
                    Track(
                        net,
                        (start[0] * CELL, start[1] * CELL),
                        (here[0] * CELL, here[1] * CELL),
                        here[2],
                        width,
                    )
                )
                start = here

    def _blocked(self, net: str, half: float, *, vias: bool = False) -> tuple[bytearray, bytearray]:
        """Cells of both layers that copper of this half width must not touch."""
        maps = (bytearray(self.columns * self.rows), bytearray(self.columns * self.rows))
        self._edge(maps, half + 0.5)
        for shape in self.shapes:
            if shape.net != net or not shape.net:
                self._fill(maps, shape, half + CLEARANCE)
            elif vias:  # no via in a pad, no hole beside a hole
                self._fill(maps, shape, max(0.1, shape.drill and VIA_DRILL / 2 + HOLE_GAP))
        for track in self.tracks:
            if track.net != net:
                self._track(maps, track, half + CLEARANCE + track.width / 2)
        for via in self.vias:
            far = VIA / 2 + half + CLEARANCE if via.net != net else VIA_DRILL + HOLE_GAP if vias else 0
            if far:
                self._fill(maps, Shape("", *via.at, *via.at, (0, 1)), far)
        if vias:  # a via is on both layers
            both = bytearray(one | other for one, other in zip(*maps, strict=True))
            return both, both
        return maps

    def _edge(self, maps: Iterable[bytearray], far: float) -> None:
        border = int(far / CELL) + 1
        full = b"\1" * self.columns
        for blocked in maps:
            for row in range(self.rows):
                start = row * self.columns
                end = start + self.columns
                if row < border or row >= self.rows - border:
                    blocked[start:end] = full
                else:
                    blocked[start : start + border] = blocked[end - border : end] = full[:border]

    def _fill(self, maps: tuple[bytearray, bytearray], shape: Shape, far: float) -> None:
        round_ = min(shape.x2 - shape.x1, shape.y2 - shape.y1) / 2 if shape.round else 0
        box = (shape.x1 + round_, shape.y1 + round_, shape.x2 - round_, shape.y2 - round_)
        reach = far + round_ - 1e-6
        rows = self._range(box[1], box[3], reach, self.rows)
        for column in self._range(box[0], box[2], reach, self.columns):
            dx = max(box[0] - column * CELL, 0, column * CELL - box[2])
            for row in rows:
                if hypot(dx, max(box[1] - row * CELL, 0, row * CELL - box[3])) >= reach:
                    continue
                for layer in shape.layers:
                    maps[layer][row * self.columns + column] = 1

    def _track(self, maps: tuple[bytearray, bytearray], track: Track, far: float) -> None:
        (x1, y1), (x2, y2) = track.start, track.end
        length = hypot(x2 - x1, y2 - y1) or 1e-9
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        blocked = maps[track.layer]
        for column in self._range(min(x1, x2), max(x1, x2), far, self.columns):
            for row in self._range(min(y1, y2), max(y1, y2), far, self.rows):
                dx, dy = column * CELL - x1, row * CELL - y1
                along = min(max(dx * ux + dy * uy, 0), length)
                if hypot(dx - along * ux, dy - along * uy) < far - 1e-6:
                    blocked[row * self.columns + column] = 1

    @staticmethod
    def _range(low: float, high: float, far: float, count: int) -> range:
        return range(max(0, int((low - far) / CELL)), min(count, int((high + far) / CELL) + 2))


def _step(one: Cell, other: Cell) -> tuple[int, int, int]:
    return other[0] - one[0], other[1] - one[1], other[2] - one[2]


def _search(
    tree: set[Cell],
    goals: dict[Cell, Shape],
    copper: tuple[bytearray, bytearray],
    holes: tuple[bytearray, bytearray],
    columns: int,
) -> list[Cell] | None:
    """A* from the tree to the nearest goal; the goals and the tree themselves may lie in blocked cells."""
    left, right = min(cell[0] for cell in goals), max(cell[0] for cell in goals)
    top, bottom = min(cell[1] for cell in goals), max(cell[1] for cell in goals)

    def ahead(x: int, y: int) -> float:
        dx, dy = max(left - x, 0, x - right), max(top - y, 0, y - bottom)
        return max(dx, dy) + 0.41 * min(dx, dy)

    best = dict.fromkeys(tree, 0.0)
    came: dict[Cell, Cell] = {}
    heap = [(ahead(x, y), 0.0, (x, y, layer)) for x, y, layer in sorted(tree)]
    heap.sort()
    while heap:
        _, cost, here = heappop(heap)
        if here in goals:
            return _way(came, here)
        if cost > best[here]:
            continue
        x, y, layer = here
        steps = [(x + dx, y + dy, layer, length) for dx, dy, length in _MOVES]
        if not holes[0][y * columns + x]:
            steps.append((x, y, 1 - layer, VIA_COST))
        for nx, ny, other, length in steps:
            there = (nx, ny, other)
            if copper[other][ny * columns + nx] and there not in goals:
                continue
            total = cost + length
            if total < best.get(there, 1e9):
                best[there] = total
                came[there] = here
                heappush(heap, (total + ahead(nx, ny), total, there))
    return None


def _way(came: dict[Cell, Cell], here: Cell) -> list[Cell]:
    path = [here]
    while here in came:
        here = came[here]
        path.append(here)
    return path[::-1]
