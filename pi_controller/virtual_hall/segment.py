"""A segment of virtual tables on its cable, driven by whatever clock the caller has."""

from collections.abc import Sequence

from pi_controller.virtual_hall.cable import Cable
from pi_controller.virtual_hall.mouth import NEVER
from pi_controller.virtual_hall.table import Table

MASTER = 0


class Segment:
    """`tables` stand at the ends 1, 2, … of the cable, the master is at 0."""

    def __init__(self, cable: Cable, tables: Sequence[Table]) -> None:
        self.cable = cable
        self.tables = tables
        self._slipped: list[tuple[Table, bytes]] = []

    def slip_in(self, table: Table, frame: bytes) -> None:
        """Let this table alone hear a frame, as soon as the line is silent."""
        self._slipped.append((table, frame))

    def next_us(self, grain_us: int = 1) -> int:
        """When `advance` has something to do next; NEVER when no table has power and all is silent. Who calls
        it for many tables may have their own moments put off to the next multiple of `grain_us`: `advance`
        gives each its right time all the same."""
        due_us = min([table.due_us for table in self.tables], default=NEVER)
        if due_us != NEVER:
            due_us += -due_us % grain_us
        heard_us = self.cable.next_us()
        return due_us if heard_us is None else min(due_us, heard_us)

    def advance(self, now_us: int) -> bytes:
        """Everything up to this time, in the order in which it happens; what the master has heard."""
        heard = bytearray()
        while (at_us := self.next_us()) <= now_us:
            heard += self._distribute(at_us)
            if self._slipped and self.cable.next_us() is None:
                table, frame = self._slipped.pop(0)
                table.receive(frame, at_us)
            for table in self.tables:
                if table.due_us <= at_us:
                    table.step(at_us)
        return bytes(heard + self._distribute(now_us))

    def _distribute(self, until_us: int) -> bytes:
        """Hand out what has arrived by then; the master's part."""
        master = b""
        for end, data, at_us in self.cable.heard(until_us):
            if end == MASTER:
                master += data
            else:
                self.tables[end - 1].receive(data, at_us)
        return master
