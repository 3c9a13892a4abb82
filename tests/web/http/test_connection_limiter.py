"""Connections that say nothing, say it slowly, or are too many."""

import asyncio
import socket
import struct
from pathlib import Path
from typing import Any

import pytest

from pi_controller.web.http import bodies, connection_limiter, connections
from pi_controller.web.http.connections import HttpProtocol
from tests.web.hall import LOOPBACK, from_elsewhere, served, until


async def test_a_connection_without_a_whole_request_is_cut_after_10_s(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
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


async def test_open_feeds_are_not_cut(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/feed") as feed:
        await feed.receive_json()
        hall.clock.pass_s(1000)
        hall.limiter.sweep()
        hall.side.sweep()
        hall.core.change(paused=True)
        assert (await feed.receive_json())["paused"] is True


@pytest.mark.parametrize(
    "first", [b"GET / HTTP/1.1\r\nHost: {}\r\n\r\n", b"", b"GET /nowhere HTTP/1.1\r\nHost: {}\r\n\r\n"]
)
async def test_a_further_request_that_drips_in_is_cut_after_10_s(tmp_path: Path, first: bytes) -> None:
    """After a whole first request as before it: the time does not begin again with each byte."""
    async with served(tmp_path) as hall:
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
            assert state.until_s in {before, hall.clock.boot - 1 + connection_limiter.REQUEST_WITHIN_S}
        assert hall.limiter.count == 1
        assert state.until_s == hall.clock.boot + 2
        hall.clock.pass_s(2)
        hall.limiter.sweep()
        assert await gone(reader)
        await until(lambda: hall.limiter.count == 0)
        writer.close()


async def test_a_second_request_sent_with_the_first_is_limited_too(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {hall.host}\r\n\r\nGET / HT".encode())
        await whole_answer(reader)
        (state,) = hall.limiter._connections.values()
        await until(lambda: not state.serving)
        writer.write(b"T")
        await until(lambda: state.heard)
        hall.clock.pass_s(10)
        hall.limiter.sweep()
        assert await gone(reader)
        writer.close()


async def test_who_asks_for_nothing_more_is_cut_after_75_s(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {hall.host}\r\n\r\n".encode())
        await whole_answer(reader)
        (state,) = hall.limiter._connections.values()
        await until(lambda: not state.serving)
        hall.clock.pass_s(74.9)
        hall.limiter.sweep()
        assert hall.limiter.count == 1
        hall.clock.pass_s(0.1)
        hall.limiter.sweep()
        assert await gone(reader)
        writer.close()


async def test_an_answer_that_nobody_takes_is_cut_after_10_s(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
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


async def test_a_body_that_drips_in_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_PATIENCE_S", 0.01)
    async with served(tmp_path) as hall:
        for kind in ("application/json", "application/x-www-form-urlencoded"):
            head = f"POST /login HTTP/1.1\r\nHost: {hall.host}\r\nContent-Type: {kind}\r\nContent-Length: 9\r\n\r\n"
            answer = await hall.raw(head.encode() + b"t")
            assert b" 408 " in answer.splitlines()[0]


async def test_too_many_connections_are_turned_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(tmp_path) as hall:
        monkeypatch.setattr(connection_limiter, "MOST_CONNECTIONS", 2)
        monkeypatch.setattr(connection_limiter, "KEPT_FOR_STAFF", 1)
        monkeypatch.setattr(connection_limiter, "ONE_REQUEST_PLACES", 0)
        first = await asyncio.open_connection("127.0.0.1", hall.port)
        await until(lambda: hall.limiter.count == 1)
        assert not hall.limiter.admit(asyncio.Transport(), "192.0.2.1")
        second = await asyncio.open_connection("127.0.0.1", hall.port)
        await until(lambda: hall.limiter.count == 2)
        third = await asyncio.open_connection("127.0.0.1", hall.port)
        assert await gone(third[0])
        assert hall.limiter.turned_away == 2
        for _, writer in (first, second, third):
            writer.close()
        await until(lambda: hall.limiter.count == 0)


async def test_for_who_is_turned_away_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[HttpProtocol] = []

    def make(*given: Any, **named: Any) -> HttpProtocol:
        made.append(HttpProtocol(*given, **named))
        return made[-1]

    async with served(tmp_path) as hall:
        monkeypatch.setattr(connection_limiter, "MOST_CONNECTIONS", 1)
        monkeypatch.setattr(connections, "HttpProtocol", make)
        first = await asyncio.open_connection("127.0.0.1", hall.port)
        await until(lambda: hall.limiter.count == 1)
        second = await asyncio.open_connection("127.0.0.1", hall.port)
        assert await gone(second[0])
        assert (hall.limiter.turned_away, len(made)) == (1, 1)
        for _, writer in (first, second):
            writer.close()
        await until(lambda: hall.limiter.count == 0)


async def test_strangers_never_take_the_places_of_those_who_are_logged_in(tmp_path: Path) -> None:
    """Two addresses fill what they can get; the director, seen before at an address of the network, gets in."""
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        session = hall.tokens.new_session()
        cookie = {"Cookie": f"{hall.tokens.cookie}={session}", "Origin": hall.url}
        there = from_elsewhere("192.0.2.9")
        assert (await hall.get("/director", headers=cookie | there)).status == 200
        for number in range(2 * 1024):
            hall.limiter.admit(asyncio.Transport(), f"198.51.100.{number % 2}")
        assert hall.limiter.count == 1024 - 64 - 32
        for number in range(2 * 1024):
            hall.limiter.admit(asyncio.Transport(), f"203.0.113.{number % 256}")
        assert hall.limiter.count == 1024 - 64
        assert not hall.limiter.admit(asyncio.Transport(), "192.0.2.10")
        assert hall.limiter.admit(asyncio.Transport(), "192.0.2.9")
        assert hall.limiter.admit(asyncio.Transport(), "127.0.0.1")
        assert (await hall.post("/api/logout", headers=cookie | there)).status == 200
        assert not hall.limiter.admit(asyncio.Transport(), "192.0.2.9")


async def test_whoever_logs_in_while_all_places_are_taken_is_let_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request at a time, each soon; a log-in makes it a place like any other."""
    monkeypatch.setattr(connection_limiter, "is_loopback", lambda _address: False)
    monkeypatch.setattr(connection_limiter, "MOST_CONNECTIONS", 1 + connection_limiter.KEPT_FOR_STAFF)
    monkeypatch.setattr(connection_limiter, "ONE_REQUEST_PLACES", 1)
    async with served(tmp_path) as hall:
        silent = await asyncio.open_connection("127.0.0.1", hall.port)
        await until(lambda: hall.limiter.count == 1)
        hall.clock.pass_s(1.9)
        hall.limiter.sweep()
        assert hall.limiter.count == 1
        hall.clock.pass_s(0.1)
        hall.limiter.sweep()
        assert await gone(silent[0])
        silent[1].close()
        ask = f"GET / HTTP/1.1\r\nHost: {hall.host}\r\n"
        assert b"Connection: close" in await hall.raw(f"{ask}\r\n".encode())
        upgrade = f"GET /api/feed HTTP/1.1\r\nHost: {hall.host}\r\n\r\n".encode()
        assert b" 503 " in (await hall.raw(upgrade)).splitlines()[0]
        await until(lambda: hall.limiter.count == 0)
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(f"{ask}Authorization: Bearer {hall.bearer}\r\n\r\n".encode())
        assert b"Connection: close" not in await whole_answer(reader)
        assert not next(iter(hall.limiter._connections.values())).for_one_request
        writer.close()


async def test_one_address_never_takes_every_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_limiter, "MOST_PER_ADDRESS", 1)
    async with served(tmp_path) as hall:
        transport = asyncio.Transport()
        assert hall.limiter.admit(transport, "192.0.2.1")
        assert not hall.limiter.admit(asyncio.Transport(), "192.0.2.1")
        assert hall.limiter.admit(asyncio.Transport(), "192.0.2.2")
        hall.limiter.remove(transport)
        assert hall.limiter.admit(transport, "192.0.2.1")


async def test_a_connection_on_which_nothing_is_asked_makes_room_for_another_of_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limiter, "is_loopback", lambda _address: False)
    monkeypatch.setattr(connection_limiter, "MOST_PER_ADDRESS", 1)
    async with served(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {hall.host}\r\n\r\n".encode())
        await whole_answer(reader)
        (state,) = hall.limiter._connections.values()
        await until(lambda: not state.serving)
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
    assert not hall.limiter._idle


@pytest.fixture
def longest_line() -> int:
    return min(1024, int(Path("/proc/sys/net/core/somaxconn").read_text()))


async def test_so_many_may_wait_in_line_as_is_said(tmp_path: Path, longest_line: int) -> None:
    """As the kernel has it (struct tcp_info of a listening socket: tcpi_sacked), not as it was asked for."""
    async with served(tmp_path) as hall:
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
