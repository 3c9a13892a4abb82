"""Scripted ends of control sockets, which tell when something came that was waited for.

What a links process asks a core of gets the shortest answer there is, so that the process itself is measured.
A picture is answered when the last process has brought it: in halls of their own none takes the processor
from another.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

import msgspec

from pi_controller.protocol.errors import RequestId
from pi_controller.protocol.lines import Buffered, read_buffer

BEAT_S = 1.0
ROSTER = {"version": 1, "rows": []}


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


class End(Buffered):
    """One connection; `answers` are by what was asked. Without them nothing is answered."""

    def __init__(
        self, number: int, arrivals: Arrivals, beating: set["End"], answers: dict[str, object] | None
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
        self._beating: set[End] = set()
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

    def _end(self, number: int) -> Callable[[], End]:
        return lambda: End(number, self._arrivals, self._beating, self._answers)

    async def _keep_beating(self) -> None:
        line = b'{"beat":{"version":1,"beat":1,"session":"bench","as_of_ms":1}}\n'
        while True:
            await asyncio.sleep(BEAT_S)
            for end in self._beating:
                end.beat(line)
