"""Groups that stand on both sheets."""

from tools.drawings import kinds
from tools.drawings.schematic import Part, Point, Sheet
from tools.pinmap import Connector

SUPPLIES = {"GND", "24V", "5V", "3V3", "VSYS", "3V3_DISPLAY"}


def to_ground(sheet: Sheet, *points: Point) -> None:
    """From each point two steps down to ground."""
    for x, y in points:
        sheet.wire((x, y), (x, y + 2))
        sheet.power("GND", (x, y + 2))


def resistor(sheet: Sheet, ref: str, kind: kinds.Kind, at: Point, *, angle: int = 0) -> Part:
    return sheet.put("R", ref, kind, at, angle=angle)


def low_side(
    sheet: Sheet,
    at: Point,
    gate: str,
    refs: tuple[str, str, str],
    kind: kinds.Kind = kinds.NMOS,
    *,
    source: str = "",
) -> Point:
    """MOSFET with gate resistor and gate pull-down, its source at ground or on the net `source`; the place of
    the drain's wire is returned."""
    x, y = at
    series, down, transistor = refs
    sheet.port(gate, at, shape="input", left=True)
    resistor(sheet, series, kinds.R100, (x + 10, y), angle=90)
    sheet.wire(at, (x + 7, y))
    sheet.wire((x + 13, y), (x + 24, y))
    resistor(sheet, down, kinds.R10K, (x + 18, y + 5))
    sheet.wire((x + 18, y), (x + 18, y + 2))
    sheet.put("NMOS", transistor, kind, (x + 28, y))
    to_ground(sheet, (x + 18, y + 8), *(() if source else ((x + 29, y + 4),)))
    if source:
        sheet.wire((x + 29, y + 4), (x + 29, y + 6), (x + 31, y + 6))
        sheet.port(source, (x + 31, y + 6), shape="passive")
    sheet.wire((x + 29, y - 4), (x + 29, y - 6))
    return x + 29, y - 6


def contact(sheet: Sheet, at: Point, signal: str, refs: tuple[str, str, str]) -> Point:
    """Contact to ground: pull-up at the wire, 1 kOhm and 100 nF at the pin; the wire's end is returned."""
    x, y = at
    series, up, filter_ = refs
    sheet.port(signal, at, shape="output", left=True)
    resistor(sheet, series, kinds.R1K, (x + 16, y), angle=90)
    sheet.wire(at, (x + 13, y))
    sheet.put("C", filter_, kinds.C100N, (x + 6, y + 5))
    sheet.wire((x + 6, y), (x + 6, y + 2))
    to_ground(sheet, (x + 6, y + 8))
    resistor(sheet, up, kinds.R10K, (x + 24, y - 5))
    sheet.wire((x + 24, y - 2), (x + 24, y))
    sheet.power("3V3", (x + 24, y - 8))
    sheet.wire((x + 19, y), (x + 24, y))
    return x + 24, y


def socket(
    sheet: Sheet, connector: Connector, at: Point, kind: kinds.Kind, *, wired: tuple[int, ...] = ()
) -> Part:
    """A connector whose pins carry the pin map's nets as names to the left; `wired` pins get no name."""
    count = len(connector.wires)
    part = sheet.put("RJ45" if count == 8 else f"Conn_{count}", connector.ref, kind, at)
    for wire in connector.wires:
        sheet.labels[connector.ref, str(wire.pin)] = wire.label
        x, y = part.at(str(wire.pin))
        if wire.pin not in wired:
            sheet.wire((x, y), (x - 4, y))
            sheet.port(wire.net, (x - 4, y), shape="passive", left=True)
    return part


def header(sheet: Sheet, part: Part, nets: dict[int, str]) -> None:
    """Names at the pins that have a net; a cross at the others."""
    for number, pin in part.symbol.by_number.items():
        x, y = part.at(number)
        net = nets.get(int(number))
        if net is None:
            sheet.unused((x, y))
            continue
        left = pin.angle == 0
        end = (x - 4, y) if left else (x + 4, y)
        sheet.wire((x, y), end)
        sheet.port(net, end, shape="passive" if net in SUPPLIES else "bidirectional", left=left)
