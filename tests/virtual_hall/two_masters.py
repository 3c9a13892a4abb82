"""A segment of virtual tables with two real masters, one at each end of the cable, each with a clock of its own."""

from dataclasses import dataclass, field
from typing import Any

from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.requests import Rest, Tune
from pi_controller.bus.values import BusEvent, Place, TableState
from pi_controller.sentence import Sentence
from pi_controller.virtual_hall.cable import NEVER
from pi_controller.virtual_hall.hall import MASTER, VirtualHall
from pi_controller.virtual_hall.table import start_firmware
from tests.bus.hall import state
from tests.virtual_hall.virtual_time import BAUD

SECOND_US = 1_000_000


@dataclass
class Controller:
    """One master at its end of the cable; `began_us` is its CLOCK_BOOTTIME when the hall's time is 0. It stands in
    the segment where a table would, and has no moments of its own there."""

    end: int
    began_us: int
    epoch: int
    on: bool = True
    events: list[tuple[int, BusEvent]] = field(default_factory=list)
    arrived: bytearray = field(default_factory=bytearray)
    due_us: int = NEVER

    def __post_init__(self) -> None:
        self.salt = self.epoch
        self.master = SegmentMaster(name="A", epoch=self.epoch, salt=self._next_salt, baud=BAUD)

    def receive(self, data: bytes, _at_us: int) -> None:
        if self.on:
            self.arrived += data

    def of(self, kind: type) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]

    def _next_salt(self) -> int:
        self.salt = (self.salt * 25173 + 13849) % 65536
        return self.salt


class Both:
    """`tables` stand between the two; `here` is at the near end, `there` at the far one."""

    def __init__(self, tables: int, *, there_epoch: int = 1, there_on: bool = False) -> None:
        hall = VirtualHall(tables + 1, start_firmware)
        self.segment = hall.segments["A"]
        self.now_us = 0
        self.here = Controller(MASTER, 5_000_000_000, 2)
        self.there = Controller(tables + 1, 70_000_000, there_epoch, on=there_on)
        self.uids = list(hall.tables)[:tables]
        self.tables = [hall.tables[uid] for uid in self.uids]
        self.segment.tables[tables] = self.there  # type: ignore[index]

    def show(self, controller: Controller, *, round_no: int, paused: bool = False) -> None:
        """The game of this controller is in this round."""
        found = state(controller.began_us + self.now_us, paused=paused, left_us=3_000 * SECOND_US)
        controller.master.show(
            TableState(**{name: getattr(found, name) for name in found.__slots__} | {"round": round_no})
        )

    def seat(self, controller: Controller) -> None:
        controller.master.places(tuple(Place(uid=uid, board=f"A{at}") for at, uid in enumerate(self.uids, 1)))

    def run_for(self, us: int) -> None:
        """Everything that happens in so long a time."""
        until_us = self.now_us + us
        while True:
            rests = [self._act(one) for one in (self.here, self.there) if one.on]
            at_us = min([*rests, self.segment.next_us(), until_us])
            self.now_us = max(at_us, self.now_us)
            self.here.receive(self.segment.advance(self.now_us), self.now_us)
            for one in (self.here, self.there):
                data, one.arrived = bytes(one.arrived), bytearray()
                if one.on:
                    events = one.master.received(data, one.began_us + self.now_us)
                    one.events += [(self.now_us, event) for event in events]
            if at_us >= until_us:
                return

    def epochs(self) -> set[int]:
        """Whose picture the tables show; -1: a table has no link."""
        links = [table.program.link for table in self.tables]  # type: ignore[union-attr]
        return {link.epoch if link.alive else -1 for link in links}

    def states(self, controller: Controller) -> list[str]:
        """How this controller sees the tables."""
        snapshot = controller.master.snapshot(controller.began_us + self.now_us)
        known = {node.uid: node.state for node in snapshot.nodes}
        return [known.get(uid, "unknown") for uid in self.uids]

    def sentence(self, controller: Controller) -> Sentence | None:
        return controller.master.snapshot(controller.began_us + self.now_us).sentence

    def _act(self, one: Controller) -> int:
        while not isinstance(step := one.master.next(one.began_us + self.now_us), Rest):
            if isinstance(step, Tune):
                self.segment.cable.set_baud(one.end, step.baud)
            else:
                self.segment.cable.talk(one.end, step.data, self.now_us)
        return step.until_us - one.began_us
