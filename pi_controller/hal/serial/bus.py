"""The table nodes of all segments, each segment on a thread of its own.

bus = open_table_bus(segments, baud=250_000, clock=clock, on_event=hand_over)
bus.show(state)
"""

import secrets
import threading
import time
from collections.abc import Callable, Sequence

from pi_controller.bus.frame import MOST_SEGMENTS
from pi_controller.bus.jobs import check
from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.values import (
    BusEvent,
    ClaimOutcome,
    IdentifyWhat,
    JobResult,
    OrderName,
    Place,
    SegmentJob,
    SegmentPort,
    SegmentSnapshot,
    TableState,
)
from pi_controller.hal.roles import Clock, Closing
from pi_controller.hal.serial.link import Instruction, SegmentLink
from pi_controller.sentence import Sentence

CLOSE_S = 1.0
SILENT_NS = 2_000_000_000
"""A segment without a sign of life for this long is restarted by `revive`."""

EPOCHS = SALTS = 2**16

MakeLink = Callable[[SegmentPort], SegmentLink]


class SerialTableBus(Closing):
    """Implements `roles.TableBus`."""

    def __init__(self, segments: Sequence[SegmentPort], *, make_link: MakeLink, clock: Clock) -> None:
        self._make_link = make_link
        self._clock = clock
        self._lock = threading.Lock()
        self._state: TableState | None = None
        self._places: tuple[Place, ...] = ()
        self._outcomes: tuple[ClaimOutcome, ...] = ()
        self._closed = False
        self._left: list[SegmentLink] = []
        self._links = [make_link(segment) for segment in segments]
        for link in self._links:
            link.start()

    @property
    def wired(self) -> bool:
        return bool(self._links)

    def show(self, state: TableState) -> None:
        with self._lock:
            self._state = state
            for link in self._links:
                link.show(state)

    def places(self, places: tuple[Place, ...]) -> None:
        with self._lock:
            self._places = places
            self._tell(lambda master: master.places(places))

    def outcomes(self, outcomes: tuple[ClaimOutcome, ...]) -> None:
        with self._lock:
            if outcomes != self._outcomes:
                self._outcomes = outcomes
                self._tell(lambda master: master.outcomes(outcomes))

    def ask_again(self) -> None:
        with self._lock:
            self._tell(lambda master: master.ask_again())

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int) -> None:
        with self._lock:
            self._tell(lambda master: master.identify(uid, what=what, seconds=seconds, number=number))

    def order(self, uid: str, what: OrderName, argument: int = 0) -> None:
        with self._lock:
            self._tell(lambda master: master.order(uid, what, argument))

    def measure(self, job: SegmentJob, report: Callable[[JobResult], None]) -> None:
        check(job)
        with self._lock:
            for link in self._links:
                link.measure(job, report)

    def snapshot(self) -> tuple[SegmentSnapshot, ...]:
        return tuple(link.snapshot() for link in self._links)

    def beat_ns(self) -> int:
        """Without segments: now, since nothing can fall silent."""
        return min((link.beat_ns() for link in self._links), default=self._clock.boot_ns())

    def revive(self) -> None:
        with self._lock:
            if self._closed:
                return
            before_ns = self._clock.boot_ns() - SILENT_NS
            for number, link in enumerate(self._links):
                if not link.is_alive() or link.beat_ns() < before_ns:
                    self._links[number] = self._replace(link)

    def close(self) -> None:
        """Stop all threads, within 1 s; a thread that hangs in a driver is left behind."""
        with self._lock:
            self._closed = True
            links = [*self._links, *self._left]
        for link in links:
            link.stop()
        until_s = time.monotonic() + CLOSE_S
        for link in links:
            link.join(until_s - time.monotonic())

    def _replace(self, silent: SegmentLink) -> SegmentLink:
        """Replace a silent segment. A new epoch begins: its nodes are found, shown the state and asked for
        their claims again."""
        silent.stop()
        name = silent.segment.name
        sentence = Sentence("port.driver_started_afresh", segment=name)
        for report in silent.lost_reports():
            report(JobResult(segment=name, seconds=0.0, sentence=sentence))
        self._left = [link for link in (*self._left, silent) if link.is_alive()]
        link = self._make_link(silent.segment)
        places, outcomes = self._places, self._outcomes
        link.tell(lambda master: master.places(places))
        link.tell(lambda master: master.outcomes(outcomes))
        if self._state is not None:
            link.show(self._state)
        link.start()
        return link

    def _tell(self, order: Instruction) -> None:
        for link in self._links:
            link.tell(order)


def open_table_bus(
    segments: Sequence[SegmentPort],
    *,
    baud: int,
    clock: Clock,
    on_event: Callable[[BusEvent], None],
    chance: Callable[[int], int] = secrets.randbelow,
) -> SerialTableBus:
    """Start the threads. A missing port is a sentence in the snapshot, not an error.

    `on_event` is called on the segments' threads and must only hand over. `chance(n)` gives a number below n,
    for epochs and salts. Raises ValueError for more than 8 segments, or a name or port that occurs twice.
    """
    if len(segments) > MOST_SEGMENTS:
        raise ValueError(f"There are {len(segments)} segments: at most {MOST_SEGMENTS} can be driven.")
    for what in ("name", "port"):
        if len({getattr(segment, what) for segment in segments}) < len(segments):
            raise ValueError(f"Two segments have the same {what}: give each its own.")

    def make_link(segment: SegmentPort) -> SegmentLink:
        master = SegmentMaster(name=segment.name, epoch=chance(EPOCHS), salt=lambda: chance(SALTS), baud=baud)
        return SegmentLink(segment, master=master, baud=baud, clock=clock, on_event=on_event)

    return SerialTableBus(segments, make_link=make_link, clock=clock)
