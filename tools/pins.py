"""hardware/pinmap.toml as the source text of the modules with pins: the settings' and the table node's."""

from typing import Any

from tools.pinmap import Pinmap


def pins_source(pinmap: Pinmap) -> str:
    """The module's text for this table of pins."""
    table = pinmap.table
    head = '"""Header pins. Generated from hardware/pinmap.toml by `make generate`; change them there."""'
    rows = {**table["pins"], **table["display"]}
    lines = [head, "", *(f"{name.upper()} = {row['bcm']}  # {row['meaning']}" for name, row in rows.items())]
    holders = " and of ".join(dict.fromkeys(table["reserved"].values()))
    lines += [
        "",
        f"RESERVED = {_value([int(number) for number in table['reserved']])}",
        f'"""BCM numbers of {holders}: nothing may use them."""',
    ]
    for name, meaning in (
        ("i2c", "Pins that an I2C bus takes, by bus number."),
        ("spi_data", "Clock and data pins of an SPI bus, by bus number."),
        ("spi_select", "Chip-select pins of an SPI bus, by bus number, in their order."),
    ):
        lines += ["", f"{name.upper()} = {{", *_rows(table["buses"][name]), "}", f'"""{meaning}"""']
    return "\n".join(lines) + "\n"


def node_pins_source(pinmap: Pinmap) -> str:
    """The text of firmware/table_node/pins.py."""
    table = pinmap.table
    head = '"""GPIO numbers of the Pico. Made by `make generate` from hardware/pinmap.toml; edit that."""'
    lines = [f"{name.upper()} = {row['gpio']}  # {row['meaning']}" for name, row in table["node"].items()]
    return "\n".join([head, "", *lines, ""])


def _rows(table: dict[str, Any]) -> list[str]:
    return [f"    {number}: {_value(value)}," for number, value in table.items()]


def _value(value: list[int]) -> str:
    return "(" + ", ".join(str(item) for item in value) + ")"
