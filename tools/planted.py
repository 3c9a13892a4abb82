"""Errors that are planted into a copy of a sheet, one at a time, and that a judge must find."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass

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


_NODE = (
    Planted(
        "TX and RX are crossed", crossed("U3", "1", "4"), "UART_TX is drawn without U3.4 D", "pin_to_pin"
    ),
    Planted("A and B are crossed", crossed("U3", "6", "7"), "line_a is drawn without U3.6 A"),
    Planted("the driver's pull-down is missing", missing("R1"), "R1 is not drawn"),
    Planted("the fuse is bridged", bridged("F1"), "F1 is not drawn", "multiple_net_names"),
    Planted("a converter of 12 V is fitted", value("U2", "TSR 1-48120WI"), "U2 is TSR 1-48120WI"),
    Planted("the converter is turned round", crossed("U2", "1", "3"), "24V_FILTERED is drawn", "pin_to_pin"),
    Planted("the diode against reversed polarity is reversed", crossed("D3", "1", "2"), "with D3.1 K"),
    Planted("the zener diode of the lockout is reversed", crossed("D4", "1", "2"), "with D4.2 A"),
    Planted("gate and source of a lamp's MOSFET are swapped", crossed("Q3", "1", "2"), "with Q3.2 S"),
    Planted("the emitter of the lockout is open", cut("Q2", "2"), "without Q2.2 E", "pin_not_connected"),
    Planted("the P channel is supplied from its drain", crossed("Q1", "2", "3"), "with Q1.3 D", "pin_to_pin"),
    Planted("a lamp's pull-down is missing", missing("R18"), "R18 is not drawn"),
    Planted("the divider measures another voltage", value("R4", "47k"), "R4 is 47k"),
    Planted("the inputs of the displays' amplifier are swapped", crossed("U5", "3", "4"), "with U5.4 IN-"),
    Planted("the resistor of the lamps' current is bridged", bridged("R29"), "R29 is not drawn"),
    Planted("the spare wire has no pull-up", missing("R33"), "R33 is not drawn"),
    Planted("a claim lamp's resistor bears no short", value("R25", "10"), "R25 is 10"),
)
_PANEL = (
    Planted("the electrolytic capacitor is reversed", crossed("C1", "1", "2"), "with C1.2 -"),
    Planted("the suppressor is reversed", crossed("D1", "1", "2"), "with D1.2 A"),
    Planted("the diode of a coil is reversed", crossed("D5", "1", "2"), "with D5.1 K"),
    Planted("the fuse is bridged", bridged("F1"), "F1 is not drawn", "multiple_net_names"),
    Planted("a lamp's pull-down is missing", missing("R4"), "R4 is not drawn"),
    Planted("the P channel is turned round", crossed("Q5", "2", "3"), "with Q5.3 S", "pin_to_pin"),
    Planted("the zener diode at its gate is reversed", crossed("D11", "1", "2"), "with D11.2 A"),
    Planted("the shunt's own wires are swapped", crossed("R20", "3", "4"), "with R20.4 S2"),
    Planted("SDA and SCL are crossed", crossed("U3", "4", "5"), "with U3.5 SCL"),
    Planted("the time limit's output and input are swapped", crossed("U4", "3", "5"), "U4.3", "pin_to_pin"),
    Planted("another time limits the buzzer", value("R21", "2M4"), "R21 is 2M4"),
    Planted("emitter and collector are swapped", crossed("U1", "3", "4"), "with U1.3 E"),
    Planted("what spares the Pi a failed switch is reversed", crossed("D13", "1", "2"), "with D13.2 A"),
    Planted("a resistor that bears no 24 V is fitted", value("R3", "1k"), "R3 is 1k"),
)
PLANTED = {"node": _NODE, "panel": _PANEL}
