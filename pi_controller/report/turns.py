"""How long the turns took, and each seat in all; pauses and the others' building not counted. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.state import Running
from pi_controller.protocol.game_report import ReportedSeat, ReportedTurn
from pi_controller.replay.changes import Change

NS_PER_MS = 1_000_000


def turns_of(changes: Sequence[Change]) -> list[ReportedTurn]:
    """Each turn in its order; time that an undo took back was taken all the same. Empty where no seat has
    turns."""
    began: dict[tuple[int, str], int] = {}
    taken: dict[tuple[int, str], int] = {}
    for before, after in pairwise(changes):
        state = before.game.state
        if state.phase != "turn" or state.acting is None or not isinstance(state.clock, Running):
            continue
        turn = state.round, state.acting
        began.setdefault(turn, before.since_ns)
        passed_ns = after.time.anchor_game_ns - before.time.anchor_game_ns
        taken[turn] = taken.get(turn, 0) + passed_ns
    return [
        ReportedTurn(round=turn[0], side=turn[1], at_ms=began[turn] // NS_PER_MS, length_ms=ns // NS_PER_MS)
        for turn, ns in sorted(taken.items())
    ]


def seats_of(turns: Sequence[ReportedTurn], rules: RuleSet, *, names: bool) -> list[ReportedSeat]:
    """What each seat took, in the order of the seats; with `names` those that were given to them."""
    found = []
    for seat, sign in rules.sides if turns else ():
        lengths = [turn.length_ms for turn in turns if turn.side == seat]
        total_ms = sum(lengths)
        found.append(
            ReportedSeat(
                side=seat,
                name=sign.name if names else None,
                turns=len(lengths),
                total_ms=total_ms,
                mean_ms=total_ms // max(1, len(lengths)),
            )
        )
    return found
