"""The table nodes beside the game: what the loop shows goes to them, what they say comes to the loop."""

from collections.abc import Callable, Sequence

import msgspec

from pi_controller.bus.values import (
    BusEvent,
    ButtonHeard,
    ClaimHeard,
    NodeCensus,
    NodeChanged,
    Place,
    SegmentCensus,
    SegmentChanged,
    TableState,
    WithdrawalHeard,
)
from pi_controller.control.tables import TablesSnapshot
from pi_controller.core import tables_report
from pi_controller.core.control_server import Client
from pi_controller.core.enrolment import Enrolment
from pi_controller.core.loop import GameLoop
from pi_controller.core.metrics import Numbers
from pi_controller.core.roster_keeper import RosterKeeper, places
from pi_controller.core.segments_health import SegmentsHealth
from pi_controller.core.spares import Offer, offers
from pi_controller.core.table_claims import StoodStill, TableClaims
from pi_controller.core.table_deeds import TableDeeds
from pi_controller.core.table_state import table_state
from pi_controller.core.timers import Alarm, Timers
from pi_controller.hal.roles import TableBus

LOOK_NS = 500_000_000
"""Watchers hear at most twice a second."""
NOTE_NS = 60_000_000_000
SPARE_AFTER_LOOKS = 20
"""A spare takes a lost board's place by itself when the offer has stood for 10 s."""

Doctor = Callable[[Sequence[SegmentCensus], Sequence[Sequence[Place]]], list[str]]
"""Likely causes from all segments and the places row by row."""
HandOver = Callable[[Callable[[], None]], object]

_encoder = msgspec.json.Encoder()


class Tables:
    """Called on the loop only. `show` takes a state to the bus and only hands over."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        bus: TableBus,
        show: Callable[[TableState], None],
        keeper: RosterKeeper,
        doctor: Doctor,
        timers: Timers,
        hand_over: HandOver,
        brightness: int,
        stood_still: StoodStill | None = None,
        replace_automatically: bool = False,
    ) -> None:
        self.keeper = keeper
        self._loop = loop
        self._bus = bus
        self._show = show
        self._doctor = doctor
        self._timers = timers
        self._hand_over = hand_over
        self._brightness = brightness
        self._replace_automatically = replace_automatically
        self._watchers: set[Client] = set()
        self._alarm: Alarm | None = None
        self._following = False
        self._noted: tuple[int, tuple[SegmentCensus, ...]] = (timers.boot_ns(), ())
        self._offered: dict[Offer, int] = {}
        self._health = SegmentsHealth(loop, timers)
        self._claims = TableClaims(
            loop=loop, bus=bus, board_of=keeper.board_of, boot_ns=timers.boot_ns, stood_still=stood_still
        )
        self._enrolment = Enrolment(
            bus=bus,
            roster=lambda: keeper.roster,
            change=keeper.change,
            nodes=self.nodes,
            timers=timers,
        )
        self.deeds = TableDeeds(
            loop=loop, bus=bus, keeper=keeper, enrolment=self._enrolment, nodes=self.nodes
        )

    def begin(self) -> None:
        """Look after the tables from now on, until `stop`."""
        self._look()

    def stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def show(self) -> None:
        """The loop shows something new: the tables get it at once, their claims' fate right afterwards."""
        game, time = self._loop.game, self._loop.time
        state = table_state(game, time, self._timers.boot_ns(), brightness=self._brightness)
        self._show(state)
        if not self._following:
            self._following = True
            self._hand_over(self._follow)

    def heard(self, event: BusEvent) -> None:
        """The bus has heard something."""
        match event:
            case ClaimHeard():
                self._claims.heard(event.claim, event.at_us)
            case WithdrawalHeard():
                self._claims.taken_back(event.claim)
            case ButtonHeard():
                self._enrolment.pressed(event.uid, event.side)
            case NodeChanged():
                if event.state == "good":
                    self._enrolment.came(event.uid)
            case SegmentChanged():
                self._health.changed(event.segment, event.sentence)

    def nodes(self) -> tuple[NodeCensus, ...]:
        return tuple(node for segment in self._bus.census() for node in segment.nodes)

    def snapshot(self) -> TablesSnapshot:
        return self._snapshot(self._bus.census())

    def watch(self, client: Client) -> None:
        """Tell this client of the tables, now and at each change."""
        self._watchers.add(client)
        client.on_close.append(lambda: self._watchers.discard(client))
        client.stream("tables", _line(self.snapshot()))

    def figures(self) -> Numbers:
        return tables_report.figures(self._bus.census())

    def _follow(self) -> None:
        self._following = False
        if self.deeds.clock_runs:
            self._enrolment.stop()
        self._claims.follow()

    def _look(self) -> None:
        now_ns = self._timers.boot_ns()
        self._alarm = self._timers.call_at(now_ns + LOOK_NS, self._look)
        census = self._bus.census()
        self._tell_health(census)
        self._replace(offers(census, self.keeper.roster))
        if census and now_ns - self._noted[0] >= NOTE_NS:
            note = tables_report.minute_note(self._noted[1], census)
            self._noted = (now_ns, census)
            self._loop.note(note)
        if self._watchers:
            line = _line(self._snapshot(census))
            for client in self._watchers:
                client.stream("tables", line)

    def _tell_health(self, census: tuple[SegmentCensus, ...]) -> None:
        self._loop.report("roster", "warning", self.keeper.trouble)
        self._loop.report("tables", "warning", tables_report.silent_boards(census, self.keeper.roster))

    def _replace(self, found: tuple[Offer, ...]) -> None:
        """Count for how long each offer stands; take it where the settings say so."""
        self._offered = {offer: self._offered.get(offer, 0) + 1 for offer in found}
        for offer, looks in self._offered.items():
            if self._replace_automatically and looks >= SPARE_AFTER_LOOKS:
                self.deeds.replace(offer.board, offer.uid)

    def _snapshot(self, census: tuple[SegmentCensus, ...]) -> TablesSnapshot:
        roster = self.keeper.roster
        told = [offer.sentence for offer in offers(census, roster)]
        return tables_report.snapshot(
            census,
            roster,
            doctor=[*told, *self._doctor(census, [places(row.boards) for row in roster.rows])],
            enrolment=self._enrolment.view,
            claims_mode=self._loop.game.state.claims_mode,
        )


def _line(snapshot: TablesSnapshot) -> bytes:
    return _encoder.encode({"tables": snapshot}) + b"\n"
