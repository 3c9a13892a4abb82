"""Watches the tables while somebody pulls a cable and plugs it in again."""

from pi_controller.selftest.hall import Hall
from pi_controller.selftest.operator import LiveView


class Pull:
    """The view of it, from its making on; a `Live`."""

    def __init__(self, hall: Hall) -> None:
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
