"""The virtual tables: a client of their own socket, which is there only while they run."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal, Never

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.bus.values import Uid
from pi_controller.language.words import words
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import encode
from pi_controller.protocol.sentences import SentenceView, told, view
from pi_controller.protocol.simulated import VIRTUAL_ACTIONS
from pi_controller.protocol.strict_json import read_as
from pi_controller.protocol.virtual_tables import Do, Watch
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Side
from pi_controller.web.http.bodies import Refusal, json_answer, read_json
from pi_controller.web.http.frames import text_frame
from pi_controller.web.http.routes import Route, simulated_action, simulated_feed
from pi_controller.web.live.broadcaster import Broadcaster, Listener, listen
from pi_controller.web.live.core_link import CoreLink

VERSION: Literal[1] = 1
BACKLOG_LIMIT = 4 * 1024 * 1024
"""Bytes: everything about 256 virtual tables, their displays included, is below 1 MiB."""
LONGEST_LINE = 4 * 1024 * 1024
RETRY_S = 1.0
ANSWER_WITHIN_S = 5.0
GREATEST_VALUE = 1000.0
NONE_HERE = Sentence("web.no_virtual_tables")

LOG = logging.getLogger(__name__)


class ActionBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """What goes with a action; the tables themselves say which of them it needs."""

    uid: Uid
    side: Side | None = None
    value: Annotated[float, Meta(ge=-GREATEST_VALUE, le=GREATEST_VALUE)] | None = None
    """Of `hold` in seconds, of `loss` a part of the frames, up to 1, … : the tables say what they need."""


class _Table(Struct):
    uid: str


class _News(Struct):
    tables: list[msgspec.Raw]


class _Answer(Struct):
    done: bool = False
    malformed: str = ""
    malformed_key: SentenceView | None = None

    @property
    def sentence(self) -> Sentence:
        """Why it is not done."""
        return (
            told(self.malformed, self.malformed_key) if self.malformed else Sentence("web.virtual_not_done")
        )


class ChangesBroadcaster(Broadcaster):
    """Of many things few change: each listener gets everything once, then what it has missed. Whoever reads
    slowly misses states in between, never the newest one.

    A message is `{"all": bool, "tables": […], "sentence": text or null, "sentence_key": key or null}`; with
    `all` nothing else is there.
    """

    def __init__(self, boot_s: Callable[[], float], sentence: Sentence, language: str) -> None:
        """`sentence` says what is wrong while there is nothing, in the hall's `language`."""
        super().__init__(boot_s, backlog_limit=BACKLOG_LIMIT)
        self._language = language
        self._things: dict[str, tuple[int, bytes]] = {}
        self._count = 1
        self._began = 1
        """At this count everything was new."""
        self._sentence: Sentence | None = sentence
        self._frames: dict[int, bytes] = {}

    @property
    def has_picture(self) -> bool:
        return True

    def start(self, sentence: Sentence | None) -> None:
        """Forget everything; None: it comes with the next `change`."""
        self._things.clear()
        self._sentence = sentence
        self._count += 1
        self._began = self._count
        self._frames.clear()
        if sentence is not None:
            self._send_to_all()

    def change(self, things: Mapping[str, bytes]) -> None:
        """These are as their JSON says from now on."""
        self._count += 1
        self._frames.clear()
        self._things |= {name: (self._count, value) for name, value in things.items()}
        self._send_to_all()

    def _frame_for(self, listener: Listener) -> bytes | None:
        seen, listener.has_seen = listener.has_seen, self._count
        if seen == self._count:
            return None
        if seen not in self._frames:
            self._frames[seen] = self._message(seen)
        return self._frames[seen]

    def _message(self, seen: int) -> bytes:
        everything = seen < self._began
        news = [value for count, value in self._things.values() if everything or count > seen]
        message = {
            "all": everything,
            "tables": [msgspec.Raw(value) for value in news],
            "sentence": None if self._sentence is None else words(self._sentence, self._language),
            "sentence_key": None if self._sentence is None else view(self._sentence),
        }
        return text_frame(msgspec.json.encode(message))


class VirtualTablesApi:
    def __init__(self, path: Path, broadcaster: ChangesBroadcaster, link: CoreLink) -> None:
        self._path = path
        self._broadcaster = broadcaster
        self._link = link

    def routes(self) -> tuple[Route, ...]:
        return (
            simulated_feed(
                path="/api/sim/tables",
                handler=self.socket,
                summary="WebSocket: what the virtual tables show, all at once, then those that change",
            ),
            simulated_action(
                path="/api/sim/tables/{action}",
                handler=self.act,
                summary="Do something to a virtual table",
                body_schema="sim_table_body",
            ),
        )

    async def keep(self) -> Never:
        """Relay what the tables show for ever; looks for them only while the hardware is simulated."""
        while True:
            if self._link.simulated:
                await self._relay()
            await asyncio.sleep(RETRY_S)

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/sim/tables`: all tables at once, then those that change."""
        return await listen(request, self._broadcaster)

    async def act(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/sim/tables/{action}`."""
        name = request.match_info["action"]
        action = next((known for known in VIRTUAL_ACTIONS if known == name), None)
        if action is None:
            known = ", ".join(VIRTUAL_ACTIONS)
            raise Refusal(404, Sentence("web.virtual_unknown_action", known=known))
        body = _read(await read_json(request))
        asked = Do(version=VERSION, id=1, do=action, uid=body.uid, side=body.side, value=body.value)
        answer = await self._ask(asked)
        if not answer.done:
            raise Refusal(422, answer.sentence)
        return json_answer({"done": True})

    async def _relay(self) -> None:
        known = False
        try:
            async with self._asked(Watch(version=VERSION, id=1)) as reader:
                self._broadcaster.start(None)
                known = True
                while line := await reader.readline():
                    self._broadcaster.change(_by_uid(line))
        except (OSError, ValueError) as problem:  # ValueError: no JSON, or a line that never ends
            LOG.debug("No virtual tables: %s", problem)
        if known:
            self._broadcaster.start(NONE_HERE)

    async def _ask(self, request: Do) -> _Answer:
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S), self._asked(request) as reader:
                return msgspec.json.decode(await reader.readline(), type=_Answer)
        except (FileNotFoundError, ConnectionRefusedError) as problem:
            raise Refusal(404, NONE_HERE) from problem
        except (OSError, ValueError) as problem:  # TimeoutError is an OSError
            raise Refusal(503, Sentence("web.virtual_silent")) from problem

    @asynccontextmanager
    async def _asked(self, request: Watch | Do) -> AsyncIterator[asyncio.StreamReader]:
        reader, writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
        try:
            writer.write(encode(request))
            yield reader
        finally:
            writer.close()


def _by_uid(line: bytes) -> dict[str, bytes]:
    """The tables of a line by their unique id. ValueError: it is no such line."""
    tables = msgspec.json.decode(line, type=_News).tables
    return {msgspec.json.decode(table, type=_Table).uid: bytes(table) for table in tables}


def _read(body: object) -> ActionBody:
    """Raises a Refusal (422)."""
    try:
        read: ActionBody = read_as(body, ActionBody)
    except Malformed as problem:
        raise Refusal(422, problem.sentence) from problem
    return read
