"""The asyncio client: its questions, streams and conversations; and the connection that stays: answers find
their questions, a core that goes is told, nothing is sent twice."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.protocol import async_client, messages
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.question import LONGEST_ANSWER, CoreLine, encode
from pi_controller.protocol.tables import TableAction
from pi_controller.sentence import Sentence
from pi_controller.software import known
from tests.patience import DEADLINE_S
from tests.protocol.fake_core import FakeCore, line
from tests.protocol.pictures import picture, typed


def test_each_question_gets_its_answer(core: FakeCore, path: Path) -> None:
    async def ask() -> None:
        async with aclosing(AsyncClient(path)) as client:
            assert await client.picture() == typed()
            assert (await client.command("start")).accepted
            assert (await client.metrics())["clients"] == 2
            assert (await client.tables()).version == 1
            assert (await client.roster()).rows == ()
            core.refuse("Board A1 is there twice.")
            assert (await client.set_roster({"rows": []})).reasons == ["Board A1 is there twice."]
            assert not (await client.table(TableAction(do="stop_enrolment"))).accepted

    asyncio.run(ask())
    asked = ["picture", "command", "metrics", "tables", "roster", "set_roster", "table"]
    assert [request["ask"] for request in core.requests] == asked
    assert core.requests[1]["source"] == "web"
    assert core.requests[-1]["deed"]["do"] == "stop_enrolment"


@pytest.mark.parametrize("stream", ["panel", "watch_tables"])
def test_a_stream_tells_its_news_until_core_refuses(core: FakeCore, path: Path, stream: str) -> None:
    what = {"panel": "panel", "watch_tables": "tables"}[stream]
    core.reply = lambda _: [line({what: {"version": 1}}), line({"id": 1, "error": "gone"})]
    seen: list[dict[str, int]] = []

    with pytest.raises(CoreTrouble, match="gone"):
        asyncio.run(
            getattr(AsyncClient(path), stream)(
                lambda news: seen.append(json.loads(bytes(getattr(news, what))))
            )
        )
    assert seen == [{"version": 1}]


def test_watch_tells_the_picture_and_then_the_news(core: FakeCore, path: Path) -> None:
    core.reply = lambda asked: [*core.usual_reply(asked), line({"picture": picture(seq=8)})]
    seen: list[int] = []

    def tell(news: CoreLine) -> None:
        seen.append(json.loads(bytes(news.picture))["seq"])

    with pytest.raises(NoCore, match="closed the connection before it had answered"):
        asyncio.run(AsyncClient(path).watch(tell))
    assert seen == [7, 8]


def test_a_mistake_of_who_watches_is_not_taken_for_a_core_that_has_gone(core: FakeCore, path: Path) -> None:
    def tell(_news: CoreLine) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(AsyncClient(path).watch(tell))


def test_a_refusal_and_nonsense_end_a_watch_with_a_sentence(core: FakeCore, path: Path) -> None:
    for said, kind, sentence in (
        (b'{"id":1,"error":"no room"}', CoreTrouble, "no room"),
        (b'{"id":1,"malformed":"no such thing"}', Malformed, "no such thing"),
        (b"nonsense", CoreTrouble, "The controller's answer is not understood"),
    ):
        core.reply = lambda _, said=said: [said + b"\n"]
        with pytest.raises(kind, match=sentence):
            asyncio.run(AsyncClient(path).watch(lambda _news: None))


def test_a_core_that_falls_silent_is_gone(path: Path) -> None:
    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(encode(messages.PictureAnswer(id=1, picture=picture(), software=known())))
        await reader.read()  # until the client has had enough
        writer.close()
        await writer.wait_closed()
        closed.set()

    async def watch() -> None:
        async with await asyncio.start_unix_server(answer_once, path):
            with pytest.raises(NoCore, match=r"gave no answer within 0.01 s"):
                await AsyncClient(path, longest_silence_s=0.01).watch(lambda _news: None)
            await closed.wait()

    closed = asyncio.Event()
    asyncio.run(watch())


def test_without_a_core_nobody_answers(path: Path) -> None:
    with pytest.raises(NoCore, match="No controller answers at"):
        asyncio.run(AsyncClient(path).picture())
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind(str(path))
        with pytest.raises(NoCore, match="No controller answers at"):
            asyncio.run(AsyncClient(path).picture())


def test_an_endless_answer_is_refused(core: FakeCore, path: Path) -> None:
    async def asked_once() -> None:
        async with aclosing(AsyncClient(path)) as client:
            await client.picture()

    core.reply = lambda _: [b"x" * (LONGEST_ANSWER + 100) + b"\n"]
    with pytest.raises(CoreTrouble, match="is longer than 1048576 bytes"):
        asyncio.run(asked_once())


def test_a_conversation_has_questions_and_what_is_told_between(core: FakeCore, path: Path) -> None:
    core.reply = lambda asked: [line({"test": {}}), *core.usual_reply(asked)]

    async def talk() -> None:
        async with AsyncClient(path).conversation() as talking:
            assert (await talking.ask(messages.AskPicture())).picture == typed()
            talking.send(messages.AskPicture(id=5))
            lines = talking.lines()
            assert bytes((await anext(lines)).test) == b"{}"
            assert bytes((await anext(lines)).test) == b"{}"
            assert (await anext(lines)).id == 5

    asyncio.run(talk())


def test_a_conversation_that_nobody_reads_ends(
    core: FakeCore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(async_client, "MOST_UNREAD", 2)
    core.reply = lambda _: [line({"test": {}})] * 3

    async def talk() -> None:
        async with AsyncClient(path).conversation() as talking:
            with pytest.raises(CoreTrouble, match="is no longer read"):
                await talking.ask(messages.AskPicture())
            assert [bytes((await anext(talking.lines())).test) for _ in range(2)] == [b"{}", b"{}"]
            with pytest.raises(CoreTrouble, match="is no longer read"):
                await anext(talking.lines())

    asyncio.run(talk())


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


def run(path: Path, test: Callable[[Core, AsyncClient], Awaitable[None]]) -> None:
    async def inside() -> None:
        limit = asyncio.timeout(DEADLINE_S)
        async with limit, core_at(path) as core, aclosing(AsyncClient(path)) as client:
            await test(core, client)

    asyncio.run(inside())


def test_answers_find_their_questions_in_any_order(path: Path) -> None:
    async def test(core: Core, client: AsyncClient) -> None:
        asking = [asyncio.create_task(client.command("pause", key=f"k{n}")) for n in range(3)]
        await core.until(lambda: len(core.heard) == 3)
        for place in (2, 0, 1):
            core.accept(place)
        assert [(await each).seq for each in asking] == [0, 1, 2]
        assert {number for number, _ in core.heard} == {0}, "one connection for all of them"

    run(path, test)


def test_a_command_does_not_wait_behind_questions(path: Path) -> None:
    async def test(core: Core, client: AsyncClient) -> None:
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

    run(path, test)


def test_a_core_that_goes_is_told_to_all_and_nothing_is_sent_twice(path: Path) -> None:
    async def test() -> None:
        async with asyncio.timeout(DEADLINE_S), aclosing(AsyncClient(path)) as client:
            async with core_at(path) as core:
                asking = [asyncio.create_task(client.command("pause", key=key)) for key in ("k1", "k2")]
                await core.until(lambda: len(core.heard) == 2)
            for each in asking:
                with pytest.raises(NoCore, match="closed the connection before it had answered"):
                    await each
            with pytest.raises(NoCore, match="No controller answers at"):
                await client.command("pause", key="k3")
            async with core_at(path) as core:
                again = asyncio.create_task(client.command("pause", key="k1"))
                await core.until(lambda: len(core.heard) == 1)
                core.accept(0)
                assert (await again).accepted
                assert [request["key"] for _, request in core.heard] == ["k1"]

    asyncio.run(test())


def test_a_question_without_an_answer_in_time_hangs_up(path: Path) -> None:
    async def test(core: Core, _client: AsyncClient) -> None:
        async with aclosing(AsyncClient(path, timeout_s=0.05)) as hasty:
            with pytest.raises(NoCore, match=r"gave no answer within 0\.05 s"):
                await hasty.command("pause")
            await core.until(core.writers[0].is_closing)

    run(path, test)


def test_what_is_told_to_the_whole_connection_is_told_to_each(path: Path) -> None:
    async def test(core: Core, client: AsyncClient) -> None:
        asking = asyncio.create_task(client.command("pause"))
        await core.until(lambda: len(core.heard) == 1)
        core.writers[0].write(messages.encode_error(None, Sentence("connection.too_many_unanswered")))
        with pytest.raises(CoreTrouble, match="Too many"):
            await asking

    run(path, test)


def test_an_answer_that_nobody_waits_for_any_more_disturbs_nobody(path: Path) -> None:
    async def test(core: Core, client: AsyncClient) -> None:
        gone = asyncio.create_task(client.command("pause"))
        await core.until(lambda: len(core.heard) == 1)
        gone.cancel()
        await asyncio.wait([gone])
        stays = asyncio.create_task(client.command("resume"))
        await core.until(lambda: len(core.heard) == 2)
        core.accept(0)
        core.accept(1)
        assert (await stays).seq == 1

    run(path, test)
