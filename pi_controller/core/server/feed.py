"""Pictures, and beats between them, to everybody who watches."""

import msgspec

from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.protocol.messages import BeatNews
from pi_controller.protocol.picture import Beat, Picture
from pi_controller.protocol.question import encode
from pi_controller.protocol.server import ClientConnection

BEAT_NS = 1_000_000_000

_encoder = msgspec.json.Encoder()


class Feed:
    """`publish` encodes a picture once, whoever watches; after a second without one a beat goes out."""

    def __init__(self, *, timers: Timers) -> None:
        self._timers = timers
        self._watchers: set[ClientConnection] = set()
        self._alarm: Alarm | None = None
        self._said_ns = 0
        """When the newest picture or beat went out."""
        self._expected: tuple[Picture, bytes] | None = None
        self._seq = 0
        self._session = ""

    def watchers(self) -> int:
        return len(self._watchers)

    def add(self, client: ClientConnection) -> None:
        self._watchers.add(client)
        client.on_close.append(lambda: self._watchers.discard(client))
        if self._alarm is None:
            self._said_ns = self._timers.boot_ns()
            self._wake_at_next_beat()

    def expect(self, picture: Picture) -> None:
        """This picture may come next."""
        if self._watchers:
            self._expected = picture, _line(picture)

    def publish(self, picture: Picture) -> None:
        self._seq, self._session = picture.seq, picture.session
        expected, self._expected = self._expected, None
        if not self._watchers:
            return
        line = _line(picture) if expected is None or expected[0] is not picture else expected[1]
        for client in self._watchers:
            client.stream("picture", line)
        self._said_ns = self._timers.boot_ns()

    def _wake_at_next_beat(self) -> None:
        """A picture moves the beat only when the alarm comes: changes follow each other, alarms cost."""
        self._alarm = self._timers.call_at(self._said_ns + BEAT_NS, self._beat)

    def _beat(self) -> None:
        self._alarm = None
        if not self._watchers:
            return
        now_ns = self._timers.boot_ns()
        if now_ns < self._said_ns + BEAT_NS:
            self._wake_at_next_beat()
            return
        beat = Beat(beat=self._seq, session=self._session, as_of_ms=now_ns // 1_000_000)
        line = encode(BeatNews(beat=beat))
        for client in self._watchers:
            client.stream("beat", line)
        self._said_ns = now_ns
        self._wake_at_next_beat()


def _line(picture: Picture) -> bytes:
    return _encoder.encode({"picture": picture}) + b"\n"
