"""How much slower than a quiet machine this one is now, for limits that stand in seconds."""

import subprocess
import sys
import time

QUIET_START_S = 0.2
"""What the start of a program with the product's own modules takes at most where nothing else runs."""


def times_slower() -> float:
    """1 on a quiet machine, more on a busy one."""
    began_s = time.monotonic()
    subprocess.run([sys.executable, "-c", "import pi_controller.hal.sound.player"], check=True)
    return max(1.0, (time.monotonic() - began_s) / QUIET_START_S)
