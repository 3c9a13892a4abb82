"""What is said when one picture follows another. Pure; of seats it knows what stands in the picture.

A call-out is a moment, not a state: it is found by comparing two pictures, so that nothing is said after a
restart.
"""

from collections.abc import Iterator

from pi_controller.core.sound import phrases
from pi_controller.core.sound.phrases import Callout, NamedSeat, named
from pi_controller.protocol.picture import Picture


def callouts_between(before: Picture | None, after: Picture) -> tuple[Callout, ...]:
    """What the change from one picture to the next makes the voice say, the most urgent first."""
    if before is None or before.game_id != after.game_id:
        return ()
    return tuple(_said(before, after))


def _said(before: Picture, after: Picture) -> Iterator[Callout]:
    if _rejected(after) - _rejected(before):
        yield phrases.REJECTED
    if after.phase == "ended":
        if before.phase != "ended":
            yield from _end(after)
    elif after.phase == "collecting":
        if before.phase not in ("collecting", "ended"):
            yield phrases.COLLECTING
    elif after.paused:
        yield from _in_a_pause(before, after)
    elif after.running and _turned(before, after):
        yield from _phase(before, after)


def _turned(before: Picture, after: Picture) -> bool:
    """Two robber phases can follow each other: then only the history tells them apart."""
    return (before.phase, before.round, before.seat, before.history) != (
        after.phase,
        after.round,
        after.seat,
        after.history,
    )


def _in_a_pause(before: Picture, after: Picture) -> Iterator[Callout]:
    broken_off = before.resume_in_ms is not None and after.resume_in_ms is None
    if after.resume_in_ms is None and (not before.paused or broken_off):
        yield phrases.PAUSE
        if _open(after):
            yield phrases.CLAIM
    elif _open(after) - _open(before):
        yield phrases.CLAIM


def _phase(before: Picture, after: Picture) -> Iterator[Callout]:
    seats = named(after.seats)
    if after.phase == "robber" and after.robber_target is not None:
        yield phrases.robber(after.robber_target)
    elif after.sum is not None and after.seat is not None:
        yield phrases.next_round(after.sum, seats[after.seat])
        yield from _rounds_left(after)
    if "robber_possible" in after.notices and "robber_possible" not in before.notices:
        yield phrases.ROBBER_POSSIBLE


def _rounds_left(picture: Picture) -> Iterator[Callout]:
    if picture.last_round is not None:
        left = picture.last_round - picture.round
        if 0 <= left <= phrases.MOST_ROUNDS_COUNTED:
            yield phrases.last_rounds(left)


def _end(picture: Picture) -> Iterator[Callout]:
    seats = {seat.id: seat for seat in named(picture.seats)}
    if not picture.winners:
        yield phrases.GAME_OVER
    for winner in picture.winners:
        yield _winner(winner.board, seats.get(winner.side or ""))


def _winner(board: str | None, seat: NamedSeat | None) -> Callout:
    return phrases.WINNER_UNKNOWN if board is None or seat is None else phrases.winner(board, seat)


def _open(picture: Picture) -> frozenset[str]:
    return frozenset(claim.id for claim in picture.claims if claim.status == "open" and not claim.passed)


def _rejected(picture: Picture) -> frozenset[str]:
    return frozenset(claim.id for claim in picture.claims if claim.status == "rejected")
