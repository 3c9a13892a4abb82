"""A picture from the broker to the cores of many halls: their links processes without halls behind them, in
turns with as many bare subscribers that take the same bytes to a local socket."""

import asyncio
import contextlib
import random
import sys
import time
from pathlib import Path
from typing import Never

import msgspec
from aiomqtt import Client, ProtocolVersion

from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.links.broker import HOST, links_of, mosquitto, running, settings_of
from pi_controller.bench.links.scripted_cores import Arrivals, ScriptedCores
from pi_controller.bench.processes import ANSWER_WITHIN_S, answers, boot_ns, product
from pi_controller.links.broker import NO_DELAY, payload_of
from pi_controller.links.leader import CLAIM_S
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ROOT, Answer, Ask, hall_and_name, topic
from pi_controller.protocol.paths import links_socket

LEADER, RUN = "main", "bench"
BARE = "bare/picture"
REST_S = 0.03
ATMOST = 1.5
"""Times the floor."""


def fan_out(*, halls: int, pictures: int, folder: Path, say: Say) -> list[Figure]:
    """One row, for the last of so many halls."""
    with product("core", folder / "model") as core:
        picture = msgspec.json.encode(answers(folder / "model", core))
    with mosquitto(folder) as port:
        say(f"links.fan_out: waits for {halls} links processes and as many bare subscribers")
        took = asyncio.run(_measure(folder, halls, port, picture, pictures))
    return [_figure(halls, took, len(picture))]


async def _measure(
    folder: Path, halls: int, port: int, picture: bytes, pictures: int
) -> dict[str, list[float]]:
    names = [f"h{number}" for number in range(halls)]
    arrivals = {"links": Arrivals(halls), "bare": Arrivals(halls)}
    cores = ScriptedCores([links_socket(folder / name) for name in names], arrivals["links"], picture)
    ends = ScriptedCores([folder / f"{name}.bare" for name in names], arrivals["bare"], None)
    with contextlib.ExitStack() as ending:
        for each in (cores, ends):
            await each.open()
            ending.callback(each.close)
        for name in names:
            settings = settings_of(folder, "follower", name, port=port)
            ending.enter_context(running(*links_of(folder / name, settings)))
            ending.enter_context(running(*_bare(port, folder / f"{name}.bare")))
        client = Client(HOST, port, protocol=ProtocolVersion.V5, socket_options=NO_DELAY)
        async with client, asyncio.TaskGroup() as group:
            leading = group.create_task(_lead(client))
            publisher = _Publisher(client, picture)
            claiming = group.create_task(publisher.lead())
            for who, reached in arrivals.items():
                await publisher.until_all(reached, who)
            took = await _in_turns(publisher, arrivals, pictures)
            leading.cancel()
            claiming.cancel()
    return took


def _bare(port: int, path: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "pi_controller.bench.links.bare_subscriber", str(port), BARE, str(path))


async def _lead(client: Client) -> None:
    """As much of a leader as a follower needs besides: what time it is."""
    await client.subscribe(f"{ROOT}/+/ask")
    async for message in client.messages:
        now_us, of = boot_ns() // 1000, hall_and_name(str(message.topic))
        if of is not None:
            ask = msgspec.json.decode(payload_of(message), type=Ask)
            answer = Answer(sent_us=ask.sent_us, received_us=now_us, answered_us=now_us, run=RUN)
            await client.publish(topic(LEADER, "answer", of[0]), msgspec.json.encode(answer))


class _Publisher:
    """Each picture differs from the one before by a name of the same length in it."""

    def __init__(self, client: Client, picture: bytes) -> None:
        self._client = client
        self._fields = msgspec.json.decode(picture, type=dict[str, msgspec.Raw])
        self._number = 0

    def next(self) -> tuple[bytes, bytes]:
        """What is new in it, and the picture."""
        self._number += 1
        name = f"bench-{self._number:06d}".encode()
        event = b'{"name":"%s","logo":false,"colours":null}' % name
        return name, msgspec.json.encode(self._fields | {"event": msgspec.Raw(event)})

    async def lead(self) -> Never:
        """Say that this leads, as often as a leader does."""
        session = msgspec.json.decode(self._fields["session"], type=str)
        claim = LeaseClaim(
            hall=LEADER, controller=RUN, run=RUN, session=session, state="leading", progress="playing", term=1
        )
        while True:
            await self._client.publish(topic(LEADER, "lease"), msgspec.json.encode(claim), qos=1)
            await asyncio.sleep(CLAIM_S)

    async def publish(self, who: str, payload: bytes) -> None:
        name = topic(LEADER, "picture") if who == "links" else BARE
        await self._client.publish(name, payload, retain=True)

    async def until_all(self, arrivals: Arrivals, who: str) -> None:
        """All of them are there: they were still starting."""
        name, payload = self.next()
        reached = arrivals.wait(name)
        async with asyncio.timeout(ANSWER_WITHIN_S):
            while not reached.done():
                await self.publish(who, payload)
                await asyncio.sleep(0.25)


async def _in_turns(
    publisher: _Publisher, arrivals: dict[str, Arrivals], pictures: int
) -> dict[str, list[float]]:
    chance = random.Random(1)  # noqa: S311 - moments
    took: dict[str, list[float]] = {who: [] for who in arrivals}
    for _ in range(pictures):
        for who, reached in arrivals.items():
            await asyncio.sleep(REST_S + chance.uniform(0, REST_S))
            name, payload = publisher.next()
            last = reached.wait(name)
            begun_s = time.monotonic()
            await publisher.publish(who, payload)
            async with asyncio.timeout(ANSWER_WITHIN_S):
                took[who].append((await last - begun_s) * 1000)
    return took


def _figure(halls: int, took: dict[str, list[float]], size: int) -> Figure:
    links, floor = summary(took["links"]), summary(took["bare"])
    return Figure(
        name=f"links.fan_out.{halls}",
        what=f"a picture of {size} bytes to the core of the last of {halls} halls",
        unit="ms",
        measured=links,
        floor=floor,
        floor_is="as many processes of bare paho-mqtt take the same bytes to a local socket",
        limits=limits(p50=round(ATMOST * floor.p50, 3)),
        note=f"{links.p50 / floor.p50:.2f} times the floor at p50, {links.p99 / floor.p99:.2f} at p99",
    )
