"""What all tables show, from the room picture. Pure."""

from typing import get_args

from pi_controller.bus.values import TableState
from pi_controller.protocol.picture import Picture
from pi_controller.vocabulary import SIDES, PauseReason, Side


def table_state(
    picture: Picture, *, offset_us: int, brightness: int, maintenance: bool = False
) -> TableState:
    """The state of this picture. `offset_us` is how far this machine's clock is ahead of the clock of the
    core that made it, 0 in the same machine."""
    robber = picture.phase == "robber"
    return TableState(
        as_of_us=picture.as_of_us + offset_us,
        phase=picture.phase,
        running=picture.running,
        paused=picture.paused,
        pause_reasons=tuple(one for one in get_args(PauseReason) if one in picture.pause_reasons),
        resume_in_ms=picture.resume_in_ms,
        side=_half(picture.side),
        next_side=_half(picture.next_side),
        robber_possible="robber_possible" in picture.notices,
        claims_pause=picture.claims_mode == "pause",
        last_round=picture.last_round is not None and picture.round >= picture.last_round,
        left_us=picture.remaining_us,
        duration_ms=picture.duration_ms,
        rate=picture.rate,
        round=picture.round,
        dice=picture.dice,
        target=picture.robber_target if robber else None,
        last_sum=_last_sum(picture),
        brightness=brightness,
        maintenance=maintenance,
    )


def _half(seat: str | None) -> Side | None:
    """The half of a node that shows this seat; the wire has a bit for each of the two, and no more."""
    return next((side for side in SIDES if side == seat), None)


def _last_sum(picture: Picture) -> int | None:
    """The roll before the one on show."""
    before = picture.history if picture.dice is None else picture.history[1:]
    return before[0].sum if before else None
