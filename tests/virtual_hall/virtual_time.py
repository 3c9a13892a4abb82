"""A segment of virtual tables with a real master on one virtual clock."""

from typing import Any

from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.requests import Rest, Tune
from pi_controller.bus.values import BusEvent
from pi_controller.virtual_hall.hall import MASTER, SimulatedSegment

BAUD = 250_000
BEGAN_US = 5_000_000_000
"""CLOCK_BOOTTIME when the hall's time is 0: above 2^32, so that what is cut to 32 bits shows."""


class Drive:
    """`now_us` is the hall's time; the master's is BEGAN_US later."""

    def __init__(
        self, segment: SimulatedSegment, *, name: str = "A", epoch: int = 1, baud: int = BAUD
    ) -> None:
        self.segment = segment
        self.now_us = 0
        self.silent = False
        self.events: list[tuple[int, BusEvent]] = []
        self._salt = 0
        self.master = SegmentMaster(name=name, epoch=epoch, salt=self._next_salt, baud=baud)

    def new_master(self, epoch: int) -> None:
        self.master = SegmentMaster(name="A", epoch=epoch, salt=self._next_salt, baud=BAUD)

    def master_us(self) -> int:
        return BEGAN_US + self.now_us

    def of(self, kind: type) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]

    def run(self, until_us: int) -> None:
        """Everything that happens up to this time."""
        while True:
            rest_us = until_us if self.silent else self._act()
            at_us = min(rest_us, self.segment.next_us(), until_us)
            self.now_us = max(at_us, self.now_us)
            heard = self.segment.advance(self.now_us)
            if not self.silent:
                events = self.master.received(heard, self.master_us())
                self.events += [(self.now_us, event) for event in events]
            if at_us >= until_us:
                return

    def run_for(self, us: int) -> None:
        self.run(self.now_us + us)

    def _act(self) -> int:
        while not isinstance(step := self.master.next(self.master_us()), Rest):
            if isinstance(step, Tune):
                self.segment.cable.set_baud(MASTER, step.baud)
            else:
                self.segment.cable.talk(MASTER, step.data, self.now_us)
        return step.until_us - BEGAN_US

    def _next_salt(self) -> int:
        self._salt = (self._salt * 25173 + 13849) % 65536
        return self._salt
