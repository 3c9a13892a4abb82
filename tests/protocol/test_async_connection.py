"""The connection that stays: answers find their questions, a core that goes is told, nothing is sent twice."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.protocol import messages
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.question import encode
from tests.patience import DEADLINE_S


class Core:
    """A core whose answers the test writes. `heard` holds all requests; each connection has its number."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, dict[str, Any]]] = []
        self.writers: list[asyncio.StreamWriter] = []
        self._changed = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(self.writers)
        self.writers.append(writer)
        while line := await reader.readline():
            self.heard.append((number, json.loads(line)))
            self._changed.set()
        self._changed.set()
        writer.close()

    async def until(self, wanted: Callable[[], bool]) -> None:
        while not wanted():
            self._changed.clear()
            await self._changed.wait()

    def say(self, to: int, **fields: Any) -> None:
        self.writers[to].write(json.dumps(fields).encode() + b"\n")

    def accept(self, place: int) -> None:
        """Answer the request heard as the n-th."""
        number, request = self.heard[place]
        self.say(number, id=request["id"], accepted=True, seq=place, reasons=[])


@asynccontextmanager
async def core_at(path: Path) -> AsyncIterator[Core]:
    core = Core()
    server = await asyncio.start_unix_server(core.serve, path)
    try:
        yield core
    finally:
        server.close()
        for writer in core.writers:
            writer.close()
        path.unlink(missing_ok=True)  # noqa: ASYNC240 - Python 3.13 has done it
        await asyncio.sleep(0)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def inside() -> None:
        async with asyncio.timeout(DEADLINE_S):
            await test()

    asyncio.run(inside())


def test_answers_find_their_questions_in_any_order(tmp_path: Path) -> None:
    async def test() -> None:
        async with core_at(tmp_path / "c") as core, aclosing(AsyncClient(tmp_path / "c")) as client:
            asking = [asyncio.create_task(client.command("pause", key=f"k{n}")) for n in range(3)]
            await core.until(lambda: len(core.heard) == 3)
            for place in (2, 0, 1):
                core.accept(place)
            assert [(await each).seq for each in asking] == [0, 1, 2]
            assert {number for number, _ in core.heard} == {0}, "one connection for all of them"

    run(test)


def test_a_command_does_not_wait_behind_questions(tmp_path: Path) -> None:
    async def test() -> None:
        async with core_at(tmp_path / "c") as core, aclosing(AsyncClient(tmp_path / "c")) as client:
            reading = asyncio.create_task(client.metrics())
            await core.until(lambda: len(core.heard) == 1)
            pausing = asyncio.create_task(client.command("pause"))
            await core.until(lambda: len(core.heard) == 2)
            assert core.heard[0][0] != core.heard[1][0]
            core.accept(1)
            assert (await pausing).accepted
            assert not reading.done()
            core.say(core.heard[0][0], id=core.heard[0][1]["id"], metrics={"clients": 1})
            assert await reading == {"clients": 1}

    run(test)


def test_a_core_that_goes_is_told_to_all_and_nothing_is_sent_twice(tmp_path: Path) -> None:
    async def test() -> None:
        path = tmp_path / "c"
        async with aclosing(AsyncClient(path)) as client:
            async with core_at(path) as core:
                asking = [asyncio.create_task(client.command("pause", key=key)) for key in ("k1", "k2")]
                await core.until(lambda: len(core.heard) == 2)
            for each in asking:
                with pytest.raises(NoCore, match="hung up before it had answered"):
                    await each
            with pytest.raises(NoCore, match="No controller answers at"):
                await client.command("pause", key="k3")
            async with core_at(path) as core:
                again = asyncio.create_task(client.command("pause", key="k1"))
                await core.until(lambda: len(core.heard) == 1)
                core.accept(0)
                assert (await again).accepted
                assert [request["key"] for _, request in core.heard] == ["k1"]

    run(test)


def test_a_question_without_an_answer_in_time_hangs_up(tmp_path: Path) -> None:
    async def test() -> None:
        path = tmp_path / "c"
        async with core_at(path) as core, aclosing(AsyncClient(path, timeout_s=0.05)) as client:
            with pytest.raises(NoCore, match=r"gave no answer within 0\.05 s"):
                await client.command("pause")
            await core.until(core.writers[0].is_closing)

    run(test)


def test_what_is_told_to_the_whole_connection_is_told_to_each(tmp_path: Path) -> None:
    async def test() -> None:
        async with core_at(tmp_path / "c") as core, aclosing(AsyncClient(tmp_path / "c")) as client:
            asking = asyncio.create_task(client.command("pause"))
            await core.until(lambda: len(core.heard) == 1)
            core.writers[0].write(encode(messages.ErrorAnswer(id=None, error="too many")))
            with pytest.raises(CoreTrouble, match="too many"):
                await asking

    run(test)


def test_an_answer_that_nobody_waits_for_any_more_disturbs_nobody(tmp_path: Path) -> None:
    async def test() -> None:
        async with core_at(tmp_path / "c") as core, aclosing(AsyncClient(tmp_path / "c")) as client:
            gone = asyncio.create_task(client.command("pause"))
            await core.until(lambda: len(core.heard) == 1)
            gone.cancel()
            await asyncio.wait([gone])
            stays = asyncio.create_task(client.command("resume"))
            await core.until(lambda: len(core.heard) == 2)
            core.accept(0)
            core.accept(1)
            assert (await stays).seq == 1

    run(test)
