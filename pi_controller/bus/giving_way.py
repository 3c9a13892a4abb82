"""Whether a master keeps silent because another one drives the line, as when a spare is plugged in."""

from collections.abc import Callable
from typing import Final

LISTEN_US: Final = 250_000
"""So long a master without nodes asks nobody: another one says a STATE every 200 ms, a poll every 13 ms."""
GONE_US: Final = 1_000_000
"""After so long a silence the other one is gone. Nodes keep their link for twice as long."""
BACK_OFF_US: Final = 40_000
"""Where both have nodes, each asks later by a random part of this than it hears the other."""
SPREAD_US: Final = 1 << 18
"""Two that have heard each other wait for unequal times, by up to so much."""


class GivingWay:
    """While another speaks, who has nodes goes on and asks later by chance; who has none keeps silent.

    `chance` gives any number of 16 bits.
    """

    def __init__(self, *, chance: Callable[[], int], has_nodes: Callable[[], bool]) -> None:
        self._chance = chance
        self._has_nodes = has_nodes
        self._listens_until_us: int | None = None
        self._silent_until_us = 0

    def reopened(self) -> None:
        """The line may be another one."""
        self._listens_until_us = None

    def foreign(self, now_us: int) -> None:
        """Another master's frame was heard."""
        chance = self._chance()
        self._silent_until_us = now_us + GONE_US + (chance * 4) % SPREAD_US
        if self._has_nodes():
            self._listens_until_us = now_us + chance % BACK_OFF_US

    def silent_until(self, now_us: int) -> int | None:
        """Until when nothing at all may be said; None: at once."""
        return self._silent_until_us if now_us < self._silent_until_us and not self._has_nodes() else None

    def listens_until(self, now_us: int) -> int | None:
        """Until when nobody may be asked or ordered; None: at once. The first call begins the listening."""
        if self._listens_until_us is None:
            self._listens_until_us = now_us + (0 if self._has_nodes() else LISTEN_US)
        return self._listens_until_us if now_us < self._listens_until_us else None
