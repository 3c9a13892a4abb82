"""A sign of life with the game's time and what the hall sees in it, 20 times a second: a crash costs less
than 0.1 s of play, and what nobody had saved is not played away. The layout stands in `journal/beat.py`.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pi_controller.journal.beat import (
    SLOT_BYTES,
    SLOT_OFFSETS,
    Heartbeat,
    HeartbeatValue,
    pack_slot,
    unpack_slot,
)
from pi_controller.journal.errors import Part, Trouble
from pi_controller.journal.files import is_at, read_regular
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

BEATS_A_SECOND = 20
SYNC_EVERY_S = 1.0


def read_heartbeat(path: Path) -> Heartbeat | None:
    """The newest intact beat; None when there is none. Raises OSError except for a missing file."""
    try:
        content = read_regular(path)
    except FileNotFoundError:
        return None
    beats = [unpack_slot(content[offset : offset + SLOT_BYTES]) for offset in SLOT_OFFSETS]
    return max((beat for beat in beats if beat is not None), key=lambda beat: beat.counter, default=None)


class BeatFile:
    """Heartbeats in a file that is opened and synced for each, so that its device may come and go."""

    def __init__(self, path: Path, boot_id: str) -> None:
        self._path = path
        self._boot_id = boot_id
        self._counter: int | None = None

    def write(self, value: HeartbeatValue) -> None:
        """On the disk when this returns. Raises OSError."""
        if self._counter is None:
            last = read_heartbeat(self._path)
            self._counter = last.counter if last is not None else 0
        self._counter += 1
        slot = pack_slot(value, boot_id=self._boot_id, counter=self._counter)
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            os.pwrite(fd, slot, SLOT_OFFSETS[self._counter % 2])
            os.fdatasync(fd)
        finally:
            os.close(fd)


class HeartbeatWriter:
    """Writes what `now()` returns (None: nothing to keep) on a thread of its own.

    Another thread syncs once a second, so that a slow disk delays no beat. `now`, `on_trouble` and
    `on_mended` are called on these threads.
    """

    def __init__(
        self,
        path: Path,
        *,
        now: Callable[[], HeartbeatValue | None],
        boot_id: str,
        now_ns: Callable[[], int],
        on_trouble: Callable[[Trouble], None],
        on_mended: Callable[[Part], None],
    ) -> None:
        self._path = path
        self._now = now
        self._boot_id = boot_id
        self._now_ns = now_ns
        self._on_trouble = on_trouble
        self._on_mended = on_mended
        self._fd: int | None = None
        self._left: list[int] = []
        """Descriptors of removed files; the thread that syncs closes them, because it may still use one."""
        self._counter = 0
        self._failing: set[str] = set()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._beat_ns = now_ns()
        self._threads = [
            threading.Thread(target=self._keep_writing, name="heartbeat", daemon=True),
            threading.Thread(target=self._keep_syncing, name="heartbeat sync", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """One last beat, then the end; may be called twice. A sync that hangs is left behind."""
        if self._stop.is_set():
            return
        self._stop.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout_s)
        if not self._threads[0].is_alive():
            self.write_once()
        if not any(thread.is_alive() for thread in self._threads):
            self._leave_file()
            self._close_left()

    def beat_ns(self) -> int:
        """CLOCK_BOOTTIME of the last beat that was written or had nothing to write."""
        return self._beat_ns

    def alive(self) -> bool:
        return all(thread.is_alive() for thread in self._threads)

    def write_once(self) -> None:
        """One beat. A failure is told once and ends with `on_mended` when beats can be written again."""
        value = self._now()
        try:
            if value is not None:
                self._write(value)
        except OSError as error:
            self._report("written", error)
            return
        self._beat_ns = self._now_ns()
        self._report("written", None)

    def sync_once(self) -> None:
        """What has been written so far survives a power cut when this returns."""
        self._close_left()
        fd = self._fd
        if fd is None:
            return
        try:
            os.fdatasync(fd)
        except OSError as error:
            self._report("synced", error)
            return
        self._report("synced", None)

    def _write(self, value: HeartbeatValue) -> None:
        if self._fd is not None and not is_at(self._fd, self._path):
            self._leave_file()
        fd = self._fd if self._fd is not None else self._open()
        self._counter += 1
        slot = pack_slot(value, boot_id=self._boot_id, counter=self._counter)
        os.pwrite(fd, slot, SLOT_OFFSETS[self._counter % 2])

    def _open(self) -> int:
        """The file, made where it is not there; a removed folder, too: the journal's writer comes later."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        last = read_heartbeat(self._path)
        self._counter = max(self._counter, last.counter if last is not None else 0)
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        return self._fd

    def _leave_file(self) -> None:
        if self._fd is not None:
            self._left.append(self._fd)
            self._fd = None

    def _close_left(self) -> None:
        while self._left:
            os.close(self._left.pop())

    def _report(self, what: Literal["written", "synced"], error: OSError | None) -> None:
        with self._lock:
            before = bool(self._failing)
            if error is None:
                self._failing.discard(what)
            else:
                self._failing.add(what)
            after = bool(self._failing)
        if error is not None and not before:
            self._on_trouble(
                Trouble(
                    Sentence("journal.heartbeat_not_written", file=str(self._path), why=why(error))
                    if what == "written"
                    else Sentence("journal.heartbeat_not_synced", file=str(self._path), why=why(error)),
                    fatal=False,
                    part="heartbeat",
                )
            )
        elif before and not after:
            self._on_mended("heartbeat")

    def _keep_writing(self) -> None:
        while not self._stop.wait(1 / BEATS_A_SECOND):
            self.write_once()

    def _keep_syncing(self) -> None:
        while not self._stop.wait(SYNC_EVERY_S):
            self.sync_once()
