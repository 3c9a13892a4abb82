"""Client of the control socket for an asyncio program."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Never, TypeVar, cast

from msgspec import UNSET, UnsetType

from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.protocol import messages, refusal
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, RequestId
from pi_controller.protocol.messages import ChangeAnswer
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.question import (
    DEFAULT_TIMEOUT_S,
    LONGEST_ANSWER,
    AskCommand,
    CommandAnswer,
    CoreLine,
    Question,
    answer_type,
    encode_request,
    hung_up,
    is_away,
    no_answer,
    read_as,
    read_line,
    too_long,
    unreachable,
)
from pi_controller.protocol.server import Buffered, read_buffer
from pi_controller.protocol.tables import TableAction, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence

AnswerT = TypeVar("AnswerT")
ConnectionT = TypeVar("ConnectionT", bound="CoreConnection")
LONGEST_SILENCE_S = 3.0
"""A beat comes once a second; after three missing ones core counts as gone."""
MOST_UNREAD = 1000
"""Lines of a conversation that may wait for who reads them."""
LOOK_PATIENCE_S = 0.5
_FILES = FileThread("refusal")


class CoreConnection(Buffered):
    """One connection to core. Each answer goes to its question, found by its id; every other line goes to
    `tell`, in the very turn of the loop in which it comes. An exception of `tell` ends it."""

    def __init__(self, path: Path, tell: Callable[[CoreLine], None], timeout_s: float) -> None:
        super().__init__(read_buffer())
        self._path = path
        self._tell = tell
        self._timeout_s = timeout_s
        self._rest = b""
        self._waiting: dict[RequestId, asyncio.Future[bytes]] = {}
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self.open = False
        self.heard_s: float | None = None
        """When the newest line came, by the loop's clock."""
        self.over: asyncio.Future[Exception] = self._loop.create_future()
        """Gets the reason why nothing comes any more: NoCore, CoreTrouble, or what `tell` raised."""

    def send(self, request: Question[Any]) -> None:
        """A request whose answer goes to `tell`."""
        self._transport.write(encode_request(request))

    async def ask(self, request: Question[AnswerT], *, longer_s: float = 0) -> AnswerT:
        """One answer. What ended the connection, Malformed and CoreTrouble; NoCore when none comes in time,
        or `longer_s` later: that ends the connection, so that core learns that its askers have gone."""
        if not self.open:
            raise self.over.result()
        within_s = self._timeout_s + longer_s
        line = encode_request(request)
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[request.id] = answer
        try:
            self._transport.write(line)
            async with asyncio.timeout(within_s):
                return read_as(await answer, answer_type(request))
        except TimeoutError as error:
            self.close()
            raise no_answer(self._path, within_s) from error
        finally:
            self._waiting.pop(request.id, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.open = True

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if max(map(len, [*lines, self._rest])) >= LONGEST_ANSWER:
            self.end(too_long())
            return
        try:
            for line in lines:
                if self.open:
                    self._take(line)
        except (CoreTrouble, Malformed) as why:
            self.end(why)

    def _take(self, raw: bytes) -> None:
        self.heard_s = self._loop.time()
        line = read_line(raw)
        trouble = line.trouble()
        if line.id in self._waiting:
            concerned = [self._waiting[line.id]]
        elif line.id is None and trouble is not None:  # not of one question, but of the whole connection
            concerned = list(self._waiting.values())
        else:
            concerned = []
        for waiting in concerned:
            if not waiting.done():
                if trouble is None:
                    waiting.set_result(raw)
                else:
                    waiting.set_exception(trouble)
        if not concerned:
            self._tell(line)

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


class CoreConversation(CoreConnection):
    """A connection of which what core tells between the answers is read line by line. Each request needs an
    id of its own."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__(path, self._keep, timeout_s)
        self._lines: asyncio.Queue[CoreLine | Exception] = asyncio.Queue(MOST_UNREAD + 1)
        self.over.add_done_callback(lambda over: self._lines.put_nowait(over.result()))

    def _keep(self, line: CoreLine) -> None:
        if self._lines.qsize() >= MOST_UNREAD:
            raise CoreTrouble(Sentence("core.not_read_any_more"))
        self._lines.put_nowait(line)

    async def lines(self) -> AsyncIterator[CoreLine]:
        """Everything that answers no `ask`, until the connection ends, with the reason raised."""
        while True:
            line = await self._lines.get()
            if isinstance(line, Exception):
                raise line
            yield line


async def connect(path: Path, make: Callable[[], ConnectionT], within_s: float) -> ConnectionT:
    """Raises NoCore when nobody listens, or lets nobody in."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(within_s):
            _, connection = await loop.create_unix_connection(make, str(path))
    except OSError as error:  # TimeoutError is one
        refused = await look_for_refusal(path.parent) if is_away(error) else None
        raise unreachable(error, path, refused) from error
    return connection


async def look_for_refusal(state_dir: Path) -> Sentence | None:
    """Why core does not start, if it has left that; None also where the disk does not answer at once."""
    try:
        return await _FILES.do(lambda: refusal.read(state_dir), patience_s=LOOK_PATIENCE_S)
    except DiskSlow:
        return None


class LastingConnection:
    """Connects with the first question, and anew with the first one after core has gone.

    Nothing is ever sent twice: an answer that is lost with its connection is told as NoCore, and whoever asks
    again sends the same idempotency key.
    """

    def __init__(self, path: Path, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._ids = itertools.count(1)
        self._connecting = asyncio.Lock()
        self._connection: CoreConnection | None = None

    async def ask(self, request: Question[AnswerT]) -> AnswerT:
        """One answer. NoCore, Malformed and CoreTrouble as `AsyncClient` says."""
        request.id = next(self._ids)
        if self._connection is None or not self._connection.open:
            async with self._connecting:
                if self._connection is None or not self._connection.open:
                    self._connection = await connect(self._path, self._make, self._timeout_s)
        return await self._connection.ask(request)

    def _make(self) -> CoreConnection:
        # an answer that nobody waits for any more disturbs nobody
        return CoreConnection(self._path, lambda _line: None, self._timeout_s)

    def close(self) -> None:
        """Hang up; the next question connects anew."""
        if self._connection is not None:
            self._connection.close()


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
        asked = AskCommand(
            name=name, body=body, source=source, key=key, if_seq=if_seq, if_session=if_session, lang=lang
        )
        return await self._commands.ask(asked)

    async def picture(self) -> Picture:
        return (await self.ask(messages.AskPicture())).picture

    async def metrics(self) -> dict[str, float | dict[str, float]]:
        return (await self.ask(messages.AskMetrics())).metrics

    async def tables(self) -> TablesSnapshot:
        return (await self.ask(messages.AskTables())).tables

    async def roster(self) -> Roster:
        return (await self.ask(messages.AskRoster())).roster

    async def set_roster(self, roster: Any, *, lang: str | UnsetType = UNSET) -> ChangeAnswer:
        return await self.ask(messages.AskSetRoster(roster=roster, lang=lang))

    async def table(self, action: TableAction, *, lang: str | UnsetType = UNSET) -> ChangeAnswer:
        return await self.ask(messages.AskTable(deed=action, lang=lang))

    async def watch(self, tell: Callable[[CoreLine], None]) -> Never:
        """Have `tell` called with the picture at once, then with each change (`protocol.changes`) and beat,
        as core wrote them. It ends with NoCore, when core is gone or silent, and with whatever `tell`
        raises."""
        await self._stream(messages.AskWatch(changes=True), tell, self._longest_silence_s)

    async def panel(self, tell: Callable[[CoreLine], None]) -> Never:
        """The same with what the simulated panel shows, now and at each change; CoreTrouble when there is
        none. No beats come between."""
        await self._stream(messages.AskPanel(), tell, None)

    async def watch_tables(self, tell: Callable[[CoreLine], None]) -> Never:
        """The same with the table nodes (`protocol.tables.TablesSnapshot`)."""
        await self._stream(messages.AskWatchTables(), tell, None)

    @asynccontextmanager
    async def conversation(self) -> AsyncIterator[CoreConversation]:
        """A connection of its own for the length of the block."""
        talk = await connect(
            self._path, lambda: CoreConversation(self._path, self._timeout_s), self._timeout_s
        )
        try:
            yield talk
        finally:
            talk.close()

    async def _stream(
        self, request: Question[Any], tell: Callable[[CoreLine], None], longest_silence_s: float | None
    ) -> Never:
        """The first line must come within the timeout, each further one within `longest_silence_s`."""

        def tell_good(line: CoreLine) -> None:
            trouble = line.trouble()
            if trouble is not None:
                raise trouble
            tell(line)

        loop = asyncio.get_running_loop()
        asked_s = loop.time()
        make = partial(CoreConnection, self._path, tell_good, self._timeout_s)
        connection = await connect(self._path, make, self._timeout_s)
        try:
            connection.send(request)
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
