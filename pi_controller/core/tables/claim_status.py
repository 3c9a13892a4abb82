"""What a node is told of a claim made on it, as the room shows the game. Pure."""

from pi_controller.bus.values import NodeClaimStatus
from pi_controller.game.claims import board_key
from pi_controller.game.room import ClaimView, Room
from pi_controller.game.turn_order import Seat
from pi_controller.sentence import Sentence

JUDGED_IN_PAUSE = frozenset({"claim", "button", "director"})
"""With one of these reasons the clock stands still so that somebody comes and counts."""
OVER = ("collecting", "ended")
"""No round comes any more, unless something is undone."""
BEFORE_GAME = Sentence("claim.before_this_game")
UNKNOWN_TIME = Sentence("claim.unknown_time")


def claim_of(shown: Room, board: str, seat: Seat) -> ClaimView | None:
    """The claim of this board and seat: the open one, otherwise the newest."""
    own = [
        (record.status == "open", at, record)
        for at, record in enumerate(shown.claims)
        if record.board is not None and record.side == seat and board_key(record.board) == board_key(board)
    ]
    return max(own)[-1] if own else None


def refused_as(shown: Room, *, never: bool) -> NodeClaimStatus:
    """Of a claim that the game has not taken; `never`: it was not even put to it."""
    return "withdrawn" if never or shown.phase in OVER else "wait"


def status_of(record: ClaimView | None, shown: Room) -> NodeClaimStatus:
    """Of a claim that the game has taken; None: something that was undone has taken it away."""
    if record is None:
        return "withdrawn"
    if record.status == "confirmed":
        return _of_checked(record, shown)
    if record.status != "open":
        return record.status
    if record.passed:
        return "withdrawn"
    return "judge_comes" if JUDGED_IN_PAUSE.intersection(shown.pause_reasons) else "open"


def _of_checked(record: ClaimView, shown: Room) -> NodeClaimStatus:
    """A node takes `confirmed` for the victory, which a checked sheet alone is not yet, or has not become."""
    if any(winner.claim == record.id for winner in shown.winners):
        return "confirmed"
    return "withdrawn" if shown.phase == "ended" else "open"
