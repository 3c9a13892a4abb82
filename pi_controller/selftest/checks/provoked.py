"""WDG, PUL and UPS: a node hangs, a cable is pulled, the mains fail, and all of it comes back by itself."""

from pi_controller.bus.values import NodeView
from pi_controller.language.words import words
from pi_controller.protocol.probes import FactsProbe, JournalProbe, OrderProbe
from pi_controller.protocol.sentences import view
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView
from pi_controller.selftest.verdicts import (
    DAMAGED,
    NONE,
    NOT_SEEN,
    SEEN,
    WHOLE,
    CheckOutcome,
    CheckRecord,
    at_most,
    below,
    named,
    not_fitted,
    skipped,
)
from pi_controller.sentence import Sentence


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

    def wait(self, seconds: float) -> LiveView:
        self._hall.pause(seconds)
        return self.look()

    def look(self) -> LiveView:
        """How it stands now."""
        states = {node.uid: node.state for node in self._hall.look().nodes}
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


def wdg(hall: HallUnderTest) -> CheckOutcome:
    """Each node to be tested is told to hang: its watchdog must bring it back. On the bench that is one
    node."""
    node = hall.nodes()[0]
    board = hall.where(node.uid)
    hall.probe(OrderProbe(uid=node.uid, what="hang"))
    back, waited = _back(hall, node)
    record = CheckRecord()
    if back is None:
        now = next((one for one in hall.look().nodes if one.uid == node.uid), None)
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


def pul(hall: HallUnderTest) -> CheckOutcome:
    """A cable in the middle of a row is out for ten seconds."""
    pull = Pull(hall)
    text = Sentence("selftest.pull_a_cable_out")
    hall.ask(text, picture="cable", answers=("done",), live=pull)
    pull.look()
    if not pull.lost:
        return skipped(Sentence("selftest.no_table_was_lost_no_cable"))
    record = CheckRecord()
    _behind(record, hall, pull)
    _before(record, hall, pull)
    _no_link(record, hall)
    return record.outcome(Sentence("selftest.only_the_tables_behind_the_gap"))


def _behind(record: CheckRecord, hall: HallUnderTest, pull: Pull) -> None:
    record.value(
        Sentence("selftest.tables_behind_the_gap"), named(sorted(hall.where(uid) for uid in pull.lost))
    )
    first_to_last = Sentence("selftest.from_the_first_to_the_last")
    record.figure(first_to_last, pull.recovered_s, "s", at_most(RECOVERED_S))
    _came_back(record, hall, pull)


def _before(record: CheckRecord, hall: HallUnderTest, pull: Pull) -> None:
    missed = pull.missed_upstream()
    disturbed = sorted(hall.where(uid) for uid, count in missed.items() if count > MISSED_UPSTREAM)
    record.figure(Sentence("selftest.tables_before_the_gap_that_missed"), len(disturbed), "", NONE)
    for board in disturbed:
        told = Sentence("selftest.board_was_disturbed_although_its_own", board=board)
        record.fault_of_node(board, told)


def _no_link(record: CheckRecord, hall: HallUnderTest) -> None:
    seen = hall.saw(Sentence("selftest.did_the_tables_behind_the_gap"), "tables")
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


def ups(hall: HallUnderTest) -> CheckOutcome:
    """The mains are off for half a minute, and the controller goes on."""
    text = Sentence("selftest.has_the_controller_an_uninterruptible_supply")
    if hall.ask(text, picture="mains", answers=("yes", "no")).answer == "no":
        return not_fitted(Sentence("selftest.there_is_no_uninterruptible_supply"))
    session = hall.core.client.picture().session
    hall.ask(Sentence("selftest.pull_the_mains_plug_for_30"), picture="mains", answers=("done",))
    supply = hall.probe(FactsProbe()).supply
    journal = hall.probe(JournalProbe())
    record = CheckRecord()
    same = hall.core.client.picture().session == session
    low = supply is not None and supply.under_voltage_since_boot
    record.fact(Sentence("selftest.core_ran"), holds=same)
    record.fact(Sentence("selftest.under_voltage_since_boot"), holds=low, wanted=False)
    record.fact(Sentence("selftest.journal"), holds=journal.verified, word=WHOLE, other=DAMAGED)
    alarm = hall.saw(Sentence("selftest.did_the_uninterruptible_supply_show"), "mains")
    record.fact(Sentence("selftest.alarm"), holds=alarm, word=SEEN, other=NOT_SEEN)
    if not all(value.ok for value in record.values):
        told = Sentence("selftest.uninterruptible_supply_did_not_carry")
        record.fault(Sentence("selftest.uninterruptible_supply_or_its_battery"), told)
    return record.outcome(Sentence("selftest.uninterruptible_supply_carried_the_controller"))


def _back(hall: HallUnderTest, node: NodeView) -> tuple[NodeView | None, float]:
    """The node after its reset, and how long that took; None when it has not come back in time."""
    began = hall.clock()
    while (waited := hall.clock() - began) < LATEST_S:
        hall.pause(STEP_S)
        now = next((one for one in hall.look().nodes if one.uid == node.uid), None)
        if now is not None and now.state == "good" and now.boots != node.boots:
            return now, waited
    return None, LATEST_S
