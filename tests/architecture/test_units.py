"""The systemd units are valid and closed."""

import re
import subprocess
from pathlib import Path

import pytest

from pi_controller.cli.run import BEHIND_CORE
from tests.architecture.sources import ROOT
from tests.needs import program

UNITS = sorted(path for kind in ("service", "path") for path in (ROOT / "systemd").glob(f"*.{kind}"))
INSTALLED = "/opt/pi-controller/current/bin/pi-controller"
MOST_EXPOSED = {
    "pi-controller-core.service": 6,
    "pi-controller-web.service": 10,
    "pi-controller-links.service": 10,
    "pi-controller-broker.service": 10,
    "pi-controller-selftest.service": 4,
    # It asks the manager to switch off, as root.
    "pi-controller-poweroff.service": 32,
    # A browser, which builds its own sandbox.
    "pi-controller-kiosk.service": 45,
}
"""Tenths of systemd's exposure level, 0 (closed) to 100, as measured with systemd 252: nothing is to spare."""


@pytest.fixture
def unit_folder(tmp_path: Path) -> Path:
    """The units with a program that is there: the check refuses one that is not installed."""
    for unit in UNITS:
        text = unit.read_text()
        for missing in (INSTALLED, "/usr/bin/cage", "/usr/sbin/mosquitto"):
            text = text.replace(missing, "/bin/true")
        (tmp_path / unit.name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("unit", [unit.name for unit in UNITS])
def test_a_unit_is_valid(unit_folder: Path, unit: str) -> None:
    """Unknown keys leave the exit status at 0, so that only silence is right."""
    answer = run("verify", str(unit_folder / unit))
    assert (answer.stderr, answer.returncode) == ("", 0)


@pytest.mark.parametrize(("unit", "most"), MOST_EXPOSED.items())
def test_a_unit_is_closed(unit_folder: Path, unit: str, most: int) -> None:
    answer = run("security", "--offline=true", f"--threshold={most}", "--no-pager", str(unit_folder / unit))
    assert answer.returncode == 0, answer.stdout


def test_every_service_has_its_measure() -> None:
    assert sorted(MOST_EXPOSED) == sorted(unit.name for unit in UNITS if unit.suffix == ".service")


def test_the_controllers_units_run_its_own_commands() -> None:
    texts = "".join(unit.read_text() for unit in UNITS)
    assert re.findall(rf"^ExecStart={INSTALLED} (\w+)", texts, re.MULTILINE) == [
        *("core", "links", "selftest", "web")
    ]
    assert f"\nExecStopPost={INSTALLED} safe-outputs " in texts


def test_nobody_reads_what_a_unit_complains_of() -> None:
    texts = "".join(unit.read_text() for unit in UNITS)
    unattended = re.findall(rf"={INSTALLED} ([\w-]+) --unattended ", texts)
    assert sorted(unattended) == ["core", "links", "safe-outputs", "web"]


def test_a_hall_without_a_role_starts_its_links_once_only() -> None:
    """The process then ends with 0."""
    text = (ROOT / "systemd" / "pi-controller-links.service").read_text()
    assert "\nRestart=on-failure\n" in text
    assert "\nType=exec\n" in text  # with `notify` an end before the notice would be a failure


def test_core_reaches_the_sound_card() -> None:
    text = (ROOT / "systemd" / "pi-controller-core.service").read_text()
    assert "\nDeviceAllow=char-alsa rw\n" in text
    assert re.search(r"^SupplementaryGroups=.*\baudio\b", text, re.MULTILINE)


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


def test_run_weighs_core_and_pages_as_the_units_do() -> None:
    """Each step of nice(2) is a factor of 1.25 (sched(7)); a unit without CPUWeight= has 100."""
    core, pages = (
        (ROOT / "systemd" / f"pi-controller-{name}.service").read_text() for name in ("core", "web")
    )
    weight = re.search(r"^CPUWeight=(\d+)$", core, re.MULTILINE)
    assert weight is not None
    assert "CPUWeight" not in pages
    by_niceness = 1.25**BEHIND_CORE
    assert by_niceness == pytest.approx(int(weight[1]) / 100, rel=0.1)
