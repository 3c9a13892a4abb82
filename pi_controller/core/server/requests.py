"""What may be asked over the control socket and who answers it; pictures to everybody who watches."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from pi_controller import software
from pi_controller.core.button import ButtonChooser
from pi_controller.core.following import Follower, Leader
from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import Answer, PendingCommand, SeenPicture
from pi_controller.core.game_loop.picture import NoSuchBoard
from pi_controller.core.hardware_test.firmware import FirmwareUpdate
from pi_controller.core.hardware_test.testing import Testing
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.runtime import Alarm, Tasks, Threads, Timers, by_thread
from pi_controller.core.server.settings import SettingsRequests
from pi_controller.core.server.stick import CopyDecision, StickJob
from pi_controller.core.sound.speaker import Speaker
from pi_controller.core.tables.claims import SeatClaims
from pi_controller.core.tables.roster import Answer as RosterAnswered
from pi_controller.core.tables.tables import Tables
from pi_controller.game.commands import Undo
from pi_controller.game.room import PastAction, UndoOutcome, outcome, room, timeline
from pi_controller.journal.witnesses import GameSummary
from pi_controller.language.system_errors import why
from pi_controller.language.words import all_words, words
from pi_controller.protocol.changes import difference
from pi_controller.protocol.commands import parse_command
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import (
    ActionsAnswer,
    ActionsView,
    ActionView,
    AskActions,
    AskButton,
    AskCopy,
    AskExportLines,
    AskFirmware,
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
    AskRestart,
    AskRoster,
    AskSeatClaim,
    AskSeatCodes,
    AskSeatTaken,
    AskSetRoster,
    AskSetSettings,
    AskSettings,
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
    DoneAnswer,
    ExportLinesAnswer,
    GamesAnswer,
    LinkAnswer,
    MetricsAnswer,
    News,
    OutcomeView,
    PictureAnswer,
    Request,
    RosterAnswer,
    SeatCodesAnswer,
    TablesAnswer,
    encode_change,
    encode_error,
    encode_malformed,
)
from pi_controller.protocol.picture import Beat, Picture
from pi_controller.protocol.question import AskCommand, CommandAnswer, Question, encode
from pi_controller.protocol.sentences import sentence, view, views
from pi_controller.protocol.server import ClientConnection, Later
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.sentence import Sentence, sentence_of

# Pictures, and beats between them, to everybody who watches.


BEAT_NS = 1_000_000_000


class Feed:
    """Gives each picture to those who watch: whole, or as what differs from the one before. Each is encoded
    once, and only if somebody takes it so. After a second without news a beat goes out."""

    def __init__(self, *, timers: Timers) -> None:
        self._timers = timers
        self._watchers: dict[ClientConnection, bool] = {}
        """Whether they take changes."""
        self._alarm: Alarm | None = None
        self._said_ns = 0
        """When the newest picture or beat went out."""
        self._picture: Picture | None = None
        """The newest that was published."""
        self._expected: tuple[Picture, Picture | None, bytes] | None = None
        """A picture that may come next, the one before it, and the change."""

    def watchers(self) -> int:
        return len(self._watchers)

    def add(self, client: ClientConnection, *, changes: bool) -> None:
        self._watchers[client] = changes
        client.on_close.append(lambda: self._watchers.pop(client, None))
        if self._alarm is None:
            self._said_ns = self._timers.boot_ns()
            self._wake_at_next_beat()

    def expect(self, picture: Picture) -> None:
        """This picture may come next."""
        if any(self._watchers.values()):
            self._expected = picture, self._picture, self._change(picture)

    def publish(self, picture: Picture) -> None:
        expected, self._expected = self._expected, None
        change = whole = b""
        if expected is not None and expected[0] is picture and expected[1] is self._picture:
            change = expected[2]
        for client, changes in self._watchers.items():
            # Of news that a slow reader has not taken only the newest is kept: it must rest on nothing.
            if changes and not client.lags:
                change = change or self._change(picture)
                client.stream("picture", change)
            else:
                whole = whole or _whole(picture)
                client.stream("picture", whole)
        self._picture = picture
        self._said_ns = self._timers.boot_ns()

    def saved(self, picture: Picture, fresh: Callable[[], Picture]) -> None:
        """More is on the disk, as `picture` says, the newest one. Who takes whole pictures gets one that is
        `fresh`: readers set their clocks by it."""
        self.publish(picture if all(self._watchers.values()) else fresh())

    def _change(self, picture: Picture) -> bytes:
        before = self._picture
        if before is None or before.session != picture.session:
            return _whole(picture)
        change = difference(before, picture)
        allowed = change.pop("allowed", None)
        line = {"on": before.seq, "change": change}
        return encode(line if allowed is None else line | {"allowed": allowed})

    def _wake_at_next_beat(self) -> None:
        """A picture moves the beat only when the alarm comes: changes follow each other, alarms cost."""
        self._alarm = self._timers.call_at(self._said_ns + BEAT_NS, self._beat)

    def _beat(self) -> None:
        self._alarm = None
        if not self._watchers or self._picture is None:
            return
        now_ns = self._timers.boot_ns()
        if now_ns < self._said_ns + BEAT_NS:
            self._wake_at_next_beat()
            return
        beat = Beat(beat=self._picture.seq, session=self._picture.session, as_of_ms=now_ns // 1_000_000)
        line = encode({"beat": beat})
        for client in self._watchers:
            client.stream("beat", line)
        self._said_ns = now_ns
        self._wake_at_next_beat()


def _whole(picture: Picture) -> bytes:
    return encode({"picture": picture})


# What the links process asks: of a leader and of a follower.


Followed = AskFollow | AskWatchUplink | AskUplinkDone
HallRequest = AskLink | AskSettle | AskKeepTerm | AskHallCommand | Followed
BROKEN_OFF = Sentence("defect.broken_off_unnamed")
NO_LINKS = Sentence("link.none_is_set")
NO_LEADER = Sentence("link.does_not_lead")
NO_FOLLOWER = Sentence("link.does_not_follow")


class HallRequests:
    """`end` is what this core is among the halls, None where it plays for itself; `own` is what it is known
    by there, and `keep` writes its lease down: OSError, on a thread."""

    def __init__(
        self,
        end: Leader | Follower | None,
        *,
        tasks: Tasks,
        threads: Threads,
        own: LinkAnswer,
        keep: Callable[[AskKeepTerm], None],
    ) -> None:
        self._end = end
        self._tasks = tasks
        self._threads = threads
        self._own = own
        self._keep = keep

    def answer(self, client: ClientConnection, request: HallRequest) -> None:
        if isinstance(request, AskLink) and self._end is not None:
            settle = self._end.tell(request)
            client.send(encode(replace(self._own, id=request.id, settle=settle)))
        elif isinstance(request, AskKeepTerm) and isinstance(self._end, Leader):
            work, then = (
                partial(self._keep_term, request),
                partial(self._kept, client.begin(request), request),
            )
            by_thread(self._threads, work, then, broken=BROKEN_OFF, name="keeps the term")
        elif isinstance(request, AskSettle) and isinstance(self._end, Leader):
            unproven = request.lead and self._own.lease_key is None
            against = (
                Sentence("link.no_pairing_key", hall=request.hall) if unproven else self._end.settle(request)
            )
            refusal = None if against is None else encode_error(request.id, against, request.language)
            client.send(refusal or encode(DoneAnswer(id=request.id)))
        elif isinstance(request, AskHallCommand) and isinstance(self._end, Leader):
            self._tasks.start(client.begin(request).fill(partial(_carried_out, request, self._end)))
        elif isinstance(request, Followed) and isinstance(self._end, Follower):
            client.send(_followed(client, request, self._end))
        else:
            client.send(encode_error(request.id, self._against(request), request.language))

    def _keep_term(self, request: AskKeepTerm) -> Sentence | None:
        """On the thread."""
        try:
            self._keep(request)
        except OSError as error:
            return Sentence("link.decision_not_kept", why=why(error))
        return None

    def _kept(self, later: Later, request: AskKeepTerm, unkept: Sentence | None) -> None:
        """On the loop: a links process that is started anew is told this term."""
        if unkept is None:
            self._own = replace(self._own, term=request.term, over=tuple(request.over))
            later.send(encode(DoneAnswer(id=request.id)))
        else:
            later.send(encode_error(request.id, unkept, request.language))

    def _against(self, request: HallRequest) -> Sentence:
        if self._end is None:
            return NO_LINKS
        return NO_LEADER if isinstance(request, AskHallCommand | AskSettle | AskKeepTerm) else NO_FOLLOWER


async def _carried_out(request: AskHallCommand, leader: Leader) -> bytes:
    answer = await leader.hall_command(request)
    if leader.decided(request):
        return encode_answer(request, answer)
    return encode_error(request.id, answer.reasons[0], request.language)


def _followed(client: ClientConnection, request: Followed, follower: Follower) -> bytes:
    if isinstance(request, AskWatchUplink):
        follower.outbox.watch(client)
        return encode(News())
    if isinstance(request, AskUplinkDone):
        follower.done(request)
    else:
        follower.hear(request)
    return encode(DoneAnswer(id=request.id))


# The last actions of the game for whoever asks, and what undoing them would leave. Nothing is done.


NS_PER_MS = 1_000_000


def answer_about_actions(loop: GameLoop, request: AskActions, boot_ns: int) -> bytes:
    """The answer's line, as of `boot_ns` (CLOCK_BOOTTIME)."""
    try:
        foreseen = None if request.replace is None else _replaced(loop, request, boot_ns)
    except Malformed as error:
        return encode_malformed(request.id, error.sentence, request.language)
    told = _Teller(loop, request.language, boot_ns).all(foreseen)
    return encode(ActionsAnswer(id=request.id, actions=told))


def _replaced(loop: GameLoop, request: AskActions, boot_ns: int) -> UndoOutcome:
    """What an undo with this replacement would come to."""
    undo = parse_command("undo", {"replace": request.replace})
    try:
        spelled = loop.boards.spelled(undo) if isinstance(undo, Undo) else Undo()
    except NoSuchBoard as error:
        return UndoOutcome(None, (error.sentence,))
    return outcome(loop.game, spelled if isinstance(spelled, Undo) else Undo(), loop.time.game_ns(boot_ns))


class _Teller:
    """Puts what the rules say into JSON, at one moment and in one language."""

    def __init__(self, loop: GameLoop, language: str, boot_ns: int) -> None:
        self._loop = loop
        self._language = language
        self._boot_ns = boot_ns
        self._game_ns = loop.time.game_ns(boot_ns)

    def all(self, replaced: UndoOutcome | None) -> ActionsView:
        loop = self._loop
        found = timeline(loop.game, self._game_ns)
        return ActionsView(
            game_id=loop.game.game_id,
            session=loop.session,
            seq=loop.seq,
            as_of_ms=self._boot_ns // NS_PER_MS,
            actions=[self._action(action) for action in found.done],
            undone=[self._action(action) for action in found.undone],
            outcome=self._outcome(replaced),
        )

    def _outcome(self, found: UndoOutcome | None) -> OutcomeView | None:
        if found is None:
            return None
        if found.unseen:
            return OutcomeView(phase="unseen")
        seen = room(found.game or self._loop.game, self._game_ns)
        return OutcomeView(
            phase=seen.phase,
            round=seen.round,
            side=seen.side,
            paused=seen.paused,
            remaining_ms=seen.remaining_ms,
            open_claims=sum(claim.status == "open" for claim in seen.claims),
            reasons=all_words(found.against, self._language),
            keys=views(found.against),
        )

    def _action(self, action: PastAction) -> ActionView:
        return ActionView(
            id=action.id,
            at_ms=self._loop.time.boot_ns(action.at_ns) // NS_PER_MS,
            source=action.source,
            text=words(action.said, self._language),
            said=view(action.said),
            steps=action.steps,
            outcome=self._outcome(action.outcome),
        )


# Earlier games over the control socket, for scripts: read by one thread at a time, whoever asks.


LINES_AT_ONCE = 200
"""About 100 KB: an answer stays well below the protocol's longest line."""
MOST_WAITING = 16
BUSY = Sentence("archive.busy")
ARCHIVE_BROKEN_OFF = Sentence("archive.broken_off")
"""Told when the reading ends with a defect of this program."""

Reading = AskGames | AskExportLines


@dataclass(frozen=True, slots=True)
class Archive:
    """Readers of the state folder; they block, so they are called on a thread of their own."""

    games: Callable[[], list[GameSummary]]
    lines: Callable[[str], list[str]]
    errors: tuple[type[Exception], ...]


class ArchiveRequests:
    """Answers in the order of asking. Called on the loop only."""

    def __init__(self, archive: Archive, threads: Threads) -> None:
        self._archive = archive
        self._threads = threads
        self._waiting: deque[tuple[Later, Reading]] = deque()
        self._begun: tuple[str, list[str]] | None = None
        """A game of which further parts will be asked for: it is not read again for each."""

    def answer(self, client: ClientConnection, request: Reading) -> None:
        if len(self._waiting) >= MOST_WAITING:
            client.send(encode_error(request.id, BUSY, request.language))
            return
        self._waiting.append((client.begin(request), request))
        if len(self._waiting) == 1:
            self._next()

    def _next(self) -> None:
        _, request = self._waiting[0]

        def work() -> bytes:
            try:
                return self._read(request)
            except self._archive.errors as error:
                return encode_error(request.id, sentence_of(error), request.language)

        broken = encode_error(request.id, ARCHIVE_BROKEN_OFF, request.language)
        by_thread(self._threads, work, self._done, broken=broken, name="reads the journal")

    def _done(self, line: bytes) -> None:
        later, _ = self._waiting.popleft()
        later.send(line)
        if self._waiting:
            self._next()

    def _read(self, request: Reading) -> bytes:
        """On the thread."""
        if isinstance(request, AskGames):
            return encode(GamesAnswer(id=request.id, games=self._archive.games()))
        begun, self._begun = self._begun, None
        if begun is None or begun[0] != request.game or not 0 < request.first < len(begun[1]):
            begun = (request.game, self._archive.lines(request.game))
        lines = begun[1]
        part = lines[request.first : request.first + LINES_AT_ONCE]
        more = request.first + len(part) < len(lines)
        if more:
            self._begun = begun
        return encode(ExportLinesAnswer(id=request.id, lines=part, more=more))


NOT_LOOKED = Sentence("tables.not_looked")
"""Told when the look through the tables ends with a defect of this program."""

TableRequest = AskTables | AskWatchTables | AskRoster | AskSetRoster | AskTable | AskFirmware


def _answering(client: ClientConnection, request: AskSetRoster | AskTable) -> RosterAnswered:
    later = client.begin(request)
    return lambda reasons: later.send(encode_change(request, reasons))


MISTYPED = 9
"""So many wrong PINs an hour are no guessing."""
PIN_SHOWN_NS = 3_600_000_000_000
"""How long the director is told after the last wrong PIN."""

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
        firmware: FirmwareUpdate,
        outputs: Outputs,
        seats: SeatClaims,
        stick: StickJob,
        copy: CopyDecision,
        settings: SettingsRequests,
        chooser: ButtonChooser,
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
        self._tables = tables
        self._testing = testing
        self._firmware = firmware
        self._seats = seats
        self._stick = stick
        self._copy = copy
        self._settings = settings
        self._chooser = chooser
        self._halls = halls
        self._outputs = outputs
        self._guessed: Alarm | None = None
        """Ends the warning that somebody guesses the PIN."""
        self._speaker = speaker
        self._simulation = simulation

    def answer(self, client: ClientConnection, request: Request) -> None:
        match request:
            case AskPicture() | AskWatch():
                answer = PictureAnswer(id=request.id, picture=self._loop.picture(), software=software.known())
                client.send(encode(answer))
                if isinstance(request, AskWatch):
                    self._feed.add(client, changes=request.changes)
            case AskCommand():
                self._command(client, request)
            case AskActions() | AskMetrics() | AskGames() | AskExportLines() | AskStick() | AskCopy():
                self._of_the_files(client, request)
            case AskPanel() | AskSim():
                self._simulated(client, request)
            case AskTables() | AskWatchTables() | AskRoster() | AskSetRoster() | AskTable() | AskFirmware():
                self._of_the_tables(client, request)
            case AskTestBegin() | AskTestKeep() | AskTestEnd() | AskProbe() | AskWatchTest():
                self._testing.answer(client, request)
            case AskShowPin() | AskStaffPages() | AskPinGuesses() | AskSound() | AskButton():
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
                self._of_seats_and_settings(client, request)

    def _of_the_files(
        self,
        client: ClientConnection,
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

    def _of_the_tables(self, client: ClientConnection, request: TableRequest) -> None:
        match request:
            case AskTables() | AskWatchTables():
                self._tell_tables(client, request)
            case AskRoster():
                client.send(encode(RosterAnswer(id=request.id, roster=self._tables.keeper.roster)))
            case AskSetRoster():
                self._tables.actions.set_roster(request.roster, _answering(client, request))
            case AskTable():
                self._tables.actions.do(request.deed, _answering(client, request))
            case AskFirmware():
                self._firmware.answer(client, request)

    def _tell_tables(self, client: ClientConnection, request: AskTables | AskWatchTables) -> None:
        later = client.begin(request)

        def answer(snapshot: TablesSnapshot | None) -> None:
            if snapshot is None:
                later.send(encode_error(request.id, NOT_LOOKED, request.language))
            elif isinstance(request, AskTables):
                later.send(encode(TablesAnswer(id=request.id, tables=snapshot)))
            elif later.end():
                self._tables.news.watch(client, snapshot)

        self._tables.news.ask(answer)

    def _of_seats_and_settings(
        self,
        client: ClientConnection,
        request: AskSeatClaim | AskSeatTaken | AskSeatCodes | AskSettings | AskSetSettings | AskRestart,
    ) -> None:
        match request:
            case AskSettings() | AskSetSettings() | AskRestart():
                self._settings.answer(client, request)
            case AskSeatClaim():
                self._tasks.start(client.begin(request).fill(partial(self._claim, request)))
            case AskSeatTaken():
                self._seats.taken(request.code)
                client.send(encode(DoneAnswer(id=request.id)))
            case AskSeatCodes():
                found = self._seats.printed(request.revoke)
                if isinstance(found, Sentence):
                    client.send(encode_error(request.id, found, request.language))
                else:
                    client.send(encode(SeatCodesAnswer(id=request.id, codes=found)))

    async def _claim(self, asked: AskSeatClaim) -> bytes:
        return encode_answer(asked, await self._seats.claim(asked))

    def _done(self, request: AskShowPin | AskStaffPages | AskPinGuesses | AskSound | AskButton) -> bytes:
        if isinstance(request, AskButton):
            return self._chooser.answer(request)
        if isinstance(request, AskSound):
            return self._sound(request)
        if isinstance(request, AskStaffPages):
            self._outputs.show_staff_pages(request.address, request.fingerprint)
            doubt = None if request.doubt is None else sentence(request.doubt)
            self._loop.report("certificate", "warning", doubt)
        elif isinstance(request, AskPinGuesses):
            self._tell_guesses(request.wrong)
        elif (trouble := self._outputs.show_pin(request.pin)) is not None:
            return encode_error(request.id, trouble, request.language)
        return encode(DoneAnswer(id=request.id))

    def _tell_guesses(self, wrong: int) -> None:
        """So many wrong PINs within the last hour."""
        if wrong <= MISTYPED:
            return
        if self._guessed is None:
            self._loop.note({"pin_guesses": wrong})
        else:
            self._guessed.cancel()
        self._loop.report("pin", "warning", Sentence("pin.guessed", wrong=wrong))
        self._guessed = self._timers.call_at(self._timers.boot_ns() + PIN_SHOWN_NS, self._guessed_no_more)

    def _guessed_no_more(self) -> None:
        self._guessed = None
        self._loop.report("pin", "warning", None)

    def _sound(self, request: AskSound) -> bytes:
        if self._speaker is None:
            return encode_error(request.id, NO_SOUND, request.language)
        self._speaker.do(request.do, minutes=request.minutes, loudspeaker=request.loudspeaker)
        return encode(DoneAnswer(id=request.id))

    def _command(self, client: ClientConnection, request: AskCommand) -> None:
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
            seen=None if request.if_seq is None else SeenPicture(request.if_seq, request.if_session),
        )
        self._tasks.start(client.begin(request).fill(partial(self._carry_out, request, pending)))

    async def _carry_out(self, request: AskCommand, pending: PendingCommand) -> bytes:
        return encode_answer(request, await self._commands.carry_out(pending))

    def _simulated(self, client: ClientConnection, request: AskPanel | AskSim) -> None:
        if self._simulation is None:
            client.send(encode_error(request.id, ONLY_SIMULATED, request.language))
        elif isinstance(request, AskPanel):
            self._simulation.watch(client)
        else:
            try:
                if request.do == "fact":
                    self._simulation.change_fact(str(request.name), request.value)
                else:
                    self._simulation.do(request.do, request.contact, lamp=request.lamp)
            except ValueError as error:
                client.send(encode_malformed(request.id, sentence_of(error), request.language))
            else:
                client.send(encode(DoneAnswer(id=request.id)))


def encode_answer(request: Question[CommandAnswer], answer: Answer) -> bytes:
    """The line that gives this answer to a request."""
    told = CommandAnswer(
        id=request.id,
        accepted=answer.accepted,
        seq=answer.seq,
        reasons=all_words(answer.reasons, request.language) if answer.reasons else [],
        reason_keys=views(answer.reasons) if answer.reasons else [],
        done=answer.done,
    )
    return encode(told)


def _check_names(request: AskCommand) -> None:
    for what, text in (("source", request.source), ("key", request.key)):
        if text is not None and not (1 <= len(text) <= LONGEST_KEY and text.isprintable()):
            raise Malformed(Sentence("range.printable", name=f"`{what}`", least=1, most=LONGEST_KEY))
    if request.source == "system":
        raise Malformed(Sentence("request.source_is_kept"))
