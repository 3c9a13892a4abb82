"""A pin map that cannot be built is refused with one sentence that says what to do."""

import copy
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT
from tools import generate
from tools.pin_tables import labels, pins_page
from tools.pinmap import PinmapError, checked, load

FILE = ROOT / "hardware" / "pinmap.toml"
TABLE = tomllib.loads(FILE.read_text())
TITLES = {"panel": "The panel", "node": "The table node"}


def changed(*path: str, **values: object) -> dict[str, Any]:
    """The real table with other values in one row."""
    table = copy.deepcopy(TABLE)
    row = table
    for step in path:
        row = row[step]
    row.update(values)
    return table


J9_WIRE = TABLE["connectors"]["node"]["J9"]["wires"][0]
HARMFUL: list[tuple[dict[str, Any], str]] = [
    (changed("pins", "moon_lamp", bcm=12), "sun_lamp and moon_lamp both use BCM 12; give one"),
    (changed("node", "moon_button", gpio=14), "sun_button and moon_button both use GPIO 14; give one"),
    (changed("pins", "buzzer", bcm=7, header=26), "buzzer uses BCM 7, which is CE1 of a bus in use"),
    (changed("pins", "buzzer", bcm=4, header=7, boot_pull="up"), "which is pulled up while the Pi starts"),
    (changed("pins", "buzzer", active="low"), "choose a driver that is switched on by high."),
    (changed("pins", "buzzer", bcm=14, header=8), "where the Pi sends its boot messages; choose another"),
    (changed("pins", "buzzer", bcm=0, header=27), "reserved for the identification memory of add-on boards"),
    (changed("pins", "buzzer", bcm=28), "which is not on the header; choose one of 2 to 27."),
    (changed("pins", "buzzer", header=35), "buzzer: BCM 16 is physical pin 36, not 35; write header = 36."),
    (changed("pins", "buzzer", boot_pull="up"), 'pulled down at power-on; write boot_pull = "down".'),
    (changed("pins", "buzzer", direction="output"), 'direction = "output"; write in or out.'),
    (changed("pins", "buzzer", bcm="16"), "buzzer needs bcm = a number in pinmap.toml."),
    (
        changed("pins", "buzzer", colour="red"),
        "a key colour that nobody reads; remove it or mend its spelling.",
    ),
    (changed("node", "supply", gpio=9, header=12), "a voltage on GPIO 9; only GPIO 26, 27 and 28 can."),
    (changed("node", "sun_button", rest="down"), "which a Pico 2 may latch (erratum E9); use rest"),
    (changed("node", "driver_enable", rest="up"), "on while it rests; turn rest or active round."),
    (changed("node", "sun_lamp", gpio=23), "GPIO 23, which is not on the Pico's header; choose another."),
    (
        changed("connectors", "node", "J9", wires=[J9_WIRE] * 2),
        "lists pins [1, 1]; list each once, from 1 on.",
    ),
    ({name: rows for name, rows in TABLE.items() if name != "node"}, "has no section [node]; put it back."),
]


@pytest.mark.parametrize(("table", "sentence"), HARMFUL)
def test_a_harmful_pin_map_is_refused(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PinmapError, match=re.escape(sentence)):
        checked(table)


def test_a_connector_needs_its_name() -> None:
    table = copy.deepcopy(TABLE)
    del table["connectors"]["panel"]["J3"]["name"]
    with pytest.raises(PinmapError, match=r"^connector J3 of the panel needs name in pinmap\.toml\.$"):
        checked(table)


def test_a_broken_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "pinmap.toml"
    with pytest.raises(
        PinmapError, match=r"cannot be read \(No such file or directory\); it is part of the checkout\."
    ):
        load(file)
    file.write_text("[pins\n")
    with pytest.raises(PinmapError, match=r"^pinmap\.toml is not TOML: .*; mend that line\.$"):
        load(file)


def test_generate_says_it_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hardware").mkdir()
    (tmp_path / "hardware" / "pinmap.toml").write_text(FILE.read_text().replace("bcm = 13", "bcm = 12"))
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["generate"])
    assert generate.main() == 1
    assert (
        capsys.readouterr().err == "sun_lamp and moon_lamp both use BCM 12; give one of them another pin.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["hardware"]


def test_every_pin_and_connector_stands_in_the_tables() -> None:
    pinmap = load(FILE)
    page, templates = pins_page(pinmap), labels(pinmap)
    assert all(f"\n{name} " in page for section in ("pins", "display", "node") for name in TABLE[section])
    for connector in pinmap.connectors:
        of_board = page.split(f"\n## {TITLES[connector.board]}: connectors")[1].split("\n## ")[0]
        shown = of_board.split(f"\n### {connector.ref}: {connector.name}\n")[1].split("\n### ")[0]
        as_other = re.search(r"Pins as (\w+)\.", shown)
        if as_other:
            shown = of_board.split(f"\n### {as_other[1]}: ")[1].split("\n### ")[0]
        lines = [tuple(re.split(" {2,}", line)) for line in shown.split("```")[1].strip().splitlines()]
        assert lines == [(str(wire.pin), wire.label, wire.net, wire.colour) for wire in connector.wires]
        assert f"- &{connector.board}_{connector.ref}\n" in templates


def test_a_net_of_a_header_is_named_after_its_signal() -> None:
    pinmap = load(FILE)
    assert pinmap.header_nets("panel")[32] == "SUN_LAMP"
    assert pinmap.header_nets("panel")[3] == "SDA"
    assert 21 not in pinmap.header_nets("panel"), "a display on SPI says nothing back"
    assert pinmap.header_nets("node")[4] == "DRIVER_ENABLE"
