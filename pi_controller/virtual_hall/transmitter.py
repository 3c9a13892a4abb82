"""What one end puts onto the cable: bytes at its own rate, one after the other."""

import math
from collections import deque
from random import Random

NEVER = 1 << 62
BITS = 8
BITS_A_BYTE = 10
"""A start bit, eight bits, a stop bit."""
BABBLE_BYTES = 64
"""Made at a time while an end talks constantly."""


def turned(byte: int, part: float, random: Random) -> int:
    """The byte with this part of its bits turned over, 0 to 1. Mostly one number of `random` a byte."""
    chance = random.random()
    if chance >= 1 - (1 - part) ** BITS:
        return byte
    first = 0 if part >= 1 else min(BITS - 1, int(math.log1p(-chance) / math.log1p(-part)))
    others = (1 << bit for bit in range(first + 1, BITS) if random.random() < part)
    return byte ^ 1 << first ^ sum(others)


class _Burst:
    """Bytes that follow each other without a gap, at one rate; `done` of them are off the line."""

    __slots__ = ("baud", "data", "done", "start_us")

    def __init__(self, data: bytes, start_us: int, baud: int) -> None:
        self.baud = baud
        self.data = data
        self.done = 0
        self.start_us = start_us


class CableTransmitter:
    """The transmitter of one end. `starts_us` and `ends_us` are of the byte that is next to be over,
    `ended_us` is the end of the one before. `baud` is that of what is said from now on."""

    def __init__(self, baud: int, random: Random) -> None:
        self.baud = baud
        self.starts_us = NEVER
        self.ends_us = NEVER
        self.ended_us = -1
        self.babbling = False
        self.bit_errors = 0.0
        """Part of the bits that leave it turned over."""
        self._bursts: deque[_Burst] = deque()
        self._random = random

    def say(self, data: bytes, at_us: int) -> int:
        """From `at_us`, or behind what is being said already; when the last byte will be over."""
        if self._bursts:
            last = self._bursts[-1]
            at_us = max(at_us, self._over(last, len(last.data)))
        if self.bit_errors:
            data = bytes(turned(byte, self.bit_errors, self._random) for byte in data)
        burst = _Burst(data, at_us, self.baud)
        self._bursts.append(burst)
        self._look()
        return self._over(burst, len(data))

    def babble(self, from_us: int) -> None:
        """Nonsense without end; what had not been said yet is lost."""
        self.babbling = True
        self._bursts.clear()
        self._nonsense(from_us)

    def hush(self) -> None:
        self.babbling = False
        self._bursts.clear()
        self._look()

    @property
    def speaking_baud(self) -> int:
        """The rate of what is on the line."""
        return self._bursts[0].baud if self._bursts else self.baud

    def next_us(self) -> int:
        """When the frame that is on the line ends, or the burst; NEVER when nothing is said."""
        if not self._bursts:
            return NEVER
        burst = self._bursts[0]
        done = burst.done
        opening = done == 0 or burst.data[done - 1] == 0
        closing = burst.data.find(0, done + opening)
        return self._over(burst, len(burst.data) if closing < 0 else closing + 1)

    def take(self, until_us: int) -> tuple[bytes, int]:
        """The bytes of this burst that are over by then, at least one, and the end of the last of them."""
        burst = self._bursts[0]
        fitting = (until_us - burst.start_us) * burst.baud // (BITS_A_BYTE * 1_000_000)
        upto = min(len(burst.data), max(burst.done + 1, fitting))
        while upto < len(burst.data) and self._over(burst, upto + 1) <= until_us:
            upto += 1  # the division above rounds a byte that ends just now away
        data = burst.data[burst.done : upto]
        burst.done = upto
        self.ended_us = self._over(burst, upto)
        if upto == len(burst.data):
            self._bursts.popleft()
            if self.babbling and not self._bursts:
                self._nonsense(self.ended_us)
        self._look()
        return data, self.ended_us

    def _nonsense(self, from_us: int) -> None:
        self._bursts.append(_Burst(self._random.randbytes(BABBLE_BYTES), from_us, self.baud))
        self._look()

    def _over(self, burst: _Burst, count: int) -> int:
        return burst.start_us + count * BITS_A_BYTE * 1_000_000 // burst.baud

    def _look(self) -> None:
        if not self._bursts:
            self.starts_us = self.ends_us = NEVER
            return
        burst = self._bursts[0]
        self.starts_us = self._over(burst, burst.done)
        self.ends_us = self._over(burst, burst.done + 1)
