"""Client of the control socket for an asyncio program: follows the picture through restarts of core."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pi_controller.control import protocol
from pi_controller.control.client import DEFAULT_TIMEOUT_S, why_not
from pi_controller.control.errors import CoreTrouble, Malformed, NoCore
from pi_controller.control.picture import Beat
from pi_controller.control.protocol import CommandAnswer, News, Request

LONGEST_SILENCE_S = 3.0
"""A beat comes once a second; after three missing ones core counts as gone."""
FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 2.0

AnswerT = TypeVar("AnswerT")


class Listener(Protocol):
    """Who wants to know. Called on the event loop; must return at once."""

    def on_picture(self, picture: dict[str, Any]) -> None:
        """The newest room picture."""

    def on_beat(self, beat: Beat) -> None:
        """Nothing has changed."""

    def on_link(self, *, up: bool, why: str) -> None:
        """Core is gone (`why` is the sentence) or back; told once for each change, the first time when known."""


class AsyncClient:
    """Each question opens a connection of its own; `follow` keeps one for the picture.

    Questions raise NoCore when nobody answers in time, Malformed and CoreTrouble with core's own sentence.
    """

    def __init__(
        self,
        path: Path,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        longest_silence_s: float = LONGEST_SILENCE_S,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._longest_silence_s = longest_silence_s
        self._wait = wait

    async def picture(self) -> dict[str, Any]:
        return (await self.request(protocol.AskPicture(), protocol.PictureAnswer)).picture

    async def command(
        self, name: str, body: object = None, *, source: str = "web", key: str | None = None
    ) -> CommandAnswer:
        asked = protocol.AskCommand(name=name, body=body, source=source, key=key)
        return await self.request(asked, CommandAnswer)

    async def games(self) -> list[dict[str, Any]]:
        return (await self.request(protocol.AskGames(), protocol.GamesAnswer)).games

    async def metrics(self) -> dict[str, float | dict[str, float]]:
        return (await self.request(protocol.AskMetrics(), protocol.MetricsAnswer)).metrics

    async def sim(self, do: protocol.SimDeed) -> None:
        await self.request(protocol.AskSim(do=do), protocol.DoneAnswer)

    async def export_lines(self, game: str) -> AsyncIterator[str]:
        """The game's journal, line by line without line ends."""
        first, more = 0, True
        while more:
            asked = protocol.AskExportLines(game=game, first=first)
            part = await self.request(asked, protocol.ExportLinesAnswer)
            for line in part.lines:
                yield line
            first, more = first + len(part.lines), part.more and bool(part.lines)

    async def request(self, request: Request, expected: type[AnswerT]) -> AnswerT:
        """One request, one answer."""
        async with self._asked(request) as reader:
            return protocol.decode_answer(await self._line(reader, self._timeout_s), expected)

    async def panel(self) -> AsyncIterator[dict[str, Any]]:
        """What the simulated panel shows, now and at each change; CoreTrouble when there is none."""
        async with self._asked(protocol.AskPanel()) as reader:
            while True:
                news = protocol.decode_answer(await self._line(reader, None), News)
                if news.panel is not None:
                    yield news.panel

    async def follow(self, listener: Listener) -> None:
        """Tell the listener every picture and beat until cancelled; connects again, with back-off, by itself."""
        up: bool | None = None
        wait_s = FIRST_WAIT_S
        while True:
            try:
                async for news in self._watch():
                    if up is not True:
                        up, wait_s = True, FIRST_WAIT_S
                        listener.on_link(up=True, why="")
                    _tell(listener, news)
            except (NoCore, CoreTrouble, Malformed) as error:
                if up is not False:
                    up = False
                    listener.on_link(up=False, why=str(error))
            await self._wait(wait_s)
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)

    async def _watch(self) -> AsyncIterator[News]:
        async with self._asked(protocol.AskWatch()) as reader:
            line = await self._line(reader, self._timeout_s)
            yield News(picture=protocol.decode_answer(line, protocol.PictureAnswer).picture)
            while True:
                yield protocol.decode_answer(await self._line(reader, self._longest_silence_s), News)

    @asynccontextmanager
    async def _asked(self, request: Request) -> AsyncIterator[asyncio.StreamReader]:
        line = protocol.encode_request(request)
        try:
            async with asyncio.timeout(self._timeout_s):
                reader, writer = await asyncio.open_unix_connection(self._path, limit=protocol.LONGEST_ANSWER)
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
                f"the controller's answer is longer than {protocol.LONGEST_ANSWER} bytes"
            ) from error
        except TimeoutError as error:
            raise NoCore(f"The controller at {self._path} gave no answer within {timeout_s:g} s") from error
        except OSError as error:
            raise NoCore(why_not(error, self._path)) from error


def _tell(listener: Listener, news: News) -> None:
    if news.picture is not None:
        listener.on_picture(news.picture)
    if news.beat is not None:
        listener.on_beat(news.beat)
