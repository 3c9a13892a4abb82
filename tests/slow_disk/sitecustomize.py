"""Python runs this at its start where this folder stands in PYTHONPATH: the process tells of its file calls on a loop in the
file FILE_CALLS_TOLD, and each call takes as many seconds as stand in the file FILE_CALLS_SLOW (`tests/file_calls.py`)."""

import contextlib
import importlib.util
import os
import sys
from pathlib import Path
from types import FrameType

AS_HARDWARE = -15
"""nice(2)"""

_spec = importlib.util.spec_from_file_location("file_calls", Path(__file__).parents[1] / "file_calls.py")
assert _spec is not None
assert _spec.loader is not None
file_calls = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(file_calls)

_told_in = os.environ.get("FILE_CALLS_TOLD")
_told = None if _told_in is None else os.open(_told_in, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _tell(what: str, path: str, frame: FrameType) -> None:
    places = file_calls.place(frame)
    if _told is not None and file_calls.is_offence(places):
        with contextlib.suppress(OSError):  # a test lets no file of its program become large
            os.write(_told, f"{file_calls.told(what, path, places)}\n".encode())


def _stand_beside_others() -> None:
    """Where all tests run, others may keep the machine busy for ever: what stands behind core there would get nothing, and
    simulated tables, which are hardware, would be starved."""
    os.nice = lambda _: os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(PermissionError):  # only root may
        os.setpriority(os.PRIO_PROCESS, 0, AS_HARDWARE if "virtual-tables" in sys.orig_argv else 0)


if "TESTS_STAND_BESIDE" in os.environ:
    _stand_beside_others()

file_calls.FileCalls(_tell, os.environ.get("FILE_CALLS_SLOW")).install()
