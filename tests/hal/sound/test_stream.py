"""A card of our own: it takes what it has room for, and can be pulled."""

import errno
from dataclasses import dataclass, field

from pi_controller.hal.sound.orders import RATE_HZ
from pi_controller.hal.sound.player import BLOCK, LEAST_AHEAD, STALLED_NS, TRY_AGAIN_NS, Delay, Mixer, Stream

MS = 1_000_000
T = 1_000_000 * MS


@dataclass
class HandCard:
    """Frames that wait; `play` is its clock."""

    now_ns: int = T
    waiting: int = 0
    error: int | None = None
    missing: bool = False
    opened: int = 0
    running: bool = False
    closed: int = 0
    recovered: list[int] = field(default_factory=list)

    def open(self, device: str, *, rate_hz: int, latency_us: int) -> "HandCard":
        if self.missing:
            raise OSError(errno.ENODEV, "No such device")
        self.opened += 1
        self.waiting, self.error, self.running = 0, None, False
        return self

    def _check(self) -> None:
        if self.error is not None:
            raise OSError(self.error, "it broke")

    def delay(self) -> Delay:
        self._check()
        return Delay(self.waiting, self.now_ns)

    def write(self, frames: bytes) -> int:
        self._check()
        self.waiting += len(frames) // 4
        return len(frames) // 4

    def start(self) -> None:
        self.running = True

    def recover(self, error: OSError) -> None:
        self.recovered.append(error.errno or 0)
        self.error, self.waiting = None, 0

    def close(self) -> None:
        self.closed += 1

    def play(self, ms: int) -> None:
        self.waiting = max(0, self.waiting - ms * RATE_HZ // 1000)


class HandMixer(Mixer):
    def __init__(self) -> None:
        super().__init__({})
        self.heard_ns: list[int] = []

    def block(self, frames: int, heard_ns: int) -> bytes:
        self.heard_ns.append(heard_ns)
        return bytes(4 * frames)


def stream(card: HandCard, delay_ns: int = 0) -> tuple[Stream, HandMixer]:
    made = HandMixer()
    return Stream("x", made, delay_ns=delay_ns, open_pcm=card.open), made  # type: ignore[arg-type]


def test_the_card_is_kept_a_little_ahead() -> None:
    card = HandCard()
    made, mixer = stream(card)
    made.keep(T)
    assert card.running
    assert card.waiting == LEAST_AHEAD
    card.play(10)
    card.now_ns = T + 10 * MS
    made.keep(T + 10 * MS)
    assert card.waiting >= LEAST_AHEAD
    assert mixer.heard_ns == [T + 10 * MS + (LEAST_AHEAD - BLOCK) * 1_000_000_000 // RATE_HZ]


def test_a_turn_that_is_held_up_before_the_card_is_asked_places_a_sound_where_it_belongs() -> None:
    """The moment is the card's, not that of the turn's beginning."""
    card = HandCard()
    made, mixer = stream(card)
    made.keep(T)
    card.play(19)
    card.now_ns = T + 19 * MS
    made.keep(T)
    assert mixer.heard_ns[0] == T + 19 * MS + (LEAST_AHEAD - 19 * RATE_HZ // 1000) * 1_000_000_000 // RATE_HZ


def test_a_slow_pa_system_is_compensated() -> None:
    card = HandCard()
    made, mixer = stream(card, delay_ns=80 * MS)
    made.keep(T)
    card.play(10)
    made.keep(T)
    assert mixer.heard_ns[0] - T == 80 * MS + (LEAST_AHEAD - BLOCK) * 1_000_000_000 // RATE_HZ


def test_an_underrun_is_mended_at_once_and_more_is_given_ahead() -> None:
    card = HandCard()
    made, _ = stream(card)
    made.keep(T)
    card.error = errno.EPIPE
    made.keep(T + 50 * MS)
    assert (card.recovered, made.trouble, made.underruns) == ([errno.EPIPE], None, 1)
    assert card.waiting == LEAST_AHEAD + BLOCK


def test_a_card_that_was_pulled_is_opened_again_within_three_seconds() -> None:
    card = HandCard()
    made, _ = stream(card)
    made.keep(T)
    card.error, card.missing = errno.ENODEV, True
    made.keep(T + 10 * MS)
    assert (made.trouble, card.closed) == ("it broke", 1)
    for ms in range(20, 5_000, 10):
        made.keep(T + ms * MS)
    assert (made.trouble, card.opened) == ("No such device", 1)
    card.missing = False
    made.keep(T + 5_000 * MS + TRY_AGAIN_NS)
    assert (made.trouble, card.opened, card.waiting) == (None, 2, LEAST_AHEAD)


def test_a_card_that_takes_nothing_is_opened_again() -> None:
    card = HandCard()
    made, _ = stream(card)
    made.keep(T)
    made.keep(T + STALLED_NS + 1)
    assert made.trouble == "Connection timed out"
    made.keep(T + STALLED_NS + 1 + TRY_AGAIN_NS)
    assert (made.trouble, card.opened) == (None, 2)


def test_no_card_at_all() -> None:
    made, _ = stream(HandCard(missing=True))
    made.keep(T)
    assert made.trouble == "No such device"
    made.close()
