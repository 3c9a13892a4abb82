"""A spare node beside a board whose node is gone: who could take whose place. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pi_controller.bus.values import NodeCensus, SegmentCensus
from pi_controller.roster.model import Roster


@dataclass(frozen=True, slots=True)
class Offer:
    """This node could stand at this board now."""

    board: str
    uid: str
    segment: str

    @property
    def sentence(self) -> str:
        return (
            f"Board {self.board} does not answer, and node {self.uid} is new on segment {self.segment}:"
            f" `pi-controller table replace {self.board} {self.uid}` puts it there."
        )


def offers(segments: Sequence[SegmentCensus], roster: Roster) -> tuple[Offer, ...]:
    """One for each segment with exactly one lost board and exactly one living node without a board."""
    found = []
    for segment in segments:
        lost = [node for node in segment.nodes if node.state == "lost" and _board(node, roster) is not None]
        new = [node for node in segment.nodes if node.state == "good" and _board(node, roster) is None]
        if len(lost) == 1 and len(new) == 1:
            found.append(Offer(str(_board(lost[0], roster)), new[0].uid, segment.name))
    return tuple(found)


def _board(node: NodeCensus, roster: Roster) -> str | None:
    board = roster.board_of(node.uid)
    return None if board is None else board.name
