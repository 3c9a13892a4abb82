"""A table bus that remembers what it was told and says what a test lets it say; and a hall around it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import structs

from pi_controller.bus.values import (
    ButtonHeard,
    ClaimHeard,
    ClaimOutcome,
    DisplaysView,
    IdentifyWhat,
    JobResult,
    NodeClaim,
    NodeClaimStatus,
    NodeView,
    OrderName,
    Place,
    RoundTripView,
    SegmentJob,
    SegmentSnapshot,
    Side,
    TableState,
    WithdrawalHeard,
)
from pi_controller.core.hardware_test.news import TableTap
from pi_controller.core.runtime import Threads
from pi_controller.core.tables.claims import PressTimes, SeatClaims, StoodStill
from pi_controller.core.tables.roster import RosterKeeper
from pi_controller.core.tables.tables import Tables
from pi_controller.language.words import all_words
from pi_controller.protocol.probes import TablePress
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster import model
from pi_controller.roster.model import Roster
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.roster.store import CalibrationFile, RosterStore
from pi_controller.sentence import Sentence
from tests.core.hall import Hall
from tests.core.hand import MS
from tests.core.hand_threads import HandThreads

LANGUAGES = ("en", "pl")
"""Of the hall."""

SEGMENT = SegmentSnapshot(
    name="A",
    port="/dev/row-A",
    link="open",
    sentence=None,
    baud=250_000,
    good=100,
    crc_errors=1,
    missed=2,
    echoes=3,
    collisions=0,
    reopened=0,
    busy=0.25,
    round_trip=RoundTripView(p50=1.5, p99=3.0),
    nodes=(),
)


def uid(number: int) -> str:
    return f"{number:016x}"


def node(number: int, **changes: Any) -> NodeView:
    """The node with this number, living and well on segment A."""
    well = NodeView(
        uid=uid(number),
        segment="A",
        address=number,
        state="good",
        board=None,
        swapped=False,
        hardware=1,
        firmware="1.0",
        protocols=(1, 1),
        boots=1,
        age_ms=40,
        uptime_min=5,
        supply_v=5.0,
        temperature_c=30,
        reset="power",
        safe_mode=False,
        displays=DisplaysView(sun=True, moon=True),
        good=50,
        missed=1,
        crc_errors=0,
        states_missed=2,
        round_trip_ms=None,
    )
    return structs.replace(well, **changes)


@dataclass
class HandBus:
    """Implements `hal.roles.TableBus`."""

    shown: list[TableState] = field(default_factory=list)
    known: tuple[Place, ...] = ()
    outcomes_told: list[tuple[ClaimOutcome, ...]] = field(default_factory=lambda: [()])
    identified: list[tuple[str | None, str, int]] = field(default_factory=list)
    ordered: list[tuple[str, str]] = field(default_factory=list)
    segments: list[SegmentSnapshot] = field(default_factory=list)
    jobs: list[tuple[SegmentJob, Callable[[JobResult], None]]] = field(default_factory=list)
    revived: int = 0
    asked_again: int = 0
    closed: bool = False
    wired: bool = True

    def show(self, state: TableState) -> None:
        self.shown.append(state)

    def places(self, places: tuple[Place, ...]) -> None:
        self.known = places

    def outcomes(self, outcomes: tuple[ClaimOutcome, ...]) -> None:
        self.outcomes_told.append(outcomes)

    def ask_again(self) -> None:
        self.asked_again += 1

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int) -> None:
        self.identified.append((uid, what, number))

    def order(self, uid: str, what: OrderName, argument: int = 0) -> None:
        self.ordered.append((uid, what))

    def measure(self, job: SegmentJob, report: Callable[[JobResult], None]) -> None:
        self.jobs.append((job, report))

    def snapshot(self) -> tuple[SegmentSnapshot, ...]:
        return tuple(self.segments)

    def beat_ns(self) -> int:
        return 0

    def revive(self) -> None:
        self.revived += 1

    def close(self) -> None:
        self.closed = True

    def have(self, *nodes: NodeView) -> None:
        """One segment with these nodes."""
        self.segments = [structs.replace(SEGMENT, nodes=nodes)]


class TableHall:
    """A hall whose tables are scripted. `saving.work()` lets the roster be kept."""

    def __init__(
        self,
        folder: Path,
        hall: Hall | None = None,
        *,
        roster: Roster | None = None,
        stood_still: StoodStill | None = None,
        replace_automatically: bool = False,
        threads: Threads | None = None,
    ) -> None:
        self.hall = hall or Hall(languages=LANGUAGES)
        self.bus = HandBus()
        self.saving = HandThreads(at_once=False)
        self.store = RosterStore(folder)
        if roster is not None:
            self.store.save(roster)
        self.keeper = RosterKeeper(
            self.store, bus=self.bus, boards=self.hall.loop.boards, threads=threads or self.saving
        )
        self._told: list[Callable[[TablePress], None]] = []
        self.tap = TableTap(keeper=self.keeper, timers=self.hall.timers, pressed=self._pressed)
        self.tables = Tables(
            loop=self.hall.loop,
            commands=self.hall.commands,
            tasks=self.hall.tasks,
            tap=self.tap,
            bus=self.bus,
            keeper=self.keeper,
            timers=self.hall.timers,
            threads=threads or HandThreads(lambda act: self.hall.timers.call_at(0, act)),
            brightness=100,
            languages=LANGUAGES,
            calibration=CalibrationFile(folder),
            times=PressTimes(loop=self.hall.loop, timers=self.hall.timers, stood_still=stood_still),
            replace_automatically=replace_automatically,
        )
        self.hall.loop.showing.show_to(Sentence("part.tables"), self.tables.show)

    def seats(self, codes: SeatCodes | None = None) -> SeatClaims:
        """Claims of phones at these tables; without codes nobody may make one."""
        return SeatClaims(
            loop=self.hall.loop,
            commands=self.hall.commands,
            timers=self.hall.timers,
            threads=HandThreads(),
            keeper=self.keeper,
            codes=codes,
        )

    def tell(self, pressed: Callable[[TablePress], None]) -> None:
        """Who is told of presses under a test."""
        self._told.append(pressed)

    def _pressed(self, press: TablePress) -> None:
        for told in self._told:
            told(press)

    def play(self) -> "TableHall":
        self.hall.play()
        return self

    def claim(self, number: int = 1, side: Side = "sun", *, ago_ms: int = 700, count: int = 1) -> NodeClaim:
        """The node with this number reports its claim whose first contact was so long ago."""
        claim = NodeClaim(uid=uid(number), boots=1, side=side, number=count)
        at_us = (self.hall.timers.boot_ns() - ago_ms * MS) // 1000
        self.tables.heard(ClaimHeard(claim=claim, board=None, at_us=at_us))
        self.hall.move(0)
        return claim

    def take_back(self, claim: NodeClaim) -> None:
        self.tables.heard(WithdrawalHeard(claim=claim, board=None))
        self.hall.move(0)

    def press(self, number: int, side: Side = "sun") -> None:
        self.tables.heard(ButtonHeard(uid=uid(number), side=side))

    def status(self, claim: NodeClaim) -> NodeClaimStatus | None:
        """What its node is told of this claim."""
        return next((one.status for one in self.bus.outcomes_told[-1] if one.claim == claim), None)

    def do(self, **action: Any) -> tuple[str, ...]:
        """The reasons against it; waits for the disk where it is kept."""
        answers: list[tuple[Sentence, ...]] = []
        self.tables.actions.do(TableAction(**action), answers.append)
        if not answers:
            self.saving.work()
        return tuple(all_words(answers[0]))

    @property
    def snapshot(self) -> TablesSnapshot:
        found: list[TablesSnapshot] = []
        self.tables.news.ask(found.append)
        self.hall.move(0)
        return found[0]

    @property
    def claims(self) -> list[tuple[str, str, str, str]]:
        return [(claim.id, claim.board, claim.side, claim.status) for claim in self.hall.picture.claims]


def roster_of(*numbers: int) -> Roster:
    """One row with these nodes at A1, A2, …; 0 stands for no node."""
    roster = model.new_roster(1, len(numbers))
    for place, number in enumerate(numbers, 1):
        if number:
            roster = model.place(roster, f"A{place}", uid(number))
    return roster
