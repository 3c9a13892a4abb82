"""A segment's half-duplex cable in time: who hears which bytes when, and what becomes of them.

A model without a clock of its own: it is told the time in microseconds, of a virtual clock or of a real one.
The same seed and the same calls give the same bytes.
"""

import math
from collections import deque
from itertools import pairwise
from random import Random
from typing import NamedTuple

# What one end puts onto the cable: bytes at its own rate, one after the other.


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


# What one end hears of the cable, with the faults of its receiver and of the line up to it.


class FrameLoss:
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

    `echo`: hears its own bytes too. `loss`: frames that do not arrive. `bit_errors`: part of the bits that
    arrive turned over, 0 to 1.
    """

    def __init__(self, baud: int, random: Random) -> None:
        self.baud = baud
        self.echo = False
        self.loss = FrameLoss(random)
        self.bit_errors = 0.0
        self.busy_until_us = -1
        """A byte that begins while another is being received is not heard as one of its own."""
        self._random = random

    @property
    def sound(self) -> bool:
        """Hears everything as it is."""
        return not (self.loss.part or self.bit_errors)

    def damage(self, data: bytes) -> bytes:
        """These bytes as they arrive."""
        if not self.bit_errors:
            return data
        return bytes(turned(byte, self.bit_errors, self._random) for byte in data)

    def garble(self, data: bytes) -> bytes:
        """None of these bytes arrives as it was."""
        return bytes(byte ^ self._random.randrange(1, 256) for byte in data)


class Frames:
    """Numbers the frames of one talker: each from its opening zero to its closing one (PROTOCOL.md)."""

    def __init__(self) -> None:
        self._number = 0
        self._inside = False
        self._open = False
        self._ended_us = -1

    def split(self, data: bytes, starts_us: int, ended_us: int) -> list[tuple[int, bytes]]:
        """These bytes, by the number of the frame that they belong to. A silence ends a frame."""
        if starts_us > self._ended_us:
            self._inside = self._open = False
        self._ended_us = ended_us
        found = []
        first = 0
        for index, byte in enumerate(data):
            if not self._open:
                self._open = True
                self._number += 1
            if byte:
                self._inside = True
            elif self._inside:
                found.append((self._number, data[first : index + 1]))
                first = index + 1
                self._inside = self._open = False
        if first < len(data):
            found.append((self._number, data[first:]))
        return found


class HeardBytes(NamedTuple):
    """Bytes that arrived at an end; the last of them at `at_us`."""

    end: int
    data: bytes
    at_us: int


class Cable:
    """Ends at positions 0 (the master) to `ends` - 1, in a row.

    A byte is heard when its stop bit is over. Bytes that overlap in time garble each other for everybody who
    hears both; a receiver takes at most one byte in a byte's time. An end that talks hears nothing meanwhile,
    unless it has an echo, and then it hears the line. Faults act on bytes that are not over at the time of
    the last call of `heard`.
    """

    def __init__(self, baud: int, ends: int, seed: int) -> None:
        # the numbers are faults, not secrets
        self._transmitters = [CableTransmitter(baud, Random(f"{seed} mouth {end}")) for end in range(ends)]  # noqa: S311
        self._receivers = [CableReceiver(baud, Random(f"{seed} ear {end}")) for end in range(ends)]  # noqa: S311
        self._frames = [Frames() for _ in range(ends)]
        self._cuts: set[int] = set()
        self._stuck: set[int] = set()
        self._pieces: list[range] = [range(ends)]
        self._piece_of = [self._pieces[0]] * ends
        self._talking: set[int] = set()
        self._now_us = 0
        self._out: list[HeardBytes] = []

    def talk(self, end: int, data: bytes, at_us: int) -> int:
        """Send from `at_us` on, not before the last call of `heard` and behind what this end is sending; the
        time at which the last byte is over. An end that babbles cannot say anything else."""
        transmitter = self._transmitters[end]
        at_us = max(at_us, self._now_us)
        if transmitter.babbling or not data:
            return at_us
        self._talking.add(end)
        return transmitter.say(data, at_us)

    def heard(self, until_us: int) -> list[HeardBytes]:
        """What has arrived since the last call, up to and including this time; in order for each end."""
        for piece in self._pieces:
            self._advance(piece, until_us)
        self._now_us = max(self._now_us, until_us)
        out, self._out = self._out, []
        return out

    def next_us(self) -> int | None:
        """When somebody will have heard a whole frame, or the end of something else; None: all is silent."""
        soonest = min([self._transmitters[end].next_us() for end in self._talking], default=NEVER)
        return None if soonest == NEVER else soonest

    def hearing(self, end: int) -> CableReceiver:
        """The end's receiver, whose faults may be set."""
        return self._receivers[end]

    def lose(self, part: float) -> None:
        """This part of the frames of everybody is not heard, by each end for itself."""
        for receiver in self._receivers:
            receiver.loss.part = part

    def noise(self, end: int, part: float) -> None:
        """This part of the bits that the end says and hears is turned over."""
        self._transmitters[end].bit_errors = self._receivers[end].bit_errors = part

    def set_baud(self, end: int, baud: int) -> None:
        """Who talks at another rate than the listener's is heard as garbage."""
        self._transmitters[end].baud = self._receivers[end].baud = baud

    def cut(self, before: int) -> None:
        """Between this position and the one before it; both pieces stay usable."""
        self._cuts.add(before)
        self._divide()

    def mend(self, before: int) -> None:
        self._cuts.discard(before)
        self._divide()

    def is_cut(self, before: int) -> bool:
        return before in self._cuts

    def babble(self, end: int) -> None:
        """Talks nonsense without a pause."""
        self._transmitters[end].babble(self._now_us)
        self._talking.add(end)

    def babbles(self, end: int) -> bool:
        """Or holds the line low."""
        return self._transmitters[end].babbling or end in self._stuck

    def hush(self, end: int) -> None:
        """No longer babbles, and does not hold the line."""
        self._transmitters[end].hush()
        self._stuck.discard(end)

    def stick(self, end: int) -> None:
        """Holds the line low: a break, which receivers take for one zero, and then they hear nothing."""
        self._stuck.add(end)
        others = [other for other in self._piece_of[end] if other != end]
        self._out += [HeardBytes(other, b"\0", self._now_us) for other in others]

    def _divide(self) -> None:
        bounds = [0, *sorted(self._cuts), len(self._receivers)]
        self._pieces = [range(first, behind) for first, behind in pairwise(bounds)]
        for piece in self._pieces:
            for end in piece:
                self._piece_of[end] = piece

    def _advance(self, piece: range, until_us: int) -> None:
        while True:
            talking = [end for end in self._talking if end in piece]
            talker = min(talking, key=lambda end: (self._transmitters[end].ends_us, end), default=None)
            if talker is None or self._transmitters[talker].ends_us > until_us:
                return
            self._step(piece, talker, [end for end in talking if end != talker], until_us)
            self._forget_silent(talking)

    def _step(self, piece: range, talker: int, others: list[int], until_us: int) -> None:
        """The next bytes of this talker: as many as nobody talks into, or one that is talked into."""
        transmitter = self._transmitters[talker]
        starts_us = transmitter.starts_us
        others_start_us = min((self._transmitters[end].starts_us for end in others), default=NEVER)
        others_ended_us = max((self._transmitters[end].ended_us for end in others), default=-1)
        alone = starts_us >= others_ended_us and transmitter.ends_us <= others_start_us
        baud = transmitter.speaking_baud
        data, ended_us = transmitter.take(min(until_us, others_start_us) if alone else transmitter.ends_us)
        if self._stuck and not self._stuck.isdisjoint(piece):
            return
        listeners = [end for end in piece if end != talker or self._receivers[end].echo]
        if not alone:
            deaf = {end for end in others if self._talks_into(end, starts_us, ended_us)}
            listeners = [end for end in listeners if end not in deaf or self._receivers[end].echo]
            listeners = [end for end in listeners if self._receivers[end].busy_until_us <= starts_us]
        self._arrive(listeners, _Run(talker, data, starts_us, ended_us, baud, garbled=not alone))

    def _talks_into(self, end: int, starts_us: int, ended_us: int) -> bool:
        transmitter = self._transmitters[end]
        return transmitter.ended_us > starts_us or transmitter.starts_us < ended_us

    def _forget_silent(self, talking: list[int]) -> None:
        """Who has nothing to say and did not talk into a byte that is still on the line."""
        first_us = min(self._transmitters[end].starts_us for end in talking)
        for end in talking:
            transmitter = self._transmitters[end]
            if transmitter.starts_us == NEVER and transmitter.ended_us <= first_us:
                self._talking.discard(end)

    def _arrive(self, listeners: list[int], run: "_Run") -> None:
        faulty = []
        for end in listeners:
            receiver = self._receivers[end]
            if not run.garbled and receiver.sound and receiver.baud == run.baud:
                self._out.append(HeardBytes(end, run.data, run.ended_us))
            else:
                faulty.append(end)
        if not faulty:
            return
        for number, part in self._frames[run.talker].split(run.data, run.starts_us, run.ended_us):
            for end in faulty:
                self._arrive_damaged(end, run, number, part)

    def _arrive_damaged(self, end: int, run: "_Run", number: int, data: bytes) -> None:
        receiver = self._receivers[end]
        if receiver.loss.takes(run.talker, number):
            return
        if run.garbled:
            receiver.busy_until_us = run.ended_us
        if run.garbled or receiver.baud != run.baud:
            data = receiver.garble(data)
        self._out.append(HeardBytes(end, receiver.damage(data), run.ended_us))


class _Run(NamedTuple):
    """Bytes of one talker without a gap."""

    talker: int
    data: bytes
    starts_us: int
    ended_us: int
    baud: int
    garbled: bool
