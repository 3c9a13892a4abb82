"""Before whom a leader has to give way. Pure.

A broker goes on telling what was retained of a controller that is gone, as after a power cut of the computer
that has both: only who is heard refuses anybody.
"""

from typing import Literal

from pi_controller.links.payloads import Status
from pi_controller.links.terms import another_leader, namesake

ALIVE_S = 3.0
"""Who leads tells a beat once a second, and who follows asks the time: within this a hall is heard that is
there."""

Verdict = Literal["lead", "wait", "give_way"]


class Rivals:
    """Once a leader has given way it does so until it is started anew: the other one may be away for a while,
    and its game is the hall's. Times are seconds of one clock."""

    def __init__(self) -> None:
        self.known: dict[str, Status] = {}
        """The other halls, by name, as they told of themselves last."""
        self.before: Status | None = None
        """Before whom it has given way."""
        self._heard: set[str] = set()
        self._since_s: dict[str, float] = {}

    def begin(self) -> None:
        """The connection is another one: everything is to be told again."""
        self.known.clear()
        self._heard.clear()
        self._since_s.clear()

    def sign(self, hall: str) -> None:
        """This hall has said something just now."""
        self._heard.add(hall)

    def verdict(self, own: Status, now_s: float) -> Verdict:
        """What this leader has to do."""
        known = list(self.known.values())
        rival = namesake(own, known) or another_leader(own, known)
        if self.before is None and rival is not None and rival.hall in self._heard:
            self.before = rival
        if self.before is not None:
            return "give_way"
        if rival is None:
            return "lead"
        since_s = self._since_s.setdefault(rival.id, now_s)
        return "lead" if now_s - since_s >= ALIVE_S else "wait"
