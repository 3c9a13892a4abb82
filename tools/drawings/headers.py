"""Symbols of the Raspberry Pi's header and of the Pico: what each pin is comes from the pin map."""

from tools.drawings.symbols import Symbol, block
from tools.pinmap import Pinmap

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
