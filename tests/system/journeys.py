"""Which functions of the product a process passes, from SIGUSR1 to SIGUSR2. A process that Python starts with this installed
(`tests/slow_disk/sitecustomize.py`) writes them into the file JOURNEYS.PID: a line a function, file and name."""

import atexit
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

PACKAGE = f"{os.sep}pi_controller{os.sep}"


def install(folder: Path, *, at_once: bool) -> None:
    """`at_once`: of a program that does one thing, from its start to its end."""
    told = folder / str(os.getpid())
    passed: set[str] = set()
    looking = at_once

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if looking and event == "call" and PACKAGE in code.co_filename and not code.co_name.startswith("<"):
            passed.add(f"{code.co_filename.rpartition(PACKAGE)[2]} {code.co_qualname}")

    def begin(*_: object) -> None:
        nonlocal looking
        passed.clear()
        looking = True
        told.unlink(missing_ok=True)
        told.with_suffix(".begun").touch()

    def end(*_: object) -> None:
        nonlocal looking
        looking = False
        fresh = told.with_suffix(".new")
        fresh.write_text("\n".join(sorted(passed)))
        fresh.replace(told)
        told.with_suffix(".begun").unlink(missing_ok=True)

    threading.setprofile(look)
    sys.setprofile(look)
    if at_once:
        atexit.register(end)
    else:
        signal.signal(signal.SIGUSR1, begin)
        signal.signal(signal.SIGUSR2, end)
