"""The table of pins keeps the header's own rules."""

import tomllib

from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.settings import Settings
from pi_controller.settings.sections import DisplaySettings, PinSettings
from table_node import pins as node_pins
from tests.architecture.sources import ROOT

# Physical pins of the 40-pin header by BCM number, 2 to 27.
HEADER = dict(
    zip(range(2, 28), (3, 5, 7, 29, 31, 26, 24, 21, 19, 23, 32, 33, 8, 10, 36, 11, 12, 35, 38, 40, 15, 16, 18, 22, 37, 13), strict=True)
)  # fmt: skip
TABLE = tomllib.loads((ROOT / "hardware" / "pinmap.toml").read_text())
ROWS = TABLE["pins"] | TABLE["display"]
# Pins of the Pico's own header by GPIO number.
PICO_HEADER = {
    **dict(zip(range(16), (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20), strict=True)),
    **dict(zip((*range(16, 23), 26, 27, 28), (21, 22, 24, 25, 26, 27, 29, 31, 32, 34), strict=True)),
}


def test_no_pin_stands_there_twice_and_none_is_reserved() -> None:
    numbers = [row["bcm"] for row in ROWS.values()]
    assert len(set(numbers)) == len(numbers)
    assert not {str(number) for number in numbers} & TABLE["reserved"].keys()


def test_the_sentence_about_reserved_pins_says_what_holds_them() -> None:
    (holder,) = {*TABLE["reserved"].values()}
    assert holder in words(Sentence("settings.pin_reserved", setting="[pins] buzzer = 0", pin=0))


def test_physical_pins_belong_to_their_numbers() -> None:
    assert {name: row["header"] for name, row in ROWS.items()} == {
        name: HEADER[row["bcm"]] for name, row in ROWS.items()
    }


def test_outputs_stay_off_while_the_machine_starts() -> None:
    """BCM 0 to 8 are pulled up at power-on (BCM2835 data sheet), and 14 sends the boot messages."""
    outputs = [row for row in ROWS.values() if row["direction"] == "out"]
    assert all(row["bcm"] >= 9 and row["bcm"] != 14 for row in outputs)
    assert all((row["boot_pull"] == "up") == (row["bcm"] <= 8) for row in ROWS.values())


def test_the_settings_take_their_defaults_from_it() -> None:
    assert {name: getattr(Settings().pins, name) for name in PinSettings.__struct_fields__} == {
        name: row["bcm"] for name, row in TABLE["pins"].items()
    }
    assert {name: getattr(DisplaySettings(), name) for name in TABLE["display"]} == {
        name: row["bcm"] for name, row in TABLE["display"].items()
    }


def test_pins_of_the_node_are_on_its_header_and_stand_there_once() -> None:
    node = TABLE["node"]
    assert {name: row["header"] for name, row in node.items()} == {
        name: PICO_HEADER[row["gpio"]] for name, row in node.items()
    }
    assert len({row["gpio"] for row in node.values()}) == len(node)


def test_digital_inputs_of_the_node_are_pulled_up() -> None:
    """RP2350 erratum E9: an input that is pulled down may stay high."""
    node = TABLE["node"]
    converted = {"supply", "lamp_current", "display_current"}
    inputs = {name: row["rest"] for name, row in node.items() if row["direction"] == "in"}
    assert {name for name, rest in inputs.items() if rest == "none"} == converted
    assert set(inputs.values()) == {"none", "up"}
    assert node["driver_enable"]["rest"] == "down"
    assert all(node[name]["gpio"] in {26, 27, 28} for name in converted), "only these reach the converter"


def test_the_firmware_takes_its_pins_from_it() -> None:
    assert {name.lower(): getattr(node_pins, name) for name in dir(node_pins) if name.isupper()} == {
        name: row["gpio"] for name, row in TABLE["node"].items()
    }
