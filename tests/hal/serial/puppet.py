"""A master that says what a test wants, and a link with it on a real pseudo-terminal."""

import contextlib
import queue
from collections.abc import Iterator
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from pi_controller.bus.requests import Rest, Send, Tune
from pi_controller.bus.values import (
    BusEvent,
    BusJob,
    DisplaysView,
    JobResult,
    NodeView,
    SegmentPort,
    SegmentSnapshot,
    TableState,
)
from pi_controller.hal.serial.link import Backoff, SegmentLink
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.sentence import Sentence
from tests.patience import DEADLINE_S

UID = "e6614103e7452b2f"
NODE = NodeView(
    uid=UID, segment="A", address=1, state="good", board=None, swapped=False, hardware=1, firmware="1.0",
    protocols=(1, 1), boots=1, age_ms=0, uptime_min=0, supply_v=24.0, temperature_c=20, reset="power",
    safe_mode=False, displays=DisplaysView(sun=True, moon=True), good=0, missed=0, crc_errors=0,
    states_missed=0, round_trip_ms=None,
)  # fmt: skip
SEGMENT = SegmentSnapshot(
    name="A", port="", link="open", sentence=None, baud=250_000, good=0, crc_errors=0, missed=0, echoes=0,
    collisions=0, reopened=0, busy=0.0, round_trip=None, nodes=(),
)  # fmt: skip
STATE = TableState(as_of_us=0, phase="round", round=1)


class Puppet:
    """Any bytes that arrive are an answer of its one node; `frames` go out one after the other."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.poll: bytes | None = None
        """Said again and again, so long apart."""
        self.poll_us = 1000
        self.heard = b""
        self.shown: list[TableState] = []
        self.done: list[tuple[Any, ...]] = []
        self.to_tell: list[BusEvent] = []
        self.reopenings = 0
        self.jobs: list[BusJob] = []
        self.results: list[JobResult] = []
        self.tune: Tune | None = None
        self.defect: BaseException | None = None
        self.line: Any = "open"
        self._sent_us = 0
        self._poll_due_us = 0
        self._heard_us: int | None = None

    def show(self, state: TableState) -> None:
        self.shown.append(state)
        self.frames.insert(0, b"state %d;" % state.round)

    def places(self, places: object) -> None:
        self.done.append(("places", places))

    def outcomes(self, outcomes: object) -> None:
        self.done.append(("outcomes", outcomes))

    def ask_again(self) -> None:
        self.done.append(("ask_again",))

    def identify(self, uid: str | None, *, what: str, seconds: int, number: int) -> None:
        self.done.append(("identify", uid, what, seconds, number))

    def order(self, uid: str, what: str, argument: int = 0) -> None:
        self.done.append(("order", uid, what, argument))

    def measure(self, job: BusJob) -> None:
        self.jobs.append(job)

    def give_up(self, sentence: Sentence, _now_us: int) -> None:
        self.results += [JobResult(segment="A", seconds=0.0, sentence=sentence) for _ in self.jobs]
        self.jobs.clear()

    def taken_results(self) -> tuple[JobResult, ...]:
        taken, self.results = tuple(self.results), []
        return taken

    def next(self, now_us: int) -> Send | Rest | Tune:
        if self.defect is not None:
            raise self.defect
        tune, self.tune = self.tune, None
        if tune is not None:
            return tune
        if now_us <= self._sent_us:
            return Rest(self._sent_us + 1)
        if self.frames:
            self._sent_us = now_us
            return Send(self.frames.pop(0), expects_answer=False)
        if self.poll is None:
            return Rest(now_us + 100_000)
        if now_us < self._poll_due_us:
            return Rest(self._poll_due_us)
        self._sent_us = now_us
        self._poll_due_us = now_us + self.poll_us
        return Send(self.poll, expects_answer=True)

    def received(self, data: bytes, now_us: int) -> tuple[BusEvent, ...]:
        self.heard += data
        self._heard_us = now_us
        return self.events(now_us)

    def events(self, _now_us: int) -> tuple[BusEvent, ...]:
        told, self.to_tell = tuple(self.to_tell), []
        return told

    def reopened(self, _now_us: int) -> None:
        self.reopenings += 1

    def snapshot(self, now_us: int) -> SegmentSnapshot:
        if self._heard_us is None:
            return replace(SEGMENT, link=self.line)
        age_ms = (now_us - self._heard_us) // 1000
        return replace(SEGMENT, link=self.line, nodes=(structs.replace(NODE, age_ms=age_ms),))


class Stage:
    """A link, its puppet, and the events that it told."""

    def __init__(self, link: SegmentLink, puppet: Puppet, events: "queue.SimpleQueue[BusEvent]") -> None:
        self.link = link
        self.puppet = puppet
        self.events = events


@contextlib.contextmanager
def stage(segment: SegmentPort, **backoff_us: int) -> Iterator[Stage]:
    """The link runs; its thread must have ended within 1 s of the end."""
    events: queue.SimpleQueue[BusEvent] = queue.SimpleQueue()
    puppet = Puppet()
    link = SegmentLink(
        segment,
        master=puppet,  # type: ignore[arg-type]
        baud=250_000,
        clock=SystemClock(),
        on_event=events.put,
        backoff=Backoff(**backoff_us),
    )
    link.start()
    try:
        yield Stage(link, puppet, events)
    finally:
        link.stop()
        assert link.join(DEADLINE_S)
