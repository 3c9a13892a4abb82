"""What each probe does: one function of the devices for each, called on the loop only.

A function gives what is answered, or something to be awaited that comes to it; it raises a SaidError when the
part does not answer. Whatever was asked of a part is asked of it before the function returns, so that the end
of a test, which may come while the answer is awaited, undoes it.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from pi_controller.bus.jobs import CannotMeasure
from pi_controller.bus.values import PATTERNS, JobResult, nodes_of
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.hardware_test.news import ButtonTap, Watchers
from pi_controller.core.hardware_test.storage import LARGEST, ReportStore
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.view import PanelLevels
from pi_controller.core.runtime import Threads, Timers
from pi_controller.defects import run_catching
from pi_controller.hal.roles import (
    Clock,
    CurrentSensor,
    LocalDisplay,
    Sound,
    StatusFace,
    SystemFacts,
    TableBus,
)
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.probes import (
    JOB_DEADLINE_S,
    BusProbe,
    BusResult,
    Buzzed,
    BuzzerProbe,
    DiskChecked,
    DiskProbe,
    DisplayProbe,
    Drawn,
    Edges,
    EdgesProbe,
    FactsProbe,
    Fitted,
    FittedProbe,
    IdentifyProbe,
    Inputs,
    InputsProbe,
    JournalChecked,
    JournalProbe,
    KeepReportProbe,
    LampProbe,
    OrderProbe,
    PanelCurrent,
    PanelCurrentProbe,
    Ports,
    PortsProbe,
    PortView,
    ProbeDone,
    ReportKept,
    ReportPiece,
    ReportProbe,
    Reports,
    ReportsProbe,
    SegmentResult,
    Sounded,
    SoundProbe,
)
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import ClientConnection
from pi_controller.roster.store import CannotCalibrate, load
from pi_controller.sentence import SaidError, Sentence

SHOWN_LIMIT_NS = 3_000_000_000
LOOK_NS = 20_000_000
NS_PER_MS = 1_000_000
CALIBRATION_LIMIT_S = 10.0
CURRENT_LIMIT_S = 2.0
DISK_LIMIT_S = 30.0
JOURNAL_LIMIT_S = 10.0
FACTS_LIMIT_S = 5.0
PORTS_LIMIT_S = 5.0
REPORTS_LIMIT_S = 10.0
SOUND_SPARE_S = 4.0
"""Besides the tone itself: a card that sleeps needs a second or two before it plays."""
MOST_WHITE = 12
"""Tables of a row whose displays may be white all over at full contrast: each takes up to 90 mA then, and
T1.6 A carries 1.2 A (75 %) for as long as one likes."""

NO_BUZZER = Sentence("panel.no_buzzer")
NO_DISPLAY = Sentence("panel.no_display")
NO_SOUND = Sentence("test.no_sound")
NO_SENSOR = Sentence("current.no_sensor")
NOT_SHOWN = Sentence("panel.test_picture_not_taken", seconds=SHOWN_LIMIT_NS // 1_000_000_000)
BUSY = Sentence("test.bus_busy")
NO_RESULT = Sentence("test.segment_gave_no_result", seconds=JOB_DEADLINE_S)

ResultT = TypeVar("ResultT")


class CannotDo(SaidError):  # noqa: N818 - says what is the matter
    """What was asked for cannot be done."""


class Work:
    """What may take its time, on threads, each piece with a deadline. Work of the same name is done one after
    the other; what hangs is left behind and told, and nothing more of its name is begun until it has come
    back. Whatever it raises, its asker is told and the next one begins."""

    def __init__(self, *, loop: GameLoop, timers: Timers, threads: Threads) -> None:
        self._loop = loop
        self._timers = timers
        self._threads = threads
        self._queues: dict[Sentence, deque[_Piece]] = {}
        """By name; the first is under way."""

    def do(self, name: Sentence, act: Callable[[], ResultT], *, limit_s: float) -> asyncio.Future[ResultT]:
        """What `act` comes to, which is called on a thread, or CannotDo. `name` is such as `test.of_disk`;
        after `limit_s`, of which waiting is a part, it has failed."""
        queue = self._queues.setdefault(name, deque())
        result: asyncio.Future[ResultT] = self._timers.future()
        result.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may ask for it
        if queue and queue[0].result.done():
            _settle(result, CannotDo(Sentence("test.before_still_goes_on", what=name)))
            return result
        late = CannotDo(Sentence("test.hangs", what=name, seconds=limit_s))
        due_ns = self._timers.boot_ns() + round(limit_s * 1e9)
        alarm = self._timers.call_at(due_ns, lambda: _settle(result, late))
        value: list[ResultT] = []

        def back(error: Exception | None) -> None:
            queue.popleft()
            self._begin_next(name)
            alarm.cancel()
            if error is None:
                _settle(result, value[0])
            else:
                _settle(result, CannotDo(self._said(name, error)))

        def work() -> None:
            error = run_catching(lambda: value.append(act()))
            self._threads.call_on_loop(lambda: back(error))

        queue.append(_Piece(work, result))
        if len(queue) == 1:
            self._begin_next(name)
        return result

    def _said(self, name: Sentence, error: Exception) -> Sentence:
        if isinstance(error, SaidError):
            return error.sentence
        if isinstance(error, OSError):
            return Sentence("test.failed", what=name, why=why(error))
        return self._loop.broke_off(error, name.key)

    def _begin_next(self, name: Sentence) -> None:
        """Pieces that were told to be late while they waited are not begun."""
        queue = self._queues[name]
        while queue and queue[0].result.done():
            queue.popleft()
        if queue:
            self._threads.run_in_thread(queue[0].work, name.key)


def _settle(future: asyncio.Future[Any], value: object = None) -> None:
    """It has come to this value or error, unless it was settled before."""
    if future.done():
        return
    if isinstance(value, Exception):
        future.set_exception(value)
    else:
        future.set_result(value)


@dataclass(frozen=True, slots=True)
class _Piece:
    work: Callable[[], None]
    result: asyncio.Future[Any]


class ComputerUnderTest(Struct, frozen=True, kw_only=True):
    """What there is to be tested besides panel and tables; all but `fitted` and `sound` block and may raise
    OSError.

    `check_line` takes a game's id and the token that one of its lines must have, and gives a sentence when it
    has not.
    """

    check_line: Callable[[str, str], Sentence | None]
    check_disk: Callable[[int, int], DiskChecked]
    facts: Callable[[], SystemFacts]
    ports: Callable[[], list[PortView]]
    fitted: Fitted
    sound: Sound | None
    reports: ReportStore
    current: CurrentSensor | None = None
    """None: the panel has no sensor."""


@dataclass(slots=True, kw_only=True)
class Parts:
    """The devices that can be tested, and what the present test has set on them."""

    outputs: Outputs
    tap: ButtonTap
    watchers: Watchers
    bus: TableBus
    machine: ComputerUnderTest
    loop: GameLoop
    work: Work
    timers: Timers
    threads: Threads
    clock: Clock
    state_dir: Path
    lit: dict[str, bool] = field(default_factory=dict)
    """The lamps that were forced."""
    pattern: StatusFace | None = None
    """The test picture on the local display."""
    nodes_show: bool = False
    """Nodes may show something for the test."""
    job: asyncio.Future[None] | None = None
    """Done when the newest job on the bus has ended."""
    pieces: dict[ClientConnection, str] = field(default_factory=dict)
    """Of reports that come in pieces."""
    tests: int = 0
    """That have ended: an answer that is awaited looks by it whether its test goes on."""

    def end_test(self) -> None:
        """The game's picture shows again, and no node goes on showing something for the test."""
        self.tests += 1
        self.release_panel()
        if self.nodes_show:
            self.nodes_show = False
            self.bus.identify(None, what="off", seconds=0, number=0)

    def release_panel(self) -> None:
        """The game's picture shows again."""
        self.lit.clear()
        self.pattern = None
        self.outputs.let_go()

    def force_panel(self) -> StatusFace:
        """Show what the test has set on the panel; what the display shows with it."""
        face = self.pattern or self.outputs.game_face()
        self.outputs.force(
            PanelLevels(
                sun=self.lit.get("sun", False),
                moon=self.lit.get("moon", False),
                pause_lamp=self.lit.get("pause", False),
                face=face,
                next_change_ns=None,
            )
        )
        return face

    async def wait_until(self, boot_ns: int) -> None:
        there = self.timers.future()
        self.timers.call_at(boot_ns, lambda: _settle(there))
        await there


# The panel.


def lamp(parts: Parts, probe: LampProbe) -> ProbeDone:
    parts.lit[probe.lamp] = probe.lit
    parts.force_panel()
    _check_part(parts, f"{probe.lamp} lamp", parts.tests)
    return ProbeDone()


def buzzer(parts: Parts, probe: BuzzerProbe) -> Awaitable[Buzzed]:
    if parts.outputs.buzzer is None:
        raise CannotDo(NO_BUZZER)
    parts.force_panel()
    ms = parts.outputs.buzz(probe.ms)
    _check_part(parts, "buzzer", parts.tests)
    over_ns = parts.timers.boot_ns() + ms * NS_PER_MS
    sensor = parts.machine.current
    felt = None if sensor is None else _amps_before(parts, sensor, over_ns)
    return _buzzed(parts, ms, over_ns, felt)


def _amps_before(parts: Parts, sensor: CurrentSensor, over_ns: int) -> asyncio.Future[float | None]:
    """The amperes of all outputs, unless they were read when the tone was over already: on a busy machine a
    thread may come late."""

    def read() -> float | None:
        power = sensor.read()
        return power.amps if parts.timers.boot_ns() < over_ns else None

    return parts.work.do(Sentence("test.look_at_current"), read, limit_s=CURRENT_LIMIT_S)


async def _buzzed(parts: Parts, ms: int, over_ns: int, felt: asyncio.Future[float | None] | None) -> Buzzed:
    """When the tone is over. A sensor that fails says why to who asks it alone."""
    tests = parts.tests
    await parts.wait_until(over_ns)
    _check_part(parts, "buzzer", tests)
    known = felt is not None and felt.done() and felt.exception() is None
    return Buzzed(ms=ms, amps=felt.result() if known and felt is not None else None)


def display(parts: Parts, probe: DisplayProbe) -> Awaitable[Drawn]:
    if parts.outputs.display is None:
        raise CannotDo(NO_DISPLAY)
    parts.pattern = None if probe.pattern == "none" else StatusFace(pattern=probe.pattern)
    return _drawn(parts, parts.outputs.display, parts.force_panel(), parts.tests)


async def _drawn(parts: Parts, shown_on: LocalDisplay, face: StatusFace, tests: int) -> Drawn:
    """When the display has taken this face whole, or says why not."""
    began_ns = parts.timers.boot_ns()
    while not shown_on.shows(face):
        now_ns = parts.timers.boot_ns()
        trouble = shown_on.trouble() or (NOT_SHOWN if now_ns - began_ns >= SHOWN_LIMIT_NS else None)
        if trouble is not None:
            if parts.tests == tests:
                parts.release_panel()
            return Drawn(shown_ms=None, sentence=words(trouble), sentence_key=view(trouble))
        await parts.wait_until(now_ns + LOOK_NS)
    return Drawn(shown_ms=(parts.timers.boot_ns() - began_ns) / NS_PER_MS)


def inputs(parts: Parts, _probe: InputsProbe) -> Inputs:
    return parts.watchers.inputs()


def edges(parts: Parts, probe: EdgesProbe) -> Edges:
    return parts.tap.since(probe.since)


def current(parts: Parts, _probe: PanelCurrentProbe) -> Awaitable[PanelCurrent]:
    sensor = parts.machine.current
    if sensor is None:
        raise CannotDo(NO_SENSOR)

    def read() -> PanelCurrent:
        found = sensor.read()
        return PanelCurrent(amps=found.amps, volts=found.volts)

    return parts.work.do(Sentence("test.look_at_current"), read, limit_s=CURRENT_LIMIT_S)


def _check_part(parts: Parts, name: str, tests: int) -> None:
    """CannotDo when this lamp or the buzzer has failed; all outputs go back to the game's picture, if the
    test that asked still goes on."""
    sentence = parts.outputs.failure(name)
    if sentence is not None:
        if parts.tests == tests:
            parts.release_panel()
        raise CannotDo(sentence)


# The table nodes: one job on the bus at a time, and what single nodes are told.


def bus(parts: Parts, probe: BusProbe) -> Awaitable[BusResult]:
    if parts.job is not None and not parts.job.done():
        raise CannotDo(BUSY)
    results: dict[str, JobResult | None] = {segment.name: None for segment in parts.bus.snapshot()}
    job: asyncio.Future[None] = parts.timers.future()

    def report(result: JobResult) -> None:
        if not job.done():
            results[result.segment] = result
            if None not in results.values():
                _settle(job)

    try:
        if results:
            parts.bus.measure(probe.job, lambda result: parts.threads.call_on_loop(lambda: report(result)))
        else:
            _settle(job)
    except CannotMeasure as error:
        raise CannotDo(error.sentence) from error
    parts.job = job
    return _gathered(parts, job, results)


async def _gathered(
    parts: Parts, job: asyncio.Future[None], results: dict[str, JobResult | None]
) -> BusResult:
    """When all segments have reported, or their time is over."""
    due_ns = parts.timers.boot_ns() + round(JOB_DEADLINE_S * 1e9)
    alarm = parts.timers.call_at(due_ns, lambda: _settle(job))
    await job
    alarm.cancel()
    found = [
        result or JobResult(segment=name, seconds=JOB_DEADLINE_S, sentence=NO_RESULT)
        for name, result in results.items()
    ]
    if any(result.measured for result in found):
        found = await parts.work.do(
            Sentence("test.of_calibration"),
            lambda: _corrected(found, parts.state_dir),
            limit_s=CALIBRATION_LIMIT_S,
        )
    return BusResult(results=list(map(SegmentResult.of, found)))


def _corrected(results: list[JobResult], state_dir: Path) -> list[JobResult]:
    """By each node's gain; without a file that can be read, as they are, and said so."""
    try:
        calibration = load(state_dir)
    except CannotCalibrate as error:
        return [replace(result, sentence=result.sentence or error.sentence) for result in results]
    return [replace(result, measured=calibration.corrected(result.measured)) for result in results]


def identify(parts: Parts, probe: IdentifyProbe) -> ProbeDone:
    """No row is made white all over whose fuse does not carry that."""
    _check_heard(parts, probe.uid)
    if probe.uid is None and probe.what == "pattern" and probe.number == PATTERNS.index("white"):
        longest = max((len(segment.nodes) for segment in parts.bus.snapshot()), default=0)
        if longest > MOST_WHITE:
            raise CannotDo(Sentence("tables.too_many_white", tables=longest))
    parts.nodes_show = True
    parts.bus.identify(probe.uid, what=probe.what, seconds=probe.seconds, number=probe.number)
    return ProbeDone()


def order(parts: Parts, probe: OrderProbe) -> ProbeDone:
    _check_heard(parts, probe.uid)
    parts.bus.order(probe.uid, probe.what, probe.argument)
    return ProbeDone()


def _check_heard(parts: Parts, uid: str | None) -> None:
    if uid is not None and uid not in (node.uid for node in nodes_of(parts.bus.snapshot())):
        raise CannotDo(Sentence("tables.node_not_heard", uid=uid))


# The computer: journal, disk, facts, sound, ports, reports.


async def journal(parts: Parts, _probe: JournalProbe) -> JournalChecked:
    """A line is noted, and read back when it is on the disk."""
    token, began_ns, game_id = secrets.token_hex(16), parts.timers.boot_ns(), parts.loop.game.game_id
    parts.loop.note({"test": "journal", "token": token})
    trouble, took_ms = await parts.loop.saves.on_disk(), None
    if trouble is None:
        took_ms = (parts.timers.boot_ns() - began_ns) / NS_PER_MS
        trouble = await parts.work.do(
            Sentence("test.of_journal"),
            lambda: parts.machine.check_line(game_id, token),
            limit_s=JOURNAL_LIMIT_S,
        )
    return JournalChecked(
        written_ms=took_ms,
        verified=trouble is None,
        sentence=None if trouble is None else words(trouble),
        sentence_key=None if trouble is None else view(trouble),
    )


def disk(parts: Parts, probe: DiskProbe) -> Awaitable[DiskChecked]:
    return parts.work.do(
        Sentence("test.of_disk"),
        lambda: parts.machine.check_disk(probe.writes, probe.size),
        limit_s=DISK_LIMIT_S,
    )


def facts(parts: Parts, _probe: FactsProbe) -> Awaitable[SystemFacts]:
    return parts.work.do(Sentence("test.look_at_computer"), parts.machine.facts, limit_s=FACTS_LIMIT_S)


def sound(parts: Parts, probe: SoundProbe) -> Awaitable[Sounded]:
    player = parts.machine.sound
    if player is None:
        raise CannotDo(NO_SOUND)

    def play() -> Sounded:
        trouble = player.play_tone(probe.ms)
        return Sounded(
            played=trouble is None,
            sentence=None if trouble is None else words(trouble),
            sentence_key=None if trouble is None else view(trouble),
        )

    return parts.work.do(Sentence("test.tone"), play, limit_s=probe.ms / 1000 + SOUND_SPARE_S)


def ports(parts: Parts, _probe: PortsProbe) -> Awaitable[Ports]:
    return parts.work.do(
        Sentence("test.look_at_ports"),
        lambda: Ports(ports=parts.machine.ports()),
        limit_s=PORTS_LIMIT_S,
    )


def fitted(parts: Parts, _probe: FittedProbe) -> Fitted:
    return parts.machine.fitted


def keep_report(
    parts: Parts, probe: KeepReportProbe, client: ClientConnection
) -> ReportKept | Awaitable[ReportKept]:
    """Pieces of a report come over one connection; what is missing of it at the connection's end is gone."""
    text = parts.pieces.pop(client, "") + probe.text
    if len(text) > LARGEST:
        raise CannotDo(Sentence("report.larger", most=LARGEST))
    if probe.more:
        parts.pieces[client] = text
        client.on_close.append(lambda: parts.pieces.pop(client, None))
        return ReportKept(name=None)
    wall = parts.clock.wall()
    return parts.work.do(
        Sentence("test.keeping_of_report"),
        lambda: ReportKept(name=parts.machine.reports.keep(probe.level, text, wall=wall)),
        limit_s=REPORTS_LIMIT_S,
    )


def reports(parts: Parts, _probe: ReportsProbe) -> Awaitable[Reports]:
    return parts.work.do(
        Sentence("test.list_of_reports"),
        lambda: Reports(reports=parts.machine.reports.all()),
        limit_s=REPORTS_LIMIT_S,
    )


def report(parts: Parts, probe: ReportProbe) -> Awaitable[ReportPiece]:
    return parts.work.do(
        Sentence("test.reading_of_report"),
        lambda: ReportPiece(name=probe.name, report=parts.machine.reports.read(probe.name)),
        limit_s=REPORTS_LIMIT_S,
    )


ACTS: dict[type[Any], Callable[[Parts, Any], object]] = {
    LampProbe: lamp,
    BuzzerProbe: buzzer,
    DisplayProbe: display,
    InputsProbe: inputs,
    EdgesProbe: edges,
    PanelCurrentProbe: current,
    BusProbe: bus,
    IdentifyProbe: identify,
    OrderProbe: order,
    JournalProbe: journal,
    DiskProbe: disk,
    FactsProbe: facts,
    SoundProbe: sound,
    PortsProbe: ports,
    FittedProbe: fitted,
    ReportsProbe: reports,
    ReportProbe: report,
}
"""By the kind of probe; `keep_report` besides needs its client."""
