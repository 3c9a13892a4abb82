"""What a socket that is only told things may send, and guests wait for each other."""

import asyncio
import os
from pathlib import Path

import pytest
from aiohttp import WSMsgType

from pi_controller.web.http import limits
from pi_controller.web.http.limits import AT_A_TIME, ConnectionLimiter, GuessLimit, RequestQueue, TokenBucket
from pi_controller.web.live import broadcaster
from tests.web.hall import HandClock, served, until
from tests.web.live.test_broadcaster import UPGRADE


def ping() -> bytes:
    return b"\x89\x84" + os.urandom(4) + b"ping"


def test_a_bucket_fills_with_time_and_never_beyond_its_size() -> None:
    clock = HandClock()
    bucket = TokenBucket(per_s=2, at_once=10, boot_s=clock.clocks().boot_s)
    assert [bucket.take(6), bucket.take(6), bucket.take(4), bucket.take(1)] == [True, False, True, False]
    clock.pass_s(1.5)
    assert [bucket.take(3), bucket.take(1)] == [True, False]
    clock.pass_s(3600)
    assert [bucket.take(11), bucket.take(10)] == [False, True]


async def test_a_flood_of_pings_is_cut_before_it_is_read(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(UPGRADE.format(host=hall.host).encode())
        await until(lambda: any(each.begun for each in hall.feed._listeners))
        (listener,) = hall.feed._listeners
        seen: list[int] = []
        pong = listener.socket.pong
        listener.socket.pong = lambda data: (seen.append(1), pong(data))[1]  # type: ignore[method-assign]
        writer.write(b"".join(ping() for _ in range(2000)))
        await until(lambda: len(hall.feed) == 0)
        assert len(seen) <= limits.INPUT_BYTES // len(ping())
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
            for _ in range(broadcaster.FRAMES + 1):
                await feed.ping()
            answers = [await feed.receive() for _ in range(broadcaster.FRAMES + 1)]
            assert [each.type for each in answers] == [WSMsgType.PONG] * broadcaster.FRAMES + [
                WSMsgType.CLOSE
            ]
            assert feed.close_code == 1008
        await until(lambda: len(hall.feed) == 0)


async def test_a_guess_whose_sender_has_gone_holds_up_nobody() -> None:
    limit, looked_at = GuessLimit(HandClock().clocks().boot_s), []
    go_on = asyncio.Event()

    async def guess(name: str) -> None:
        async with limit.turn("192.0.2.1"):
            looked_at.append(name)
            await go_on.wait()
        third.cancel()  # when it has its turn and has not begun

    first, second, third, fourth = (asyncio.create_task(guess(name)) for name in "abcd")
    await asyncio.sleep(0)
    second.cancel()
    go_on.set()
    await asyncio.wait((first, second, third, fourth))
    assert (first.done(), second.cancelled(), third.cancelled(), fourth.done()) == (True, True, True, True)
    assert looked_at == ["a", "d"]
    async with limit.turn("192.0.2.2"):
        pass


async def test_a_few_at_a_time_in_the_order_of_coming() -> None:
    queue, served_now = RequestQueue(), []
    for number in range(3 * AT_A_TIME):
        queue.add("192.0.2.1", lambda number=number: served_now.append(number))  # type: ignore[misc]
    assert served_now == []
    for count in range(1, 4):
        await asyncio.sleep(0)
        assert served_now == list(range(count * AT_A_TIME))
    queue.add("192.0.2.1", lambda: served_now.append(-1))
    await asyncio.sleep(0)
    assert served_now[-1] == -1


async def test_one_address_that_asks_a_thousand_times_holds_up_no_other() -> None:
    queue, served_now = RequestQueue(), []
    for number in range(1000):
        queue.add("198.51.100.1", lambda number=number: served_now.append(number))  # type: ignore[misc]
    queue.add("192.0.2.1", lambda: served_now.append(-1))
    queue.add("192.0.2.2", lambda: served_now.append(-2))
    await asyncio.sleep(0)
    assert served_now == [0, -1, -2, 1]
    await asyncio.sleep(0)
    assert served_now[4:] == [2, 3, 4, 5]


async def test_one_request_that_breaks_off_does_not_stop_the_others() -> None:
    queue, served_now, told = RequestQueue(), [], []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))
    queue.add("192.0.2.1", lambda: 1 // len(served_now))
    queue.add("192.0.2.1", lambda: served_now.append(1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (served_now, len(told)) == ([1], 1)


async def test_the_director_passes_by_a_thousand_guests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All come from this machine here, so who is a guest is told by the port."""
    guests: set[int] = set()

    received = ConnectionLimiter.received

    def goes_first(limiter: ConnectionLimiter, transport: asyncio.BaseTransport) -> bool:
        received(limiter, transport)
        return transport.get_extra_info("peername")[1] not in guests

    monkeypatch.setattr(ConnectionLimiter, "received", goes_first)
    async with served(tmp_path) as hall:
        lines = [await asyncio.open_connection("127.0.0.1", hall.port) for _ in range(200)]
        guests |= {writer.get_extra_info("sockname")[1] for _, writer in lines}
        request = f"GET /api/session HTTP/1.1\r\nHost: {hall.host}\r\n\r\n".encode()
        for _, writer in lines:
            writer.write(request)
        answered = [asyncio.create_task(reader.readuntil(b"\r\n\r\n")) for reader, _ in lines]
        assert (await hall.post("/api/commands/pause", headers=hall.director)).status == 200
        assert sum(each.done() for each in answered) < 150
        for each in answered:
            assert b" 200 " in await each
        for _, writer in lines:
            writer.close()
