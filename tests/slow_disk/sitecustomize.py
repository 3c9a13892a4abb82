"""Python runs this at its start where this folder stands in PYTHONPATH: the process tells of its file calls on a loop in the
file FILE_CALLS_TOLD, and each call takes as many seconds as stand in the file FILE_CALLS_SLOW (`tests/file_calls.py`). It has
the clocks of the file HALL_CLOCK (`tests/system/clocks.py`). It tells which functions it passes in the folder JOURNEYS
(`tests/system/journeys.py`)."""

import contextlib
import importlib.util
import os
import sys
from pathlib import Path
from types import FrameType, ModuleType

AS_HARDWARE = -15
"""nice(2)"""


def _loaded(name: str, path: str) -> ModuleType:
    """From this file: the packages of the tests are not loaded here."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


if "HALL_CLOCK" in os.environ:  # first: others take functions of `time` for themselves
    _loaded("clocks", "system/clocks.py").install()
if "JOURNEYS" in os.environ:
    _folder, _, _when = os.environ["JOURNEYS"].rpartition(":")
    _loaded("journeys", "system/journeys.py").install(Path(_folder), at_once=not _when)
file_calls = _loaded("file_calls", "file_calls.py")

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
