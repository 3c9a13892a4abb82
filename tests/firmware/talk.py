"""A scripted conversation of the master's codec with a node's over cables of different quality, in virtual time."""

import heapq
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pi_controller.bus.frame import EVERYBODY, UNASSIGNED, Frame, Receiver, encode
from pi_controller.bus.messages import (
    Assign,
    ClaimAnswer,
    Discover,
    HealthMessage,
    IdentifyMessage,
    Info,
    Message,
    Order,
    Poll,
    StateMessage,
    from_frame,
    to_frame,
)
from tests.firmware.wire_node import Mirror

WAIT_US = 12_000
UID = "e660583883724a31"


@dataclass(frozen=True)
class Step:
    """What is broadcast, then the request, and what its answer must say when both were understood."""

    before: tuple[Message, ...]
    request: Message
    right: Callable[[Message], bool]


def script() -> tuple[Step, ...]:
    """A node is found, addressed and named; a round, a claim, a pause, the robber; then an order."""
    discover = Discover(salt=0x0102, slots=16, slot_ms=3)
    assign = Assign(uid=UID, address=7, swap=True, board="A7", brightness=90)
    states = (
        StateMessage(epoch=500, state_seq=1, master_us=0, left_us=0),
        StateMessage(epoch=500, state_seq=2, master_us=2**32 - 1, phase="round", running=True, sun_active=True, dice=(3, 4), left_us=35_000_000, duration=350, round=1),
        StateMessage(epoch=500, state_seq=3, master_us=7, phase="round", paused=True, sun_active=True, reasons=frozenset({"claim"}), left_us=1),
        StateMessage(epoch=500, state_seq=4, master_us=65_536, phase="robber", running=True, target="desert", dice=(1, 6), next_moon=True),
        StateMessage(epoch=500, state_seq=5, master_us=0, phase="ended", target=12, dice=(6, 6), last=2),
    )  # fmt: skip
    answers = (
        (ClaimAnswer(), ClaimAnswer()),
        (ClaimAnswer(1, "received"), ClaimAnswer()),
        (ClaimAnswer(1, "judge_comes"), ClaimAnswer(255, "wait")),
        (ClaimAnswer(1, "rejected"), ClaimAnswer(255, "withdrawn")),
        (ClaimAnswer(2, "confirmed"), ClaimAnswer(0, None)),
    )
    polls = [Poll(epoch=500, sun=sun, moon=moon) for sun, moon in answers]
    return (
        Step((), discover, lambda answer: isinstance(answer, Info) and answer.firmware == (1, 2)),
        Step(
            (), assign, lambda answer: isinstance(answer, Info) and (answer.uid, answer.boots) == (UID, 0x21)
        ),
        *(
            Step(
                (state, IdentifyMessage(what="name", seconds=1, number=state.state_seq * 1000)),
                poll,
                mirrored(state, poll),
            )
            for state, poll in zip(states, polls, strict=True)
        ),
        Step(
            (),
            Order(what="blank"),
            lambda answer: isinstance(answer, HealthMessage) and answer.reset == "other",
        ),
    )


def mirrored(state: StateMessage, poll: Poll) -> Callable[[Message], bool]:
    def right(answer: Message) -> bool:
        return (
            isinstance(answer, HealthMessage)
            and (answer.epoch, answer.state_seq) == (poll.epoch, state.state_seq)
            and (answer.sun.number, answer.moon.number) == (poll.sun.number, poll.moon.number)
            and (answer.sun.at_us, answer.moon.at_us) == (state.master_us, state.left_us)
            and answer.uptime == state.state_seq * 1000
        )

    return right


@dataclass
class Cable:
    """Carries frames in order; `chopped`: in pieces of every size from one byte on; the rest by chance."""

    rng: random.Random
    chopped: bool = False
    loss: float = 0.0
    late_us: int = 0
    lost: int = 0
    _sizes: Iterator[int] = field(default_factory=lambda: itertools.cycle(range(1, 41)))
    _free_us: int = 0

    def carry(self, wire: bytes, now_us: int) -> list[tuple[int, bytes]]:
        """Pieces with the times at which they arrive."""
        if self.rng.random() < self.loss:
            self.lost += 1
            return []
        at_us = max(self._free_us, now_us + self.rng.randint(0, self.late_us))
        pieces = []
        while wire:
            size = next(self._sizes) if self.chopped else len(wire)
            at_us += 40 * min(size, len(wire))
            pieces.append((at_us, wire[:size]))
            wire = wire[size:]
        self._free_us = at_us
        return pieces


class Talk:
    """Asks each step again, with a new SEQ, until the answer with that SEQ has come within the time."""

    def __init__(self, there: Cable, back: Cable) -> None:
        self.there, self.back = there, back
        self.node = Mirror(bytes.fromhex(UID))
        self.ears = Receiver()
        self.now_us = 0
        self.seq = 250
        self.attempts = 0
        self.stale = 0
        self._arriving: list[tuple[int, int, bool, bytes]] = []
        self._order = itertools.count()

    def hold(self, steps: tuple[Step, ...]) -> list[Message]:
        """The answer of each step."""
        return [self._ask(step) for step in steps]

    def _ask(self, step: Step) -> Message:
        for _ in range(1000):
            self.attempts += 1
            self.seq = (self.seq + 1) % 256
            for message in step.before:
                self._send(to_frame(message, dst=EVERYBODY, src=0, seq=self.seq))
            self._send(to_frame(step.request, dst=UNASSIGNED, src=0, seq=self.seq))
            for frame in self._until(self.now_us + WAIT_US):
                answer = from_frame(frame)
                if frame.seq == self.seq and step.right(answer):
                    return answer
                self.stale += 1
        raise AssertionError(f"no answer to {step.request}")

    def _send(self, frame: Frame) -> None:
        self._put(self.there.carry(encode(frame), self.now_us), to_node=True)

    def _put(self, pieces: list[tuple[int, bytes]], *, to_node: bool) -> None:
        for at_us, piece in pieces:
            heapq.heappush(self._arriving, (at_us, next(self._order), to_node, piece))

    def _until(self, end_us: int) -> Iterator[Frame]:
        """Frames that the master hears until then."""
        while self._arriving and self._arriving[0][0] <= end_us:
            self.now_us, _, to_node, piece = heapq.heappop(self._arriving)
            if not to_node:
                yield from self.ears.feed(piece)
                continue
            for byte in piece:
                count = self.node.take(byte)
                if count:
                    answer = bytes(self.node.out[:count])
                    self._put(self.back.carry(answer, self.now_us + 300), to_node=False)
        self.now_us = end_us
