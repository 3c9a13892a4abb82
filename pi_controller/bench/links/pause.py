"""From a pause in the leading hall to the lamps and the bus of one that follows.

Both have their real core and links processes, at a real broker."""

import asyncio
import contextlib
import os
import random
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.links.broker import links_of, mosquitto, running, settings_of
from pi_controller.bench.links.eye import OVERRIDE, Eye, play
from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, answers, product
from pi_controller.bench.web.pauses import SETTINGS
from pi_controller.bus.frame import Receiver
from pi_controller.bus.messages import State, from_frame
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.paths import socket_path

SETTLE_S = 0.1
"""After a change the bus says its state three times; the next one begins from ordinary work."""
BAR = limits(p50=5, p99=20)
_CHANCE = random.Random(1)  # noqa: S311 - moments


def pause(*, pauses: int, folder: Path, say: Say) -> list[Figure]:
    """The floor is the same pause to the leader's own lamps, by the same clock, looked at in the same way."""
    cable, end = os.openpty()
    tty.setraw(end)
    segment = f'[tables]\nsegments = [{{name = "A", port = "{os.ttyname(end)}"}}]\n'
    try:
        with mosquitto(folder) as port, contextlib.ExitStack() as ending:
            for hall, role, more in (("main", "leader", SETTINGS), ("east", "follower", SETTINGS + segment)):
                ending.enter_context(_hall(folder, hall, role, port, more))
            say(f"links.pause: {pauses} pauses of two halls")
            return asyncio.run(_measure(folder, cable, pauses))
    finally:
        os.close(cable)
        os.close(end)


@contextlib.contextmanager
def _hall(folder: Path, hall: str, role: str, port: int, more: str) -> Iterator[None]:
    settings, state_dir = settings_of(folder, role, hall, port=port, more=more), folder / hall
    with (
        product("core", state_dir, f"--settings={settings}") as core,
        running(*links_of(state_dir, settings)),
    ):
        answers(state_dir, core)
        yield


def _reader(cable: int, eye: Eye) -> Callable[[], None]:
    """What stands at the end of the follower's cable; the moment is that of a frame's first bytes."""
    receiver, begun_s = Receiver(), 0.0

    def read() -> None:
        nonlocal begun_s
        at_s = time.monotonic()
        data = os.read(cable, 4096)
        frames = receiver.feed(data)
        begun_s = begun_s or at_s
        for frame in frames:
            message = from_frame(frame)
            if isinstance(message, State):
                eye.see(paused=message.paused, at_s=begun_s)
            begun_s = at_s  # of a further one that came with it
        if not receiver.midway:
            begun_s = 0.0

    return read


async def _measure(folder: Path, cable: int, pauses: int) -> list[Figure]:
    eyes = {"leader": Eye(), "lamps": Eye(), "bus": Eye()}
    main, east = (AsyncClient(socket_path(folder / hall)) for hall in ("main", "east"))
    loop = asyncio.get_running_loop()
    loop.add_reader(cable, _reader(cable, eyes["bus"]))
    watching = [
        loop.create_task(main.panel(eyes["leader"].panel)),
        loop.create_task(east.panel(eyes["lamps"].panel)),
    ]
    try:
        await asyncio.to_thread(play, folder, "main", "east")
        took = await _pauses(main, eyes, pauses)
    finally:
        for task in watching:
            task.cancel()
        loop.remove_reader(cable)
        await main.aclose()
        await east.aclose()
    floor = summary(took["leader"])
    what = {"lamps": "the follower's lamps", "bus": "the first byte of the state at the follower's bus"}
    return [
        Figure(
            name=f"links.pause.{eye}",
            what=f"the leader's pause to {told}",
            unit="ms",
            measured=summary(took[eye]),
            floor=floor,
            floor_is="to the leader's own lamps",
            limits=BAR,
        )
        for eye, told in what.items()
    ]


async def _pauses(main: AsyncClient, eyes: dict[str, Eye], pauses: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {name: [] for name in eyes}
    for _ in range(pauses):
        for name, took_ms in (await _once(main, eyes, "pause")).items():
            took[name].append(took_ms)
        await _once(main, eyes, "resume", OVERRIDE)
    return took


async def _once(main: AsyncClient, eyes: dict[str, Eye], name: str, body: object = None) -> dict[str, float]:
    """Milliseconds from the command until each of them has seen it."""
    await asyncio.sleep(SETTLE_S + _CHANCE.uniform(0, SETTLE_S))
    seen = {who: eye.look_for(paused=name == "pause") for who, eye in eyes.items()}
    begun_s = time.monotonic()
    answer = await main.command(name, body, source="bench")
    if not answer.accepted:
        raise BenchError(f"`{name}` was refused: {' '.join(answer.reasons)}")
    async with asyncio.timeout(ANSWER_WITHIN_S):
        return {who: (await at - begun_s) * 1000 for who, at in seen.items()}
