"""One connection to core for as long as it is needed: questions, answers, and news between."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from pi_controller.protocol import messages
from pi_controller.protocol.client import DEFAULT_TIMEOUT_S, why_not
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.messages import Request

AnswerT = TypeVar("AnswerT")


class CoreLine(Struct, kw_only=True):
    """Any line of core's, as far as it is told apart here."""

    id: int | str | None = None
    result: msgspec.Raw = msgspec.Raw(b"null")
    malformed: str | None = None
    error: str | None = None
    test: msgspec.Raw = msgspec.Raw()
    """Empty where the line carries none."""


class Conversation:
    """Raises NoCore when core goes, Malformed and CoreTrouble with core's own sentence."""

    def __init__(self, path: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._path = path
        self._reader = reader
        self._writer = writer

    def say(self, request: Request) -> None:
        """Send this; its answer comes among the `lines`."""
        self._writer.write(messages.encode_request(request))

    async def ask(self, request: Request, expected: type[AnswerT]) -> AnswerT:
        """One answer; nothing else may be under way."""
        self.say(request)
        try:
            async with asyncio.timeout(DEFAULT_TIMEOUT_S):
                line = await self._line()
        except TimeoutError as problem:
            raise NoCore(f"The controller at {self._path} gave no answer: look at its log") from problem
        return messages.decode_answer(line, expected)

    async def lines(self) -> AsyncIterator[CoreLine]:
        """Everything that comes, for ever."""
        while True:
            line = await self._line()
            try:
                yield msgspec.json.decode(line, type=CoreLine)
            except msgspec.DecodeError as problem:
                raise CoreTrouble(f"the controller's answer is not understood: {problem}") from problem

    async def _line(self) -> bytes:
        try:
            return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as problem:
            raise NoCore(f"The controller at {self._path} hung up") from problem
        except asyncio.LimitOverrunError as problem:
            longest = messages.LONGEST_ANSWER
            raise CoreTrouble(f"the controller's answer is longer than {longest} bytes") from problem
        except OSError as problem:
            raise NoCore(why_not(problem, self._path)) from problem


@asynccontextmanager
async def conversation(path: Path) -> AsyncIterator[Conversation]:
    """A connection for the length of the block. Raises NoCore when nobody listens."""
    try:
        reader, writer = await asyncio.open_unix_connection(path, limit=messages.LONGEST_ANSWER)
    except OSError as problem:
        raise NoCore(why_not(problem, path)) from problem
    try:
        yield Conversation(path, reader, writer)
    finally:
        writer.close()
