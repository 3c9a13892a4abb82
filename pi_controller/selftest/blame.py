"""From the nodes that are bad to the part that is likely to be: the node, the cable before it, or the
segment."""

from collections.abc import Collection

from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Record, named

MANY = 3
"""Fewer nodes on a segment do not show that it is the segment that is bad."""


def blame(record: Record, hall: Hall, bad: Collection[str], *, what: str, node: str) -> None:
    """A finding for each segment whose nodes are all bad, for each row that is bad from a board to its end,
    and for each other bad node. `what` it does, `node`: what to look at there."""
    rest = set(bad)
    for segment in hall.fitted.segments:
        of_segment = {view.uid for view in hall.nodes() if view.segment == segment}
        if len(of_segment) >= MANY and of_segment <= rest:
            rest -= of_segment
            record.fault(
                f"the adapter, the first cable or a terminator of segment {segment}",
                f"Every table of segment {segment} {what}: look at the first cable and both terminators,"
                " then swap the adapter.",
                where=segment,
            )
    for _row, seats in hall.rows():
        uids = [view.uid for _board, view in seats]
        tail = _bad_tail(uids, rest)
        if len(tail) >= 2 and len(tail) < len(uids):
            rest -= set(tail)
            first, before = hall.where(tail[0]), hall.where(uids[len(uids) - len(tail) - 1])
            record.fault(
                f"the cable between {before} and {first}",
                f"From {first} to the end of the row every table {what}: swap the cable between {before}"
                f" and {first}.",
                where=first,
            )
    for uid in sorted(rest, key=hall.where):
        board = hall.where(uid)
        record.fault(f"the node of board {board}", f"Board {board} {what}: look at {node}.", where=board)


def _bad_tail(uids: list[str], bad: set[str]) -> list[str]:
    """The bad ones that reach to the end, in order."""
    first = len(uids)
    while first > 0 and uids[first - 1] in bad:
        first -= 1
    return uids[first:]


def boards(hall: Hall, uids: Collection[str]) -> str:
    """The boards of these nodes, as they stand in a sentence."""
    return named(sorted(hall.where(uid) for uid in uids))
