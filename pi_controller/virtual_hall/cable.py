"""A segment's half-duplex cable in time: who hears which bytes when, and what becomes of them.

A model without a clock of its own: it is told the time in microseconds, of a virtual clock or of a real one.
The same seed and the same calls give the same bytes.
"""

from itertools import pairwise
from random import Random
from typing import NamedTuple

from pi_controller.virtual_hall.receiver import CableReceiver, Loss
from pi_controller.virtual_hall.transmitter import NEVER, CableTransmitter


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


class Heard(NamedTuple):
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
        self._losses = [Loss(Random(f"{seed} way {end}")) for end in range(ends)]  # noqa: S311
        self._frames = [Frames() for _ in range(ends)]
        self._cuts: set[int] = set()
        self._stuck: set[int] = set()
        self._pieces: list[range] = [range(ends)]
        self._piece_of = [self._pieces[0]] * ends
        self._talking: set[int] = set()
        self._late: set[int] = set()
        self._now_us = 0
        self._out: list[Heard] = []

    def talk(self, end: int, data: bytes, at_us: int) -> int:
        """Send from `at_us` on, not before the last call of `heard` and behind what this end is sending; the
        time at which the last byte is over. An end that babbles cannot say anything else."""
        transmitter = self._transmitters[end]
        at_us = max(at_us, self._now_us)
        if transmitter.babbling or not data:
            return at_us
        self._talking.add(end)
        return transmitter.say(data, at_us)

    def heard(self, until_us: int) -> list[Heard]:
        """What has arrived since the last call, up to and including this time; in order for each end."""
        for piece in self._pieces:
            self._advance(piece, until_us)
        self._now_us = max(self._now_us, until_us)
        for end in sorted(self._late):
            self._out += [Heard(end, data, at_us) for at_us, data in self._receivers[end].due(until_us)]
            if self._receivers[end].next_us() == NEVER:
                self._late.discard(end)
        out, self._out = self._out, []
        return out

    def next_us(self) -> int | None:
        """When somebody will have heard a whole frame, or the end of something else; None: all is silent."""
        talk_us = [self._transmitters[end].next_us() for end in self._talking]
        soonest = min([*talk_us, *[self._receivers[end].next_us() for end in self._late]], default=NEVER)
        return None if soonest == NEVER else soonest

    def hearing(self, end: int) -> CableReceiver:
        """The end's receiver, whose faults may be set."""
        return self._receivers[end]

    def lose_from(self, end: int, part: float) -> None:
        """This part of the frames that the end sends is heard by nobody."""
        self._losses[end].part = part

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
        self._out += [Heard(other, b"\0", self._now_us) for other in others]

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
        losing = self._losses[run.talker].part > 0
        for end in listeners:
            receiver = self._receivers[end]
            if not losing and not run.garbled and receiver.sound and receiver.baud == run.baud:
                self._out.append(Heard(end, run.data, run.ended_us))
            else:
                faulty.append(end)
        if not faulty:
            return
        for number, part in self._frames[run.talker].split(run.data, run.starts_us, run.ended_us):
            if not self._losses[run.talker].takes(run.talker, number):
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
        data = receiver.damage(data)
        if not data:
            return
        if receiver.delay_us[1] or receiver.next_us() != NEVER:
            receiver.late(data, run.ended_us)
            self._late.add(end)
        else:
            self._out.append(Heard(end, data, run.ended_us))


class _Run(NamedTuple):
    """Bytes of one talker without a gap."""

    talker: int
    data: bytes
    starts_us: int
    ended_us: int
    baud: int
    garbled: bool
