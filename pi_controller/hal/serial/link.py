"""One segment: a thread that opens its port, drives its master, passes events on and waits in between."""

import os
import select
import threading
from collections import deque
from collections.abc import Callable

from msgspec import structs
from msgspec.structs import replace

from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.requests import Rest, Send, Tune
from pi_controller.bus.values import (
    BusEvent,
    JobResult,
    LinkState,
    NodeChanged,
    NodeView,
    SegmentChanged,
    SegmentJob,
    SegmentPort,
    SegmentSnapshot,
    TableState,
)
from pi_controller.hal.roles import Clock
from pi_controller.hal.serial.port import PortLost, PortUnusable, SerialPort, open_port
from pi_controller.sentence import Sentence

# Condition of a segment: its port and line as one state and one sentence; each change is reported once.


HANDSHAKE_US = 3_000_000
"""By this time a node at the other baud rate has changed over (PROTOCOL.md)."""


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
        """The port cannot be opened, or was lost."""
        self.closed()
        self._of_port = Sentence("bus.segment", segment=self._name, trouble=error.sentence)
        self._is_busy = isinstance(error, PortUnusable) and error.busy

    def closed(self) -> None:
        self._opened_us = None
        self._connected = False

    def line_is(self, sentence: Sentence | None) -> None:
        """Set the master's sentence about its line."""
        self._of_line = sentence

    def look(self, snapshot: SegmentSnapshot, now_us: int) -> SegmentSnapshot:
        """The master's snapshot with the port's state; tables behind a closed port are lost."""
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
        # The master's finding about the bytes is more useful than that no node answers.
        return self._of_line or self._of_port

    def news(self) -> SegmentChanged | None:
        """The change of the condition; None if it is the same as last time."""
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


FIRST_US = 200_000
LONGEST_US = 1_000_000
"""Longest wait between attempts, so that a returning table bus is found, and its nodes have answered, within
2 s."""


class Waker:
    """`wait` on one thread, `wake` from any; a wake before the wait is not lost."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fd: int | None = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def wake(self) -> None:
        """Never blocks; nothing happens after `close`."""
        with self._lock:
            if self._fd is not None:
                os.eventfd_write(self._fd, 1)

    def wait(self, port: int | None, seconds: float) -> bool:
        """Wait until the port can be read, somebody wakes, or the time is up. Returns True if the port can be
        read."""
        if self._fd is None:
            raise ValueError("a closed waker waits for nobody")
        waited = [self._fd] if port is None else [self._fd, port]
        ready, _, _ = select.select(waited, [], [], max(0.0, seconds))
        if self._fd in ready:
            os.eventfd_read(self._fd)
        return port in ready

    def close(self) -> None:
        """May be called twice."""
        with self._lock:
            fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


class Backoff:
    """When to try again: after 0.2 s, then twice as long each time, at most 1 s. All in µs."""

    def __init__(self, *, first_us: int = FIRST_US, longest_us: int = LONGEST_US) -> None:
        self._first_us = first_us
        self._longest_us = longest_us
        self._next_us = first_us
        self.due_us = 0
        """Not before this."""

    def failed(self, now_us: int) -> None:
        self.due_us = now_us + self._next_us
        self._next_us = min(2 * self._next_us, self._longest_us)

    def worked(self) -> None:
        self._next_us = self._first_us


BEAT_S = 0.25
"""The thread gives a sign of life at least this often."""

QUEUED_S = 0.0005
"""Interval of checks whether the driver has sent everything; shorter than the shortest frame."""

SNAPSHOT_US = 1_000_000
SOON_US = 250_000
"""Interval of snapshots while somebody asks for them, or nobody answers."""

LOOKED_AT_US = 2_000_000
EVENTS_US = 50_000
"""How often the master is asked what has happened by time."""

MOVED_US = 1_000_000
"""How often it is checked that the port's name has not moved on to another device."""


Instruction = Callable[[SegmentMaster], None]
Report = Callable[[JobResult], None]


class SegmentLink:
    """`start`, then anything from any thread, then `stop` and `join`. `on_event` is called on its own thread.

    A defect ends the thread and nothing else: `is_alive` and `beat_ns` tell, and the port is released.
    """

    def __init__(
        self,
        segment: SegmentPort,
        *,
        master: SegmentMaster,
        baud: int,
        clock: Clock,
        on_event: Callable[[BusEvent], None],
        backoff: Backoff | None = None,
    ) -> None:
        self.segment = segment
        self._master = master
        self._baud = baud
        self._clock = clock
        self._on_event = on_event
        self._backoff = backoff or Backoff()
        self._condition = Condition(name=segment.name, port=segment.port)
        self._waker = Waker()
        self._mail = threading.Lock()
        self._state: TableState | None = None
        self._orders: list[Instruction] = []
        self._reports: deque[Report] = deque()
        """Receivers of results that have not come yet, in order of their jobs."""
        self._closing = False
        self._port: SerialPort | None = None
        self._looked_us = -LOOKED_AT_US
        self._census_us = 0
        self._events_us = 0
        self._moved_us = 0
        self._snapshot = self._condition.look(master.snapshot(self._now_us()), self._now_us())
        self._beat_ns = clock.boot_ns()
        self._thread = threading.Thread(target=self._run, name=f"tables-{segment.name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def show(self, state: TableState) -> None:
        """The newest state wins."""
        with self._mail:
            self._state = state
        self._waker.wake()

    def tell(self, order: Instruction) -> None:
        """Run this with the master, in order of calls."""
        with self._mail:
            self._orders.append(order)
        self._waker.wake()

    def measure(self, job: SegmentJob, report: Report) -> None:
        """`report` gets the result, on the segment's thread."""
        with self._mail:
            self._orders.append(lambda master: master.measure(job))
            self._reports.append(report)
        self._waker.wake()

    def snapshot(self) -> SegmentSnapshot:
        """The snapshot, at most a second old; a quarter of a second if requested repeatedly."""
        self._looked_us = self._now_us()
        return self._snapshot

    def beat_ns(self) -> int:
        """CLOCK_BOOTTIME of the thread's last sign of life."""
        return self._beat_ns

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the thread soon; no event comes afterwards."""
        self._closing = True
        self._waker.wake()

    def lost_reports(self) -> list[Report]:
        """After `stop`: receivers whose results will never come. Each is returned once."""
        with self._mail:
            lost = list(self._reports)
            self._reports.clear()
        return lost

    def join(self, seconds: float) -> bool:
        """Wait for the thread; returns whether it has ended in time. One that hangs is left behind: it ends
        and releases its port when the driver returns."""
        self._thread.join(max(0.0, seconds))
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            while not self._closing:
                self._turn()
        finally:
            self._release()
            self._waker.close()

    def _turn(self) -> None:
        """One cycle: requests, then the port, then a wait."""
        now_us = self._now_us()
        self._beat_ns = now_us * 1000
        self._open_mail()
        try:
            seconds = self._open(now_us) if self._port is None else self._drive(self._port)
            if self._port is None:
                self._give_up()
            self._report(self._now_us())
            if self._waker.wait(self._port.fileno() if self._port else None, seconds) and self._port:
                self._hand_on(self._master.received(self._port.read(), self._now_us()))
        except (PortLost, PortUnusable) as error:
            self._release()
            self._condition.failed(error)
            self._give_up()
            self._backoff.failed(self._now_us())
            self._census_us = 0

    def _open_mail(self) -> None:
        with self._mail:
            state, self._state = self._state, None
            orders, self._orders = self._orders, []
        if state is not None:
            self._master.show(state)
        for order in orders:
            order(self._master)

    def _open(self, now_us: int) -> float:
        """Try to open the port; returns the seconds to wait. Raises PortUnusable."""
        if now_us < self._backoff.due_us:
            return min(BEAT_S, (self._backoff.due_us - now_us) / 1e6)
        self._port = open_port(self.segment.port, baud=self._baud)
        now_us = self._now_us()
        self._master.reopened(now_us)
        self._condition.opened(now_us)
        self._census_us = now_us + SOON_US
        self._moved_us = now_us + MOVED_US
        return 0.0

    def _drive(self, port: SerialPort) -> float:
        """Send what is due if the line is free; returns the seconds to wait. Raises PortLost."""
        if port.is_sending():
            return QUEUED_S
        now_us = self._now_us()
        if now_us >= self._moved_us:
            self._moved_us = now_us + MOVED_US
            if port.is_moved():
                self._release()
                self._condition.closed()
                self._backoff.failed(now_us)
                return 0.0
        step = self._master.next(now_us)
        if isinstance(step, Send):
            port.send(step.data)
            # As of the same moment: by now the frame may be through, and another could follow unlooked-at.
            step = self._master.next(now_us)
        elif isinstance(step, Tune):
            port.tune(step.baud)
            return 0.0
        if isinstance(step, Rest):
            return min(BEAT_S, (step.until_us - self._now_us()) / 1e6)
        raise RuntimeError(f"The master of segment {self.segment.name} speaks twice at the same time.")

    def _report(self, now_us: int) -> None:
        """Report events that are due by time, and the snapshot if it is due."""
        if now_us >= self._events_us:
            self._events_us = now_us + EVENTS_US
            self._hand_on(self._master.events(now_us))
        if self._reports:
            self._tell_results()
        if now_us >= self._census_us:
            self._take_snapshot(now_us)
        news = self._condition.news()
        if news is not None:
            self._tell(news)

    def _give_up(self) -> None:
        """End all jobs: without a port nothing can be measured."""
        if self._reports:
            not_open = Sentence("port.not_open_yet", segment=self.segment.name)
            self._master.give_up(self._condition.sentence or not_open, self._now_us())
            self._tell_results()

    def _tell_results(self) -> None:
        for result in self._master.taken_results():
            with self._mail:
                report = None if self._closing else self._reports.popleft()
            if report is not None:
                report(result)

    def _take_snapshot(self, now_us: int) -> None:
        self._snapshot = self._condition.look(self._master.snapshot(now_us), now_us)
        if self._condition.connected:
            self._backoff.worked()
        is_wanted = now_us - self._looked_us < LOOKED_AT_US or not self._condition.connected
        self._census_us = now_us + (SOON_US if is_wanted else SNAPSHOT_US)

    def _hand_on(self, events: tuple[BusEvent, ...]) -> None:
        for event in events:
            if isinstance(event, SegmentChanged):
                self._condition.line_is(event.sentence)
            else:
                self._tell(event)
            if isinstance(event, SegmentChanged | NodeChanged):
                self._census_us = 0

    def _tell(self, event: BusEvent) -> None:
        if not self._closing:
            self._on_event(event)

    def _release(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            port.close()

    def _now_us(self) -> int:
        return self._clock.boot_ns() // 1000
