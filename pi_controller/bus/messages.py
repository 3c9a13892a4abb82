"""The messages of protocols 1 to 7 and their payloads (firmware/PROTOCOL.md has the same tables in words).

Numbers are as on the wire, in its units; what has names above the wire has them here too (`values`).
"""

import struct
import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar, get_args

from msgspec import Struct

from pi_controller.bus.frame import FIRST_NODE, LAST_NODE, Frame
from pi_controller.bus.values import (
    LONGEST_BOARD,
    LONGEST_SEAT,
    LONGEST_TAG,
    MOST_SEATS,
    IdentifyWhat,
    NodeClaimStatus,
    OrderName,
    ResetCause,
    UpdateState,
    UpdateStep,
    UpdateTrouble,
)
from pi_controller.vocabulary import PauseReason, Phase, Target

# The layout of a message and its fields, also those whose bytes stand for something else than a number:
# names, flags, dice, targets, uids, boards.


RANGES = {"B": (0, 0xFF), "b": (-0x80, 0x7F), "H": (0, 0xFFFF), "I": (0, 0xFFFF_FFFF)}
"""By struct's letter: least and greatest value."""


class BadMessage(ValueError):  # noqa: N818 - its name is fixed by those who catch it
    """A message that cannot be sent or was not understood; the text is one sentence."""


class Layout:
    """`fields` are name and letter (B, b, H, I, or 4s, 6s, 8s, 10s, 16s, 20s, 24s for bytes), in the order of
    the wire; `version` is that of the protocol in which they stand so."""

    def __init__(self, name: str, type_number: int, *fields: tuple[str, str], version: int = 1) -> None:
        self.name = name
        self.type = type_number
        self.version = version
        self.fields = fields
        self._struct = struct.Struct("<" + "".join(letter for _, letter in fields))
        self.size = self._struct.size

    def pack(self, values: Sequence[int | bytes]) -> bytes:
        """Raises BadMessage for a number that its field cannot hold."""
        for (field, letter), value in zip(self.fields, values, strict=True):
            if letter in RANGES:
                self._check(field, int(value), RANGES[letter])
        return self._struct.pack(*values)

    def unpack(self, payload: bytes) -> tuple[Any, ...]:
        """The fields at the beginning of `payload`, which is at least `size` long."""
        return self._struct.unpack_from(payload)

    def _check(self, field: str, value: int, allowed: tuple[int, int]) -> None:
        least, greatest = allowed
        if not least <= value <= greatest:
            raise BadMessage(f"{self.name}: {field} is {value}; it must lie between {least} and {greatest}")


DESERT = 7
UID_BYTES = 8
_T = TypeVar("_T")


def named(message: str, names: Sequence[_T], number: int) -> _T:
    """The name with this number."""
    if number >= len(names):
        raise BadMessage(f"{message}: {number} is not known here; the last one is {len(names) - 1}")
    return names[number]


def bits(message: Any, names: Sequence[str]) -> int:
    """Flags of a message as one number, the first name in bit 0."""
    return sum(1 << bit for bit, name in enumerate(names) if getattr(message, name))


def named_bits(names: Sequence[str], number: int) -> dict[str, bool]:
    """Flags by name; bits beyond the names are left to later versions."""
    return {name: bool(number >> bit & 1) for bit, name in enumerate(names)}


def dice_byte(dice: tuple[int, int] | None) -> int:
    if dice is None:
        return 0
    first, second = dice
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise BadMessage(f"STATE: {first} and {second} are not two dice")
    return first << 4 | second


def dice_of(byte: int) -> tuple[int, int] | None:
    dice = (byte >> 4, byte & 15)
    if byte and not all(1 <= die <= 6 for die in dice):
        raise BadMessage(f"STATE: {dice[0]} and {dice[1]} are not two dice")
    return dice if byte else None


def target_byte(target: Target | None) -> int:
    if target == "desert":
        return DESERT
    if target is not None and (target == DESERT or not 2 <= target <= 12):
        raise BadMessage(f"STATE: {target} is no robber target")
    return target or 0


def target_of(byte: int) -> Target | None:
    if byte == 1 or byte > 12:
        raise BadMessage(f"STATE: {byte} is no robber target")
    return "desert" if byte == DESERT else byte or None


def sum_of(total: int | None) -> int | None:
    """A sum of two dice; 0 and None: none."""
    if total and not 2 <= total <= 12:
        raise BadMessage(f"STATE: {total} is no sum of two dice")
    return total or None


def uid_bytes(uid: str) -> bytes:
    if len(uid) != 2 * UID_BYTES or not set(uid) <= set("0123456789abcdef"):
        raise BadMessage(f"{uid!r} is no unique id; it must be 16 lower-case hex digits")
    return bytes.fromhex(uid)


@dataclass(frozen=True, slots=True)
class NameField:
    """A name of printable ASCII in a field of fixed size, filled up with zero bytes. `message` and `of` are
    what its errors speak of; `first` is the lowest character that it may have: with a space, or without."""

    message: str
    of: str
    longest: int
    first: str

    def to_bytes(self, name: str) -> bytes:
        if len(name) > self.longest or not all(self.first <= character <= "~" for character in name):
            kind = "printable" if self.first == " " else "visible"
            raise BadMessage(
                f"{name!r} is no {self.of}'s name; it must be at most {self.longest} {kind} ASCII characters"
            )
        return name.encode("ascii").ljust(self.longest, b"\0")

    def from_bytes(self, padded: bytes) -> str:
        name = padded.rstrip(b"\0")
        if not all(ord(self.first) <= byte <= ord("~") for byte in name):
            raise BadMessage(f"{self.message}: {name!r} is no {self.of}'s name")
        return name.decode("ascii")


BOARD = NameField("ASSIGN", "board", LONGEST_BOARD, "!")


# What is said to all beside the state, where nodes do not know it by themselves: each seat (protocol 2) and
# the hall's languages (protocol 3). Which seat acts and which language stands, STATE says.


NAME: Final = NameField("SEAT", "seat", LONGEST_SEAT, " ")
TAG: Final = NameField("LANGUAGES", "language", LONGEST_TAG, "!")


class SeatMessage(Struct, frozen=True, kw_only=True):
    """What a seat is called, and its sign: 0 a hexagon, 1 Sun's, 2 Moon's, an unknown one is shown as 0."""

    layout: ClassVar = Layout(
        "SEAT", 11, ("epoch", "H"), ("index", "B"), ("sign", "B"), ("name", "10s"), version=2
    )

    epoch: int
    index: int
    sign: int = 0
    name: str = ""
    """At most ten printable ASCII characters; empty: nodes call it by its number."""

    def values(self) -> Sequence[int | bytes]:
        _check_index(self.index)
        return self.epoch, self.index, self.sign, NAME.to_bytes(self.name)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, index, sign, padded = values
        _check_index(index)
        return cls(epoch=epoch, index=index, sign=sign, name=NAME.from_bytes(padded))


class Languages(Struct, frozen=True, kw_only=True):
    """The hall's one or two languages, by their tags."""

    layout: ClassVar = Layout("LANGUAGES", 12, ("epoch", "H"), ("first", "6s"), ("second", "6s"), version=3)

    epoch: int
    first: str
    """At most six visible ASCII characters."""
    second: str = ""
    """Empty: there is only one."""

    def values(self) -> Sequence[int | bytes]:
        return self.epoch, TAG.to_bytes(self.first), TAG.to_bytes(self.second)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, first, second = values
        return cls(epoch=epoch, first=TAG.from_bytes(first), second=TAG.from_bytes(second))


def _check_index(index: int) -> None:
    if not 0 <= index < MOST_SEATS:
        raise BadMessage(f"SEAT: {index} is no seat; they go from 0 to {MOST_SEATS - 1}")


# PING and PONG, the frames with which a line is tested, and the pseudo-random bits in them.


PING_BYTES = 24


class Ping(Struct, frozen=True, kw_only=True):
    """Asks a node for the same bytes and for its time."""

    layout: ClassVar = Layout("PING", 9, ("data", "24s"))

    data: bytes

    def values(self) -> Sequence[int | bytes]:
        _check_length("PING", "data", self.data, PING_BYTES)
        return (self.data,)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        return cls(data=values[0])


class Pong(Struct, frozen=True, kw_only=True):
    """A node's answer to PING: what master time was, mod 2^32, when the PING had come; 0: not known."""

    layout: ClassVar = Layout("PONG", 10, ("data", "24s"), ("master_us", "I"))

    data: bytes
    master_us: int = 0

    def values(self) -> Sequence[int | bytes]:
        _check_length("PONG", "data", self.data, PING_BYTES)
        return self.data, self.master_us

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        data, master_us = values
        return cls(data=data, master_us=master_us)


LAST: Final = 14
"""Taps after stages 14 and 15: the sequence O.150 of ITU-T, of 32,767 bits."""


class Prbs:
    """`seed` is any number; each begins the sequence at another place."""

    def __init__(self, seed: int) -> None:
        self._register = seed % 0x7FFF + 1

    def take(self, count: int) -> bytes:
        """The next bytes."""
        return bytes(self._byte() for _ in range(count))

    def _byte(self) -> int:
        register = self._register
        for _ in range(8):
            register = (register << 1 & 0x7FFF) | ((register >> LAST ^ register >> LAST - 1) & 1)
        self._register = register
        return register & 0xFF


# MEASURE and MEASURED (protocol 6): what a node reads of its supply, its currents and the spare wire, finer
# than HEALTH says it. For the tests of a hall.


EVERYTHING: Final = 0
"""The only thing that MEASURE can ask for yet."""
NOT_FITTED: Final = 0xFFFF
"""What the node's board has no circuit for, where a number stands."""
NO_LOOP: Final = 0xFF
"""The same for the spare wire."""


class Measure(Struct, frozen=True):
    """Asks a node for MEASURED."""

    layout: ClassVar = Layout("MEASURE", 15, ("what", "B"), version=6)

    def values(self) -> Sequence[int | bytes]:
        return (EVERYTHING,)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        (what,) = values
        if what != EVERYTHING:
            raise BadMessage(f"MEASURE: {what} is not known here; there is only {EVERYTHING}")
        return cls()


class Measurements(Struct, frozen=True, kw_only=True):
    """A node's answer to MEASURE, as it reads without correction; None: its board has no circuit for it."""

    layout: ClassVar = Layout(
        "MEASURED", 16,
        ("supply_mv", "H"), ("spread_mv", "H"), ("lamps", "H"), ("displays", "H"), ("loop", "B"), version=6,
    )  # fmt: skip

    supply_mv: int | None = None
    """Mean of 64 readings, mV."""
    spread_mv: int | None = None
    """The greatest of them less the least, mV."""
    lamps: int | None = None
    """Current of its four lamps together, in 10 µA."""
    displays: int | None = None
    """Current of its displays together, in 0.1 mA."""
    loop: bool | None = None
    """Whether the spare wire is whole from here to the terminator."""

    def values(self) -> Sequence[int | bytes]:
        numbers = (self.supply_mv, self.spread_mv, self.lamps, self.displays)
        loop = NO_LOOP if self.loop is None else int(self.loop)
        return (*(NOT_FITTED if number is None else number for number in numbers), loop)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        *numbers, loop = values
        supply_mv, spread_mv, lamps, displays = (None if one == NOT_FITTED else one for one in numbers)
        return cls(
            supply_mv=supply_mv, spread_mv=spread_mv, lamps=lamps, displays=displays, loop=_loop_of(loop)
        )


def _loop_of(byte: int) -> bool | None:
    if byte not in (0, 1, NO_LOOP):
        raise BadMessage(f"MEASURED: {byte} is no state of the spare wire")
    return None if byte == NO_LOOP else bool(byte)


# New firmware over the bus (protocol 7): an image is offered, its blocks are said to all, and each node says
# what it has of them.


MOST_OFFERS: Final = 0xFFFF
LARGEST_IMAGE: Final = 262_144
"""Bytes."""
BLOCK_BYTES: Final = 24
BLOCKS_A_PART: Final = 128
KEY_MARK_BYTES: Final = 4
STEPS: tuple[UpdateStep, ...] = get_args(UpdateStep)
UPDATE_STATES: tuple[UpdateState, ...] = get_args(UpdateState)
TROUBLES: tuple[UpdateTrouble | None, ...] = (None, *get_args(UpdateTrouble))


class OfferMessage(Struct, frozen=True, kw_only=True):
    """Offers a node an image; it answers PROGRESS."""

    layout: ClassVar = Layout(
        "OFFER", 17, ("offer", "H"), ("size", "I"), ("firmware", "H"), ("key", "4s"), version=7
    )

    offer: int
    """1 to MOST_OFFERS, another one with each image that is offered."""
    size: int
    """Bytes of the image, 1 to LARGEST_IMAGE."""
    firmware: tuple[int, int]
    """Major and minor, a byte each."""
    key: bytes
    """The first KEY_MARK_BYTES of the SHA-256 of the key that proves the image."""

    def values(self) -> Sequence[int | bytes]:
        _check_offer("OFFER", self.offer)
        _check_image(self.size)
        _check_length("OFFER", "key", self.key, KEY_MARK_BYTES)
        return self.offer, self.size, firmware_number("OFFER", self.firmware), self.key

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        offer, size, firmware, key = values
        _check_offer("OFFER", offer)
        _check_image(size)
        return cls(offer=offer, size=size, firmware=(firmware >> 8, firmware & 255), key=key)


class BlockMessage(Struct, frozen=True, kw_only=True):
    """BLOCK_BYTES of the image that is offered, for everybody who wants this part of it; nobody answers."""

    layout: ClassVar = Layout(
        "BLOCK", 18, ("offer", "H"), ("part", "B"), ("block", "B"), ("data", "24s"), version=7
    )

    offer: int
    part: int
    block: int
    """0 to BLOCKS_A_PART - 1."""
    data: bytes

    def values(self) -> Sequence[int | bytes]:
        _check_offer("BLOCK", self.offer)
        _check_block(self.block)
        _check_length("BLOCK", "data", self.data, BLOCK_BYTES)
        return self.offer, self.part, self.block, self.data

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        offer, part, block, data = values
        _check_offer("BLOCK", offer)
        _check_block(block)
        return cls(offer=offer, part=part, block=block, data=data)


class StepMessage(Struct, frozen=True, kw_only=True):
    """Asks a node how far it is with an image, or what it is to do with it; it answers PROGRESS."""

    layout: ClassVar = Layout("STEP", 19, ("offer", "H"), ("what", "B"), version=7)

    offer: int
    what: UpdateStep = "ask"

    def values(self) -> Sequence[int | bytes]:
        _check_offer("STEP", self.offer)
        return self.offer, STEPS.index(self.what)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        offer, what = values
        _check_offer("STEP", offer)
        return cls(offer=offer, what=named("STEP", STEPS, what))


class ProgressMessage(Struct, frozen=True, kw_only=True):
    """A node's answer to OFFER and STEP."""

    layout: ClassVar = Layout(
        "PROGRESS", 20,
        ("offer", "H"), ("state", "B"), ("why", "B"), ("part", "B"), ("missing", "16s"), version=7,
    )  # fmt: skip

    offer: int = 0
    """The one that it took last; 0: none."""
    state: UpdateState = "nothing"
    why: UpdateTrouble | None = None
    """Of "refused" and "went_back"."""
    part: int = 0
    """Which it wants next."""
    missing: frozenset[int] = frozenset()
    """Blocks of that part that it has not, while it fetches."""

    def values(self) -> Sequence[int | bytes]:
        for block in self.missing:
            _check_block(block)
        bits_of_blocks = sum(1 << block for block in self.missing)
        return (
            self.offer, UPDATE_STATES.index(self.state), TROUBLES.index(self.why), self.part,
            bits_of_blocks.to_bytes(BLOCKS_A_PART // 8, "little"),
        )  # fmt: skip

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        offer, state, why, part, missing = values
        bits_of_blocks = int.from_bytes(missing, "little")
        return cls(
            offer=offer, state=named("PROGRESS", UPDATE_STATES, state), why=named("PROGRESS", TROUBLES, why),
            part=part, missing=frozenset(at for at in range(BLOCKS_A_PART) if bits_of_blocks >> at & 1),
        )  # fmt: skip


def firmware_number(message: str, firmware: tuple[int, int]) -> int:
    """Major x 256 + minor."""
    major, minor = firmware
    if not (0 <= major <= 255 and 0 <= minor <= 255):
        raise BadMessage(f"{message}: firmware is {major}.{minor}; both parts must lie between 0 and 255")
    return major << 8 | minor


def _check_offer(name: str, offer: int) -> None:
    if not 1 <= offer <= MOST_OFFERS:
        raise BadMessage(f"{name}: offer is {offer}; it must lie between 1 and {MOST_OFFERS}")


def _check_image(size: int) -> None:
    if not 1 <= size <= LARGEST_IMAGE:
        raise BadMessage(f"OFFER: size is {size}; it must lie between 1 and {LARGEST_IMAGE}")


def _check_block(block: int) -> None:
    if not 0 <= block < BLOCKS_A_PART:
        raise BadMessage(f"BLOCK: block is {block}; a part has blocks from 0 to {BLOCKS_A_PART - 1}")


def _check_length(name: str, field: str, data: bytes, size: int) -> None:
    if len(data) != size:
        raise BadMessage(f"{name}: {len(data)} bytes of {field} instead of {size}")


# The director's message on the tables' displays (protocol 4): the message SAY, a part of it in each.


PART_BYTES: Final = 20
MOST_PARTS: Final = 15
FIRST_FURTHER: Final = 0x80
FURTHER: Final = "ÀÁÂÃÄÇÉÊÍÑÓÔÕÖÚÜĄĆĘŁŃŚŹŻàáâãäçéêíñóôõöúüąćęłńśźżß¿¡"
"""Letters beyond ASCII: on the wire 0x80 is the first of them, and so on."""
PLAIN: Final = str.maketrans({
    **dict.fromkeys("„“”«»", '"'), **dict.fromkeys("‚‘’", "'"), **dict.fromkeys("‐‑–—", "-"),
    "…": "...", "×": "x", "€": "EUR",
})  # fmt: skip
"""What typesetters write otherwise than the wire."""
UNKNOWN: Final = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class SayMessage:
    """Part `part` of `parts` of the message with this number; of none: there is no message any more."""

    layout: ClassVar = Layout(
        "SAY", 13, ("epoch", "H"), ("number", "B"), ("parts", "B"), ("text", "20s"), version=4
    )

    epoch: int
    number: int
    """Another one with each message."""
    part: int = 0
    parts: int = 0
    text: str = ""
    """At most PART_BYTES of the letters that the wire carries."""

    def values(self) -> Sequence[int | bytes]:
        _check_part(self.part, self.parts)
        return self.epoch, self.number, self.part | self.parts << 4, _to_bytes(self.text)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, number, parts, padded = values
        _check_part(parts & 15, parts >> 4)
        return cls(epoch=epoch, number=number, part=parts & 15, parts=parts >> 4, text=_from_bytes(padded))


def parts_of(text: str, *, epoch: int, number: int) -> tuple[SayMessage, ...]:
    """The whole message; of an empty one, one SAY that ends the one before. What has no room is cut off."""
    pieces = [text[start : start + PART_BYTES] for start in range(0, len(text), PART_BYTES)][:MOST_PARTS]
    return tuple(
        SayMessage(epoch=epoch, number=number, part=part, parts=len(pieces), text=piece)
        for part, piece in enumerate(pieces)
    ) or (SayMessage(epoch=epoch, number=number),)


def carried(text: str) -> str:
    """The text in letters that the wire carries: other ones without their marks, or as UNKNOWN; pictures are
    left out."""
    plain = unicodedata.normalize("NFC", text).translate(PLAIN)
    return " ".join("".join(map(_carried_letter, plain)).split())


def _carried_letter(letter: str) -> str:
    if letter in FURTHER or " " <= letter <= "~":
        return letter
    if letter.isspace():
        return " "
    plain = unicodedata.normalize("NFKD", letter).replace("\N{FRACTION SLASH}", "/")
    without_marks = "".join(one for one in plain if " " <= one <= "~")
    return without_marks or (UNKNOWN if letter.isalnum() else "")


def _check_part(part: int, parts: int) -> None:
    if part >= max(1, parts) or parts > MOST_PARTS:
        raise BadMessage(f"SAY: there is no part {part} of {parts}")


def _to_bytes(text: str) -> bytes:
    try:
        said = bytes(
            ord(letter) if letter < "\x7f" else FIRST_FURTHER + FURTHER.index(letter) for letter in text
        )
    except ValueError:
        raise BadMessage(f"SAY: {text!r} has letters that the wire does not carry") from None
    if len(said) > PART_BYTES or any(byte < ord(" ") for byte in said):
        raise BadMessage(f"SAY: {text!r} is no part; it must be at most {PART_BYTES} printable characters")
    return said.ljust(PART_BYTES, b"\0")


def _from_bytes(padded: bytes) -> str:
    said = padded.rstrip(b"\0")
    if not all(ord(" ") <= byte <= ord("~") or 0 <= byte - FIRST_FURTHER < len(FURTHER) for byte in said):
        raise BadMessage(f"SAY: {said!r} is no text")
    return "".join(chr(byte) if byte < FIRST_FURTHER else FURTHER[byte - FIRST_FURTHER] for byte in said)


# What every table shows: the message STATE, and PAUSE (protocol 5), which says a pause sooner.


NOBODY: Final = 15
NO_RESUME = 0xFFFF
PHASES: tuple[Phase, ...] = ("ready", "round", "robber", "ended", "founding", "turn")
REASONS: tuple[PauseReason, ...] = ("button", "director", "claim", "fault", "recovery")


class Acting(NamedTuple):
    """Who acts, and who is next: indices of seats, 0 to 7."""

    seat: int | None
    next_seat: int | None


def acting_byte(acting: Acting) -> int:
    """The acting seat in the lower four bits, the next one in the upper four."""
    return _nibble(acting.seat) | _nibble(acting.next_seat) << 4


def acting_of(byte: int) -> Acting:
    return Acting(_seat(byte & 15), _seat(byte >> 4))


class StateMessage(Struct, frozen=True, kw_only=True):
    """What every table shows; left_us is game time as of master_us, duration is in tenths of a second."""

    layout: ClassVar = Layout(
        "STATE", 1,
        ("epoch", "H"), ("state_seq", "H"), ("master_us", "I"), ("phase", "B"), ("flags", "H"),
        ("left_us", "I"), ("duration", "H"), ("resume_in", "H"), ("rate", "H"), ("round", "H"), ("dice", "B"),
        ("target", "B"), ("last", "B"), ("reasons", "B"), ("brightness", "B"),
    )  # fmt: skip
    longer: ClassVar = Layout("STATE", 1, *layout.fields, ("acting", "B"), version=2)
    flags: ClassVar = (
        "running", "paused", "counting_in", "sun_active", "moon_active", "next_sun", "next_moon",
        "robber_possible", "claims_pause", "maintenance", "last_round", "second_language",
    )  # fmt: skip

    epoch: int
    state_seq: int
    master_us: int
    phase: Phase = "ready"
    running: bool = False
    paused: bool = False
    counting_in: bool = False
    sun_active: bool = False
    moon_active: bool = False
    next_sun: bool = False
    next_moon: bool = False
    robber_possible: bool = False
    claims_pause: bool = False
    maintenance: bool = False
    last_round: bool = False
    second_language: bool = False
    """The words of the hall's second language stand."""
    left_us: int = 0
    duration: int = 0
    resume_in: int | None = None
    """Milliseconds of the counting in, 0 to 65534."""
    rate: int = 256
    """Game time per real time, 256 is one."""
    round: int = 0
    dice: tuple[int, int] | None = None
    target: Target | None = None
    last: int | None = None
    """Sum of the roll before."""
    reasons: frozenset[PauseReason] = frozenset()
    brightness: int = 128
    acting: Acting | None = None
    """None: the seats are Sun and Moon, for which the flags are enough; so it goes as version 1."""

    def values(self) -> Sequence[int | bytes]:
        if self.resume_in == NO_RESUME:
            raise BadMessage(f"STATE: resume_in is {NO_RESUME}; it must lie between 0 and {NO_RESUME - 1}")
        return (
            self.epoch, self.state_seq, self.master_us, PHASES.index(self.phase), bits(self, self.flags),
            self.left_us, self.duration, NO_RESUME if self.resume_in is None else self.resume_in, self.rate,
            self.round, dice_byte(self.dice), target_byte(self.target), sum_of(self.last) or 0,
            _reasons_byte(self.reasons), self.brightness,
            *(() if self.acting is None else (acting_byte(self.acting),)),
        )  # fmt: skip

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, state_seq, master_us, phase, flags, left_us, duration, resume_in, rate, *rest = values
        number, dice, target, last, reasons, brightness, *acting = rest
        return cls(
            epoch=epoch, state_seq=state_seq, master_us=master_us, phase=named("STATE", PHASES, phase),
            **named_bits(cls.flags, flags), left_us=left_us, duration=duration,
            resume_in=None if resume_in == NO_RESUME else resume_in, rate=rate, round=number,
            dice=dice_of(dice), target=target_of(target), last=sum_of(last),
            reasons=_reasons_of(reasons), brightness=brightness,
            acting=acting_of(acting[0]) if acting else None,
        )  # fmt: skip


class PauseMessage(Struct, frozen=True, kw_only=True):
    """The picture before this one, frozen; the STATE that follows says the same under the same number."""

    layout: ClassVar = Layout(
        "PAUSE", 14, ("epoch", "H"), ("state_seq", "H"), ("left_us", "I"), ("reasons", "B"), version=5
    )

    epoch: int
    state_seq: int
    left_us: int
    reasons: frozenset[PauseReason] = frozenset()

    def values(self) -> Sequence[int | bytes]:
        return self.epoch, self.state_seq, self.left_us, _reasons_byte(self.reasons)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        epoch, state_seq, left_us, reasons = values
        return cls(epoch=epoch, state_seq=state_seq, left_us=left_us, reasons=_reasons_of(reasons))


def _reasons_byte(reasons: Set[PauseReason]) -> int:
    return sum(1 << bit for bit, reason in enumerate(REASONS) if reason in reasons)


def _reasons_of(byte: int) -> frozenset[PauseReason]:
    return frozenset(reason for bit, reason in enumerate(REASONS) if byte >> bit & 1)


def _nibble(seat: int | None) -> int:
    if seat is None:
        return NOBODY
    if not 0 <= seat < MOST_SEATS:
        raise BadMessage(f"STATE: {seat} is no seat; they go from 0 to {MOST_SEATS - 1}")
    return seat


def _seat(nibble: int) -> int | None:
    if nibble == NOBODY:
        return None
    if nibble >= MOST_SEATS:
        raise BadMessage(f"STATE: {nibble} is no seat; they go from 0 to {MOST_SEATS - 1}")
    return nibble


OLDEST = 1
NEWEST = 7
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
UPDATE_SINCE = 7
"""And to take new firmware over the bus."""
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


class HealthMessage(Struct, frozen=True, kw_only=True):
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
        firmware = firmware_number("INFO", self.firmware)
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


class IdentifyMessage(Struct, frozen=True, kw_only=True):
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
    StateMessage
    | Poll
    | HealthMessage
    | Discover
    | Info
    | Assign
    | IdentifyMessage
    | Order
    | Ping
    | Pong
    | SeatMessage
    | Languages
    | SayMessage
    | PauseMessage
    | Measure
    | Measurements
    | OfferMessage
    | BlockMessage
    | StepMessage
    | ProgressMessage
)
MESSAGES: dict[int, type[Message]] = {kind.layout.type: kind for kind in get_args(Message)}
FROZEN = frozenset({StateMessage.layout.type, Discover.layout.type, Info.layout.type, Assign.layout.type})
"""Types whose layout later versions may only lengthen, so that every version reads their beginning."""


def to_frame(message: Message, *, dst: int, src: int, seq: int) -> Frame:
    """In the lowest version that can say it. Raises BadMessage for a value that its field cannot hold."""
    layout = layout_of(message)
    return Frame(layout.version, layout.type, dst, src, seq, layout.pack(message.values()))


def layout_of(message: Message) -> Layout:
    if isinstance(message, StateMessage) and message.acting is not None:
        return StateMessage.longer
    return message.layout


def from_frame(frame: Frame) -> Message:
    """Raises BadMessage for an unknown type, version or value, and for a wrong length."""
    kind = MESSAGES.get(frame.type)
    if kind is None:
        raise BadMessage(f"type {frame.type} is not known in protocol {NEWEST}")
    layout = (
        StateMessage.longer
        if kind is StateMessage and frame.version >= StateMessage.longer.version
        else kind.layout
    )
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
