"""Our own schematic symbols, in steps of 1.27 mm with y upwards: what KiCad calls a symbol library.

What each pin of the Raspberry Pi's header and of the Pico is comes from the pin map.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tools.drawings.sexpr import Text
from tools.pinmap import Pinmap

STEP = 1.27
LIBRARY = "controller"
FONT = ["effects", ["font", ["size", 1.27, 1.27]]]
SMALL = ["effects", ["font", ["size", 1.0, 1.0]]]
HIDDEN = ["effects", ["font", ["size", 1.27, 1.27]], ["hide", "yes"]]


@dataclass(frozen=True)
class Pin:
    """`x`, `y`: the end that a wire meets. `angle`: towards the body, 0 is to the right, 90 up."""

    number: str
    name: str
    x: int
    y: int
    angle: int
    kind: str = "passive"
    length: int = 2


@dataclass(frozen=True)
class Symbol:
    """`shapes` are KiCad's graphics in millimetres; `texts`: places of reference and value, unrotated."""

    name: str
    prefix: str
    pins: tuple[Pin, ...]
    shapes: tuple[list, ...]
    texts: tuple[tuple[float, float, str], tuple[float, float, str]]
    names: bool = False
    numbers: bool = False
    power: bool = False
    by_number: dict[str, Pin] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        self.by_number.update({pin.number: pin for pin in self.pins})


def _line(*points: tuple[float, float], fill: str = "none") -> list:
    corners = [["xy", x * STEP, y * STEP] for x, y in points]
    return [
        "polyline",
        ["pts", *corners],
        *_painted(0.2, fill),
    ]


def _box(x: float, y: float, *, fill: str = "none") -> list:
    return [
        "rectangle",
        ["start", -x * STEP, y * STEP],
        ["end", x * STEP, -y * STEP],
        *_painted(0.25, fill),
    ]


def _ring(x: float, y: float, radius: float, fill: str = "none") -> list:
    return [
        "circle",
        ["center", x * STEP, y * STEP],
        ["radius", radius * STEP],
        *_painted(0.2, fill),
    ]


def _painted(width: float, fill: str) -> tuple[list, list]:
    """Line and filling of a shape."""
    return ["stroke", ["width", width], ["type", "default"]], ["fill", ["type", fill]]


def _upright(
    name: str, prefix: str, *shapes: list, half: int = 3, ends: tuple[str, str] = ("~", "~")
) -> Symbol:
    """Two pins, the first on top; `ends` are their names where the part has a direction."""
    pins = (Pin("1", ends[0], 0, half, 270, length=1), Pin("2", ends[1], 0, -half, 90, length=1))
    return Symbol(name, prefix, pins, shapes, ((1.5, 0.7, "left"), (1.5, -0.9, "left")))


# The cathode is pin 1 and on top, as in KiCad's own library.
_ARROW = _line((-1, -1), (1, -1), (0, 1), (-1, -1), fill="none")
_STEM = _line((0, 2), (0, -2))
_DIODE = ("K", "A")


def block(
    name: str, prefix: str, left: Sequence[tuple | None], right: Sequence[tuple | None], *, width: int = 8
) -> Symbol:
    """A box with pins at both sides: (number, name, kind), None for a gap; from the top."""
    rows = max(len(left), len(right))
    top = rows - 1 if rows % 2 else rows
    pins = []
    for column, (side, angle) in ((left, (-1, 0)), (right, (1, 180))):
        for index, pin in enumerate(column):
            if pin is not None:
                number, label, kind = pin
                pins.append(Pin(number, label, side * (width + 2), top - 2 * index, angle, kind))
    half = rows + 1
    body = _box(width, half, fill="background")
    # the middle of the rows lies at top - (rows - 1)
    shift = top - (rows - 1)
    body[1][2] += shift * STEP
    body[2][2] += shift * STEP
    texts = ((-width, half + shift + 1, "left"), (-width, shift - half - 1, "left"))
    return Symbol(name, prefix, tuple(pins), (body,), texts, names=True, numbers=True)


def connector(count: int) -> Symbol:
    """One column, pin 1 on top, wires to the left."""
    top = count - 1 if count % 2 else count
    pins = tuple(Pin(str(i + 1), f"{i + 1}", -4, top - 2 * i, 0, length=2) for i in range(count))
    body = _box(2, count, fill="background")
    shift = top - (count - 1)
    body[1][2] += shift * STEP
    body[2][2] += shift * STEP
    body[2][1] = 1 * STEP
    dots = tuple(_ring(-1, pin.y, 0.35) for pin in pins)
    texts = ((-2, shift + count + 1, "left"), (-2, shift - count - 1, "left"))
    return Symbol(f"Conn_{count}", "J", pins, (body, *dots), texts, numbers=True)


def _power(name: str, *, ground: bool = False) -> Symbol:
    shapes = (
        (
            _line((0, 0), (0, -1)),
            _line((-1, -1), (1, -1)),
            _line((-0.6, -1.5), (0.6, -1.5)),
            _line((-0.2, -2), (0.2, -2)),
        )
        if ground
        else (_line((0, 0), (0, 1)), _line((-0.6, 1), (0.6, 1)))
    )
    pin = Pin("1", name, 0, 0, 270 if ground else 90, "power_in", 0)
    value = (0, -3.2, "") if ground else (0, 2, "")
    return Symbol(name, "#PWR", (pin,), shapes, ((0, -4, ""), value), power=True)


def _p_channel(source: str, drain: str) -> tuple[Pin, ...]:
    return (
        Pin("1", "G", -4, 0, 0, "input", 3),
        Pin("2", "S", 1, 4, 270, source),
        Pin("3", "D", 1, -4, 90, drain),
    )


def _transistors() -> list[Symbol]:
    circle = _ring(0.5, 0, 2.2)
    gate = (
        _line((-1, -1.2), (-1, 1.2)),
        _line((-0.6, -1.4), (-0.6, -0.6)),
        _line((-0.6, -0.4), (-0.6, 0.4)),
        _line((-0.6, 0.6), (-0.6, 1.4)),
    )
    legs = (
        _line((-0.6, 1), (1, 1), (1, 2)),
        _line((-0.6, -1), (1, -1), (1, -2)),
        _line((-0.6, 0), (1, 0), (1, -1)),
    )
    inward = _line((-0.5, 0), (0.1, 0.35), (0.1, -0.35), (-0.5, 0), fill="outline")
    outward = _line((0.3, 0), (-0.3, 0.35), (-0.3, -0.35), (0.3, 0), fill="outline")
    texts = ((3.2, 0.7, "left"), (3.2, -0.9, "left"))
    # SOT-23: 1 gate or base, 2 source or emitter, 3 drain or collector; a P channel has its source on top.
    # A drain or collector that pulls down is an open collector. Power comes in at the source of a P channel
    # that switches it (PMOS), and at the drain of one that keeps reversed polarity off (PMOS_SOT223).
    low = (
        Pin("1", "G", -4, 0, 0, "input", 3),
        Pin("3", "D", 1, 4, 270, "open_collector"),
        Pin("2", "S", 1, -4, 90, "passive"),
    )
    high_legs = (
        _line((-0.6, 1), (1, 1), (1, 2)),
        _line((-0.6, -1), (1, -1), (1, -2)),
        _line((-0.6, 0), (1, 0), (1, 1)),
    )
    high = _p_channel("power_in", "power_out")
    reverse = _p_channel("power_out", "power_in")
    base = (
        _line((-1, -1.4), (-1, 1.4)),
        _line((-1, 0.5), (1, 1.4), (1, 2)),
        _line((-1, -0.5), (1, -1.4), (1, -2)),
    )
    tip = _line((0.8, -1.35), (0, -1.35), (0.3, -0.75), (0.8, -1.35), fill="outline")
    npn = (
        Pin("1", "B", -4, 0, 0, "input", 3),
        Pin("3", "C", 1, 4, 270, "open_collector"),
        Pin("2", "E", 1, -4, 90, "passive"),
    )
    # SOT-223: 1 gate or input, 2 and the tab drain, 3 source
    wide = {"1": "1", "2": "3", "3": "2"}
    low_wide = tuple(replace(pin, number=wide[pin.number]) for pin in low)
    high_wide = tuple(replace(pin, number=wide[pin.number]) for pin in reverse)
    fence = _box(2.6, 2.6)
    return [
        Symbol("Switch", "Q", low_wide, (fence, *gate, *legs, inward), texts),
        Symbol("PMOS_SOT223", "Q", high_wide, (circle, *gate, *high_legs, outward), texts),
        Symbol("NMOS", "Q", low, (circle, *gate, *legs, inward), texts),
        Symbol("PMOS", "Q", high, (circle, *gate, *high_legs, outward), texts),
        Symbol("NPN", "Q", npn, (circle, *base, tip), texts),
    ]


def _passives() -> list[Symbol]:
    plates = (
        _line((-1.5, 0.4), (1.5, 0.4)),
        _line((-1.5, -0.4), (1.5, -0.4)),
        _line((0, 2), (0, 0.4)),
        _line((0, -2), (0, -0.4)),
    )
    plus = (_line((-1.4, 1.3), (-0.6, 1.3)), _line((-1, 1.7), (-1, 0.9)))
    bar = _line((-1, 1), (1, 1))
    bent = _line((-1.4, 0.6), (-1, 1), (1, 1), (1.4, 1.4))
    hooks = _line((-1, 0.5), (-1, 1), (1, 1), (1, 1.5))
    rays = (_line((1.2, 0.2), (2.2, 1.2)), _line((1.7, -0.6), (2.7, 0.4)))
    return [
        _upright("R", "R", _box(0.8, 2)),
        _upright("C", "C", *plates),
        _upright("C_Polar", "C", *plates, *plus, ends=("+", "-")),
        _upright("L", "L", *(_line((0, 2 - i), (0.9, 1.5 - i), (0, 1 - i)) for i in range(4))),
        _upright("Fuse", "F", _box(0.7, 2), _line((0, 2), (0, -2))),
        _upright("PTC", "F", _box(0.8, 2), _line((-1.6, -2), (-0.9, -2), (1.3, 2))),
        _upright("D", "D", _ARROW, bar, _STEM, ends=_DIODE),
        _upright("D_Schottky", "D", _ARROW, hooks, _STEM, ends=_DIODE),
        _upright("D_Zener", "D", _ARROW, bent, _STEM, ends=_DIODE),
        _upright("D_TVS", "D", _ARROW, bent, _STEM, ends=_DIODE),
        _upright("LED", "D", _ARROW, bar, _STEM, *rays, ends=_DIODE),
    ]


def _others() -> list[Symbol]:
    double = Symbol(
        "TVS_2",
        "D",
        (Pin("1", "1", -3, 4, 270), Pin("2", "2", 3, 4, 270), Pin("3", "COM", 0, -4, 90)),
        (
            _box(4.5, 2, fill="background"),
            _line((-3, 2), (-3, -1.2), (3, -1.2), (3, 2)),
            _line((0, -1.2), (0, -2)),
            *(_line((x - 0.7, 1), (x + 0.7, 1), (x, 0), (x - 0.7, 1)) for x in (-3, 3)),
            *(_line((x - 0.7, -1), (x + 0.7, -1), (x, 0), (x - 0.7, -1)) for x in (-3, 3)),
            *(_line((x - 0.7, 0), (x + 0.7, 0)) for x in (-3, 3)),
        ),
        ((5, 0.7, "left"), (5, -0.9, "left")),
        numbers=True,
    )
    opto = Symbol(
        "Opto",
        "U",
        (
            Pin("1", "A", -6, 2, 0),
            Pin("2", "K", -6, -2, 0),
            Pin("4", "C", 6, 2, 180, "open_collector"),
            Pin("3", "E", 6, -2, 180),
        ),
        (
            _box(4, 3, fill="background"),
            _line((-4, 2), (-2, 2), (-2, -2), (-4, -2)),
            _line((-2.8, 0.7), (-1.2, 0.7), (-2, -0.7), (-2.8, 0.7)),
            _line((-2.8, -0.7), (-1.2, -0.7)),
            _line((-0.8, 0.4), (0.6, 0.4)),
            _line((-0.8, -0.4), (0.6, -0.4)),
            _line((1.5, 1.2), (1.5, -1.2)),
            _line((1.5, 0.5), (3, 2), (4, 2)),
            _line((1.5, -0.5), (3, -2), (4, -2)),
        ),
        ((-4, 4, "left"), (-4, -4, "left")),
        numbers=True,
    )
    shunt = Symbol(
        "Shunt",
        "R",
        (
            Pin("1", "1", -4, 0, 0),
            Pin("2", "2", 4, 0, 180),
            Pin("3", "S1", -2, -4, 90),
            Pin("4", "S2", 2, -4, 90),
        ),
        (_box(2.4, 0.9), _line((-2, -0.9), (-2, -2)), _line((2, -0.9), (2, -2))),
        ((0, 3.4, ""), (0, 1.9, "")),
        numbers=True,
    )
    return [double, opto, *_marks(), shunt]


def _marks() -> list[Symbol]:
    """What no part is ordered for."""
    point = Symbol(
        "TestPoint",
        "TP",
        (Pin("1", "1", 0, 0, 90, "passive", 1),),
        (_ring(0, 1.6, 0.6),),
        ((1.3, 2.9, "left"), (1.3, 1.2, "left")),
    )
    hole = Symbol(
        "Hole", "H", (), (_ring(0, 0, 1), _ring(0, 0, 0.5)), ((1.5, 0.7, "left"), (1.5, -0.9, "left"))
    )
    flag = Symbol(
        "PWR_FLAG",
        "#FLG",
        (Pin("1", "~", 0, 0, 90, "power_out", 0),),
        (_line((0, 0), (0, 1), (-0.8, 1.6), (0, 2.2), (0.8, 1.6), (0, 1)),),
        ((0, 3, ""), (0, 3, "")),
        power=True,
    )
    return [point, hole, flag]


def _chips() -> list[Symbol]:
    transceiver = block(
        "RS485",
        "U",
        [("1", "R", "output"), ("2", "~{RE}", "input"), ("3", "DE", "input"), ("4", "D", "input")],
        [
            ("8", "VCC", "power_in"),
            ("6", "A", "bidirectional"),
            ("7", "B", "bidirectional"),
            ("5", "GND", "power_in"),
        ],
        width=6,
    )
    buck = block(
        "Buck_SIP3",
        "U",
        [("1", "IN", "power_in"), ("2", "GND", "power_in")],
        [("3", "OUT", "power_out")],
        width=6,
    )
    # the tab is pin 2 as well
    ldo = block(
        "LDO_SOT223",
        "U",
        [("3", "IN", "power_in"), ("1", "GND", "power_in")],
        [("2", "OUT", "power_out")],
        width=6,
    )
    sense = block(
        "INA180",
        "U",
        [("3", "IN+", "input"), ("4", "IN-", "input")],
        [("5", "VS", "power_in"), ("1", "OUT", "output"), ("2", "GND", "power_in")],
        width=6,
    )
    jack = block("RJ45", "J", [(str(i), f"{i}", "passive") for i in range(1, 9)], [], width=4)
    return [transceiver, buck, ldo, sense, jack, *_panel_chips()]


def _panel_chips() -> list[Symbol]:
    current = block(
        "INA226",
        "U",
        [("10", "IN+", "input"), ("9", "IN-", "input"), ("8", "VBUS", "input")],
        [
            ("6", "VS", "power_in"),
            ("4", "SDA", "bidirectional"),
            ("5", "SCL", "input"),
            ("3", "~{ALERT}", "open_collector"),
            ("2", "A0", "input"),
            ("1", "A1", "input"),
            ("7", "GND", "power_in"),
        ],
        width=6,
    )
    one_shot = block(
        "OneShot",
        "U",
        [None, ("2", "B", "input"), ("3", "~{CLR}", "input"), ("1", "~{A}", "input")],
        [
            ("8", "VCC", "power_in"),
            None,
            None,
            ("7", "R/C", "passive"),
            ("6", "C", "passive"),
            ("5", "Q", "output"),
            ("4", "GND", "power_in"),
        ],
        width=6,
    )
    return [current, one_shot]


POWER = ("24V", "5V", "3V3", "VSYS", "3V3_DISPLAY")

SYMBOLS: dict[str, Symbol] = {
    symbol.name: symbol
    for symbol in (
        *_passives(),
        *_transistors(),
        *_others(),
        *_chips(),
        *(connector(count) for count in (2, 4, 5, 7)),
        _power("GND", ground=True),
        *(_power(name) for name in POWER),
    )
}


def definition(symbol: Symbol, *, library: bool) -> list:
    """KiCad's form; in the library's own file without the library's name."""
    name = symbol.name if library else f"{LIBRARY}:{symbol.name}"
    (rx, ry, _), (vx, vy, _) = symbol.texts
    head: list = ["symbol", Text(name)]
    if symbol.power:
        head.append(["power"])
    if not symbol.numbers:
        head.append(["pin_numbers", ["hide", "yes"]])
    head.append(["pin_names", ["offset", 0.5], *([] if symbol.names else [["hide", "yes"]])])
    shown = HIDDEN if symbol.prefix.startswith("#") else FONT
    yes = "no" if symbol.prefix in {"#PWR", "#FLG", "H", "TP"} else "yes"
    head += [
        ["exclude_from_sim", "no"],
        ["in_bom", yes],
        ["on_board", "no" if symbol.power else "yes"],
        ["property", Text("Reference"), Text(symbol.prefix), ["at", rx * STEP, ry * STEP, 0], shown],
        ["property", Text("Value"), Text(symbol.name), ["at", vx * STEP, vy * STEP, 0], FONT],
    ]
    for key in ("Footprint", "Datasheet", "Description"):
        head.append(["property", Text(key), Text(""), ["at", 0, 0, 0], HIDDEN])
    pins = [
        [
            "pin", pin.kind, "line",
            ["at", pin.x * STEP, pin.y * STEP, pin.angle],
            ["length", pin.length * STEP],
            ["name", Text(pin.name), SMALL],
            ["number", Text(pin.number), SMALL],
        ]
        for pin in symbol.pins
    ]  # fmt: skip
    head.append(["symbol", Text(f"{symbol.name}_0_1"), *symbol.shapes])
    head.append(["symbol", Text(f"{symbol.name}_1_1"), *pins])
    head.append(["embedded_fonts", "no"])
    return head


def library(headers: Iterable[Symbol]) -> list:
    """The library's file; `headers` are the two whose pins have their kinds from the pin map."""
    return [
        "kicad_symbol_lib",
        ["version", "20241209"],
        ["generator", Text("make generate")],
        ["generator_version", Text("9.0")],
        *(definition(symbol, library=True) for symbol in (*SYMBOLS.values(), *headers)),
    ]


_PI = (
    "3V3 5V SDA 5V SCL GND 4 14 GND 15 17 18 27 GND 22 23 3V3 24 MOSI GND MISO 25 SCLK CE0 GND CE1 "
    "ID_SD ID_SC 5 GND 6 12 13 GND 19 16 26 20 GND 21"
)
_PICO = (
    "GP0 GP1 GND GP2 GP3 GP4 GP5 GND GP6 GP7 GP8 GP9 GND GP10 GP11 GP12 GP13 GND GP14 GP15 "
    "GP16 GP17 GND GP18 GP19 GP20 GP21 GND GP22 RUN GP26 GP27 AGND GP28 ADC_VREF 3V3 3V3_EN GND VSYS VBUS"
)
"""What is printed at the pins 1 to 40 of both headers, the Pi's with BCM numbers."""

_PI_KINDS = {
    "3V3": "power_out", "5V": "power_out", "GND": "power_in",
    "MOSI": "output", "SCLK": "output", "CE0": "output", "CE1": "output", "MISO": "input",
}  # fmt: skip
_PICO_KINDS = {
    "3V3": "power_out", "VBUS": "power_out", "ADC_VREF": "power_out",
    "VSYS": "power_in", "GND": "power_in", "AGND": "power_in", "RUN": "input", "3V3_EN": "input",
}  # fmt: skip
_DIRECTIONS = {"in": "input", "out": "output"}


def pi_header(pinmap: Pinmap) -> Symbol:
    """Pins that the pin map does not use can be either."""
    rows = {**pinmap.table["pins"], **pinmap.table["display"]}
    pins = _pins(_PI, _PI_KINDS, rows)
    return block("Pi_header", "J", pins[0::2], pins[1::2], width=9)


def pico(pinmap: Pinmap) -> Symbol:
    pins = _pins(_PICO, _PICO_KINDS, pinmap.table["node"])
    return block("Pico", "U", pins[:20], pins[20:][::-1], width=10)


def _pins(names: str, kinds: dict[str, str], rows: dict[str, dict]) -> list[tuple[str, str, str]]:
    """Number, name and kind. Of several pins of one supply the first is the source, since two sources on one
    net are an error to KiCad."""
    directions = {row["header"]: _DIRECTIONS[row["direction"]] for row in rows.values()}
    made, sources = [], set()
    for number, name in enumerate(names.split(), 1):
        kind = directions.get(number, kinds.get(name, "bidirectional"))
        if kind == "power_out" and name in sources:
            kind = "passive"
        sources.add(name)
        made.append((str(number), f"BCM {name}" if name.isdigit() else name, kind))
    return made
