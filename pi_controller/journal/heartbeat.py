"""A sign of life with the game's time and what the hall sees in it, 20 times a second: a crash costs less
than 0.1 s of play, and what nobody had saved is not played away. The layout stands in `journal/heartbeat.py`.
"""

import os
import struct
import threading
import zlib
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from pi_controller.journal.errors import Part, Trouble
from pi_controller.journal.files import is_at, read_regular
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

# One heartbeat as bytes: the game's time and what the hall sees. Pure: no file, no clock.
#
# Two slots of 256 bytes are written in turn, each in a disk block of its own: a torn write spoils one only,
# and a full disk has both already.
#
# 0 4 magic "PCH2" 124 8 lines handed to the journal 4 8 counter 132 8 lines that are on the disk 12 8 seq of
# the picture 140 8 remaining_ns 20 8 reserved, zero 148 4 round 28 8 game_ns, signed 152 4 due round of the
# roll 36 8 boot_ns, signed 156 4 draw of the roll 44 36 boot id, ASCII 160 12 active side, ASCII 80 44 game
# id, ASCII 172 1 phase, its place in PHASES 173 1 clock, its place in CLOCKS 174 78 reserved, zero 252 4
# CRC-32 of the 252 bytes before; all little-endian
#
# Texts are padded with zero bytes. The slots of releases before it have the magic "PCHB" and end after the
# game id with the CRC-32 of 124 bytes; they are still read.


SLOT_BYTES = 256
SLOT_OFFSETS = (0, 4096)

PHASES = ("ready", "founding", "turn", "round", "robber", "collecting", "ended")
"""The phases of the room picture; a new one is added at the end."""
CLOCKS = ("still", "running", "frozen", "counting")

_MAGIC = b"PCH2"
_BODY = struct.Struct("<4sQQQqq36s44sQQQIII12sBB78s")
_OLD_MAGIC = b"PCHB"
_OLD_BODY = struct.Struct("<4sQQQqq36s44s")
_CRC = struct.Struct("<I")


class HeartbeatSnapshot(Struct, frozen=True):
    """What the hall sees, and how far the journal had come by then.

    `clock` is one of CLOCKS, `phase` one of PHASES; `due_round` and `draw` name the roll on show in the
    derivation of the dice, or how far foundings and turns have come.
    `remaining_ns` is game time, as of the beat. Of the game's lines `lines` had been
    handed to the journal and `saved` were on the disk.
    """

    phase: str
    clock: str
    remaining_ns: int
    round: int
    side: str | None
    due_round: int
    draw: int
    lines: int
    saved: int

    @property
    def position(self) -> tuple[int, int]:
        """Grows with every roll of a game, as `State.position`, and with every founding and turn."""
        return self.due_round, self.draw


class HeartbeatValue(Struct, frozen=True):
    """What core knows now: game time `game_ns` at CLOCK_BOOTTIME `boot_ns`, both in nanoseconds."""

    game_id: str
    seq: int
    game_ns: int
    boot_ns: int
    sight: HeartbeatSnapshot


class Heartbeat(Struct, frozen=True):
    """The newest beat that was found; `boot_id` says which boot its `boot_ns` counts from.

    `sight` is None in a beat of a release that did not say what the hall saw.
    """

    game_id: str
    seq: int
    game_ns: int
    boot_ns: int
    boot_id: str
    counter: int
    sight: HeartbeatSnapshot | None = None


def pack_slot(value: HeartbeatValue, *, boot_id: str, counter: int) -> bytes:
    """ValueError when a field does not fit its place."""
    sight = value.sight
    names = [text.encode("ascii") for text in (boot_id, value.game_id, sight.side or "")]
    if any(len(name) > most for name, most in zip(names, (36, 44, 12), strict=True)):
        raise ValueError("a boot id has at most 36, a game id 44 and a side 12 characters")
    body = _BODY.pack(
        _MAGIC,
        counter,
        value.seq,
        0,
        value.game_ns,
        value.boot_ns,
        names[0],
        names[1],
        sight.lines,
        sight.saved,
        sight.remaining_ns,
        sight.round,
        sight.due_round,
        sight.draw,
        names[2],
        PHASES.index(sight.phase),
        CLOCKS.index(sight.clock),
        b"",
    )
    return body + _CRC.pack(zlib.crc32(body))


def unpack_slot(slot: bytes) -> Heartbeat | None:
    """None when the slot is empty, torn or damaged. Reads slots of earlier releases, too."""
    layout = {_MAGIC: _BODY, _OLD_MAGIC: _OLD_BODY}.get(slot[:4])
    if layout is None or slot[layout.size : layout.size + 4] != _CRC.pack(zlib.crc32(slot[: layout.size])):
        return None
    _, counter, seq, _, game_ns, boot_ns, boot_id, game_id, *rest = layout.unpack_from(slot)
    try:
        names = [text.rstrip(b"\0").decode("ascii") for text in (boot_id, game_id)]
        sight = _sight(rest) if rest else None
    except (UnicodeDecodeError, IndexError):
        return None
    return Heartbeat(
        game_id=names[1],
        seq=seq,
        game_ns=game_ns,
        boot_ns=boot_ns,
        boot_id=names[0],
        counter=counter,
        sight=sight,
    )


def _sight(fields: Sequence[Any]) -> HeartbeatSnapshot:
    """From the fields behind the game id, in their order."""
    lines, saved, remaining_ns, round_, due_round, draw, side, phase, clock, _reserved = fields
    return HeartbeatSnapshot(
        phase=PHASES[phase],
        clock=CLOCKS[clock],
        remaining_ns=remaining_ns,
        round=round_,
        side=side.rstrip(b"\0").decode("ascii") or None,
        due_round=due_round,
        draw=draw,
        lines=lines,
        saved=saved,
    )


BEATS_A_SECOND = 20
LOOK_EVERY = BEATS_A_SECOND // 2
"""Beats between two looks at what lies beside the file: half a second."""
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
    `on_mended` are called on these threads. `look_beside` is called every LOOK_EVERY beats on the first
    of them, for files that lie beside this one: a thread of its own would cost wake-ups more.
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
        look_beside: Callable[[], None] = lambda: None,
    ) -> None:
        self._path = path
        self._look_beside = look_beside
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
        else:
            self._beat_ns = self._now_ns() if value is None else value.boot_ns
            if self._failing:
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
        for beat in count():
            if self._stop.wait(1 / BEATS_A_SECOND):
                break
            if beat % LOOK_EVERY == 0:
                self._look_beside()
            self.write_once()

    def _keep_syncing(self) -> None:
        while not self._stop.wait(SYNC_EVERY_S):
            self.sync_once()
