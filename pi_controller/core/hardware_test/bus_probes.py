"""Probes of the table nodes: one job on the bus at a time, and what single nodes are told."""

from pathlib import Path

from msgspec.structs import replace

from pi_controller.bus.jobs import CannotMeasure
from pi_controller.bus.values import PATTERNS, BusJob, JobResult, nodes_of
from pi_controller.core.hardware_test.reply import Reply
from pi_controller.core.hardware_test.work import Work
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.hal.roles import TableBus
from pi_controller.language.words import words
from pi_controller.protocol.probes import (
    JOB_DEADLINE_S,
    BusProbe,
    BusResult,
    Done,
    IdentifyProbe,
    OrderProbe,
    SegmentResult,
)
from pi_controller.protocol.sentences import view
from pi_controller.roster.store import CannotCalibrate, load
from pi_controller.sentence import Sentence

BUSY = Sentence("test.bus_busy")
NO_RESULT = Sentence("test.segment_gave_no_result", seconds=JOB_DEADLINE_S)

CALIBRATION_LIMIT_S = 10.0
MOST_WHITE = 12
"""Tables of a row whose displays may be white all over at full contrast: each takes up to 90 mA then, and
T1.6 A carries 1.2 A (75 %) for as long as one likes."""

TableProbe = BusProbe | IdentifyProbe | OrderProbe


class BusProbes:
    """Called on the loop only."""

    def __init__(
        self, *, bus: TableBus, timers: Timers, threads: Threads, work: Work, state_dir: Path
    ) -> None:
        self._bus = bus
        self._state_dir = state_dir
        self._timers = timers
        self._threads = threads
        self._work = work
        self._job: _Job | None = None
        self._shows = False

    def end(self) -> None:
        """The test is over: no node goes on showing something for it."""
        if self._shows:
            self._shows = False
            self._bus.identify(None, what="off", seconds=0, number=0)

    def probe(self, probe: TableProbe, reply: Reply) -> None:
        match probe:
            case BusProbe():
                self._measure(probe.job, reply)
            case IdentifyProbe():
                if self._known(probe.uid, reply) and self._may_shine(probe, reply):
                    self._shows = True
                    self._bus.identify(probe.uid, what=probe.what, seconds=probe.seconds, number=probe.number)
                    reply.result(Done())
            case OrderProbe():
                if self._known(probe.uid, reply):
                    self._bus.order(probe.uid, probe.what, probe.argument)
                    reply.result(Done())

    def _known(self, uid: str | None, reply: Reply) -> bool:
        nodes = (node.uid for node in nodes_of(self._bus.snapshot()))
        if uid is None or uid in nodes:
            return True
        reply.error(Sentence("tables.node_not_heard", uid=uid))
        return False

    def _may_shine(self, probe: IdentifyProbe, reply: Reply) -> bool:
        """No row is made white all over whose fuse does not carry that."""
        longest = max((len(segment.nodes) for segment in self._bus.snapshot()), default=0)
        white = probe.what == "pattern" and probe.number == PATTERNS.index("white")
        if probe.uid is not None or not white or longest <= MOST_WHITE:
            return True
        reply.error(Sentence("tables.too_many_white", tables=longest))
        return False

    def _measure(self, asked: BusJob, reply: Reply) -> None:
        if self._job is not None and self._job.open:
            reply.error(BUSY)
            return
        segments = [segment.name for segment in self._bus.snapshot()]
        answer = _Answer(reply, work=self._work, state_dir=self._state_dir)
        job = self._job = _Job(segments, answer, timers=self._timers)
        if not job.open:
            return
        begun = False
        try:
            self._bus.measure(asked, lambda result: self._reported(job, result))
            begun = True
        except CannotMeasure as error:
            reply.error(error.sentence)
        finally:
            if not begun:
                job.close()

    def _reported(self, job: "_Job", result: JobResult) -> None:
        """On a segment's thread."""
        self._threads.call_on_loop(lambda: job.answer.reply.do(lambda: job.report(result)))


class _Answer:
    """To who asked for a job: readings are corrected first, by the nodes' gains, which stand in a file."""

    def __init__(self, reply: Reply, *, work: Work, state_dir: Path) -> None:
        self.reply = reply
        self._work = work
        self._state_dir = state_dir

    def give(self, results: list[JobResult]) -> None:
        if any(result.measured for result in results):
            self._work.do(
                Sentence("test.of_calibration"),
                lambda: BusResult(results=list(map(_view, _corrected(results, self._state_dir)))),
                limit_s=CALIBRATION_LIMIT_S,
                done=self.reply.result,
                failed=self.reply.error,
            )
        else:
            self.reply.result(BusResult(results=list(map(_view, results))))


class _Job:
    """Gathers the segments' results; open until all are there or its time is over."""

    def __init__(self, segments: list[str], answer: _Answer, *, timers: Timers) -> None:
        self.open = True
        self._results: dict[str, JobResult | None] = dict.fromkeys(segments)
        self.answer = answer
        due_ns = timers.boot_ns() + round(JOB_DEADLINE_S * 1e9)
        self._alarm: Alarm = timers.call_at(due_ns, lambda: answer.reply.do(self._finish))
        if not segments:
            self._finish()

    def report(self, result: JobResult) -> None:
        if self.open:
            self._results[result.segment] = result
            if None not in self._results.values():
                self._finish()

    def close(self) -> None:
        self.open = False
        self._alarm.cancel()

    def _finish(self) -> None:
        self.close()
        results = [
            found or JobResult(segment=name, seconds=JOB_DEADLINE_S, sentence=NO_RESULT)
            for name, found in self._results.items()
        ]
        self.answer.give(results)


def _corrected(results: list[JobResult], state_dir: Path) -> list[JobResult]:
    """By each node's gain; without a file that can be read, as they are, and said so."""
    try:
        calibration = load(state_dir)
    except CannotCalibrate as error:
        return [replace(result, sentence=result.sentence or error.sentence) for result in results]
    return [replace(result, measured=calibration.corrected(result.measured)) for result in results]


def _view(result: JobResult) -> SegmentResult:
    sentence = result.sentence
    return SegmentResult(
        segment=result.segment,
        seconds=result.seconds,
        sentence=None if sentence is None else words(sentence),
        sentence_key=None if sentence is None else view(sentence),
        nodes=result.nodes,
        loopback=result.loopback,
        measured=result.measured,
    )
