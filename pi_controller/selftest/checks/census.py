"""CEN: who is on the bus, three times, against the roster; with which firmware."""

from collections import Counter
from collections.abc import Mapping, Sequence

from pi_controller.bus.values import LinkState, NodeView
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, named, not_fitted, place, said
from pi_controller.sentence import Sentence

TIMES = 3
APART_S = 1.5
"""Every node is asked at least once in between."""
LINKS: Mapping[LinkState, Sentence] = {
    "open": Sentence("selftest.link_open"),
    "closed": Sentence("selftest.link_closed"),
    "wrong_device": Sentence("selftest.link_wrong_device"),
    "busy": Sentence("selftest.link_busy"),
}


def cen(hall: HallUnderTest) -> Outcome:
    """Every board of the roster has its node and every node its board, three times over; one firmware for
    all."""
    looks = [hall.look()]
    for _ in range(TIMES - 1):
        hall.pause(APART_S)
        looks.append(hall.look())
    hall.forget()
    if not looks[-1].nodes and not hall.roster.boards:
        return not_fitted(Sentence("selftest.no_table_is_plugged"))
    record = Record()
    record.value(Sentence("selftest.boards_in_the_roster"), len(hall.roster.boards))
    answering = [{node.uid for node in look.nodes if node.state in ("good", "suspect")} for look in looks]
    counts = ", ".join(str(len(found)) for found in answering)
    record.value(
        Sentence("selftest.nodes_that_answer_three_times"),
        counts,
        limit=Sentence("selftest.same_each_time"),
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
    return record.outcome(Sentence("selftest.every_board_has_its_node_every"))


def _segments(record: Record, look: TablesSnapshot) -> None:
    for segment in look.segments:
        ok = segment.link == "open" and segment.sentence is None
        record.value(
            Sentence("selftest.segment", segment=segment.name),
            LINKS[segment.link],
            limit=LINKS["open"],
            ok=ok,
        )
        if not ok:
            record.fault(
                Sentence("selftest.adapter_or_the_first_cable", segment=segment.name),
                said(segment.sentence, segment.sentence_key)
                or Sentence(
                    "selftest.segment_is_look_at_its_adapter", segment=segment.name, link=LINKS[segment.link]
                ),
                where=segment.name,
            )


def _coming_and_going(record: Record, hall: HallUnderTest, uids: set[str]) -> None:
    for uid in sorted(uids, key=hall.where):
        board = hall.where(uid)
        record.fault(
            Sentence("selftest.plugs_of_board", board=board),
            Sentence("selftest.board_answers_now_and_then_press", board=board),
            where=board,
        )


def _alone(record: Record, hall: HallUnderTest) -> None:
    nodes = hall.nodes()
    record.value(
        Sentence("selftest.node_on_the_bench"),
        named([node.uid for node in nodes]) if nodes else Sentence("selftest.none"),
        limit=Sentence("selftest.one"),
        ok=len(nodes) == 1,
    )
    if not nodes:
        record.fault(
            Sentence("selftest.node_its_cable_or_its_supply"),
            Sentence("selftest.no_node_answers_look_at_cable"),
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
        Sentence("selftest.boards_without_their_node"),
        len(missing) + len(empty),
        limit="0",
        ok=not missing and not empty,
    )
    record.value(Sentence("selftest.nodes_without_a_board"), len(unknown), limit="0", ok=not unknown)
    gaps = [board.name for board in missing] + [board.name for board in empty]
    if len(unknown) == 1 and len(gaps) == 1:
        _place(record, unknown[0], gaps[0])
        return
    _rows_that_are_missing(record, hall, [board.name for board in missing])
    for board in empty:
        record.fault(
            Sentence("selftest.node_of_board", board=board.name),
            Sentence("selftest.no_node_is_known_at_board", board=board.name),
            where=board.name,
        )
    for uid in unknown:
        record.fault(
            Sentence("selftest.roster_node", node=uid),
            Sentence("selftest.node_stands_at_no_board_enrol", node=uid),
            where=uid,
        )


def _place(record: Record, uid: str, board: str) -> None:
    record.fault(
        Sentence("selftest.node_of_board", board=board),
        Sentence("selftest.node_stands_at_no_board", node=uid, board=board),
        where=board,
        fix=place(board, uid),
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
            cable = (
                Sentence("selftest.cable_between", before=names[first - 1], first=tail[0])
                if first
                else Sentence("selftest.cable_to", first=tail[0])
            )
            record.fault(
                cable,
                Sentence("selftest.row_does_not_answer", row=row.name, first=tail[0], cable=cable),
                where=tail[0],
            )
    for name in rest:
        record.fault(
            Sentence("selftest.node_of_board", board=name),
            Sentence("selftest.board_does_not_answer_look", board=name),
            where=name,
        )


def _addresses(record: Record, hall: HallUnderTest, looks: Sequence[TablesSnapshot]) -> None:
    twice = sorted(
        {node.uid for look in looks for node in look.nodes if node.state == "duplicate"}, key=hall.where
    )
    record.value(Sentence("selftest.nodes_with_anothers_address"), len(twice), limit="0", ok=not twice)
    for uid in twice:
        board = hall.where(uid)
        record.fault(
            Sentence("selftest.node_of_board", board=board),
            Sentence("selftest.board_has_the_address_of_another", board=board),
            where=board,
        )


def _firmware(record: Record, hall: HallUnderTest, nodes: Sequence[NodeView]) -> None:
    """Mixed firmware is listed: they play together, and the odd ones should be brought up to date."""
    counted = Counter((node.firmware, node.protocols) for node in nodes)
    listing = ", ".join(f"{firmware} ({count})" for (firmware, _), count in counted.most_common())
    record.value(
        Sentence("selftest.firmware"),
        listing or Sentence("selftest.none"),
        limit=Sentence("selftest.one_for_all"),
        ok=len(counted) <= 1,
    )
    usual = counted.most_common(1)[0][0] if counted else None
    for node in nodes:
        board = hall.where(node.uid)
        if node.state == "outdated":
            record.fault(
                Sentence("selftest.firmware_of_board", board=board),
                Sentence(
                    "selftest.board_speaks_another_protocol_firmware_install",
                    board=board,
                    firmware=node.firmware,
                ),
                where=board,
            )
        elif (node.firmware, node.protocols) != usual:
            record.fault(
                Sentence("selftest.firmware_of_board", board=board),
                Sentence(
                    "selftest.board_runs_firmware_most_run_install",
                    board=board,
                    firmware=node.firmware,
                    usual=usual[0] if usual else "?",
                ),
                where=board,
                severity="warning",
            )
        if node.safe_mode:
            record.fault(
                Sentence("selftest.node_of_board", board=board),
                Sentence("selftest.board_is_in_safe_mode_after", board=board),
                where=board,
            )
