"""Scripted table nodes: what PROTOCOL.md asks of a node, without display and clock of its own."""

import zlib
from collections.abc import Callable

from msgspec.structs import replace

from pi_controller.bus.frame import EVERYBODY, MASTER, UNASSIGNED, Frame, encode, to_u32
from pi_controller.bus.messages import (
    PAUSE_SINCE,
    Assign,
    ClaimReport,
    Discover,
    HealthMessage,
    IdentifyMessage,
    Info,
    Measure,
    Measurements,
    Message,
    Order,
    PauseMessage,
    Ping,
    Poll,
    Pong,
    StateMessage,
    from_frame,
    to_frame,
)
from tests.bus.wire import Wire

HOLD_US = 600_000
SLOW_POLL_TURN_US, LOOK_US = 4_000, 300
Make = Callable[[int, int], Frame]


def uid(number: int) -> str:
    return f"e6614c311b{number:06x}"


class Claiming:
    """One side's claim button."""

    def __init__(self) -> None:
        self.number = 0
        self.at_us = 0
        self.status: str | None = None
        self.acknowledged_us: int | None = None
        self.withdraws = False
        self.pressed_us: int | None = None


class Table:
    def __init__(
        self, wire: Wire, number: int, *, turn_us: tuple[int, int] = (300, 5_000), boots: int = 1
    ) -> None:
        self.wire = wire
        self.uid = uid(number)
        self.turn_us = turn_us
        self.boots = boots
        self.protocols = (1, 1)
        self.address: int | None = None
        self.alive = True
        self.board = ""
        self.swap = False
        self.sides = {"sun": Claiming(), "moon": Claiming()}
        self.polls = 0
        self.pings = 0
        self.measures = 0
        self.reads = Measurements(supply_mv=23_456, spread_mv=27, lamps=1_862, displays=418, loop=True)
        self.knows_measure = True
        self.outdated = False
        """It was told something of its own in a version that it does not speak."""
        self.knows_ping = True
        self.knows_time = True
        self.mangles = False
        """Its answers to PING are whole frames with other bytes."""
        self.ahead_us = 0
        """By how much it takes the master's time to be later than it is."""
        self.polled_us: list[int] = []
        self.state: StateMessage | None = None
        self.state_us = 0
        self.stale_us: list[int] = []
        self.frozen: list[tuple[int, bool]] = []
        """When a pause came (True) or went."""
        self.booted_us = wire.now
        self.identified: Message | None = None
        self.orders: list[Order] = []
        self.errors = 0
        self.quantum_us: int | None = None
        """When set, it answers only at multiples of this, as a firmware with a loop does."""
        self._answer: object | None = None
        self._slotted = False
        wire.nodes.append(self)

    def reboot(self) -> None:
        self.boots = (self.boots + 1) % 256
        self.address = None
        self.state = None
        self.sides = {"sun": Claiming(), "moon": Claiming()}
        self.booted_us = self.wire.now
        self._answer = None

    def hold(self, side: str) -> None:
        """The button is held from now on for long enough."""
        claiming = self.sides[side]
        first = self.wire.now
        claiming.pressed_us = first

        def held() -> None:
            if claiming.at_us and claiming.status not in ("rejected", "withdrawn", "confirmed"):
                claiming.withdraws = True
                return
            claiming.number = claiming.number % 255 + 1
            claiming.at_us = to_u32(first) or 1
            claiming.status = None
            claiming.acknowledged_us = None

        self.wire.at(first + HOLD_US, held)

    def sense(self) -> None:
        """A byte is on the line: who has not begun to answer stays silent."""
        if not self._slotted:
            self._answer = None

    def hear(self, frame: Frame | None) -> None:
        if not self.alive:
            return
        if frame is None:
            self.errors = (self.errors + 1) % 256
            return
        if frame.src == self.address:
            self.address = None
        if frame.src != MASTER or not self._knows(frame):
            return
        self._answer = None
        if frame.dst in (self.address, EVERYBODY, UNASSIGNED):
            self._take(from_frame(frame), frame)

    def _take(self, message: Message, frame: Frame) -> None:
        if isinstance(message, StateMessage):
            self._show(message)
        elif isinstance(message, PauseMessage):
            self._pause(message)
        elif isinstance(message, Assign):
            self._assigned(message, frame)
        elif isinstance(message, Discover):
            self._discovered(message, frame)
        elif isinstance(message, IdentifyMessage) and frame.dst in (self.address, EVERYBODY):
            self.identified = message
        elif frame.dst == self.address and self.protocols[0] == 1:
            self._told(message, frame)

    def _knows(self, frame: Frame) -> bool:
        newer = frame.type in (PauseMessage.layout.type, Measure.layout.type)
        if frame.version > self.protocols[1] and frame.dst == self.address:
            self.outdated = True
        return frame.version == 1 or (newer and frame.version <= self.protocols[1])

    def _pause(self, pause: PauseMessage) -> None:
        shown = self.state
        if shown is None or (pause.epoch, pause.state_seq) != (shown.epoch, shown.state_seq + 1 & 0xFFFF):
            return
        self._note(paused=True)
        self.state = replace(
            shown,
            state_seq=pause.state_seq,
            running=False,
            paused=True,
            counting_in=False,
            resume_in=None,
            left_us=pause.left_us,
            reasons=pause.reasons,
        )

    def _note(self, *, paused: bool) -> None:
        if self.state is not None and self.state.paused != paused:
            self.frozen.append((self.wire.now, paused))

    def _show(self, state: StateMessage) -> None:
        self._note(paused=state.paused)
        if self.state is not None:
            self.stale_us.append(self.wire.now - self.state_us)
            if self.state.epoch != state.epoch:
                self._doubt(self.polls)
        self.state = state
        self.state_us = self.wire.now

    def _doubt(self, polls: int) -> None:
        """Another master: the address holds only if that one polls it within 10 s."""

        def judge() -> None:
            if self.polls == polls:
                self.address = None

        self.wire.at(self.wire.now + 10_000_000, judge)

    def _told(self, message: Message, frame: Frame) -> None:
        if isinstance(message, Poll):
            self.polls += 1
            self.polled_us.append(self.wire.now)
            for name, answer in (("sun", message.sun), ("moon", message.moon)):
                self._take_answer(self.sides[name], answer.number, answer.status)
            self._later(self._health, frame.seq, least_us=self._poll_turn_us())
        elif isinstance(message, Ping):
            self.pings += 1
            if self.knows_ping:
                told_us = to_u32(self.wire.now + self.ahead_us) or 1
                self._later(lambda seq, src: self._pong(message.data, told_us, seq, src), frame.seq)
        elif isinstance(message, Measure):
            self.measures += 1
            if self.knows_measure:
                self._later(self._measured, frame.seq)
        elif isinstance(message, Order):
            self.orders.append(message)
            self._later(self._health, frame.seq)
            if message.what == "forget":
                self.address = None

    def _take_answer(self, claiming: Claiming, number: int, status: str | None) -> None:
        if number != claiming.number or status is None:
            return
        claiming.status = status
        if claiming.acknowledged_us is None:
            claiming.acknowledged_us = self.wire.now
        if status in ("rejected", "withdrawn", "confirmed"):
            claiming.at_us = 0
            claiming.withdraws = False

    def _assigned(self, message: Assign, frame: Frame) -> None:
        if message.uid == self.uid:
            self.address = message.address
            self.board = message.board
            self.swap = message.swap
            self._later(self._info, frame.seq)
        elif message.address == self.address:
            self.address = None

    def _discovered(self, message: Discover, frame: Frame) -> None:
        if self.address is not None:
            return
        key = bytes.fromhex(self.uid) + message.salt.to_bytes(2, "little")
        slot = zlib.crc32(key) % message.slots
        self._at(self.wire.now + slot * message.slot_ms * 1000 + 300, self._info, frame.seq, slotted=True)

    def _poll_turn_us(self) -> int:
        """From protocol 5 on, at the slower rate, a node waits for the moment at which all answer, and looks every so
        often whether it has come."""
        if self.protocols[1] < PAUSE_SINCE or self.wire.baud >= 200_000:
            return 0
        return SLOW_POLL_TURN_US + self.wire.chance.randrange(LOOK_US)

    def _later(self, make: Make, seq: int, *, least_us: int = 0) -> None:
        moment = self.wire.now + max(least_us, self.wire.chance.randint(*self.turn_us))
        if self.quantum_us is not None:
            moment += -moment % self.quantum_us
        self._at(moment, make, seq, slotted=False)

    def _at(self, moment: int, make: Make, seq: int, *, slotted: bool) -> None:
        answer = self._answer = object()
        self._slotted = slotted
        src = self.address or UNASSIGNED

        def begin() -> None:
            if self.alive and self._answer is answer:
                self._answer = None
                self.wire.speak(self, encode(make(seq, src)))

        self.wire.at(moment, begin)

    def _health(self, seq: int, src: int) -> Frame:
        reports = {
            name: ClaimReport(side.number if side.at_us else 0, side.at_us)
            for name, side in self.sides.items()
        }
        recent = {
            name: side.pressed_us is not None and self.wire.now - side.pressed_us < 1_500_000
            for name, side in self.sides.items()
        }
        message = HealthMessage(
            epoch=0 if self.state is None else self.state.epoch,
            state_seq=0 if self.state is None else self.state.state_seq,
            sun=reports["sun"],
            moon=reports["moon"],
            sun_button=recent["sun"],
            moon_button=recent["moon"],
            sun_withdraws=self.sides["sun"].withdraws,
            moon_withdraws=self.sides["moon"].withdraws,
            sun_display=True,
            moon_display=True,
            vbus=120,
            temperature=31,
            crc_errors=self.errors,
            uptime=(self.wire.now - self.booted_us) // 60_000_000,
        )
        return to_frame(message, dst=MASTER, src=src, seq=seq)

    def _pong(self, data: bytes, told_us: int, seq: int, src: int) -> Frame:
        message = Pong(data=bytes(24) if self.mangles else data, master_us=told_us if self.knows_time else 0)
        return to_frame(message, dst=MASTER, src=src, seq=seq)

    def _measured(self, seq: int, src: int) -> Frame:
        return to_frame(self.reads, dst=MASTER, src=src, seq=seq)

    def _info(self, seq: int, src: int) -> Frame:
        low, high = self.protocols
        message = Info(
            uid=self.uid, hardware=1, firmware=(1, 2), proto_min=low, proto_max=high, boots=self.boots
        )
        return to_frame(message, dst=MASTER, src=src, seq=seq)
