"""The node under real MicroPython: the same evening, to the pixel and the microsecond, as under CPython."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware import micropython
from tests.matrix import further
from tests.patience import DEADLINE_S

HERE = Path(__file__).parent


def under_cpython(script: Path, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, script, *arguments],
        env={"PYTHONPATH": str(micropython.FIRMWARE)},
        capture_output=True,
        text=True,
        check=True,
        timeout=DEADLINE_S,
    ).stdout


@pytest.mark.parametrize("seed", ["3", *further("5", "8")])
def test_an_evening_on_a_lossy_cable_is_the_same(seed: str) -> None:
    script = HERE / "node_check.py"
    seen = micropython.run(script, str(micropython.ROOT), seed)
    assert seen == under_cpython(script, str(micropython.ROOT), seed)
    kinds = {line.split()[1] for line in seen.splitlines() if len(line.split()) == 4}
    assert kinds == {"boot", "ready", "round", "robber", "paused", "no_link", "ended", "pattern", "walk"}


def test_the_loop_leaves_next_to_no_garbage_behind() -> None:
    """Garbage is paid for with pauses of several milliseconds. Fewer than 16 bytes a pass, where numbers of 32
    bits cost nothing; on a Pico those of the master's time come on top, fifty times a second."""
    assert int(micropython.run(HERE / "node_memory.py", str(micropython.ROOT))) < 16_000
