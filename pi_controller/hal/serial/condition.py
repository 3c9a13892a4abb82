"""What a segment's port and line are like, in one state and one sentence; each change is told once."""

from msgspec import structs
from msgspec.structs import replace

from pi_controller.bus.values import LinkState, NodeView, SegmentChanged, SegmentSnapshot
from pi_controller.hal.serial.port import PortLost, PortUnusable
from pi_controller.sentence import Sentence

HANDSHAKE_US = 3_000_000
"""A node that runs at the other baud rate has come over by then (PROTOCOL.md)."""


class Condition:
    """A segment is `open` only when a node has answered through the port that is open now."""

    def __init__(self, *, name: str, port: str) -> None:
        self._name = name
        self._port = port
        self._opened_us: int | None = None
        self._openings = 0
        self._is_busy = False
        self._connected = False
        self._of_port: Sentence | None = None
        self._of_line: Sentence | None = None
        self._told: Sentence | None = None

    @property
    def connected(self) -> bool:
        return self._connected

    def opened(self, now_us: int) -> None:
        self._opened_us = now_us
        self._openings += 1
        self._is_busy = False

    def failed(self, error: PortUnusable | PortLost) -> None:
        """The port cannot be opened, or has gone."""
        self.closed()
        self._of_port = Sentence("bus.segment", segment=self._name, trouble=error.sentence)
        self._is_busy = isinstance(error, PortUnusable) and error.busy

    def closed(self) -> None:
        self._opened_us = None
        self._connected = False

    def line_is(self, sentence: Sentence | None) -> None:
        """What the master says of its line."""
        self._of_line = sentence

    def look(self, snapshot: SegmentSnapshot, now_us: int) -> SegmentSnapshot:
        """The master's snapshot with what is known of the port; tables behind a closed one are lost."""
        if self._opened_us is not None:
            self._shake_hands(snapshot.nodes, now_us - self._opened_us)
        return replace(
            snapshot,
            port=self._port,
            link=self._state(snapshot.link),
            sentence=self.sentence,
            reopened=max(0, self._openings - 1),
            nodes=snapshot.nodes if self._opened_us is not None else tuple(map(_lost, snapshot.nodes)),
        )

    def _shake_hands(self, nodes: tuple[NodeView, ...], open_us: int) -> None:
        if self._connected:
            return
        # In whole milliseconds; between two openings lie many of them.
        if any(node.age_ms * 1000 <= open_us for node in nodes):
            self._connected, self._of_port = True, None
        elif open_us >= HANDSHAKE_US:
            self._of_port = Sentence("port.nobody_answers_yet", segment=self._name, port=self._port)

    @property
    def sentence(self) -> Sentence | None:
        if self._opened_us is None:
            return self._of_port
        # What the master makes of the bytes says more than that no node is among them.
        return self._of_line or self._of_port

    def news(self) -> SegmentChanged | None:
        """The sentence when it is another one than last time."""
        if self.sentence == self._told:
            return None
        self._told = self.sentence
        return SegmentChanged(segment=self._name, sentence=self._told)

    def _state(self, line: LinkState) -> LinkState:
        if self._is_busy:
            return "busy"
        if self._opened_us is not None and line == "wrong_device":
            return "wrong_device"
        return "open" if self._connected else "closed"


def _lost(node: NodeView) -> NodeView:
    return structs.replace(node, state="lost")
