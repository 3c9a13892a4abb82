"""Where the parts of the panel's board lie: millimetres from its upper left corner, degrees to the left."""

from tools.drawings.plan import Plan

_CHANNELS = (
    (16, "F3", "R3", "R4", "Q1", "D5"),
    (38, "F4", "R5", "R6", "Q2", "D6"),
    (60, "F5", "R7", "R8", "Q3", "D7"),
    (82, "F6", "R9", "R10", "Q4", "D8"),
)
_LOOPS = (
    (46, "R11", "D9", "U1", "R12", "R13", "C3"),
    (60, "R14", "D10", "U2", "R15", "R16", "C4"),
)


def _places() -> dict[str, tuple[float, float, float]]:
    places: dict[str, tuple[float, float, float]] = {
        "J1": (10, 8, 0),
        # supplies at the upper edge
        "J2": (62, 6, 180),
        "J11": (36, 6, 180),
        "F1": (52, 20, 0),
        "F2": (24, 20, 0),
        "D3": (28, 32, 0),
        "C2": (35, 32, 0),
        "R2": (45, 30, 0),
        "D4": (45, 34, 0),
        "D1": (58, 32, 0),
        "C1": (65, 32, 0),
        "R1": (75, 30, 0),
        "D2": (75, 34, 0),
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
        "R17": (75, 96, 0),
        "R18": (75, 92, 0),
        "C5": (70, 94, 90),
        "H1": (4.5, 4.5, 0),
        "H2": (145.5, 4.5, 0),
        "H3": (4.5, 107.5, 0),
        "H4": (145.5, 107.5, 0),
    }
    for y, fuse, gate, down, transistor, diode in _CHANNELS:
        places |= {
            fuse: (104, y, 0),
            gate: (98, y + 9, 0),
            down: (98, y + 12.5, 0),
            transistor: (107, y + 10, 0),
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
    return places


PLAN = Plan(
    name="panel",
    grounds=("J1",),
    wide=150.0,
    high=112.0,
    places=_places(),
    widths={
        **dict.fromkeys(("24V", "24V_IN", "5V", "5V_IN"), 2.0),
        **dict.fromkeys(
            ("24V_SUN", "24V_MOON", "24V_BUZZER", "24V_PAUSE", "SUN_LOW", "MOON_LOW", "BUZZER_LOW"), 1.0
        ),
        "3V3": 0.4,
        "GND": 0.5,
    },
    texts=(
        ("PANEL  rev 1  PAPER: never built", 112, 108, 1.2),
        ("24 V", 59.5, 12.5, 1.0),
        ("5.1 V", 33.5, 12.5, 1.0),
        ("SUN LAMP", 133, 22.5, 0.9),
        ("MOON LAMP", 132.5, 44.5, 0.9),
        ("BUZZER", 133.5, 66.5, 0.9),
        ("PAUSE", 139, 91, 0.9),
        ("DISPLAY I2C", 21.8, 107.5, 0.9),
        ("CLOCK", 37.8, 107.5, 0.9),
        ("DISPLAY SPI", 57.6, 107.5, 0.9),
        ("SHUTDOWN", 75.3, 107.5, 0.9),
    ),
)
