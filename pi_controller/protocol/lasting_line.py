"""One connection to core that stays: many questions at a time, each answer found by its id."""

import asyncio
import itertools
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from pi_controller.protocol import messages
from pi_controller.protocol.client import why_not
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.lines import Lines
from pi_controller.protocol.messages import Request, RequestId

AnswerT = TypeVar("AnswerT")


class Identified(Struct):
    """Any line, as far as it tells what it belongs to."""

    id: RequestId | None = None


class LastingLine:
    """Connects with the first question, and anew with the first one after core has gone.

    Nothing is ever sent twice: an answer that is lost with its connection is told as NoCore, and whoever asks
    again sends the same idempotency key. A question without an answer in time ends the connection, so that
    core learns that its askers have gone.
    """

    def __init__(self, path: Path, *, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._ids = itertools.count(1)
        self._connecting = asyncio.Lock()
        self._connection: _Connection | None = None

    async def ask(self, request: Request, expected: type[AnswerT]) -> AnswerT:
        """One answer. NoCore, Malformed and CoreTrouble as `AsyncClient` says."""
        request.id = next(self._ids)
        line = messages.encode_request(request)
        try:
            async with asyncio.timeout(self._timeout_s):
                connection = await self._open()
                answer = await connection.ask(request.id, line)
        except TimeoutError as error:
            self.close()
            raise NoCore(
                f"The controller at {self._path} gave no answer within {self._timeout_s:g} s"
            ) from error
        return messages.decode_answer(answer, expected)

    def close(self) -> None:
        """Hang up; the next question connects anew."""
        if self._connection is not None:
            self._connection.close()

    async def _open(self) -> "_Connection":
        if self._connection is not None and self._connection.open:
            return self._connection
        async with self._connecting:
            if self._connection is None or not self._connection.open:
                self._connection = await self._connect()
            return self._connection

    async def _connect(self) -> "_Connection":
        loop = asyncio.get_running_loop()
        try:
            _, connection = await loop.create_unix_connection(
                lambda: _Connection(self._path), str(self._path)
            )
        except OSError as error:
            raise NoCore(why_not(error, self._path)) from error
        return connection


class _Connection(Lines):
    """Its questions that wait for an answer; when it ends, all of them hear why."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._waiting: dict[RequestId, asyncio.Future[bytes]] = {}

    async def ask(self, number: RequestId, line: bytes) -> bytes:
        """The line of answer."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            self._transport.write(line)
            return await answer
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        self.end(NoCore(f"The connection to the controller at {self._path} was given up"))

    def take(self, line: bytes) -> None:
        try:
            number = msgspec.json.decode(line, type=Identified).id
        except msgspec.DecodeError as error:
            self.end(CoreTrouble(f"the controller's answer is not understood: {error}"))
            return
        if number is None:  # not to one question, but to the whole connection
            for waiting in self._waiting.values():
                _settle(waiting, line)
        elif number in self._waiting:
            _settle(self._waiting[number], line)

    def ended(self, why: Exception) -> None:
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(why)
        self._waiting.clear()


def _settle(waiting: "asyncio.Future[bytes]", line: bytes) -> None:
    if not waiting.done():
        waiting.set_result(line)
