"""The state frame: every 200 ms, and three times at once when something has changed; of a pause the first one
is shorter. What nodes do not know by themselves has frames beside it, said in turn: the hall's languages,
each seat, the director's message."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from pi_controller.bus.frame import to_u32
from pi_controller.bus.messages import (
    OLDEST,
    SAY_SINCE,
    SEATS_SINCE,
    Acting,
    Languages,
    PauseMessage,
    SayMessage,
    SeatMessage,
    StateMessage,
    parts_of,
)
from pi_controller.bus.values import NODES_LANGUAGE, TableSeat, TableState
from pi_controller.vocabulary import SIDES

REFRESH_US: Final = 200_000
REPEATS_US: Final = (15_000, 40_000)
"""After a change the frame is said again so long after its first time."""
STATE_BEHIND_US: Final = (1,)
PAUSE_BEHIND_US: Final = (1, 2_000)
"""And so long where an answer may just have begun, in case the two have garbled each other: the last one
begins when the longest answer is over."""
EARLIER_US: Final = 120_000
"""While another master speaks on the line, a frame comes earlier by a random part of this, so that frames of
both that have met once do not meet for ever."""
LATE_US: Final = 50_000
"""A frame that is late by less does not put off the next."""
SAME_TIME_US: Final = 5_000
"""A remaining time that is so near to the expected one is no change."""
BESIDE_US: Final = 500_000
"""From a frame beside the state to the next one."""
NEW_BESIDE_US: Final = 20_000
"""So long, until new ones have each been said NEW_TIMES."""
NEW_TIMES: Final = 2
LONGEST_LEFT_US: Final = 0xFFFF_FFFF
LONGEST_RESUME_MS: Final = 0xFFFE
MOST: Final = 0xFFFF


class Broadcast:
    """Holds the newest state and says when it has to go out. Nothing goes out before the first `show`.

    `chance` is any source of chance, of 16 bits or more.
    """

    def __init__(self, *, epoch: int, chance: Callable[[], int]) -> None:
        self._epoch = epoch
        self._chance = chance
        self._state: TableState | None = None
        self._number = 0
        self._heard: tuple[int, TableState] | None = None
        self._pausing = False
        self._repeats_us: deque[int] = deque()
        self._refresh_us = 0
        self._newest = OLDEST
        self._message = ""
        self._messages = 0
        self._beside: tuple[Languages | SeatMessage | SayMessage, ...] = ()
        self._said = 0
        self._beside_us = 0
        self.urgent = False
        """A change waits to be said."""

    @property
    def brightness(self) -> int:
        return 128 if self._state is None else _limited(self._state.brightness, 0xFF)

    def show(self, state: TableState) -> None:
        """The newest state; urgent when more than the running time differs."""
        if state.message != self._message:
            self._message = state.message
            self._messages += 1
        if self._state is None or _differs(self._state, state):
            self._number = (self._number + 1) & MOST
            self.urgent = True
            self._pausing = self._is_pause(state)
        self._state = state
        self._go_on_beside(state)

    def heard_by(self, newest: int) -> None:
        """The newest version that any node of this line speaks: what none of them knows is not said."""
        self._newest = newest
        if self._state is not None:
            self._go_on_beside(self._state)

    @property
    def version(self) -> int:
        """Of the protocol, in which the state has to be said."""
        return SEATS_SINCE if self._state is not None and self._state.seats else OLDEST

    @property
    def languages(self) -> tuple[str, ...]:
        """The hall's."""
        return (NODES_LANGUAGE,) if self._state is None else self._state.languages

    @property
    def repeating(self) -> bool:
        """A change is still being repeated: nothing long should be begun."""
        return bool(self._repeats_us)

    def due_us(self) -> int | None:
        """When the next frame has to go out; None: there is nothing to show yet."""
        if self._state is None:
            return None
        if self.urgent:
            return 0
        return min(self._repeats_us[0], self._refresh_us) if self._repeats_us else self._refresh_us

    def say(
        self, now_us: int, *, short: bool, broke_in: bool, disturbed: bool
    ) -> StateMessage | PauseMessage:
        """The frame whose first bit goes out now; of a pause first the short one, if all nodes know it
        (`short`). `broke_in`: an answer may just have begun. `disturbed`: another master speaks here."""
        first = self.urgent or len(self._repeats_us) > len(REPEATS_US)
        self._pausing = self._pausing and short and first
        message = self._short() if self._pausing else self.message(now_us)
        behind_us = PAUSE_BEHIND_US if self._pausing else STATE_BEHIND_US
        self.sent(now_us, behind_us=behind_us if broke_in else (), disturbed=disturbed)
        return message

    def sent(self, now_us: int, *, behind_us: Sequence[int] = (), disturbed: bool = False) -> None:
        """A frame goes out now; the first one of a change once more after each of `behind_us`."""
        self._heard = (self._number, self._shown())
        if self.urgent:
            self.urgent = False
            self._repeats_us = deque(now_us + later for later in (*behind_us, *REPEATS_US))
        while self._repeats_us and self._repeats_us[0] <= now_us:
            self._repeats_us.popleft()
        on_time = 0 <= now_us - self._refresh_us < LATE_US
        earlier_us = self._chance() % EARLIER_US if disturbed else 0
        self._refresh_us = (self._refresh_us if on_time else now_us) + REFRESH_US - earlier_us

    def beside_due_us(self) -> int | None:
        """When a frame beside the state has to be said; None: nodes know everything by themselves."""
        return self._beside_us if self._beside else None

    def beside(self, now_us: int) -> Languages | SeatMessage | SayMessage:
        """The one whose turn it is; it goes out now. There must be one."""
        frame = self._beside[self._said % len(self._beside)]
        self._said += 1
        new = self._said < NEW_TIMES * len(self._beside)
        self._beside_us = now_us + (NEW_BESIDE_US if new else BESIDE_US)
        return frame

    def message(self, now_us: int) -> StateMessage:
        """The frame whose first bit goes out now. There must be a state."""
        state = self._shown()
        return StateMessage(
            epoch=self._epoch,
            state_seq=self._number,
            master_us=to_u32(now_us),
            phase=state.phase,
            running=state.running,
            paused=state.paused,
            counting_in=state.resume_in_ms is not None,
            sun_active=state.seat == 0,
            moon_active=state.seat == 1,
            next_sun=state.next_seat == 0,
            next_moon=state.next_seat == 1,
            robber_possible=state.robber_possible,
            claims_pause=state.claims_pause,
            maintenance=state.maintenance,
            last_round=state.last_round,
            second_language=state.second_language,
            left_us=_limited(left_us(state, now_us), LONGEST_LEFT_US),
            duration=_limited(round(state.duration_ms / 100), MOST),
            resume_in=_resume_in(state, now_us),
            rate=_limited(round(state.rate * 256), MOST),
            round=state.round & MOST,
            dice=state.dice,
            target=state.target,
            last=state.last_sum,
            reasons=frozenset(state.pause_reasons),
            brightness=self.brightness,
            acting=Acting(state.seat, state.next_seat) if state.seats else None,
        )

    def _short(self) -> PauseMessage:
        state = self._shown()
        left = _limited(state.left_us, LONGEST_LEFT_US)
        reasons = frozenset(state.pause_reasons)
        return PauseMessage(epoch=self._epoch, state_seq=self._number, left_us=left, reasons=reasons)

    def _is_pause(self, state: TableState) -> bool:
        """Whether this is what nodes have heard last, but frozen: all else needs the whole state."""
        if self._heard is None:
            return False
        number, heard = self._heard
        goes_on = not heard.paused or heard.resume_in_ms is not None
        return goes_on and self._number == number + 1 & MOST and not _differs(_frozen(heard, state), state)

    def _go_on_beside(self, state: TableState) -> None:
        """New frames are said at once."""
        beside = (*self._frames_beside(state), *self._message_frames())
        if beside != self._beside:
            self._beside = beside
            self._said = self._beside_us = 0

    def _message_frames(self) -> tuple[SayMessage, ...]:
        """None before the first message; once that is over, that there is none, for who has not heard it."""
        if not self._messages or self._newest < SAY_SINCE:
            return ()
        return parts_of(self._message, epoch=self._epoch, number=self._messages & 0xFF)

    def _frames_beside(self, state: TableState) -> tuple[Languages | SeatMessage, ...]:
        first, *others = state.languages
        spoken = Languages(epoch=self._epoch, first=first, second=others[0] if others else "")
        seats = (
            SeatMessage(epoch=self._epoch, index=index, sign=_sign(seat), name=seat.name)
            for index, seat in enumerate(state.seats)
        )
        return (*(() if state.languages == (NODES_LANGUAGE,) else (spoken,)), *seats)

    def _shown(self) -> TableState:
        if self._state is None:
            raise ValueError("there is no state to send yet; call show() first")
        return self._state


def left_us(state: TableState, now_us: int) -> int:
    """Game time that is left now. Time that runs does not run out here: that a phase is over is the game's to
    say, and a table shows no 0 before."""
    if not state.running:
        return state.left_us
    return max(1, state.left_us - _game_us(state, now_us))


def _game_us(state: TableState, now_us: int) -> int:
    return round((now_us - state.as_of_us) * state.rate)


def _resume_in(state: TableState, now_us: int) -> int | None:
    if state.resume_in_ms is None:
        return None
    return _limited(state.resume_in_ms - _game_us(state, now_us) // 1000, LONGEST_RESUME_MS)


def _differs(old: TableState, new: TableState) -> bool:
    timeless = replace(
        new, as_of_us=old.as_of_us, left_us=old.left_us, resume_in_ms=old.resume_in_ms, message=old.message
    )
    if timeless != old or (old.resume_in_ms is None) != (new.resume_in_ms is None):
        return True
    if abs(left_us(old, new.as_of_us) - new.left_us) > SAME_TIME_US * max(1.0, new.rate):
        return True
    if new.resume_in_ms is None:
        return False
    expected = _resume_in(old, new.as_of_us) or 0
    return abs(expected - new.resume_in_ms) * 1000 > SAME_TIME_US * max(1.0, new.rate)


def _frozen(heard: TableState, state: TableState) -> TableState:
    """What a PAUSE makes of what was heard."""
    return replace(
        heard,
        running=False,
        paused=True,
        resume_in_ms=None,
        left_us=state.left_us,
        pause_reasons=state.pause_reasons,
    )


def _sign(seat: TableSeat) -> int:
    return 0 if seat.sign is None else 1 + SIDES.index(seat.sign)


def _limited(number: int, most: int) -> int:
    return max(0, min(most, number))
