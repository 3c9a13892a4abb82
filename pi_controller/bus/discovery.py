"""Who is there without an address, found in slots; and whether to keep silent because another master
speaks."""

from collections import deque
from collections.abc import Callable, Container
from typing import Final

from pi_controller.bus.frame import FIRST_NODE, LAST_NODE
from pi_controller.bus.messages import Discover, Info

SLOTS: Final = 17
FEW_SLOTS: Final = 5
"""As long as nobody is heard: fits between two polls. No power of two, neither of them: uids whose CRCs fall
into one slot of 16 do so with every salt, because the difference of their CRCs does not depend on it."""
SLOT_MS: Final = 3
SLOW_SLOT_MS: Final = 5
SLOW_BAUD: Final = 200_000
"""Below this rate an INFO with its turnaround does not fit the short slot."""
ROUND_US: Final = 2_500_000
"""Between two rounds while nobody new is heard."""
FIRST_US: Final = 400_000
"""The same as long as nobody at all has been found: tables take half a second to start."""
PAUSE_US: Final = 14_000
"""Between rounds that follow on each other, so that a poll comes between them."""
MOST_ROUNDS: Final = 40
"""Rounds in a row at most: noise must not take the line for ever."""
ASSIGN_TRIES: Final = 4


class Discovery:
    """Plans the rounds and keeps the addresses; the master sends and listens."""

    def __init__(self, *, salt: Callable[[], int], baud: int) -> None:
        self._salt = salt
        self._slot_ms = SLOT_MS if baud >= SLOW_BAUD else SLOW_SLOT_MS
        self._addresses: dict[str, int] = {}
        self._resting: list[int] = []
        self._assign: deque[tuple[Info, int]] = deque()
        self._round_us = 0
        self._rounds = 0
        self._starting = True
        self._heard = False
        self.crowded = False
        """More nodes than addresses."""

    def again(self, at_us: int = 0) -> None:
        """Ask from then on, round after round: somebody has lost the address or may be new."""
        self._round_us = at_us
        self._rounds = 0
        self._starting = True

    def round_at(self) -> int:
        return self._round_us

    def soon(self, at_us: int) -> None:
        """Somebody may be without address: the next round need not wait."""
        self._round_us = min(self._round_us, at_us)

    def begin(self) -> tuple[Discover, int]:
        """The message of the round that begins now, and how long its slots last."""
        slots = SLOTS if self._starting or self._rounds else FEW_SLOTS
        self._heard = False
        self._rounds += 1
        message = Discover(salt=self._salt() & 0xFFFF, slots=slots, slot_ms=self._slot_ms)
        return message, slots * self._slot_ms * 1000

    def found(self, info: Info) -> None:
        self._heard = True
        if all(known.uid != info.uid for known, _ in self._assign):
            self._assign.append((info, ASSIGN_TRIES))

    def garbled(self) -> None:
        """A damaged frame in a slot: two nodes may have chosen the same one."""
        self._heard = True

    def end(self, now_us: int) -> None:
        """The round is over; the next follows soon as long as somebody is heard."""
        if self._heard and self._rounds < MOST_ROUNDS:
            self._round_us = now_us + PAUSE_US
            return
        self._rounds = 0
        self._starting = False
        self._round_us = now_us + (ROUND_US if self._addresses else FIRST_US)

    def broken_off(self, now_us: int) -> None:
        """Something urgent ended the round early."""
        self._round_us = now_us + PAUSE_US
        self._rounds = max(0, self._rounds - 1)

    def to_assign(self) -> tuple[Info, int] | None:
        """The node that has to be told its address next, and the address."""
        while self._assign:
            info, _ = self._assign[0]
            address = self.address(info.uid)
            if address is not None:
                return info, address
            self.crowded = True
            self._assign.popleft()
        return None

    def assigned(self, uid: str) -> None:
        """The node has confirmed its address."""
        self._assign = deque(entry for entry in self._assign if entry[0].uid != uid)

    def not_assigned(self, uid: str) -> bool:
        """It has not; False after the last try: then it has to be found again."""
        if not self._assign or self._assign[0][0].uid != uid:
            return True
        info, tries = self._assign.popleft()
        if tries > 1:
            self._assign.append((info, tries - 1))
        return tries > 1

    def reassign(self, info: Info) -> None:
        """What the node was told of its place has changed."""
        self.assigned(info.uid)
        self._assign.append((info, ASSIGN_TRIES))

    def address(self, uid: str) -> int | None:
        """The node's address until it is moved or released; None when there is none left. Addresses that rest
        are given last, the one that has rested longest first."""
        known = self._addresses.get(uid)
        if known is not None:
            return known
        kept = {*self._addresses.values(), *self._resting}
        fresh = [n for n in range(FIRST_NODE, LAST_NODE + 1) if n not in kept]
        free = next(iter(fresh or self._resting), None)
        if free is not None:
            self._addresses[uid] = free
            self._resting = [address for address in self._resting if address != free]
        return free

    def move(self, uid: str) -> None:
        """The node gets another address, the old one rests: somebody else answers on it."""
        if (old := self._addresses.pop(uid, None)) is not None:
            self._resting.append(old)

    def given_to_others(self, uids: Container[str]) -> list[int]:
        """Addresses of nodes that are not among these: whether they have taken them is not known."""
        return [address for uid, address in self._addresses.items() if uid not in uids]

    def release(self, uid: str) -> None:
        """The address may go to another node."""
        self._addresses.pop(uid, None)
        self.crowded = False


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
