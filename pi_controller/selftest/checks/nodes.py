"""CEN: who is on the bus, three times, against the roster; with which firmware. WDG and PUL: a node hangs, a
cable is pulled, and all of it comes back by itself."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from pi_controller.bus.values import LinkState, NodeView
from pi_controller.language.words import words
from pi_controller.protocol.probes import OrderProbe
from pi_controller.protocol.sentences import view
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.selftest.checks.line import know_no_tests
from pi_controller.selftest.checks.rows import measured
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView
from pi_controller.selftest.verdicts import (
    NONE,
    NOT_SEEN,
    SEEN,
    CheckOutcome,
    CheckRecord,
    at_most,
    below,
    named,
    not_fitted,
    place,
    said,
    skipped,
)
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


async def cen(hall: HallUnderTest) -> CheckOutcome:
    """Every board of the roster has its node and every node its board, three times over; one firmware for
    all."""
    looks = [await hall.look()]
    for _ in range(TIMES - 1):
        await hall.pause(APART_S)
        looks.append(await hall.look())
    await hall.learn()
    if not looks[-1].nodes and not hall.roster.boards:
        return not_fitted(Sentence("selftest.no_table_is_plugged"))
    record = CheckRecord()
    record.value(Sentence("selftest.boards_in_the_roster"), len(hall.roster.boards))
    answering = [{node.uid for node in look.nodes if node.state in ("good", "suspect")} for look in looks]
    counts = ", ".join(str(len(found)) for found in answering)
    record.value(
        Sentence("selftest.nodes_that_answer_three_times"),
        counts,
        limit=Sentence("selftest.same_each_time"),
        ok=len(set(map(frozenset, answering))) == 1,
    )
    _segments(record, hall, looks[-1])
    coming = answering[0].union(*answering) - answering[0].intersection(*answering)
    _coming_and_going(record, hall, coming)
    present = answering[-1] | coming
    if hall.level == "bench":
        _alone(record, hall)
    else:
        await _missing_and_unknown(record, hall, looks[-1], present)
    _addresses(record, hall, looks)
    _firmware(
        record, hall, [node for node in looks[-1].nodes if node.uid in present or node.state == "outdated"]
    )
    _kinds(record, hall)
    return record.outcome(Sentence("selftest.every_board_has_its_node_every"))


def _segments(record: CheckRecord, hall: HallUnderTest, look: TablesSnapshot) -> None:
    """Of a dead one it is told once, by PRT or here, and no board on it is missing."""
    for segment in look.segments:
        name, link = segment.name, LINKS[segment.link]
        ok = segment.link == "open" and segment.sentence is None
        record.value(Sentence("selftest.segment", segment=name), link, limit=LINKS["open"], ok=ok)
        if ok or name in hall.dead_segments:
            continue
        hall.dead_segments.add(name)
        told = said(segment.sentence, segment.sentence_key) or Sentence(
            "selftest.segment_is_look_at_its_adapter", segment=name, link=link
        )
        record.fault(Sentence("selftest.adapter_or_the_first_cable", segment=name), told, where=name)


def _coming_and_going(record: CheckRecord, hall: HallUnderTest, uids: set[str]) -> None:
    for uid in sorted(uids, key=hall.where):
        board = hall.where(uid)
        told = Sentence("selftest.board_answers_now_and_then_press", board=board)
        record.fault(Sentence("selftest.plugs_of_board", board=board), told, where=board)
        hall.lacks.setdefault(uid, set()).add("steady")


def _alone(record: CheckRecord, hall: HallUnderTest) -> None:
    nodes = hall.nodes()
    found = named([node.uid for node in nodes]) if nodes else Sentence("selftest.none")
    one = Sentence("selftest.one")
    record.value(Sentence("selftest.node_on_the_bench"), found, limit=one, ok=len(nodes) == 1)
    if not nodes:
        told = Sentence("selftest.no_node_answers_look_at_cable")
        record.fault(Sentence("selftest.node_its_cable_or_its_supply"), told)


async def _missing_and_unknown(
    record: CheckRecord, hall: HallUnderTest, look: TablesSnapshot, present: set[str]
) -> None:
    outdated = {node.uid for node in look.nodes if node.state in ("outdated", "duplicate")}
    chains = [chain for segment, chain in hall.chains().items() if segment not in hall.dead_segments]
    missing = {
        board.name
        for chain in chains
        for board in chain
        if board.node is not None and board.node not in present | outdated
    }
    empty = [board for board in hall.roster.boards if board.node is None]
    unknown = sorted(uid for uid in present | outdated if hall.roster.board_of(uid) is None)
    gaps = [*missing, *(board.name for board in empty)]
    record.figure(Sentence("selftest.boards_without_their_node"), len(gaps), "", NONE)
    record.figure(Sentence("selftest.nodes_without_a_board"), len(unknown), "", NONE)
    if len(unknown) == 1 and len(gaps) == 1:
        told = Sentence("selftest.node_stands_at_no_board", node=unknown[0], board=gaps[0])
        record.fault_of_node(gaps[0], told, fix=place(gaps[0], unknown[0]))
        return
    for chain in chains:
        await _silent_boards(record, hall, [board.name for board in chain], missing)
    for board in empty:
        told = Sentence("selftest.no_node_is_known_at_board", board=board.name)
        record.fault_of_node(board.name, told)
    for uid in unknown:
        told = Sentence("selftest.node_stands_at_no_board_enrol", node=uid)
        record.fault(Sentence("selftest.roster_node", node=uid), told, where=uid)


async def _silent_boards(
    record: CheckRecord, hall: HallUnderTest, chain: Sequence[str], missing: Collection[str]
) -> None:
    """Several beside each other have one cause: the cable in front of them, or their supply where what lies
    behind them is reached through them. One alone: its node."""
    for silent, group in groupby(chain, key=missing.__contains__):
        names = list(group)
        if not silent:
            continue
        first, last = names[0], names[-1]
        before = chain[chain.index(first) - 1] if first != chain[0] else ""
        if len(names) == 1:
            record.fault_of_node(first, Sentence("selftest.board_does_not_answer_look", board=first))
        elif last != chain[-1] or (before and await _reached(hall, chain)):
            dark = Sentence("selftest.boards_are_without_supply", first=first, last=last)
            record.fault(Sentence("selftest.supply_of_boards", first=first, last=last), dark, where=first)
        else:
            cable = (
                Sentence("selftest.cable_between", before=before, first=first)
                if before
                else Sentence("selftest.cable_to", first=first)
            )
            told = Sentence("selftest.boards_do_not_answer", first=first, last=last, cable=cable)
            record.fault(cable, told, where=first)


async def _reached(hall: HallUnderTest, chain: Collection[str]) -> bool:
    """Whether the spare wire is whole from boards of this chain to the terminator at its end."""
    nodes = [node for node in hall.nodes() if hall.where(node.uid) in chain]
    return any(found.loop for found in (await measured(hall, nodes)).values())


def _addresses(record: CheckRecord, hall: HallUnderTest, looks: Sequence[TablesSnapshot]) -> None:
    twice = sorted(
        {node.uid for look in looks for node in look.nodes if node.state == "duplicate"}, key=hall.where
    )
    record.figure(Sentence("selftest.nodes_with_anothers_address"), len(twice), "", NONE)
    for board in map(hall.where, twice):
        told = Sentence("selftest.board_has_the_address_of_another", board=board)
        record.fault_of_node(board, told)


def _firmware(record: CheckRecord, hall: HallUnderTest, nodes: Sequence[NodeView]) -> None:
    """Mixed firmware is listed: they play together, and the odd ones should be brought up to date."""
    counted = Counter((node.firmware, node.protocols) for node in nodes)
    listing = ", ".join(f"{firmware} ({count})" for (firmware, _), count in counted.most_common())
    found, limit = listing or Sentence("selftest.none"), Sentence("selftest.one_for_all")
    record.value(Sentence("selftest.firmware"), found, limit=limit, ok=len(counted) <= 1)
    usual = counted.most_common(1)[0][0] if counted else None
    old: list[NodeView] = []
    for node in nodes:
        board = hall.where(node.uid)
        part, runs = Sentence("selftest.firmware_of_board", board=board), node.firmware
        if node.state == "outdated":
            told = Sentence(
                "selftest.board_speaks_another_protocol_firmware_install", board=board, firmware=runs
            )
            record.fault(part, told, where=board)
        elif (node.firmware, node.protocols) != usual:
            most = usual[0] if usual else "?"
            told = Sentence(
                "selftest.board_runs_firmware_most_run_install", board=board, firmware=runs, usual=most
            )
            record.fault(part, told, where=board, severity="warning")
        elif "tests" in hall.lacks.get(node.uid, ()):
            old.append(node)
        if node.safe_mode:
            record.fault_of_node(board, Sentence("selftest.board_is_in_safe_mode_after", board=board))
            hall.lacks.setdefault(node.uid, set()).add("steady")
    know_no_tests(record, hall, old)


def _kinds(record: CheckRecord, hall: HallUnderTest) -> None:
    """What is no fault of a node that was made so."""
    on_usb = [hall.where(node.uid) for node in hall.nodes() if "supply" in hall.lacks.get(node.uid, ())]
    if on_usb:
        record.value(Sentence("selftest.lacks_supply"), named(on_usb))


# WDG and PUL.


class Pull:
    """The view of it, from its making on; a `Live`."""

    def __init__(self, hall: HallUnderTest) -> None:
        self._hall = hall
        self._before = {node.uid: node for node in hall.answering()}
        self._first_back: float | None = None
        self._last_back: float | None = None
        self.lost: set[str] = set()
        self.still_lost: set[str] = set()

    @property
    def recovered_s(self) -> float | None:
        """From the first one that was back to the last one; None while some are not."""
        if self.still_lost or self._first_back is None or self._last_back is None:
            return None
        return self._last_back - self._first_back

    def missed_upstream(self) -> dict[str, int]:
        """Polls that the tables that were never lost have missed since."""
        now = {node.uid: node.missed for node in self._hall.snapshot.nodes}
        return {
            uid: now.get(uid, node.missed) - node.missed
            for uid, node in self._before.items()
            if uid not in self.lost
        }

    async def wait(self, seconds: float) -> LiveView:
        await self._hall.pause(seconds)
        return await self.look()

    async def look(self) -> LiveView:
        """How it stands now."""
        states = {node.uid: node.state for node in (await self._hall.look()).nodes}
        lost = {uid for uid in self._before if states.get(uid, "lost") == "lost"}
        back = self.still_lost - lost
        if back:
            now = self._hall.clock()
            self._first_back = self._first_back or now
            self._last_back = now
        self.lost |= lost
        self.still_lost = lost
        done = len(self.lost) - len(lost)
        text = (
            Sentence("selftest.tables_are_back", done=done, count=len(self.lost))
            if self.lost
            else Sentence("selftest.pull_the_cable_now")
        )
        return LiveView(
            finished=bool(self.lost) and not lost,
            text=words(text),
            text_key=view(text),
            done=done,
            of=len(self.lost),
        )


LATEST_S = 12
STEP_S = 0.25
RECOVERED_S = 5
MISSED_UPSTREAM = 3
"""Polls that a table before the gap may miss while somebody pulls plugs."""
SIMULATED_TIMES = 10.0


async def wdg(hall: HallUnderTest) -> CheckOutcome:
    """Each node to be tested is told to hang: its watchdog must bring it back. On the bench that is one
    node."""
    node = hall.nodes()[0]
    board = hall.where(node.uid)
    await hall.probe(OrderProbe(uid=node.uid, what="hang"))
    back, waited = await _back(hall, node)
    record = CheckRecord()
    if back is None:
        now = next((one for one in (await hall.look()).nodes if one.uid == node.uid), None)
        if now is not None and now.state == "good" and now.boots == node.boots:
            why = Sentence("selftest.board_did_not_hang_when_told", board=board, firmware=node.firmware)
            return skipped(why)
    ok = back is not None and back.reset == "watchdog"
    after, limit = Sentence("selftest.board_back_after", board=board), below(LATEST_S)
    record.value(after, waited if back else None, "s", limit=limit.text, ok=back is not None)
    cause, watchdog = Sentence("selftest.cause_of_its_reset"), Sentence("selftest.watchdog")
    if not record.value(cause, back.reset if back else None, limit=watchdog, ok=ok):
        record.fault_of_node(board, Sentence("selftest.board_did_not_come_back", board=board))
    return record.outcome(Sentence("selftest.watchdog_of_board_brought_it_back", board=board))


async def pul(hall: HallUnderTest) -> CheckOutcome:
    """A cable in the middle of a row is out for ten seconds."""
    pull = Pull(hall)
    text = Sentence("selftest.pull_a_cable_out")
    await hall.ask(text, picture="cable", answers=("done",), live=pull)
    await pull.look()
    if not pull.lost:
        return skipped(Sentence("selftest.no_table_was_lost_no_cable"))
    record = CheckRecord()
    _behind(record, hall, pull)
    _before(record, hall, pull)
    await _no_link(record, hall)
    return record.outcome(Sentence("selftest.only_the_tables_behind_the_gap"))


def _behind(record: CheckRecord, hall: HallUnderTest, pull: Pull) -> None:
    record.value(
        Sentence("selftest.tables_behind_the_gap"), named(sorted(hall.where(uid) for uid in pull.lost))
    )
    first_to_last = Sentence("selftest.from_the_first_to_the_last")
    record.figure(first_to_last, pull.recovered_s, "s", at_most(RECOVERED_S))
    _came_back(record, hall, pull)


def _before(record: CheckRecord, hall: HallUnderTest, pull: Pull) -> None:
    if any("line" in lacking for lacking in hall.lacks.values()):
        return  # BER tells of a line that loses frames without a gap
    missed, most = pull.missed_upstream(), MISSED_UPSTREAM * hall.times(SIMULATED_TIMES)
    disturbed = sorted(hall.where(uid) for uid, count in missed.items() if count > most)
    record.figure(Sentence("selftest.tables_before_the_gap_that_missed"), len(disturbed), "", NONE)
    for board in disturbed:
        told = Sentence("selftest.board_was_disturbed_although_its_own", board=board)
        record.fault_of_node(board, told)


async def _no_link(record: CheckRecord, hall: HallUnderTest) -> None:
    seen = await hall.saw(Sentence("selftest.did_the_tables_behind_the_gap"), "tables")
    name = Sentence("selftest.no_link_within_2_s")
    if not record.fact(name, holds=seen, word=SEEN, other=NOT_SEEN):
        told = Sentence("selftest.tables_did_not_say_that_they")
        record.fault(Sentence("selftest.firmware_of_the_nodes"), told)


def _came_back(record: CheckRecord, hall: HallUnderTest, pull: Pull) -> None:
    gone = sorted(hall.where(uid) for uid in pull.still_lost)
    if gone:
        told = Sentence("selftest.did_not_come_back", names=named(gone))
        record.fault(Sentence("selftest.cable_before_board", gone=gone[0]), told, where=gone[0])
    elif pull.recovered_s is not None and pull.recovered_s > RECOVERED_S:
        board = hall.where(min(pull.lost))
        told = Sentence("selftest.it_took_s_until_all_tables", recovered_s=pull.recovered_s)
        record.fault(Sentence("selftest.cable_before_board_2", board=board), told, where=board)


async def _back(hall: HallUnderTest, node: NodeView) -> tuple[NodeView | None, float]:
    """The node after its reset, and how long that took; None when it has not come back in time."""
    began = hall.clock()
    while (waited := hall.clock() - began) < LATEST_S:
        await hall.pause(STEP_S)
        now = next((one for one in (await hall.look()).nodes if one.uid == node.uid), None)
        if now is not None and now.state == "good" and now.boots != node.boots:
            return now, waited
    return None, LATEST_S
