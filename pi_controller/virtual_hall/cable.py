"""A segment's half-duplex cable in time: who hears which bytes when, and what becomes of them.

A model without a clock of its own: it is told the time in microseconds, of a virtual clock or of a real one.
The same seed and the same calls give the same bytes.
"""

from itertools import pairwise
from random import Random
from typing import NamedTuple

from pi_controller.virtual_hall.ear import Ear, Loss
from pi_controller.virtual_hall.frames import Frames
from pi_controller.virtual_hall.mouth import NEVER, Mouth


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
        self._mouths = [Mouth(baud, Random(f"{seed} mouth {end}")) for end in range(ends)]  # noqa: S311
        self._ears = [Ear(baud, Random(f"{seed} ear {end}")) for end in range(ends)]  # noqa: S311
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
        mouth = self._mouths[end]
        at_us = max(at_us, self._now_us)
        if mouth.babbling or not data:
            return at_us
        self._talking.add(end)
        return mouth.say(data, at_us)

    def heard(self, until_us: int) -> list[Heard]:
        """What has arrived since the last call, up to and including this time; in order for each end."""
        for piece in self._pieces:
            self._advance(piece, until_us)
        self._now_us = max(self._now_us, until_us)
        for end in sorted(self._late):
            self._out += [Heard(end, data, at_us) for at_us, data in self._ears[end].due(until_us)]
            if self._ears[end].next_us() == NEVER:
                self._late.discard(end)
        out, self._out = self._out, []
        return out

    def next_us(self) -> int | None:
        """When somebody will have heard a whole frame, or the end of something else; None: all is silent."""
        talk_us = [self._mouths[end].next_us() for end in self._talking]
        soonest = min([*talk_us, *[self._ears[end].next_us() for end in self._late]], default=NEVER)
        return None if soonest == NEVER else soonest

    def hearing(self, end: int) -> Ear:
        """The end's receiver, whose faults may be set."""
        return self._ears[end]

    def lose_from(self, end: int, part: float) -> None:
        """This part of the frames that the end sends is heard by nobody."""
        self._losses[end].part = part

    def noise(self, end: int, part: float) -> None:
        """This part of the bits that the end says and hears is turned over."""
        self._mouths[end].bit_errors = self._ears[end].bit_errors = part

    def set_baud(self, end: int, baud: int) -> None:
        """Who talks at another rate than the listener's is heard as garbage."""
        self._mouths[end].baud = self._ears[end].baud = baud

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
        self._mouths[end].babble(self._now_us)
        self._talking.add(end)

    def babbles(self, end: int) -> bool:
        """Or holds the line low."""
        return self._mouths[end].babbling or end in self._stuck

    def hush(self, end: int) -> None:
        """No longer babbles, and does not hold the line."""
        self._mouths[end].hush()
        self._stuck.discard(end)

    def stick(self, end: int) -> None:
        """Holds the line low: a break, which receivers take for one zero, and then they hear nothing."""
        self._stuck.add(end)
        others = [other for other in self._piece_of[end] if other != end]
        self._out += [Heard(other, b"\0", self._now_us) for other in others]

    def _divide(self) -> None:
        bounds = [0, *sorted(self._cuts), len(self._ears)]
        self._pieces = [range(first, behind) for first, behind in pairwise(bounds)]
        for piece in self._pieces:
            for end in piece:
                self._piece_of[end] = piece

    def _advance(self, piece: range, until_us: int) -> None:
        while True:
            talking = [end for end in self._talking if end in piece]
            talker = min(talking, key=lambda end: (self._mouths[end].ends_us, end), default=None)
            if talker is None or self._mouths[talker].ends_us > until_us:
                return
            self._step(piece, talker, [end for end in talking if end != talker], until_us)
            self._forget_silent(talking)

    def _step(self, piece: range, talker: int, others: list[int], until_us: int) -> None:
        """The next bytes of this talker: as many as nobody talks into, or one that is talked into."""
        mouth = self._mouths[talker]
        starts_us = mouth.starts_us
        others_start_us = min((self._mouths[end].starts_us for end in others), default=NEVER)
        others_ended_us = max((self._mouths[end].ended_us for end in others), default=-1)
        alone = starts_us >= others_ended_us and mouth.ends_us <= others_start_us
        baud = mouth.speaking_baud
        data, ended_us = mouth.take(min(until_us, others_start_us) if alone else mouth.ends_us)
        if self._stuck and not self._stuck.isdisjoint(piece):
            return
        listeners = [end for end in piece if end != talker or self._ears[end].echo]
        if not alone:
            deaf = {end for end in others if self._talks_into(end, starts_us, ended_us)}
            listeners = [end for end in listeners if end not in deaf or self._ears[end].echo]
            listeners = [end for end in listeners if self._ears[end].busy_until_us <= starts_us]
        self._arrive(listeners, _Run(talker, data, starts_us, ended_us, baud, garbled=not alone))

    def _talks_into(self, end: int, starts_us: int, ended_us: int) -> bool:
        mouth = self._mouths[end]
        return mouth.ended_us > starts_us or mouth.starts_us < ended_us

    def _forget_silent(self, talking: list[int]) -> None:
        """Who has nothing to say and did not talk into a byte that is still on the line."""
        first_us = min(self._mouths[end].starts_us for end in talking)
        for end in talking:
            mouth = self._mouths[end]
            if mouth.starts_us == NEVER and mouth.ended_us <= first_us:
                self._talking.discard(end)

    def _arrive(self, listeners: list[int], run: "_Run") -> None:
        faulty = []
        losing = self._losses[run.talker].part > 0
        for end in listeners:
            ear = self._ears[end]
            if not losing and not run.garbled and ear.sound and ear.baud == run.baud:
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
        ear = self._ears[end]
        if ear.loss.takes(run.talker, number):
            return
        if run.garbled:
            ear.busy_until_us = run.ended_us
        if run.garbled or ear.baud != run.baud:
            data = ear.garble(data)
        data = ear.damage(data)
        if not data:
            return
        if ear.delay_us[1] or ear.next_us() != NEVER:
            ear.late(data, run.ended_us)
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
