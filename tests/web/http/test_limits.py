"""What one client may take: connections that say nothing, say it slowly or are too many; guests wait for each other."""

import asyncio
import os
import socket
import struct
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType

from pi_controller.web.http import connections, limits, routes
from pi_controller.web.http.connections import HttpProtocol
from pi_controller.web.http.limits import (
    AT_A_TIME,
    MOST_PER_KEY,
    ONE_PAGES,
    CachedCall,
    ConnectionLimiter,
    GuessLimit,
    RequestQueue,
    TokenBucket,
)
from pi_controller.web.live import broadcaster
from pi_controller.web.live.core_link import METRICS_LAST_S, PICTURE_LASTS_S
from tests.web.hall import LOOPBACK, Hall, HandClock, from_elsewhere, served, until
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


async def test_a_flood_of_pings_is_cut_before_it_is_read(hall: Hall) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
    writer.write(UPGRADE.format(host=hall.host).encode())
    await until(lambda: any(each.ready for each in hall.feed._listeners))
    (listener,) = hall.feed._listeners
    seen: list[int] = []
    pong = listener.socket.pong
    listener.socket.pong = lambda data: (seen.append(1), pong(data))[1]  # type: ignore[method-assign]
    writer.write(b"".join(ping() for _ in range(2000)))
    await until(lambda: len(hall.feed) == 0)
    assert len(seen) <= limits.INPUT_BYTES // len(ping())
    writer.close()
    del reader


async def test_who_pings_too_often_is_told_and_who_pings_now_and_then_stays(hall: Hall) -> None:
    async with hall.socket("/api/feed", autoping=False) as feed:
        await feed.receive_json()
        for _ in range(200):
            await feed.ping(b"there?")
            assert (await feed.receive()).type is WSMsgType.PONG
            hall.clock.pass_s(1.0)
        for _ in range(broadcaster.FRAMES + 1):
            await feed.ping()
        answers = [await feed.receive() for _ in range(broadcaster.FRAMES + 1)]
        assert [each.type for each in answers] == [WSMsgType.PONG] * broadcaster.FRAMES + [WSMsgType.CLOSE]
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


async def test_the_director_passes_by_a_thousand_guests(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """All come from this machine here, so who is a guest is told by the port."""
    guests: set[int] = set()

    received = ConnectionLimiter.received

    def goes_first(limiter: ConnectionLimiter, transport: asyncio.BaseTransport) -> bool:
        received(limiter, transport)
        return transport.get_extra_info("peername")[1] not in guests

    monkeypatch.setattr(ConnectionLimiter, "received", goes_first)
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


async def test_a_connection_without_a_whole_request_is_cut_after_10_s(hall: Hall) -> None:
    silent = await asyncio.open_connection("127.0.0.1", hall.port)
    dripping = await asyncio.open_connection("127.0.0.1", hall.port)
    dripping[1].write(b"GET / HTTP/1.1\r\nHost: ")
    await until(lambda: hall.limiter.count == 2)
    hall.clock.pass_s(9.9)
    hall.limiter.sweep()
    assert hall.limiter.count == 2
    hall.clock.pass_s(0.1)
    hall.limiter.sweep()
    for reader, writer in (silent, dripping):
        assert await gone(reader)
        writer.close()
    await until(lambda: hall.limiter.count == 0)


async def test_open_feeds_are_not_cut(hall: Hall) -> None:
    async with hall.socket("/api/feed") as feed:
        await feed.receive_json()
        hall.clock.pass_s(1000)
        hall.limiter.sweep()
        hall.side.sweep()
        hall.core.change(paused=True)
        assert (await feed.receive_json())["paused"] is True


@pytest.mark.parametrize(
    "first", [b"GET / HTTP/1.1\r\nHost: {}\r\n\r\n", b"", b"GET /nowhere HTTP/1.1\r\nHost: {}\r\n\r\n"]
)
async def test_a_further_request_that_drips_in_is_cut_after_10_s(hall: Hall, first: bytes) -> None:
    """After a whole first request as before it: the time does not begin again with each byte."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
    await until(lambda: hall.limiter.count == 1)
    (state,) = hall.limiter._connections.values()
    if first:
        writer.write(first.replace(b"{}", hall.host.encode()))
        await whole_answer(reader)
        await until(lambda: not state.serving)
    for byte in b"GET / HT":
        before = state.until_s
        writer.write(bytes([byte]))
        await until(lambda: state.heard)
        hall.clock.pass_s(1)
        hall.limiter.sweep()
        assert state.until_s in {before, hall.clock.boot - 1 + limits.REQUEST_WITHIN_S}
    assert hall.limiter.count == 1
    assert state.until_s == hall.clock.boot + 2
    hall.clock.pass_s(2)
    hall.limiter.sweep()
    assert await gone(reader)
    await until(lambda: hall.limiter.count == 0)
    writer.close()


async def answered(hall: Hall, more: str = "") -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Any]:
    """A connection with one whole answer, and what is kept of it; `more` was sent with the request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
    writer.write(f"GET / HTTP/1.1\r\nHost: {hall.host}\r\n\r\n{more}".encode())
    await whole_answer(reader)
    (state,) = hall.limiter._connections.values()
    await until(lambda: not state.serving)
    return reader, writer, state


async def test_a_second_request_sent_with_the_first_is_limited_too(hall: Hall) -> None:
    reader, writer, state = await answered(hall, "GET / HT")
    writer.write(b"T")
    await until(lambda: state.heard)
    hall.clock.pass_s(10)
    hall.limiter.sweep()
    assert await gone(reader)
    writer.close()


async def test_who_asks_for_nothing_more_is_cut_after_75_s(hall: Hall) -> None:
    reader, writer, _ = await answered(hall)
    hall.clock.pass_s(74.9)
    hall.limiter.sweep()
    assert hall.limiter.count == 1
    hall.clock.pass_s(0.1)
    hall.limiter.sweep()
    assert await gone(reader)
    writer.close()


async def test_an_answer_that_nobody_takes_is_cut_after_10_s(hall: Hall) -> None:
    deaf = socket.create_connection(("127.0.0.1", hall.port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    ask = f"GET /static/fonts/face.woff2 HTTP/1.1\r\nHost: {hall.host}\r\n\r\n".encode()
    await until(lambda: hall.limiter.count == 1)
    ((transport, state),) = hall.limiter._connections.items()
    assert isinstance(transport, asyncio.Transport)
    deaf.sendall(ask)
    await until(lambda: state.answered_s is not None)
    while not transport.get_write_buffer_size():
        transport.write(bytes(1 << 16))
    hall.clock.pass_s(9.9)
    hall.limiter.sweep()
    assert hall.limiter.count == 1
    hall.clock.pass_s(0.1)
    hall.limiter.sweep()
    await until(lambda: hall.limiter.count == 0)
    deaf.close()


async def test_a_body_that_drips_in_is_given_up(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "BODY_PATIENCE_S", 0.01)
    for kind in ("application/json", "application/x-www-form-urlencoded"):
        head = (
            f"POST /login HTTP/1.1\r\nHost: {hall.host}\r\nContent-Type: {kind}\r\nContent-Length: 9\r\n\r\n"
        )
        answer = await hall.raw(head.encode() + b"t")
        assert b" 408 " in answer.splitlines()[0]


class Silent(asyncio.Transport):
    """A connection that says nothing; cut, it is gone."""

    def __init__(self, limiter: ConnectionLimiter) -> None:
        super().__init__()
        self.limiter = limiter
        self.cut = False

    def abort(self) -> None:
        self.cut = True
        self.limiter.remove(self)

    def get_write_buffer_size(self) -> int:
        return 0


def crowd(hall: Hall, address: str, count: int) -> list[Silent]:
    """So many connections from this address; those that found a place."""
    came = [Silent(hall.limiter) for _ in range(count)]
    return [each for each in came if hall.limiter.admit(each, address)]


async def test_for_who_is_turned_away_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[HttpProtocol] = []

    def make(*given: Any, **named: Any) -> HttpProtocol:
        made.append(HttpProtocol(*given, **named))
        return made[-1]

    monkeypatch.setattr(limits, "is_loopback", lambda _address: False)
    monkeypatch.setattr(limits, "MOST_STRANGERS", 1)
    monkeypatch.setattr(connections, "HttpProtocol", make)
    async with served(tmp_path) as hall:
        first = await asyncio.open_connection("127.0.0.1", hall.port)
        await until(lambda: hall.limiter.count == 1)
        second = await asyncio.open_connection("127.0.0.1", hall.port)
        assert await gone(second[0])
        assert (hall.limiter.turned_away, len(made)) == (1, 1)
        for _, writer in (first, second):
            writer.close()
        await until(lambda: hall.limiter.count == 0)


async def test_who_has_most_gives_way_to_who_has_fewer(hall: Hall) -> None:
    """900 idle connections from two addresses, then newcomers: each finds a place, at the cost of the greediest."""
    there = crowd(hall, "198.51.100.1", 512)
    assert len(there) == 512
    assert len(crowd(hall, "198.51.100.2", 512)) == 480, "the others make room until both have as many"
    assert hall.limiter.count == 960
    assert sum(each.cut for each in there) == 512 - 480
    for number in range(40):
        assert len(crowd(hall, f"192.0.2.{number}", 3)) == 3
    assert hall.limiter.count == 960


async def test_of_the_greediest_address_those_give_way_on_which_nothing_is_asked(hall: Hall) -> None:
    old = crowd(hall, "198.51.100.1", 500)
    hall.clock.pass_s(1)
    young = crowd(hall, "198.51.100.1", 12)
    crowd(hall, "198.51.100.2", 448)
    for each in old[1:]:
        hall.limiter._places.rests(each, rests=False)
    (newcomer,) = crowd(hall, "192.0.2.1", 1)
    assert [each.cut for each in (*old[:2], *young, newcomer)] == [True, *[False] * 14]


async def test_where_all_have_as_many_the_quiet_make_room(hall: Hall) -> None:
    first = [crowd(hall, f"198.51.{number // 250}.{number % 250}", 1)[0] for number in range(960)]
    assert crowd(hall, "192.0.2.1", 1) == [], "nobody was there for a second yet"
    hall.clock.pass_s(1)
    assert len(crowd(hall, "192.0.2.1", 100)) == ONE_PAGES, "what one page needs, and no more"
    assert sum(each.cut for each in first) == ONE_PAGES


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_strangers_never_take_the_places_of_those_who_are_logged_in(hall: Hall) -> None:
    """A stranger at each of 960 addresses; the director, seen before at an address of the network, gets in."""
    session = hall.tokens.new_session()
    cookie = hall.cookie(session)
    there = from_elsewhere("192.0.2.9")
    assert (await hall.get("/director", headers=cookie | there)).status == 200
    for number in range(960):
        crowd(hall, f"203.0.{number // 250}.{number % 250}", 1)
    assert crowd(hall, "192.0.2.10", 1) == []
    assert len(crowd(hall, "192.0.2.9", 40)) == MOST_PER_KEY
    assert len(crowd(hall, "::ffff:192.0.2.9", 1)) == 0, "however its address is written it is the same"
    assert len(crowd(hall, "127.0.0.1", 1)) == 1
    assert (await hall.post("/api/logout", headers=cookie | there)).status == 200
    assert crowd(hall, "192.0.2.9", 1) == []


async def test_a_request_that_shows_a_key_takes_no_place_of_strangers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "is_loopback", lambda _address: False)
    monkeypatch.setattr(limits, "MOST_STRANGERS", 1)
    async with served(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        ask = f"GET / HTTP/1.1\r\nHost: {hall.host}\r\n"
        writer.write(f"{ask}Authorization: Bearer {hall.bearer}\r\n\r\n".encode())
        await whole_answer(reader)
        assert len(crowd(hall, "192.0.2.1", 1)) == 1
        writer.write(f"{ask}\r\n".encode())
        assert b"200 OK" in await whole_answer(reader)
        writer.close()


async def test_one_address_never_takes_every_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_PER_ADDRESS", 1)
    async with served(tmp_path) as hall:
        (first,) = crowd(hall, "192.0.2.1", 1)
        assert crowd(hall, "192.0.2.1", 1) == []
        assert len(crowd(hall, "192.0.2.2", 1)) == 1
        first.abort()
        assert len(crowd(hall, "192.0.2.1", 1)) == 1


async def test_a_connection_on_which_nothing_is_asked_makes_room_for_another_of_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "is_loopback", lambda _address: False)
    monkeypatch.setattr(limits, "MOST_PER_ADDRESS", 1)
    async with served(tmp_path) as hall:
        reader, writer, _ = await answered(hall)
        early = await asyncio.open_connection("127.0.0.1", hall.port)
        assert await gone(early[0]), "the answer may be on its way still"
        hall.clock.pass_s(1)
        assert b"200 OK" in await hall.raw(
            f"GET / HTTP/1.1\r\nHost: {hall.host}\r\nConnection: close\r\n\r\n".encode()
        )
        assert await gone(reader)
        for each in (writer, early[1]):
            each.close()
        await until(lambda: hall.limiter.count == 0)


@pytest.fixture
def longest_line() -> int:
    return min(1024, int(Path("/proc/sys/net/core/somaxconn").read_text()))


async def test_so_many_may_wait_in_line_as_is_said(hall: Hall, longest_line: int) -> None:
    """As the kernel has it (struct tcp_info of a listening socket: tcpi_sacked), not as it was asked for."""
    info = hall.listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    assert struct.unpack_from("I", info, 28)[0] == longest_line


async def whole_answer(reader: asyncio.StreamReader) -> bytes:
    """Head and body of the next answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = (int(line[15:]) for line in head.splitlines() if line.startswith(b"Content-Length:"))
    return head + await reader.readexactly(length)


async def gone(reader: asyncio.StreamReader) -> bool:
    """Whether the other end closed without a word; how politely is the kernel's choice."""
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True


async def test_a_hundred_who_want_figures_ask_core_once_a_second(hall: Hall) -> None:
    for round_number in range(1, 4):
        answers = await asyncio.gather(*(hall.get("/metrics") for _ in range(100)))
        assert {answer.status for answer in answers} == {200}
        assert len(hall.core.asked("metrics")) == round_number
        hall.clock.pass_s(METRICS_LAST_S)


async def test_a_hundred_who_want_the_picture_ask_core_once_in_its_time(hall: Hall) -> None:
    for round_number in range(1, 4):
        for _ in range(100):
            assert (await hall.get("/api/state")).json == hall.core.picture
        assert hall.core.pictures_asked == round_number
        hall.clock.pass_s(PICTURE_LASTS_S)


async def test_a_change_is_asked_for_at_once(hall: Hall) -> None:
    async with hall.socket("/api/feed") as feed:
        await feed.receive_json()
        await hall.get("/api/state")
        hall.core.change(paused=True)
        await feed.receive_json()
        assert (await hall.get("/api/state")).json["paused"]


async def test_a_failure_is_told_and_not_kept() -> None:
    asked = 0

    async def ask() -> int:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0)
        if asked == 1:
            raise LookupError("not yet")
        return asked

    shared = CachedCall(ask, lasts_s=1.0, boot_s=HandClock().clocks().boot_s)
    failed = await asyncio.gather(*(shared.get() for _ in range(3)), return_exceptions=True)
    assert [str(each) for each in failed] == ["not yet"] * 3
    assert [await shared.get(), await shared.get()] == [2, 2]
    shared.forget()
    assert await shared.get() == 3
