"""Client of the control socket for an asyncio program."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Never, TypeVar

from msgspec import UNSET, UnsetType

from pi_controller.hal.names import ContactName, LampName
from pi_controller.protocol import messages
from pi_controller.protocol.answer_types import ChangeAnswer, CommandAnswer
from pi_controller.protocol.answers import DEFAULT_TIMEOUT_S, Line, no_answer
from pi_controller.protocol.async_connection import Connection, LastingConnection, connect
from pi_controller.protocol.errors import CoreTrouble
from pi_controller.protocol.lines import encode_request
from pi_controller.protocol.messages import Question
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.simulated import SimAction
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence

LONGEST_SILENCE_S = 3.0
"""A beat comes once a second; after three missing ones core counts as gone."""
MOST_UNREAD = 1000
"""Lines of a conversation that may wait for who reads them."""

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
        self._commands = LastingConnection(path, timeout_s)
        self._questions = LastingConnection(path, timeout_s)

    async def aclose(self) -> None:
        """Hang up on core; the next question connects anew."""
        self._commands.close()
        self._questions.close()
        await asyncio.sleep(0)  # the transports let go of their sockets in the loop's next turn

    async def ask(self, request: Question[AnswerT]) -> AnswerT:
        """One question that is no command."""
        return await self._questions.ask(request)

    async def command(
        self,
        name: str,
        body: object = None,
        *,
        source: str = "web",
        key: str | None = None,
        if_seq: int | None = None,
        if_session: str | None = None,
        lang: str | UnsetType = UNSET,
    ) -> CommandAnswer:
        """`lang`: of the reasons; without one they are English, as in the other methods that take it."""
        asked = messages.AskCommand(
            name=name, body=body, source=source, key=key, if_seq=if_seq, if_session=if_session, lang=lang
        )
        return await self._commands.ask(asked)

    async def picture(self) -> Picture:
        return (await self.ask(messages.AskPicture())).picture

    async def metrics(self) -> dict[str, float | dict[str, float]]:
        return (await self.ask(messages.AskMetrics())).metrics

    async def sim(
        self, do: SimAction, contact: ContactName | None = None, *, lamp: LampName | None = None
    ) -> None:
        await self.ask(messages.AskSim(do=do, contact=contact, lamp=lamp))

    async def sim_fact(self, name: str, value: object) -> None:
        """Let the simulated computer say this from now on."""
        await self.ask(messages.AskSim(do="fact", name=name, value=value))

    async def tables(self) -> TablesSnapshot:
        return (await self.ask(messages.AskTables())).tables

    async def roster(self) -> Roster:
        return (await self.ask(messages.AskRoster())).roster

    async def set_roster(self, roster: Any, *, lang: str | UnsetType = UNSET) -> ChangeAnswer:
        return await self.ask(messages.AskSetRoster(roster=roster, lang=lang))

    async def table(self, action: TableAction, *, lang: str | UnsetType = UNSET) -> ChangeAnswer:
        return await self.ask(messages.AskTable(deed=action, lang=lang))

    async def pin_guesses(self, wrong: int) -> None:
        """So many wrong PINs came within the last hour."""
        await self.ask(messages.AskPinGuesses(wrong=wrong))

    async def watch(self, tell: Callable[[Line], None]) -> Never:
        """Have `tell` called with the picture at once, then with each change and beat, as core wrote them.
        It ends with NoCore, when core is gone or silent, and with whatever `tell` raises."""
        await self._stream(messages.AskWatch(), tell, self._longest_silence_s)

    async def panel(self, tell: Callable[[Line], None]) -> Never:
        """The same with what the simulated panel shows, now and at each change; CoreTrouble when there is
        none. No beats come between."""
        await self._stream(messages.AskPanel(), tell, None)

    async def watch_tables(self, tell: Callable[[Line], None]) -> Never:
        """The same with the table nodes (`protocol.tables.TablesSnapshot`)."""
        await self._stream(messages.AskWatchTables(), tell, None)

    @asynccontextmanager
    async def conversation(self) -> AsyncIterator["Conversation"]:
        """A connection of its own for the length of the block."""
        lines: asyncio.Queue[Line | Exception] = asyncio.Queue(MOST_UNREAD + 1)

        def tell(line: Line) -> None:
            if lines.qsize() >= MOST_UNREAD:
                raise CoreTrouble(Sentence("core.not_read_any_more"))
            lines.put_nowait(line)

        connection = await connect(self._path, tell, self._timeout_s)
        connection.over.add_done_callback(lambda over: lines.put_nowait(over.result()))
        try:
            yield Conversation(connection, lines, self._path, self._timeout_s)
        finally:
            connection.close()

    async def _stream(
        self, request: Question[Any], tell: Callable[[Line], None], longest_silence_s: float | None
    ) -> Never:
        """The first line must come within the timeout, each further one within `longest_silence_s`."""

        def tell_good(line: Line) -> None:
            trouble = line.trouble()
            if trouble is not None:
                raise trouble
            tell(line)

        loop = asyncio.get_running_loop()
        asked_s = loop.time()
        connection = await connect(self._path, tell_good, self._timeout_s)
        try:
            connection.send(encode_request(request))
            while True:
                heard_s = connection.heard_s
                limit_s = self._timeout_s if heard_s is None else longest_silence_s
                left_s = None if limit_s is None else (heard_s or asked_s) + limit_s - loop.time()
                if left_s is not None and left_s <= 0:
                    raise no_answer(self._path, limit_s or 0)
                await asyncio.wait((connection.over,), timeout=left_s)
                if connection.over.done():
                    raise connection.over.result()
        finally:
            connection.close()


class Conversation:
    """Questions and what core tells between. Each request needs an id of its own."""

    def __init__(
        self,
        connection: Connection,
        lines: "asyncio.Queue[Line | Exception]",
        path: Path,
        timeout_s: float,
    ) -> None:
        self._connection = connection
        self._lines = lines
        self._path = path
        self._timeout_s = timeout_s

    def send(self, request: Question[Any]) -> None:
        """Its answer comes among the `lines`."""
        self._connection.send(encode_request(request))

    async def ask(self, request: Question[AnswerT]) -> AnswerT:
        """NoCore, Malformed and CoreTrouble as `AsyncClient` says."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._connection.ask(request)
        except TimeoutError as error:
            raise no_answer(self._path, self._timeout_s) from error

    async def lines(self) -> AsyncIterator[Line]:
        """Everything that answers no `ask`, until the connection ends, with the reason raised."""
        while True:
            line = await self._lines.get()
            if isinstance(line, Exception):
                raise line
            yield line
