"""Reads hardware/pinmap.toml and refuses one that would harm: `load(path)` gives the checked table or raises
PinmapError, whose text is one sentence with the remedy."""

import tomllib
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

# Physical pins of the Pi's 40-pin header by BCM number, 0 to 27 (Raspberry Pi documentation, GPIO).
_HEADER = "27 28 3 5 7 29 31 26 24 21 19 23 32 33 8 10 36 11 12 35 38 40 15 16 18 22 37 13"
PI_HEADER = {bcm: int(pin) for bcm, pin in enumerate(_HEADER.split())}
PI_SUPPLY = {"5V": (2, 4), "3V3": (1, 17), "GND": (6, 9, 14, 20, 25, 30, 34, 39)}

# Pins of the Pico by GPIO number; 23, 24, 25 and 29 are not on its header (Pico data sheet, 2.1).
PICO_HEADER = {
    **dict(enumerate((1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29))),
    26: 31,
    27: 32,
    28: 34,
}
PICO_CONVERTER = (26, 27, 28)

PULLED_UP = range(9)
"""BCM 0 to 8 are pulled up at power-on (BCM2835 data sheet, table 6-31)."""
BOOT_TALK = 14
"""The serial console speaks here while the Pi starts."""

_PI_KEYS = {"bcm": int, "header": int, "direction": str, "boot_pull": str, "active": str, "meaning": str}
_NODE_KEYS = {"gpio": int, "header": int, "direction": str, "rest": str, "active": str, "meaning": str}
_WIRE_KEYS = {"pin": int, "net": str, "label": str, "colour": str}
_WORDS = {
    "direction": ("in", "out"),
    "boot_pull": ("up", "down"),
    "active": ("high", "low", "none"),
    "rest": ("up", "down", "none"),
}


class PinmapError(ValueError):
    """The pin map cannot be built; the text says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One pin of a connector: `net` as in the drawing, `label` for people, `colour` a WireViz code."""

    pin: int
    net: str
    label: str
    colour: str


@dataclass(frozen=True, slots=True)
class Connector:
    board: str
    ref: str
    name: str
    kind: str
    meaning: str
    wires: tuple[Wire, ...]


@dataclass(frozen=True, slots=True)
class Pinmap:
    """The checked table. `table` is the file as it was read."""

    table: dict[str, Any]
    connectors: tuple[Connector, ...]

    def of(self, board: str) -> tuple[Connector, ...]:
        """The connectors of "panel" or "node", in the order of the file."""
        return tuple(connector for connector in self.connectors if connector.board == board)

    def header_nets(self, board: str) -> dict[int, str]:
        """Net of each wired pin of the Pi's header ("panel") or of the Pico ("node"), supply left out."""
        if board == "node":
            return {row["header"]: name.upper() for name, row in self.table["node"].items()}
        nets = {row["header"]: name.upper() for name, row in _pi_rows(self.table).items()}
        wired = {wire.net for connector in self.of("panel") for wire in connector.wires}
        return nets | {PI_HEADER[bcm]: net for bcm, net in _bus_nets(self.table).items() if net in wired}


def load(path: Path) -> Pinmap:
    """Read and check; raises PinmapError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PinmapError(f"{path} cannot be read ({error.strerror}); it is part of the checkout.") from error
    except tomllib.TOMLDecodeError as error:
        raise PinmapError(f"{path.name} is not TOML: {error}; mend that line.") from error
    return checked(table)


def checked(table: dict[str, Any]) -> Pinmap:
    """The table as a Pinmap; raises PinmapError."""
    for section in ("pins", "display", "reserved", "buses", "node", "connectors"):
        if section not in table:
            raise PinmapError(f"pinmap.toml has no section [{section}]; put it back.")
    pi, node = _pi_rows(table), table["node"]
    _same_keys(pi, _PI_KEYS)
    _same_keys(node, _NODE_KEYS)
    _each_once(pi, "bcm", "BCM")
    _each_once(node, "gpio", "GPIO")
    _pi_pins(pi, table)
    _node_pins(node)
    return Pinmap(table, tuple(_connectors(table["connectors"])))


def _pi_rows(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {**table["pins"], **table["display"]}


def _bus_nets(table: dict[str, Any]) -> dict[int, str]:
    """What the buses that the panel uses are called, by BCM number."""
    buses = table["buses"]
    used = buses["used"]
    nets = dict(zip(buses["i2c"][str(used["i2c"])], ("SDA", "SCL"), strict=True))
    nets |= dict(zip(buses["spi_data"][str(used["spi"])], ("MISO", "MOSI", "SCLK"), strict=True))
    return nets | {bcm: f"CE{number}" for number, bcm in enumerate(buses["spi_select"][str(used["spi"])])}


def _same_keys(rows: dict[str, Any], keys: dict[str, type]) -> None:
    for name, row in rows.items():
        for key, kind in keys.items():
            if type(row.get(key)) is not kind:
                what = "a number" if kind is int else "a text"
                raise PinmapError(f"{name} needs {key} = {what} in pinmap.toml.")
            if key in _WORDS and row[key] not in _WORDS[key]:
                allowed = " or ".join(_WORDS[key])
                raise PinmapError(f'{name} has {key} = "{row[key]}"; write {allowed}.')
        for key in row.keys() - keys.keys():
            raise PinmapError(f"{name} has a key {key} that nobody reads; remove it or mend its spelling.")


def _each_once(rows: dict[str, Any], key: str, what: str) -> None:
    for (one, row), (other, twin) in combinations(rows.items(), 2):
        if row[key] == twin[key]:
            raise PinmapError(f"{one} and {other} both use {what} {row[key]}; give one of them another pin.")


def _pi_pins(rows: dict[str, Any], table: dict[str, Any]) -> None:
    buses = _bus_nets(table)
    for name, row in rows.items():
        bcm = row["bcm"]
        if bcm not in PI_HEADER:
            raise PinmapError(f"{name} uses BCM {bcm}, which is not on the header; choose one of 2 to 27.")
        if str(bcm) in table["reserved"]:
            raise PinmapError(
                f"{name} uses BCM {bcm}, which is reserved for {table['reserved'][str(bcm)]}; choose another."
            )
        if bcm in buses:
            raise PinmapError(
                f"{name} uses BCM {bcm}, which is {buses[bcm]} of a bus in use; choose another."
            )
        _header(name, "BCM", bcm, row["header"], PI_HEADER[bcm])
        pull = "up" if bcm in PULLED_UP else "down"
        if row["boot_pull"] != pull:
            raise PinmapError(f'{name}: BCM {bcm} is pulled {pull} at power-on; write boot_pull = "{pull}".')
        if row["direction"] == "out":
            _safe_output(name, row)


def _safe_output(name: str, row: dict[str, Any]) -> None:
    bcm = row["bcm"]
    level = "high" if row["boot_pull"] == "up" else "low"
    if row["active"] == level:
        other = "BCM 9 to 27" if level == "high" else "a driver that is switched on by high"
        raise PinmapError(
            f"{name} is an output on BCM {bcm}, which is pulled {row['boot_pull']} while the Pi starts and "
            f"would switch it on; choose {other}."
        )
    if bcm == BOOT_TALK:
        raise PinmapError(
            f"{name} is on BCM {bcm}, where the Pi sends its boot messages; choose another pin."
        )


def _node_pins(rows: dict[str, Any]) -> None:
    for name, row in rows.items():
        gpio = row["gpio"]
        if gpio not in PICO_HEADER:
            raise PinmapError(f"{name} uses GPIO {gpio}, which is not on the Pico's header; choose another.")
        _header(name, "GPIO", gpio, row["header"], PICO_HEADER[gpio])
        if row["direction"] == "in" and row["rest"] == "none" and gpio not in PICO_CONVERTER:
            raise PinmapError(f"{name} measures a voltage on GPIO {gpio}; only GPIO 26, 27 and 28 can.")
        if row["direction"] == "in" and row["rest"] == "down":
            raise PinmapError(
                f'{name} is an input pulled down, which a Pico 2 may latch (erratum E9); use rest = "up" '
                "and switch to ground."
            )
        if row["direction"] == "out" and (row["active"], row["rest"]) in {("high", "up"), ("low", "down")}:
            raise PinmapError(f"{name} is an output that is on while it rests; turn rest or active round.")


def _header(name: str, what: str, number: int, said: int, real: int) -> None:
    if said != real:
        raise PinmapError(
            f"{name}: {what} {number} is physical pin {real}, not {said}; write header = {real}."
        )


def _connectors(table: dict[str, Any]) -> list[Connector]:
    return [_connector(board, ref, row) for board, rows in table.items() for ref, row in rows.items()]


def _connector(board: str, ref: str, row: dict[str, Any]) -> Connector:
    for key in ("name", "kind", "meaning", "wires"):
        if key not in row:
            raise PinmapError(f"connector {ref} of the {board} needs {key} in pinmap.toml.")
    _same_keys({f"{board} {ref} pin {wire.get('pin')}": wire for wire in row["wires"]}, _WIRE_KEYS)
    numbers = [wire["pin"] for wire in row["wires"]]
    if numbers != list(range(1, len(numbers) + 1)):
        raise PinmapError(f"connector {ref} of the {board} lists pins {numbers}; list each once, from 1 on.")
    wires = tuple(Wire(**wire) for wire in row["wires"])
    return Connector(board, ref, row["name"], row["kind"], row["meaning"], wires)
