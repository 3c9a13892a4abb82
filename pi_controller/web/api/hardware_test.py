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

from pi_controller.protocol import messages, strict_json
from pi_controller.protocol.answers import Line
from pi_controller.protocol.async_client import AsyncClient, Conversation
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import RequestId
from pi_controller.protocol.sentences import SentenceView
from pi_controller.web.http.bodies import Refusal, as_sentence
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
FORGOTTEN = "Nobody has used the hardware test for 15 minutes, so it has ended: begin it again."


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
                access="director",
                summary="WebSocket, both ways: holds the hardware test while open; `?take=1` takes it over",
                answers=(101, 401, 403, 426, 429, 503),
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """Hold the test for this page until it goes, the lease ends or core does."""
        if len(self._open) >= MOST_AT_ONCE:
            raise Refusal(503, "Too many pages ask for the hardware test: close those that nobody needs.")
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S, compress=False, max_msg_size=LONGEST_FROM_PAGE, timeout=0.5
        )
        if not socket.can_prepare(request).ok:
            raise Refusal(426, "This address is a WebSocket: open it with ws://.", {"Upgrade": "websocket"})
        await socket.prepare(request)
        self._open.add(socket)
        try:
            await self._hold(socket, who=_who(request), take=request.query.get("take") == "1")
        except (NoCore, CoreTrouble, Malformed) as problem:
            await _tell(socket, ToPage(ended=as_sentence(str(problem))))
        finally:
            self._open.discard(socket)
            await socket.close()
        return socket

    async def close(self) -> None:
        """Close all sockets, because the web side ends."""
        await asyncio.gather(*(socket.close(code=1001, drain=False) for socket in tuple(self._open)))

    async def _hold(self, socket: web.WebSocketResponse, *, who: str, take: bool) -> None:
        async with self._client.conversation() as core:
            asked = messages.AskTestBegin(who=who, purpose="hardware_test", take=take)
            begun = await core.ask(asked)
            if begun.lease is None:
                reasons = [as_sentence(each) for each in begun.reasons]
                refused = ToPage(held=False, reasons=reasons, reason_keys=begun.reason_keys)
                await _tell(socket, refused)
                return
            fitted = await core.ask(messages.AskProbe(probe={"do": "settings"}))
            await _tell(socket, ToPage(held=True, settings=fitted.result))
            core.send(messages.AskWatchTest(id="watch", lease=begun.lease))
            page = _Page(socket, core, begun.lease)
            await _until_one_ends(page.listen(), page.relay(), page.keep())


class _Page:
    """The page that holds the test, and its line to core."""

    def __init__(self, socket: web.WebSocketResponse, core: Conversation, lease: str) -> None:
        self._socket = socket
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
                wrong = ToPage(id=problem.request_id, error=as_sentence(str(problem)))
                await _tell(self._socket, wrong)

    async def relay(self) -> None:
        """Send answers and news on to the page until the lease ends."""
        async for line in self._core.lines():
            if line.test:
                if (ended := _ended(line.test)) is not None:
                    await _tell(self._socket, ToPage(ended=as_sentence(ended)))
                    return
                await _tell(self._socket, ToPage(test=line.test))
            elif isinstance(line.id, int):
                await _tell(self._socket, _answer(line))

    async def keep(self) -> None:
        """Keep the lease until nobody has used it for too long."""
        clock = asyncio.get_running_loop().time
        while (unused_s := clock() - self._used_at) < IDLE_LIMIT_S:
            await asyncio.sleep(min(KEEP_S, IDLE_LIMIT_S - unused_s))
            self._core.send(messages.AskTestKeep(id="keep", lease=self._lease))
        await _tell(self._socket, ToPage(ended=FORGOTTEN))


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


def _answer(line: Line) -> ToPage:
    trouble = line.trouble()
    if trouble is not None:
        return ToPage(id=line.id, error=as_sentence(str(trouble)))
    return ToPage(id=line.id, result=line.result)


class _Ended(Struct):
    ended: str | None = None


def _ended(test: msgspec.Raw) -> str | None:
    return msgspec.json.decode(test, type=_Ended).ended


async def _tell(socket: web.WebSocketResponse, message: ToPage) -> None:
    with contextlib.suppress(ConnectionResetError):  # the page has just gone
        await socket.send_str(msgspec.json.encode(message).decode())


def _who(request: web.Request) -> str:
    """What core calls the holder of the lease in its sentences, at most 60 characters."""
    return f"the technician's page at {(request.remote or '?')[:32]}"
