"""How long a line of the journal takes to the disk."""

import os
import queue
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, in_ms
from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, boot_ns
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.errors import Trouble
from pi_controller.journal.store import Store, segment_name
from pi_controller.journal.writer import JournalWriter

DATA: dict[str, object] = {
    "action": {"id": 7, "command": {"name": "pause", "reason": "button"}, "at_ns": 1, "source": "button"}
}
"""About the size of the line that a press leaves."""

News = queue.SimpleQueue[tuple[int, int] | Trouble]
"""From the writer: a tag that is saved and the moment at which that was told, or what is wrong."""


def line(*, appends: int, folder: Path, say: Say) -> list[Figure]:
    """Appends one by one, each beside a bare write and fdatasync of as many bytes."""
    store = Store(folder)
    store.prepare()
    news: News = queue.SimpleQueue()
    clock = SystemClock()
    writer = JournalWriter(
        store,
        boot_id=clock.boot_id,
        wall=clock.wall,
        now_ns=clock.boot_ns,
        on_saved=lambda tag, _head: news.put((tag, boot_ns())),
        on_trouble=news.put,
        on_mended=lambda _part: None,
    )
    try:
        say(f"journal.line: {appends} lines, one by one, each beside a bare append")
        took, floor = _appends(writer, news, store, appends)
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


def _appends(writer: JournalWriter, news: News, store: Store, count: int) -> tuple[list[int], list[int]]:
    """Nanoseconds of each line, and of each bare append."""
    game_id = store.new_game_id(SystemClock().wall())
    writer.open_game(game_id, bytes(32), {}, game_ns=0, boot_ns=boot_ns(), tag=0)
    _saved_at_ns(news, 0)
    took, floor, size = [], [], 0
    bare = os.open(store.state_dir / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        for tag in range(1, count + 1):
            begun_ns = boot_ns()
            writer.append("did", DATA, game_ns=begun_ns, boot_ns=begun_ns, tag=tag)
            took.append(_saved_at_ns(news, tag) - begun_ns)
            if not size:
                segment = store.folder(game_id) / segment_name(1)
                size = len(segment.read_bytes().splitlines(keepends=True)[-1])
            begun_ns = boot_ns()
            os.write(bare, bytes(size))
            os.fdatasync(bare)
            floor.append(boot_ns() - begun_ns)
    finally:
        os.close(bare)
    return took, floor


def _saved_at_ns(news: News, tag: int) -> int:
    """The moment at which the line with this tag was told saved."""
    while True:
        try:
            told = news.get(timeout=ANSWER_WITHIN_S)
        except queue.Empty:
            raise BenchError("A line of the journal was never told saved.") from None
        if isinstance(told, Trouble):
            raise BenchError(told.sentence)
        if told[0] >= tag:
            return told[1]
