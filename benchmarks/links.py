"""Several halls at one broker: a pause in the leading one to lamps and bus of one that follows, and a picture
to the cores of many.

`links.pause` has two halls with their real core and links processes. `links.fan_out` measures links processes
without halls behind them, in turns with as many bare subscribers that take the same bytes to a local socket:
what a links process asks a core of gets the shortest answer there is, so that the process itself is measured.
A picture is answered when the last process has brought it: in halls of their own none takes the processor
from another.
"""

import asyncio
import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Never, cast

import aiomqtt
import msgspec

from pi_controller.bench.feed import SETTINGS
from pi_controller.bench.figures import Figure, Say, limits, summary
from pi_controller.bench.pace import Pace, hot, in_turns, isolated
from pi_controller.bench.processes import ANSWER_WITHIN_S, LOOK_S, BenchError, answers, boot_ns, product
from pi_controller.bus.frame import Receiver
from pi_controller.bus.messages import StateMessage, from_frame
from pi_controller.links.broker import NO_DELAY, payload_of
from pi_controller.links.leader import CLAIM_S
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ROOT, ClockAnswer, ClockQuestion, hall_and_name, topic
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import RequestId
from pi_controller.protocol.paths import links_socket, socket_path
from pi_controller.protocol.question import CoreLine
from pi_controller.protocol.server import Buffered, read_buffer
from pi_controller.protocol.simulated import PanelPicture

HOST = "127.0.0.1"
MOSQUITTO = ("mosquitto", "/usr/sbin/mosquitto")
OVERRIDE = {"override": True}
SETTLE_S = (0.1, 0.2)
"""From and to, before a hot pause: after a change the bus says its state three times."""
BAR = limits(p50=5, p99=20)
LEADER, RUN = "main", "bench"
BARE = "bare/picture"
REST_S = 0.03
ATMOST = 1.5
"""Times the floor of `links.fan_out`."""
BEAT_S = 1.0
ROSTER = {"version": 1, "rows": []}

# A Mosquitto of this machine, and programs that talk through it.


@contextlib.contextmanager
def mosquitto(folder: Path) -> Iterator[tuple[int, int]]:
    """Its port and its process id; BenchError where it is not installed."""
    program = next(filter(None, map(shutil.which, MOSQUITTO)), None)
    if program is None:
        raise BenchError("Mosquitto is not installed: sudo apt install mosquitto.")
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    file = folder / "mosquitto.conf"
    file.write_text(
        f"listener {port} {HOST}\nallow_anonymous true\nsys_interval 1\nset_tcp_nodelay true\n",
        encoding="utf-8",
    )
    with running(program, "-c", str(file)) as process:
        until = time.monotonic() + ANSWER_WITHIN_S
        while not _listens(port):
            if time.monotonic() > until:
                raise BenchError("Mosquitto does not listen.")
            time.sleep(LOOK_S)
        yield port, process.pid


@contextlib.contextmanager
def running(*command: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A program without channels; gone on the way out."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def settings_of(folder: Path, role: str, hall: str, *, port: int, more: str = "") -> Path:
    """A settings file for this hall; `more` stands above its section `[links]`."""
    file = folder / f"{hall}.toml"
    file.write_text(f'{more}[links]\nrole = "{role}"\nhall = "{hall}"\nport = {port}\n', encoding="utf-8")
    return file


def links_of(state_dir: Path, settings: Path) -> tuple[str, ...]:
    """The command of a links process."""
    given = (f"--state-dir={state_dir}", f"--settings={settings}")
    return (sys.executable, "-m", "pi_controller", "links", *given)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


# From a pause in the leading hall to lamps and bus of one that follows.


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

    def panel(self, line: CoreLine) -> None:
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


def pause(*, pauses: int, in_blocks: int, folder: Path, say: Say) -> list[Figure]:
    """The floor is the same pause to the leader's own lamps, by the same clock, looked at in the same way."""
    cable, end = os.openpty()
    tty.setraw(end)
    segment = f'[tables]\nsegments = [{{name = "A", port = "{os.ttyname(end)}"}}]\n'
    try:
        with mosquitto(folder) as (port, _), contextlib.ExitStack() as ending:
            for hall, role, more in (("main", "leader", SETTINGS), ("east", "follower", SETTINGS + segment)):
                ending.enter_context(_hall(folder, hall, role, port, more))
            say(f"links.pause: {pauses} isolated pauses of two halls, and {in_blocks} back to back")
            paces = (isolated(pauses), hot(in_blocks, rest_s=SETTLE_S))
            return asyncio.run(_measure_pauses(folder, cable, paces))
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
            if isinstance(message, StateMessage):
                eye.see(paused=message.paused, at_s=begun_s)
            begun_s = at_s  # of a further one that came with it
        if not receiver.midway:
            begun_s = 0.0

    return read


async def _measure_pauses(folder: Path, cable: int, paces: tuple[Pace, ...]) -> list[Figure]:
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
        took = [(pace, (await in_turns({"": partial(_once, main, eyes)}, pace))[""]) for pace in paces]
    finally:
        for task in watching:
            task.cancel()
        loop.remove_reader(cable)
        await main.aclose()
        await east.aclose()
    return [row for pace, found in took for row in _pause_figures(pace, found)]


def _pause_figures(pace: Pace, found: list[dict[str, float]]) -> Iterator[Figure]:
    what = {"lamps": "the follower's lamps", "bus": "the first byte of the state at the follower's bus"}
    for eye, told in what.items():
        yield Figure(
            name=f"links.pause.{eye}{pace.suffix}",
            what=f"the leader's pause to {told}",
            unit="ms",
            measured=summary([each[eye] for each in found]),
            floor=summary([each["leader"] for each in found]),
            floor_is="to the leader's own lamps",
            limits=BAR,
        )


async def _once(main: AsyncClient, eyes: dict[str, Eye]) -> dict[str, float]:
    """A pause, and play again; milliseconds of the pause."""
    took_ms = await _change(main, eyes, "pause")
    await _change(main, eyes, "resume", OVERRIDE)
    return took_ms


async def _change(
    main: AsyncClient, eyes: dict[str, Eye], name: str, body: object = None
) -> dict[str, float]:
    """Milliseconds from the command until each of them has seen it."""
    seen = {who: eye.look_for(paused=name == "pause") for who, eye in eyes.items()}
    begun_s = time.monotonic()
    answer = await main.command(name, body, source="bench")
    if not answer.accepted:
        raise BenchError(f"`{name}` was refused: {' '.join(answer.reasons)}")
    async with asyncio.timeout(ANSWER_WITHIN_S):
        return {who: (await at - begun_s) * 1000 for who, at in seen.items()}


# A picture to the cores of many halls.


class _Asked(msgspec.Struct):
    id: RequestId
    ask: str


class Arrivals:
    """`wait` gives when the last of so many had some bytes."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._missing: set[int] = set()
        self._wanted = b""
        self._all: asyncio.Future[float] | None = None
        self._then: list[Callable[[], None]] = []

    def wait(self, wanted: bytes) -> "asyncio.Future[float]":
        self._wanted = wanted
        self._missing = set(range(self._count))
        self._all = asyncio.get_running_loop().create_future()
        return self._all

    def heard(self, number: int, data: bytes) -> None:
        """This one has these bytes now."""
        if self._wanted and self._wanted in data and number in self._missing:
            self._missing.discard(number)
            if not self._missing and self._all is not None:
                self._all.set_result(time.monotonic())
                for act in self._then:
                    act()
                self._then.clear()

    def after(self, act: Callable[[], None]) -> None:
        """Have this done when the last has had it; at once when nothing is waited for."""
        if self._missing:
            self._then.append(act)
        else:
            act()


class HallEnd(Buffered):
    """One connection; `answers` are by what was asked. Without them nothing is answered."""

    def __init__(
        self, number: int, arrivals: Arrivals, beating: set["HallEnd"], answers: dict[str, object] | None
    ) -> None:
        super().__init__(read_buffer())
        self._number = number
        self._arrivals = arrivals
        self._beating = beating
        self._answers = answers
        self._rest = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._beating.discard(self)

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._arrivals.heard(self._number, line)
            if self._answers is not None:
                self._answer(msgspec.json.decode(line, type=_Asked), self._answers)

    def beat(self, line: bytes) -> None:
        self._transport.write(line)

    def _answer(self, asked: _Asked, answers: dict[str, object]) -> None:
        if asked.ask == "watch":
            self._beating.add(self)
        fields = answers.get(asked.ask, {"done": True})
        told = {"id": asked.id, **cast(dict[str, object], fields)}
        line = msgspec.json.encode(told) + b"\n"
        if asked.ask == "follow":
            self._arrivals.after(partial(self._transport.write, line))
        else:
            self._transport.write(line)


class ScriptedCores:
    """So many, each at a path of its own."""

    def __init__(self, paths: list[Path], arrivals: Arrivals, picture: bytes | None) -> None:
        """`picture`: what a core shows. None: the ends only listen."""
        self._paths = paths
        self._arrivals = arrivals
        self._beating: set[HallEnd] = set()
        self._answers: dict[str, object] | None = None
        if picture is not None:
            self._answers = {
                "watch": {"picture": msgspec.Raw(picture)},
                "roster": {"roster": ROSTER},
                "watch_tables": {},
                "watch_uplink": {},
                "link": {"controller": "bench"},
            }
        self._servers: list[asyncio.Server] = []
        self._beats: asyncio.Task[None] | None = None

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        for number, path in enumerate(self._paths):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._servers.append(await loop.create_unix_server(self._end(number), path))
        self._beats = loop.create_task(self._keep_beating())

    def close(self) -> None:
        if self._beats is not None:
            self._beats.cancel()
        for server in self._servers:
            server.close()

    def _end(self, number: int) -> Callable[[], HallEnd]:
        return lambda: HallEnd(number, self._arrivals, self._beating, self._answers)

    async def _keep_beating(self) -> None:
        line = b'{"beat":{"version":1,"beat":1,"session":"bench","as_of_ms":1}}\n'
        while True:
            await asyncio.sleep(BEAT_S)
            for end in self._beating:
                end.beat(line)


def fan_out(*, halls: int, pictures: int, folder: Path, say: Say) -> list[Figure]:
    """One row, for the last of so many halls."""
    with product("core", folder / "model") as core:
        picture = msgspec.json.encode(answers(folder / "model", core))
    with mosquitto(folder) as (port, _):
        say(f"links.fan_out: waits for {halls} links processes and as many bare subscribers")
        took = asyncio.run(_measure_pictures(folder, halls, port, picture, pictures))
    return [_fan_out_figure(halls, took, len(picture))]


async def _measure_pictures(
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
        client = aiomqtt.Client(HOST, port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=NO_DELAY)
        async with client, asyncio.TaskGroup() as group:
            leading = group.create_task(_answer(client))
            publisher = _Publisher(client, picture)
            claiming = group.create_task(publisher.lead())
            for who, reached in arrivals.items():
                await publisher.until_all(reached, who)
            took = await _in_turns(publisher, arrivals, pictures)
            leading.cancel()
            claiming.cancel()
    return took


def _bare(port: int, path: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "benchmarks.bare_subscriber", str(port), BARE, str(path))


async def _answer(client: aiomqtt.Client) -> None:
    """As much of a leader as a follower needs besides: what time it is."""
    await client.subscribe(f"{ROOT}/+/ask")
    async for message in client.messages:
        now_us, of = boot_ns() // 1000, hall_and_name(str(message.topic))
        if of is not None:
            ask = msgspec.json.decode(payload_of(message), type=ClockQuestion)
            answer = ClockAnswer(sent_us=ask.sent_us, received_us=now_us, answered_us=now_us, run=RUN)
            await client.publish(topic(LEADER, "answer", of[0]), msgspec.json.encode(answer))


class _Publisher:
    """Each picture differs from the one before by a name of the same length in it."""

    def __init__(self, client: aiomqtt.Client, picture: bytes) -> None:
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


def _fan_out_figure(halls: int, took: dict[str, list[float]], size: int) -> Figure:
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
