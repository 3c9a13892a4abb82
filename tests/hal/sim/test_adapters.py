import os
import pty
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_controller.hal.serial.survey import PortFacts
from pi_controller.hal.sim.adapters import DRIVER, LONG_MS, STRANGER, SimAdapters


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
