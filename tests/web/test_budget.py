"""What a socket that is only told things may send: its budget of bytes and of frames."""

import asyncio
import os
from pathlib import Path

from aiohttp import WSMsgType

from pi_controller.web import audience, door
from pi_controller.web.budget import Budget
from tests.web.hall import HandClock, served, until
from tests.web.test_feed import UPGRADE


def ping() -> bytes:
    return b"\x89\x84" + os.urandom(4) + b"ping"


def test_a_budget_fills_with_time_and_never_beyond_its_size() -> None:
    clock = HandClock()
    budget = Budget(per_s=2, at_once=10, boot_s=clock.clocks().boot_s)
    assert [budget.take(6), budget.take(6), budget.take(4), budget.take(1)] == [True, False, True, False]
    clock.pass_s(1.5)
    assert [budget.take(3), budget.take(1)] == [True, False]
    clock.pass_s(3600)
    assert [budget.take(11), budget.take(10)] == [False, True]


async def test_a_flood_of_pings_is_cut_before_it_is_read(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(UPGRADE.format(host=hall.host).encode())
        await until(lambda: any(each.welcomed for each in hall.feed._listeners))
        (listener,) = hall.feed._listeners
        seen: list[int] = []
        pong = listener.socket.pong
        listener.socket.pong = lambda data: (seen.append(1), pong(data))[1]  # type: ignore[method-assign]
        writer.write(b"".join(ping() for _ in range(2000)))
        await until(lambda: len(hall.feed) == 0)
        assert len(seen) <= door.DEAF_BYTES // len(ping())
        writer.close()
        del reader


async def test_who_pings_too_often_is_told_and_who_pings_now_and_then_stays(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        async with hall.http.ws_connect(hall.url + "/api/feed", autoping=False) as feed:
            await feed.receive_json()
            for _ in range(200):
                await feed.ping(b"there?")
                assert (await feed.receive()).type is WSMsgType.PONG
                hall.clock.pass_s(1.0)
            for _ in range(audience.FRAMES + 1):
                await feed.ping()
            answers = [await feed.receive() for _ in range(audience.FRAMES + 1)]
            assert [each.type for each in answers] == [WSMsgType.PONG] * audience.FRAMES + [WSMsgType.CLOSE]
            assert feed.close_code == 1008
        await until(lambda: len(hall.feed) == 0)
