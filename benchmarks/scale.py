"""A game of many halls: real ones with their tables, and a crowd by a load model that grows until one breaks.

The load model is what the links processes of many halls ask of a broker and of a leader, in one process. Each
has a connection of its own with the topics, the messages and the pace of `links/follower.py`; its tables, its
health and its second copy are as large as those of a real hall that was asked before.
"""

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Never

import aiomqtt
import msgspec
from paho.mqtt.client import MQTTMessage

from benchmarks.accounts import KIB, memory_kib
from benchmarks.links import HOST, LEADER, OVERRIDE, Eye, links_of, mosquitto, play, running, settings_of
from pi_controller.bench.feed import SETTINGS
from pi_controller.bench.figures import Figure, Say, summary
from pi_controller.bench.processes import (
    ANSWER_WITHIN_S,
    BenchError,
    answers,
    boot_ns,
    processor_ns,
    product,
)
from pi_controller.links.broker import KEEPALIVE_S, NO_DELAY, LinksClient, payload_of
from pi_controller.links.copies import CopyKeeper
from pi_controller.links.core_end import TABLES_S
from pi_controller.links.follower import ASK_S
from pi_controller.links.lease import LeaseClaim
from pi_controller.links.payloads import ROOT, ClockAnswer, ClockQuestion, Have, Status, topic
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.client import Client
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.settings.standing import COPY_NAME
from tests.protocol.asking import watched_tables

FULL = 0.9
"""Of a processor: a process that needs so much has no more to give."""
LATE_MS = 500.0
"""A pause that comes later at the last hall is seen to be late."""
REST_S = 0.3
CONNECT_S = 30.0


@dataclass(frozen=True)
class Model:
    """What a real hall says."""

    leader: str
    tables: bytes
    health: bytes
    boards: list[str]
    have: Callable[[], list[Have]]


class Crowd:
    """So many halls; `connected` counts those that have everything they subscribed to."""

    def __init__(self, port: int, count: int, model: Model) -> None:
        self.connected = 0
        self.answers_ms: list[float] = []
        self.broken = 0
        """Connections that the broker or the network has ended."""
        self._port = port
        self._names = [f"model-{number}" for number in range(count)]
        self._model = model
        self._leader = "nobody"
        """The run of the leader's links process."""
        self._wanted = b""
        self._missing: set[str] = set()
        self._all: asyncio.Future[float] | None = None

    async def run(self) -> None:
        """Until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            for name in self._names:
                group.create_task(self._hall(name))

    def last(self, wanted: bytes) -> "asyncio.Future[float]":
        """When the last of them has a picture with this in it."""
        self._wanted, self._missing = wanted, set(self._names)
        self._all = asyncio.get_running_loop().create_future()
        return self._all

    async def _hall(self, name: str) -> None:
        client = LinksClient(
            HOST,
            self._port,
            identifier=name,
            protocol=aiomqtt.ProtocolVersion.V5,
            keepalive=KEEPALIVE_S,
            socket_options=NO_DELAY,
            timeout=CONNECT_S,
        )
        try:
            async with client:
                client.heard = partial(self._heard, name)
                for each in ("answer", "result"):
                    await client.subscribe(topic("+", each, name))
                for each in ("lease", "status"):
                    await client.subscribe(f"{ROOT}/+/{each}", qos=1)
                for each in ("picture", "beat"):
                    await client.subscribe(topic(self._model.leader, each))
                self.connected += 1
                await self._talk(client, name)
        except aiomqtt.MqttError:
            self.broken += 1

    async def _talk(self, client: LinksClient, name: str) -> Never:
        status = Status(
            state="online",
            hall=name,
            role="follower",
            leads=False,
            term=1,
            controller=name,
            id=name,
            boards=self._model.boards,
        )
        await client.publish(topic(name, "status"), msgspec.json.encode(status), retain=True)
        await client.publish(topic(name, "health"), self._model.health, retain=True)
        turn = 0
        while True:
            if turn % round(TABLES_S / ASK_S) == 0:
                await client.publish(topic(name, "tables"), self._model.tables)
            ask = ClockQuestion(
                sent_us=boot_ns() // 1_000, controller=name, to=self._leader, have=self._model.have()
            )
            await client.publish(topic(name, "ask"), msgspec.json.encode(ask))
            turn += 1
            await asyncio.sleep(ASK_S)

    def _heard(self, name: str, message: MQTTMessage) -> None:
        payload, kind = bytes(message.payload), message.topic.split("/")[2]
        if kind == "lease":
            self._leader = msgspec.json.decode(payload, type=LeaseClaim).run
        elif kind == "answer":
            answer = msgspec.json.decode(payload, type=ClockAnswer)
            self.answers_ms.append((boot_ns() // 1_000 - answer.sent_us) / 1_000)
        elif kind == "picture" and self._wanted and self._wanted in payload:
            self._missing.discard(name)
            if not self._missing and self._all is not None and not self._all.done():
                self._all.set_result(time.monotonic())


@dataclass
class Halls:
    """What runs, by name."""

    folder: Path
    port: int
    pids: dict[str, int] = field(default_factory=dict)

    def client(self, hall: str) -> AsyncClient:
        return AsyncClient(socket_path(self.folder / hall))

    @property
    def real(self) -> list[str]:
        return [name.partition(" ")[0] for name in self.pids if name.endswith(" tables")]


def halls(
    *,
    real: int,
    tables: int,
    nodes: int,
    levels: tuple[int, ...],
    seconds: float,
    pauses: int,
    folder: Path,
    say: Say,
) -> list[Figure]:
    """`real` halls of so many tables, and beside them by the model as many as each of `levels` says, of so
    many `nodes`."""
    with _running(folder, real, tables, say) as going:
        return asyncio.run(
            _measure(going, nodes=nodes, levels=levels, seconds=seconds, pauses=pauses, say=say)
        )


@contextlib.contextmanager
def _running(folder: Path, real: int, tables: int, say: Say) -> Iterator[Halls]:
    with contextlib.ExitStack() as ending:
        port, pid = ending.enter_context(mosquitto(folder))
        going = Halls(folder, port, {"broker": pid})
        say(f"links.scale: starts a leader and {real} halls of {tables} tables")
        for number in range(real + 1):
            hall, role = (f"h{number}", "follower") if number else (LEADER, "leader")
            settings, state_dir = settings_of(folder, role, hall, port=port, more=SETTINGS), folder / hall
            given = [f"--settings={settings}"]
            if number:
                state_dir.mkdir()
                nodes = ("virtual-tables", f"--nodes={tables}", f"--state-dir={state_dir}")
                command = (sys.executable, "-m", "pi_controller", *nodes)
                going.pids[f"{hall} tables"] = ending.enter_context(running(*command)).pid
                given.append(f"--virtual-tables={tables}")
            core = ending.enter_context(product("core", state_dir, *given))
            answers(state_dir, core)
            links = ending.enter_context(running(*links_of(state_dir, settings)))
            going.pids |= {f"{hall} core": core.pid, f"{hall} links": links.pid}
        yield going


class _Counters:
    """What the broker tells of itself once a second."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._values: dict[str, int] = {}
        self._news = asyncio.Event()

    async def run(self) -> None:
        async with aiomqtt.Client(HOST, self._port, protocol=aiomqtt.ProtocolVersion.V5) as client:
            await client.subscribe("$SYS/broker/bytes/+")
            async for message in client.messages:
                self._values[str(message.topic).rpartition("/")[2]] = int(payload_of(message))
                if str(message.topic).endswith("/sent"):
                    self._news.set()

    async def next(self) -> tuple[float, int, int]:
        """Now, and the bytes sent and received since it was started."""
        self._news.clear()
        async with asyncio.timeout(ANSWER_WITHIN_S):
            await self._news.wait()
        return time.monotonic(), self._values["sent"], self._values.get("received", 0)


async def _measure(
    going: Halls, *, nodes: int, levels: tuple[int, ...], seconds: float, pauses: int, say: Say
) -> list[Figure]:
    counters, figures = _Counters(going.port), list[Figure]()
    main, eyes = going.client(LEADER), {hall: Eye() for hall in going.real}
    async with asyncio.TaskGroup() as group:
        beside = [group.create_task(counters.run())]
        beside += [group.create_task(going.client(hall).panel(eye.panel)) for hall, eye in eyes.items()]
        for hall in going.real:
            await asyncio.to_thread(play, going.folder, LEADER, hall)
        model = await _model(going, nodes)
        for level in levels:
            say(f"links.scale: {level} more by the model")
            crowd = Crowd(going.port, level, model)
            talking = group.create_task(crowd.run())
            await _until_connected(crowd, level)
            found = await _Level(going, counters, crowd, main, eyes).figures(level, seconds, pauses)
            talking.cancel()
            figures += found.rows
            if found.broken:
                say(f"links.scale: with {level} {found.broken}")
                break
        for task in beside:
            task.cancel()
    await main.aclose()
    return figures


async def _model(going: Halls, nodes: int) -> Model:
    """The first real hall, with so many tables as this one has."""
    hall = going.real[0]
    client = Client(socket_path(going.folder / hall))
    snapshot, picture = (
        await asyncio.to_thread(_first_tables, client),
        await asyncio.to_thread(client.picture),
    )
    many = [snapshot.nodes[number % len(snapshot.nodes)] for number in range(nodes)]
    return Model(
        leader=LEADER,
        tables=msgspec.json.encode(msgspec.structs.replace(snapshot, nodes=many)),
        health=msgspec.json.encode(picture.health),
        boards=[f"B{number}" for number in range(nodes)],
        have=CopyKeeper(going.folder / hall / COPY_NAME).have,
    )


def _first_tables(client: Client) -> TablesSnapshot:
    """As soon as there are some."""
    for snapshot in watched_tables(client):
        if snapshot.nodes:
            return snapshot
    raise BenchError("The hall has told of no tables.")


async def _until_connected(crowd: Crowd, level: int) -> None:
    async with asyncio.timeout(ANSWER_WITHIN_S):
        while crowd.connected < level:
            if crowd.broken:
                raise BenchError("The broker did not take all connections.")
            await asyncio.sleep(REST_S)


@dataclass
class _Found:
    rows: list[Figure]
    broken: str


@dataclass
class _Level:
    """With a crowd of this size."""

    going: Halls
    counters: _Counters
    crowd: Crowd
    main: AsyncClient
    eyes: dict[str, Eye]

    async def figures(self, level: int, seconds: float, pauses: int) -> _Found:
        await self.counters.next()  # what the connections themselves have cost is over
        self.crowd.answers_ms.clear()
        begun, used = await self.counters.next(), self._used_s()
        await asyncio.sleep(seconds)
        ended = await self.counters.next()
        took_s = ended[0] - begun[0]
        share = {name: (now - used[name]) / took_s for name, now in self._used_s().items()}
        answers_ms = list(self.crowd.answers_ms)
        sent, received = ((ended[n] - begun[n]) / took_s for n in (1, 2))
        took, per_change = await self._pauses(pauses, sent + received)
        rows = [
            _row(level, "sent", "the broker sends in play", "kB/s", [sent / 1_000]),
            _row(level, "received", "the broker receives in play", "kB/s", [received / 1_000]),
            _row(
                level,
                "change",
                "through the broker for one change, such as a pause",
                "kB",
                [per_change / 1_000],
            ),
            _row(level, "answer", "a hall's question for the time to its answer", "ms", answers_ms),
            *(
                _row(level, f"pause.{name}", f"a pause to the {what}", "ms", took[name])
                for name, what in _WHAT.items()
            ),
            *self._needs(level, share),
        ]
        return _Found(rows, self._broken(share, took["model"]))

    def _needs(self, level: int, share: dict[str, float]) -> list[Figure]:
        """Processor and memory, of the real halls those of the first one."""
        first = self.going.real[0]
        rows = []
        for name in ("broker", f"{LEADER} core", f"{LEADER} links", f"{first} core", f"{first} links"):
            mib = memory_kib(self.going.pids[name])["pss"] / KIB
            label = name.replace(first, "hall").replace(LEADER, "leader")
            what = f"of one processor in play: {label}, {mib:.0f} MiB"
            rows.append(_row(level, f"processor.{label.replace(' ', '.')}", what, "%", [100 * share[name]]))
        return rows

    def _broken(self, share: dict[str, float], model_ms: list[float]) -> str:
        """What has no more to give; empty: nothing."""
        full = [f"{name} needs {part:.0%} of a processor" for name, part in share.items() if part > FULL]
        if max(model_ms) > LATE_MS:
            full.append(f"a pause came {max(model_ms):.0f} ms late")
        if self.crowd.broken:
            full.append(f"{self.crowd.broken} connections broke")
        return ", ".join(full)

    def _used_s(self) -> dict[str, float]:
        return {name: processor_ns(pid) / 1e9 for name, pid in self.going.pids.items()}

    async def _pauses(self, pauses: int, play_rate: float) -> tuple[dict[str, list[float]], float]:
        """Milliseconds to the last hall of each kind, and the bytes of one change beyond those of play."""
        took: dict[str, list[float]] = {name: [] for name in _WHAT}
        begun = await self.counters.next()
        for _ in range(pauses):
            for name, took_ms in (await self._change("pause", None, paused=True)).items():
                took[name].append(took_ms)
            await self._change("resume", OVERRIDE, paused=False)
        ended = await self.counters.next()
        more = ended[1] + ended[2] - begun[1] - begun[2] - play_rate * (ended[0] - begun[0])
        return took, max(0.0, more) / (2 * pauses)

    async def _change(self, name: str, body: object, *, paused: bool) -> dict[str, float]:
        await asyncio.sleep(REST_S)
        last = self.crowd.last(b'"paused":true' if paused else b'"paused":false')
        seen = [eye.look_for(paused=paused) for eye in self.eyes.values()]
        begun_s = time.monotonic()
        answer = await self.main.command(name, body, source="bench")
        if not answer.accepted:
            raise BenchError(f"`{name}` was refused: {' '.join(answer.reasons)}")
        async with asyncio.timeout(ANSWER_WITHIN_S):
            lamps_s = max([await one for one in seen])
            return {"model": (await last - begun_s) * 1_000, "lamps": (lamps_s - begun_s) * 1_000}


_WHAT = {"model": "last hall of the model", "lamps": "lamps of the last real hall"}


def _row(level: int, name: str, what: str, unit: str, samples: list[float]) -> Figure:
    return Figure(name=f"links.scale.{level}.{name}", what=what, unit=unit, measured=summary(samples))
