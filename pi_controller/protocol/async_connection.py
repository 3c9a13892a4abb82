"""Connections of an asyncio program to core: each answer goes to its question, other lines to who listens."""

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from pi_controller.protocol import messages, refusal
from pi_controller.protocol.answer_types import RequestId
from pi_controller.protocol.answers import (
    Line,
    hung_up,
    is_away,
    no_answer,
    read_as,
    read_line,
    too_long,
    unreachable,
)
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.lines import encode_request
from pi_controller.protocol.messages import Question
from pi_controller.protocol.transport import Buffered, read_buffer
from pi_controller.sentence import Sentence

AnswerT = TypeVar("AnswerT")


class Connection(Buffered):
    """One connection to core. Each answer goes to its question, found by its id; every other line goes to
    `tell`, in the very turn of the loop in which it comes. An exception of `tell` ends it."""

    def __init__(self, path: Path, tell: Callable[[Line], None]) -> None:
        super().__init__(read_buffer())
        self._path = path
        self._tell = tell
        self._rest = b""
        self._waiting: dict[RequestId, asyncio.Future[bytes]] = {}
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self.open = False
        self.heard_s: float | None = None
        """When the newest line came, by the loop's clock."""
        self.over: asyncio.Future[Exception] = self._loop.create_future()
        """Gets the reason why nothing comes any more: NoCore, CoreTrouble, or what `tell` raised."""

    def send(self, line: bytes) -> None:
        self._transport.write(line)

    async def ask(self, request: Question[AnswerT]) -> AnswerT:
        """One answer. What ended the connection, Malformed and CoreTrouble."""
        line = encode_request(request)
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[request.id] = answer
        try:
            self.send(line)
            return read_as(await answer, messages.answer_type(request))
        finally:
            self._waiting.pop(request.id, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.open = True

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if max(map(len, [*lines, self._rest])) >= messages.LONGEST_ANSWER:
            self.end(too_long())
            return
        try:
            for line in lines:
                if self.open:
                    self._take(line)
        except (CoreTrouble, Malformed) as why:
            self.end(why)

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None:
            self.end(hung_up(self._path))
        else:
            self.end(unreachable(exc, self._path) if isinstance(exc, OSError) else exc)

    def end(self, why: Exception) -> None:
        """Hang up, for this reason, which all hear who wait."""
        if not self.open:
            return
        self.open = False
        self._transport.abort()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(why)
        self._waiting.clear()
        self.over.set_result(why)

    def close(self) -> None:
        self.end(NoCore(Sentence("core.given_up", path=str(self._path))))

    def _take(self, raw: bytes) -> None:
        self.heard_s = self._loop.time()
        line = read_line(raw)
        waiting = self._waiting.get(line.id) if line.id is not None else None
        if waiting is not None:
            _settle(waiting, raw, line)
        elif line.id is None and line.trouble() is not None and self._waiting:
            for each in self._waiting.values():  # not to one question, but to the whole connection
                _settle(each, raw, line)
        else:
            self._tell(line)


class LastingConnection:
    """Connects with the first question, and anew with the first one after core has gone.

    Nothing is ever sent twice: an answer that is lost with its connection is told as NoCore, and whoever asks
    again sends the same idempotency key. A question without an answer in time ends the connection, so that
    core learns that its askers have gone.
    """

    def __init__(self, path: Path, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._ids = itertools.count(1)
        self._connecting = asyncio.Lock()
        self._connection: Connection | None = None

    async def ask(self, request: Question[AnswerT]) -> AnswerT:
        """One answer. NoCore, Malformed and CoreTrouble as `AsyncClient` says."""
        request.id = next(self._ids)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await (await self._opened()).ask(request)
        except TimeoutError as error:
            self.close()
            raise no_answer(self._path, self._timeout_s) from error

    def close(self) -> None:
        """Hang up; the next question connects anew."""
        if self._connection is not None:
            self._connection.close()

    async def _opened(self) -> Connection:
        if self._connection is not None and self._connection.open:
            return self._connection
        async with self._connecting:
            if self._connection is None or not self._connection.open:
                self._connection = await connect(self._path, _ignore, self._timeout_s)
            return self._connection


async def connect(path: Path, tell: Callable[[Line], None], within_s: float) -> Connection:
    """Raises NoCore when nobody listens, or lets nobody in."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(within_s):
            _, connection = await loop.create_unix_connection(lambda: Connection(path, tell), str(path))
    except OSError as error:  # TimeoutError is one
        refused = await refusal.look(path.parent) if is_away(error) else None
        raise unreachable(error, path, refused) from error
    return connection


def _settle(waiting: "asyncio.Future[bytes]", raw: bytes, line: Line) -> None:
    if waiting.done():
        return
    trouble = line.trouble()
    if trouble is None:
        waiting.set_result(raw)
    else:
        waiting.set_exception(trouble)


def _ignore(_line: Line) -> None:
    """An answer that nobody waits for any more disturbs nobody."""
