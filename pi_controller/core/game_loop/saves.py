"""What of the game is on the disk, and who waits for it. Never blocks."""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from pi_controller.core.runtime.health import Metrics
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.defects import named, run_catching
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

SAVE_DEADLINE_NS = 3_000_000_000
"""The disk counts as stalled if it takes longer than this for a line."""

STALLED = Sentence("journal.disk_stalled", seconds=SAVE_DEADLINE_NS // 1_000_000_000)

Lines = list[tuple[str, dict[str, object]]]


class Log(Protocol):
    """The journal writer as the loop sees it: returns at once; `tag` comes back when all lines are saved."""

    def append_all(self, lines: Lines, *, game_ns: int, boot_ns: int, tag: int) -> object: ...


class SaveTracker:
    """Changes on their way to the disk, numbered by their `seq` in the picture.

    `head` is the chain's hash at the newest saved line. `moved` is called after each change of what is saved
    or of the trouble.
    """

    def __init__(
        self,
        *,
        log: Log,
        timers: Timers,
        moved: Callable[[], None],
        metrics: Metrics,
    ) -> None:
        self.unwritten: Sentence | None = None
        """Why the oldest change that the journal lacks could not be handed over; None if it lacks none.
        Nothing later is saved before it."""
        self.head: str | None = None
        self._disk: Sentence | None = None
        self._stopped = False
        self._metrics = metrics
        self._log = log
        self._timers = timers
        self._moved = moved
        self._changes: deque[tuple[int, int]] = deque()
        self._decided: deque[tuple[int, Callable[[], Lines], int, int]] = deque()
        self._handing_over = threading.Lock()
        self._waiting: deque[tuple[int, asyncio.Future[Sentence | None]]] = deque()
        self._eventual: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._alarm: Alarm | None = None

    @property
    def trouble(self) -> Sentence | None:
        """A sentence while nothing gets to the disk, otherwise None."""
        return self.unwritten or self._disk

    def saved_seq(self, seq: int) -> int:
        """The change up to which everything is on the disk; `seq` is the newest change."""
        return self._changes[0][0] - 1 if self._changes else seq

    def unsaved(self) -> int:
        return len(self._changes)

    def held(self) -> int:
        """Number of changes not handed to the journal yet. May be called from any thread."""
        return len(self._decided)

    def stop(self) -> None:
        """Hand over nothing more: the journal is closed next, and later changes are never saved."""
        self._stopped = True

    def reserve(self, seq: int) -> None:
        """Count this change as unsaved; somebody else hands its lines to the journal."""
        self._changes.append((seq, self._timers.boot_ns()))
        if self._alarm is None:
            self._watch()

    def decided(self, seq: int, lines: Callable[[], Lines], *, game_ns: int, boot_ns: int) -> None:
        """Count this change as unsaved; `hand_over` will give its lines to the journal. Both times are those
        of the change."""
        self.reserve(seq)
        self._decided.append((seq, lines, game_ns, boot_ns))

    def hand_over(self) -> None:
        """Give the journal all lines that it lacks; those of one change are saved together.

        If the lines of a change cannot be made, which is a defect, it stays first in the queue and is tried
        again with each later change. Later changes wait behind it, because a game that lacks a change cannot
        be read again.
        """
        error = self._give_all()
        if error is None and self.unwritten is not None:
            self.unwritten = None
            self._watch()
            self._moved()
        elif error is not None and self.unwritten is None:
            log.error("a change could not be handed to the journal", exc_info=error)
            self.unwritten = Sentence("journal.change_not_written", what=named(error))
            self._metrics.count("defects")
            self._troubled(self.unwritten)

    def hand_over_at_last(self) -> None:
        """The same from the watchdog's thread, if the loop hangs; the journal is closed next."""
        self._give_all()
        self.stop()

    def _give_all(self) -> Exception | None:
        with self._handing_over:
            return run_catching(self._give)

    def _give(self) -> None:
        while self._decided and not self._stopped:
            seq, lines, game_ns, boot_ns = self._decided[0]
            self._log.append_all(lines(), game_ns=game_ns, boot_ns=boot_ns, tag=seq)
            self._decided.popleft()

    def on_disk(self) -> asyncio.Future[Sentence | None]:
        """Resolves to None when everything reserved so far is on the disk, or to a sentence if it is not in
        time."""
        future: asyncio.Future[Sentence | None] = self._timers.future()
        if not self._changes:
            future.set_result(None)
        elif self.trouble is not None:
            future.set_result(self.trouble)
        else:
            self._waiting.append((self._changes[-1][0], future))
        return future

    def on_disk_at_last(self) -> asyncio.Future[None]:
        """Resolves when everything reserved so far is on the disk, however long that takes."""
        future: asyncio.Future[None] = self._timers.future()
        if self._changes:
            self._eventual.append((self._changes[-1][0], future))
        else:
            future.set_result(None)
        return future

    def saved(self, seq: int, head: str) -> None:
        """Reported by the journal: everything up to this change is on the disk."""
        self.head = head
        if self._decided:
            seq = min(seq, self._decided[0][0] - 1)
        while self._changes and self._changes[0][0] <= seq:
            self._changes.popleft()
        if self._disk == STALLED:
            self._disk = None
        self._watch()
        _tell(self._eventual, seq)
        _tell(self._waiting, seq)
        self._moved()

    def troubled(self, sentence: Sentence | None) -> None:
        """Reported by the journal: nothing can be written, or, with None, it can again."""
        self._disk = sentence
        self._troubled(sentence)

    def _troubled(self, sentence: Sentence | None) -> None:
        self._watch()
        if sentence is not None:
            self._fail_waiting(sentence)
        self._moved()

    def _watch(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._changes and self.trouble is None:
            self._alarm = self._timers.call_at(self._changes[0][1] + SAVE_DEADLINE_NS, self._late)

    def _late(self) -> None:
        self._alarm = None
        if self._changes and self.trouble is None:
            self.troubled(STALLED)

    def _fail_waiting(self, sentence: Sentence) -> None:
        while self._waiting:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_result(sentence)


def _tell(waiting: deque[tuple[int, asyncio.Future[Any]]], seq: int) -> None:
    """Resolve those who wait for this change or an earlier one, except cancelled ones."""
    while waiting and waiting[0][0] <= seq:
        _, future = waiting.popleft()
        if not future.done():
            future.set_result(None)
