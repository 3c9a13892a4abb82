"""Errors that are planted into a copy of a sheet, one at a time, and that a judge must find."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

from tools.drawings.nets import pin_places
from tools.drawings.sexpr import Text, child, children

Spoil = Callable[[list], None]


@dataclass(frozen=True)
class Planted:
    """An error on the sheet of `board`. `spoil` changes the sheet's lists. `says`: what the comparison with hardware/netlist.toml must say.
    `kicad`: the kind of violation that KiCad must name as well, where its electrical rules can see the error."""

    what: str
    board: str
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
        pins = {
            child(pin, "number")[1]: pin for unit in children(symbol, "symbol") for pin in children(unit, "pin")
        }
        for key in ("at", "length"):
            a, b = child(pins[one], key), child(pins[other], key)
            a[:], b[:] = b[:], a[:]
        symbol[1] = Text(f"{name}_crossed")
        for number, unit in enumerate(children(symbol, "symbol")):
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
    return {
        number: (x / 10_000, y / 10_000) for (x, y), of, number, _ in pin_places(sheet) if of == ref
    }


def _xy(node: list) -> tuple[float, float]:
    return round(float(node[1]), 4), round(float(node[2]), 4)


PLANTED = (
    Planted("TX and RX of the bus are crossed", "node", crossed("U3", "1", "4"), "UART_TX is drawn without", "pin_to_pin"),
    Planted("A and B of the bus are crossed", "node", crossed("U3", "6", "7"), "line_a is drawn without U3.6 A"),
    Planted("the driver's pull-down is missing", "node", missing("R1"), "R1 is not drawn"),
    Planted("the fuse of the node is bridged", "node", bridged("F1"), "F1 is not drawn", "multiple_net_names"),
    Planted("a converter of 12 V is fitted", "node", value("U2", "TSR 1-24120"), "U2 is TSR 1-24120"),
    Planted("the converter is turned round", "node", crossed("U2", "1", "3"), "U2.3 OUT", "pin_to_pin"),
    Planted("the diode against reversed polarity is reversed", "node", crossed("D3", "1", "2"), "24V_FUSED is drawn without D3.2 A and with D3.1 K"),
    Planted("the zener diode of the lockout is reversed", "node", crossed("D4", "1", "2"), "D4.1 K"),
    Planted("gate and source of a lamp's MOSFET are swapped", "node", crossed("Q3", "1", "2"), "Q3.1 G"),
    Planted("the emitter of the lockout's transistor is open", "node", cut("Q2", "2"), "Q2.2 E", "pin_not_connected"),
    Planted("the supply comes to the wrong side of the P channel", "node", crossed("Q1", "2", "3"), "24V_SAFE is drawn without Q1.2 S and with Q1.3 D", "pin_to_pin"),
    Planted("a gate's pull-down is missing", "node", missing("R18"), "R18 is not drawn"),
    Planted("the divider measures another voltage", "node", value("R4", "47k"), "R4 is 47k"),
    Planted("the electrolytic capacitor is reversed", "panel", crossed("C1", "1", "2"), "24V is drawn without C1.1 + and with C1.2 -"),
    Planted("the suppressor is reversed", "panel", crossed("D1", "1", "2"), "24V is drawn without D1.1 K and with D1.2 A"),
    Planted("the diode of a coil is reversed", "panel", crossed("D5", "1", "2"), "SUN_LOW is drawn without D5.2 A and with D5.1 K"),
    Planted("the panel's fuse is bridged", "panel", bridged("F1"), "F1 is not drawn", "multiple_net_names"),
    Planted("a gate's pull-down is missing on the panel", "panel", missing("R4"), "R4 is not drawn"),
    Planted("emitter and collector of an optocoupler are swapped", "panel", crossed("U1", "3", "4"), "U1.3 E"),
)  # fmt: skip
