"""Who may speak when: one request at a time, its answer, what is echoed, and how long the line rests
between.
"""

import re
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from pi_controller.bus.frame import EVERYBODY, MASTER, OVERHEAD, Frame, Receiver, encode
from pi_controller.bus.messages import BadMessage, Message, from_frame, to_frame
from pi_controller.bus.requests import Asked, Send
from pi_controller.bus.snapshot import KEPT_SEGMENT_TRIPS, Busy, Window
from pi_controller.sentence import Sentence

# What is wrong with a line or its port as a whole, from the bytes on it.


WINDOW_US: Final = 250_000
WINDOWS: Final = 4
BABBLE_PART: Final = 0.35
"""Of the line's capacity, over a second: more bytes without a good frame than damaged answers could bring."""
SILENCE_US: Final = 1_800_000
SILENT_POLLS: Final = 6
KEPT_BYTES: Final = 240
TEXT_BYTES: Final = 24
STRANGE_BYTES: Final = 2000
"""More than five rounds of discovery bring when all answers collide."""
TEXT_PART: Final = 0.85
LOOKS: Final = (
    (re.compile(rb"\$(G[PNLAB]|BD)[A-Z]{3},"), Sentence("bus.satellite_receiver")),
    (re.compile(rb">>> |MicroPython|Traceback \(most"), Sentence("bus.micropython_prompt")),
    (re.compile(rb"(^|[\r\n])(AT|OK|RING|ERROR|NO CARRIER|\+[A-Z]{2,})[\r\n:+]"), Sentence("bus.modem")),
    (re.compile(rb"login:|Linux version|U-Boot"), Sentence("bus.console")),
)


class LineWatch:
    """Watches one line; `sentence` is None as long as nothing is wrong."""

    def __init__(self, *, name: str, baud: int) -> None:
        self._name = name
        self._bytes_per_us = baud / 10_000_000
        self._stray: deque[int] = deque(maxlen=WINDOWS)
        self._window_us = 0
        self._now_stray = 0
        self._tail = b""
        self._strange = 0
        self._ever_good = False
        self._good_us = 0
        self._unanswered = 0

    def reopened(self) -> None:
        """Another device may be behind the port now."""
        self._stray.clear()
        self._now_stray = self._strange = self._unanswered = 0
        self._tail = b""
        self._ever_good = False

    def good(self, now_us: int) -> None:
        """A node's good frame arrived."""
        self._ever_good = True
        self._good_us = now_us
        self._unanswered = 0
        self._tail = b""
        self._strange = 0

    def unanswered(self) -> None:
        """A poll brought nothing."""
        self._unanswered += 1

    def heard(self, data: bytes, expected: int, now_us: int) -> None:
        """Bytes arrived; so many of them, or of those just before, were good frames that were waited for."""
        self._turn(now_us)
        self._now_stray += len(data) - expected
        if not self._ever_good:
            self._strange += len(data) - expected
            self._tail = (self._tail + data)[-KEPT_BYTES:]

    def sentence(self, now_us: int) -> Sentence | None:
        """What is wrong and what to do."""
        self._turn(now_us)
        if (look := self._other_device()) is not None:
            return look
        if sum(self._stray) > BABBLE_PART * self._bytes_per_us * WINDOW_US * WINDOWS:
            return Sentence("bus.line_is_held", segment=self._name)
        silent = self._unanswered >= SILENT_POLLS and now_us - self._good_us >= SILENCE_US
        if self._ever_good and silent:
            return Sentence("bus.no_table_answers_any_more", segment=self._name)
        return None

    @property
    def wrong_device(self) -> bool:
        """Something speaks on the port that has never said a good frame."""
        return self._other_device() is not None

    def _other_device(self) -> Sentence | None:
        if self._ever_good or self._strange < TEXT_BYTES:
            return None
        readable = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in self._tail)
        if readable >= TEXT_PART * len(self._tail):
            known = (device for look, device in LOOKS if look.search(self._tail))
            device = next(known, Sentence("bus.device_that_sends_text"))
        elif self._strange >= STRANGE_BYTES and len(set(self._tail)) > 2:
            device = Sentence("bus.device_of_another_kind")
        else:
            return None
        return Sentence("bus.wrong_device", segment=self._name, device=device)

    def _turn(self, now_us: int) -> None:
        if now_us - self._window_us < WINDOW_US:
            return
        gone = (now_us - self._window_us) // WINDOW_US
        for _ in range(min(gone, WINDOWS)):
            self._stray.append(self._now_stray)
            self._now_stray = 0
        self._window_us += gone * WINDOW_US


REMEMBERED: Final = 64
"""Own frames that may still come back: half a second of them, as adapters may hand over late."""
FOREIGN_US: Final = 5_000_000
"""So long after its last frame the other master is reported."""


class Echo:
    """Compares whole frames: an adapter may return all, part or none of the own bytes."""

    def __init__(self) -> None:
        self.echoes = 0
        self.collisions = 0
        """Own frames that came back damaged."""
        self.foreigners = 0
        """Frames of another master."""
        self._sent: deque[Frame] = deque(maxlen=REMEMBERED)
        self._returning = False
        self._foreign_us: int | None = None

    def sent(self, frame: Frame) -> None:
        self._sent.append(frame)

    def foreign(self, frame: Frame, now_us: int) -> bool:
        """A frame that says it comes from the master; True when it is another master's."""
        if frame in self._sent:
            self._sent.remove(frame)
            self._returning = True
            self.echoes += 1
            return False
        self._foreign_us = now_us
        self.foreigners += 1
        return True

    def has_returned(self, frame: Frame) -> bool:
        """Whether this frame, one of the last 64 that were sent, has come back."""
        return frame not in self._sent

    def damaged(self, count: int) -> None:
        """So many damaged frames arrived while own bytes were on the line."""
        if self._returning:
            self.collisions += count

    def other_master(self, now_us: int) -> bool:
        return self._foreign_us is not None and now_us - self._foreign_us < FOREIGN_US


BITS_OF_A_BYTE: Final = 10
LONGEST_FRAME: Final = 40
"""Bytes of the longest frame on the wire (PROTOCOL.md), rounded up."""
QUIET_US: Final = 2_500
"""So long after the last byte a half frame is given up: more than one USB latency period of 1 ms."""
TURN_US: Final = 300
"""A node needs so long to let go of the line after its last byte (PROTOCOL.md, timing)."""
GAP_US: Final = 3_000
"""After what is said to everybody nobody is asked for so long: all are busy with it (PROTOCOL.md, timing)."""


class BusLine:
    """One half-duplex line as the master sees it; all times in µs of one clock."""

    def __init__(self, *, baud: int) -> None:
        self.tune(baud)
        self.sending_until_us = 0
        self._hearing = False
        self._first_us = 0
        self._last_us = 0
        self._clear_us = 0
        self._gap_us = 0

    def tune(self, baud: int) -> None:
        """From now on bytes take as long as at this rate."""
        self._byte_us = BITS_OF_A_BYTE * 1_000_000 / baud
        self._patience_us = int(LONGEST_FRAME * self._byte_us) + QUIET_US

    def sent(self, count: int, now_us: int) -> None:
        """Own bytes begin now."""
        self.sending_until_us = now_us + int(count * self._byte_us) + 1
        self._hearing = False

    def said_to_everybody(self, gap_us: int = GAP_US) -> None:
        """That is what the bytes are that were sent last."""
        self._gap_us = self.sending_until_us + gap_us

    def gap_until(self, now_us: int) -> int | None:
        """When somebody may be asked again; None: now."""
        return self._gap_us if now_us < self._gap_us else None

    def heard(self, now_us: int, *, whole: bool) -> None:
        """Bytes have arrived; `whole`: they end with the end of a frame."""
        if whole:
            self._hearing = False
            self._clear_us = now_us + TURN_US
            return
        if not self._hearing:
            self._hearing = True
            self._first_us = now_us
        self._last_us = now_us

    def forget(self) -> None:
        """The port is new: nothing is under way."""
        self.sending_until_us = 0
        self._hearing = False
        self._clear_us = 0
        self._gap_us = 0

    def free_at(self, now_us: int) -> int:
        """When the master may speak; not after `now_us`: at once. A line that is never quiet counts as free
        after the time of a longest frame, so that a babbling node delays a pause by no more than that."""
        if now_us < self.sending_until_us:
            return self.sending_until_us
        if self._hearing:
            until = min(self._last_us + QUIET_US, self._first_us + self._patience_us)
            if now_us < until:
                return until
            self._hearing = False
        return self._clear_us


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
    trips_us: deque[int] = field(default_factory=lambda: deque(maxlen=KEPT_SEGMENT_TRIPS))


class Conversation:
    """Half duplex: at most one request is out, and only its answer is taken in."""

    def __init__(self, *, name: str, baud: int) -> None:
        self.line = BusLine(baud=baud)
        self.receiver = Receiver()
        self.echo = Echo()
        self.guard = LineWatch(name=name, baud=baud)
        self.busy = Busy(baud=baud)
        self.tally = Tally()
        self.window = Window()
        self.asked: Asked | None = None
        self._late: list[int] = []
        self._seq = 0

    def say(self, message: Message, dst: int, now_us: int, *, gap_us: int = GAP_US) -> Send:
        """To all who listen on `dst`; no answer is expected. Behind what is said to everybody nobody is asked
        for `gap_us`."""
        data = self._sent(to_frame(message, dst=dst, src=MASTER, seq=self._count()), now_us)
        if dst == EVERYBODY:
            self.line.said_to_everybody(gap_us)
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
            self._count_damaged(1, asked, now_us)
        away_until_us = 0 if asked.node is None else asked.node.away_until_us
        if asked.what == "poll" and now_us >= away_until_us:
            self.tally.missed += 1
            self.window.add("unanswered", now_us)
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

    def taken_late(self) -> list[int]:
        """Addresses from which whole frames came that answer nothing any more; each is given once."""
        late, self._late = self._late, []
        return late

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
            self._late.append(frame.src)
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
            self.window.add("answered", now_us)
            self.asked = None
        return True

    def _count_damaged(self, count: int, asked: Asked | None, now_us: int) -> None:
        """What two nodes say in one slot, or a test at another speed, says nothing of the cable."""
        if asked is None or asked.what not in ("discover", "job"):
            self.window.add("damaged", now_us, count)

    def _damaged(self, count: int, now_us: int) -> None:
        self._count_damaged(count, self.asked, now_us)
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
