"""Errors that are planted into a copy of a sheet, one at a time, and that a judge must find."""

import tomllib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from tools.kicad_files import Text, child, children, pin_places

Spoil = Callable[[list], None]


@dataclass(frozen=True)
class Planted:
    """`spoil` changes the lists of a sheet. `says` stands in what the comparison with hardware/netlist.toml
    tells; `kicad` is the kind of violation that KiCad must name too, where its rules can see the error."""

    what: str
    spoil: Spoil
    says: str
    kicad: str = ""


def value(ref: str, other: str) -> Spoil:
    """Another part is fitted."""

    def spoil(sheet: list) -> None:
        for field in children(_part(sheet, ref), "property"):
            if field[1] == "Value":
                field[2] = Text(other)

    return spoil


def missing(ref: str) -> Spoil:
    """The part is not there; its wires stay."""
    return lambda sheet: sheet.remove(_part(sheet, ref))


def bridged(ref: str) -> Spoil:
    """A wire stands in the place of a part of two pins."""

    def spoil(sheet: list) -> None:
        ends = [["xy", x, y] for _, (x, y) in sorted(_places(sheet, ref).items())]
        sheet.remove(_part(sheet, ref))
        sheet.append(["wire", ["pts", *ends], ["stroke", ["width", 0], ["type", "default"]]])

    return spoil


def crossed(ref: str, one: str, other: str) -> Spoil:
    """Two pins of the part have changed places under its wires."""

    def spoil(sheet: list) -> None:
        part, library = _part(sheet, ref), child(sheet, "lib_symbols")
        name = child(part, "lib_id")[1]
        symbol = deepcopy(next(item for item in children(library, "symbol") if item[1] == name))
        units = list(children(symbol, "symbol"))
        pins = {child(pin, "number")[1]: pin for unit in units for pin in children(unit, "pin")}
        for key in ("at", "length"):
            a, b = child(pins[one], key), child(pins[other], key)
            a[:], b[:] = b[:], a[:]
        symbol[1] = Text(f"{name}_crossed")
        for number, unit in enumerate(units):
            unit[1] = Text(f"{name.partition(':')[2]}_crossed_{number}_1")
        library.append(symbol)
        child(part, "lib_id")[1] = symbol[1]

    return spoil


def cut(ref: str, number: str) -> Spoil:
    """No wire reaches the pin."""

    def spoil(sheet: list) -> None:
        place = _places(sheet, ref)[number]
        for wire in list(children(sheet, "wire")):
            if any(_xy(point) == place for point in children(child(wire, "pts"), "xy")):
                sheet.remove(wire)

    return spoil


def _part(sheet: list, ref: str) -> list:
    for symbol in children(sheet, "symbol"):
        if any(field[1:3] == ["Reference", ref] for field in children(symbol, "property")):
            return symbol
    raise KeyError(f"{ref} is not on the sheet; choose another part for the planted error.")


def _places(sheet: list, ref: str) -> dict[str, tuple[float, float]]:
    """Millimetres of each pin's end."""
    return {number: (x / 10_000, y / 10_000) for (x, y), of, number, _ in pin_places(sheet) if of == ref}


def _xy(node: list) -> tuple[float, float]:
    return round(float(node[1]), 4), round(float(node[2]), 4)


SPOILS: dict[str, Callable[..., Spoil]] = {
    made.__name__: made for made in (value, missing, bridged, crossed, cut)
}


def planted(path: Path) -> dict[str, list[Planted]]:
    """The errors of hardware/planted.toml, by board."""
    boards = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: [
            Planted(row["what"], SPOILS[row["spoil"]](*row["at"]), row["says"], row.get("kicad", ""))
            for row in rows
        ]
        for name, rows in boards.items()
    }
