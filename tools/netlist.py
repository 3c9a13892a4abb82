"""hardware/netlist.toml, which a person writes by hand, and the pin map, against a sheet's parts and joints.

No part of it may carry more volts than it bears.
"""

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tools.kicad_files import DrawingError, Nets, Part, joined, parts
from tools.pinmap import PI_SUPPLY, Pinmap

Joint = tuple[str, ...]
"""What a net joins, sorted: "R4" for an end of a part without direction, otherwise "U3.4 D" or "J1.4"."""
_HEADERS = {"panel": "J1", "node": "U1"}


@dataclass(frozen=True)
class Wanted:
    """One board of the file: part → value, net → what it joins, and net → the most volts that it carries.
    Pins that are joined to nothing have nets of their own."""

    values: dict[str, str]
    nets: dict[str, Joint]
    volts: dict[str, float]


@dataclass(frozen=True)
class Netlist:
    """The file. `connectors`: kind of a connector in the pin map → footprint that it is soldered to.
    `ratings`: value of a part, or value and pin, → the most volts that it bears."""

    boards: dict[str, Wanted]
    connectors: dict[str, str]
    ratings: dict[str, float]


def load(path: Path) -> Netlist:
    """Raises DrawingError for a file that cannot be read, or that says something twice."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise DrawingError(f"{path.name} cannot be read ({error}); mend it.") from error
    connectors, ratings = table.pop("connectors", {}), table.pop("ratings", {})
    return Netlist({name: _wanted(name, board) for name, board in table.items()}, connectors, ratings)


def _wanted(name: str, board: dict) -> Wanted:
    for section in ("values", "nets", "volts", "unused"):
        if section not in board:
            raise DrawingError(f"netlist.toml has no section [{name}.{section}]; put it back.")
    values: dict[str, str] = {}
    for value, refs in board["values"].items():
        for ref in refs:
            if ref in values:
                raise DrawingError(f"netlist.toml: {ref} of the {name} has two values; take one away.")
            values[ref] = value
    nets = {net: tuple(sorted(pins)) for net, pins in board["nets"].items()}
    nets |= {
        f"unused {ref}.{pin}": (f"{ref}.{pin}",) for ref, pins in board["unused"].items() for pin in pins
    }
    for pin, count in Counter(pin for pins in nets.values() for pin in pins).items():
        ends = 1 if "." in pin or pin.startswith("TP") else 2
        if count != ends:
            times = "once" if count == 1 else f"{count} times"
            plural = "s" if ends > 1 else ""
            raise DrawingError(
                f"netlist.toml: {pin} of the {name} is listed {times}; it has {ends} end{plural}."
            )
    volts = {net: float(most) for most, names in board["volts"].items() for net in names}
    return Wanted(values, nets, volts)


def fits(board: str, sheet: list, wanted: Wanted) -> None:
    """Parts, values and joints of the sheet must be those of the hand-written list.

    Raises DrawingError with the first difference.
    """
    drawn = parts(sheet)
    _same_parts(board, drawn, wanted.values)
    nets = {
        name: tuple(sorted(drawn[ref].pin(number) for ref, number in pins))
        for name, pins in joined(sheet).items()
    }
    for name, pins in wanted.nets.items():
        found = nets.get(name, ()) if name.isupper() else _nearest(pins, nets)
        if found != pins:
            raise DrawingError(_other(board, name, pins, found))
    listed = set(wanted.nets.values())
    for name, pins in nets.items():
        if pins not in listed:
            raise DrawingError(
                f"{board}: {name} joins {', '.join(pins)}, but netlist.toml has no such net; "
                "mend one of them."
            )


def connectors_fit(board: str, sheet: list, pinmap: Pinmap, footprints: dict[str, str]) -> None:
    """Each connector must stand on the footprint of its kind; raises DrawingError for one that does not."""
    drawn = parts(sheet)
    for connector in pinmap.of(board):
        wanted = footprints.get(connector.kind)
        if wanted is None:
            raise DrawingError(
                f'{board}: {connector.ref} is a "{connector.kind}", which [connectors] of netlist.toml '
                "does not know; add it there with its footprint."
            )
        if (found := drawn[connector.ref].kind.footprint) != wanted:
            raise DrawingError(
                f'{board}: {connector.ref} is a "{connector.kind}" in the pin map, which needs {wanted}, '
                f"but stands on {found}; mend one of them."
            )


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
                f"{board}: pin {pin} of {ref} is on {drawn}, but the pin map says {net}; mend one of them."
            )
    connectors = {connector.ref for connector in pinmap.of(board)}
    drawn_refs = {ref for pins in nets.values() for ref, _ in pins if ref.startswith("J")} - {header}
    for ref in sorted(drawn_refs - connectors):
        raise DrawingError(f"{board}: connector {ref} is drawn but not in the pin map; add it there.")


def _same_parts(board: str, drawn: dict[str, Part], values: dict[str, str]) -> None:
    valued = {ref: part.kind.value for ref, part in drawn.items() if not _named_elsewhere(ref, values)}
    for ref in sorted(valued.keys() | values.keys()):
        if ref not in valued:
            raise DrawingError(
                f"{board}: {ref} is not drawn, but netlist.toml wants it with {values[ref]}; "
                "mend one of them."
            )
        if valued[ref] != values.get(ref):
            raise DrawingError(
                f"{board}: {ref} is {valued[ref]}, but netlist.toml says {values.get(ref, 'nothing of it')}; "
                "mend one of them."
            )


def _named_elsewhere(ref: str, values: dict[str, str]) -> bool:
    """Test points, and connectors that the pin map names, carry their name and no value."""
    return ref.startswith(("TP", "J")) and ref not in values


def _nearest(pins: Joint, nets: dict[str, Joint]) -> Joint:
    """What is drawn in place of it: the net that differs least from it."""
    return min(nets.values(), key=lambda other: len(set(other) ^ set(pins)), default=())


def _other(board: str, name: str, wanted: Joint, drawn: Joint) -> str:
    """The sentence about a net that joins something else."""
    missing = sorted((Counter(wanted) - Counter(drawn)).elements())
    more = sorted((Counter(drawn) - Counter(wanted)).elements())
    said = [f"without {', '.join(missing)}"] if missing else []
    said += [f"with {', '.join(more)}"] if more else []
    return f"{board}: {name} is drawn {' and '.join(said)}, other than netlist.toml says; mend one of them."


RATED = ("C", "D", "F", "Q", "U")
"""First letters of the parts that need a rating; resistors, coils and what people plug in need none."""
OTHERS = "others"


def bear(listed: Netlist) -> None:
    """Raises DrawingError with the first part that carries more than its rating, or that has none."""
    for name, board in listed.boards.items():
        unknown = sorted(board.volts.keys() - board.nets.keys() - {OTHERS})
        if unknown:
            raise DrawingError(
                f"netlist.toml: [{name}.volts] names {unknown[0]}, which is no net; mend its name."
            )
        if OTHERS not in board.volts:
            raise DrawingError(
                f'netlist.toml: [{name}.volts] needs "{OTHERS}" for nets that it does not name.'
            )
        for net, pins in board.nets.items():
            for pin in pins:
                _bears(name, board, listed.ratings, net, pin)


def _bears(name: str, board: Wanted, ratings: dict[str, float], net: str, pin: str) -> None:
    place, _, function = pin.partition(" ")
    ref = place.partition(".")[0]
    value = board.values.get(ref, "")
    volts = board.volts.get(net, board.volts[OTHERS])
    if not ref.startswith(RATED) or net.startswith("unused"):
        return
    rating = ratings.get(f"{value} {function}", ratings.get(value))
    if rating is None:
        raise DrawingError(
            f"netlist.toml: [ratings] has no volts for {value} ({ref} of the {name}); add them."
        )
    if volts > rating:
        raise DrawingError(
            f"{name}: {pin} ({value}) bears {rating:g} V, but {net} can carry {volts:g} V; "
            "fit a part for more."
        )
