"""The panel's sheet: what stands between the Pi's header and the director's desk."""

from tools.drawings import kinds
from tools.drawings.groups import contact, header, low_side, resistor, socket, to_ground
from tools.drawings.headers import pi_header
from tools.drawings.schematic import STATE, Point, Sheet
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
    return made


def _pi(s: Sheet, pinmap: Pinmap) -> None:
    s.frame("Header of the Raspberry Pi", (10, 10), (96, 72))
    nets = {pin: net for net, pins in PI_SUPPLY.items() for pin in pins}
    header(s, s.put(pi_header(pinmap), "J1", kinds.PI, (52, 44)), nets | pinmap.header_nets("panel"))


def _supply(s: Sheet, connectors: dict) -> None:
    s.frame("Supply", (10, 76), (96, 140))
    for ref, fuse, value, rail, tvs, diode, lamp, light, y in (
        ("J2", "F1", "T4A", "24V", kinds.TVS_24, "D1", "R1", "D2", 90),
        ("J11", "F2", "T4A", "5V", kinds.TVS_5, "D3", "R2", "D4", 118),
    ):
        socket(s, connectors[ref], (34, y + 2), kinds.terminal(connectors[ref].name))
        s.port(connectors[ref].wires[0].net, (44, y), shape="input", left=True)
        s.put("Fuse", fuse, kinds.fuse(value), (50, y), angle=90)
        s.wire((44, y), (47, y))
        s.wire((53, y), (88, y))
        s.put("D_TVS", diode, tvs, (57, y + 6))
        s.wire((57, y), (57, y + 3))
        s.put("C_Polar", f"C{1 if rail == '24V' else 2}", kinds.C100U, (69, y + 6))
        s.wire((69, y), (69, y + 3))
        resistor(s, lamp, kinds.R4K7, (80, y + 5))
        s.wire((80, y), (80, y + 2))
        s.put("LED", light, kinds.LED, (80, y + 12), angle=180)
        s.wire((80, y + 8), (80, y + 9))
        to_ground(s, (57, y + 9), (69, y + 9), (80, y + 15))
        s.power(rail, (88, y))
        s.flag((84, y))
    s.port("GND", (40, 136), shape="passive", left=True)
    s.wire((40, 136), (44, 136))
    s.flag((44, 136))


def _lamps(s: Sheet, connectors: dict) -> None:
    s.frame("Lamps and buzzer, 24 V", (100, 10), (320, 140))
    rows = (
        ("SUN_LAMP", "SUN", "J3", "T1A", (124, 48)),
        ("MOON_LAMP", "MOON", "J4", "T1A", (124, 84)),
        ("BUZZER", "BUZZER", "J5", "T1A", (232, 48)),
        ("PAUSE_LAMP", "PAUSE", "J6", "T0.2A", (232, 84)),
    )
    for index, (gate, name, ref, value, at) in enumerate(rows):
        first = 3 + 2 * index
        x, y = low_side(s, at, gate, (f"R{first}", f"R{first + 1}", f"Q{index + 1}"), kinds.NMOS_24)
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
        "10 kOhm hold each gate at 0 V: everything stays off while the Pi starts, hangs or is missing.\n"
        "The fuses belong to the cables, so choose them for the thinnest wire of the channel.",
        (104, 136),
        1.3,
    )


def _coil(s: Sheet, drain: Point, refs: tuple[str, str, str]) -> None:
    """Fuse from 24 V and the diode for what a coil gives back."""
    x, y = drain
    fuse, value, diode = refs
    s.power("24V", (x + 6, y - 8))
    s.put("Fuse", fuse, kinds.fuse(value), (x + 13, y - 8), angle=90)
    s.wire((x + 6, y - 8), (x + 10, y - 8))
    s.wire((x + 16, y - 8), (x + 23, y - 8))
    s.put("D_Schottky", diode, kinds.FLYBACK, (x + 23, y - 4))
    s.wire((x + 23, y - 8), (x + 23, y - 7))
    s.wire((x + 23, y - 1), (x + 23, y))


def _pause(s: Sheet, connectors: dict) -> None:
    s.frame("Big pause button: two contacts in 24 V loops", (10, 144), (166, 224))
    socket(s, connectors["J6"], (154, 170), kinds.M12)
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
    socket(s, connectors["J7"], (190, 158), kinds.header(4, connectors["J7"].name))
    socket(s, connectors["J8"], (190, 178), kinds.header(4, connectors["J8"].name))
    socket(s, connectors["J9"], (228, 162), kinds.header(7, connectors["J9"].name))
    x, y = contact(s, (262, 172), "SHUTDOWN_BUTTON", ("R17", "R18", "C5"))
    part = socket(s, connectors["J10"], (308, y + 2), kinds.header(2, connectors["J10"].name), wired=(1,))
    s.wire((x, y), part.at("1"))
    s.label("SHUTDOWN_CONTACT", (x + 1, y))
    for index in range(4):
        s.put("Hole", f"H{index + 1}", kinds.HOLE, (178 + 8 * index, 190))
    s.text(
        "J7 or J9, never both.\nClock module: take off the charging resistor\nbefore fitting a CR2032.",
        (212, 188),
        1.3,
    )
