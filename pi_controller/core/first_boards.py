"""Boards for virtual tables where no roster was kept: a row for each segment, in the order of the unique ids.

Pure.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pi_controller.bus.values import SegmentCensus
from pi_controller.roster.model import Board, Roster, Row

LONGEST_WAIT_NS = 10_000_000_000
"""For nodes that do not come; boards that nobody came to stay empty."""


class FirstBoards:
    """`tables` is the number of nodes by segment; `roster` has all their boards from the beginning."""

    def __init__(self, tables: Mapping[str, int], now_ns: int) -> None:
        self.roster = Roster(
            rows=tuple(
                Row(name=name, boards=tuple(Board(name=f"{name}{place}") for place in range(1, number + 1)))
                for name, number in tables.items()
            )
        )
        self._until_ns = now_ns + LONGEST_WAIT_NS

    def look(self, segments: Sequence[SegmentCensus], now_ns: int) -> bool:
        """True when everybody is there, or nobody is waited for any more: `roster` is complete then."""
        heard = {segment.name: sorted(node.uid for node in segment.nodes) for segment in segments}
        missing = any(len(heard.get(row.name, ())) < len(row.boards) for row in self.roster.rows)
        if missing and now_ns < self._until_ns:
            return False
        rows = tuple(_seated(row, heard.get(row.name, [])) for row in self.roster.rows)
        self.roster = Roster(rows=rows)
        return True


def _seated(row: Row, uids: list[str]) -> Row:
    nodes: list[str | None] = [*uids, *[None] * len(row.boards)]
    boards = [replace(board, node=node) for board, node in zip(row.boards, nodes, strict=False)]
    return replace(row, boards=tuple(boards))
