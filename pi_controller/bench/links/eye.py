"""Sees when lamps show a pause, and waits until a follower's time runs."""

import asyncio
import time
from pathlib import Path

import msgspec

from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError
from pi_controller.protocol.client import Client, Line
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.simulated import PanelPicture

OVERRIDE = {"override": True}


class Eye:
    """Tells at which moment something was first seen to be paused, or not."""

    def __init__(self) -> None:
        self._wanted = False
        self._seen: asyncio.Future[float] | None = None

    def look_for(self, *, paused: bool) -> "asyncio.Future[float]":
        self._wanted = paused
        self._seen = asyncio.get_running_loop().create_future()
        return self._seen

    def see(self, *, paused: bool, at_s: float) -> None:
        if self._seen is not None and not self._seen.done() and paused is self._wanted:
            self._seen.set_result(at_s)

    def panel(self, line: Line) -> None:
        """The lamp is lit in play, and in a pause it blinks, beginning dark."""
        at_s = time.monotonic()
        if line.panel:
            lit = msgspec.json.decode(line.panel, type=PanelPicture).pause_lamp
            self.see(paused=not lit, at_s=at_s)


def play(folder: Path, leading: str, following: str) -> None:
    """The leader's game runs, and the follower's time with it."""
    leader, follower = (Client(socket_path(folder / hall)) for hall in (leading, following))
    begun_s = time.monotonic()
    while time.monotonic() - begun_s < ANSWER_WITHIN_S:
        picture = follower.picture()
        if picture.running:
            return
        if (
            picture.link is not None
            and picture.link.state == "following"
            and leader.picture().phase == "ready"
        ):
            leader.command("start", source="bench")
        time.sleep(0.05)
    raise BenchError("The follower does not follow.")
