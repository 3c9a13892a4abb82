"""What strangers do wrong, each thing many times: it is counted, and the log stays short."""

import asyncio
import contextlib
import datetime as dt
import gc
import logging
import os
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.web.http.misbehaviour import Kind
from pi_controller.web.http.own_certificate import make_own
from tests.web.hall import Hall, served, until
from tests.web.http.test_tls import staff_port, trusting

TIMES = 30
GONE_AT_ONCE = struct.pack("ii", 1, 0)
"""For SO_LINGER: the end is a reset."""
NOW = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)


class Stranger:
    """One connection."""

    def __init__(self, hall: Hall, *, secure: bool) -> None:
        self.port = staff_port(hall) if secure else hall.port
        self.host = f"127.0.0.1:{self.port}"
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def come(self, context: ssl.SSLContext | None) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=context)

    def say(self, text: str | bytes) -> None:
        told = text if isinstance(text, bytes) else text.format(host=self.host).encode()
        self.writer.write(told)

    def ask(self, path: str, *headers: str, method: str = "GET") -> None:
        lines = (f"{method} {path} HTTP/1.1", f"Host: {self.host}", *headers, "", "")
        self.say("\r\n".join(lines).encode())

    def upgrade(self, path: str) -> None:
        self.ask(
            path,
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
        )

    async def head(self) -> None:
        await self.reader.readuntil(b"\r\n\r\n")

    def go(self) -> None:
        """Without a word."""
        own = self.writer.get_extra_info("socket")
        if own is not None and own.fileno() >= 0:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, GONE_AT_ONCE)
        self.writer.transport.abort()

    async def hear_the_end(self) -> None:
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await self.reader.read()


def frame(first: int, payload: bytes, *, masked: bool = True) -> bytes:
    """RFC 6455, 5.2; masked with zeros."""
    return bytes([first, len(payload) | (0x80 if masked else 0)]) + (bytes(4) if masked else b"") + payload


Misdeed = Callable[[Stranger, SeatCodes], Awaitable[None]]


def saying(text: str | bytes) -> Misdeed:
    async def misdeed(stranger: Stranger, _codes: SeatCodes) -> None:
        stranger.say(text)
        await stranger.hear_the_end()

    return misdeed


def gone_after(*paths: str, method: str = "GET", headers: tuple[str, ...] = ()) -> Misdeed:
    async def misdeed(stranger: Stranger, _codes: SeatCodes) -> None:
        for path in paths:
            stranger.ask(path, *headers, method=method)
        await stranger.writer.drain()
        stranger.go()

    return misdeed


def gone_after_upgrade(path: str, *, heard: bool) -> Misdeed:
    async def misdeed(stranger: Stranger, _codes: SeatCodes) -> None:
        stranger.upgrade(path)
        if heard:
            await stranger.head()
        stranger.go()

    return misdeed


def with_frame(path: str, sent: bytes) -> Misdeed:
    async def misdeed(stranger: Stranger, _codes: SeatCodes) -> None:
        stranger.upgrade(path)
        await stranger.head()
        stranger.say(sent)
        await stranger.hear_the_end()

    return misdeed


async def seat_and_gone(stranger: Stranger, codes: SeatCodes) -> None:
    """A claim whose answer finds nobody."""
    stranger.upgrade("/api/seat")
    await stranger.head()
    code = codes.code(SeatAt("A5", "sun"))
    stranger.say(frame(0x81, f'{{"code":"{code}","device":"device-1"}}'.encode()))
    stranger.say(frame(0x81, b'{"claim":"claim-0001"}') * 5)
    await stranger.writer.drain()
    stranger.go()


MISDEEDS: dict[str, tuple[Misdeed, Kind | None]] = {
    "no HTTP": (saying(b"\x00\xff nonsense\r\n\r\n"), "request"),
    "a bad request line": (saying(b"GET\r\n\r\n"), "request"),
    "too long a line": (saying(b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n"), "request"),
    "too large a header": (
        saying("GET / HTTP/1.1\r\nHost: {host}\r\nX: " + "a" * 20_000 + "\r\n\r\n"),
        "request",
    ),
    "a bad header": (saying("GET / HTTP/1.1\r\nHost: {host}\r\nX\x00: \x01\r\n\r\n"), "request"),
    "a bad length": (saying("POST /login HTTP/1.1\r\nHost: {host}\r\nContent-Length: -5\r\n\r\n"), "request"),
    "a bad chunk": (
        saying(
            "POST /login HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nOrigin: http://{host}\r\n"
            "Transfer-Encoding: chunked\r\n\r\nzz\r\n"
        ),
        "request",
    ),
    "gone in the middle of answers": (
        gone_after(*["/api/state", "/metrics", "/director", "/api/openapi.json"] * 5),
        "hang_up",
    ),
    "gone in the middle of a body": (
        gone_after(
            "/login", method="POST", headers=("Content-Type: application/json", "Content-Length: 500")
        ),
        "hang_up",
    ),
    "gone before the feed": (gone_after_upgrade("/api/feed", heard=False), "hang_up"),
    "gone before the phones' feed": (gone_after_upgrade("/api/phone", heard=False), "hang_up"),
    "gone before a seat": (gone_after_upgrade("/api/seat", heard=False), "hang_up"),
    "gone before a screen": (gone_after_upgrade("/api/screen", heard=False), "hang_up"),
    "gone from the feed": (gone_after_upgrade("/api/feed", heard=True), "hang_up"),
    "gone from a seat": (gone_after_upgrade("/api/seat", heard=True), "hang_up"),
    "gone from a screen": (gone_after_upgrade("/api/screen", heard=True), "hang_up"),
    "gone while a claim is asked": (seat_and_gone, "hang_up"),
    "a frame of no kind": (with_frame("/api/feed", frame(0x8B, b"")), "frame"),
    "an unmasked frame": (with_frame("/api/feed", frame(0x81, b"x", masked=False)), None),
    "a reserved bit": (with_frame("/api/feed", frame(0xF1, b"x")), "frame"),
    "no UTF-8": (with_frame("/api/seat", frame(0x81, b"\xff\xfe")), "frame"),
    "too long a ping": (with_frame("/api/feed", b"\x89\xfe\x00\x80" + bytes(132)), "frame"),
    "too long a message": (with_frame("/api/phone", b"\x81\xfe\xff\xff" + bytes(70_000)), "hang_up"),
    "a bad closing frame": (with_frame("/api/screen", frame(0x88, b"\x00")), "frame"),
}


@pytest.fixture
def codes(tmp_path: Path) -> SeatCodes:
    codes = SeatCodes(tmp_path)
    codes.prepare()
    return codes


class Said(logging.Handler):
    """What goes to the log, as a running web process has it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines += self.format(record).splitlines()


@contextlib.contextmanager
def short_log(most: int) -> Any:
    said = Said()
    logging.getLogger().addHandler(said)
    try:
        yield said.lines
        gc.collect()  # what nobody has asked about is told when it is collected
    finally:
        logging.getLogger().removeHandler(said)
    assert len(said.lines) <= most, "\n".join(said.lines[:60])


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("name", MISDEEDS)
async def test_a_misdeed_is_counted_and_no_line_of_the_log(
    tmp_path: Path, codes: SeatCodes, name: str, *, secure: bool
) -> None:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    context = trusting(tmp_path / "own") if secure else None
    misdeed, kind = MISDEEDS[name]
    with short_log(1):
        async with served(tmp_path, seat_codes=codes, two_addresses=secure, tls=files.context()) as hall:
            before = len(asyncio.all_tasks())

            async def once() -> None:
                stranger = Stranger(hall, secure=secure)
                await stranger.come(context)
                await misdeed(stranger, codes)
                stranger.go()

            await asyncio.gather(*(once() for _ in range(TIMES)))
            await until(lambda: not hall.limiter._connections and len(asyncio.all_tasks()) <= before + 5)
            counted = hall.side.misbehaviour.counted
            if kind is not None:
                assert counted[kind] >= TIMES / 2, counted
            assert hall.side.misbehaviour.faults == 0
            hall.side.misbehaviour.sweep()
