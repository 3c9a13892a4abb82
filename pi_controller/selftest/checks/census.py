"""CEN: who is on the bus, three times, against the roster; with which firmware."""

from collections import Counter
from collections.abc import Sequence

from pi_controller.protocol.tables import NodeView, TablesSnapshot
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Mend, Outcome, Record, named, not_fitted

TIMES = 3
APART_S = 1.5
"""Every node is asked at least once in between."""


def cen(hall: HallUnderTest) -> Outcome:
    """Every board of the roster has its node and every node its board, three times over; one firmware for
    all."""
    if not hall.fitted.segments:
        return not_fitted("The settings name no segments: there are no table nodes.")
    looks = [hall.look()]
    for _ in range(TIMES - 1):
        hall.pause(APART_S)
        looks.append(hall.look())
    hall.forget()
    if not looks[-1].nodes and not hall.roster.boards:
        return not_fitted("No table is plugged in, and the roster has no boards.")
    record = Record()
    record.value("boards in the roster", len(hall.roster.boards))
    answering = [{node.uid for node in look.nodes if node.state in ("good", "suspect")} for look in looks]
    counts = ", ".join(str(len(found)) for found in answering)
    record.value(
        "nodes that answer, three times",
        counts,
        limit="the same each time",
        ok=len(set(map(frozenset, answering))) == 1,
    )
    _segments(record, looks[-1])
    coming = answering[0].union(*answering) - answering[0].intersection(*answering)
    _coming_and_going(record, hall, coming)
    present = answering[-1] | coming
    if hall.level == "bench":
        _alone(record, hall)
    else:
        _missing_and_unknown(record, hall, looks[-1], present)
    _addresses(record, hall, looks)
    _firmware(
        record, hall, [node for node in looks[-1].nodes if node.uid in present or node.state == "outdated"]
    )
    return record.outcome("Every board has its node, every node its board.")


def _segments(record: Record, look: TablesSnapshot) -> None:
    for segment in look.segments:
        ok = segment.link == "open" and segment.sentence is None
        record.value(f"segment {segment.name}", segment.link, limit="open", ok=ok)
        if not ok:
            record.fault(
                f"the adapter or the first cable of segment {segment.name}",
                segment.sentence or f"Segment {segment.name} is {segment.link}: look at its adapter.",
                where=segment.name,
            )


def _coming_and_going(record: Record, hall: HallUnderTest, uids: set[str]) -> None:
    for uid in sorted(uids, key=hall.where):
        board = hall.where(uid)
        record.fault(
            f"the plugs of board {board}",
            f"Board {board} answers now and then: press its plugs in, then swap cable and node.",
            where=board,
        )


def _alone(record: Record, hall: HallUnderTest) -> None:
    nodes = hall.nodes()
    record.value(
        "node on the bench", named([node.uid for node in nodes]) or "none", limit="one", ok=len(nodes) == 1
    )
    if not nodes:
        record.fault(
            "the node, its cable or its supply", "No node answers: look at cable, supply and firmware."
        )


def _missing_and_unknown(
    record: Record, hall: HallUnderTest, look: TablesSnapshot, present: set[str]
) -> None:
    missing = [board for board in hall.roster.boards if board.node is not None and board.node not in present]
    outdated = {node.uid for node in look.nodes if node.state in ("outdated", "duplicate")}
    missing = [board for board in missing if board.node not in outdated]
    empty = [board for board in hall.roster.boards if board.node is None]
    unknown = sorted(uid for uid in present | outdated if hall.roster.board_of(uid) is None)
    record.value(
        "boards without their node", len(missing) + len(empty), limit="0", ok=not missing and not empty
    )
    record.value("nodes without a board", len(unknown), limit="0", ok=not unknown)
    gaps = [board.name for board in missing] + [board.name for board in empty]
    if len(unknown) == 1 and len(gaps) == 1:
        _place(record, unknown[0], gaps[0])
        return
    _rows_that_are_missing(record, hall, [board.name for board in missing])
    for board in empty:
        record.fault(
            f"the node of board {board.name}",
            f"No node is known at board {board.name}: enrol one there, or take the board out of the roster.",
            where=board.name,
        )
    for uid in unknown:
        record.fault(
            f"the roster, node {uid}", f"Node {uid} stands at no board: enrol it, or unplug it.", where=uid
        )


def _place(record: Record, uid: str, board: str) -> None:
    record.fault(
        f"the node of board {board}",
        f"Node {uid} stands at no board, and board {board} lacks its node: it seems to have been swapped"
        " there.",
        where=board,
        mend=Mend(do="place", board=board, uid=uid, label=f"Node {uid} stands at board {board} now"),
    )


def _rows_that_are_missing(record: Record, hall: HallUnderTest, missing: list[str]) -> None:
    """From a board to the end of its row: the cable before it. Otherwise each board for itself."""
    rest = list(missing)
    for row in hall.roster.rows:
        names = [board.name for board in row.boards]
        first = len(names)
        while first > 0 and names[first - 1] in rest:
            first -= 1
        tail = names[first:]
        if len(tail) >= 2:
            rest = [name for name in rest if name not in tail]
            cable = f"between {names[first - 1]} and {tail[0]}" if first else f"to {tail[0]}"
            record.fault(
                f"the cable {cable}",
                f"Row {row.name} does not answer from {tail[0]} on: look at the cable {cable} and at its"
                " supply.",
                where=tail[0],
            )
    for name in rest:
        record.fault(
            f"the node of board {name}",
            f"Board {name} does not answer: look at its plugs, its fuse and its display, then swap the node.",
            where=name,
        )


def _addresses(record: Record, hall: HallUnderTest, looks: Sequence[TablesSnapshot]) -> None:
    twice = sorted(
        {node.uid for look in looks for node in look.nodes if node.state == "duplicate"}, key=hall.where
    )
    record.value("nodes with another's address", len(twice), limit="0", ok=not twice)
    for uid in twice:
        board = hall.where(uid)
        record.fault(
            f"the node of board {board}",
            f"Board {board} has the address of another node: unplug it for ten seconds; swap it when it"
            " comes again.",
            where=board,
        )


def _firmware(record: Record, hall: HallUnderTest, nodes: Sequence[NodeView]) -> None:
    """Mixed firmware is listed: they play together, and the odd ones should be brought up to date."""
    counted = Counter((node.firmware, node.protocols) for node in nodes)
    listing = ", ".join(f"{firmware} ({count})" for (firmware, _), count in counted.most_common())
    record.value("firmware", listing or "none", limit="one for all", ok=len(counted) <= 1)
    usual = counted.most_common(1)[0][0] if counted else None
    for node in nodes:
        board = hall.where(node.uid)
        if node.state == "outdated":
            record.fault(
                f"the firmware of board {board}",
                f"Board {board} speaks another protocol (firmware {node.firmware}): install this"
                " controller's firmware.",
                where=board,
            )
        elif (node.firmware, node.protocols) != usual:
            record.fault(
                f"the firmware of board {board}",
                f"Board {board} runs firmware {node.firmware}, most run {usual[0] if usual else '?'}:"
                " install the same.",
                where=board,
                severity="warning",
            )
        if node.safe_mode:
            record.fault(
                f"the node of board {board}",
                f"Board {board} is in safe mode after repeated resets: look at its supply, then swap it.",
                where=board,
            )
