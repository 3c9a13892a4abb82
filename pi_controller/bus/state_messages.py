"""What every table shows: the message STATE, and PAUSE (protocol 5), which says a pause sooner."""

from collections.abc import Sequence, Set
from typing import Any, ClassVar, Final, NamedTuple, Self

from msgspec import Struct

from pi_controller.bus.fields import (
    BadMessage,
    Layout,
    bits,
    dice_byte,
    dice_of,
    named,
    named_bits,
    sum_of,
    target_byte,
    target_of,
)
from pi_controller.bus.values import MOST_SEATS
from pi_controller.vocabulary import PauseReason, Phase, Target

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


class State(Struct, frozen=True, kw_only=True):
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


class Pause(Struct, frozen=True, kw_only=True):
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
