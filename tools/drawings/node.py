"""The table node's sheet, and where the parts of its board lie."""

from tools.drawings import kinds
from tools.drawings.board import Plan
from tools.drawings.groups import contact, header, low_side, resistor, socket, to_ground
from tools.drawings.schematic import STATE, Sheet
from tools.drawings.symbols import pico
from tools.pinmap import Pinmap

PICO_SUPPLY = {**dict.fromkeys((3, 8, 13, 18, 23, 28, 33, 38), "GND"), 36: "3V3", 39: "VSYS"}


def sheet(pinmap: Pinmap) -> Sheet:
    """Drawn with the nets of the pin map."""
    made = Sheet(
        "node",
        "Table node",
        (
            f"State: {STATE}. Drawn and checked by programs, never built or measured.",
            "Pins and connectors come from hardware/pinmap.toml.",
            "Licence: CERN-OHL-W-2.0",
        ),
    )
    connectors = {connector.ref: connector for connector in pinmap.of("node")}
    _bus(made, connectors)
    _protection(made)
    _lockout(made)
    _rails(made)
    _pico(made, pinmap)
    _displays(made, connectors)
    _buttons(made, connectors)
    _lamps(made, connectors)
    _currents(made)
    _loose(made)
    return made


def _bus(s: Sheet, connectors: dict) -> None:
    s.frame("Table bus", (10, 10), (150, 84))
    chip = s.put("RS485", "U3", kinds.TRANSCEIVER, (44, 42))
    for number, net, shape in (
        ("1", "UART_RX", "output"),
        ("3", "DRIVER_ENABLE", "input"),
        ("4", "UART_TX", "input"),
    ):
        x, y = chip.at(number)
        s.wire((x, y), (x - 12, y))
        s.port(net, (x - 12, y), shape=shape, left=True)
    x, y = chip.at("2")
    s.wire((x, y), (x - 3, y), (x - 3, y + 12))
    s.power("GND", (x - 3, y + 12))
    resistor(s, "R1", kinds.R10K, (27, 49))
    s.wire((27, 42), (27, 46))
    to_ground(s, (27, 52))
    s.wire(chip.at("8"), (56, 38), (56, 24))
    s.power("3V3", (56, 24))
    s.put("C", "C1", kinds.C100N, (63, 29))
    s.wire((56, 26), (63, 26))
    to_ground(s, (63, 32), (56, 52))
    s.wire(chip.at("5"), (56, 44), (56, 52))
    resistor(s, "R2", kinds.R10, (68, 40), angle=90)
    resistor(s, "R3", kinds.R10, (68, 48), angle=90)
    s.wire(chip.at("6"), (65, 40))
    s.wire(chip.at("7"), (59, 42), (59, 48), (65, 48))
    for y, net, ref in ((40, "BUS_A", "TP1"), (48, "BUS_B", "TP2")):
        s.wire((71, y), (96, y))
        s.port(net, (96, y), shape="bidirectional")
        s.put("TestPoint", ref, kinds.point(net), (88, y))
    s.put("TVS_2", "D1", kinds.TVS_BUS, (79, 59))
    s.wire((76, 48), (76, 55))
    s.wire((82, 40), (82, 55))
    to_ground(s, (79, 63))
    s.text(
        "D1: NUP2105L lets U3 survive 24 V on A or B.\nWith a THVD1410 as U3 fit an SM712 (same footprint);\n"
        "then 24 V on A or B destroys both.",
        (14, 78),
        1.3,
    )
    for ref, y in (("J1", 28), ("J2", 62)):
        jack = socket(s, connectors[ref], (134, y), kinds.JACK)
        s.text(connectors[ref].name, (jack.x - 4, y - 12), 1.3)


def _protection(s: Sheet) -> None:
    s.frame("24 V in, protection, measurement, loop", (154, 10), (238, 84))
    s.port("24V_BUS", (172, 30), shape="input", left=True)
    s.put("PTC", "F1", kinds.PTC, (179, 30), angle=90)
    s.wire((172, 30), (176, 30))
    s.wire((182, 30), (216, 30))
    s.label("24V_FUSED", (195, 30))
    s.put("D_TVS", "D2", kinds.TVS_24, (190, 36))
    s.wire((190, 30), (190, 33))
    resistor(s, "R4", kinds.R100K, (207, 37))
    s.port("24V_BUS", (206, 34), shape="input", left=True)
    s.wire((206, 34), (207, 34))
    resistor(s, "R5", kinds.R10K, (207, 48))
    s.wire((207, 40), (207, 45))
    s.wire((207, 42), (217, 42))
    s.put("C", "C2", kinds.C100N, (213, 48))
    s.wire((213, 42), (213, 45))
    s.port("SUPPLY", (217, 42), shape="output")
    to_ground(s, (190, 39), (207, 51), (213, 51))
    s.put("D_Schottky", "D3", kinds.SCHOTTKY, (219, 30), angle=270)
    s.wire((222, 30), (230, 30))
    s.flag((226, 30))
    s.port("24V_SAFE", (230, 30), shape="output")
    s.port("SPARE", (172, 60), shape="input", left=True)
    resistor(s, "R32", kinds.R47K, (179, 60), angle=90)
    s.wire((172, 60), (176, 60))
    s.wire((182, 60), (200, 60))
    resistor(s, "R33", kinds.R1M, (188, 56))
    s.wire((188, 59), (188, 60))
    s.power("3V3", (188, 53))
    s.put("C", "C12", kinds.C10N, (194, 64))
    s.wire((194, 60), (194, 61))
    to_ground(s, (194, 67))
    s.port("LOOP", (200, 60), shape="output")
    s.text(
        "A node with a short drops only itself: F1.\n"
        "Reversed polarity: D3 blocks, D2 conducts and F1 opens.\n"
        "SUPPLY: 24 V reads 2.18 V, 36 V reads 3.27 V; before F1, whose resistance changes.\n"
        "LOOP: low when SPARE is joined to 0 V by 1 kOhm in the terminator plug.",
        (158, 81),
        1.3,
    )


def _lockout(s: Sheet) -> None:
    s.frame("Off below 12 V", (242, 10), (320, 84))
    s.port("24V_SAFE", (258, 30), shape="input", left=True)
    s.wire((258, 30), (276, 30))
    s.put("PMOS", "Q1", kinds.PMOS, (280, 31), angle=90)
    s.wire((284, 30), (300, 30))
    s.port("24V_ON", (300, 30), shape="output")
    resistor(s, "R6", kinds.R100K, (272, 35))
    s.wire((272, 30), (272, 32))
    s.wire((272, 38), (280, 38), (280, 35))
    resistor(s, "R7", kinds.R150K, (280, 43))
    s.wire((280, 38), (280, 40))
    s.put("NPN", "Q2", kinds.NPN, (279, 52))
    s.wire((280, 46), (280, 48))
    resistor(s, "R8", kinds.R22K, (262, 35))
    s.wire((262, 30), (262, 32))
    s.put("D_Zener", "D4", kinds.ZENER, (262, 44))
    s.wire((262, 38), (262, 41))
    s.wire((262, 47), (262, 52), (275, 52))
    resistor(s, "R9", kinds.R4K7, (262, 58))
    s.wire((262, 52), (262, 55))
    resistor(s, "R10", kinds.R110K, (292, 44))
    s.wire((292, 30), (292, 41))
    s.wire((292, 47), (292, 66), (268, 66), (268, 52))
    to_ground(s, (262, 61), (280, 56))
    s.text(
        "On above about 12.1 V, off below about 10.0 V (simulated):\n"
        "a long row cannot latch into the collapse of its supply.",
        (246, 78),
        1.3,
    )


def _rails(s: Sheet) -> None:
    s.frame("5 V and 3.3 V", (242, 88), (320, 138))
    s.port("24V_ON", (253, 102), shape="input", left=True)
    buck = s.put("Buck_SIP3", "U2", kinds.BUCK, (284, 104))
    s.put("C", "C11", kinds.C2U2, (256, 108))
    s.wire((253, 102), (258, 102))
    s.wire((256, 102), (256, 105))
    s.put("L", "L1", kinds.COIL, (261, 102), angle=90)
    s.wire((264, 102), buck.at("1"))
    s.label("24V_FILTERED", (264, 102))
    s.put("C", "C3", kinds.C2U2, (267, 110))
    s.wire((267, 102), (267, 107))
    s.wire((263, 106), (267, 106))
    s.flag((263, 106))
    s.wire(buck.at("2"), (274, 104), (274, 113))
    s.put("C", "C4", kinds.C10U, (297, 108))
    s.wire(buck.at("3"), (302, 102))
    s.wire((297, 102), (297, 105))
    s.power("5V", (300, 102))
    s.put("D_Schottky", "D5", kinds.SCHOTTKY, (305, 102), angle=270)
    s.wire((308, 102), (314, 102))
    s.power("VSYS", (314, 102))
    to_ground(s, (256, 111), (267, 113), (274, 113), (297, 111))
    ldo = s.put("LDO_SOT223", "U4", kinds.LDO, (274, 126))
    s.port("VSYS", (256, 124), shape="input", left=True)
    s.wire((256, 124), ldo.at("3"))
    s.put("C", "C5", kinds.C10U, (260, 129))
    s.wire((260, 124), (260, 126))
    s.wire(ldo.at("1"), (265, 126), (265, 132))
    s.wire(ldo.at("2"), (296, 124))
    s.wire((290, 124), (290, 120))
    s.port("3V3_LDO", (290, 120), shape="passive")
    s.put("C", "C6", kinds.C10U, (288, 129))
    s.wire((288, 124), (288, 126))
    resistor(s, "R31", kinds.R0R1, (299, 124), angle=90)
    s.wire((302, 124), (311, 124))
    s.power("3V3_DISPLAY", (311, 124))
    to_ground(s, (260, 132), (265, 132), (288, 132))


def _currents(s: Sheet) -> None:
    """What lamps and displays draw, for the Pico's converter."""
    s.frame("Current of the displays", (242, 142), (320, 166))
    chip = s.put("INA180", "U5", kinds.SENSE, (267, 152))
    for number, net in (("3", "3V3_LDO"), ("4", "3V3_DISPLAY")):
        x, y = chip.at(number)
        s.wire((x, y), (x - 2, y))
        s.port(net, (x - 2, y), shape="passive", left=True)
    x, y = chip.at("5")
    s.wire((x, y), (x + 8, y), (x + 8, y - 2))
    s.power("3V3", (x + 8, y - 2))
    x, y = chip.at("2")
    s.wire((x, y), (x + 2, y))
    to_ground(s, (x + 2, y))
    s.put("C", "C13", kinds.C100N, (249, 160))
    s.power("3V3", (249, 157))
    s.power("GND", (249, 163))
    x, y = chip.at("1")
    s.wire((x, y), (x + 16, y))
    s.label("DISPLAY_SENSE", (x + 1, y))
    s.wire((x + 13, y), (x + 13, y - 4))
    s.put("TestPoint", "TP10", kinds.point("DISPLAY_SENSE"), (x + 13, y - 4))
    _filtered(s, (x + 16, y), "DISPLAY_CURRENT", ("R34", "C10"))
    s.text("R31 and U5: 2 V/A.", (260, 164), 1.3)
    s.port("LAMP_SENSE", (199, 189), shape="passive", left=True)
    s.wire((199, 189), (211, 189))
    resistor(s, "R29", kinds.R2R2, (206, 193))
    s.wire((206, 189), (206, 190))
    to_ground(s, (206, 196))
    s.put("TestPoint", "TP9", kinds.point("LAMP_SENSE"), (200, 189))
    _filtered(s, (211, 189), "LAMP_CURRENT", ("R30", "C9"))


def _filtered(s: Sheet, at: tuple[int, int], net: str, refs: tuple[str, str]) -> None:
    """1 kOhm and 100 nF before a pin of the converter."""
    x, y = at
    series, filter_ = refs
    resistor(s, series, kinds.R1K, (x + 3, y), angle=90)
    s.wire((x + 6, y), (x + 11, y))
    s.put("C", filter_, kinds.C100N, (x + 8, y + 4))
    s.wire((x + 8, y), (x + 8, y + 1))
    to_ground(s, (x + 8, y + 7))
    s.port(net, (x + 11, y), shape="output")


def _pico(s: Sheet, pinmap: Pinmap) -> None:
    s.frame("Raspberry Pi Pico", (10, 88), (96, 152))
    part = s.put(pico(pinmap), "U1", kinds.PICO, (52, 123))
    header(s, part, pinmap.header_nets("node") | PICO_SUPPLY)


def _displays(s: Sheet, connectors: dict) -> None:
    s.frame("Displays and straps", (100, 88), (170, 152))
    for ref, y in (("J3", 106), ("J4", 128)):
        socket(s, connectors[ref], (128, y), kinds.plug(7, connectors[ref].name))
    for ref, net, y in (("R11", "SUN_SELECT", 106), ("R12", "MOON_SELECT", 128)):
        resistor(s, ref, kinds.R10K, (143, y))
        s.power("3V3", (143, y - 3))
        s.wire((143, y + 3), (143, y + 6), (146, y + 6))
        s.port(net, (146, y + 6), shape="passive")
    for ref, x in (("J9", 128), ("J10", 160)):
        socket(s, connectors[ref], (x, 146), kinds.header(2, connectors[ref].name))


def _buttons(s: Sheet, connectors: dict) -> None:
    s.frame("Claim buttons", (173, 88), (240, 152))
    for side, ref, refs, y in (
        ("SUN", "J5", ("R13", "R14", "C7"), 108),
        ("MOON", "J6", ("R15", "R16", "C8"), 134),
    ):
        x, _ = contact(s, (189, y), f"{side}_BUTTON", refs)
        part = socket(s, connectors[ref], (231, y + 4), kinds.plug(4, connectors[ref].name), wired=(1,))
        s.wire((x, y), part.at("1"))
        s.label(f"{side}_CONTACT", (x + 2, y))


def _lamps(s: Sheet, connectors: dict) -> None:
    s.frame("Lamps", (10, 156), (238, 224))
    for side, ref, refs, limit, at in (
        ("SUN", "J7", ("R17", "R18", "Q3"), "R19", (32, 180)),
        ("MOON", "J8", ("R20", "R21", "Q4"), "R22", (32, 210)),
    ):
        x, y = low_side(s, at, f"{side}_LAMP", refs, source="LAMP_SENSE")
        resistor(s, limit, kinds.R150, (x + 8, y), angle=90)
        s.wire((x, y), (x + 5, y))
        part = socket(s, connectors[ref], (x + 34, y), kinds.plug(2, connectors[ref].name), wired=(1, 2))
        s.wire((x + 11, y), part.at("2"))
        s.label(f"{side}_LOW", (x + 13, y))
        s.wire(part.at("1"), (x + 26, y - 2), (x + 26, y - 4))
        s.power("VSYS", (x + 26, y - 4))
    for side, refs, limit, at in (
        ("SUN", ("R23", "R24", "Q5"), "R25", (148, 180)),
        ("MOON", ("R26", "R27", "Q6"), "R28", (148, 210)),
    ):
        x, y = low_side(s, at, f"{side}_CLAIM_LAMP", refs, source="LAMP_SENSE")
        resistor(s, limit, kinds.R47, (x + 8, y), angle=90)
        s.wire((x, y), (x + 5, y))
        s.wire((x + 11, y), (x + 14, y))
        s.port(f"{side}_CLAIM_LOW", (x + 14, y), shape="passive")
    s.text(
        "R19, R22: 150 for a bare LED.\n"
        "R25, R28: 47 for a 5 V lamp with a resistor of its own, 150 for a bare LED.\n"
        "All four have 0.5 W: they bear a short at the lamp.\n"
        "R29: 2.2 V/A for all four.",
        (14, 166),
        1.3,
    )


def _loose(s: Sheet) -> None:
    s.frame("Test points, holes, sources of power", (242, 168), (320, 198))
    points = (("24V_ON", "TP3"), ("5V", "TP4"), ("VSYS", "TP5"))
    others = (("3V3", "TP6"), ("3V3_DISPLAY", "TP7"), ("GND", "TP8"))
    for left, column in ((254, points), (292, others)):
        for index, (net, ref) in enumerate(column):
            y = 176 + 6 * index
            s.port(net, (left, y), shape="passive", left=True)
            s.wire((left, y), (left + 8, y))
            s.put("TestPoint", ref, kinds.point(net), (left + 8, y))
            if net in {"VSYS", "3V3_DISPLAY", "GND"}:
                # through a diode, through a resistor, or from outside; the others have a source drawn
                s.flag((left + 3, y))
    for index in range(4):
        s.put("Hole", f"H{index + 1}", kinds.HOLE, (254 + 12 * index, 194))


PLAN = Plan(
    name="node",
    grounds=("U1", "U2", "C3", "J3", "J4", "J9", "J10", "TP8"),
    wide=108.0,
    high=82.0,
    places={
        # plugs of the cable at the upper edge, the Pico's USB plug beside them
        "J1": (17, 13.5, 180),
        "J2": (38, 13.5, 180),
        "U1": (60, 2, 0),
        # table bus
        "U3": (51, 9, 180),
        "R2": (45, 8.5, 90),
        "R3": (45, 13.5, 90),
        "D1": (46.5, 19, 90),
        "C1": (51, 14, 0),
        "R1": (56, 15.5, 90),
        "TP1": (52, 18, 0),
        "TP2": (52, 21, 0),
        # loop on the spare wire
        "R32": (43, 25.5, 0),
        "C12": (48, 25.5, 0),
        "R33": (53, 25.5, 0),
        # supply
        "F1": (14, 28, 0),
        "D2": (14, 34, 0),
        "D3": (24, 28, 180),
        "R4": (14, 39, 0),
        "R8": (24, 34, 90),
        "D4": (24, 40, 270),
        "R9": (24, 46, 90),
        "Q1": (33, 28, 270),
        "R6": (29.5, 33, 0),
        "R7": (34.5, 33, 0),
        "Q2": (30, 39, 180),
        "R10": (30, 45, 0),
        "C11": (36, 38, 90),
        "L1": (38, 46, 0),
        "U2": (43.5, 36.5, 0),
        "C3": (44, 42.75, 90),
        "C4": (49, 42.5, 90),
        "D5": (50, 48, 180),
        # 3.3 V of the displays and what they draw
        "U4": (92, 10, 180),
        "C5": (97, 18, 90),
        "C6": (91, 18, 90),
        "R31": (85, 11, 90),
        "U5": (85, 18, 0),
        "C13": (84, 22.5, 0),
        "TP10": (84, 3, 0),
        "R34": (82.5, 26, 90),
        "C10": (86, 26, 90),
        # supply and lamps to the converter of the Pico
        "R5": (82.5, 32, 90),
        "C2": (86, 32, 90),
        "R30": (82.5, 38, 90),
        "C9": (86, 38, 90),
        # displays
        "J3": (103, 24, 0),
        "J4": (103, 48, 0),
        "R11": (91, 50, 0),
        "R12": (91, 44, 0),
        # straps
        "J9": (66, 58, 0),
        "J10": (77, 58, 0),
        # lamps and buttons
        "R17": (10, 52, 0),
        "R18": (10, 55, 0),
        "Q3": (10, 59, 0),
        "R19": (10, 63, 0),
        "J7": (9, 75, 90),
        "R23": (21, 52, 0),
        "R24": (21, 55, 0),
        "Q5": (21, 59, 0),
        "R25": (21, 63, 0),
        "R13": (30, 55, 0),
        "R14": (30, 59, 0),
        "C7": (30, 63, 0),
        "J5": (20, 75, 90),
        "R26": (40, 52, 0),
        "R27": (40, 55, 0),
        "Q6": (40, 59, 0),
        "R28": (40, 63, 0),
        "R15": (48, 55, 0),
        "R16": (48, 59, 0),
        "C8": (48, 63, 0),
        "J6": (38, 75, 90),
        "R20": (57, 53, 0),
        "R21": (57, 56, 0),
        "Q4": (57, 60, 0),
        "R22": (57, 64, 0),
        "J8": (56, 75, 90),
        "R29": (51, 69, 90),
        # measuring
        "TP9": (66, 70, 0),
        "TP3": (87, 56, 0),
        "TP4": (87, 59, 0),
        "TP5": (87, 62, 0),
        "TP6": (87, 65, 0),
        "TP7": (87, 68, 0),
        "TP8": (87, 71, 0),
        "H1": (4.5, 22, 0),
        "H2": (103.5, 4.5, 0),
        "H3": (4.5, 66, 0),
        "H4": (103.5, 77.5, 0),
    },
    # 1.5 mm warm up by about 10 degrees at 2.5 A (IPC-2221, 35 µm); 0.75 A are planned
    widths={
        "24V_BUS": 1.5,
        "24V_FUSED": 0.8,
        "24V_SAFE": 0.6,
        "24V_ON": 0.6,
        "24V_FILTERED": 0.6,
        "5V": 0.8,
        "VSYS": 0.8,
        "3V3": 0.4,
        "3V3_DISPLAY": 0.5,
        "3V3_LDO": 0.5,
        "LAMP_SENSE": 0.4,
        "GND": 0.4,
    },
    texts=(
        ("TABLE NODE  rev 2  PAPER: never built", 82, 78.5, 1.2),
        ("TABLE BUS 24 V - NOT ETHERNET", 23, 24.6, 0.9),
        ("IN", 12.5, 9.5, 1.5),
        ("OUT", 33.5, 9.5, 1.5),
        ("SUN LAMP", 10.3, 80.2, 0.9),
        ("SUN BUTTON", 23.8, 80.2, 0.9),
        ("MOON BUTTON", 41.8, 80.2, 0.9),
        ("MOON LAMP", 57.3, 80.2, 0.9),
        ("SH1106", 66, 64, 0.9),
        ("SHARED", 77, 64, 0.9),
        ("SUN DISPLAY", 101, 43.4, 0.9),
        ("MOON DISPLAY", 101, 67.4, 0.9),
    ),
)
