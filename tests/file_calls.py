"""Sees each call on a file's path in its process: tells of those on a thread whose event loop runs, and can make each take
long, as a card or a stick does that fails.

In a process of its own it is switched on by `tests/slow_disk/sitecustomize.py`, which all programs of tests/system have; in
the process of the tests by the `conftest.py` of tests/web and tests/links.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
EVENTS = frozenset(
    {
        *(
            "open",
            "os.listdir",
            "os.scandir",
            "os.rename",
            "os.remove",
            "os.mkdir",
            "os.rmdir",
            "os.link",
            "os.symlink",
        ),
        *("os.chmod", "os.chown", "os.truncate", "os.utime", "os.posix_spawn", "fcntl.flock", "fcntl.lockf"),
        *("subprocess.Popen", "shutil.rmtree", "os.exec"),
    }
)
"""What Python itself tells of (its table of audit events)."""
UNTOLD = (
    *(
        "stat",
        "lstat",
        "statvfs",
        "access",
        "readlink",
        "fsync",
        "fdatasync",
        "posix_fallocate",
        "fchmod",
        "fchown",
    ),
    *("mkfifo", "pathconf"),
)
"""Functions of `os` of which it does not."""
MODULES = (".py", ".pyc", ".so", ".pyi", "__pycache__")
NEVER_SLOW = ("/dev/", "/proc/", "/sys/", sys.prefix, sys.base_prefix, str(Path(os.__file__).parent))
NO_FILE = ("<unknown>", "<string>", "<stdin>")
"""What Python names source that is in no file; 3.13 looks for it all the same when it prints a traceback."""

Told = Callable[[str, str, FrameType], None]


class FileCalls:
    """`told` gets what was called, on which path, and from where, when that was on a running loop's thread."""

    def __init__(self, told: Told | None, slow: str | None) -> None:
        self._told = told
        self._slow = slow
        self._inside: set[int] = set()
        self._stat, self._read, self._open, self._close = os.stat, os.read, os.open, os.close

    def install(self) -> None:
        """For the rest of the process: an audit hook stays."""
        for name in UNTOLD:
            setattr(os, name, self._wrapped(name, getattr(os, name)))
        sys.addaudithook(self._audited)

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **named: Any) -> Any:
            self._called(f"os.{name}", args[0] if args else None)
            return real(*args, **named)

        called.__name__ = name
        return called

    def _audited(self, event: str, args: tuple[Any, ...]) -> None:
        if event in EVENTS:
            self._called(event, args[0] if args else None)

    def _called(self, what: str, path: object) -> None:
        thread = threading.get_ident()
        if thread in self._inside:
            return
        self._inside.add(thread)
        try:
            self._look(what, path)
        finally:
            self._inside.discard(thread)

    def _look(self, what: str, path: object) -> None:
        text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else f"descriptor {path}"
        if what == "open" and isinstance(path, int):
            return  # a descriptor that is open gets an object around it
        if text.startswith(NEVER_SLOW) or text.endswith(MODULES) or text in NO_FILE:
            return
        if self._told is not None and asyncio._get_running_loop() is not None:
            self._told(what, text, sys._getframe(3))
        seconds = self._seconds()
        if seconds:
            threading.Event().wait(seconds)

    def _seconds(self) -> float:
        """What the file says that the test writes; without one nothing is slow."""
        if self._slow is None:
            return 0.0
        try:
            file = self._open(self._slow, os.O_RDONLY)
        except OSError:
            return 0.0
        try:
            return float(self._read(file, 32) or 0)
        finally:
            self._close(file)


STARTS_AND_ENDS = "main.py _serve"
"""The coroutine of each process from its start to its end: what it calls itself happens before the process says that it is
ready, or after it was told to end. All else runs in tasks and calls of the loop."""
ALLOWED = {
    "words.py _catalogue": "a thread reads all catalogues at the start; who asks before it is through reads their own",
}
"""Functions of the product that may touch a file on a loop, and why."""


def place(frame: FrameType | None) -> list[str]:
    """Where it was called from, the innermost first, up to the loop."""
    found = []
    while frame is not None and not frame.f_code.co_filename.endswith("asyncio/events.py"):
        found.append(f"{frame.f_code.co_filename.removeprefix(f'{ROOT}/')} {frame.f_code.co_qualname}")
        frame = frame.f_back
    return found


def is_offence(places: list[str]) -> bool:
    """Whether the product, while it runs, has called it; what a test does on its own loop is its own affair."""
    ours = [one for one in places if one.startswith("pi_controller/")]
    excused = any(one.endswith((STARTS_AND_ENDS, *ALLOWED)) for one in ours)
    return bool(ours) and not excused and not any(one.startswith("tests/") for one in places[1:])


def told(what: str, path: str, places: list[str]) -> str:
    """One line."""
    return " < ".join([f"{what} {path}", *(one for one in places if one.startswith("pi_controller/"))])


offences: list[str] = []
"""In the process of the tests, since one was asked for last."""


def _note(what: str, path: str, frame: FrameType) -> None:
    places = place(frame)
    if is_offence(places):
        offences.append(told(what, path, places))


@cache
def watch() -> None:
    """In this process, from now on."""
    FileCalls(_note, None).install()
