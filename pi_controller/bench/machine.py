"""The machine that is measured: its clock, its load, and processes that keep it busy."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

# Ends by itself when its parent has gone, however that died.
_BUSY = """\
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
parent = os.getppid()
print(flush=True)
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


def boot_ns() -> int:
    """CLOCK_BOOTTIME."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def load() -> str:
    """The three load averages, as uptime(1) shows them."""
    return " ".join(Path("/proc/loadavg").read_text(encoding="ascii").split()[:3])


@contextlib.contextmanager
def busy_cores() -> Iterator[list[int]]:
    """One process on each core that this program may use, each at full speed; gives their ids."""
    with contextlib.ExitStack() as ending:
        pids = []
        for core in sorted(os.sched_getaffinity(0)):
            process = subprocess.Popen([sys.executable, "-c", _BUSY, str(core)], stdout=subprocess.PIPE)
            ending.enter_context(process)
            ending.callback(process.kill)
            if process.stdout is not None:
                process.stdout.readline()
            pids.append(process.pid)
        yield pids
