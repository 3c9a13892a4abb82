"""What sounds at moments that a picture foretells: the last seconds, the 3-2-1, the next side. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from pi_controller.core.sound import phrases
from pi_controller.core.sound.phrases import Callout, named
from pi_controller.hal.names import ToneKind
from pi_controller.protocol.picture import Picture

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
AT_ONCE_NS = 100_000_000
"""What belongs to so short a time after the picture begins with it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A tone, or words that must be over after `slot_ns`, at this CLOCK_BOOTTIME."""

    at_ns: int
    what: ToneKind | Callout
    slot_ns: int = 0


def end_ns(picture: Picture) -> int | None:
    """CLOCK_BOOTTIME at which the phase that runs, or the 3-2-1, is over; None: neither."""
    if picture.resume_in_ms is not None:
        left_ns = picture.resume_in_ms * NS_PER_MS
    elif picture.running:
        left_ns = picture.remaining_us * 1_000
    else:
        return None
    return picture.as_of_us * 1_000 + int(left_ns / picture.rate)


def moments(picture: Picture, *, name_side_early_ns: int = 0) -> tuple[Moment, ...]:
    """Everything from the picture on, in order; it holds until the next picture."""
    as_of_ns, end = picture.as_of_us * 1_000, end_ns(picture)
    if end is None:
        return ()
    found = _countdown(picture, end) if picture.resume_in_ms is not None else _phase(picture, end)
    if picture.resume_in_ms is None and name_side_early_ns:
        found = (*found, *_next_side(picture, end, name_side_early_ns))
    return tuple(sorted((one for one in found if one.at_ns >= as_of_ns), key=lambda moment: moment.at_ns))


def _second_ns(picture: Picture) -> int:
    """A second of the game, as the machine's clock passes."""
    return int(NS_PER_S / picture.rate)


def _countdown(picture: Picture, end: int) -> tuple[Moment, ...]:
    second = _second_ns(picture)
    counts = tuple(
        Moment(end - number * second, phrases.count(number), second)
        for number in range(phrases.MOST_COUNTED, 0, -1)
    )
    return counts if picture.phase == "ready" else (*counts, Moment(end, "go"))


def _phase(picture: Picture, end: int) -> tuple[Moment, ...]:
    second = _second_ns(picture)
    ticks = tuple(Moment(end - left * second, "last_three") for left in (3, 2, 1))
    return ticks if picture.phase == "robber" else (Moment(end - 10 * second, "last_ten"), *ticks)


def _next_side(picture: Picture, end: int, early_ns: int) -> Iterator[Moment]:
    if picture.phase != "robber" and picture.next_seat is not None and picture.round != picture.last_round:
        seat = named(picture.seats)[picture.next_seat]
        yield Moment(end - early_ns, phrases.next_side(seat), early_ns)
