import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from pi_controller.protocol import async_client, messages
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.question import LONGEST_ANSWER, CoreLine, encode
from pi_controller.protocol.tables import TableAction
from pi_controller.software import known
from tests.protocol.fake_core import FakeCore, fake_core, line
from tests.protocol.pictures import picture, typed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.sock"


@pytest.fixture
def core(path: Path) -> Iterator[FakeCore]:
    with fake_core(path) as running:
        yield running


def test_each_question_gets_its_answer(core: FakeCore, path: Path) -> None:
    async def ask() -> None:
        async with aclosing(AsyncClient(path)) as client:
            assert await client.picture() == typed()
            assert (await client.command("start")).accepted
            assert (await client.metrics())["clients"] == 2
            await client.sim("tap")

    asyncio.run(ask())
    assert [asked["ask"] for asked in core.requests] == ["picture", "command", "metrics", "sim"]
    assert core.requests[1]["source"] == "web"


def test_tables_and_roster_are_asked_and_changed(core: FakeCore, path: Path) -> None:
    async def ask() -> None:
        async with aclosing(AsyncClient(path)) as client:
            assert (await client.tables()).version == 1
            assert (await client.roster()).rows == ()
            core.refuse("Board A1 is there twice.")
            assert (await client.set_roster({"rows": []})).reasons == ["Board A1 is there twice."]
            assert not (await client.table(TableAction(do="stop_enrolment"))).accepted

    asyncio.run(ask())
    assert [asked["ask"] for asked in core.requests] == ["tables", "roster", "set_roster", "table"]
    assert core.requests[3]["deed"]["do"] == "stop_enrolment"


def test_the_tables_are_watched(core: FakeCore, path: Path) -> None:
    core.reply = lambda _: [line({"tables": {"version": 1}}), line({"id": 1, "error": "gone"})]
    seen: list[dict[str, int]] = []

    with pytest.raises(CoreTrouble, match="gone"):
        asyncio.run(AsyncClient(path).watch_tables(lambda news: seen.append(json.loads(bytes(news.tables)))))
    assert seen == [{"version": 1}]


def test_watch_tells_the_picture_and_then_the_news(core: FakeCore, path: Path) -> None:
    core.reply = lambda asked: [*core.usual_reply(asked), line({"picture": picture(seq=8)})]
    seen: list[int] = []

    def tell(news: CoreLine) -> None:
        seen.append(json.loads(bytes(news.picture))["seq"])

    with pytest.raises(NoCore, match="hung up before it had answered"):
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


def test_the_panel_is_there_only_in_simulation(core: FakeCore, path: Path) -> None:
    core.reply = lambda _: [line({"panel": {"sun": True}}), line({"id": 1, "error": "no simulated panel"})]
    seen: list[dict[str, bool]] = []

    with pytest.raises(CoreTrouble, match="no simulated panel"):
        asyncio.run(AsyncClient(path).panel(lambda news: seen.append(json.loads(bytes(news.panel)))))
    assert seen == [{"sun": True}]


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


def test_without_a_core_one_sentence_says_how_to_start_it(path: Path) -> None:
    with pytest.raises(NoCore, match="No controller answers at"):
        asyncio.run(AsyncClient(path).picture())
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind(str(path))
        with pytest.raises(NoCore, match="No controller answers at"):
            asyncio.run(AsyncClient(path).picture())


def test_an_endless_answer_is_refused(core: FakeCore, path: Path) -> None:
    core.reply = lambda _: [b"x" * (LONGEST_ANSWER + 100) + b"\n"]
    with pytest.raises(CoreTrouble, match="The controller's answer is longer than 1048576 bytes"):
        asyncio.run(asked_once(path))


async def asked_once(path: Path) -> None:
    async with aclosing(AsyncClient(path)) as client:
        await client.picture()


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
            with pytest.raises(CoreTrouble, match="is not read any more"):
                await talking.ask(messages.AskPicture())
            assert [bytes((await anext(talking.lines())).test) for _ in range(2)] == [b"{}", b"{}"]
            with pytest.raises(CoreTrouble, match="is not read any more"):
                await anext(talking.lines())

    asyncio.run(talk())
