"""Which pins a sheet joins, read from the .kicad_sch itself without KiCad, and compared with the pin map."""

from pathlib import Path

from tools.drawings.sexpr import child, children, parse
from tools.pinmap import PI_SUPPLY, Pinmap

Place = tuple[int, int]
Nets = dict[str, set[tuple[str, str]]]
_HEADERS = {"panel": "J1", "node": "U1"}


class DrawingError(ValueError):
    """A drawing does not fit the pin map; the text says where and what to do."""


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


def opened(path: Path) -> list:
    """A sheet as nested lists; raises DrawingError for a file that is none."""
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DrawingError(
            f"{path.name} cannot be read as a drawing ({error}); run `make generate`."
        ) from error


def read(path: Path) -> Nets:
    """The nets of a sheet's file. Raises DrawingError for a file that is no sheet."""
    return joined(opened(path))


def joined(sheet: list) -> Nets:
    """Net name → pins as (reference, number), power symbols left out. A net without a name is called after
    its first pin. Raises DrawingError where two names are joined."""
    groups = _Groups()
    wires = [
        tuple(_place(point) for point in children(child(wire, "pts"), "xy"))
        for wire in children(sheet, "wire")
    ]
    ends = {end for wire in wires for end in wire}
    pins = pin_places(sheet)
    labels = [
        (_place(child(item, "at")), str(item[1]))
        for kind in ("label", "global_label")
        for item in children(sheet, kind)
    ]
    places = ends | {place for place, *_ in pins} | {place for place, _ in labels}
    for start, end in wires:
        groups.join(start, end)
        for place in places:
            if _on(place, start, end):
                groups.join(place, start)
    for place, name in labels:
        groups.join(place, name)
    for place, ref, _, value in pins:
        if ref.startswith("#PWR"):
            groups.join(place, value)
    return _named(
        groups, pins, {name for _, name in labels} | {v for _, r, _, v in pins if r.startswith("#PWR")}
    )


def _named(groups: _Groups, pins: list[tuple[Place, str, str, str]], names: set[str]) -> Nets:
    by_top: dict[object, str] = {}
    for name in sorted(names):
        if groups.top(name) in by_top:
            raise DrawingError(f"{by_top[groups.top(name)]} and {name} are joined by a wire; take it away.")
        by_top[groups.top(name)] = name
    nets: Nets = {}
    for place, ref, number, _ in sorted(pins, key=lambda pin: (pin[1], pin[2])):
        if not ref.startswith("#"):
            name = by_top.setdefault(groups.top(place), f"{ref}.{number}")
            nets.setdefault(name, set()).add((ref, number))
    return nets


def _place(node: list) -> Place:
    return round(float(node[1]) * 10_000), round(float(node[2]) * 10_000)


def _on(place: Place, start: Place, end: Place) -> bool:
    (x, y), (x1, y1), (x2, y2) = place, start, end
    return min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2)


def pin_places(sheet: list) -> list[tuple[Place, str, str, str]]:
    """Place, reference, number and value of every pin."""
    library = {
        str(symbol[1]): [
            (str(child(pin, "number")[1]), float(child(pin, "at")[1]), float(child(pin, "at")[2]))
            for unit in children(symbol, "symbol")
            for pin in children(unit, "pin")
        ]
        for symbol in children(child(sheet, "lib_symbols"), "symbol")
    }
    turns = {"0": (1, 0, 0, 1), "90": (0, -1, 1, 0), "180": (-1, 0, 0, -1), "270": (0, 1, -1, 0)}
    found = []
    for symbol in children(sheet, "symbol"):
        _, x, y, angle = child(symbol, "at")
        a, b, c, d = turns[angle]
        fields = {str(item[1]): str(item[2]) for item in children(symbol, "property")}
        for number, px, py in library[str(child(symbol, "lib_id")[1])]:
            at = ["at", float(x) + a * px + b * py, float(y) - (c * px + d * py)]
            found.append((_place(at), fields["Reference"], number, fields["Value"]))
    return found


def pads(path: Path) -> dict[tuple[str, str], str]:
    """(reference, pad) → net of a board's file. Raises DrawingError for a file that is no board."""
    try:
        board = parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DrawingError(f"{path.name} cannot be read as a board ({error}); run `make board`.") from error
    found = {}
    for module in children(board, "footprint"):
        ref = next(str(item[2]) for item in children(module, "property") if item[1] == "Reference")
        for pad in children(module, "pad"):
            for net in children(pad, "net"):
                found[ref, str(pad[1])] = str(net[2])
    return found


def same_joints(what: str, net_of: dict[tuple[str, str], str], nets: Nets) -> None:
    """`what` must join the same pins as the sheet, whatever it calls the nets. Raises DrawingError."""
    joined: Nets = {}
    for pin, net in net_of.items():
        joined.setdefault(net, set()).add(pin)
    ours = {frozenset(pins) for pins in nets.values()}
    for net, pins in sorted(joined.items()):
        if frozenset(pins) not in ours:
            listed = ", ".join(f"{ref}.{pin}" for ref, pin in sorted(pins)[:6])
            raise DrawingError(f"{what}: {net} joins {listed}, the sheet does not; run `make board`.")
    if len(joined) != len(ours):
        raise DrawingError(f"{what} has {len(joined)} nets, the sheet {len(ours)}; run `make board`.")


def compare(board: str, nets: Nets, pinmap: Pinmap) -> None:
    """Every pin of the header and of the connectors must carry the net that the pin map says.

    Raises DrawingError with the first difference.
    """
    net_of = {pin: name for name, pins in nets.items() for pin in pins}
    header = _HEADERS[board]
    wanted = {(header, str(pin)): net for pin, net in pinmap.header_nets(board).items()}
    if board == "panel":
        wanted |= {(header, str(pin)): net for net, pins in PI_SUPPLY.items() for pin in pins}
    for connector in pinmap.of(board):
        wanted |= {(connector.ref, str(wire.pin)): wire.net for wire in connector.wires}
    for (ref, pin), net in wanted.items():
        drawn = net_of.get((ref, pin), "nothing")
        if drawn != net:
            raise DrawingError(
                f"{board}: pin {pin} of {ref} is on {drawn}, but the pin map says {net}; "
                "run `make generate`, or mend hardware/pinmap.toml."
            )
    connectors = {connector.ref for connector in pinmap.of(board)}
    drawn_refs = {ref for pins in nets.values() for ref, _ in pins if ref.startswith("J")} - {header}
    for ref in sorted(drawn_refs - connectors):
        raise DrawingError(f"{board}: connector {ref} is drawn but not in the pin map; add it there.")
