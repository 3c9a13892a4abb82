"""Probes of the computer, each on a thread of its own: journal, disk, facts, sound, ports, reports."""

import secrets
from collections.abc import Callable

from msgspec import Struct

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.hardware_test.reply import Reply
from pi_controller.core.hardware_test.reports import LARGEST, ReportStore
from pi_controller.core.hardware_test.work import CURRENT_LIMIT_S, Work
from pi_controller.core.runtime.timers import Tasks, Timers
from pi_controller.hal.roles import Clock, CurrentSensor, Sound, SystemFacts
from pi_controller.language.words import words
from pi_controller.protocol.probes import (
    DiskChecked,
    DiskProbe,
    FactsProbe,
    Fitted,
    FittedProbe,
    JournalChecked,
    JournalProbe,
    KeepReportProbe,
    Kept,
    PanelCurrent,
    PanelCurrentProbe,
    Ports,
    PortsProbe,
    PortView,
    Report,
    ReportProbe,
    Reports,
    ReportsProbe,
    Sounded,
    SoundProbe,
)
from pi_controller.protocol.sentences import view
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence

NO_SOUND = Sentence("test.no_sound")
DISK_LIMIT_S = 30.0
JOURNAL_LIMIT_S = 10.0
FACTS_LIMIT_S = 5.0
PORTS_LIMIT_S = 5.0
NO_SENSOR = Sentence("current.no_sensor")
REPORTS_LIMIT_S = 10.0
SOUND_SPARE_S = 3.0
"""A card that sleeps needs a second or two before it plays."""

MachineProbe = (
    JournalProbe
    | DiskProbe
    | FactsProbe
    | SoundProbe
    | PanelCurrentProbe
    | PortsProbe
    | FittedProbe
    | KeepReportProbe
    | ReportsProbe
    | ReportProbe
)


class Machine(Struct, frozen=True, kw_only=True):
    """What there is to be tested; all but `fitted` and `sound` block and may raise OSError.

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


class MachineProbes:
    """Called on the loop only."""

    def __init__(
        self, machine: Machine, *, loop: GameLoop, work: Work, timers: Timers, tasks: Tasks, clock: Clock
    ) -> None:
        self._machine = machine
        self._loop = loop
        self._work = work
        self._timers = timers
        self._tasks = tasks
        self._clock = clock
        self._pieces: dict[Client, str] = {}

    def probe(self, probe: MachineProbe, reply: Reply) -> None:
        match probe:
            case FittedProbe():
                reply.result(self._machine.fitted)
            case JournalProbe():
                self._tasks.start(reply.fill(lambda: self._check_journal(reply)))
            case SoundProbe():
                self._play(probe.ms, reply)
            case DiskProbe():
                self._aside(
                    Sentence("test.of_disk"),
                    lambda: self._machine.check_disk(probe.writes, probe.size),
                    reply,
                    limit_s=DISK_LIMIT_S,
                )
            case FactsProbe():
                self._aside(
                    Sentence("test.look_at_computer"), self._machine.facts, reply, limit_s=FACTS_LIMIT_S
                )
            case PanelCurrentProbe():
                self._current(reply)
            case PortsProbe():
                look = self._machine.ports
                self._aside(
                    Sentence("test.look_at_ports"), lambda: Ports(ports=look()), reply, limit_s=PORTS_LIMIT_S
                )
            case KeepReportProbe() | ReportsProbe() | ReportProbe():
                self._report(probe, reply)

    def _aside(self, name: Sentence, act: Callable[[], object], reply: Reply, *, limit_s: float) -> None:
        self._work.do(name, act, limit_s=limit_s, done=reply.result, failed=reply.error)

    def _current(self, reply: Reply) -> None:
        sensor = self._machine.current
        if sensor is None:
            reply.error(NO_SENSOR)
            return

        def read() -> PanelCurrent:
            found = sensor.read()
            return PanelCurrent(amps=found.amps, volts=found.volts)

        self._aside(Sentence("test.look_at_current"), read, reply, limit_s=CURRENT_LIMIT_S)

    async def _check_journal(self, reply: Reply) -> None:
        token, began_ns = secrets.token_hex(16), self._timers.boot_ns()
        game_id = self._loop.game.game_id
        self._loop.note({"test": "journal", "token": token})

        trouble = await self._loop.saves.on_disk()
        if trouble is not None:
            reply.result(
                JournalChecked(
                    written_ms=None, verified=False, sentence=words(trouble), sentence_key=view(trouble)
                )
            )
            return
        took_ms = (self._timers.boot_ns() - began_ns) / 1e6

        def read() -> JournalChecked:
            wrong = self._machine.check_line(game_id, token)
            return JournalChecked(
                written_ms=took_ms,
                verified=wrong is None,
                sentence=None if wrong is None else words(wrong),
                sentence_key=None if wrong is None else view(wrong),
            )

        self._aside(Sentence("test.of_journal"), read, reply, limit_s=JOURNAL_LIMIT_S)

    def _play(self, ms: int, reply: Reply) -> None:
        sound = self._machine.sound
        if sound is None:
            reply.error(NO_SOUND)
            return
        limit_s = ms / 1000 + SOUND_SPARE_S

        def play() -> Sounded:
            trouble = sound.play_tone(ms)
            return Sounded(
                played=trouble is None,
                sentence=None if trouble is None else words(trouble),
                sentence_key=None if trouble is None else view(trouble),
            )

        self._aside(Sentence("test.tone"), play, reply, limit_s=limit_s + 1)

    def _report(self, probe: KeepReportProbe | ReportsProbe | ReportProbe, reply: Reply) -> None:
        reports = self._machine.reports
        match probe:
            case KeepReportProbe():
                self._keep(probe, reply)
            case ReportsProbe():
                self._aside(
                    Sentence("test.list_of_reports"),
                    lambda: Reports(reports=reports.all()),
                    reply,
                    limit_s=REPORTS_LIMIT_S,
                )
            case ReportProbe():
                self._aside(
                    Sentence("test.reading_of_report"),
                    lambda: Report(name=probe.name, report=reports.read(probe.name)),
                    reply,
                    limit_s=REPORTS_LIMIT_S,
                )

    def _keep(self, probe: KeepReportProbe, reply: Reply) -> None:
        client = reply.client
        text = self._pieces.pop(client, "") + probe.text
        if len(text) > LARGEST:
            reply.error(Sentence("report.larger", most=LARGEST))
        elif probe.more:
            self._pieces[client] = text
            client.on_close.append(lambda: self._forget(client))
            reply.result(Kept(name=None))
        else:
            wall = self._clock.wall()
            self._aside(
                Sentence("test.keeping_of_report"),
                lambda: Kept(name=self._machine.reports.keep(probe.level, text, wall=wall)),
                reply,
                limit_s=REPORTS_LIMIT_S,
            )

    def _forget(self, client: Client) -> None:
        self._pieces.pop(client, None)
