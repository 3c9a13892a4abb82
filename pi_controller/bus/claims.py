"""Claims made on nodes: each is told once, answered at once, and said again only when asked for."""

from dataclasses import dataclass
from typing import Final

from pi_controller.bus.messages import ClaimAnswer
from pi_controller.bus.values import ClaimHeard, ClaimStatus, NodeClaim, WithdrawalHeard
from pi_controller.vocabulary import Side

OVER: Final = frozenset({"rejected", "withdrawn", "confirmed", "wait"})
NO_ANSWER: Final = ClaimAnswer()
SAME_CONTACT_US: Final = 1_000_000
"""A claim that its node has dropped is another one when its first contact is later by more: a hold alone
takes 0.6 s, and nodes correct their time by less."""


@dataclass(slots=True)
class Standing:
    """The newest claim of one side of one node."""

    claim: NodeClaim
    at_us: int
    status: ClaimStatus
    taking_back: bool = False
    gone: bool = False
    """Its node has reported since that it has no claim."""

    def is_later(self, at_us: int) -> bool:
        """A contact of this moment is another claim, whatever its number: the node has dropped this one."""
        return self.gone and self.at_us > 0 and at_us > self.at_us + SAME_CONTACT_US


class Claims:
    """The newest claim of each side of each node of one segment. A side has one claim at a time, and numbers
    come round: so (uid, boots, side, number) is compared with the side's newest claim only."""

    def __init__(self) -> None:
        self._standing: dict[tuple[str, Side], Standing] = {}

    def heard(self, claim: NodeClaim, at_us: int, board: str | None) -> ClaimHeard | None:
        """A node reports this claim; the event when it has not been told yet. A claim that is older than
        the side's known one is none: numbers begin anew at a restart of the node, moments do not."""
        known = self._standing.get((claim.uid, claim.side))
        if known is not None and known.claim == claim and not known.is_later(at_us):
            known.at_us = known.at_us or at_us
            known.gone = False
            return None
        if known is not None and at_us <= known.at_us:
            return None
        self._standing[claim.uid, claim.side] = Standing(claim, at_us, "received")
        return ClaimHeard(claim=claim, board=board, at_us=at_us)

    def gone(self, uid: str, side: Side) -> bool:
        """The node has no claim: what it had is over for it, as when a new game has begun or when it has
        started again. True when its next poll has something else to say."""
        standing = self._standing.get((uid, side))
        if standing is None or standing.gone:
            return False
        standing.gone = True
        return standing.status in OVER

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
        """What the poll says of the side's newest claim; nothing of one that is over for its node too, lest
        another claim of the same number takes it for its own verdict."""
        standing = self._standing.get((uid, side))
        if standing is None or (standing.gone and standing.status in OVER):
            return NO_ANSWER
        return ClaimAnswer(standing.claim.number, standing.status)

    def told_again(self) -> list[tuple[NodeClaim, int, bool]]:
        """Claims that are not over: identity, time of first contact, whether it is being taken back."""
        return [
            (standing.claim, standing.at_us, standing.taking_back)
            for standing in self._standing.values()
            if standing.status not in OVER and standing.at_us and not standing.gone
        ]
