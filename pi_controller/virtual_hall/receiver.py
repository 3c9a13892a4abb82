"""What one end hears of the cable, with the faults of its receiver and of the line up to it."""

from collections import deque
from random import Random

from pi_controller.virtual_hall.transmitter import NEVER, turned


class Loss:
    """Takes a part of the frames away, 0 to 1; a frame goes as a whole."""

    def __init__(self, random: Random) -> None:
        self.part = 0.0
        self._random = random
        self._fates: dict[int, tuple[int, bool]] = {}

    def takes(self, talker: int, frame: int) -> bool:
        """The same answer for each of the bytes of this talker's frame."""
        known = self._fates.get(talker)
        if known is None or known[0] != frame:
            known = (frame, self._random.random() < self.part)
            self._fates[talker] = known
        return known[1]


class CableReceiver:
    """The receiver of one end. All faults are off at first and may be set at any time:

    `echo`: hears its own bytes too. `loss`: frames that do not arrive. `dropped`, `inserted`, `bit_errors`:
    part of the bytes that do not arrive, of those behind which another one appears, and of the bits that
    arrive turned over, 0 to 1. `delay_us`: each byte arrives late by least to most microseconds, and those
    behind it are not faster.
    """

    def __init__(self, baud: int, random: Random) -> None:
        self.baud = baud
        self.echo = False
        self.loss = Loss(random)
        self.dropped = 0.0
        self.inserted = 0.0
        self.bit_errors = 0.0
        self.delay_us = (0, 0)
        self.busy_until_us = -1
        """A byte that begins while another is being received is not heard as one of its own."""
        self._random = random
        self._late: deque[tuple[int, bytes]] = deque()

    @property
    def sound(self) -> bool:
        """Hears everything as it is and at once."""
        return not (
            self.loss.part
            or self.bit_errors
            or self.dropped
            or self.inserted
            or self.delay_us[1]
            or self._late
        )

    def damage(self, data: bytes) -> bytes:
        """These bytes as they arrive."""
        if not (self.dropped or self.inserted or self.bit_errors):
            return data
        random = self._random.random
        arrived = bytearray()
        for byte in data:
            if not (self.dropped and random() < self.dropped):
                arrived.append(turned(byte, self.bit_errors, self._random) if self.bit_errors else byte)
            if self.inserted and random() < self.inserted:
                arrived.append(self._random.randrange(256))
        return bytes(arrived)

    def garble(self, data: bytes) -> bytes:
        """None of these bytes arrives as it was."""
        return bytes(byte ^ self._random.randrange(1, 256) for byte in data)

    def late(self, data: bytes, at_us: int) -> None:
        """Keep until it is due."""
        due = at_us + self._random.randint(*self.delay_us)
        if self._late:
            due = max(due, self._late[-1][0])
        self._late.append((due, data))

    def due(self, until_us: int) -> list[tuple[int, bytes]]:
        """What was kept and is due by then."""
        due = []
        while self._late and self._late[0][0] <= until_us:
            due.append(self._late.popleft())
        return due

    def next_us(self) -> int:
        return self._late[0][0] if self._late else NEVER
