"""IDENTIFY and ORDER: rare messages that are said until they have surely arrived."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from pi_controller.bus.messages import Identify, Order

ANSWER_US: Final = 12_000
"""From the end of a request: so long an answer may take to be complete (PROTOCOL.md, timing)."""
TIMES: Final = 3
"""A message without answer is said so often; one with an answer at most so often."""
APART_US: Final = 60_000


@dataclass(slots=True)
class Errand:
    """To the node with this uid, to whoever listens on `address` instead of one, or to everybody."""

    message: Identify | Order
    uid: str | None = None
    address: int | None = None
    left: int = TIMES
    not_before_us: int = 0
    wait_us: int = ANSWER_US

    @property
    def expects_answer(self) -> bool:
        """A rebooting node does not answer."""
        return isinstance(self.message, Order) and self.message.what != "reboot"


class Errands:
    """First come, first served; a newer IDENTIFY to the same node replaces the older one."""

    def __init__(self) -> None:
        self._waiting: deque[Errand] = deque()

    def add(self, errand: Errand) -> None:
        kept = (one for one in self._waiting if not _replaces(errand, one))
        self._waiting = deque([*kept, errand])

    def ready_at(self) -> int | None:
        """None: there is nothing to do."""
        return min(one.not_before_us for one in self._waiting) if self._waiting else None

    def next(self, now_us: int) -> Errand | None:
        """What has to be said now; it counts as said once."""
        for errand in self._waiting:
            if errand.not_before_us <= now_us:
                errand.left -= 1
                errand.not_before_us = now_us + (APART_US if errand.address is None else 0)
                if errand.left == 0:
                    self._waiting.remove(errand)
                return errand
        return None

    def done(self, errand: Errand) -> None:
        """It was answered, or there is nobody for it. On an address there may be two: it is said again."""
        if errand.address is None and errand in self._waiting:
            self._waiting.remove(errand)


def _replaces(new: Errand, old: Errand) -> bool:
    return isinstance(new.message, Identify) and isinstance(old.message, Identify) and new.uid == old.uid
