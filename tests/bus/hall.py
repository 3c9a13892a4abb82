"""A segment with its tables on a line with a virtual clock."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.values import ClaimHeard, ClaimOutcome, NodeClaim, NodeClaimStatus, Place, TableState
from tests.bus.tables import Table
from tests.bus.wire import Drive, Wire, run

JOINED_US = 2_000_000
SECOND = 1_000_000


def state(now_us: int, *, paused: bool = False, left_us: int = 35_000_000) -> TableState:
    return TableState(
        as_of_us=now_us,
        phase="round",
        running=not paused,
        paused=paused,
        pause_reasons=("button",) if paused else (),
        seat=0,
        next_seat=1,
        left_us=left_us,
        duration_ms=35_000,
        round=3,
        dice=(3, 4),
    )


class Hall:
    """One segment, with what core has published of its claims."""

    def __init__(
        self,
        tables: int,
        *,
        seed: int = 1,
        baud: int = 250_000,
        loss: float = 0.0,
        echo: bool = False,
        name: str = "A",
        turn_us: tuple[int, int] = (300, 5_000),
    ) -> None:
        self.wire = Wire(baud=baud, seed=seed, loss=loss, echo=echo)
        self.tables = [Table(self.wire, seed * 100 + number, turn_us=turn_us) for number in range(tables)]
        self.places = tuple(Place(uid=table.uid, board=f"A{at}") for at, table in enumerate(self.tables, 1))
        self.name = name
        self.outcomes: dict[NodeClaim, ClaimOutcome] = {}
        self.drive = self.new_master(epoch=seed)

    def new_master(self, *, epoch: int) -> Drive:
        master = SegmentMaster(
            name=self.name, epoch=epoch, salt=lambda: self.wire.chance.randrange(65_536), baud=self.wire.baud
        )
        master.places(self.places)
        self.drive = Drive(self.wire, master)
        self.show()
        return self.drive

    @property
    def master(self) -> SegmentMaster:
        return self.drive.master

    @property
    def now(self) -> int:
        return self.wire.now

    def show(self, **changes: bool | str | int) -> None:
        self.master.show(replace(state(self.wire.now), **changes))  # type: ignore[arg-type]

    def run(self, us: int, *, settling: bool = False) -> None:
        """So long; with `settling`, core answers every claim within 5 ms."""
        end = self.wire.now + us
        while settling and self.wire.now + 5_000 < end:
            run(self.wire, self.wire.now + 5_000, self.drive)
            self.publish("open", *[event.claim for event in self.drive.of(ClaimHeard)])
        run(self.wire, end, self.drive)

    def publish(self, status: NodeClaimStatus, *claims: NodeClaim) -> None:
        """Core publishes that these have become so, and of the others what it has published before."""
        at_us = {event.claim: event.at_us for event in self.drive.of(ClaimHeard)}
        for claim in claims:
            became = ClaimOutcome(claim=claim, at_us=at_us.get(claim, self.now), status=status)
            self.outcomes[claim] = became
        newest = {(one.claim.uid, one.claim.side): one for one in self.outcomes.values()}
        self.master.outcomes(tuple(newest.values()))

    def join(self) -> None:
        self.run(JOINED_US)
        assert all(table.address for table in self.tables)

    def state_of(self, table: Table) -> str:
        return next(node.state for node in self.master.snapshot(self.now).nodes if node.uid == table.uid)


def percentile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def joined(tables: int = 6, **how: Any) -> Hall:
    """When all tables are there."""
    hall = Hall(tables, **how)
    hall.join()
    return hall
