"""What a follower has for its leader, until the leader has answered it."""

import asyncio

from pi_controller.core.runtime.timers import Timers
from pi_controller.protocol.halls import AnyUplink
from pi_controller.protocol.messages import AskUplinkDone, encode
from pi_controller.protocol.news import UplinkNews
from pi_controller.protocol.sentences import sayable
from pi_controller.protocol.server import Client
from pi_controller.sentence import Sentence

Answered = asyncio.Future[tuple[Sentence, ...]]
"""Why the leader refuses; nothing: it has accepted."""


class Outbox:
    """Called on the loop only. Everything goes to whoever watches, each once a connection."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._waiting: dict[str, tuple[AnyUplink, Answered]] = {}
        self._watchers: set[Client] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def holds(self, *kinds: type[AnyUplink]) -> bool:
        """Whether something of these kinds waits."""
        return any(isinstance(uplink, kinds) for uplink, _ in self._waiting.values())

    @property
    def waiting(self) -> int:
        """How many presses and claims have no answer yet."""
        return len(self._waiting)

    def put(self, uplink: AnyUplink) -> Answered:
        """Why the leader refuses it, once it has answered; nothing, where it has accepted. The same key again
        is the same thing."""
        known = self._waiting.get(uplink.key)
        if known is not None:
            return known[1]
        answered = self._timers.future()
        self._waiting[uplink.key] = (uplink, answered)
        line = encode(UplinkNews(uplink=uplink))
        for client in self._watchers:
            client.send(line)
        return answered

    def watch(self, client: Client) -> None:
        """Tell it of everything that waits, and that comes."""
        self._watchers.add(client)
        client.on_close.append(lambda: self._watchers.discard(client))
        for uplink, _ in self._waiting.values():
            client.send(encode(UplinkNews(uplink=uplink)))

    def done(self, told: AskUplinkDone) -> None:
        """The leader has answered; what nobody waits for any more is no news."""
        _, answered = self._waiting.pop(told.key, (None, None))
        if answered is not None and not answered.done():
            refusal = sayable(told.reasons) or (Sentence("link.refused"),)
            answered.set_result(() if told.accepted else refusal)
