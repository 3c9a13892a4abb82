"""The big button under a test: its raw edges in a ring, and presses that do nothing to the game."""

from collections import deque
from collections.abc import Callable

from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.runtime.timers import Timers
from pi_controller.hal.roles import ContactChange
from pi_controller.protocol.probes import ButtonPress, Edge, Edges

MOST_KEPT = 8192
"""Edges; a worn contact brings a thousand of them a press."""
MOST_TOLD = 2000
"""Edges in one answer: about 150 KB."""
MOST_PRESSES = 100


class ButtonTap:
    """Implements `core.button.Tap`; takes presses between `begin` and `end`."""

    def __init__(self, *, outputs: Outputs, timers: Timers) -> None:
        self.next = 0
        """Number of the edge that comes next."""
        self._outputs = outputs
        self._timers = timers
        self._told: list[Callable[[], None]] = []
        self._on = False
        self._began = 0
        self._edges: deque[Edge] = deque(maxlen=MOST_KEPT)
        self._presses: deque[ButtonPress] = deque(maxlen=MOST_PRESSES)

    def tell(self, changed: Callable[[], None]) -> None:
        """Call this after each edge and press."""
        self._told.append(changed)

    def begin(self) -> None:
        """Forget what was before; numbers go on."""
        self._on = True
        self._began = self.next
        self._edges.clear()
        self._presses.clear()

    def end(self) -> None:
        self._on = False

    def edge(self, change: ContactChange) -> None:
        if self._on:
            edge = Edge(
                contact=change.contact, closed=change.closed, at_ns=change.at_ns, trusted=change.trusted
            )
            self._edges.append(edge)
            self.next += 1
            self._changed()

    def press(self, at_ns: int) -> bool:
        """Under a test the pause lamp lights up for it, and that is all."""
        if not self._on:
            return False
        lit = self._outputs.acknowledge(self._timers.boot_ns())
        acknowledged_ns = self._timers.boot_ns() if lit else None
        self._presses.append(ButtonPress(at_ns=at_ns, acknowledged_ns=acknowledged_ns))
        self._changed()
        return True

    def since(self, number: int) -> Edges:
        """The edges from this number on, as far as they are kept and go into one answer."""
        first = self.next - len(self._edges)
        begin = max(number, first)
        told = list(self._edges)[begin - first : begin - first + MOST_TOLD]
        return Edges(
            next=min(begin, self.next) + len(told),
            edges=told,
            dropped=max(0, first - max(number, self._began)),
            presses=list(self._presses),
        )

    def _changed(self) -> None:
        for changed in self._told:
            changed()
