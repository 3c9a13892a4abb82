"""The panel's sheet, what stands between the Pi's header and the director's desk, and where the parts of
its board lie."""

from tools.drawings import kinds
from tools.drawings.board import Plan
from tools.drawings.groups import contact, header, resistor, socket, to_ground
from tools.drawings.schematic import STATE, Point, Sheet
from tools.drawings.symbols import pi_header
from tools.pinmap import PI_SUPPLY, Pinmap


def sheet(pinmap: Pinmap) -> Sheet:
    """Drawn with the nets of the pin map."""
    made = Sheet(
        "panel",
        "Panel of the Raspberry Pi",
        (
            f"State: {STATE}. Drawn and checked by programs, never built or measured.",
            "Pins and connectors come from hardware/pinmap.toml.",
            "Licence: CERN-OHL-W-2.0",
        ),
    )
    connectors = {connector.ref: connector for connector in pinmap.of("panel")}
    _pi(made, pinmap)
    _supply(made, connectors)
    _lamps(made, connectors)
    _pause(made, connectors)
    _small(made, connectors)
    _measuring(made)
    return made


def _pi(s: Sheet, pinmap: Pinmap) -> None:
    s.frame("Header of the Raspberry Pi", (10, 10), (96, 72))
    nets = {pin: net for net, pins in PI_SUPPLY.items() for pin in pins}
    header(s, s.put(pi_header(pinmap), "J1", kinds.PI, (52, 44)), nets | pinmap.header_nets("panel"))


def _supply(s: Sheet, connectors: dict) -> None:
    s.frame("Supply", (10, 76), (96, 140))
    y = 98
    socket(s, connectors["J2"], (34, y + 2), kinds.terminal(connectors["J2"].name))
    s.port("24V_IN", (44, y), shape="input", left=True)
    s.put("Fuse", "F1", kinds.fuse("T3.15A"), (50, y), angle=90)
    s.wire((44, y), (47, y))
    s.wire((53, y), (58, y))
    s.flag((55, y))
    s.wire((55, y), (55, y + 4))
    s.port("24V_FUSED", (55, y + 4), shape="passive")
    # its own diode conducts first, then the gate at 0 V opens it; a reversed supply meets a closed one
    s.put("PMOS_SOT223", "Q5", kinds.PMOS_SUPPLY, (62, y - 1), angle=270)
    s.wire((62, y - 5), (64, y - 5))
    s.put("D_Zener", "D11", kinds.ZENER_GATE, (67, y - 5), angle=270)
    s.wire((70, y - 5), (70, y))
    s.wire((62, y - 5), (62, y - 9), (46, y - 9))
    resistor(s, "R19", kinds.R100K, (43, y - 9), angle=90)
    s.wire((40, y - 9), (38, y - 9))
    s.wire((66, y), (88, y))
    s.put("D_TVS", "D1", kinds.TVS_PANEL, (76, y + 6))
    s.wire((76, y), (76, y + 3))
    s.put("C_Polar", "C1", kinds.C100U, (85, y + 6))
    s.wire((85, y), (85, y + 3))
    to_ground(s, (38, y - 9), (76, y + 9), (85, y + 9))
    s.port("24V_SAFE", (88, y), shape="passive")
    y = 122
    s.port("24V_SAFE", (30, y), shape="passive", left=True)
    s.put("Shunt", "R20", kinds.SHUNT, (40, y))
    s.wire((30, y), (36, y))
    for pin, x, net in ((3, 38, "SHUNT_P"), (4, 42, "SHUNT_N")):
        s.wire((x, y + 4), (x, y + 6))
        s.port(net, (x, y + 6), shape="passive", left=pin == 3)
    s.wire((44, y), (74, y))
    resistor(s, "R1", kinds.R4K7, (62, y + 5))
    s.wire((62, y), (62, y + 2))
    s.put("LED", "D2", kinds.LED, (62, y + 12), angle=180)
    s.wire((62, y + 8), (62, y + 9))
    to_ground(s, (62, y + 15))
    s.power("24V", (74, y))
    s.flag((68, y))
    s.port("GND", (80, 132), shape="passive", left=True)
    s.wire((80, 132), (86, 132))
    s.flag((86, 132))


def _lamps(s: Sheet, connectors: dict) -> None:
    s.frame("Lamps and buzzer, 24 V", (100, 10), (320, 102))
    rows = (
        ("SUN_LAMP", "SUN", "J3", "T1A", (124, 52)),
        ("MOON_LAMP", "MOON", "J4", "T1A", (124, 86)),
        ("BUZZER_ON", "BUZZER", "J5", "T1A", (232, 52)),
        ("PAUSE_LAMP", "PAUSE", "J6", "T0.2A", (232, 86)),
    )
    for index, (gate, name, ref, value, at) in enumerate(rows):
        first = 3 + 2 * index
        x, y = _switch(s, at, gate, (f"R{first}", f"R{first + 1}", f"Q{index + 1}", f"D{index + 13}"))
        _coil(s, (x, y), (f"F{index + 3}", value, f"D{index + 5}"))
        if ref == "J6":  # its socket stands with its contacts
            s.wire((x, y), (x + 30, y))
            s.port("PAUSE_LOW", (x + 30, y), shape="passive")
            s.wire((x + 23, y - 8), (x + 30, y - 8))
            s.port("24V_PAUSE", (x + 30, y - 8), shape="passive")
            continue
        part = socket(s, connectors[ref], (x + 48, y), kinds.terminal(connectors[ref].name), wired=(1, 2))
        s.wire((x, y), part.at("2"))
        s.label(f"{name}_LOW", (x + 28, y))
        s.wire((x + 23, y - 8), (x + 40, y - 8), (x + 40, y - 2), part.at("1"))
        s.label(f"24V_{name}", (x + 27, y - 8))
    s.text(
        "10 kOhm hold each input at 0 V: everything stays off while the Pi starts, hangs or is missing.\n"
        "A switch limits the current into a short by itself; the fuse is for a switch that has failed.\n"
        "2.2 kOhm and D13 to D16: a switch that has failed does not put 24 V on the Pi.",
        (104, 26),
        1.3,
    )


def _switch(s: Sheet, at: Point, gate: str, refs: tuple[str, str, str, str]) -> Point:
    """Protected switch; its pull-down stands before its resistor, so that it takes no input voltage away. A
    diode to 3.3 V takes what a switch that has failed sends back. The drain's place is returned."""
    x, y = at
    series, down, transistor, clamp = refs
    s.port(gate, at, shape="input", left=True)
    s.wire(at, (x + 11, y))
    s.put("D_Schottky", clamp, kinds.CLAMP, (x + 3, y - 4))
    s.wire((x + 3, y), (x + 3, y - 1))
    s.power("3V3", (x + 3, y - 7))
    resistor(s, down, kinds.R10K, (x + 6, y + 5))
    s.wire((x + 6, y), (x + 6, y + 2))
    resistor(s, series, kinds.R2K2, (x + 14, y), angle=90)
    s.wire((x + 17, y), (x + 24, y))
    s.put("Switch", transistor, kinds.SWITCH, (x + 28, y))
    to_ground(s, (x + 6, y + 8), (x + 29, y + 4))
    s.wire((x + 29, y - 4), (x + 29, y - 6))
    return x + 29, y - 6


def _coil(s: Sheet, drain: Point, refs: tuple[str, str, str]) -> None:
    """Fuse from 24 V and the diode for what a coil gives back."""
    x, y = drain
    fuse, value, diode = refs
    s.power("24V", (x + 6, y - 8))
    s.put("Fuse", fuse, kinds.fuse(value), (x + 13, y - 8), angle=90)
    s.wire((x + 6, y - 8), (x + 10, y - 8))
    s.wire((x + 16, y - 8), (x + 23, y - 8))
    s.put("D_Schottky", diode, kinds.SCHOTTKY, (x + 23, y - 4))
    s.wire((x + 23, y - 8), (x + 23, y - 7))
    s.wire((x + 23, y - 1), (x + 23, y))


POINTS = ("24V_FUSED", "24V_SAFE", "24V", "5V", "3V3", "GND", "BUZZER_ON", "PAUSE_NC", "PAUSE_NO")
"""Nets with a test point, TP1 first; the others of the measuring sheet are pins of J1."""


def _measuring(s: Sheet) -> None:
    s.frame("Current sensor, time limit of the buzzer, test points", (100, 105), (320, 141))
    _sensor(s, 142, 122)
    _limit(s, 214, 122)
    for index, net in enumerate(POINTS):
        x, y = (291, 312)[index // 5], 115 + 5 * (index % 5)
        s.put("TestPoint", f"TP{index + 1}", kinds.point(net), (x, y))
        s.wire((x, y), (x - 3, y))
        s.port(net, (x - 3, y), shape="passive", left=True)


def _sensor(s: Sheet, x: int, y: int) -> None:
    """Address 0x40: A0 and A1 at 0 V."""
    part = s.put("INA226", "U3", kinds.CURRENT, (x, y))
    for pin, net in (("10", "SHUNT_P"), ("9", "SHUNT_N")):
        s.wire(part.at(pin), (x - 12, part.at(pin)[1]))
        s.port(net, (x - 12, part.at(pin)[1]), shape="input", left=True)
    height = part.at("8")[1]
    s.wire(part.at("8"), (x - 16, height), (x - 16, height + 6), (x - 18, height + 6))
    resistor(s, "R23", kinds.R100, (x - 21, height + 6), angle=90)
    s.wire((x - 24, height + 6), (x - 28, height + 6))
    s.power("24V", (x - 28, height + 6))
    s.label("VBUS", (x - 15, height))
    for pin, net in (("4", "SDA"), ("5", "SCL")):
        s.wire(part.at(pin), (x + 11, part.at(pin)[1]))
        s.port(net, (x + 11, part.at(pin)[1]))
    s.unused(part.at("3"))
    top, bottom = part.at("6")[1], part.at("7")[1]
    s.wire(part.at("6"), (x + 30, top))
    s.power("3V3", (x + 24, top))
    s.put("C", "C6", kinds.C100N, (x + 30, top + 3))
    for pin in ("2", "1", "7"):
        s.wire(part.at(pin), (x + 14, part.at(pin)[1]))
    s.wire((x + 14, part.at("2")[1]), (x + 14, bottom))
    to_ground(s, (x + 14, bottom), (x + 30, top + 6))


def _limit(s: Sheet, x: int, y: int) -> None:
    """Q rises with the Pi's pin and falls with it, or after 0.24 MOhm times 22 uF."""
    part = s.put("OneShot", "U4", kinds.ONE_SHOT, (x, y))
    s.wire(part.at("2"), (x - 14, part.at("2")[1]))
    s.power("3V3", (x - 14, part.at("2")[1]))
    clear = part.at("3")[1]
    s.wire(part.at("3"), (x - 22, clear))
    s.port("BUZZER", (x - 22, clear), shape="input", left=True)
    s.wire((x - 16, clear), (x - 16, clear + 2))
    resistor(s, "R22", kinds.R10K, (x - 16, clear + 5))
    s.wire(part.at("1"), (x - 10, part.at("1")[1]))
    to_ground(s, (x - 10, part.at("1")[1]), (x - 16, clear + 8))
    top, rc = part.at("8")[1], part.at("7")[1]
    s.wire(part.at("8"), (x + 52, top))
    s.power("3V3", (x + 14, top))
    s.wire(part.at("7"), (x + 40, rc))
    resistor(s, "R21", kinds.R240K, (x + 24, top + 3))
    s.put("D", "D12", kinds.SIGNAL, (x + 32, top + 3))
    s.put("C", "C7", kinds.C22U, (x + 40, rc + 3))
    s.wire(part.at("6"), (x + 36, part.at("6")[1]), (x + 36, rc + 6), (x + 40, rc + 6))
    s.put("C", "C8", kinds.C100N, (x + 52, top + 3))
    s.wire(part.at("5"), (x + 12, part.at("5")[1]))
    s.port("BUZZER_ON", (x + 12, part.at("5")[1]), shape="output")
    s.wire(part.at("4"), (x + 10, part.at("4")[1]))
    to_ground(s, (x + 10, part.at("4")[1]), (x + 52, top + 6))


def _pause(s: Sheet, connectors: dict) -> None:
    s.frame("Big pause button: two contacts in 24 V loops", (10, 144), (166, 224))
    socket(s, connectors["J6"], (154, 170), kinds.plug(5, connectors["J6"].name))
    for name, refs, y in (
        ("NC", ("R11", "D9", "U1", "R12", "R13", "C3"), 166),
        ("NO", ("R14", "D10", "U2", "R15", "R16", "C4"), 196),
    ):
        _loop(s, (30, y), name, refs)
    s.text(
        "4.8 mA flow in a closed contact. NC closed and NO open is rest, the reverse is pressed,\n"
        "both open is a broken wire, both closed a short: the program tells them apart.",
        (14, 221),
        1.3,
    )


def _loop(s: Sheet, at: Point, name: str, refs: tuple[str, ...]) -> None:
    x, y = at
    series, back, opto, up, out, filter_ = refs
    s.port(f"{name}_RETURN", at, shape="input", left=True)
    s.put("R", series, kinds.R_LOOP, (x + 8, y), angle=90)
    s.wire(at, (x + 5, y))
    s.wire((x + 11, y), (x + 28, y))
    s.put("D", back, kinds.SIGNAL, (x + 15, y + 5))
    s.wire((x + 15, y), (x + 15, y + 2))
    s.put("Opto", opto, kinds.OPTO, (x + 34, y + 2))
    s.wire((x + 28, y + 4), (x + 25, y + 4), (x + 25, y + 8))
    s.wire((x + 40, y), (x + 53, y))
    resistor(s, up, kinds.R10K, (x + 46, y - 5))
    s.wire((x + 46, y - 2), (x + 46, y))
    s.power("3V3", (x + 46, y - 8))
    resistor(s, out, kinds.R1K, (x + 56, y), angle=90)
    s.wire((x + 59, y), (x + 76, y))
    s.put("C", filter_, kinds.C100N, (x + 66, y + 5))
    s.wire((x + 66, y), (x + 66, y + 2))
    s.wire((x + 40, y + 4), (x + 44, y + 4), (x + 44, y + 8))
    s.port(f"PAUSE_{name}", (x + 76, y), shape="output")
    to_ground(s, (x + 15, y + 8), (x + 25, y + 8), (x + 44, y + 8), (x + 66, y + 8))


def _small(s: Sheet, connectors: dict) -> None:
    s.frame("Display, clock, shutdown button", (170, 144), (320, 194))
    socket(s, connectors["J7"], (190, 158), kinds.plug(4, connectors["J7"].name))
    socket(s, connectors["J8"], (190, 178), kinds.plug(4, connectors["J8"].name))
    socket(s, connectors["J9"], (228, 162), kinds.plug(7, connectors["J9"].name))
    x, y = contact(s, (262, 172), "SHUTDOWN_BUTTON", ("R17", "R18", "C5"))
    part = socket(s, connectors["J10"], (308, y + 2), kinds.plug(2, connectors["J10"].name), wired=(1,))
    s.wire((x, y), part.at("1"))
    s.label("SHUTDOWN_CONTACT", (x + 1, y))
    for index in range(4):
        s.put("Hole", f"H{index + 1}", kinds.HOLE, (178 + 8 * index, 190))
    s.text(
        "J7 or J9, never both.\nClock module: take off the charging resistor\nbefore fitting a CR2032.",
        (212, 188),
        1.3,
    )


_CHANNELS = (
    (16, "F3", "R3", "R4", "Q1", "D5", "D13"),
    (38, "F4", "R5", "R6", "Q2", "D6", "D14"),
    (60, "F5", "R7", "R8", "Q3", "D7", "D15"),
    (84, "F6", "R9", "R10", "Q4", "D8", "D16"),
)
_LOOPS = (
    (46, "R11", "D9", "U1", "R12", "R13", "C3"),
    (60, "R14", "D10", "U2", "R15", "R16", "C4"),
)


_FIXED: dict[str, tuple[float, float, float]] = {
    "J1": (10, 8, 0),
    # supply at the upper edge, from left to right
    "J2": (32, 6, 180),
    "F1": (24, 22, 0),
    "Q5": (56, 20, 180),
    "D11": (65, 24, 180),
    "R19": (65, 28, 0),
    "D1": (68, 17, 90),
    "C1": (74, 15, 0),
    "R20": (86, 16, 0),
    "R1": (64, 34, 0),
    "D2": (71, 34, 0),
    # current sensor
    "U3": (85, 30, 0),
    "R23": (94, 33, 90),
    "C6": (88, 38, 90),
    # time limit of the buzzer
    "U4": (66, 76, 0),
    "C8": (74, 71, 90),
    "R21": (80, 71, 90),
    "D12": (80, 77, 90),
    "C7": (74, 78, 90),
    "R22": (66, 84, 0),
    # lamps and buzzer at the right edge
    "J3": (143, 25, 90),
    "J4": (143, 47, 90),
    "J5": (143, 69, 90),
    "J6": (145, 86, 0),
    # displays, clock and shutdown button at the lower edge
    "J7": (18, 104, 90),
    "J8": (34, 104, 90),
    "J9": (50, 104, 90),
    "J10": (74, 104, 90),
    "R17": (75, 92, 0),
    "R18": (75, 88, 0),
    "C5": (70, 90, 90),
    # measuring
    "TP1": (50, 28, 0),
    "TP2": (78, 22, 0),
    "TP3": (92, 24, 0),
    "TP4": (18, 10.5, 0),
    "TP5": (66, 70, 0),
    "TP6": (84, 8, 0),
    "TP7": (60, 79, 0),
    "TP8": (86, 50, 0),
    "TP9": (86, 64, 0),
    "H1": (4.5, 4.5, 0),
    "H2": (145.5, 4.5, 0),
    "H3": (4.5, 107.5, 0),
    "H4": (145.5, 107.5, 0),
}


def _places() -> dict[str, tuple[float, float, float]]:
    places = dict(_FIXED)
    for y, fuse, gate, down, transistor, diode, clamp in _CHANNELS:
        places |= {
            fuse: (104, y, 0),
            gate: (99, y + 8.5, 0),
            down: (99, y + 12, 0),
            clamp: (98.5, y + 15.5, 0),
            transistor: (108, y + 10, 0),
            diode: (120, y + 10, 180),
        }
    for y, series, back, opto, up, out, filter_ in _LOOPS:
        places |= {
            series: (36, y, 0),
            back: (44, y + 5, 0),
            opto: (58, y, 0),
            up: (74, y - 1, 0),
            out: (74, y + 3, 0),
            filter_: (80, y + 1, 90),
        }
    # beside what it protects: at the right edge its tracks would cut the ground of U4 off
    places["D15"] = (57, 84, 0)
    return places


PLAN = Plan(
    name="panel",
    grounds=("J1",),
    wide=150.0,
    high=112.0,
    places=_places(),
    widths={
        **dict.fromkeys(("24V", "24V_IN", "24V_FUSED", "24V_SAFE"), 2.0),
        **dict.fromkeys(
            ("24V_SUN", "24V_MOON", "24V_BUZZER", "24V_PAUSE", "SUN_LOW", "MOON_LOW", "BUZZER_LOW"), 1.0
        ),
        "3V3": 0.4,
        "GND": 0.4,
    },
    texts=(
        ("PANEL  rev 2  PAPER: never built", 112, 108, 1.2),
        ("24 V SUPPLY", 44, 6, 1.0),
        ("SUN LAMP", 133, 22.5, 0.9),
        ("MOON LAMP", 132.5, 44.5, 0.9),
        ("BUZZER", 133.5, 66.5, 0.9),
        ("PAUSE", 139, 100.5, 0.9),
        ("DISPLAY I2C", 21.8, 109.3, 0.9),
        ("CLOCK", 37.8, 109.3, 0.9),
        ("DISPLAY SPI", 57.6, 109.3, 0.9),
        ("SHUTDOWN", 75.3, 109.3, 0.9),
    ),
)
