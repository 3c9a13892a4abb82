"""What this process has used of the computer."""

import os
import time
from pathlib import Path

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def process_figures(name: str) -> dict[str, float | dict[str, float]]:
    """For `/metrics`, by the name of the process: time of the processors, memory that is in use."""
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES
    label = f'process="{name}"'
    return {
        "processor_seconds_total": {label: time.process_time()},
        "resident_memory_bytes": {label: resident},
    }
