"""WDG, PUL and UPS: a node hangs, a cable is pulled, the mains fail, and all of it comes back by itself."""

from pi_controller.bus.values import NodeView
from pi_controller.language.words import words
from pi_controller.protocol.probes import FactsProbe, JournalProbe, OrderProbe
from pi_controller.protocol.sentences import view
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView
from pi_controller.selftest.verdicts import Outcome, Record, named, not_fitted, skipped
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
            now = self._hall.seconds.clock()
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


LATEST_S = 12.0
STEP_S = 0.25
RECOVERED_S = 5.0
MISSED_UPSTREAM = 3
"""Polls that a table before the gap may miss while somebody pulls plugs."""


def wdg(hall: HallUnderTest) -> Outcome:
    """Each node to be tested is told to hang: its watchdog must bring it back. On the bench that is one
    node."""
    node = hall.nodes()[0]
    board = hall.where(node.uid)
    hall.probe(OrderProbe(uid=node.uid, what="hang"))
    back, waited = _back(hall, node)
    record = Record()
    if back is None:
        now = next((one for one in hall.look().nodes if one.uid == node.uid), None)
        if now is not None and now.state == "good" and now.boots == node.boots:
            return skipped(
                Sentence("selftest.board_did_not_hang_when_told", board=board, firmware=node.firmware)
            )
    ok = back is not None and back.reset == "watchdog"
    record.value(
        Sentence("selftest.board_back_after", board=board),
        waited if back else None,
        "s",
        limit=Sentence("selftest.below", limit=12),
        ok=back is not None,
    )
    record.value(
        Sentence("selftest.cause_of_its_reset"),
        back.reset if back else None,
        limit=Sentence("selftest.watchdog"),
        ok=ok,
    )
    if not ok:
        record.fault(
            Sentence("selftest.node_of_board", board=board),
            Sentence("selftest.board_did_not_come_back", board=board),
            where=board,
        )
    return record.outcome(Sentence("selftest.watchdog_of_board_brought_it_back", board=board))


def pul(hall: HallUnderTest) -> Outcome:
    """A cable in the middle of a row is out for ten seconds."""
    pull = Pull(hall)
    text = Sentence("selftest.pull_a_cable_out")
    hall.ask(text, picture="cable", answers=("done",), live=pull)
    pull.look()
    if not pull.lost:
        return skipped(Sentence("selftest.no_table_was_lost_no_cable"))
    record = Record()
    _behind(record, hall, pull)
    _before(record, hall, pull)
    _no_link(record, hall)
    return record.outcome(Sentence("selftest.only_the_tables_behind_the_gap"))


def _behind(record: Record, hall: HallUnderTest, pull: Pull) -> None:
    record.value(
        Sentence("selftest.tables_behind_the_gap"), named(sorted(hall.where(uid) for uid in pull.lost))
    )
    back_s = pull.recovered_s
    ok = back_s is not None and back_s <= RECOVERED_S
    record.value(
        Sentence("selftest.from_the_first_to_the_last"),
        back_s,
        "s",
        limit=Sentence("selftest.at_most", limit=5),
        ok=ok,
    )
    _came_back(record, hall, pull)


def _before(record: Record, hall: HallUnderTest, pull: Pull) -> None:
    missed = pull.missed_upstream()
    disturbed = sorted(hall.where(uid) for uid, count in missed.items() if count > MISSED_UPSTREAM)
    record.value(
        Sentence("selftest.tables_before_the_gap_that_missed"), len(disturbed), limit="0", ok=not disturbed
    )
    for board in disturbed:
        record.fault(
            Sentence("selftest.node_of_board", board=board),
            Sentence("selftest.board_was_disturbed_although_its_own", board=board),
            where=board,
        )


def _no_link(record: Record, hall: HallUnderTest) -> None:
    text = Sentence("selftest.did_the_tables_behind_the_gap")
    seen = hall.ask(text, picture="tables").answer == "saw"
    record.value(
        Sentence("selftest.no_link_within_2_s"),
        Sentence("selftest.seen") if seen else Sentence("selftest.not_seen"),
        limit=Sentence("selftest.seen"),
        ok=seen,
    )
    if not seen:
        record.fault(
            Sentence("selftest.firmware_of_the_nodes"),
            Sentence("selftest.tables_did_not_say_that_they"),
        )


def _came_back(record: Record, hall: HallUnderTest, pull: Pull) -> None:
    gone = sorted(hall.where(uid) for uid in pull.still_lost)
    if gone:
        record.fault(
            Sentence("selftest.cable_before_board", gone=gone[0]),
            Sentence("selftest.did_not_come_back", names=named(gone)),
            where=gone[0],
        )
    elif pull.recovered_s is not None and pull.recovered_s > RECOVERED_S:
        record.fault(
            Sentence("selftest.cable_before_board_2", board=hall.where(min(pull.lost))),
            Sentence("selftest.it_took_s_until_all_tables", recovered_s=pull.recovered_s),
            where=hall.where(min(pull.lost)),
        )


def ups(hall: HallUnderTest) -> Outcome:
    """The mains are off for half a minute, and the controller goes on."""
    text = Sentence("selftest.has_the_controller_an_uninterruptible_supply")
    if hall.ask(text, picture="mains", answers=("yes", "no")).answer == "no":
        return not_fitted(Sentence("selftest.there_is_no_uninterruptible_supply"))
    session = hall.core.client.picture().session
    hall.ask(
        Sentence("selftest.pull_the_mains_plug_for_30"),
        picture="mains",
        answers=("done",),
    )
    supply = hall.probe(FactsProbe()).supply
    journal = hall.probe(JournalProbe())
    record = Record()
    same = hall.core.client.picture().session == session
    record.value(
        Sentence("selftest.core_ran"),
        Sentence("selftest.yes") if same else Sentence("selftest.no"),
        limit=Sentence("selftest.yes"),
        ok=same,
    )
    low = supply is not None and supply.under_voltage_since_boot
    record.value(
        Sentence("selftest.under_voltage_since_boot"),
        Sentence("selftest.yes") if low else Sentence("selftest.no"),
        limit=Sentence("selftest.no"),
        ok=not low,
    )
    record.value(
        Sentence("selftest.journal"),
        Sentence("selftest.whole") if journal.verified else Sentence("selftest.damaged"),
        limit=Sentence("selftest.whole"),
        ok=journal.verified,
    )
    alarm = (
        hall.ask(Sentence("selftest.did_the_uninterruptible_supply_show"), picture="mains").answer == "saw"
    )
    record.value(
        Sentence("selftest.alarm"),
        Sentence("selftest.seen") if alarm else Sentence("selftest.not_seen"),
        limit=Sentence("selftest.seen"),
        ok=alarm,
    )
    if not (same and journal.verified and alarm) or low:
        record.fault(
            Sentence("selftest.uninterruptible_supply_or_its_battery"),
            Sentence("selftest.uninterruptible_supply_did_not_carry"),
        )
    return record.outcome(Sentence("selftest.uninterruptible_supply_carried_the_controller"))


def _back(hall: HallUnderTest, node: NodeView) -> tuple[NodeView | None, float]:
    """The node after its reset, and how long that took; None when it has not come back in time."""
    began = hall.seconds.clock()
    while (waited := hall.seconds.clock() - began) < LATEST_S:
        hall.pause(STEP_S)
        now = next((one for one in hall.look().nodes if one.uid == node.uid), None)
        if now is not None and now.state == "good" and now.boots != node.boots:
            return now, waited
    return None, LATEST_S
