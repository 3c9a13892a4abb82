"""Holds commands back while one of them waits for the disk, each for a while only; presses of the big button
pass by."""

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from pi_controller.core.asked import Asked
from pi_controller.core.saving import Done
from pi_controller.core.timers import Timers

log = logging.getLogger(__name__)

PATIENCE_NS = 5_000_000_000
"""So long may a command be on its way; afterwards it is refused, and never done. A client waits longer."""

TOO_LATE = (
    "Nothing was done: the disk has kept this command waiting for 5 s. "
    "Check the memory card, then give the command again."
)
ASKER_GONE = "Nothing was done: whoever gave this command has gone."


class Gate:
    """Commands go through in the order in which they came. `handle` and `refuse` take one that comes to its
    turn or never does, `note` writes a line to the journal, `when_saved` says when it is on the disk."""

    def __init__(
        self,
        *,
        handle: Callable[[Asked], None],
        refuse: Callable[[Asked, str], None],
        note: Callable[[dict[str, Any]], None],
        when_saved: Callable[[Done], None],
        timers: Timers,
    ) -> None:
        self._handle = handle
        self._refuse = refuse
        self._note = note
        self._when_saved = when_saved
        self._timers = timers
        self._closed = False
        self._queue: deque[Asked] = deque()

    def enter(self, asked: Asked) -> None:
        if self._closed:
            self._queue.append(asked)
            self._keep_time(asked)
        else:
            self._handle(asked)

    def wait_for_disk(self, asked: Asked) -> None:
        """Note what is asked, and handle it again when the note is saved: a dead disk stops it before it
        begins. Nothing else gets through meanwhile."""
        self._closed = True
        self._keep_time(asked)
        self._note({"asked": asked.name, "source": asked.source})
        self._when_saved(lambda trouble: self._disk_answered(asked, trouble))

    def open(self) -> None:
        """Let the waiting ones through, until one of them closes the gate again."""
        self._closed = False
        while self._queue and not self._closed:
            asked = self._queue.popleft()
            if self._may_pass(asked):
                self._handle(asked)

    def _disk_answered(self, asked: Asked, trouble: str | None) -> None:
        if trouble is not None and not asked.over:
            self._end(asked, f"Nothing was done: {trouble}")
        elif self._may_pass(asked):
            asked.on_disk = True
            self._handle(asked)
            if asked.keeps_gate:
                return
        self.open()

    def _may_pass(self, asked: Asked) -> bool:
        """Its turn has come: neither is it too late for it, nor has its asker gone."""
        if not asked.over and asked.gone():
            log.info("%s by %s is not done: its asker has gone", asked.name, asked.source)
            self._end(asked, ASKER_GONE)
        if asked.over:
            return False
        self._stop_time(asked)
        return True

    def _keep_time(self, asked: Asked) -> None:
        if asked.deadline_ns is None:
            asked.deadline_ns = self._timers.boot_ns() + PATIENCE_NS
        asked.alarm = self._timers.call_at(asked.deadline_ns, lambda: self._end(asked, TOO_LATE))

    @staticmethod
    def _stop_time(asked: Asked) -> None:
        if asked.alarm is not None:
            asked.alarm.cancel()
            asked.alarm = None

    def _end(self, asked: Asked, sentence: str) -> None:
        self._stop_time(asked)
        asked.over = True
        self._refuse(asked, sentence)
