"""What a follower's core has for the leader: sent again and again until the leader has answered it."""

import asyncio
import logging
from collections.abc import Callable

import msgspec
from aiomqtt import Client, MqttError

from pi_controller.links.clock import ClockEstimate
from pi_controller.links.payloads import topic
from pi_controller.protocol.halls import AnyUplink, PauseUplink, PressUplink

LOG = logging.getLogger(__name__)

CLOSE_US = 5_000
TRIPS = 8
"""Claims of several halls are ordered by their press times. So one that waits for the clock of a leader that
is new here goes up once that is known so well, or after so many round trips; a press of the big button or a
pause, for which everybody waits, after the first."""


class Uplinks:
    """Each goes up with its time on the leader's clock, which somebody else learns."""

    def __init__(self, *, hall: str, clock: ClockEstimate, boot_us: Callable[[], int]) -> None:
        self.client: Client | None = None
        """The connection, while there is one to a leader."""
        self.to = ""
        """The run of the leader's links process."""
        self._hall = hall
        self._clock = clock
        self._boot_us = boot_us
        self._unanswered: dict[str, AnyUplink] = {}
        self._publishing: set[asyncio.Task[None]] = set()

    def put(self, uplink: AnyUplink) -> None:
        """The same key again is the same thing."""
        if uplink.key not in self._unanswered:
            self._unanswered[uplink.key] = uplink
            self._send(uplink)

    def answered(self, key: str) -> bool:
        """The leader has answered this one; whether it was waited for."""
        return self._unanswered.pop(key, None) is not None

    def send(self) -> None:
        """Everything that waits, as far as the leader's clock is known."""
        for uplink in self._unanswered.values():
            self._send(uplink)

    def clock_is_close(self) -> bool:
        """Whether claims need not wait for the leader's clock any more."""
        estimate = self._clock.at(self._boot_us())
        return estimate is not None and (estimate[1] <= CLOSE_US or self._clock.trips >= TRIPS)

    def _send(self, uplink: AnyUplink) -> None:
        estimate, client = self._clock.at(self._boot_us()), self.client
        if estimate is None or client is None:
            return
        if not isinstance(uplink, PressUplink | PauseUplink) and not self.clock_is_close():
            return
        offset_us, error_us = estimate
        at_us = max(0, uplink.at_us + offset_us)
        there = msgspec.structs.replace(uplink, at_us=at_us, error_us=uplink.error_us + error_us, to=self.to)
        name = topic(self._hall, str(uplink.__struct_config__.tag))
        task = asyncio.get_running_loop().create_task(_publish(client, name, msgspec.json.encode(there)))
        self._publishing.add(task)
        task.add_done_callback(self._publishing.discard)


async def _publish(client: Client, name: str, payload: bytes) -> None:
    try:
        await client.publish(name, payload, qos=1)
    except MqttError as problem:
        LOG.debug("it is sent again: %s", problem)
