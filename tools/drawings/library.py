"""Symbols as KiCad's files have them."""

from collections.abc import Iterable

from tools.drawings.sexpr import Text
from tools.drawings.symbols import FONT, HIDDEN, LIBRARY, SMALL, STEP, SYMBOLS, Symbol


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
