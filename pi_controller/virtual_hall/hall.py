"""All virtual tables of the hall on the cables of their segments: how they are made, what is done to them
and what they show."""

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from pi_controller.bus.frame import FIRST_NODE, LAST_NODE, UNASSIGNED, decode, encode
from pi_controller.bus.messages import Assign, to_frame
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.paths import virtual_segments, virtual_uid
from pi_controller.protocol.virtual_tables import (
    SIDED,
    VALUES,
    DisplayPicture,
    Do,
    LampLevels,
    TablePicture,
)
from pi_controller.sentence import Sentence
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.cable import Cable
from pi_controller.virtual_hall.display import HEIGHT, WIDTH, VirtualDisplay
from pi_controller.virtual_hall.row_wires import RowWires
from pi_controller.virtual_hall.table import Firmware, Table
from pi_controller.virtual_hall.tolerances import IDEAL, draw
from pi_controller.virtual_hall.transmitter import NEVER
from pi_controller.vocabulary import SIDES

MASTER = 0


class Segment:
    """`tables` stand at the ends 1, 2, … of the cable, the master is at 0; `wires` feed them."""

    def __init__(self, cable: Cable, tables: Sequence[Table], wires: RowWires | None = None) -> None:
        self.cable = cable
        self.tables = tables
        self.wires = wires
        self._slipped: list[tuple[Table, bytes]] = []

    def slip_in(self, table: Table, frame: bytes) -> None:
        """Let this table alone hear a frame, as soon as the line is silent."""
        self._slipped.append((table, frame))

    def next_us(self, grain_us: int = 1) -> int:
        """When `advance` has something to do next; NEVER when no table has power and all is silent. Who calls
        it for many tables may have their own moments put off to the next multiple of `grain_us`: `advance`
        gives each its right time all the same."""
        due_us = min([table.due_us for table in self.tables], default=NEVER)
        if self.wires is not None:
            due_us = min(due_us, self.wires.next_us())
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
            if self.wires is not None and self.wires.next_us() <= at_us:
                self.wires.look(at_us)
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


BAUD = 250_000
"""PROTOCOL.md"""
ONE_BY_ONE_US = 15_000
"""Sparing tables are switched on one after the other, so that they do not all ask for an address at once."""
OPTIONAL = ("hold", "dead_lamp")
"""Their value may be missing."""
HOLD_S = 0.8
"""A claim needs 0.6 s."""


class Seat(NamedTuple):
    """Where a table stands."""

    segment: str
    position: int


class VirtualHall:
    """So many tables, 1 to 256, plugged in at time 0. Parts differ within their data sheets, each as drawn
    anew for its table; the same seed gives the same parts and faults. In an `ideal` hall none differs."""

    def __init__(
        self, tables: int, firmware: Firmware, *, seed: int = 1, sparing: bool = False, ideal: bool = False
    ) -> None:
        self.segments: dict[str, Segment] = {}
        self.tables: dict[str, Table] = {}
        self._wires: dict[str, RowWires] = {}
        self._seats: dict[str, Seat] = {}
        self._sparing = sparing
        self._ideal = ideal
        for name, count in virtual_segments(tables).items():
            self.segments[name] = self._build(name, count, firmware, seed)

    def _build(self, name: str, count: int, firmware: Firmware, seed: int) -> Segment:
        cable = Cable(BAUD, count + 1, seed * 256 + len(self.segments))
        tables = []
        for position in range(1, count + 1):
            uid = virtual_uid(len(self.tables) + 1)
            board = VirtualBoard(
                uid=bytes.fromhex(uid),
                say=partial(cable.talk, position),
                tune=partial(cable.set_baud, position),
                tolerances=IDEAL if self._ideal else draw(_chance(seed, uid)),
                random=_chance(seed, uid, "readings"),
            )
            table = Table(firmware, board, sparing=self._sparing)
            table.revive(len(self.tables) * ONE_BY_ONE_US if self._sparing else 0)
            tables.append(table)
            self.tables[uid] = table
            self._seats[uid] = Seat(name, position)
        random = None if self._ideal else _chance(seed, name, "wires")
        self._wires[name] = RowWires(tables, is_cut=cable.is_cut, random=random)
        return Segment(cable, tables, self._wires[name])

    def do(self, action: Do, now_us: int) -> None:
        """Raises Malformed with a sentence when it cannot be done."""
        if action.uid not in self.tables:
            raise Malformed(Sentence("simulated.no_such_table", uid=repr(action.uid)))
        _check(action)
        if action.do in ("press", "release", "hold"):
            self._touch(action, now_us)
        elif action.do in ("reboot", "halt", "revive"):
            self._power(action, now_us)
        elif action.do == "duplicate":
            self._duplicate(action)
        elif action.do in _OF_THE_NODE:
            self._spoil_node(action, now_us)
        elif action.do in _OF_THE_WIRES:
            self._spoil_wires(action, now_us)
        else:
            self._spoil_cable(action, now_us)

    def _touch(self, action: Do, now_us: int) -> None:
        table, side = self.tables[action.uid], SIDES.index(action.side or "sun")
        if action.do == "press":
            table.press(side, now_us)
        elif action.do == "release":
            table.release(side, now_us)
        else:
            held_s = HOLD_S if action.value is None else action.value
            table.hold(side, now_us + round(held_s * 1e6), now_us)

    def _power(self, action: Do, now_us: int) -> None:
        table = self.tables[action.uid]
        if action.do == "halt":
            table.halt()
        elif action.do == "revive":
            table.revive(now_us)
        else:
            table.reboot(now_us)

    def _spoil_node(self, action: Do, now_us: int) -> None:
        table, seat = self.tables[action.uid], self._seats[action.uid]
        if action.do == "mended":
            table.mend(now_us)
            self._wires[seat.segment].mend_plugs(seat.position)
            self._wires[seat.segment].due_us = now_us
        else:
            table.board.defects.spoil(action)
            table.changed(now_us, flashed=action.do == "firmware")
        self.segments[seat.segment].cable.noise(seat.position, table.board.defects.noise)

    def _spoil_wires(self, action: Do, now_us: int) -> None:
        seat = self._seats[action.uid]
        self._wires[seat.segment].spoil(action.do, seat.position, action.value or 0.0)
        self._wires[seat.segment].due_us = now_us

    def _spoil_cable(self, action: Do, now_us: int) -> None:
        seat = self._seats[action.uid]
        cable = self.segments[seat.segment].cable
        if action.do == "cut":
            cable.cut(seat.position)
        elif action.do == "mend":
            cable.mend(seat.position)
            self._wires[seat.segment].mend_cable(seat.position)
            self._wires[seat.segment].due_us = now_us
        elif action.do == "babble":
            cable.babble(seat.position)
        elif action.do == "hush":
            cable.hush(seat.position)
        elif action.do == "echo":
            cable.hearing(MASTER).echo = bool(action.value)
        else:
            for end in range(len(self.segments[seat.segment].tables) + 1):
                cable.hearing(end).loss.part = action.value or 0.0

    def _duplicate(self, action: Do) -> None:
        """The table believes that the address of the next one in the segment is its own."""
        segment = self.segments[self._seats[action.uid].segment]
        table = self.tables[action.uid]
        here = segment.tables.index(table)
        others = [*segment.tables[here + 1 :], *segment.tables[:here]]
        address = next((found for other in others if (found := _address(other))), None)
        if address is None:
            raise Malformed(Sentence("simulated.no_address_to_double"))
        assign = Assign(uid=action.uid, address=address, swap=False, board="", brightness=128)
        segment.slip_in(table, encode(to_frame(assign, dst=UNASSIGNED, src=MASTER, seq=0)))

    def look(self, uid: str) -> tuple[object, ...]:
        """Equal to that of another time when the table's picture is the same."""
        table, seat = self.tables[uid], self._seats[uid]
        cable = self.segments[seat.segment].cable
        glass = ((shown.shown, shown.lower_by, shown.on, shown.level) for shown in table.displays)
        spoilt = (cable.is_cut(seat.position), cable.babbles(seat.position), cable.hearing(MASTER).loss.part)
        wires = (self._supply_v(uid), *self._wires[seat.segment].faults(seat.position))
        return (table.alive, *glass, *table.board.lamps, *spoilt, *wires, repr(table.board.defects))

    def _supply_v(self, uid: str) -> float:
        """At the table's jack, to a tenth of a volt."""
        return round(self.tables[uid].board.volts(), 1)

    def picture(self, uid: str) -> TablePicture:
        table, seat = self.tables[uid], self._seats[uid]
        cable = self.segments[seat.segment].cable
        sun, moon, claim_sun, claim_moon = table.board.seen_lamps()
        return TablePicture(
            uid=uid,
            segment=seat.segment,
            position=seat.position,
            alive=table.alive,
            displays=[_display(table, place) for place in range(2)],
            lamps=LampLevels(sun=sun, moon=moon, claim_sun=claim_sun, claim_moon=claim_moon),
            cut_before=cable.is_cut(seat.position),
            babbling=cable.babbles(seat.position),
            loss=cable.hearing(MASTER).loss.part,
            faults=table.board.defects.names(),
            supply_v=self._supply_v(uid),
            wires=self._wires[seat.segment].faults(seat.position),
        )


def _chance(seed: int, *of: str) -> Random:
    return Random(" ".join([str(seed), *of]))  # noqa: S311 - parts and faults, no secrets


_OF_THE_WIRES = ("contact", "plug", "one_wire", "spare", "dead_supply", "terminator")
_OF_THE_NODE = (
    "supply", "temperature", "drift", "noise", "dark", "stuck", "dead_lamp", "crossed", "firmware", "mended",
)  # fmt: skip


def _check(action: Do) -> None:
    """That it has what it needs."""
    if action.do in SIDED and action.side is None:
        raise Malformed(Sentence("simulated.needs_side", action=action.do))
    if action.do not in VALUES or (action.value is None and action.do in OPTIONAL):
        return
    least, most = VALUES[action.do]
    if action.value is None or not least <= action.value <= most:
        raise Malformed(Sentence("simulated.needs_value", action=action.do, least=least, most=most))


def _display(table: Table, place: int) -> DisplayPicture:
    """What is seen at this place."""
    wrong = table.board.defects
    display = VirtualDisplay() if wrong.dark[place] else table.displays[place ^ wrong.crossed]
    return DisplayPicture(
        side=SIDES[place],
        width=WIDTH,
        height=HEIGHT,
        on=display.on,
        contrast=display.level,
        bits=display.rows(),
    )


def _address(table: Table) -> int | None:
    """The address with which it talked last."""
    frame = decode(table.board.said[1:-1]) if table.alive else None
    return frame.src if frame is not None and FIRST_NODE <= frame.src <= LAST_NODE else None
