"""The simulated computer: its facts, adapters, disk and sound card."""

import os
import pty
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.hal.serial.port import PortFacts
from pi_controller.hal.sim.machine import (
    DEAD,
    DRIVER,
    LONG_MS,
    NAMES,
    SLOW_EVERY,
    SLOW_S,
    STRANGER,
    SimAdapters,
    SimDisk,
    SimFacts,
    SimSound,
)
from pi_controller.journal.files import write_new


def test_it_is_healthy_at_first_and_has_the_real_disk(tmp_path: Path) -> None:
    facts = SimFacts(tmp_path).read()
    assert facts.supply is not None
    assert not facts.supply.under_voltage
    assert facts.watchdog is not None
    assert facts.watchdog.armed
    assert facts.disk.free_bytes > 0
    assert facts.disk.root == "overlay"


def test_a_fact_a_group_and_a_fact_in_a_group_that_is_gone(tmp_path: Path) -> None:
    computer = SimFacts(tmp_path)
    computer.change("supply.throttled", value=True)
    computer.change("sound_cards", [])
    assert computer.read().supply.throttled  # type: ignore[union-attr]
    assert computer.read().sound_cards == ()
    computer.change("supply", None)
    assert computer.read().supply is None


def test_bad_facts_change_nothing(tmp_path: Path) -> None:
    computer = SimFacts(tmp_path)
    before = computer.read()
    with pytest.raises(
        ValueError, match=r"sim: heat is no fact of the computer; the facts are clock, clock.rtc,"
    ):
        computer.change("heat", 1)
    with pytest.raises(ValueError, match=r"sim: disk.root cannot be 'wet': .*'wet'"):
        computer.change("disk.root", "wet")
    with pytest.raises(ValueError, match="sim: disk cannot be None"):
        computer.change("disk", None)
    assert computer.read().clock == before.clock
    assert computer.read().disk.root == "overlay"
    assert "disk.free_bytes" in NAMES


@pytest.fixture
def terminal() -> Iterator[str]:
    master, slave = pty.openpty()
    yield os.ttyname(slave)
    os.close(master)
    os.close(slave)


def test_faults_show_on_ports_that_are_there(tmp_path: Path, terminal: str) -> None:
    port, adapters = tmp_path / "row-A", SimAdapters()
    assert adapters.facts(port) == PortFacts(present=False)
    adapters.set_latency(LONG_MS)
    adapters.hold(held=True)
    assert adapters.facts(port) == PortFacts(present=False)
    port.symlink_to(terminal)
    assert adapters.facts(port) == PortFacts(
        present=True, driver=DRIVER, latency_timer_ms=LONG_MS, holder=STRANGER
    )
    adapters.hold(held=False)
    assert adapters.facts(port).holder is None


def test_a_healthy_one_is_the_real_disk(tmp_path: Path) -> None:
    waits: list[float] = []
    disk = SimDisk(wait=waits.append)
    write_new(disk, tmp_path / "a", b"abc")
    assert (disk.read_back(tmp_path / "a"), waits) == (b"abc", [])


def test_its_faults(tmp_path: Path) -> None:
    waits: list[float] = []
    disk = SimDisk(wait=waits.append)
    disk.slow = disk.damaged = True
    for number in range(SLOW_EVERY):
        write_new(disk, tmp_path / str(number), b"abc")
    assert waits == [SLOW_S]
    assert disk.read_back(tmp_path / "0") != b"abc"


def test_it_remembers_what_was_played_until_its_plug_is_pulled() -> None:
    sound = SimSound()
    assert sound.play_tone(300) is None
    sound.dead = True
    assert sound.play_tone(400) == DEAD
    assert sound.played == [300]
