"""A web side in the test's own loop: fake core behind it, real HTTP in front, clocks moved by hand."""

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from msgspec.structs import replace

from pi_controller.selftest.core import CannotRun
from pi_controller.selftest.operator import Operator
from pi_controller.selftest.report import SelfTestReport
from pi_controller.sentence import as_told
from pi_controller.settings.sections import HallSettings, Settings, TableSettings, WebSettings
from pi_controller.web.api.selftest import BeginBody, Run
from pi_controller.web.http.access import Clocks, Tokens
from pi_controller.web.http.connections import Listening, listening
from pi_controller.web.http.guard import FORWARDED_FOR
from pi_controller.web.http.limits import ConnectionLimiter
from pi_controller.web.http.routes import Role
from pi_controller.web.http.static_files import StaticFile, static_file
from pi_controller.web.live.broadcaster import Broadcaster
from pi_controller.web.main import WebSide
from tests.protocol.fake_core import FakeCore

PAGES = {
    "hall.html": '<!doctype html><html lang="en"><title>hall</title>',
    "director.html": "<!doctype html><title>director</title>",
    "moderator.html": "<!doctype html><title>moderator</title>",
    "judge.html": "<!doctype html><title>judge</title>",
    "technician.html": "<!doctype html><title>technician</title>",
    "selftest.html": "<!doctype html><title>self-test</title>",
    "hardware.html": "<!doctype html><title>hardware</title>",
    "phone.html": "<!doctype html><title>phone</title>",
    "sim.html": "<!doctype html><title>sim</title>",
    "login.html": '<!doctype html><html lang="en"><title>login</title>',
    "base.css": "main { color: black }",
    "fonts/face.woff2": "face",
    "notes.md": "of an unknown kind, not served",
}


FINGERPRINT = ":".join(["0A"] * 32)
LOOPBACK = ("127.0.0.1",)


def from_elsewhere(address: str = "192.0.2.7") -> dict[str, str]:
    """Headers of a request that a proxy on this machine hands on for another one."""
    return {FORWARDED_FOR: address}


class HandClock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.boot = 1000.0
        self.wall = 1_700_000_000.0

    def pass_s(self, seconds: float) -> None:
        self.boot += seconds
        self.wall += seconds

    def clocks(self, boot_id: str = "boot-1") -> Clocks:
        return Clocks(boot_s=lambda: self.boot, wall_s=lambda: self.wall, boot_id=boot_id)


class Hall:
    """What a test holds in its hands."""

    def __init__(
        self,
        *,
        folder: Path,
        side: WebSide,
        core: FakeCore,
        tokens: Tokens,
        clock: HandClock,
        listeners: Listening,
    ) -> None:
        self.folder = folder
        self.side = side
        self.core = core
        self.tokens = tokens
        self.clock = clock
        self.listening = listeners.hall.socket
        self.staff_url = listeners.staff_address.on_this_machine()
        self.port = port = self.listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.host = f"127.0.0.1:{port}"
        self.bearer = (folder / "web" / "token").read_text(encoding="ascii").strip()
        self.http: aiohttp.ClientSession

    @property
    def director(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.bearer}"}

    def cookie(self, session: str) -> dict[str, str]:
        """Headers of a page of ours in a browser that has this session."""
        return {"Cookie": f"{self.tokens.cookie}={session}", "Origin": self.url}

    def as_role(self, role: Role = "director", name: str = "") -> dict[str, str]:
        """The same with a new session."""
        return self.cookie(self.tokens.new_session(role, name))

    @property
    def limiter(self) -> ConnectionLimiter:
        return self.side.limiter

    @property
    def feed(self) -> Broadcaster:
        return self.side.broadcasters["picture"]

    @property
    def panels(self) -> Broadcaster:
        return self.side.broadcasters["panel"]

    async def get(self, path: str, **options: Any) -> "Answer":
        return await self.ask("GET", path, **options)

    async def post(self, path: str, body: Any = None, **options: Any) -> "Answer":
        return await self.ask("POST", path, json={} if body is None else body, **options)

    async def ask(self, method: str, path: str, **options: Any) -> "Answer":
        options.setdefault("allow_redirects", False)
        async with self.http.request(method, self.url + path, **options) as answer:
            return Answer(answer.status, answer.headers, await answer.read())

    def socket(self, path: str, **options: Any) -> Any:
        """A WebSocket there, for the length of an `async with`, or until somebody closes it."""
        return self.http.ws_connect(self.url + path, **options)

    async def raw(self, text: bytes) -> bytes:
        """These very bytes on a connection of their own; what came back until it closed."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(text)
        try:
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def core_watched(self, *, simulated: bool = False) -> None:
        """Core is there and its picture has arrived, and that it is simulated."""
        await self.core.watched.wait()
        await until(lambda: self.feed.has_picture and self.side.link.simulated >= simulated)


class Answer:
    def __init__(self, status: int, headers: Any, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def key(self) -> str:
        """That of the sentence that refuses."""
        return str(self.json["reason_keys"][0]["key"])


async def no_selftest(_plan: BeginBody, _operator: Operator, _language: str) -> SelfTestReport:
    """For the tests that are about other things."""
    raise CannotRun(as_told("This hall has no self-test."))


async def until(condition: Any) -> None:
    """Let the loop go on until this holds; the test's deadline ends an endless wait."""
    while not condition():  # noqa: ASYNC110 - it waits for the loop itself, not for time
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def served(
    folder: Path,
    *,
    core_there: bool = True,
    simulated: bool = True,
    clock: HandClock | None = None,
    selftest: Run = no_selftest,
    trusted_proxies: tuple[str, ...] = (),
    languages: tuple[str, ...] = ("en",),
    logo: StaticFile | None = None,
    pages: Path | None = None,
    seat_codes: bool = False,
    two_addresses: bool = False,
    tls: ssl.SSLContext | None = None,
    bound: str = "127.0.0.1",
) -> AsyncIterator[Hall]:
    """A hall that is open for the length of the block. With `trusted_proxies` a test asks `from_elsewhere`."""
    clock, core = clock or HandClock(), FakeCore(folder / "control.sock", simulated=simulated)
    core.picture["languages"] = [tag.replace("-", "_") for tag in languages]
    if core_there:
        await core.start()
    settings = WebSettings(
        staff_port=_free_port() if two_addresses else 0,
        allowed_hosts=("clock.example",),
        wifi_name="Hall; Wi-Fi",
        wifi_password="a:b",  # noqa: S106 - a made-up one
    )
    sockets = contextlib.ExitStack()
    listeners = sockets.enter_context(listening(settings, bound, 0, tls=tls))
    side = WebSide(
        Settings(
            hall=HallSettings(name="Town hall", languages=languages),
            web=replace(settings, trusted_proxies=trusted_proxies),
            tables=TableSettings(seat_codes=seat_codes),
        ),
        folder,
        listeners,
        clocks=clock.clocks(),
        machine="hallbox",
        pages=pages or written_pages(folder / "pages"),
        verifier=static_file(b"# verifier\n", ".py"),
        logo=logo,
        fingerprint=FINGERPRINT,
        validity=None,
        found_simulated=lambda: None,
        run_selftest=selftest,
    )
    hall = Hall(folder=folder, side=side, core=core, tokens=side.tokens, clock=clock, listeners=listeners)
    try:
        async with (
            _running(side, listeners, languages[0]),
            _browser() as hall.http,
        ):
            if core_there:
                await hall.core_watched(simulated=simulated)
            yield hall
    finally:
        sockets.close()
        await side.client.aclose()
        if core.path.exists():
            await core.stop()


@contextlib.asynccontextmanager
async def _browser() -> AsyncIterator[aiohttp.ClientSession]:
    """What asks a hall. The sockets that a test leaves open are let go at its end: later they would be found by the
    garbage collector, in the middle of another test."""
    opened: list[aiohttp.ClientWebSocketResponse] = []

    class Kept(aiohttp.ClientWebSocketResponse):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            opened.append(self)

    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(cookie_jar=jar, ws_response_class=Kept) as session:
        try:
            yield session
        finally:
            for each in opened:
                each._response.close()


@contextlib.asynccontextmanager
async def _running(side: WebSide, listeners: Listening, language: str) -> AsyncIterator[None]:
    runner = web.AppRunner(side.app, shutdown_timeout=1.0)
    await runner.setup()
    tasks = [asyncio.create_task(relay()) for relay in side.relays]
    try:
        async with listeners.served(side.limiter, side.handshakes, runner, language=language):
            yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        await runner.cleanup()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def written_pages(folder: Path) -> Path:
    for name, text in PAGES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder
