"""WDG, PUL and UPS: a node hangs, a cable is pulled, the mains fail, and all of it comes back by itself."""

from pi_controller.protocol.tables import NodeView
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView
from pi_controller.selftest.verdicts import Outcome, Record, named, not_fitted, skipped


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
        text = f"{done} of {len(self.lost)} tables are back" if self.lost else "pull the cable now"
        return LiveView(finished=bool(self.lost) and not lost, text=text, done=done, of=len(self.lost))


LATEST_S = 12.0
STEP_S = 0.25
RECOVERED_S = 5.0
MISSED_UPSTREAM = 3
"""Polls that a table before the gap may miss while somebody pulls plugs."""
NO_TABLES = "No table answers."


def wdg(hall: HallUnderTest) -> Outcome:
    """Each node to be tested is told to hang: its watchdog must bring it back. On the bench that is one
    node."""
    nodes = hall.nodes()[:1]
    if not nodes:
        return not_fitted(NO_TABLES)
    node = nodes[0]
    board = hall.where(node.uid)
    hall.probes.order(node.uid, "hang")
    back, waited = _back(hall, node)
    record = Record()
    if back is None:
        now = next((one for one in hall.look().nodes if one.uid == node.uid), None)
        if now is not None and now.state == "good" and now.boots == node.boots:
            return skipped(
                f"Board {board} did not hang when told to: its firmware ({node.firmware}) knows no tests."
            )
    ok = back is not None and back.reset == "watchdog"
    record.value(
        f"board {board} back after", waited if back else None, "s", limit="below 12", ok=back is not None
    )
    record.value("cause of its reset", back.reset if back else None, limit="watchdog", ok=ok)
    if not ok:
        record.fault(
            f"the node of board {board}",
            f"Board {board} did not come back by its watchdog after a hang: pull its plug, and swap the"
            " node.",
            where=board,
        )
    return record.outcome(f"The watchdog of board {board} brought it back.")


def pul(hall: HallUnderTest) -> Outcome:
    """A cable in the middle of a row is out for ten seconds."""
    if not hall.answering():
        return not_fitted(NO_TABLES)
    pull = Pull(hall)
    text = (
        "Pull a cable out in the middle of a row, wait ten seconds and look at the tables behind it, then"
        " plug it in"
        " again and wait until all tables answer."
    )
    hall.ask(text, picture="cable", answers=("done",), live=pull)
    pull.look()
    if not pull.lost:
        return skipped("No table was lost: no cable was pulled.")
    record = Record()
    _behind(record, hall, pull)
    _before(record, hall, pull)
    _no_link(record, hall)
    return record.outcome("Only the tables behind the gap were lost, and all came back by themselves.")


def _behind(record: Record, hall: HallUnderTest, pull: Pull) -> None:
    record.value("tables behind the gap", named(sorted(hall.where(uid) for uid in pull.lost)))
    back_s = pull.recovered_s
    ok = back_s is not None and back_s <= RECOVERED_S
    record.value("from the first to the last one back", back_s, "s", limit="5 at most", ok=ok)
    _came_back(record, hall, pull)


def _before(record: Record, hall: HallUnderTest, pull: Pull) -> None:
    missed = pull.missed_upstream()
    disturbed = sorted(hall.where(uid) for uid, count in missed.items() if count > MISSED_UPSTREAM)
    record.value("tables before the gap that missed polls", len(disturbed), limit="0", ok=not disturbed)
    for board in disturbed:
        record.fault(
            f"the node of board {board}",
            f"Board {board} was disturbed although its own cable was in.",
            where=board,
        )


def _no_link(record: Record, hall: HallUnderTest) -> None:
    text = "Did the tables behind the gap say within about 2 s that they have no link?"
    seen = hall.ask(text, picture="tables").answer == "saw"
    record.value("no link within 2 s", "seen" if seen else "not seen", limit="seen", ok=seen)
    if not seen:
        record.fault(
            "the firmware of the nodes",
            "Tables did not say that they have no link: install this controller's firmware on them.",
        )


def _came_back(record: Record, hall: HallUnderTest, pull: Pull) -> None:
    gone = sorted(hall.where(uid) for uid in pull.still_lost)
    if gone:
        record.fault(
            f"the cable before board {gone[0]}",
            f"{named(gone)} did not come back: look at the plug that was pulled, then at the node.",
            where=gone[0],
        )
    elif pull.recovered_s is not None and pull.recovered_s > RECOVERED_S:
        record.fault(
            f"the cable before board {hall.where(min(pull.lost))}",
            f"It took {pull.recovered_s:.0f} s until all tables were back: look at the plug that was pulled.",
            where=hall.where(min(pull.lost)),
        )


def ups(hall: HallUnderTest) -> Outcome:
    """The mains are off for half a minute, and the controller goes on."""
    text = "Has the controller an uninterruptible supply (UPS)?"
    if hall.ask(text, picture="mains", answers=("yes", "no")).answer == "no":
        return not_fitted("There is no uninterruptible supply.")
    session = hall.probes.session()
    hall.ask(
        "Pull the mains plug for 30 seconds, put it in again, then answer.",
        picture="mains",
        answers=("done",),
    )
    supply = hall.probes.facts().supply
    journal = hall.probes.journal()
    record = Record()
    same = hall.probes.session() == session
    record.value("core ran on", "yes" if same else "no", limit="yes", ok=same)
    low = supply is not None and supply.under_voltage_since_boot
    record.value("under-voltage since boot", "yes" if low else "no", limit="no", ok=not low)
    record.value("journal", "whole" if journal.verified else "damaged", limit="whole", ok=journal.verified)
    alarm = (
        hall.ask("Did the uninterruptible supply show or sound its alarm?", picture="mains").answer == "saw"
    )
    record.value("alarm", "seen" if alarm else "not seen", limit="seen", ok=alarm)
    if not (same and journal.verified and alarm) or low:
        record.fault(
            "the uninterruptible supply or its battery",
            "The uninterruptible supply did not carry the controller cleanly: charge or swap its battery.",
        )
    return record.outcome("The uninterruptible supply carried the controller.")


def _back(hall: HallUnderTest, node: NodeView) -> tuple[NodeView | None, float]:
    """The node after its reset, and how long that took; None when it has not come back in time."""
    began = hall.seconds.clock()
    while (waited := hall.seconds.clock() - began) < LATEST_S:
        hall.pause(STEP_S)
        now = next((one for one in hall.look().nodes if one.uid == node.uid), None)
        if now is not None and now.state == "good" and now.boots != node.boots:
            return now, waited
    return None, LATEST_S
