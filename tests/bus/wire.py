"""A half-duplex line with a virtual clock: who speaks at the same time garbles, frames can get lost, bytes come back."""

import heapq
import random
from collections.abc import Callable
from itertools import count
from typing import Any

from pi_controller.bus.frame import Frame, decode, wire_us
from pi_controller.bus.master import SegmentMaster
from pi_controller.bus.register import SLOW_PERIOD_US
from pi_controller.bus.requests import Rest, Tune
from pi_controller.bus.values import BusEvent

ADAPTER_US = 1_000


class Speech:
    def __init__(self, speaker: object, data: bytes, start: int, end: int) -> None:
        self.speaker = speaker
        self.data = data
        self.start = start
        self.end = end
        self.garbled = False
        self.told = 0
        """Bytes that have reached the master."""


class Wire:
    """All that happens on one segment, in order of time. Nodes hear whole frames, the master hears bytes."""

    def __init__(self, *, baud: int = 250_000, seed: int = 1, loss: float = 0.0, echo: bool = False) -> None:
        self.baud = baud
        self.chance = random.Random(seed)
        self.loss = loss
        self.echo = echo
        self.now = 1_000_000
        self.nodes: list[Any] = []
        self.ears: dict[SegmentMaster, Callable[[bytes], None]] = {}
        self.held = False
        """Somebody holds the line low: nobody hears anything."""
        self.overlaps = 0
        self.on_wire: list[tuple[int, bytes, object, bool]] = []
        """End, bytes, speaker, whether undamaged; kept only while `keep` is set."""
        self.keep = False
        self.used_us = 0
        self._order = count()
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._speeches: list[Speech] = []

    def at(self, moment: int, act: Callable[[], None]) -> None:
        heapq.heappush(self._events, (moment, next(self._order), act))

    def next_event(self) -> int | None:
        return self._events[0][0] if self._events else None

    def happen(self) -> None:
        self.now, _, act = heapq.heappop(self._events)
        act()

    def speak(self, speaker: object, data: bytes) -> None:
        now = self.now
        end = now + wire_us(len(data), self.baud)
        speech = Speech(speaker, data, now, end)
        self._speeches = [other for other in self._speeches if other.end > now]
        for other in self._speeches:
            other.garbled = speech.garbled = True
            self.overlaps += 1
        self._speeches.append(speech)
        self.used_us += end - now
        self.at(now + wire_us(1, self.baud), lambda: self._begun(speech))
        self.at(end, lambda: self._ended(speech))

    def _begun(self, speech: Speech) -> None:
        if self.held:
            return
        for node in self.nodes:
            if node is not speech.speaker:
                node.sense()
        self._to_masters(speech, speech.data[:1])
        speech.told = 1
        self._go_on(speech)

    def _go_on(self, speech: Speech) -> None:
        """The adapter hands over what it has every millisecond."""
        if self.now + ADAPTER_US < speech.end:
            self.at(self.now + ADAPTER_US, lambda: self._part(speech))

    def _part(self, speech: Speech) -> None:
        arrived = (self.now - speech.start) // wire_us(1, self.baud)
        part = speech.data[speech.told : arrived]
        garbage = bytes(self.chance.randrange(1, 256) for _ in part)
        self._to_masters(speech, garbage if speech.garbled else part)
        speech.told = arrived
        self._go_on(speech)

    def _ended(self, speech: Speech) -> None:
        if self.held:
            return
        data = speech.data
        if speech.garbled:
            data = b"\0" + bytes(self.chance.randrange(1, 256) for _ in data[2:]) + b"\0"
        if self.keep:
            self.on_wire.append((speech.end, speech.data, speech.speaker, not speech.garbled))
        frame = decode(data[1:-1]) if data[:1] == b"\0" == data[-1:] else None
        for node in self.nodes:
            if node is not speech.speaker and not self._lost():
                node.hear(frame)
        if self._lost() and len(data) > 3:
            data = data[:-3] + bytes([data[-3] ^ 0x55 or 1]) + data[-2:]
        self._to_masters(speech, data[speech.told :])

    def _lost(self) -> bool:
        return self.loss > 0 and self.chance.random() < self.loss

    def _to_masters(self, speech: Speech, data: bytes) -> None:
        for master, ear in self.ears.items():
            if self.echo or master is not speech.speaker:
                ear(data)


class Drive:
    """Lets one master live on the wire."""

    def __init__(self, wire: Wire, master: SegmentMaster) -> None:
        self.wire = wire
        self.master = master
        self.events: list[tuple[int, BusEvent]] = []
        self.alive = True
        self.late_us = 0
        """By up to so much, by chance, its thread wakes late for a poll on the beat of all segments."""
        wire.ears[master] = self._received

    def of(self, kind: type) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]

    def stop(self) -> None:
        self.alive = False
        del self.wire.ears[self.master]

    def _received(self, data: bytes) -> None:
        self._note(self.master.received(data, self.wire.now))

    def _note(self, events: tuple[BusEvent, ...]) -> None:
        self.events.extend((self.wire.now, event) for event in events)

    def act(self) -> int:
        """Does what the master wants now; returns until when it rests."""
        while True:
            step = self.master.next(self.wire.now)
            if isinstance(step, Rest):
                self._note(self.master.events(self.wire.now))
                return step.until_us + self._late(step.until_us)
            if isinstance(step, Tune):
                self.wire.baud = step.baud
                continue
            self.wire.speak(self.master, step.data)

    def _late(self, until_us: int) -> int:
        if not self.late_us or until_us % SLOW_PERIOD_US:
            return 0
        return self.wire.chance.randrange(self.late_us)


def run(wire: Wire, until: int, *drives: Drive) -> None:
    """Everything that happens up to this moment."""
    rests = [0] * len(drives)
    while True:
        for number, drive in enumerate(drives):
            rests[number] = drive.act() if drive.alive else until + 1
        event = wire.next_event()
        moment = min([*rests, until + 1 if event is None else event])
        if moment > until:
            wire.now = until
            return
        if event is not None and event <= moment:
            wire.happen()
        else:
            wire.now = moment


def frames(wire: Wire) -> list[tuple[int, Frame, object]]:
    """What was kept of the wire, undamaged."""
    decoded = ((end, decode(data[1:-1]), speaker) for end, data, speaker, good in wire.on_wire if good)
    return [(end, frame, speaker) for end, frame, speaker in decoded if frame is not None]
