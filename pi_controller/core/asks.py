"""What may be asked over the control socket, and who answers it."""

from collections.abc import Callable

from pi_controller.core.archive import Archive, ArchiveAsks, HandOver
from pi_controller.core.arming import Arming
from pi_controller.core.asked import Answer, Asked
from pi_controller.core.control_server import Client
from pi_controller.core.feed import Feed
from pi_controller.core.loop import GameLoop
from pi_controller.core.pin_guesses import PinGuesses
from pi_controller.core.simulation import Simulation
from pi_controller.core.table_asks import TableAsks
from pi_controller.core.tables import Tables
from pi_controller.core.testing.asks import LeaseAsks
from pi_controller.core.testing.testing import Testing
from pi_controller.core.timers import Timers
from pi_controller.protocol.commands import Arm, Identify, parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import (
    AskCommand,
    AskExportLines,
    AskGames,
    AskMetrics,
    AskPanel,
    AskPicture,
    AskPinGuesses,
    AskProbe,
    AskRoster,
    AskSetRoster,
    AskShowPin,
    AskSim,
    AskTable,
    AskTables,
    AskTestBegin,
    AskTestEnd,
    AskTestKeep,
    AskWatch,
    AskWatchTables,
    AskWatchTest,
    CommandAnswer,
    DoneAnswer,
    ErrorAnswer,
    MalformedAnswer,
    MetricsAnswer,
    PictureAnswer,
    Request,
    encode,
)

ONLY_SIMULATED = "There is no simulated panel here: start with --hardware sim to have one."
LONGEST_KEY = 200


class Asks:
    """Answers requests. `simulation` is None on real hardware."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        feed: Feed,
        arming: Arming,
        archive: Archive,
        timers: Timers,
        hand_over: HandOver,
        tables: Tables,
        testing: Testing,
        show_pin: Callable[[str], str | None],
        simulation: Simulation | None = None,
    ) -> None:
        self._loop = loop
        self._feed = feed
        self._arming = arming
        self._archive_asks = ArchiveAsks(archive, hand_over)
        self._timers = timers
        self._hand_over = hand_over
        self._tables = tables
        self._table_asks = TableAsks(tables)
        self._lease_asks = LeaseAsks(testing)
        self._show_pin = show_pin
        self._pin_guesses = PinGuesses(loop=loop, timers=timers)
        self._simulation = simulation

    def answer(self, client: Client, request: Request) -> None:
        match request:
            case AskPicture():
                client.send(encode(PictureAnswer(id=request.id, picture=self._loop.picture())))
            case AskWatch():
                client.send(encode(PictureAnswer(id=request.id, picture=self._loop.picture())))
                self._feed.add(client)
            case AskCommand():
                self._command(client, request)
            case AskMetrics():
                client.send(encode(MetricsAnswer(id=request.id, metrics=self._loop.metrics.numbers())))
            case AskGames() | AskExportLines():
                self._archive_asks.answer(client, request)
            case AskPanel() | AskSim():
                self._simulated(client, request)
            case AskTables() | AskWatchTables() | AskRoster() | AskSetRoster() | AskTable():
                self._table_asks.answer(client, request)
            case AskTestBegin() | AskTestKeep() | AskTestEnd() | AskProbe() | AskWatchTest():
                self._lease_asks.answer(client, request)
            case AskShowPin() | AskPinGuesses():
                client.send(self._pin(request))

    def _pin(self, request: AskShowPin | AskPinGuesses) -> bytes:
        if isinstance(request, AskPinGuesses):
            self._pin_guesses.told(request.wrong)
        elif (trouble := self._show_pin(request.pin)) is not None:
            return encode(ErrorAnswer(id=request.id, error=trouble))
        return encode(DoneAnswer(id=request.id))

    def _command(self, client: Client, request: AskCommand) -> None:
        try:
            _check_names(request)
            command = parse_command(request.name, request.body)
        except Malformed as error:
            client.send(encode(MalformedAnswer(id=request.id, malformed=str(error))))
            return
        client.unanswered += 1

        def answer(given: Answer) -> None:
            client.unanswered -= 1
            client.send(
                encode(
                    CommandAnswer(
                        id=request.id,
                        accepted=given.accepted,
                        seq=given.seq,
                        reasons=list(given.reasons),
                        done=given.done,
                    )
                )
            )

        asked = Asked(
            name=request.name,
            body=request.body,
            command=None if isinstance(command, Arm | Identify) else command,
            source=request.source,
            at_ns=self._timers.boot_ns(),
            key=request.key,
            answer=answer,
            gone=lambda: client.gone,
        )
        if isinstance(command, Arm):
            asked.special = lambda _asked: self._arming.arm(asked, command)
        elif isinstance(command, Identify):
            asked.special = lambda _asked: self._identify(asked, command)
        self._loop.submit(asked)

    def _identify(self, asked: Asked, command: Identify) -> None:
        if command.board is not None:
            self._tables.deeds.identify_board(command.board)
        names = {"screen": command.screen, "board": command.board}
        self._loop.show_name({kind: name for kind, name in names.items() if name is not None})
        self._loop.answer_when_saved(asked)

    def _simulated(self, client: Client, request: AskPanel | AskSim) -> None:
        if self._simulation is None:
            client.send(encode(ErrorAnswer(id=request.id, error=ONLY_SIMULATED)))
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
        return encode(MalformedAnswer(id=request.id, malformed=str(error)))
    return encode(DoneAnswer(id=request.id))


def _check_names(request: AskCommand) -> None:
    for what, text in (("source", request.source), ("key", request.key)):
        if text is not None and not (1 <= len(text) <= LONGEST_KEY and text.isprintable()):
            raise Malformed(f"`{what}` must be 1 to {LONGEST_KEY} printable characters")
    if request.source == "system":
        raise Malformed('`source` "system" is kept for the controller itself; name the program that asks')
