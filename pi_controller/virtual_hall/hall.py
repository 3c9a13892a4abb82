"""All virtual tables of the hall on the cables of their segments: how they are made, what is done to them
and what they show.
"""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from pi_controller.bus.frame import FIRST_NODE, LAST_NODE, UNASSIGNED, decode, encode
from pi_controller.bus.messages import Assign, to_frame
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.paths import virtual_segments, virtual_uid
from pi_controller.protocol.simulated import (
    SIDED,
    VALUES,
    DisplayPicture,
    Do,
    LampLevels,
    TablePicture,
    VirtualAction,
)
from pi_controller.sentence import Sentence
from pi_controller.supply.zone import SupplyWiring, proposed, row_volts
from pi_controller.virtual_hall.board import IDEAL, SUPPLY_V, VirtualBoard, draw
from pi_controller.virtual_hall.cable import NEVER, Cable
from pi_controller.virtual_hall.table import HEIGHT, WIDTH, Firmware, Table, VirtualDisplay
from pi_controller.vocabulary import SIDES
from table_node.update import KEY

# The supply wires and the spare wire of a row of virtual tables: what arrives at each, and what may be wrong
# with them.


LOOK_US = 100_000
"""What the tables take is looked at as often as this."""
OFF_V, ON_V = 10.0, 12.1
"""A node's lockout switches it off below the one and on again above the other (hardware/spice)."""
HOPS_DIFFER = 0.1
SUPPLIES_DIFFER_V = 0.5
"""2 % of 24 V, as makers of supplies allow themselves."""
ONE_WIRE = 0.5
"""One broken wire of a rail's two adds so much of a hop's resistance."""
_AT_A_PLACE: tuple[VirtualAction, ...] = ("contact", "one_wire", "plug", "spare", "dead_supply")


class RowWires:
    """Of `tables` in their order, at the positions 1, 2, …; `is_cut` says of a position whether the cable
    before it is cut: its bus wires and its spare wire are, its supply wires are not. The row is fed as the
    power budget proposes.

    Hops and supplies differ as drawn from `random`; with None all are alike.
    """

    def __init__(
        self, tables: Sequence[Table], *, is_cut: Callable[[int], bool], random: Random | None
    ) -> None:
        wiring = SupplyWiring()
        self._tables = tuple(tables)
        self._is_cut = is_cut
        self._zones = proposed(wiring, [len(self._tables)]).rows[0]
        self._hop_ohm = wiring.hop_ohm
        self._spread = [1 + _within(random, HOPS_DIFFER) for _ in self._tables]
        self._source_v = [SUPPLY_V + _within(random, SUPPLIES_DIFFER_V) for _ in self._zones]
        self._wrong: dict[VirtualAction, dict[int, float]] = {name: {} for name in _AT_A_PLACE}
        """Each fault where it is, with its value: ohms that the hop before a position has more than its cable
        (`contact`), or the table's own plugs (`plug`); a broken wire in the cable before it (`one_wire`,
        `spare`); a zone, counted from 0, without its supply (`dead_supply`)."""
        self._terminator = True
        self._reckoned: tuple[list[float], list[float], list[float]] | None = None
        """Watts, ohms and supplies of which the rails were reckoned."""
        self._rails: list[float] = []
        self.due_us = 0
        """When to `look`; at once after a change."""
        self._reckon()
        for place, table in enumerate(self._tables):
            table.board.rail_v = partial(self.volts, place + 1)
            table.board.loop_closed = partial(self.loop_closed, place + 1)

    def volts(self, position: int) -> float:
        """At this table's node, when the row was looked at last."""
        rail_v = self._rails[position - 1]
        amps = self._tables[position - 1].watts() / max(rail_v, 1.0)
        return rail_v - self._wrong["plug"].get(position, 0.0) * amps

    def loop_closed(self, position: int) -> bool:
        """Whether the spare wire is whole from this table to the terminator behind the last one."""
        beyond = range(position + 1, len(self._tables) + 1)
        return self._terminator and not any(at in self._wrong["spare"] or self._is_cut(at) for at in beyond)

    def spoil(self, do: VirtualAction, position: int, value: float, now_us: int) -> None:
        """What an action, whose fields have been checked, does here; a `value` of 0 undoes it."""
        self.due_us = now_us
        if do == "terminator":
            self._terminator = value > 0
            return
        at = self._zone(position) if do == "dead_supply" else position
        if value:
            self._wrong[do][at] = value
        else:
            self._wrong[do].pop(at, None)

    def mend(self, position: int, *faults: VirtualAction, now_us: int) -> None:
        """These are no longer wrong at this position."""
        self.due_us = now_us
        for name in faults:
            self._wrong[name].pop(position, None)

    def faults(self, position: int) -> list[VirtualAction]:
        """What is wrong with the cable before this table, its plugs, the supply of its zone and the segment's
        terminator."""
        zone = self._zone(position)
        found = [
            name for name in _AT_A_PLACE if (zone if name == "dead_supply" else position) in self._wrong[name]
        ]
        return found if self._terminator else [*found, "terminator"]

    def next_us(self) -> int:
        """When to `look` next; NEVER while no table takes or waits for anything."""
        return self.due_us if any(table.alive or table.starved for table in self._tables) else NEVER

    def look(self, now_us: int) -> None:
        """What the tables take now, and what then arrives; who gets too little goes out, and who gets enough
        again starts."""
        self.due_us = now_us + LOOK_US
        for table, volts in zip(self._tables, self._rails, strict=True):
            if table.starved and volts >= ON_V:
                table.feed(now_us)
        self._reckon()
        while (lowest := self._lowest()) is not None:
            self._tables[lowest].starve(now_us)
            self._reckon()

    def _lowest(self) -> int | None:
        """Of the tables that are on and get too little, the one that goes out first."""
        low = [
            place
            for place, (table, volts) in enumerate(zip(self._tables, self._rails, strict=True))
            if volts < OFF_V and not table.starved
        ]
        return min(low, key=lambda place: (self._rails[place], -self._hops_to(place)), default=None)

    def _hops_to(self, place: int) -> int:
        """Cables between the injector and the table at this place, counted from 0."""
        behind = self._zones[self._zone(place + 1)].injector_after
        return place - behind + 1 if place >= behind else behind - place

    def _zone(self, position: int) -> int:
        return next(at for at, zone in enumerate(self._zones) if position <= zone.last)

    def _reckon(self) -> None:
        watts = [table.watts() for table in self._tables]
        ohms = [self._ohm(position) for position in range(1, len(self._tables) + 1)]
        source_v = [0.0 if at in self._wrong["dead_supply"] else v for at, v in enumerate(self._source_v)]
        if self._reckoned != (watts, ohms, source_v):
            self._reckoned = watts, ohms, source_v
            back_ohm = self._hop_ohm
            self._rails = row_volts(self._zones, source_v=source_v, watts=watts, ohms=ohms, back_ohm=back_ohm)

    def _ohm(self, position: int) -> float:
        usual = self._hop_ohm * self._spread[position - 1]
        one_wire = ONE_WIRE * (position in self._wrong["one_wire"])
        return usual * (1 + one_wire) + self._wrong["contact"].get(position, 0.0)


def _within(random: Random | None, most: float) -> float:
    return 0.0 if random is None else random.uniform(-most, most)


MASTER = 0


class SimulatedSegment:
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


class TablePosition(NamedTuple):
    """Where a table stands."""

    segment: str
    position: int


class VirtualHall:
    """So many tables, 1 to 256, plugged in at time 0. Parts differ within their data sheets, each as drawn
    anew for its table; the same seed gives the same parts and faults. In an `ideal` hall none differs. `key`:
    the controller's, which all of them have; None: they have none."""

    def __init__(
        self,
        tables: int,
        firmware: Firmware,
        *,
        seed: int = 1,
        sparing: bool = False,
        ideal: bool = False,
        key: bytes | None = None,
    ) -> None:
        self.segments: dict[str, SimulatedSegment] = {}
        self.tables: dict[str, Table] = {}
        self._wires: dict[str, RowWires] = {}
        self._seats: dict[str, TablePosition] = {}
        self._sparing = sparing
        self._ideal = ideal
        self._key = key
        for name, count in virtual_segments(tables).items():
            self.segments[name] = self._build(name, count, firmware, seed)

    def _build(self, name: str, count: int, firmware: Firmware, seed: int) -> SimulatedSegment:
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
            if self._key is not None:
                board.flash.kept[KEY] = self._key
            table = Table(firmware, board, sparing=self._sparing)
            table.revive(len(self.tables) * ONE_BY_ONE_US if self._sparing else 0)
            tables.append(table)
            self.tables[uid] = table
            self._seats[uid] = TablePosition(name, position)
        random = None if self._ideal else _chance(seed, name, "wires")
        self._wires[name] = RowWires(tables, is_cut=cable.is_cut, random=random)
        return SimulatedSegment(cable, tables, self._wires[name])

    def do(self, action: Do, now_us: int) -> None:
        """Raises Malformed with a sentence when it cannot be done."""
        if action.uid not in self.tables:
            raise Malformed(Sentence("simulated.no_such_table", uid=repr(action.uid)))
        _check(action)
        table, seat = self.tables[action.uid], self._seats[action.uid]
        segment, wires = self.segments[seat.segment], self._wires[seat.segment]
        cable, position, value = segment.cable, seat.position, action.value or 0.0
        side = SIDES.index(action.side or "sun")
        held_s = HOLD_S if action.value is None else value
        acts: dict[VirtualAction, Callable[[], object]] = {
            "press": partial(table.press, side, now_us),
            "release": partial(table.release, side, now_us),
            "hold": partial(table.hold, side, now_us + round(held_s * 1e6), now_us),
            "halt": partial(table.halt, now_us),
            "revive": partial(table.revive, now_us),
            "reboot": partial(table.reboot, now_us),
            "duplicate": partial(_duplicate, segment, table),
            "cut": partial(cable.cut, position),
            "babble": partial(cable.babble, position),
            "hush": partial(cable.hush, position),
            "echo": partial(setattr, cable.hearing(MASTER), "echo", bool(value)),
            "loss": partial(cable.lose, value),
        }
        if action.do in acts:
            acts[action.do]()
        elif action.do == "mend":
            cable.mend(position)
            wires.mend(position, "contact", "one_wire", "spare", now_us=now_us)
        elif action.do == "mended":
            table.mend(now_us)
            wires.mend(position, "plug", now_us=now_us)
            cable.noise(position, 0.0)
        elif action.do in (*_AT_A_PLACE, "terminator"):
            wires.spoil(action.do, position, value, now_us)
        else:
            table.board.defects.spoil(action)
            table.changed(now_us, flashed=action.do == "firmware")
            cable.noise(position, table.board.defects.noise)

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


def _duplicate(segment: SimulatedSegment, table: Table) -> None:
    """The table believes that the address of the next one in the segment is its own."""
    here = segment.tables.index(table)
    others = [*segment.tables[here + 1 :], *segment.tables[:here]]
    address = next((found for other in others if (found := _address(other))), None)
    if address is None:
        raise Malformed(Sentence("simulated.no_address_to_double"))
    uid = table.board.uid.hex()
    assign = Assign(uid=uid, address=address, swap=False, board="", brightness=128)
    segment.slip_in(table, encode(to_frame(assign, dst=UNASSIGNED, src=MASTER, seq=0)))


def _address(table: Table) -> int | None:
    """The address with which it talked last."""
    frame = decode(table.board.said[1:-1]) if table.alive else None
    return frame.src if frame is not None and FIRST_NODE <= frame.src <= LAST_NODE else None
