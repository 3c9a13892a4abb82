"""SPR: the spare wire of the table cables, which the terminator closes to a loop."""

from itertools import pairwise

from pi_controller.bus.values import NodeMeasured, NodeView
from pi_controller.selftest.checks.measuring import measured
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, not_fitted
from pi_controller.sentence import Sentence

Loop = tuple[str, bool]
"""A board by its name, and whether the wire is whole from there to the terminator."""


def spr(hall: HallUnderTest) -> Outcome:
    """Whether each segment has its terminator, and where the spare wire is broken."""
    nodes = hall.nodes()
    found = measured(hall, nodes)
    segments = sorted({node.segment for node in nodes})
    loops = {segment: along for segment in segments if (along := _along(hall, segment, found))}
    if not loops:
        return not_fitted(Sentence("selftest.no_node_feels_the_spare_wire"))
    record = Record()
    silent: list[Sentence] = []
    for segment, along in loops.items():
        whole = _count(record, segment, along)
        board = None if whole else _silent_behind(hall, segment)
        if board is not None:
            silent.append(Sentence("selftest.wire_ends_at_a_silent_board", segment=segment, board=board))
        elif whole < len(along):
            _blame(record, segment, along)
    if silent and not record.findings:
        why = Sentence("list.sentences", sentences=tuple(silent))
        return Outcome("skipped", why, tuple(record.values))
    return record.outcome(Sentence("selftest.spare_wire_is_whole"))


def _silent_behind(hall: HallUnderTest, segment: str) -> str | None:
    """The board behind the segment's last node, when its own node does not answer: whether the terminator or
    the cable to that board opens the loop cannot be told, and CEN tells of the board."""
    segments = {node.uid: node.segment for node in hall.nodes()}
    boards = hall.roster.boards
    last = max((at for at, one in enumerate(boards) if segments.get(one.node or "") == segment), default=None)
    if last is None or last + 1 == len(boards):
        return None
    behind = boards[last + 1]
    return None if behind.node is None or behind.node in segments else behind.name


def _along(hall: HallUnderTest, segment: str, found: dict[str, NodeMeasured]) -> list[Loop]:
    """Of a segment's nodes that feel the wire, in the roster's order."""
    seats: list[NodeView] = [node for _row, row in hall.rows() for _board, node in row]
    placed = {node.uid for node in seats}
    nodes = seats + [node for node in hall.nodes() if node.uid not in placed]
    return [
        (hall.where(node.uid), loop)
        for node in nodes
        if node.segment == segment and node.uid in found and (loop := found[node.uid].loop) is not None
    ]


def _count(record: Record, segment: str, along: list[Loop]) -> int:
    """How many have a loop, noted."""
    whole = sum(loop for _board, loop in along)
    record.value(
        Sentence("selftest.boards_with_a_loop_on_segment", segment=segment),
        whole,
        limit=str(len(along)),
        ok=whole == len(along),
    )
    return whole


def _blame(record: Record, segment: str, along: list[Loop]) -> None:
    """What opens the loop of at least one."""
    if not any(loop for _board, loop in along):
        record.fault(
            Sentence("selftest.terminator_of_segment", segment=segment),
            Sentence("selftest.no_board_has_a_loop", segment=segment),
            where=segment,
        )
        return
    breaks = [(near, far) for (near, one), (far, other) in pairwise(along) if one != other]
    if len(breaks) == 1:
        ((near, far),) = breaks
        record.fault(
            Sentence("selftest.cable_between", before=near, first=far),
            Sentence("selftest.spare_wire_is_broken_between", before=near, first=far),
            where=far,
        )
        return
    for board, loop in along:
        if not loop:
            record.fault(
                Sentence("selftest.node_of_board", board=board),
                Sentence("selftest.board_alone_has_no_loop", board=board),
                where=board,
                severity="warning",
            )
