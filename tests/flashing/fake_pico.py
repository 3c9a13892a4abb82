"""A Pico on a pseudo-terminal: real MicroPython behind the raw prompt, a folder as its flash."""

import os
import pty
import subprocess
import threading
import time
import tty
from pathlib import Path

from tests.firmware import micropython
from tests.patience import DEADLINE_S

PROMPT = Path(__file__).parent / "raw_prompt.py"
UID = "e6614c311b7f4a2d"
SETTINGS = """
import sys
from collections import namedtuple
Implementation = namedtuple("Implementation", ("name", "version", "_machine"))
implementation = Implementation("micropython", {version!r}, {machine!r})
STATVFS = (4096, 4096, 352, {free_blocks}, 0, 0, 0, 0, 0, 255)
ERRORS = {{28: "ENOSPC", 2: "ENOENT", 5: "EIO"}}
FULL_AFTER, DIES_AFTER, SPOILS = {full_after!r}, {dies_after!r}, {spoils!r}
files = 0

class Spoiled:
    def __init__(self, file):
        self.file = file
    def write(self, data):
        return self.file.write(bytes(len(data)))
    def close(self):
        self.file.close()

def open_file(path, mode="r"):
    global files
    if "w" in mode:
        files += 1
        if FULL_AFTER is not None and files > FULL_AFTER:
            raise OSError(28)
        if DIES_AFTER is not None and files > DIES_AFTER:
            sys.exit(0)
        if SPOILS and path.endswith(SPOILS):
            return Spoiled(open(path, mode))
    return open(path, mode)
"""
MACHINE = """
import sys
def unique_id():
    return bytes.fromhex({uid!r})
def reset():
    open("started", "w").close()
"""


class FakePico:
    """Use as a context; `device` is its serial port, `flash` its folder."""

    def __init__(
        self,
        folder: Path,
        *,
        version: tuple[int, ...] = (1, 25, 0, ""),
        machine: str = "Raspberry Pi Pico with RP2040",
        free_blocks: int = 340,
        full_after: int | None = None,
        dies_after: int | None = None,
        spoils: str = "",
    ) -> None:
        self.flash = folder / "flash"
        self._library = folder / "library"
        self._settings = SETTINGS.format(
            version=version,
            machine=machine,
            free_blocks=free_blocks,
            full_after=full_after,
            dies_after=dies_after,
            spoils=spoils,
        )

    def __enter__(self) -> "FakePico":
        self.flash.mkdir(exist_ok=True)
        self._library.mkdir(exist_ok=True)
        (self._library / "settings.py").write_text(self._settings)
        (self._library / "machine.py").write_text(MACHINE.format(uid=UID))
        own, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.device = os.ttyname(self._slave)
        self._process = subprocess.Popen(
            [micropython.interpreter(), str(PROMPT)],
            cwd=self.flash,
            env={**os.environ, "MICROPYPATH": f"{self._library}:.frozen"},
            stdin=own,
            stdout=own,
        )
        os.close(own)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._slave)
        self._process.kill()
        self._process.wait()

    def files(self) -> dict[str, bytes]:
        """What lies on the flash, but for the mark of a start."""
        return {
            str(path.relative_to(self.flash)): path.read_bytes()
            for path in sorted(self.flash.rglob("*"))
            if path.is_file() and path.name != "started"
        }

    @property
    def started(self) -> bool:
        """Whether it has started its program, which it does some time after it was told to."""
        until, pause = time.monotonic() + DEADLINE_S, threading.Event()
        while not (self.flash / "started").exists():
            if time.monotonic() > until:
                return False
            pause.wait(0.002)
        return True
