"""Claims made on nodes: each is told once, answered at once, and said again only when asked for."""

from dataclasses import dataclass
from typing import Final

from pi_controller.bus.messages import ClaimAnswer
from pi_controller.bus.values import ClaimHeard, ClaimStatus, NodeClaim, Side, WithdrawalHeard

OVER: Final = frozenset({"rejected", "withdrawn", "confirmed", "wait"})
NO_ANSWER: Final = ClaimAnswer()


@dataclass(slots=True)
class Standing:
    """The newest claim of one side of one node."""

    claim: NodeClaim
    at_us: int
    status: ClaimStatus
    taking_back: bool = False
    gone: bool = False


class Claims:
    """All claims of one segment, by identity (uid, boots, side, number)."""

    def __init__(self) -> None:
        self._standing: dict[tuple[str, Side], Standing] = {}

    def heard(self, claim: NodeClaim, at_us: int, board: str | None) -> ClaimHeard | None:
        """A node reports this claim; the event when it has not been told yet. A claim that is older than
        the side's known one is none: numbers begin anew at a restart of the node, moments do not."""
        known = self._standing.get((claim.uid, claim.side))
        if known is not None and (known.claim == claim or at_us <= known.at_us):
            known.gone = known.gone and known.claim != claim
            return None
        self._standing[claim.uid, claim.side] = Standing(claim, at_us, "received")
        return ClaimHeard(claim=claim, board=board, at_us=at_us)

    def gone(self, uid: str, side: Side) -> None:
        """The node has no claim: what it had is over for it, as when a new game has begun."""
        standing = self._standing.get((uid, side))
        if standing is not None:
            standing.gone = True

    def taking_back(self, claim: NodeClaim, board: str | None, *, asked: bool) -> WithdrawalHeard | None:
        """A node reports whether its player takes the claim back; the event when that is new."""
        standing = self._standing.get((claim.uid, claim.side))
        if standing is None or standing.claim != claim or standing.taking_back == asked:
            return None
        standing.taking_back = asked
        if not asked or standing.status in OVER:
            return None
        return WithdrawalHeard(claim=claim, board=board)

    def settle(self, claim: NodeClaim, status: ClaimStatus) -> bool:
        """What became of the claim; True when its node has to be told something new. A claim that no node has
        reported yet is kept, so that it is not told when the node reports it: it is known already."""
        standing = self._standing.get((claim.uid, claim.side))
        if standing is not None and standing.claim == claim:
            changed = standing.status != status
            standing.status = status
            return changed
        if standing is not None:
            return False
        self._standing[claim.uid, claim.side] = Standing(claim, 0, status)
        return True

    def answer(self, uid: str, side: Side) -> ClaimAnswer:
        """What the poll says of the side's newest claim."""
        standing = self._standing.get((uid, side))
        return NO_ANSWER if standing is None else ClaimAnswer(standing.claim.number, standing.status)

    def told_again(self) -> list[tuple[NodeClaim, int, bool]]:
        """Claims that are not over: identity, time of first contact, whether it is being taken back."""
        return [
            (standing.claim, standing.at_us, standing.taking_back)
            for standing in self._standing.values()
            if standing.status not in OVER and standing.at_us and not standing.gone
        ]
