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
    # It writes below /sys, as root.
    "pi-controller-frequency.service": 12,
    # A browser, which builds its own sandbox.
    "pi-controller-kiosk.service": 45,
}
"""Tenths of systemd's exposure level, 0 (closed) to 100, as measured with systemd 252: nothing is to spare."""


CLOSED = frozenset(
    [
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "ProtectHome=yes",
        "PrivateTmp=yes",
        "ProtectClock=yes",
        "ProtectHostname=yes",
        "ProtectKernelLogs=yes",
        "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes",
        "RestrictRealtime=yes",
        "RestrictSUIDSGID=yes",
        "SystemCallArchitectures=native",
    ]
)
"""Of every service."""

TIGHT = (
    CLOSED
    | frozenset(
        [
            "CapabilityBoundingSet=",
            "AmbientCapabilities=",
            "DevicePolicy=closed",
            "IPAddressDeny=any",
            "KeyringMode=private",
            "LimitCORE=0",
            "LockPersonality=yes",
            "MemoryDenyWriteExecute=yes",
            "PrivateIPC=yes",
            "PrivateMounts=yes",
            "ProtectControlGroups=yes",
            "ProtectProc=invisible",
            "RemoveIPC=yes",
            "RestrictNamespaces=yes",
            "SystemCallErrorNumber=EPERM",
            "SystemCallFilter=@system-service",
            "UMask=0077",
            "User=pi-controller",
        ]
    )
    | {"SystemCallFilter=~@privileged @resources"}
)
"""Of the controller's own programs, and of the broker."""


FREQUENCY = "pi-controller-frequency.service"
OTHERS = ("pi-controller-poweroff.service", "pi-controller-kiosk.service", FREQUENCY)
SERVE = ("pi-controller-web.service", "pi-controller-links.service", "pi-controller-broker.service")
LOCAL_NETWORKS = "IPAddressAllow=localhost 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fe80::/10 fc00::/7"


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


def lines(name: str) -> list[str]:
    text = (ROOT / "systemd" / name).read_text()
    return [line for line in text.splitlines() if line and not line.startswith(("#", "["))]


def test_every_service_is_closed_and_the_controllers_own_tight() -> None:
    """A later line of the same name would take the place of the first one."""
    for unit in MOST_EXPOSED:
        wanted = CLOSED if unit in OTHERS else TIGHT
        if unit == FREQUENCY:
            wanted -= {"ProtectKernelTunables=yes"}
        missing = wanted - set(lines(unit)) - {"User=pi-controller"}
        assert not missing, unit
        names = [line.partition("=")[0] for line in lines(unit)]
        assert not {line.partition("=")[0] for line in wanted if names.count(line.partition("=")[0]) > 1} - {
            "SystemCallFilter"
        }, unit


def test_only_who_serves_others_has_a_network_and_nobody_beyond_the_local_ones() -> None:
    for unit in sorted(MOST_EXPOSED):
        found = set(lines(unit))
        if unit in SERVE:
            assert LOCAL_NETWORKS in found, unit
        elif unit != "pi-controller-kiosk.service":
            assert {"PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX"} <= found, unit


def test_who_must_come_back_is_started_for_ever_and_has_a_limit_of_memory() -> None:
    for unit in sorted(MOST_EXPOSED):
        found = lines(unit)
        names = {line.partition("=")[0] for line in found}
        if "Type=oneshot" not in found:
            assert {
                "StartLimitIntervalSec",
                "Restart",
                "RestartSec",
                "MemoryHigh",
                "MemoryMax",
                "TasksMax",
            } <= names, unit
            assert "StartLimitIntervalSec=0" in found, unit
    assert {"Type=notify", "WatchdogSec=10"} <= set(lines("pi-controller-core.service"))


def test_what_the_web_side_must_not_see_is_out_of_its_sight() -> None:
    (hidden,) = (line for line in lines("pi-controller-web.service") if line.startswith("InaccessiblePaths="))
    assert {"-/var/lib/pi-controller/games", "-/var/lib/pi-controller/pairing.key"} <= set(
        hidden.partition("=")[2].split()
    )


def test_what_the_links_must_not_see_is_out_of_their_sight() -> None:
    """Whoever has the pairing key and the copy knows all rolls to come."""
    (hidden,) = (
        line for line in lines("pi-controller-links.service") if line.startswith("InaccessiblePaths=")
    )
    assert {"-/var/lib/pi-controller/games", "-/var/lib/pi-controller/pairing.key"} <= set(
        hidden.partition("=")[2].split()
    )


def test_core_makes_its_outputs_safe_after_every_end() -> None:
    assert any(
        line.startswith("ExecStopPost=") and " safe-outputs " in line
        for line in lines("pi-controller-core.service")
    )


def test_the_machines_own_watchdog_and_its_start_after_a_crash() -> None:
    assert lines("watchdog.conf") == ["RuntimeWatchdogSec=14"]
    assert lines("sysctl.conf") == ["kernel.panic = 10"]


def test_the_wish_to_switch_off_is_waited_for() -> None:
    assert {"PathExists=/run/pi-controller/power-off", "Unit=pi-controller-poweroff.service"} <= set(
        lines("pi-controller-poweroff.path")
    )
