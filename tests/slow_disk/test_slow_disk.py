"""Nobody reads the log, and the disk hangs: the hall notices nothing but what needs the disk."""

import asyncio
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.matrix import further
from tests.patience import DEADLINE_S
from tests.slow_disk.hall import SILENT, Full, Seen, look, slow_hall
from tests.system.programs import ROOT

HANGS_S = 600.0
"""Longer than anything here may take: whatever waits for it is not there in time."""
IN_TIME_S = 60.0
"""A starved machine takes long, too, but not so long."""
PRESSES = 5
KINDS_FROM_DISK = 3

WATCHDOG = """
import sys, threading
from pathlib import Path
from pi_controller.core.runtime import Watchdog
from pi_controller.hal.system import logs
from pi_controller.hal.system.kernel import SystemClock
logs.begin("%(message)s")
class Timers:
    boot_ns = staticmethod(SystemClock().boot_ns)
watchdog = Watchdog(timers=Timers(), limit_ns=1, make_safe=Path(sys.argv[1]).touch)
for number in range(5000):
    logs.log.warning("a loop that says much, %d", number)
watchdog.start()
threading.Event().wait()  # the loop
"""


class Stopped:
    """A terminal in which somebody has pressed Ctrl-S."""

    def __init__(self) -> None:
        self.reading, self.writing = pty.openpty()
        termios.tcflow(self.writing, termios.TCOOFF)

    def close(self) -> None:
        os.close(self.reading)
        os.close(self.writing)


def enough(seen: Seen) -> bool:
    return len(seen.presses) >= PRESSES and len(seen.from_disk) >= KINDS_FROM_DISK and len(seen.pages) >= 6


def test_a_hall_goes_on_while_nobody_reads_its_log_and_its_disk_hangs(tmp_path: Path) -> None:
    with slow_hall(tmp_path) as hall:
        hall.slow(HANGS_S)
        seen = asyncio.run(look(hall, DEADLINE_S, enough))
        assert hall.file_calls() == []
        died = [name for name, program in hall.programs.items() if program.poll() is not None]
        assert died == []
    assert enough(seen)
    late = {
        name: max(values)
        for name, values in vars(seen).items()
        if isinstance(values, list) and max(values) > IN_TIME_S
    }
    assert late == {}
    assert seen.statuses <= {200, 403, 429, 503, 507}
    assert 503 in seen.statuses, "who needs the disk is told so"
    assert SILENT not in seen.statuses
    assert seen.follower_pauses == set()


@pytest.mark.parametrize("terminal", [Full, *further(Stopped)])
def test_the_watchdog_ends_the_process_with_its_outputs_safe_when_nobody_reads_the_log(
    tmp_path: Path, terminal: Callable[[], Full | Stopped]
) -> None:
    said, safe = terminal(), tmp_path / "safe"
    core = subprocess.Popen(
        [sys.executable, "-c", WATCHDOG, str(safe)], stdout=said.writing, stderr=said.writing, cwd=ROOT
    )
    try:
        assert core.wait(DEADLINE_S) == 1
        assert safe.exists()
    finally:
        core.kill()
        core.wait(DEADLINE_S)
        said.close()


def test_where_each_thread_stood_is_told_to_who_reads(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WATCHDOG.replace("range(5000)", "range(1)"), str(tmp_path / "safe")],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=DEADLINE_S,
    )
    assert ended.returncode == 1
    assert "the game loop has not moved" in ended.stderr
    assert "most recent call first" in ended.stderr
