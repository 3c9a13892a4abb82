"""Python runs this at its start where the folder stands in PYTHONPATH: the process tells of its file calls (`tests/file_calls.py`)."""

import importlib.util
import os
from pathlib import Path

_spec = importlib.util.spec_from_file_location("file_calls", Path(__file__).parents[1] / "file_calls.py")
assert _spec is not None
assert _spec.loader is not None
file_calls = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(file_calls)

_told = os.environ.get("FILE_CALLS_TOLD")
_told_to = None if _told is None else os.open(_told, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _tell(what, path, frame):
    os.write(_told_to, (" < ".join([f"{what} {path}", *file_calls.place(frame)]) + "\n").encode())


file_calls.FileCalls(None if _told_to is None else _tell, os.environ.get("FILE_CALLS_SLOW")).install()
