"""What strangers do wrong is counted and the log stays short; a mistake in any handler is answered, counted, and keeps
nobody else from an answer."""

import asyncio
import contextlib
import datetime as dt
import errno
import gc
import logging
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.web.api import seats, tables
from pi_controller.web.http.connections import INTERNAL_ERROR
from pi_controller.web.http.limits import LINE_S, Kind
from pi_controller.web.http.own_certificate import make_own
from pi_controller.web.http.routes import PLACE, Route
from pi_controller.web.live import broadcaster, core_link, screens
from pi_controller.web.live.core_link import CoreLink
from tests.soak.attacks import trusting_all
from tests.web.every_route import path_of
from tests.web.hall import Hall, served, until, written_pages
from tests.web.http.test_tls import client_hello, secured, staff_port, trusting

TIMES = 8
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


class Said(logging.Handler):
    """What goes to the log, as a running web process has it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != core_link.__name__:  # of the scripted core, which says nothing by itself
            self.lines += self.format(record).splitlines()


@contextlib.contextmanager
def short_log(most: int) -> Any:
    said, root = Said(), logging.getLogger()
    level = root.level
    root.addHandler(said)
    root.setLevel(logging.INFO)
    try:
        yield said.lines
        gc.collect()  # what nobody has asked about is told when it is collected
    finally:
        root.removeHandler(said)
        root.setLevel(level)
    assert len(said.lines) <= most, "\n".join(said.lines[:60])


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
async def test_a_misdeed_is_counted_and_no_line_of_the_log(
    tmp_path: Path, codes: SeatCodes, *, secure: bool
) -> None:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    context = trusting(tmp_path / "own") if secure else None
    with short_log(1):
        async with served(tmp_path, seat_codes=codes, two_addresses=secure, tls=files.context()) as hall:
            side, before = hall.side.misbehaviour, len(asyncio.all_tasks())
            for name, (misdeed, kind) in MISDEEDS.items():
                counted = dict(side.counted)
                await asyncio.gather(*(commit(misdeed, hall, codes, context) for _ in range(TIMES)))
                await until(lambda: not hall.limiter._connections and len(asyncio.all_tasks()) <= before + 5)
                if kind is not None:
                    assert side.counted[kind] - counted[kind] >= TIMES / 2, (name, side.counted)
            assert side.defects.count == 0
            side.sweep()


async def commit(misdeed: Misdeed, hall: Hall, codes: SeatCodes, context: ssl.SSLContext | None) -> None:
    stranger = Stranger(hall, secure=context is not None)
    await stranger.come(context)
    await misdeed(stranger, codes)
    stranger.go()


async def no_tls(stranger: Stranger) -> None:
    stranger.say("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")


async def half_a_hello(stranger: Stranger) -> None:
    stranger.say(client_hello()[:-1])


async def hello_alone(stranger: Stranger) -> None:
    stranger.say(client_hello())
    await stranger.reader.read(1)


async def nonsense_after_the_hello(stranger: Stranger) -> None:
    stranger.say(client_hello() + b"\x16\x03\x03\x00\x04\xff\xff\xff\xff")
    await stranger.hear_the_end()


async def no_hello(stranger: Stranger) -> None:
    stranger.say(b"\x16\x03\x01\x00\x08" + bytes(8))
    await stranger.hear_the_end()


async def gone_as_the_handshake_ends(stranger: Stranger) -> None:
    """The end of the handshake is there, and nobody for our answer."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = trusting_all().wrap_bio(incoming, outgoing)
    while True:
        try:
            tls.do_handshake()
            break
        except ssl.SSLWantReadError:
            stranger.say(outgoing.read())
            incoming.write(await stranger.reader.read(1 << 16))
    stranger.say(outgoing.read())
    stranger.go()


async def test_no_handshake_is_counted_and_no_line_of_the_log(tmp_path: Path) -> None:
    quiet = (
        no_tls,
        half_a_hello,
        hello_alone,
        nonsense_after_the_hello,
        no_hello,
        gone_as_the_handshake_ends,
    )
    with short_log(1):
        async with secured(tmp_path) as hall:
            side = hall.side.misbehaviour
            for number, misdeed in enumerate(quiet, 1):
                for _ in range(TIMES):
                    stranger = Stranger(hall, secure=True)
                    await stranger.come(None)
                    await misdeed(stranger)
                    with contextlib.suppress(ConnectionError):
                        await stranger.writer.drain()
                    stranger.go()
                await until(lambda number=number: side.counted["handshake"] == number * TIMES)
                assert (side.defects.count, hall.limiter.count) == (0, 0), misdeed
            side.sweep()


async def test_the_log_has_one_line_a_minute_and_the_metrics_all_of_it(hall: Hall) -> None:
    with short_log(3) as said:
        for second in range(121):
            await hall.raw(b"nonsense\r\n\r\n")
            hall.side.misbehaviour.sweep()
            assert len(said) == second // LINE_S + 1
            hall.clock.pass_s(1)
    assert said[1] == "connections that misbehaved: request 60"
    told = (await hall.get("/metrics")).body.decode()
    assert 'pi_controller_web_misbehaviour_total{kind="request"} 121\n' in told
    assert 'pi_controller_web_misbehaviour_total{kind="handshake"} 0\n' in told


async def test_a_fault_of_ours_is_logged_with_its_place_but_not_each_time(
    hall: Hall, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_self: object) -> None:
        raise ValueError("a fault")

    monkeypatch.setattr(CoreLink, "metrics", broken)
    for _ in range(TIMES):
        assert (await hall.get("/metrics")).status == 500
    assert len([record for record in caplog.records if record.exc_info]) == 1
    assert "in broken" in caplog.text
    assert hall.side.misbehaviour.defects.count == TIMES
    hall.clock.pass_s(LINE_S)
    await hall.get("/metrics")
    assert len([record for record in caplog.records if record.exc_info]) == 2


async def test_what_the_library_tells_of_a_request_that_broke_off_is_sorted(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    stranger = Stranger(hall, secure=False)
    await stranger.come(None)
    await until(lambda: hall.limiter._connections)
    (transport,) = hall.limiter._connections
    protocol = transport.get_protocol()._inner  # type: ignore[attr-defined]
    protocol.log_exception("broke off", exc_info=OSError(errno.EHOSTUNREACH, "no way"))
    assert (caplog.records, hall.side.misbehaviour.defects.count) == ([], 0)
    protocol.log_exception("broke off", exc_info=KeyError("x"))
    assert (len(caplog.records), hall.side.misbehaviour.defects.count) == (1, 1)
    stranger.go()


async def test_what_the_loop_tells_is_sorted(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.get_running_loop()
    for problem in (ConnectionResetError(), OSError(errno.EHOSTUNREACH, "no way")):
        loop.call_exception_handler({"message": "never retrieved", "exception": problem})
    for _ in range(TIMES):
        loop.call_exception_handler({"message": "accept", "exception": OSError(errno.EMFILE, "full")})
    assert not caplog.records
    assert hall.side.misbehaviour.counted["no_file"] == TIMES
    loop.call_exception_handler({"message": "never retrieved", "exception": KeyError("x")})
    assert "never retrieved" in caplog.text
    assert hall.side.misbehaviour.defects.count == 1


OPENED = {
    "/api/screen": (screens.Screens, "_listen"),
    "/api/hardware/feed": (tables.HardwareTestApi, "_hold"),
    "/api/seat": (seats.SeatsApi, "_serve"),
}
"""What runs once such a socket is open; for all others `broadcaster._until_gone`."""


async def defects(hall: Hall) -> int:
    lines = (await hall.get("/metrics")).body.decode().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("pi_controller_web_defects "))


async def test_whatever_a_handler_raises_is_answered_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_row: Route, _request: web.Request) -> web.StreamResponse:
        raise LookupError("a defect")

    pages = written_pages(tmp_path / "all pages")
    (pages / "report.html").write_text("<!doctype html><title>report</title>", encoding="utf-8")
    async with served(tmp_path, pages=pages) as hall:
        for count, row in enumerate(hall.side.rows, start=1):
            options: Any = {"json": {}} if row.method == "POST" else {}
            options["headers"] = hall.director | {"Origin": hall.url}
            path = path_of(row).replace("{kind:json|csv|pdf}", "json")
            path = PLACE.sub("20261121-180000-0001", path)
            with monkeypatch.context() as spoilt:
                spoilt.setattr(Route, "serve", broken)
                answer = await hall.ask(row.method, path, **options)
            assert (answer.status, answer.key) == (500, "defect.broken_off_unnamed"), row.path
            assert answer.json["error"]
            assert b"LookupError" not in answer.body, "guests learn nothing of the program"
            assert ("accepted" in answer.json) == (row.path == "/api/commands/{name}")
            assert await defects(hall) == count
            after = await hall.ask(row.method, path, **options)
            assert after.status != 500, (row.path, after.body)


async def test_an_open_socket_is_closed_with_the_sentence(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def raising(*_given: object, **_named: object) -> None:
        raise LookupError("a defect")

    sockets = [row for row in hall.side.rows if row.kind == "socket"]
    count = 0
    for row in sockets:
        if row.pattern == "/api/seat":  # needs a code: below
            continue
        with monkeypatch.context() as broken:
            broken.setattr(*OPENED.get(row.pattern, (broadcaster, "_until_gone")), raising)
            async with hall.socket(path_of(row), headers=hall.director | {"Origin": hall.url}) as socket:
                async for _ in socket:
                    pass
        assert socket.close_code == INTERNAL_ERROR, row.path
        count += 1
        assert await defects(hall) == count


async def test_who_has_gone_while_something_was_sent_to_them_is_nobodys_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """At the end of the web side its sockets are closed, and what they still hear is answered to nobody."""
    gone = aiohttp.ClientConnectionResetError("Cannot write to closing transport")

    async def raising(*_given: object, **_named: object) -> None:
        raise gone

    caplog.set_level(logging.WARNING)
    async with served(tmp_path) as hall:
        with monkeypatch.context() as broken:
            broken.setattr(broadcaster, "_until_gone", raising)
            async with hall.socket("/api/feed") as socket:
                async for _ in socket:
                    pass
        assert await defects(hall) == 0
    assert [record.getMessage() for record in caplog.records] == []
