"""The pauses of a game: when, how long, why. Pure."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from pi_controller.game.state import CountingDown, Frozen, State
from pi_controller.protocol.game_report import ReportedPause
from pi_controller.replay.changes import Change
from pi_controller.vocabulary import PauseReason

NS_PER_MS = 1_000_000


def pauses_of(changes: Sequence[Change]) -> list[ReportedPause]:
    """Each with all reasons that it had; the 3-2-1 belongs to it. The 3-2-1 of the start is none."""
    found: list[ReportedPause] = []
    still = False
    for change, after in pairwise([*changes, None]):
        if change is None or not _paused(change.game.state):
            still = False
            continue
        at_ms, clock = change.since_ns // NS_PER_MS, change.game.state.clock
        reasons = clock.reasons if isinstance(clock, Frozen) else ()
        if not still:
            found.append(
                ReportedPause(at_ms=at_ms, length_ms=None, reasons=[], round=change.game.state.round)
            )
        still = True
        newest = found[-1]
        length_ms = None if after is None else after.since_ns // NS_PER_MS - newest.at_ms
        found[-1] = replace(newest, length_ms=length_ms, reasons=_all(newest.reasons, reasons))
    return found


def _paused(state: State) -> bool:
    return state.in_play and isinstance(state.clock, Frozen | CountingDown)


def _all(before: Iterable[PauseReason], more: Iterable[PauseReason]) -> list[PauseReason]:
    return list(dict.fromkeys((*before, *more)))
