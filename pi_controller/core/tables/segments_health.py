"""What is wrong with lines and nodes of tables, told to the director, the journal and the log."""

import logging

from pi_controller.bus.values import NodeChanged
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime.timers import Timers
from pi_controller.language.words import words
from pi_controller.sentence import Sentence

log = logging.getLogger(__name__)

NOTE_AGAIN_NS = 10_000_000_000
"""A loose plug must not fill the journal: so long between two notes about one segment or node."""


class SegmentsHealth:
    """Called on the loop only."""

    def __init__(self, loop: GameLoop, timers: Timers) -> None:
        self._loop = loop
        self._timers = timers
        self._noted_ns: dict[str, int] = {}

    def changed(self, segment: str, found: Sentence | None) -> None:
        """The segment's condition; None: all is well again. The game goes on in any case."""
        self._loop.report(f"segment {segment}", "warning", found)
        sentence = None if found is None else words(found)
        if self._may_note(segment):
            if sentence is not None:
                log.warning("%s", sentence)
            self._loop.note({"segment": segment, "condition": sentence})

    def node(self, event: NodeChanged, name: str) -> None:
        """A node has come, gone, or is not as it was."""
        if self._may_note(event.uid):
            log.info("table %s (node %s) on segment %s is %s", name, event.uid, event.segment, event.state)
            self._loop.note({"node": event.uid, "name": name, "on": event.segment, "state": event.state})

    def _may_note(self, what: str) -> bool:
        now_ns = self._timers.boot_ns()
        if now_ns - self._noted_ns.get(what, now_ns - NOTE_AGAIN_NS) < NOTE_AGAIN_NS:
            return False
        self._noted_ns[what] = now_ns
        return True
