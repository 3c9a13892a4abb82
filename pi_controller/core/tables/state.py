"""What all tables show, from the game itself: its times are finer than the picture's milliseconds. Pure."""

from typing import get_args

from pi_controller.bus.values import TableState
from pi_controller.core.game_loop.game_time import GameTime
from pi_controller.game.game import Game
from pi_controller.game.room import notices
from pi_controller.game.state import Counting, Frozen, Running, State
from pi_controller.game.turn_order import Seat
from pi_controller.vocabulary import SIDES, PauseReason, Side

NS_PER_US = 1_000
NS_PER_MS = 1_000_000


def table_state(
    game: Game, time: GameTime, now_ns: int, *, brightness: int, maintenance: bool = False
) -> TableState:
    """The state as of `now_ns` (CLOCK_BOOTTIME)."""
    state, game_ns = game.state, time.game_ns(now_ns)
    clock = state.clock
    roll = state.roll if state.in_play else None
    robber = roll is not None and state.phase == "robber"
    return TableState(
        as_of_us=now_ns // NS_PER_US,
        phase=state.phase,
        running=isinstance(clock, Running),
        paused=isinstance(clock, Frozen | Counting),
        pause_reasons=_reasons(clock.reasons) if isinstance(clock, Frozen) else (),
        resume_in_ms=_up(clock.go_ns - game_ns, NS_PER_MS) if isinstance(clock, Counting) else None,
        side=_half(state.side),
        next_side=None if state.phase == "ended" else _half(state.due_side),
        robber_possible="robber_possible" in notices(game),
        claims_pause=state.claims_mode == "pause",
        last_round=state.last_round is not None and state.round >= state.last_round,
        left_us=_up(state.remaining_ns(game_ns), NS_PER_US),
        duration_ms=state.duration_ns // NS_PER_MS if state.in_play else 0,
        rate=time.rate,
        round=state.round,
        dice=roll.dice if roll is not None else None,
        target=roll.robber_target if roll is not None and robber else None,
        last_sum=_last_sum(state),
        brightness=brightness,
        maintenance=maintenance,
    )


def _half(seat: Seat | None) -> Side | None:
    """The half of a node that shows this seat; the wire has a bit for each of the two, and no more."""
    return next((side for side in SIDES if side == seat), None)


def _reasons(given: tuple[str, ...]) -> tuple[PauseReason, ...]:
    return tuple(reason for reason in get_args(PauseReason) if reason in given)


def _last_sum(state: State) -> int | None:
    """The roll before the one on show."""
    shown = state.history[1:] if state.in_play else state.history
    return sum(shown[0].dice) if shown else None


def _up(ns: int, unit_ns: int) -> int:
    """Rounded up: 0 only when nothing is left."""
    return max(0, -(-ns // unit_ns))
