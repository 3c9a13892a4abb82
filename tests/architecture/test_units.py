"""The systemd units are valid and closed."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.needs import program

UNITS = sorted((ROOT / "systemd").glob("*.service"))
INSTALLED = "/opt/pi-controller/.venv/bin/pi-controller"
MOST_EXPOSED = 15
"""Tenths of systemd's exposure level, 0 (closed) to 100; below 20 counts as OK."""


@pytest.fixture
def unit_folder(tmp_path: Path) -> Path:
    """The units with a program that is there: the check refuses one that is not installed."""
    for unit in UNITS:
        (tmp_path / unit.name).write_text(unit.read_text().replace(INSTALLED, "/bin/true"))
    return tmp_path


@pytest.mark.parametrize("unit", [unit.name for unit in UNITS])
def test_a_unit_is_valid(unit_folder: Path, unit: str) -> None:
    """Unknown keys leave the exit status at 0, so that only silence is right."""
    answer = run("verify", str(unit_folder / unit))
    assert (answer.stderr, answer.returncode) == ("", 0)


@pytest.mark.parametrize("unit", [unit.name for unit in UNITS])
def test_a_unit_is_closed(unit_folder: Path, unit: str) -> None:
    answer = run(
        "security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager", str(unit_folder / unit)
    )
    assert answer.returncode == 0, answer.stdout


def test_there_are_units_for_both_processes() -> None:
    commands = [
        re.findall(rf"^ExecStart={INSTALLED} (\w+)", unit.read_text(), re.MULTILINE) for unit in UNITS
    ]
    assert commands == [["core"], ["web"]]


def test_core_has_no_network() -> None:
    text = (ROOT / "systemd" / "pi-controller-core.service").read_text()
    assert "\nPrivateNetwork=yes\n" in text
    assert "\nRestrictAddressFamilies=AF_UNIX\n" in text


def test_core_reaches_the_serial_ports_of_the_tables_also_when_they_come_later() -> None:
    """A kind of device whose driver is not there at the start would stay forbidden."""
    unit = (ROOT / "systemd" / "pi-controller-core.service").read_text().splitlines()
    values = dict(
        line.split("=", 1) for line in unit if re.match(r"(Wants|After|SupplementaryGroups)=", line)
    )
    assert "dialout" in values["SupplementaryGroups"].split()
    for driver, kind in (("usbserial", "ttyUSB"), ("cdc_acm", "ttyACM")):
        assert f"DeviceAllow=char-{kind} rw" in unit
        assert f"modprobe@{driver}.service" in values["Wants"]
        assert f"modprobe@{driver}.service" in values["After"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program("systemd-analyze"), *arguments], capture_output=True, text=True, check=False
    )
