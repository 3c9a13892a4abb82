"""What happens to the button and at the tables during a test, and the live news of it.

`ButtonTap` and `TableTap` take edges, presses and claims away from the game as long as a test goes on;
`Watchers` tells them to the clients that watch it. All are called on the loop only.
"""

from collections import deque
from collections.abc import Callable

from pi_controller.bus.values import (
    BusEvent,
    ButtonHeard,
    ClaimHeard,
    ClaimOutcome,
    NodeClaim,
    WithdrawalHeard,
)
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.runtime import Alarm, Timers
from pi_controller.core.tables.roster import RosterKeeper
from pi_controller.hal.roles import ContactChange, HardwareError, PauseButton, PushButton
from pi_controller.language.words import words
from pi_controller.protocol.probes import ButtonPress, Edge, Edges, Inputs, TablePress, TestNews
from pi_controller.protocol.question import encode
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import ClientConnection
from pi_controller.sentence import Sentence

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
        self._changed: Callable[[], None] = lambda: None
        self.on = False
        self._began = 0
        self._edges: deque[Edge] = deque(maxlen=MOST_KEPT)
        self._presses: deque[ButtonPress] = deque(maxlen=MOST_PRESSES)

    def tell(self, changed: Callable[[], None]) -> None:
        """Call this after each edge and press."""
        self._changed = changed

    def begin(self) -> None:
        """Forget what was before; numbers go on."""
        self.on = True
        self._began = self.next
        self._edges.clear()
        self._presses.clear()

    def end(self) -> None:
        self.on = False

    def edge(self, change: ContactChange) -> None:
        edge = Edge(contact=change.contact, closed=change.closed, at_ns=change.at_ns, trusted=change.trusted)
        self._edges.append(edge)
        self.next += 1
        self._changed()

    def press(self, at_ns: int) -> None:
        """Under a test the pause lamp lights up for it, and that is all."""
        lit = self._outputs.acknowledge(self._timers.boot_ns())
        acknowledged_ns = self._timers.boot_ns() if lit else None
        self._presses.append(ButtonPress(at_ns=at_ns, acknowledged_ns=acknowledged_ns))
        self._changed()

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


NS_PER_US = 1_000
MOST_KNOWN = 4096


class TableTap:
    """Implements `core.tables.Tap`; takes claims between `begin` and `end`, and for ever those that it took
    once, however often they are told again."""

    def __init__(
        self,
        *,
        keeper: RosterKeeper,
        timers: Timers,
        pressed: Callable[[TablePress], None],
    ) -> None:
        self._keeper = keeper
        self._timers = timers
        self._pressed = [pressed]
        self._since_ns: int | None = None
        self.maintains = False
        self.outcomes: tuple[ClaimOutcome, ...] = ()
        self._taken: dict[NodeClaim, ClaimOutcome] = {}

    def tell(self, pressed: Callable[[TablePress], None]) -> None:
        """Call this too at each press during a test."""
        self._pressed.append(pressed)

    def begin(self, *, maintains: bool) -> None:
        """`maintains`: tables show that they are worked on, and may write down what they keep."""
        self._since_ns = self._timers.boot_ns()
        self.maintains = maintains

    def end(self) -> None:
        """The claims of this test are taken back for their players."""
        self._since_ns, self.maintains = None, False
        newest = {(claim.uid, claim.side): outcome for claim, outcome in self._taken.items()}
        self.outcomes = tuple(newest.values())

    def takes(self, event: BusEvent) -> bool:
        if isinstance(event, ButtonHeard):
            if self._since_ns is not None:
                at_ms = self._timers.boot_ns() / 1e6
                self._tell(event.uid, event, at_ms=at_ms, acknowledged_ms=None)
            return False
        if isinstance(event, ClaimHeard):
            return self._takes_claim(event)
        return isinstance(event, WithdrawalHeard) and event.claim in self._taken

    def _takes_claim(self, event: ClaimHeard) -> bool:
        if event.claim in self._taken:
            return True
        if self._since_ns is None or event.at_us * NS_PER_US < self._since_ns:
            return False
        self._taken[event.claim] = ClaimOutcome(claim=event.claim, at_us=event.at_us, status="withdrawn")
        while len(self._taken) > MOST_KNOWN:
            del self._taken[next(iter(self._taken))]
        at_ms, now_ms = event.at_us / 1e3, self._timers.boot_ns() / 1e6
        self._tell(event.claim.uid, event.claim, at_ms=at_ms, acknowledged_ms=now_ms)
        return True

    def _tell(
        self, uid: str, press: ButtonHeard | NodeClaim, *, at_ms: float, acknowledged_ms: float | None
    ) -> None:
        board = self._keeper.roster.board_of(uid)
        told = TablePress(
            uid=uid,
            board=None if board is None else board.name,
            side=press.side,
            at_ms=at_ms,
            acknowledged_ms=acknowledged_ms,
        )
        for pressed in self._pressed:
            pressed(told)


GATHER_NS = 50_000_000
"""A bouncing contact brings dozens of edges; those of so long go out together."""
LOOK_NS = 100_000_000
"""The shutdown button reports no edges; so often it is looked at while anybody watches."""
BEAT_NS = 1_000_000_000
"""So long after the last news the contacts are told again, though nothing has changed: a watcher that hears
nothing knows by it that core is gone."""


class Watchers:
    """Called on the loop only."""

    def __init__(
        self, *, tap: ButtonTap, button: PauseButton, shutdown: PushButton | None, timers: Timers
    ) -> None:
        self._tap = tap
        self._button = button
        self._shutdown = shutdown
        self._shutdown_told: bool | None = None
        self._looks: Alarm | None = None
        self._timers = timers
        self._clients: set[ClientConnection] = set()
        self._told = 0
        self._alarm: Alarm | None = None
        self._beat: Alarm | None = None
        tap.tell(self._changed)

    def add(self, client: ClientConnection) -> None:
        """Tell this client of the contacts now, and of everything from now on."""
        news = self._news(self._tap.next)
        if not self._clients:
            self._shutdown_told = _shutdown(news)
        self._clients.add(client)
        client.on_close.append(lambda: self._clients.discard(client))
        client.stream("test", _line(news))
        if self._beat is None:
            self._rest()
        if self._shutdown is not None and self._looks is None:
            self._look_later(self._shutdown)

    def _changed(self) -> None:
        """The button has moved."""
        if self._clients and self._alarm is None:
            self._alarm = self._timers.call_at(self._timers.boot_ns() + GATHER_NS, self._tell)

    def pressed(self, press: TablePress) -> None:
        """At a table; nobody who watches misses one."""
        line = _line(TestNews(pressed=press))
        for client in list(self._clients):
            client.send(line)

    def begin(self) -> None:
        """A test begins: what was before is none of its news."""
        self._told = self._tap.next

    def end(self, why: Sentence) -> None:
        """The last line; nobody watches any more."""
        line = _line(TestNews(ended=words(why), ended_key=view(why)))
        for client in list(self._clients):
            client.send(line)
        self._clients.clear()
        for alarm in (self._alarm, self._beat):
            if alarm is not None:
                alarm.cancel()
        self._alarm = self._beat = None

    def inputs(self) -> Inputs:
        """The contacts now. HardwareError when they cannot be read."""
        contacts = self._button.contacts()
        return Inputs(
            no_closed=contacts.no_closed,
            nc_closed=contacts.nc_closed,
            now_ns=self._timers.boot_ns(),
            shutdown_pressed=None if self._shutdown is None else self._shutdown.pressed(),
        )

    def _look_later(self, shutdown: PushButton) -> None:
        due_ns = self._timers.boot_ns() + LOOK_NS
        self._looks = self._timers.call_at(due_ns, lambda: self._look(shutdown))

    def _look(self, shutdown: PushButton) -> None:
        """Tell of the shutdown button when it has moved; over when nobody watches."""
        self._looks = None
        if not self._clients:
            return
        try:
            pressed = shutdown.pressed()
        except HardwareError:
            pressed = None
        if pressed != self._shutdown_told:
            self._changed()
        self._look_later(shutdown)

    def _tell(self) -> None:
        self._alarm = None
        news = self._news(self._told)
        line = _line(news)
        self._shutdown_told = _shutdown(news)
        self._told = self._told if news.next is None else news.next
        for client in list(self._clients):
            client.stream("test", line)
        self._rest()

    def _rest(self) -> None:
        if self._beat is not None:
            self._beat.cancel()
        self._beat = self._timers.call_at(self._timers.boot_ns() + BEAT_NS, self._tell_again)

    def _tell_again(self) -> None:
        """Nothing has changed for so long; over when nobody watches."""
        self._beat = None
        if self._clients:
            self._tell()

    def _news(self, since: int) -> TestNews:
        """Without `inputs` the contacts cannot be read: the picture's health says why."""
        edges = self._tap.since(since)
        try:
            inputs = self.inputs()
        except HardwareError:
            inputs = None
        return TestNews(
            inputs=inputs,
            edges=edges.edges,
            next=edges.next,
        )


def _shutdown(news: TestNews) -> bool | None:
    return None if news.inputs is None else news.inputs.shutdown_pressed


def _line(news: TestNews) -> bytes:
    return encode({"test": news})
