"""The messages of protocols 1 to 6 and their payloads (firmware/PROTOCOL.md has the same tables in words).

Numbers are as on the wire, in its units; what has names above the wire has them here too (`values`).
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Self, get_args

from msgspec import Struct

from pi_controller.bus.beside_messages import Languages, Seat
from pi_controller.bus.fields import (
    BOARD,
    BadMessage,
    Layout,
    bits,
    named,
    named_bits,
    uid_bytes,
)
from pi_controller.bus.frame import FIRST_NODE, LAST_NODE, Frame
from pi_controller.bus.measure_messages import Measure, Measured
from pi_controller.bus.ping_messages import Ping, Pong
from pi_controller.bus.say_message import Say
from pi_controller.bus.state_messages import Pause, State
from pi_controller.bus.values import (
    IdentifyWhat,
    NodeClaimStatus,
    OrderName,
    ResetCause,
)

OLDEST = 1
NEWEST = 6
SEATS_SINCE = 2
"""The version from which on a node knows other seats than Sun and Moon."""
LANGUAGES_SINCE = 3
"""The one from which on it knows that a hall has languages."""
SAY_SINCE = 4
"""And that the director has messages."""
PAUSE_SINCE = 5
"""And a pause that is shorter than its state."""
MEASURE_SINCE = 6
"""And to measure finely when it is asked."""
STATUSES: tuple[NodeClaimStatus | None, ...] = (None, *get_args(NodeClaimStatus))
RESETS: tuple[ResetCause, ...] = get_args(ResetCause)
IDENTIFIES: tuple[IdentifyWhat, ...] = ("off", "name", "enrol", "pattern", "lamps", "walk")
ORDERS: tuple[OrderName, ...] = get_args(OrderName)


class ClaimAnswer(Struct, frozen=True):
    """What the master knows of a side's newest claim; number 0 and None: of none."""

    number: int = 0
    status: NodeClaimStatus | None = None


class Poll(Struct, frozen=True, kw_only=True):
    """Asks a node for HEALTH and answers its claims."""

    layout: ClassVar = Layout(
        "POLL", 2,
        ("epoch", "H"), ("sun_claim", "B"), ("sun_status", "B"), ("moon_claim", "B"), ("moon_status", "B"),
    )  # fmt: skip

    epoch: int
    sun: ClaimAnswer = ClaimAnswer()
    moon: ClaimAnswer = ClaimAnswer()

    def values(self) -> Sequence[int | bytes]:
        answers = (self.sun, self.moon)
        return (self.epoch, *(n for a in answers for n in (a.number, STATUSES.index(a.status))))

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, sun, sun_status, moon, moon_status = values
        return cls(
            epoch=epoch,
            sun=ClaimAnswer(sun, named("POLL", STATUSES, sun_status)),
            moon=ClaimAnswer(moon, named("POLL", STATUSES, moon_status)),
        )


class ClaimReport(Struct, frozen=True):
    """A side's newest claim: number 0 for none; `at_us` is the first contact, in master time mod 2^32."""

    number: int = 0
    at_us: int = 0


class Health(Struct, frozen=True, kw_only=True):
    """A node's answer to POLL and ORDER."""

    layout: ClassVar = Layout(
        "HEALTH", 3,
        ("epoch", "H"), ("state_seq", "H"), ("sun_claim", "B"), ("sun_at_us", "I"), ("moon_claim", "B"),
        ("moon_at_us", "I"), ("flags", "H"), ("vbus", "B"), ("temperature", "b"), ("reset", "B"),
        ("crc_errors", "B"), ("missed", "B"), ("uptime", "H"),
    )  # fmt: skip
    flags: ClassVar = (
        "sun_button", "moon_button", "sun_withdraws", "moon_withdraws", "sun_display", "moon_display",
        "safe_mode", "swapped", "time_uncertain", "sun_stuck", "moon_stuck", "wordless",
    )  # fmt: skip

    epoch: int
    state_seq: int
    sun: ClaimReport = ClaimReport()
    moon: ClaimReport = ClaimReport()
    sun_button: bool = False
    moon_button: bool = False
    sun_withdraws: bool = False
    moon_withdraws: bool = False
    sun_display: bool = False
    moon_display: bool = False
    safe_mode: bool = False
    swapped: bool = False
    time_uncertain: bool = False
    sun_stuck: bool = False
    moon_stuck: bool = False
    wordless: bool = False
    """It has no words for one of the hall's languages."""
    vbus: int = 0
    """In 0.2 V."""
    temperature: int = 0
    reset: ResetCause = "power"
    crc_errors: int = 0
    missed: int = 0
    uptime: int = 0
    """Minutes."""

    def values(self) -> Sequence[int | bytes]:
        return (
            self.epoch, self.state_seq, self.sun.number, self.sun.at_us, self.moon.number, self.moon.at_us,
            bits(self, self.flags), self.vbus, self.temperature, RESETS.index(self.reset), self.crc_errors,
            self.missed, self.uptime,
        )  # fmt: skip

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, state_seq, sun, sun_at, moon, moon_at, flags, vbus, temperature, reset, *rest = values
        crc_errors, missed, uptime = rest
        return cls(
            epoch=epoch, state_seq=state_seq, sun=ClaimReport(sun, sun_at), moon=ClaimReport(moon, moon_at),
            **named_bits(cls.flags, flags), vbus=vbus, temperature=temperature,
            reset=named("HEALTH", RESETS, reset), crc_errors=crc_errors, missed=missed, uptime=uptime,
        )  # fmt: skip


class Discover(Struct, frozen=True, kw_only=True):
    """Asks nodes without address to answer INFO, each in its own slot."""

    layout: ClassVar = Layout("DISCOVER", 4, ("salt", "H"), ("slots", "B"), ("slot_ms", "B"))

    salt: int
    slots: int
    slot_ms: int

    def values(self) -> Sequence[int | bytes]:
        if self.slots == 0:
            raise BadMessage("DISCOVER: there must be at least one slot")
        return self.salt, self.slots, self.slot_ms

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        salt, slots, slot_ms = values
        if slots == 0:
            raise BadMessage("DISCOVER: there must be at least one slot")
        return cls(salt=salt, slots=slots, slot_ms=slot_ms)


class Info(Struct, frozen=True, kw_only=True):
    """Who a node is: its answer to DISCOVER and ASSIGN."""

    layout: ClassVar = Layout(
        "INFO", 5,
        ("uid", "8s"), ("hardware", "B"), ("firmware", "H"), ("proto_min", "B"), ("proto_max", "B"),
        ("boots", "B"),
    )  # fmt: skip

    uid: str
    hardware: int
    firmware: tuple[int, int]
    """Major and minor, a byte each."""
    proto_min: int = OLDEST
    proto_max: int = OLDEST
    boots: int = 0

    def values(self) -> Sequence[int | bytes]:
        major, minor = self.firmware
        if not (0 <= major <= 255 and 0 <= minor <= 255):
            raise BadMessage(f"INFO: firmware is {major}.{minor}; both parts must lie between 0 and 255")
        firmware = major << 8 | minor
        return uid_bytes(self.uid), self.hardware, firmware, self.proto_min, self.proto_max, self.boots

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        uid, hardware, firmware, proto_min, proto_max, boots = values
        if not 1 <= proto_min <= proto_max:
            raise BadMessage(f"INFO: protocols {proto_min} to {proto_max} are no range from 1 on")
        return cls(
            uid=uid.hex(), hardware=hardware, firmware=(firmware >> 8, firmware & 255), proto_min=proto_min,
            proto_max=proto_max, boots=boots,
        )  # fmt: skip


class Assign(Struct, frozen=True, kw_only=True):
    """Gives the node with this uid its address, its board's name, its orientation."""

    layout: ClassVar = Layout(
        "ASSIGN", 6, ("uid", "8s"), ("address", "B"), ("flags", "B"), ("board", "6s"), ("brightness", "B")
    )
    flags: ClassVar = ("swap",)

    uid: str
    address: int
    swap: bool = False
    board: str = ""
    """At most six printable ASCII characters; empty for a node without a place."""
    brightness: int = 128

    def values(self) -> Sequence[int | bytes]:
        _check_address(self.address)
        board = BOARD.to_bytes(self.board)
        return uid_bytes(self.uid), self.address, bits(self, self.flags), board, self.brightness

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        uid, address, flags, board, brightness = values
        _check_address(address)
        return cls(
            uid=uid.hex(), address=address, **named_bits(cls.flags, flags), board=BOARD.from_bytes(board),
            brightness=brightness,
        )  # fmt: skip


class Identify(Struct, frozen=True, kw_only=True):
    """Lets a node, or all, show its name or ask for a press for so long; 0 seconds end it, as "off" does."""

    layout: ClassVar = Layout("IDENTIFY", 7, ("what", "B"), ("seconds", "B"), ("number", "H"))

    what: IdentifyWhat
    seconds: int = 0
    number: int = 0

    def values(self) -> Sequence[int | bytes]:
        return IDENTIFIES.index(self.what), self.seconds, self.number

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        what, seconds, number = values
        return cls(what=named("IDENTIFY", IDENTIFIES, what), seconds=seconds, number=number)


class Order(Struct, frozen=True, kw_only=True):
    """Makes a node do something once; it answers HEALTH, except to "reboot"."""

    layout: ClassVar = Layout("ORDER", 8, ("what", "B"), ("argument", "B"))

    what: OrderName
    argument: int = 0

    def values(self) -> Sequence[int | bytes]:
        return ORDERS.index(self.what) + 1, self.argument

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        what, argument = values
        if what == 0:
            raise BadMessage("ORDER: 0 is no order")
        return cls(what=named("ORDER", ("forget", *ORDERS), what), argument=argument)


Message = (
    State
    | Poll
    | Health
    | Discover
    | Info
    | Assign
    | Identify
    | Order
    | Ping
    | Pong
    | Seat
    | Languages
    | Say
    | Pause
    | Measure
    | Measured
)
MESSAGES: dict[int, type[Message]] = {kind.layout.type: kind for kind in get_args(Message)}
FROZEN = frozenset({State.layout.type, Discover.layout.type, Info.layout.type, Assign.layout.type})
"""Types whose layout later versions may only lengthen, so that every version reads their beginning."""


def to_frame(message: Message, *, dst: int, src: int, seq: int) -> Frame:
    """In the lowest version that can say it. Raises BadMessage for a value that its field cannot hold."""
    layout = layout_of(message)
    return Frame(layout.version, layout.type, dst, src, seq, layout.pack(message.values()))


def layout_of(message: Message) -> Layout:
    if isinstance(message, State) and message.acting is not None:
        return State.longer
    return message.layout


def from_frame(frame: Frame) -> Message:
    """Raises BadMessage for an unknown type, version or value, and for a wrong length."""
    kind = MESSAGES.get(frame.type)
    if kind is None:
        raise BadMessage(f"type {frame.type} is not known in protocol {NEWEST}")
    layout = State.longer if kind is State and frame.version >= State.longer.version else kind.layout
    newer = frame.version > layout.version and frame.type in FROZEN
    if frame.version != layout.version and not newer:
        raise BadMessage(f"{layout.name}: protocol {frame.version} is not known here, only {layout.version}")
    size = len(frame.payload)
    if size < layout.size or (size > layout.size and not newer):
        raise BadMessage(f"{layout.name}: {size} bytes instead of {layout.size}")
    return kind.of(layout.unpack(frame.payload))


def _check_address(address: int) -> None:
    if not FIRST_NODE <= address <= LAST_NODE:
        raise BadMessage(f"ASSIGN: address {address} is no node's; they go from {FIRST_NODE} to {LAST_NODE}")
