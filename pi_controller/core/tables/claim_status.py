"""What a node is told of a claim made on it, as the game is. Pure."""

from pi_controller.bus.values import NodeClaimStatus
from pi_controller.game.claims import ClaimRecord, board_key
from pi_controller.game.state import Frozen, State
from pi_controller.game.turn_order import Seat
from pi_controller.sentence import Sentence

JUDGED_IN_PAUSE = frozenset({"claim", "button", "director"})
"""With one of these reasons the clock stands still so that somebody comes and counts."""
BEFORE_GAME = Sentence("claim.before_this_game")
UNKNOWN_TIME = Sentence("claim.unknown_time")


def claim_of(state: State, board: str, seat: Seat) -> ClaimRecord | None:
    """The claim of this board and seat: the open one, otherwise the newest."""
    own = [
        record
        for record in state.claims
        if record.board is not None and record.side == seat and board_key(record.board) == board_key(board)
    ]
    return max(own, key=lambda record: (record.status == "open", record.at_ns), default=None)


def refused_as(state: State, *, never: bool) -> NodeClaimStatus:
    """Of a claim that the game has not taken; `never`: it was not even put to it."""
    return "withdrawn" if never or state.played else "wait"


def status_of(record: ClaimRecord | None, state: State) -> NodeClaimStatus:
    """Of a claim that the game has taken; None: something that was undone has taken it away."""
    if record is None:
        return "withdrawn"
    if record.status == "confirmed":
        return _of_checked(record, state)
    if record.status != "open":
        return record.status
    if record.passed:
        return "withdrawn"
    reasons = state.clock.reasons if isinstance(state.clock, Frozen) else ()
    return "judge_comes" if JUDGED_IN_PAUSE.intersection(reasons) else "open"


def _of_checked(record: ClaimRecord, state: State) -> NodeClaimStatus:
    """A node takes `confirmed` for the victory, which a checked sheet alone is not yet, or has not become."""
    if record.id in state.winners:
        return "confirmed"
    return "withdrawn" if state.phase == "ended" else "open"
