"""How long a line takes to the disk, and how long a long journal takes to be read back."""

import os
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from pi_controller.bench.figures import Figure, Say, in_ms, summary
from pi_controller.bench.hall import ANSWER_WITHIN_S, BenchError
from pi_controller.bench.machine import boot_ns
from pi_controller.hal.system.clock import SystemClock
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store, segment_name
from pi_controller.journal.trouble import Trouble
from pi_controller.journal.writer import JournalWriter

DATA = {"action": {"id": 7, "command": {"name": "pause", "reason": "button"}, "at_ns": 1, "source": "button"}}
"""About the size of the line that a press leaves."""

RECOVERIES = 5
BATCH = 500


class _Saved:
    """Which tag was saved, for who waits for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tag = -1
        self._moment_ns = 0
        self._trouble: Trouble | None = None

    def saved(self, tag: int, _head: str) -> None:
        with self._changed:
            self._tag, self._moment_ns = tag, boot_ns()
            self._changed.notify_all()

    def trouble(self, trouble: Trouble) -> None:
        with self._changed:
            self._trouble = trouble
            self._changed.notify_all()

    def wait(self, tag: int) -> int:
        """The moment at which it was told saved."""
        with self._changed:
            self._changed.wait_for(lambda: self._tag >= tag or self._trouble is not None, ANSWER_WITHIN_S)
        if self._trouble is not None:
            raise BenchError(self._trouble.sentence)
        if self._tag < tag:
            raise BenchError("A line of the journal was never told saved.")
        return self._moment_ns


def journal(*, appends: int, lines: int, folder: Path | None, say: Say) -> list[Figure]:
    """Appends one by one, beside bare ones; then recovery of a journal of so many lines."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
        state_dir = Path(name)
        store = Store(state_dir)
        store.prepare()
        saved = _Saved()
        clock = SystemClock()
        writer = JournalWriter(
            store,
            boot_id=clock.boot_id,
            wall=clock.wall,
            now_ns=clock.boot_ns,
            on_saved=saved.saved,
            on_trouble=saved.trouble,
            on_mended=lambda _part: None,
        )
        try:
            say(f"journal: {appends} lines, one by one, each beside a bare append")
            took, floor = _appends(writer, saved, store, appends)
            say(f"journal: recovery of {lines} lines")
            _fill(writer, saved, first=appends + 1, until=lines)
        finally:
            writer.close()
        return [_saved_figure(took, floor), _recovery_figure(state_dir, lines)]


def _appends(writer: JournalWriter, saved: _Saved, store: Store, count: int) -> tuple[list[int], list[int]]:
    game_id = store.new_game_id(SystemClock().wall())
    writer.open_game(game_id, bytes(32), {}, game_ns=0, boot_ns=boot_ns(), tag=0)
    saved.wait(0)
    size = 0
    took, floor = [], []
    bare = os.open(store.state_dir / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        for tag in range(1, count + 1):
            begun_ns = boot_ns()
            writer.append("did", DATA, game_ns=begun_ns, boot_ns=begun_ns, tag=tag)
            took.append(saved.wait(tag) - begun_ns)
            size = size or _line_size(store, game_id)
            begun_ns = boot_ns()
            os.write(bare, bytes(size))
            os.fdatasync(bare)
            floor.append(boot_ns() - begun_ns)
    finally:
        os.close(bare)
    return took, floor


def _line_size(store: Store, game_id: str) -> int:
    return len((store.folder(game_id) / segment_name(1)).read_bytes().splitlines(keepends=True)[-1])


def _fill(writer: JournalWriter, saved: _Saved, *, first: int, until: int) -> None:
    """`until` counts all lines of the journal, the one with the game's rules among them."""
    tag = first
    while tag < until:
        count = min(BATCH, until - tag)
        now_ns = boot_ns()
        writer.append_all([("did", DATA)] * count, game_ns=now_ns, boot_ns=now_ns, tag=tag + count - 1)
        tag += count
        saved.wait(tag - 1)


def _saved_figure(took: list[int], floor: list[int]) -> Figure:
    return Figure(
        name="journal.saved",
        what="a line handed over to told saved",
        unit="ms",
        measured=in_ms(took),
        floor=in_ms(floor),
        floor_is="write and fdatasync of as many bytes on the same disk",
    )


def _recovery_figure(state_dir: Path, lines: int) -> Figure:
    took, floor = [], []
    for _ in range(RECOVERIES):
        begun = time.monotonic()
        found = recover(state_dir)
        took.append(time.monotonic() - begun)
        if found is None or len(found.records) != lines:
            raise BenchError(f"Recovery found {len(found.records) if found else 0} of {lines} lines.")
        begun = time.monotonic()
        for line in (found.folder / segment_name(1)).read_bytes().splitlines():
            msgspec.json.decode(line)
        floor.append(time.monotonic() - begun)
    return Figure(
        name="journal.recovery",
        what=f"a journal of {lines} lines read back",
        unit="s",
        measured=summary(took),
        floor=summary(floor),
        floor_is="the file read and each line decoded as JSON",
    )
