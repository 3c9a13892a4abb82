"""The lease of a self-test over one connection to a core that says what the test wants: begun, kept, probed with,
watched, given back."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.bus.values import PingAsked
from pi_controller.protocol.async_client import CoreConnection
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import (
    JOB_DEADLINE_S,
    LONGEST_PIECE,
    BusProbe,
    Buzzed,
    BuzzerProbe,
    DiskProbe,
    LampProbe,
    ProbeDone,
)
from pi_controller.selftest import core as module
from pi_controller.selftest.core import DISK_TIMEOUT_S, CannotRun, CoreUnderTest, DoesNotAnswer
from tests.patience import DEADLINE_S
from tests.protocol.fake_core import FakeCore, fake_core, line

LAMP = LampProbe(lamp="sun", lit=True)


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeCore]:
    with fake_core(socket_path(tmp_path)) as running:
        yield running


@asynccontextmanager
async def begun(folder: Path) -> AsyncIterator[CoreUnderTest]:
    core = CoreUnderTest(folder)
    try:
        await core.begin("Ada")
        yield core
    finally:
        await core.end()


async def until(wanted: Callable[[], bool]) -> None:
    """Let the loop go on until this holds; core has a thread of its own."""
    async with asyncio.timeout(DEADLINE_S):
        while not wanted():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)


def test_a_mistake_beside_the_checks_is_raised_at_the_end(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def spoilt(_core: CoreUnderTest) -> None:
        raise ZeroDivisionError

    async def ask() -> None:
        async with begun(tmp_path) as core:
            await until(core._tasks[0].done)

    monkeypatch.setattr(CoreUnderTest, "keep", spoilt)
    monkeypatch.setattr(module, "KEEP_S", 0)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(ask())
    assert fake.hung_up.wait(DEADLINE_S)


def test_a_test_from_begin_to_end_goes_over_one_connection(fake: FakeCore, tmp_path: Path) -> None:
    fake.probed["buzzer"] = {"result": {"ms": 80}}

    async def ask() -> None:
        async with begun(tmp_path) as core:
            assert await core.probe(LAMP) == ProbeDone()
            assert await core.probe(BuzzerProbe(ms=100)) == Buzzed(ms=80)
            await core.keep()
            assert not fake.hung_up.is_set()
        with pytest.raises(CoreTrouble, match="No test has begun"):
            await core.keep()
        await core.end()

    asyncio.run(ask())
    steps = [asked["ask"] for asked in fake.requests if asked["ask"] != "watch_test"]
    assert steps == ["test_begin", "probe", "probe", "test_keep"]
    assert (fake.requests[0]["who"], fake.requests[0]["purpose"]) == ("Ada", "selftest")
    assert {asked["lease"] for asked in fake.requests[1:]} == {"1ea5e"}
    assert fake.hung_up.wait(DEADLINE_S), "closing hangs up, which is what ends a lease"


def test_a_lease_is_kept_while_nobody_asks(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEEP_S", 0.01)

    async def ask() -> None:
        async with begun(tmp_path):
            await until(lambda: len(fake.asked("test_keep")) > 2)

    asyncio.run(ask())


def test_a_core_that_is_silent_ends_the_test(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> None:
        async with begun(tmp_path) as core:
            fake.reply = lambda _: []
            monkeypatch.setattr(core._connection, "_timeout_s", 0.05)
            with pytest.raises(NoCore, match=r"gave no answer within 0\.05 s"):
                await core.probe(LAMP)
            gone = await asyncio.to_thread(fake.hung_up.wait, DEADLINE_S)
            assert gone, "what was asked may still happen: the lease is given up with the connection"
            with pytest.raises(NoCore):
                await core.probe(LAMP)

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("probe", "longer_s"),
    [(LAMP, 0), (DiskProbe(), DISK_TIMEOUT_S), (BusProbe(job=PingAsked(frames=1)), JOB_DEADLINE_S)],
)
def test_what_takes_long_has_longer(
    fake: FakeCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probe: Any, longer_s: float
) -> None:
    fake.probed["disk"] = fake.probed["bus"] = {"error": "no"}
    waited: list[float] = []
    ask_whole = CoreConnection.ask

    async def noted(connection: CoreConnection, request: Any, *, longer_s: float = 0) -> Any:
        waited.append(longer_s)
        return await ask_whole(connection, request, longer_s=longer_s)

    monkeypatch.setattr(CoreConnection, "ask", noted)

    async def ask() -> None:
        core = CoreUnderTest(tmp_path)
        try:
            await core.probe(probe)
        except DoesNotAnswer:
            assert longer_s > 0
        await core.end()

    asyncio.run(ask())
    assert waited == [longer_s]


def test_a_long_report_goes_in_pieces_and_must_get_a_name(fake: FakeCore, tmp_path: Path) -> None:
    names = iter([None, None, "field.json"])
    fake.reply = lambda asked: [line({"id": asked["id"], "result": {"name": next(names, None)}})]
    text = json.dumps({"a": "ł" * LONGEST_PIECE * 2}, ensure_ascii=False)

    async def ask() -> None:
        core = CoreUnderTest(tmp_path)
        assert await core.keep_report("field", text) == "field.json"
        pieces = [asked["probe"] for asked in fake.requests]
        assert "".join(piece["text"] for piece in pieces) == text
        assert [piece["more"] for piece in pieces] == [True, True, False]
        with pytest.raises(DoesNotAnswer) as found:
            await core.keep_report("field", "{}")
        assert found.value.sentence.key == "core.report_without_name"
        await core.end()

    asyncio.run(ask())


def test_presses_are_heard_while_something_else_is_asked(fake: FakeCore, tmp_path: Path) -> None:
    press = {"uid": "01", "board": "A1", "side": "sun", "at_ms": 7.0, "acknowledged_ms": None}

    def reply(asked: dict[str, Any]) -> list[bytes]:
        news = [line({"test": {"pressed": press}})] if asked["ask"] == "probe" else []
        return news + fake.usual_reply(asked)

    async def ask() -> None:
        async with begun(tmp_path) as core:
            await until(lambda: fake.test_watched)
            assert await core.presses(0.0) == []
            fake.reply = reply
            await core.probe(LAMP)
            await core.probe(LAMP)
            heard = [*await core.presses(DEADLINE_S)]
            while len(heard) < 2:
                heard += await core.presses(DEADLINE_S)
            assert [(one.uid, one.side, one.at_ms) for one in heard] == [("01", "sun", 7.0)] * 2

    asyncio.run(ask())


def test_a_core_that_goes_ends_the_test(fake: FakeCore, tmp_path: Path) -> None:
    async def ask() -> None:
        async with begun(tmp_path) as core:
            await until(lambda: fake.test_watched)
            fake.reply = lambda _: [line({"error": "The controller ends."})]
            with pytest.raises((NoCore, CannotRun)):
                await core.probe(LAMP)

    asyncio.run(ask())
