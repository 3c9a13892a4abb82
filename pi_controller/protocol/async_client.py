"""Client of the control socket for an asyncio program."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Never, TypeVar

from pi_controller.hal.names import ContactName, LampName
from pi_controller.protocol import messages
from pi_controller.protocol.client import DEFAULT_TIMEOUT_S, why_not
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.lasting_line import LastingLine
from pi_controller.protocol.messages import ChangeAnswer, CommandAnswer, News, Request
from pi_controller.protocol.sim_deeds import SimDeed
from pi_controller.protocol.tables import TableDeed
from pi_controller.protocol.watch_stream import WatchLine, WatchStream

LONGEST_SILENCE_S = 3.0
"""A beat comes once a second; after three missing ones core counts as gone."""

AnswerT = TypeVar("AnswerT")


class AsyncClient:
    """Two connections that stay, one for commands and one for all other questions, so that no command waits
    behind a reader; each stream has one more while it is watched.

    All methods raise NoCore when nobody answers in time, Malformed and CoreTrouble with core's own sentence.
    """

    def __init__(
        self,
        path: Path,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        longest_silence_s: float = LONGEST_SILENCE_S,
    ) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._longest_silence_s = longest_silence_s
        self._commands = LastingLine(path, timeout_s=timeout_s)
        self._questions = LastingLine(path, timeout_s=timeout_s)

    async def aclose(self) -> None:
        """Hang up on core; the next question connects anew."""
        self._commands.close()
        self._questions.close()
        await asyncio.sleep(0)  # the transports let go of their sockets in the loop's next turn

    async def picture(self) -> dict[str, Any]:
        return (await self.request(messages.AskPicture(), messages.PictureAnswer)).picture

    async def command(
        self, name: str, body: object = None, *, source: str = "web", key: str | None = None
    ) -> CommandAnswer:
        asked = messages.AskCommand(name=name, body=body, source=source, key=key)
        return await self._commands.ask(asked, CommandAnswer)

    async def metrics(self) -> dict[str, float | dict[str, float]]:
        return (await self.request(messages.AskMetrics(), messages.MetricsAnswer)).metrics

    async def sim(
        self, do: SimDeed, contact: ContactName | None = None, *, lamp: LampName | None = None
    ) -> None:
        await self.request(messages.AskSim(do=do, contact=contact, lamp=lamp), messages.DoneAnswer)

    async def sim_fact(self, name: str, value: object) -> None:
        """Let the simulated computer say this from now on."""
        await self.request(messages.AskSim(do="fact", name=name, value=value), messages.DoneAnswer)

    async def tables(self) -> dict[str, Any]:
        """The table nodes, as `control.tables.TablesSnapshot`."""
        return (await self.request(messages.AskTables(), messages.TablesAnswer)).tables

    async def roster(self) -> dict[str, Any]:
        return (await self.request(messages.AskRoster(), messages.RosterAnswer)).roster

    async def set_roster(self, roster: Any) -> ChangeAnswer:
        return await self.request(messages.AskSetRoster(roster=roster), ChangeAnswer)

    async def table(self, deed: TableDeed) -> ChangeAnswer:
        return await self.request(messages.AskTable(deed=deed), ChangeAnswer)

    async def pin_guesses(self, wrong: int) -> None:
        """So many wrong PINs came within the last hour."""
        await self.request(messages.AskPinGuesses(wrong=wrong), messages.DoneAnswer)

    async def request(self, request: Request, expected: type[AnswerT]) -> AnswerT:
        """One question that is no command."""
        return await self._questions.ask(request, expected)

    async def watch(self, tell: Callable[[WatchLine], None]) -> Never:
        """Have `tell` called with the picture at once, then with each change and beat, as core wrote them.
        It ends with NoCore, when core is gone or silent, and with whatever `tell` raises."""
        stream, loop = WatchStream(self._path, tell), asyncio.get_running_loop()
        asked_s = loop.time()
        try:
            async with asyncio.timeout(self._timeout_s):
                await loop.create_unix_connection(lambda: stream, str(self._path))
        except OSError as error:
            raise NoCore(why_not(error, self._path)) from error
        try:
            while True:
                limit_s = self._timeout_s if stream.heard_s is None else self._longest_silence_s
                left_s = (stream.heard_s or asked_s) + limit_s - loop.time()
                if left_s <= 0:
                    raise NoCore(self._no_answer(limit_s))
                await asyncio.wait((stream.over,), timeout=left_s)
                if stream.over.done():
                    raise stream.over.result()
        finally:
            stream.close()

    async def panel(self) -> AsyncIterator[dict[str, Any]]:
        """What the simulated panel shows, now and at each change; CoreTrouble when there is none."""
        async with self._asked(messages.AskPanel()) as reader:
            while True:
                news = messages.decode_answer(await self._line(reader, None), News)
                if news.panel is not None:
                    yield news.panel

    async def watch_tables(self) -> AsyncIterator[dict[str, Any]]:
        """The table nodes (`control.tables.TablesSnapshot`) now and at each change; no beats between."""
        async with self._asked(messages.AskWatchTables()) as reader:
            while True:
                news = messages.decode_answer(await self._line(reader, None), News)
                if news.tables is not None:
                    yield news.tables

    def _no_answer(self, within_s: float | None) -> str:
        return f"The controller at {self._path} gave no answer within {within_s:g} s"

    @asynccontextmanager
    async def _asked(self, request: Request) -> AsyncIterator[asyncio.StreamReader]:
        line = messages.encode_request(request)
        try:
            async with asyncio.timeout(self._timeout_s):
                reader, writer = await asyncio.open_unix_connection(self._path, limit=messages.LONGEST_ANSWER)
        except OSError as error:
            raise NoCore(why_not(error, self._path)) from error
        try:
            writer.write(line)
            yield reader
        finally:
            writer.close()

    async def _line(self, reader: asyncio.StreamReader, timeout_s: float | None) -> bytes:
        try:
            async with asyncio.timeout(timeout_s):
                return await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            raise NoCore(f"The controller at {self._path} hung up before it had answered") from error
        except asyncio.LimitOverrunError as error:
            raise CoreTrouble(
                f"the controller's answer is longer than {messages.LONGEST_ANSWER} bytes"
            ) from error
        except TimeoutError as error:
            raise NoCore(self._no_answer(timeout_s)) from error
        except OSError as error:
            raise NoCore(why_not(error, self._path)) from error
