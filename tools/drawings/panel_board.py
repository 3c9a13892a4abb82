"""Where the parts of the panel's board lie: millimetres from its upper left corner, degrees to the left."""

from tools.drawings.plan import Plan

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
