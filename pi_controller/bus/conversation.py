"""Request and answer on one line: what is under way, what belongs to it, what does not."""

from collections import deque
from dataclasses import dataclass, field

from pi_controller.bus.asked import Asked, Send
from pi_controller.bus.census import KEPT_TRIPS, Busy
from pi_controller.bus.echo import Echo
from pi_controller.bus.frame import EVERYBODY, MASTER, OVERHEAD, Frame, Receiver, encode
from pi_controller.bus.guard import Guard
from pi_controller.bus.layout import BadMessage
from pi_controller.bus.line import Line
from pi_controller.bus.messages import Message, from_frame, to_frame


@dataclass(slots=True)
class Tally:
    """Counters since the start."""

    missed: int = 0
    cut: int = 0
    """Frames that stopped midway."""
    collided: int = 0
    """Damage in the slots of a round, where two may choose the same one: it says nothing of the cable."""
    unasked: int = 0
    """Good frames that answer nothing: late, repeated, or from one that speaks unasked."""
    strange: int = 0
    """Good frames with a message that is not understood."""
    trips_us: deque[int] = field(default_factory=lambda: deque(maxlen=KEPT_TRIPS))


class Conversation:
    """Half duplex: at most one request is out, and only its answer is taken in."""

    def __init__(self, *, name: str, baud: int) -> None:
        self.line = Line(baud=baud)
        self.receiver = Receiver()
        self.echo = Echo()
        self.guard = Guard(name=name, baud=baud)
        self.busy = Busy(baud=baud)
        self.tally = Tally()
        self.asked: Asked | None = None
        self._seq = 0

    def say(self, message: Message, dst: int, now_us: int) -> Send:
        """To all who listen on `dst`; no answer is expected."""
        data = self._sent(to_frame(message, dst=dst, src=MASTER, seq=self._count()), now_us)
        if dst == EVERYBODY:
            self.line.said_to_everybody()
        return Send(data, False)  # noqa: FBT003

    def ask(self, frame: Frame, asked: Asked, now_us: int) -> Send:
        """`frame` as made by `request`; its answer comes within the time that `asked` grants."""
        data = self._sent(frame, now_us)
        asked.seq = frame.seq
        asked.frame = frame
        asked.sent_us = self.line.sending_until_us
        asked.until_us = asked.sent_us + asked.wait_us
        self.asked = asked
        return Send(data, True)  # noqa: FBT003

    def request(self, message: Message, dst: int) -> Frame:
        return to_frame(message, dst=dst, src=MASTER, seq=self._count())

    def repeat(self, like: Frame) -> Frame:
        """The same request again, under a new number."""
        return Frame(like.version, like.type, like.dst, like.src, self._count(), like.payload)

    def overdue(self, now_us: int) -> Asked | None:
        """The request whose time is up; it is over then."""
        asked = self.asked
        if asked is None or now_us < asked.until_us:
            return None
        if self.receiver.midway:
            self.receiver.reset()
            self.tally.cut += 1
            self.tally.collided += asked.what == "discover"
            asked.garbled = True
        if asked.what == "poll":
            self.tally.missed += 1
            self.guard.unanswered()
        self.asked = None
        return asked

    def broken_off(self) -> Asked | None:
        """The request is given up; its answer, should it come, counts for nothing."""
        asked, self.asked = self.asked, None
        return asked

    def hear(self, data: bytes, now_us: int) -> list[tuple[Asked, Frame, Message]]:
        """The answers in these bytes, each with its request; a request with one answer is over with it."""
        damaged = self.receiver.damaged
        frames = self.receiver.feed(data)
        damaged = self.receiver.damaged - damaged
        ended = bool(frames or damaged)
        self.line.heard(now_us, whole=ended and not self.receiver.midway)
        self.busy.add(len(data), now_us)
        if damaged:
            self._damaged(damaged, now_us)
        answers: list[tuple[Asked, Frame, Message]] = []
        expected = sum(
            len(frame.payload) + OVERHEAD for frame in frames if self._belongs(frame, answers, now_us)
        )
        self.guard.heard(data, expected, now_us)
        return answers

    def reopened(self) -> None:
        """The port is new: nothing is under way."""
        self.receiver.reset()
        self.line.forget()
        self.guard.reopened()

    def _belongs(self, frame: Frame, answers: list[tuple[Asked, Frame, Message]], now_us: int) -> bool:
        if frame.src == MASTER:
            return not self.echo.foreign(frame, now_us)
        asked = self.asked
        if asked is None or frame.seq != asked.seq or frame.dst != MASTER:
            self.tally.unasked += 1
            return False
        try:
            message = from_frame(frame)
        except BadMessage:
            self.tally.strange += 1
            return False
        self.guard.good(now_us)
        answers.append((asked, frame, message))
        if asked.what != "discover":
            self.tally.trips_us.append(now_us - asked.sent_us)
            self.asked = None
        return True

    def _damaged(self, count: int, now_us: int) -> None:
        if now_us <= self.line.sending_until_us:
            self.echo.damaged(count)
        elif self.asked is not None:
            self.asked.garbled = True
            if self.asked.what == "discover":
                self.tally.collided += count

    def _sent(self, frame: Frame, now_us: int) -> bytes:
        data = encode(frame)
        self.line.sent(len(data), now_us)
        self.busy.add(len(data), now_us)
        self.echo.sent(frame)
        return data

    def _count(self) -> int:
        self._seq = (self._seq + 1) & 0xFF
        return self._seq
