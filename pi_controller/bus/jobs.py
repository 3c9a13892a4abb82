"""One measurement at a time on a segment, beside what goes on there; each ends in one result. PINGs, loop-
back, margin, silence and readings.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal

from pi_controller.bus.conversation import Conversation
from pi_controller.bus.firmware_job import FirmwareTask
from pi_controller.bus.frame import EVERYBODY, Frame, near
from pi_controller.bus.messages import (
    MEASURE_SINCE,
    PING_BYTES,
    HealthMessage,
    Measure,
    Measurements,
    Message,
    Order,
    Ping,
    Pong,
    Prbs,
)
from pi_controller.bus.requests import TEST_ANSWER_US, Asked, Reply, Request, RunningJob, Send, Tune
from pi_controller.bus.snapshot import Node, round_trip
from pi_controller.bus.values import (
    LONGEST_JOB_S,
    MARGIN_BAUD,
    FirmwareAsked,
    FirmwareProgress,
    JobResult,
    Loopback,
    LoopbackAsked,
    MarginAsked,
    MeasureAsked,
    NodeMeasured,
    NodePing,
    PingAsked,
    SegmentJob,
    SilenceAsked,
)
from pi_controller.sentence import SaidError, Sentence, listed

# MEASURE to some nodes in turn: what each reads of its supply, its currents and the spare wire.


TRIES: Final = 3
"""So often a node is asked until it answers."""


class MeasureTask(RunningJob):
    """Nodes that do not know MEASURE are left out: they would take themselves for outdated."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__()
        self._waiting = deque((node, TRIES) for node in nodes if node.info.proto_max >= MEASURE_SINCE)
        self._out = 0
        self._found: dict[str, tuple[Node, Measurements]] = {}
        self._end()

    def next(self, _now_us: int) -> Request | None:
        if not self._waiting:
            return None
        node, tries = self._waiting.popleft()
        self._out += 1
        return Request(message=Measure(), dst=node.address, of=(node, tries), wait_us=TEST_ANSWER_US)

    def ready_at(self) -> int | None:
        return 0 if self._waiting else None

    def answered(self, request: Request, answer: Reply) -> None:
        node, _tries = request.of
        if not isinstance(answer.message, Measurements) or answer.src != node.address:
            self.failed(request, garbled=True)
            return
        self._out -= 1
        self._found[node.uid] = node, answer.message
        self._end()

    def failed(self, request: Request, *, garbled: bool) -> None:  # noqa: ARG002 - asked again either way
        self._out -= 1
        node, tries = request.of
        if tries > 1:
            self._waiting.append((node, tries - 1))
        self._end()

    def withdrawn(self, request: Request) -> None:
        self._out -= 1
        self._waiting.append(request.of)

    def measured(self) -> tuple[NodeMeasured, ...]:
        """Of those that have answered with a supply, in the order of their addresses."""
        found = sorted(self._found.values(), key=lambda pair: pair[0].address)
        return tuple(
            NodeMeasured(
                uid=node.uid,
                supply_v=said.supply_mv / 1000,
                spread_v=(said.spread_mv or 0) / 1000,
                lamps_ma=None if said.lamps is None else said.lamps / 100,
                displays_ma=None if said.displays is None else said.displays / 10,
                loop=said.loop,
            )
            for node, said in found
            if said.supply_mv is not None
        )

    def _end(self) -> None:
        if not self._waiting and not self._out:
            self.ends()


# PING to some nodes in turn, and the job that is nothing else.


class Count:
    """How one node has answered so far."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.sent = 0
        self.bad = 0
        self.offset_us: int | None = None
        """The least of all: a node hears late, never early."""
        self._trips_us: list[int] = []

    @property
    def answered(self) -> int:
        return len(self._trips_us)

    def hear(self, answer: Reply, data: bytes) -> None:
        message = answer.message
        if not isinstance(message, Pong) or answer.src != self.node.address or message.data != data:
            self.bad += 1
            return
        self._trips_us.append(answer.at_us - answer.sent_us)
        if message.master_us:
            offset_us = near(message.master_us, answer.sent_us) - answer.sent_us
            self.offset_us = offset_us if self.offset_us is None else min(self.offset_us, offset_us)

    def result(self, drift_us: int | None = None) -> NodePing:
        trip = round_trip(self._trips_us)
        return NodePing(
            uid=self.node.uid,
            sent=self.sent,
            answered=self.answered,
            bad=self.bad,
            p50_ms=None if trip is None else trip.p50,
            p99_ms=None if trip is None else trip.p99,
            worst_ms=None if trip is None else max(self._trips_us) / 1000,
            clock_offset_us=self.offset_us,
            drift_us=drift_us,
        )


class Pinging:
    """So many PINGs to each of these nodes, one to each in turn."""

    def __init__(self, nodes: Iterable[Node], *, frames: int, data: Prbs) -> None:
        self.counts = [Count(node) for node in nodes]
        self._frames = frames
        self._data = data
        self._waiting = deque(self.counts)
        self._out = 0

    @property
    def over(self) -> bool:
        return not self._waiting and not self._out

    @property
    def ready(self) -> bool:
        """There is one to be said."""
        return bool(self._waiting)

    def next(self) -> Request | None:
        """None when all have been said."""
        if not self._waiting:
            return None
        count = self._waiting.popleft()
        count.sent += 1
        if count.sent < self._frames:
            self._waiting.append(count)
        self._out += 1
        message = Ping(data=self._data.take(PING_BYTES))
        return Request(message=message, dst=count.node.address, of=count, wait_us=TEST_ANSWER_US)

    def answered(self, request: Request, answer: Reply) -> None:
        self._out -= 1
        if isinstance(request.message, Ping):
            request.of.hear(answer, request.message.data)

    def failed(self, request: Request, *, garbled: bool) -> None:
        self._out -= 1
        request.of.bad += garbled

    def withdrawn(self, request: Request) -> None:
        self._out -= 1
        count: Count = request.of
        if count.sent == self._frames:
            self._waiting.append(count)
        count.sent -= 1

    def results(self) -> tuple[NodePing, ...]:
        return tuple(count.result() for count in self.counts)


class _OfPings(RunningJob):
    """A job of nothing but PINGs, those of `_pinging`. At `_until_us` it has something to decide."""

    def __init__(self, pinging: Pinging, *, until_us: int | None) -> None:
        super().__init__()
        self._pinging = pinging
        self._until_us = until_us

    def next(self, _now_us: int) -> Request | None:
        return self._pinging.next()

    def ready_at(self) -> int | None:
        return 0 if self._pinging.ready else self._until_us

    def answered(self, request: Request, answer: Reply) -> None:
        self._pinging.answered(request, answer)

    def failed(self, request: Request, *, garbled: bool) -> None:
        self._pinging.failed(request, garbled=garbled)

    def withdrawn(self, request: Request) -> None:
        self._pinging.withdrawn(request)

    def nodes(self) -> tuple[NodePing, ...]:
        return self._pinging.results()


class PingTask(_OfPings):
    """Ends when all have been asked, and at `until_us`; an end by time is as wanted when `timed`."""

    def __init__(self, pinging: Pinging, *, until_us: int, timed: bool) -> None:
        super().__init__(pinging, until_us=until_us)
        self._timed = timed

    def turn(self, now_us: int) -> None:
        if self._pinging.over:
            self.ends()
        elif self._until_us is not None and now_us >= self._until_us:
            self.ends(None if self._timed else Sentence("bus.measurement_ran_out"))


# PING at twice the usual rate: a line that carries that is well within its margin.


PING_US: Final = 9_000
"""A generous time for a PING, its answer and what else goes on."""
LONGEST_S: Final = 90
EARLY_US: Final = 300_000
"""The line returns so long before the first node does: crystals differ, and so do moments of telling."""
RETURN_US: Final = 1_800_000
"""Nodes that hear no good frame at the other rate return within 1.5 s (PROTOCOL.md)."""

Stage = Literal["asking", "ordering", "measuring", "returning"]


class MarginTask(RunningJob):
    """Asks all nodes whether they know tests, orders them to the other rate, pings them there, and returns
    after them: without a good frame at that rate they come back by themselves."""

    def __init__(self, nodes: Sequence[Node], *, frames: int, make: Callable[[int], Pinging]) -> None:
        super().__init__()
        self._stage: Stage = "asking"
        self._asking = make(TRIES)
        self._measuring = make(frames)
        self._nodes = nodes
        self._to_tell = deque((node, TRIES) for node in nodes)
        self._out = 0
        self._seconds = min(LONGEST_S, math.ceil(2 + frames * len(nodes) * PING_US / 1e6))
        self._first_us: int | None = None
        self._until_us: int | None = None
        self._why: Sentence | None = None
        if not nodes:
            self.ends(Sentence("bus.no_table_to_measure"))

    def turn(self, now_us: int) -> None:
        match self._stage:
            case "asking":
                self._know()
            case "ordering":
                self._told()
            case "measuring":
                self._measured(now_us)
            case "returning":
                if self._until_us is not None and now_us >= self._until_us:
                    self.quiet = False
                    self.ends(self._why)

    def abandon(self, now_us: int) -> bool:
        """Back to the usual rate, as far as it was left."""
        left = self.quiet or self.tuned
        if left:
            self._return(now_us, None)
        return left

    def next(self, now_us: int) -> Request | None:
        if self._stage == "asking":
            return self._asking.next()
        if self._stage == "measuring":
            return self._measuring.next()
        if self._stage == "returning" or not self._to_tell:
            return None
        node, tries = self._to_tell.popleft()
        self._out += 1
        if self._first_us is None:
            self._first_us = now_us
        return Request(message=Order(what="rate", argument=self._seconds), dst=node.address, of=(node, tries))

    def ready_at(self) -> int | None:
        if self._stage == "ordering":
            return 0 if self._to_tell else None
        return 0 if self._stage != "returning" and self._pinging.ready else self._until_us

    def answered(self, request: Request, answer: Reply) -> None:
        if self._stage != "ordering":
            self._pinging.answered(request, answer)
            return
        self._out -= 1
        if not isinstance(answer.message, HealthMessage):
            self._again(request)

    def failed(self, request: Request, *, garbled: bool) -> None:
        if self._stage != "ordering":
            self._pinging.failed(request, garbled=garbled)
            return
        self._out -= 1
        self._again(request)

    def withdrawn(self, request: Request) -> None:
        if self._stage != "ordering":
            self._pinging.withdrawn(request)
            return
        self._out -= 1
        self._to_tell.appendleft(request.of)

    def nodes(self) -> tuple[NodePing, ...]:
        return self._pinging.results()

    @property
    def _pinging(self) -> Pinging:
        return self._asking if self._stage == "asking" else self._measuring

    def _know(self) -> None:
        if not self._asking.over:
            return
        silent = [count.node for count in self._asking.counts if not count.answered]
        if silent:
            self.ends(Sentence("bus.know_no_ping", tables=listed(map(_name, silent))))
            return
        self._stage = "ordering"
        self.quiet = True

    def _told(self) -> None:
        if self._to_tell or self._out or self._first_us is None:
            return
        self._stage = "measuring"
        self.quiet = False
        self.tuned = True
        self._until_us = self._first_us + self._seconds * 1_000_000 - EARLY_US

    def _again(self, request: Request) -> None:
        node, tries = request.of
        if tries > 1:
            self._to_tell.append((node, tries - 1))
            return
        # Whether it has followed is not known; its PINGs will tell.

    def _measured(self, now_us: int) -> None:
        if self._measuring.over:
            self._return(now_us, None)
        elif self._until_us is not None and now_us >= self._until_us:
            self._return(now_us, Sentence("bus.other_rate_ran_out"))

    def _return(self, now_us: int, why: Sentence | None) -> None:
        self._why = why
        self._stage = "returning"
        self.tuned = False
        self.quiet = True
        self._until_us = now_us + RETURN_US


def _name(node: Node) -> Sentence:
    if node.board:
        return Sentence("bus.board", board=node.board)
    return Sentence("bus.node", digits=node.uid[-4:])


NOBODY: Final = 0xFE
"""An address that no node answers to (PROTOCOL.md)."""
ECHO_US: Final = 25_000
"""So long an echo may take: more than the 16 ms that an adapter's driver may hold bytes back."""
ENOUGH: Final = 20
"""So many frames without any echo: the adapter gives none."""


class LoopbackTask(RunningJob):
    def __init__(self, conversation: Conversation, *, frames: int, data: Prbs) -> None:
        super().__init__()
        self._conversation = conversation
        self._frames = frames
        self._data = data
        self._sent = 0
        self._echoed = 0
        self._damaged = 0
        self._damaged_before = 0

    def next(self, _now_us: int) -> Request | None:
        if self.over:
            return None
        self._sent += 1
        self._damaged_before = self._conversation.receiver.damaged
        message = Ping(data=self._data.take(PING_BYTES))
        return Request(message=message, dst=NOBODY, of=None, wait_us=ECHO_US)

    def ready_at(self) -> int | None:
        return 0

    def came_back(self, frame: Frame) -> bool:
        """Whether the request's own frame has come back, which ends the wait for it."""
        if not self._conversation.echo.has_returned(frame):
            return False
        self._echoed += 1
        self._end()
        return True

    def answered(self, _request: Request, _answer: Reply) -> None:
        """Somebody answers to an address that nobody may have."""
        self.ends(Sentence("bus.answers_to_nobodys_address"))

    def failed(self, _request: Request, *, garbled: bool) -> None:
        self._damaged += garbled or self._conversation.receiver.damaged > self._damaged_before
        self._end()

    def withdrawn(self, _request: Request) -> None:
        self._sent -= 1

    def loopback(self) -> Loopback | None:
        return Loopback(sent=self._sent, echoed=self._echoed, damaged=self._damaged)

    def _end(self) -> None:
        if self._sent >= ENOUGH and not self._echoed and 2 * self._damaged < self._sent:
            self.ends(Sentence("bus.no_echo"))
        elif self._sent >= self._frames:
            self.ends()


PINGS = 4
"""To each node before and after: the least late of so many is taken."""


class SilenceTask(_OfPings):
    """PINGs, then nothing but polls for so long, then PINGs again, and only then a STATE."""

    def __init__(self, make: Callable[[], Pinging], *, us: int) -> None:
        super().__init__(make(), until_us=None)
        self._make = make
        self._us = us
        self._before: Pinging | None = None

    def turn(self, now_us: int) -> None:
        if not self._pinging.over:
            return
        if self._before is None:
            self._before = self._pinging
            self.silent = True
            self._until_us = now_us + self._us
            return
        if self._until_us is None:
            self.ends()
        elif now_us >= self._until_us:
            self._until_us = None
            self._pinging = self._make()

    def changed(self) -> None:
        if self.silent:
            self.ends(Sentence("bus.picture_in_the_silence"))

    def nodes(self) -> tuple[NodePing, ...]:
        if self._before is None or self._before is self._pinging:
            return super().nodes()
        before = {count.node.uid: count.offset_us for count in self._before.counts}
        return tuple(
            count.result(_between(before.get(count.node.uid), count.offset_us))
            for count in self._pinging.counts
        )


def _between(before_us: int | None, after_us: int | None) -> int | None:
    return None if before_us is None or after_us is None else after_us - before_us


LONGEST_SILENCE_S: Final = 100.0
MOST_FRAMES: Final = 1_000_000


class CannotMeasure(SaidError, ValueError):  # noqa: N818 - an answer to who asked
    """A job that cannot be."""


def check(job: SegmentJob) -> None:
    """Raises CannotMeasure for a job that cannot be."""
    if isinstance(job, SilenceAsked):
        if not 0 < job.seconds <= LONGEST_SILENCE_S:
            raise CannotMeasure(
                Sentence("bus.silence_out_of_range", most=LONGEST_SILENCE_S, seconds=job.seconds)
            )
        return
    if isinstance(job, MeasureAsked | FirmwareAsked):
        return
    if not 1 <= job.frames <= MOST_FRAMES:
        raise CannotMeasure(Sentence("bus.frames_out_of_range", most=MOST_FRAMES, frames=job.frames))
    if isinstance(job, PingAsked) and job.seconds is not None and not 0 < job.seconds <= LONGEST_JOB_S:
        raise CannotMeasure(Sentence("bus.pings_out_of_range", most=LONGEST_JOB_S, seconds=job.seconds))
    if isinstance(job, MarginAsked) and job.baud != MARGIN_BAUD:
        raise CannotMeasure(Sentence("bus.no_such_rate", rate=MARGIN_BAUD, baud=job.baud))


class Jobs:
    """`known` gives the nodes of the segment. Times are µs of CLOCK_BOOTTIME."""

    def __init__(
        self,
        *,
        name: str,
        conversation: Conversation,
        known: Callable[[], Sequence[Node]],
        chance: Callable[[], int],
        baud: int,
    ) -> None:
        self._name = name
        self._conversation = conversation
        self._known = known
        self._chance = chance
        self._waiting: deque[SegmentJob] = deque()
        self._results: list[JobResult] = []
        self._task: RunningJob | None = None
        self._told = False
        """The result of the task is out; it only tidies up."""
        self._begun_us = 0
        self._baud = baud
        self._tuned = False
        """The line runs at MARGIN_BAUD."""

    def add(self, job: SegmentJob) -> None:
        """The one before it ends."""
        self._waiting.append(job)

    def turn(self, now_us: int) -> None:
        """Time has passed, or something has come: begins and ends what is due."""
        while True:
            task = self._task
            if task is not None:
                self._turn(task, now_us)
            if self._task is not None or not self._waiting:
                return
            self._told = False
            self._begun_us = now_us
            self._task = self._made(self._waiting.popleft(), now_us)

    def give_up(self, sentence: Sentence, now_us: int) -> None:
        """The port has gone: `sentence` is the result of all."""
        if self._task is not None:
            self._finish(self._task, now_us, sentence)
            self._task = None
        while self._waiting:
            self._waiting.popleft()
            self._results.append(JobResult(segment=self._name, seconds=0.0, sentence=sentence))

    def changed(self, now_us: int) -> None:
        """Another picture of the game goes out."""
        if self._task is not None:
            self._task.changed()
            self.turn(now_us)

    @property
    def silent(self) -> bool:
        return self._task is not None and self._task.silent

    @property
    def quiet(self) -> bool:
        return self._task is not None and self._task.quiet

    def progress(self) -> FirmwareProgress | None:
        return None if self._task is None else self._task.progress()

    def tune(self) -> Tune | None:
        """When the line has to run at another rate from now on; nothing may be on it."""
        tuned = self._task is not None and self._task.tuned
        if tuned == self._tuned:
            return None
        self._tuned = tuned
        baud = MARGIN_BAUD if tuned else self._baud
        self._conversation.line.tune(baud)
        return Tune(baud)

    def reopened(self) -> None:
        """The port runs at its usual rate."""
        self._tuned = False
        self._conversation.line.tune(self._baud)

    def ask(self, now_us: int) -> Send | None:
        """What the task wants said now."""
        task = self._task
        if task is None or task.over or (request := task.next(now_us)) is None:
            return None
        talk = self._conversation
        if request.dst == EVERYBODY:
            return talk.say(request.message, EVERYBODY, now_us, gap_us=request.wait_us)
        asked = Asked(what="job", job=(task, request), wait_us=request.wait_us)
        return talk.ask(talk.request(request.message, request.dst), asked, now_us)

    def is_back(self, asked: Asked) -> bool:
        """Whether this was a frame to nobody that has come back, so that it need not be waited for."""
        task = None if asked.job is None else asked.job[0]
        if not isinstance(task, LoopbackTask) or asked.frame is None:
            return False
        return task.came_back(asked.frame)

    def answered(self, asked: Asked, message: Message, *, src: int, now_us: int) -> None:
        if asked.job is not None:
            task, request = asked.job
            task.answered(request, Reply(message=message, src=src, sent_us=asked.sent_us, at_us=now_us))

    def failed(self, asked: Asked) -> None:
        """It brought no good answer."""
        if asked.job is not None:
            task, request = asked.job
            task.failed(request, garbled=asked.garbled)

    def withdrawn(self, asked: Asked) -> None:
        """It is given up for something urgent."""
        if asked.job is not None:
            task, request = asked.job
            task.withdrawn(request)

    def ready_at(self) -> int | None:
        if self._task is None or (self._waiting and not self._told):
            return 0 if self._waiting else None
        return self._task.ready_at()

    def taken_results(self) -> tuple[JobResult, ...]:
        """Those that are new since the last call; one comes of each job, in the order of the jobs."""
        if not self._results:
            return ()
        results = tuple(self._results)
        self._results.clear()
        return results

    def _turn(self, task: RunningJob, now_us: int) -> None:
        task.turn(now_us)
        if task.over:
            self._finish(task, now_us, self._said(task.sentence))
            self._task = None
        elif self._waiting and not self._told:
            self._finish(task, now_us, self._said(Sentence("bus.another_measurement")))
            if not task.abandon(now_us):
                self._task = None

    def _made(self, job: SegmentJob, now_us: int) -> RunningJob:
        data = Prbs(self._chance())
        if isinstance(job, LoopbackAsked):
            return LoopbackTask(self._conversation, frames=job.frames, data=data)
        nodes = self._nodes(job)
        if isinstance(job, MeasureAsked):
            return MeasureTask(nodes)
        if isinstance(job, FirmwareAsked):
            return FirmwareTask(nodes, job)
        if isinstance(job, SilenceAsked):
            return SilenceTask(lambda: Pinging(nodes, frames=PINGS, data=data), us=round(job.seconds * 1e6))
        if isinstance(job, MarginAsked):
            return MarginTask(
                nodes, frames=job.frames, make=lambda frames: Pinging(nodes, frames=frames, data=data)
            )
        pinging = Pinging(nodes, frames=job.frames, data=data)
        seconds = LONGEST_JOB_S if job.seconds is None else job.seconds
        return PingTask(pinging, until_us=now_us + round(seconds * 1e6), timed=job.seconds is not None)

    def _nodes(self, job: SegmentJob) -> list[Node]:
        uids = job.uids if isinstance(job, PingAsked | MeasureAsked | FirmwareAsked) else None
        nodes = sorted(self._known(), key=lambda node: node.address)
        return [node for node in nodes if (node.state == "good" if uids is None else node.uid in uids)]

    def _finish(self, task: RunningJob, now_us: int, sentence: Sentence | None) -> None:
        if self._told:
            return
        self._told = True
        self._results.append(
            JobResult(
                segment=self._name,
                seconds=(now_us - self._begun_us) / 1e6,
                sentence=sentence,
                nodes=task.nodes(),
                loopback=task.loopback(),
                measured=task.measured(),
                updated=task.updated(),
            )
        )

    def _said(self, why: Sentence | None) -> Sentence | None:
        return None if why is None else Sentence("bus.segment", segment=self._name, trouble=why)
