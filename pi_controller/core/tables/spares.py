"""A spare node beside a board whose node is gone: who could take whose place. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pi_controller.bus.values import SegmentSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Offer:
    """This node could stand at this board now."""

    board: str
    uid: str
    segment: str

    @property
    def sentence(self) -> Sentence:
        return Sentence("tables.spare", board=self.board, uid=self.uid, segment=self.segment)


def offers(segments: Sequence[SegmentSnapshot], roster: Roster) -> tuple[Offer, ...]:
    """One for each segment with exactly one lost board and exactly one living node without a board."""
    found = []
    boards = {board.node: board.name for board in roster.boards}
    for segment in segments:
        lost = [boards[node.uid] for node in segment.nodes if node.state == "lost" and node.uid in boards]
        new = [node.uid for node in segment.nodes if node.state == "good" and node.uid not in boards]
        if len(lost) == 1 and len(new) == 1:
            found.append(Offer(lost[0], new[0], segment.name))
    return tuple(found)
