"""How long a line takes to the disk, and how long a long journal takes to be read back."""

import os
import threading
import time
from pathlib import Path

import msgspec

from pi_controller.bench.figures import Figure, Say, in_ms, limits, summary
from pi_controller.bench.long_game import LongGame
from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, boot_ns
from pi_controller.core.game_loop.recovery import restore
from pi_controller.game.commands import AddTime, Undo
from pi_controller.game.game import apply, decide
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.errors import Trouble
from pi_controller.journal.store import Store, segment_name
from pi_controller.journal.writer import JournalWriter

DATA: dict[str, object] = {
    "action": {"id": 7, "command": {"name": "pause", "reason": "button"}, "at_ns": 1, "source": "button"}
}
"""About the size of the line that a press leaves."""

RESTORE_S_A_LINE = 30e-6
"""0.3 s for 10,000 lines, 3 s for 100,000."""

UNDO_MS = 10.0


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


def line(*, appends: int, folder: Path, say: Say) -> list[Figure]:
    """Appends one by one, each beside a bare one."""
    store = Store(folder)
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
        say(f"journal.line: {appends} lines, one by one, each beside a bare append")
        took, floor = _appends(writer, saved, store, appends)
    finally:
        writer.close()
    return [
        Figure(
            name="journal.saved",
            what="a line handed over to told saved",
            unit="ms",
            measured=in_ms(took),
            floor=in_ms(floor),
            floor_is="write and fdatasync of as many bytes on the same disk",
        )
    ]


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


def long(
    *, lines: tuple[int, ...], restores: int, actions: int, undos: int, folder: Path, say: Say
) -> list[Figure]:
    """Restores of games with so many lines of journal; undos after so many actions."""
    figures = []
    for count in lines:
        say(f"journal.long: plays a game of {count} lines and restores it {restores} times")
        game = LongGame()
        game.play(lines=count)
        figures.append(_restore_figure(game, restores, folder))
    say(f"journal.long: plays a game of {actions} actions for {undos} undos")
    game = LongGame()
    game.play(actions=actions)
    return [*figures, _undo_figure(game, undos)]


def _restore_figure(game: LongGame, restores: int, folder: Path) -> Figure:
    took, floor = [], []
    count = len(game.lines)
    state_dir = folder / str(count)
    path = game.write(state_dir) / segment_name(1)
    for _ in range(restores):
        begun = time.process_time()
        restored = restore(state_dir, Store(state_dir), second_copy=None, boot_ns=0, boot_id="bench", wall="")
        took.append(time.process_time() - begun)
        if restored is None or len(restored.recovered.records) != count:
            raise BenchError(f"The game of {count} lines did not come back.")
        begun = time.process_time()
        for each in path.read_bytes().splitlines():
            msgspec.json.decode(each)
        floor.append(time.process_time() - begun)
    return Figure(
        name=f"journal.long.restore.{count}",
        what=f"processor for a game of {count} lines: read, verified, read back and folded",
        unit="s",
        measured=summary(took),
        floor=summary(floor),
        floor_is="the file read and each line decoded as JSON",
        limits=limits(p50=RESTORE_S_A_LINE * count),
    )


def _undo_figure(played: LongGame, undos: int) -> Figure:
    took = []
    game, now_ns = played.game, played.now_ns
    for number in range(undos):
        done = decide(game, AddTime(1000 + number), at_ns=now_ns, now_ns=now_ns, source="web")
        for event in done.events:
            game = apply(game, event)
        begun = time.process_time()
        undone = decide(game, Undo(), at_ns=now_ns, now_ns=now_ns, source="web")
        took.append((time.process_time() - begun) * 1000)
        if undone.game is None:
            raise BenchError(f"The undo was refused: {undone.reasons}")
        game = undone.game
    return Figure(
        name="journal.long.undo",
        what=f"processor for an undo after {len(game.actions)} actions",
        unit="ms",
        measured=summary(took),
        limits=limits(max=UNDO_MS),
    )
