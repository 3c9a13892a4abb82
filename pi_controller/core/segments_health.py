"""What is wrong with the lines of table nodes, told to the director, the journal and the log."""

import logging

from pi_controller.core.loop import GameLoop
from pi_controller.core.timers import Timers

log = logging.getLogger(__name__)

NOTE_AGAIN_NS = 10_000_000_000
"""A loose plug must not fill the journal: so long between two notes about one segment."""


class SegmentsHealth:
    """Called on the loop only."""

    def __init__(self, loop: GameLoop, timers: Timers) -> None:
        self._loop = loop
        self._timers = timers
        self._noted_ns: dict[str, int] = {}

    def changed(self, segment: str, sentence: str | None) -> None:
        """The segment's condition; None: all is well again. The game goes on in any case."""
        self._loop.report(f"segment {segment}", "warning", sentence)
        now_ns = self._timers.boot_ns()
        if now_ns - self._noted_ns.get(segment, now_ns - NOTE_AGAIN_NS) < NOTE_AGAIN_NS:
            return
        self._noted_ns[segment] = now_ns
        if sentence is not None:
            log.warning("%s", sentence)
        self._loop.note({"segment": segment, "condition": sentence})
