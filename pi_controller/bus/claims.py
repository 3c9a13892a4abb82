"""Claims made on nodes: each is told once, answered at once, and said again only when asked for.

What became of a claim is not remembered with it: it stands in the outcomes that were published last.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pi_controller.bus.messages import ClaimAnswer
from pi_controller.bus.values import ClaimHeard, ClaimOutcome, NodeClaim, NodeClaimStatus, WithdrawalHeard
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
    taking_back: bool = False
    gone: bool = False
    """Its node has reported since that it has no claim."""

    def is_later(self, at_us: int) -> bool:
        """A contact of this moment is another claim, whatever its number: the node has dropped this one."""
        return self.gone and at_us > self.at_us + SAME_CONTACT_US


class Claims:
    """The newest claim of each side of each node of one segment. A side has one claim at a time, and numbers
    come round: so (uid, boots, side, number) is compared with the side's newest claim only."""

    def __init__(self) -> None:
        self._standing: dict[tuple[str, Side], Standing] = {}
        self._outcomes: dict[tuple[str, Side], ClaimOutcome] = {}

    def publish(self, outcomes: Iterable[ClaimOutcome]) -> list[str]:
        """What became of each side's newest claim, in place of what was published before; the nodes that have
        to be told something new."""
        before = self._outcomes
        self._outcomes = {(one.claim.uid, one.claim.side): one for one in outcomes}
        return [uid for uid, side in self._outcomes if before.get((uid, side)) != self._outcomes[uid, side]]

    def heard(self, claim: NodeClaim, at_us: int, board: str | None) -> ClaimHeard | None:
        """A node reports this claim; the event when it has not been told yet. A claim that is older than
        the side's known one is none: numbers begin anew at a restart of the node, moments do not."""
        known = self._standing.get((claim.uid, claim.side))
        if known is not None and known.claim == claim and not known.is_later(at_us):
            known.gone = False
            return None
        if known is not None and at_us <= known.at_us:
            return None
        standing = self._standing[claim.uid, claim.side] = Standing(claim, at_us)
        if self._outcome(standing) is not None:
            return None
        return ClaimHeard(claim=claim, board=board, at_us=at_us)

    def gone(self, uid: str, side: Side) -> bool:
        """The node has no claim: what it had is over for it, as when a new game has begun or when it has
        started again. True when its next poll has something else to say."""
        standing = self._standing.get((uid, side))
        if standing is None or standing.gone:
            return False
        standing.gone = True
        return self._status(standing) in OVER

    def taking_back(self, claim: NodeClaim, board: str | None, *, asked: bool) -> WithdrawalHeard | None:
        """A node reports whether its player takes the claim back; the event when that is new."""
        standing = self._standing.get((claim.uid, claim.side))
        if standing is None or standing.claim != claim or standing.taking_back == asked:
            return None
        standing.taking_back = asked
        if not asked or self._status(standing) in OVER:
            return None
        return WithdrawalHeard(claim=claim, board=board)

    def answer(self, uid: str, side: Side) -> ClaimAnswer:
        """What the poll says of the side's newest claim; nothing of one that is over for its node too, lest
        another claim of the same number takes it for its own verdict."""
        standing = self._standing.get((uid, side))
        if standing is None:
            outcome = self._outcomes.get((uid, side))
            return NO_ANSWER if outcome is None else ClaimAnswer(outcome.claim.number, outcome.status)
        status = self._status(standing)
        return NO_ANSWER if standing.gone and status in OVER else ClaimAnswer(standing.claim.number, status)

    def told_again(self) -> list[tuple[NodeClaim, int, bool]]:
        """Claims that are not over: identity, time of first contact, whether it is being taken back."""
        return [
            (standing.claim, standing.at_us, standing.taking_back)
            for standing in self._standing.values()
            if self._status(standing) not in OVER and not standing.gone
        ]

    def _outcome(self, standing: Standing) -> ClaimOutcome | None:
        """Nothing when the published one is of another claim, one whose number has come round included."""
        outcome = self._outcomes.get((standing.claim.uid, standing.claim.side))
        if outcome is None or outcome.claim != standing.claim:
            return None
        return None if standing.at_us > outcome.at_us + SAME_CONTACT_US else outcome

    def _status(self, standing: Standing) -> NodeClaimStatus:
        outcome = self._outcome(standing)
        return "received" if outcome is None else outcome.status
