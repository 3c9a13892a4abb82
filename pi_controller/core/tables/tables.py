"""Connects the table nodes with the loop: the loop's pictures go to them, their events come to the loop."""

import logging
from collections.abc import Callable

import msgspec

from pi_controller.bus.diagnosis import diagnose
from pi_controller.bus.values import (
    BusEvent,
    ButtonHeard,
    ClaimHeard,
    NodeChanged,
    SegmentChanged,
    SegmentSnapshot,
    TableState,
    WithdrawalHeard,
)
from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.runtime import Alarm, Numbers, Tasks, Threads, Timers, by_thread, next_turn
from pi_controller.core.tables import state as tables_report
from pi_controller.core.tables.claims import ClaimInterceptor, PressTimes, TableClaims
from pi_controller.core.tables.roster import Enrolment, Offer, RosterKeeper, TableActions, offers, places
from pi_controller.core.tables.state import table_state
from pi_controller.hal.roles import TableBus
from pi_controller.language.words import words
from pi_controller.protocol.picture import NamesShown, Picture
from pi_controller.protocol.server import ClientConnection
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.roster.store import CalibrationFile
from pi_controller.sentence import Sentence

# Snapshots of the tables for clients. Made on a thread, since it takes milliseconds for 256 tables.


Take = Callable[[], Callable[[], TablesSnapshot]]
"""Called on the loop, takes the present state; the function that it returns is called on the thread."""

_encoder = msgspec.json.Encoder()


class TableChanges:
    """Called on the loop only."""

    def __init__(self, take: Take, threads: Threads) -> None:
        self._take = take
        self._threads = threads
        self._watchers: set[ClientConnection] = set()
        self._busy = False
        self._told = b""

    def ask(self, done: Callable[[TablesSnapshot | None], None]) -> None:
        """Request a snapshot; `done` gets it on the loop, or None if making it failed by a defect."""
        by_thread(self._threads, self._take(), done, broken=None, name="looks through the tables")

    def watch(self, client: ClientConnection, snapshot: TablesSnapshot) -> None:
        """Send this client the tables' state now and at each change."""
        client.on_close.append(lambda: self._watchers.discard(client))
        self._watchers.add(client)
        client.stream("tables", _line(snapshot))

    def look(self) -> None:
        """Send changes to the watchers; does nothing while the last look is still running."""
        if self._watchers and not self._busy:
            self._busy = True
            make = self._take()
            name = "looks through the tables"
            by_thread(self._threads, lambda: _line(make()), self._tell, broken=b"", name=name)

    def _tell(self, line: bytes) -> None:
        self._busy = False
        if line in (b"", self._told):
            return
        self._told = line
        for client in self._watchers:
            client.stream("tables", line)


def _line(snapshot: TablesSnapshot) -> bytes:
    return _encoder.encode({"tables": snapshot}) + b"\n"


# Conditions of segments and nodes, for the director, the journal and the log.


log = logging.getLogger(__name__)

NOTE_AGAIN_NS = 10_000_000_000
"""Least time between two notes about a segment or node, so that a loose plug does not fill the journal."""


class SegmentsHealth:
    """Called on the loop only."""

    def __init__(self, loop: GameLoop, timers: Timers) -> None:
        self._loop = loop
        self._timers = timers
        self._noted_ns: dict[str, int] = {}

    def changed(self, segment: str, found: Sentence | None) -> None:
        """Set the segment's condition; None: in order. The game goes on in any case."""
        self._loop.report(f"segment {segment}", "warning", found)
        sentence = None if found is None else words(found)
        if self._may_note(segment):
            if sentence is not None:
                log.warning("%s", sentence)
            self._loop.note({"segment": segment, "condition": sentence})

    def node(self, event: NodeChanged, name: str) -> None:
        """A node has appeared, gone or changed."""
        if self._may_note(event.uid):
            log.info("table %s (node %s) on segment %s is %s", name, event.uid, event.segment, event.state)
            self._loop.note({"node": event.uid, "name": name, "on": event.segment, "state": event.state})

    def _may_note(self, what: str) -> bool:
        now_ns = self._timers.boot_ns()
        if now_ns - self._noted_ns.get(what, now_ns - NOTE_AGAIN_NS) < NOTE_AGAIN_NS:
            return False
        self._noted_ns[what] = now_ns
        return True


LOOK_NS = 500_000_000
"""Shortest interval between messages to watchers."""
ASK_AGAIN_NS = 10_000_000_000
"""Interval at which open claims are submitted again, in case one was lost."""
NOTE_NS = 60_000_000_000
SPARE_AFTER_LOOKS = 20
"""Looks (10 s) after which a spare node takes a lost one's place by itself."""


class Tables:
    """Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        commands: CommandQueue,
        tasks: Tasks,
        tap: ClaimInterceptor,
        bus: TableBus,
        keeper: RosterKeeper,
        timers: Timers,
        threads: Threads,
        brightness: int,
        languages: tuple[str, ...],
        times: PressTimes,
        calibration: CalibrationFile,
        replace_automatically: bool = False,
    ) -> None:
        self.keeper = keeper
        self._tap = tap
        self._named: NamesShown | None = None
        """The newest `identify` of a picture."""
        self._picture: Picture | None = None
        """The newest picture."""
        self._expected: tuple[Picture, TableState] | None = None
        self._says = False
        """True while there is a message from the director."""
        self._claims_mode = loop.game.state.claims_mode
        self._loop = loop
        self._bus = bus
        self._timers = timers
        self._threads = threads
        self._brightness = brightness
        self._languages = languages
        self._replace_automatically = replace_automatically
        self._calibration = calibration
        self._asked_again_ns = timers.boot_ns()
        self.news = TableChanges(self._take, threads)
        self._alarm: Alarm | None = None
        self._following = False
        self._noted: tuple[int, tuple[SegmentSnapshot, ...]] = (timers.boot_ns(), ())
        self._offered: dict[Offer, int] = {}
        self._health = SegmentsHealth(loop, timers)
        self._claims = TableClaims(
            loop=loop,
            commands=commands,
            tasks=tasks,
            bus=bus,
            tap=tap,
            keeper=keeper,
            timers=timers,
            times=times,
        )
        self._enrolment = Enrolment(bus=bus, keeper=keeper, timers=timers)
        self.actions = TableActions(loop=loop, bus=bus, keeper=keeper, enrolment=self._enrolment)

    def begin(self) -> None:
        """Begin the regular looks, until `stop`."""
        self._look()

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def show(self, picture: Picture) -> None:
        """Send a new picture to the tables, and then the outcomes of their claims."""
        if self._bus.wired:
            self._show_state(picture)
        self._claims_mode = picture.claims_mode
        if picture.identify != self._named:
            self._named = picture.identify
            if picture.identify is not None and picture.identify.board is not None:
                self.actions.identify_board(picture.identify.board)
        if not self._following:
            self._following = True
            self._threads.call_on_loop(self._follow)
        self._picture = picture

    def expect(self, picture: Picture) -> None:
        """Prepare for a picture that may come next."""
        if self._bus.wired:
            self._expected = picture, self._state(picture)

    def _show_state(self, picture: Picture) -> None:
        expected, self._expected = self._expected, None
        if expected is None or expected[0] is not picture or expected[1].maintenance != self._tap.maintains:
            state = self._state(picture)
        else:
            state = expected[1]
        self._bus.show(state)
        self._says = state.message != ""

    def heard(self, event: BusEvent) -> None:
        """Handle an event of the bus."""
        if self._tap.takes(event):
            return
        match event:
            case ClaimHeard():
                self._claims.heard(event)
            case WithdrawalHeard():
                self._claims.taken_back(event.claim)
            case ButtonHeard():
                self._enrolment.pressed(event.uid, event.side)
            case NodeChanged():
                self._health.node(event, self.keeper.board_of(event.uid))
                if event.state == "good":
                    self._enrolment.came(event.uid)
            case SegmentChanged():
                self._health.changed(event.segment, event.sentence)

    def use(self, *, brightness: int, languages: tuple[str, ...]) -> None:
        """From the next picture on."""
        self._brightness = brightness
        self._languages = languages
        self._expected = None

    def figures(self) -> Numbers:
        return tables_report.figures(self._bus.snapshot())

    def _state(self, picture: Picture) -> TableState:
        return table_state(
            picture,
            offset_us=0,
            brightness=self._brightness,
            maintenance=self._tap.maintains,
            languages=self._languages,
        )

    def _follow(self) -> None:
        self._following = False
        if self._loop.plays:
            self._enrolment.stop()
        if self._picture is not None:
            self._claims.follow(self._picture)

    def _look(self) -> None:
        now_ns = self._timers.boot_ns()
        self._alarm = self._timers.call_at(next_turn(now_ns, LOOK_NS), self._look)
        snapshot = self._bus.snapshot()
        self._tell_health(snapshot)
        self._claims.look()
        self._replace(offers(snapshot, self.keeper.roster))
        if snapshot and now_ns - self._noted[0] >= NOTE_NS:
            note = tables_report.minute_note(self._noted[1], snapshot)
            self._noted = (now_ns, snapshot)
            self._loop.note(note)
        if now_ns - self._asked_again_ns >= ASK_AGAIN_NS:
            self._asked_again_ns = now_ns
            self._bus.ask_again()
        self.news.look()

    def _tell_health(self, snapshot: tuple[SegmentSnapshot, ...]) -> None:
        self._loop.report("roster", "warning", self.keeper.trouble)
        roster = self.keeper.roster
        self._loop.report("tables", "warning", tables_report.silent_boards(snapshot, roster))
        self._loop.report("firmware", "warning", tables_report.outdated_tables(snapshot, roster))
        self._loop.report("words", "warning", tables_report.wordless_tables(snapshot, roster))
        lacking = tables_report.messageless_tables(snapshot, roster) if self._says else None
        self._loop.report("messages", "warning", lacking)

    def _replace(self, found: tuple[Offer, ...]) -> None:
        """Count how long each offer has stood; accept it if the settings say so."""
        self._offered = {offer: self._offered.get(offer, 0) + 1 for offer in found}
        for offer, looks in self._offered.items():
            if self._replace_automatically and looks >= SPARE_AFTER_LOOKS:
                self.actions.replace(offer.board, offer.uid)

    def _take(self) -> Callable[[], TablesSnapshot]:
        """The present state, which does not change while a thread reads it."""
        snapshot, roster = self._bus.snapshot(), self.keeper.roster
        walk, mode = self._enrolment.view, self._claims_mode
        language = self._loop.health.language

        def make() -> TablesSnapshot:
            told = [offer.sentence for offer in offers(snapshot, roster)]
            gains, unreadable = self._calibration.gains()
            if unreadable is not None:
                told.append(unreadable)
            causes = diagnose(snapshot, [places(row.boards) for row in roster.rows])
            return tables_report.snapshot(
                snapshot,
                roster,
                doctor=[*told, *causes],
                enrolment=walk,
                claims_mode=mode,
                language=language,
                gains=gains,
            )

        return make
