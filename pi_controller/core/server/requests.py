"""What may be asked over the control socket, and who answers it."""

from pi_controller import software
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PendingCommand, Seen, encode_answer
from pi_controller.core.hardware_test.requests import TestRequests
from pi_controller.core.hardware_test.testing import Testing
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Tasks, Timers
from pi_controller.core.server.actions import answer_about_actions
from pi_controller.core.server.archive import Archive, ArchiveRequests
from pi_controller.core.server.copy import CopyDecision
from pi_controller.core.server.feed import Feed
from pi_controller.core.server.hall_requests import HallRequests
from pi_controller.core.server.pin_guesses import PinGuesses
from pi_controller.core.server.stick import StickJob
from pi_controller.core.sound.speaker import Speaker
from pi_controller.core.tables.requests import TableRequests
from pi_controller.core.tables.seat_requests import SeatRequests
from pi_controller.core.tables.seats import SeatClaims
from pi_controller.core.tables.tables import Tables
from pi_controller.protocol.answer_types import DoneAnswer, MetricsAnswer, PictureAnswer
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import (
    AskActions,
    AskCommand,
    AskCopy,
    AskExportLines,
    AskFollow,
    AskGames,
    AskHallCommand,
    AskKeepTerm,
    AskLink,
    AskMetrics,
    AskPanel,
    AskPicture,
    AskPinGuesses,
    AskProbe,
    AskRoster,
    AskSetRoster,
    AskSettle,
    AskShowPin,
    AskSim,
    AskSound,
    AskStaffPages,
    AskStick,
    AskTable,
    AskTables,
    AskTestBegin,
    AskTestEnd,
    AskTestKeep,
    AskUplinkDone,
    AskWatch,
    AskWatchTables,
    AskWatchTest,
    AskWatchUplink,
    Request,
    encode,
    encode_error,
    encode_malformed,
)
from pi_controller.protocol.sentences import sentence
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence, said_by

ONLY_SIMULATED = Sentence("panel.not_simulated")
NO_SOUND = Sentence("sound.none_is_set")
LONGEST_KEY = 200


class RequestHandler:
    """Answers requests. `simulation` is None on real hardware, `speaker` without sound."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        commands: CommandQueue,
        feed: Feed,
        archive: Archive,
        timers: Timers,
        tasks: Tasks,
        threads: Threads,
        tables: Tables,
        testing: Testing,
        outputs: Outputs,
        seats: SeatClaims,
        stick: StickJob,
        copy: CopyDecision,
        halls: HallRequests,
        simulation: Simulation | None = None,
        speaker: Speaker | None = None,
    ) -> None:
        self._loop = loop
        self._commands = commands
        self._feed = feed
        self._archive_requests = ArchiveRequests(archive, threads)
        self._timers = timers
        self._tasks = tasks
        self._table_requests = TableRequests(tables)
        self._test_requests = TestRequests(testing)
        self._seat_requests = SeatRequests(seats, tasks)
        self._stick = stick
        self._copy = copy
        self._halls = halls
        self._outputs = outputs
        self._pin_guesses = PinGuesses(loop=loop, timers=timers)
        self._speaker = speaker
        self._simulation = simulation

    def answer(self, client: Client, request: Request) -> None:
        match request:
            case AskPicture() | AskWatch():
                answer = PictureAnswer(id=request.id, picture=self._loop.picture(), software=software.known())
                client.send(encode(answer))
                if isinstance(request, AskWatch):
                    self._feed.add(client)
            case AskCommand():
                self._command(client, request)
            case AskActions() | AskMetrics() | AskGames() | AskExportLines() | AskStick() | AskCopy():
                self._of_the_files(client, request)
            case AskPanel() | AskSim():
                self._simulated(client, request)
            case AskTables() | AskWatchTables() | AskRoster() | AskSetRoster() | AskTable():
                self._table_requests.answer(client, request)
            case AskTestBegin() | AskTestKeep() | AskTestEnd() | AskProbe() | AskWatchTest():
                self._test_requests.answer(client, request)
            case AskShowPin() | AskStaffPages() | AskPinGuesses() | AskSound():
                client.send(self._done(request))
            case (
                AskLink()
                | AskFollow()
                | AskWatchUplink()
                | AskUplinkDone()
                | AskHallCommand()
                | AskSettle()
                | AskKeepTerm()
            ):
                self._halls.answer(client, request)
            case _:
                self._seat_requests.answer(client, request)

    def _of_the_files(
        self,
        client: Client,
        request: AskActions | AskMetrics | AskGames | AskExportLines | AskStick | AskCopy,
    ) -> None:
        match request:
            case AskActions():
                client.send(answer_about_actions(self._loop, request, self._timers.boot_ns()))
            case AskMetrics():
                client.send(encode(MetricsAnswer(id=request.id, metrics=self._loop.metrics.numbers())))
            case AskStick():
                self._stick.answer(client, request)
            case AskCopy():
                self._copy.answer(client, request)
            case _:
                self._archive_requests.answer(client, request)

    def _done(self, request: AskShowPin | AskStaffPages | AskPinGuesses | AskSound) -> bytes:
        if isinstance(request, AskSound):
            return self._sound(request)
        if isinstance(request, AskStaffPages):
            self._outputs.show_staff_pages(request.address, request.fingerprint)
            doubt = None if request.doubt is None else sentence(request.doubt)
            self._loop.report("certificate", "warning", doubt)
        elif isinstance(request, AskPinGuesses):
            self._pin_guesses.told(request.wrong)
        elif (trouble := self._outputs.show_pin(request.pin)) is not None:
            return encode_error(request.id, trouble, request.language)
        return encode(DoneAnswer(id=request.id))

    def _sound(self, request: AskSound) -> bytes:
        if self._speaker is None:
            return encode_error(request.id, NO_SOUND, request.language)
        self._speaker.do(request.do, minutes=request.minutes, loudspeaker=request.loudspeaker)
        return encode(DoneAnswer(id=request.id))

    def _command(self, client: Client, request: AskCommand) -> None:
        try:
            _check_names(request)
            command = parse_command(request.name, request.body)
        except Malformed as error:
            client.send(encode_malformed(request.id, error.sentence, request.language))
            return
        pending = PendingCommand(
            name=request.name,
            body=request.body,
            command=command,
            source=request.source,
            at_ns=self._timers.boot_ns(),
            key=request.key,
            asker=client,
            seen=None if request.if_seq is None else Seen(request.if_seq, request.if_session),
        )
        self._tasks.start(client.begin(request).fill(lambda: self._carry_out(request, pending)))

    async def _carry_out(self, request: AskCommand, pending: PendingCommand) -> bytes:
        return encode_answer(request, await self._commands.carry_out(pending))

    def _simulated(self, client: Client, request: AskPanel | AskSim) -> None:
        if self._simulation is None:
            client.send(encode_error(request.id, ONLY_SIMULATED, request.language))
        elif isinstance(request, AskPanel):
            self._simulation.watch(client)
        else:
            client.send(_done(self._simulation, request))


def _done(simulation: Simulation, request: AskSim) -> bytes:
    try:
        if request.do == "fact":
            simulation.change_fact(str(request.name), request.value)
        else:
            simulation.do(request.do, request.contact, lamp=request.lamp)
    except ValueError as error:
        return encode_malformed(request.id, said_by(error), request.language)
    return encode(DoneAnswer(id=request.id))


def _check_names(request: AskCommand) -> None:
    for what, text in (("source", request.source), ("key", request.key)):
        if text is not None and not (1 <= len(text) <= LONGEST_KEY and text.isprintable()):
            raise Malformed(Sentence("range.printable", name=f"`{what}`", least=1, most=LONGEST_KEY))
    if request.source == "system":
        raise Malformed(Sentence("request.source_is_kept"))
