"""Python runs this at its start where this folder stands in PYTHONPATH: the process tells of its file calls on a loop in the
file FILE_CALLS_TOLD, and each call takes as many seconds as stand in the file FILE_CALLS_SLOW (`tests/file_calls.py`)."""

import contextlib
import importlib.util
import os
from pathlib import Path
from types import FrameType

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


file_calls.FileCalls(_tell, os.environ.get("FILE_CALLS_SLOW")).install()
