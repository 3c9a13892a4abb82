"""The simulated computer says what it was told to say, and refuses what no computer says."""

from pathlib import Path

import pytest

from pi_controller.hal.sim.facts import NAMES, SimFacts


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
