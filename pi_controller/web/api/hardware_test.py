"""`WS /api/hardware/feed`: the hardware test lasts as long as the page holds this socket open.

The page is told `{"held": true, "settings": …}` or `{"held": false, "reasons": […]}` first. From then on it
sends `{"id": n, "probe": {…}}` and gets `{"id": n, "result": …}` or `{"id": n, "error": sentence}`; between
these come `{"test": …}` and, at last, `{"ended": sentence}`. All of it goes over one connection to core,
whose end ends the lease.
"""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Annotated, Any

import msgspec
from aiohttp import WSMsgType, web
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from pi_controller.language.words import words
from pi_controller.protocol import messages, strict_json
from pi_controller.protocol.answer_types import RequestId
from pi_controller.protocol.answers import Line
from pi_controller.protocol.async_client import AsyncClient, Conversation
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.sentences import SentenceView, told, view
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.routes import Route, socket

HEARTBEAT_S = 10.0
"""A page that answers no ping for half of this is gone, and with it the test."""
KEEP_S = 10.0
"""Core ends a lease that nobody has used for 30 s."""
IDLE_LIMIT_S = 900.0
"""A page that was forgotten must not keep the next game from starting."""
MOST_AT_ONCE = 8
"""One page holds the test; others may be asking for it."""
LONGEST_FROM_PAGE = 4096
FORGOTTEN = Sentence("web.hardware_test_forgotten", minutes=15)


class FromPage(Struct, forbid_unknown_fields=True, kw_only=True):
    """A probe that a page asks for; what may stand in it is core's to say."""

    id: Annotated[int, Meta(ge=1)]
    probe: dict[str, Any]


class ToPage(Struct, kw_only=True):
    """What a page is told; what it does not carry is left out."""

    held: bool | UnsetType = UNSET
    settings: Any = UNSET
    """`protocol.probe_results.Fitted`, as core gives it."""
    reasons: list[str] | UnsetType = UNSET
    reason_keys: list[SentenceView] | UnsetType = UNSET
    id: RequestId | UnsetType | None = UNSET
    error: str | UnsetType = UNSET
    """`reason_keys` go with it, and with `ended`."""
    result: Raw | UnsetType = UNSET
    test: Raw | UnsetType = UNSET
    ended: str | UnsetType = UNSET


class HardwareTestApi:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._open: set[web.WebSocketResponse] = set()

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/hardware/feed",
                handler=self.socket,
                access="technician",
                summary="WebSocket, both ways: holds the hardware test while open; `?take=1` takes it over",
                answers=(101, 401, 403, 426, 429, 503),
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """Hold the test for this page until it goes, the lease ends or core does."""
        if len(self._open) >= MOST_AT_ONCE:
            raise Refusal(503, Sentence("web.too_many_hardware_tests"))
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S, compress=False, max_msg_size=LONGEST_FROM_PAGE, timeout=0.5
        )
        if not socket.can_prepare(request).ok:
            raise Refusal(426, Sentence("web.websocket_only"), {"Upgrade": "websocket"})
        await socket.prepare(request)
        self._open.add(socket)
        language = request[LANGUAGE]
        try:
            await self._hold(
                socket, who=_who(request), take=request.query.get("take") == "1", language=language
            )
        except (NoCore, CoreTrouble, Malformed) as problem:
            await _tell(socket, _over(problem.sentence, language))
        finally:
            self._open.discard(socket)
        await socket.close()
        return socket

    async def close(self) -> None:
        """Close all sockets, because the web side ends."""
        await asyncio.gather(*(socket.close(code=1001, drain=False) for socket in tuple(self._open)))

    async def _hold(self, socket: web.WebSocketResponse, *, who: str, take: bool, language: str) -> None:
        async with self._client.conversation() as core:
            asked = messages.AskTestBegin(who=who, purpose="hardware_test", take=take, lang=language)
            begun = await core.ask(asked)
            if begun.lease is None:
                refused = ToPage(held=False, reasons=begun.reasons, reason_keys=begun.reason_keys)
                await _tell(socket, refused)
                return
            fitted = await core.ask(messages.AskProbe(probe={"do": "settings"}))
            await _tell(socket, ToPage(held=True, settings=fitted.result))
            core.send(messages.AskWatchTest(id="watch", lease=begun.lease))
            page = _Page(socket, core, begun.lease, language)
            await _until_one_ends(page.listen(), page.relay(), page.keep())


class _Page:
    """The page that holds the test, and its line to core."""

    def __init__(self, socket: web.WebSocketResponse, core: Conversation, lease: str, language: str) -> None:
        self._socket = socket
        self._language = language
        self._core = core
        self._lease = lease
        self._used_at = asyncio.get_running_loop().time()

    async def listen(self) -> None:
        """Send its probes on to core until it goes."""
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                continue
            self._used_at = asyncio.get_running_loop().time()
            try:
                asked = _read(message.data)
                self._core.send(messages.AskProbe(id=asked.id, probe=asked.probe, lease=self._lease))
            except Malformed as problem:
                await _tell(self._socket, self._wrong(problem.request_id, problem.sentence))

    async def relay(self) -> None:
        """Send answers and news on to the page until the lease ends."""
        async for line in self._core.lines():
            if line.test:
                if (ended := _ended(line.test)) is not None:
                    await _tell(self._socket, _over(ended, self._language))
                    return
                await _tell(self._socket, ToPage(test=line.test))
            elif isinstance(line.id, int):
                await _tell(self._socket, self._answer(line))

    async def keep(self) -> None:
        """Keep the lease until nobody has used it for too long."""
        clock = asyncio.get_running_loop().time
        while (unused_s := clock() - self._used_at) < IDLE_LIMIT_S:
            await asyncio.sleep(min(KEEP_S, IDLE_LIMIT_S - unused_s))
            self._core.send(messages.AskTestKeep(id="keep", lease=self._lease))
        await _tell(self._socket, _over(FORGOTTEN, self._language))

    def _answer(self, line: Line) -> ToPage:
        trouble = line.trouble()
        if trouble is not None:
            return self._wrong(line.id, trouble.sentence)
        return ToPage(id=line.id, result=line.result)

    def _wrong(self, number: RequestId | None, why: Sentence) -> ToPage:
        return ToPage(id=number, error=words(why, self._language), reason_keys=[view(why)])


async def _until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Run all of them until the first ends, which may raise; the others are cancelled."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    for task in done:
        task.result()


def _read(text: str) -> FromPage:
    """What the page asks for. Malformed, with its number as far as it was readable."""
    value = strict_json.decode(text.encode())
    number = value.get("id") if isinstance(value, dict) else None
    try:
        read: FromPage = strict_json.read_as(value, FromPage)
    except Malformed as problem:
        known = number if isinstance(number, int) else None
        raise Malformed(problem.sentence, request_id=known) from problem
    return read


def _over(why: Sentence, language: str) -> ToPage:
    return ToPage(ended=words(why, language), reason_keys=[view(why)])


class _Ended(Struct):
    ended: str | None = None
    ended_key: SentenceView | None = None


def _ended(test: msgspec.Raw) -> Sentence | None:
    """Why the test is over; None: it goes on."""
    news = msgspec.json.decode(test, type=_Ended)
    return None if news.ended is None else told(news.ended, news.ended_key)


async def _tell(socket: web.WebSocketResponse, message: ToPage) -> None:
    with contextlib.suppress(ConnectionResetError):  # the page has just gone
        await socket.send_str(msgspec.json.encode(message).decode())


def _who(request: web.Request) -> str:
    """What core calls the holder of the lease in its sentences, at most 60 characters."""
    page = Sentence("web.technicians_page", address=(request.remote or "?")[:32])
    return words(page, request[LANGUAGE])[:60]
