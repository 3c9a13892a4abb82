"""Table nodes, roster, pause button and hardware test, handed on from and to core; virtual tables and
simulated panel."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Never, cast, get_args

import msgspec
from aiohttp import WSMsgType, web
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from pi_controller.bus.values import Uid
from pi_controller.hal.names import ContactName, LampName
from pi_controller.language.words import words
from pi_controller.protocol import messages, strict_json
from pi_controller.protocol.async_client import AsyncClient, CoreConversation
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, RequestId
from pi_controller.protocol.firmware import FirmwareOrder, FirmwareView
from pi_controller.protocol.messages import ButtonChange, ButtonView, ChangeAnswer
from pi_controller.protocol.question import CoreLine, encode
from pi_controller.protocol.sentences import SentenceView, told, view
from pi_controller.protocol.simulated import NEEDS_LAMP, VIRTUAL_ACTIONS, Do, SimAction, Watch
from pi_controller.protocol.tables import TableAction, TableActionName, TablesSnapshot
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Side
from pi_controller.web.http.connections import new_socket, text_frame
from pi_controller.web.http.routes import LANGUAGE, Done, Refusal, get, post, read_action, read_json, socket
from pi_controller.web.live.broadcaster import Broadcaster, Listener, listen
from pi_controller.web.live.core_link import CoreLink

TABLE_ACTIONS: tuple[str, ...] = get_args(TableActionName)


TableBody = Annotated[
    dict[str, Any], Meta(description="The fields of `table` that belong to the action, without `do`.")
]


class TablesApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    @get("/api/tables", "staff", also=(503,))
    async def snapshot(self, _request: web.Request) -> TablesSnapshot:
        """The table nodes of this moment."""
        return await self._link.client.tables()

    @socket("/api/tables/feed", "staff")
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: the table nodes at once and on each change, at most twice a second."""
        return await listen(request, self._link.tables.feed)

    @get("/api/roster", "staff", also=(503,))
    async def roster(self, _request: web.Request) -> Roster:
        """Rows, boards and the node at each board."""
        return await self._link.client.roster()

    @post("/api/roster", "technician", also=(409, 503), body=Roster)
    async def set_roster(self, request: web.Request) -> ChangeAnswer:
        """Put this roster in place of the present one.

        409 with every mistake in a sentence, 422 no roster at all; core reads it.
        """
        roster = await read_json(request)
        if roster is None:
            raise Refusal(422, Sentence("web.roster_missing"))
        return await self._link.client.set_roster(roster, lang=request[LANGUAGE])

    @post("/api/tables/{action:(?!feed$)[^/]+}", "technician", also=(404, 409, 503), body=TableBody)
    async def act(self, request: web.Request) -> ChangeAnswer:
        """Do something to a table.

        422: the body does not belong to the action.
        """
        action = request.match_info["action"]
        if action not in TABLE_ACTIONS:
            raise Refusal(
                404, Sentence("web.table_unknown_action", action=repr(action), known=", ".join(TABLE_ACTIONS))
            )
        wrong = Sentence("web.form_of_table_action")
        asked: TableAction = await read_action(request, TableAction, None, wrong, do=action)
        return await self._link.client.table(asked, lang=request[LANGUAGE])


# New firmware for the tables over their cables.


class FirmwareBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/firmware`."""

    do: FirmwareOrder
    boards: messages.FirmwareBoards | None = None
    again: bool = False


class FirmwareApi:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    @get("/api/firmware", "technician", also=(503,))
    async def look(self, request: web.Request) -> FirmwareView:
        """What this controller has for its tables, and how far the update is that was begun last."""
        return (await self._client.ask(messages.AskFirmware(lang=request[LANGUAGE]))).firmware

    @post("/api/firmware", "technician", also=(409, 503))
    async def act(self, request: web.Request, body: FirmwareBody) -> ChangeAnswer:
        """Begin an update, consent to it or stop it; how it goes on says `GET`.

        Between games only. Consent is also a press of a claim button at the table that gets it first.
        """
        asked = messages.AskFirmware(
            do=body.do, who=_who(request), boards=body.boards, again=body.again, lang=request[LANGUAGE]
        )
        return await self._client.ask(asked)


# The USB key that is the pause button.


class ButtonBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/button`."""

    do: ButtonChange


class ButtonApi:
    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    @get("/api/button", "technician", also=(503,))
    async def look(self, request: web.Request) -> ButtonView:
        """The USB key that is the pause button, whether it is pressed, whether another is being chosen."""
        return (await self._client.ask(messages.AskButton(lang=request[LANGUAGE]))).button

    @post("/api/button", "technician", also=(503,))
    async def act(self, request: web.Request, body: ButtonBody) -> ButtonView:
        """Choose another by pressing it within 20 s, stop that, or have none any more.

        503 also where the settings have no USB key as the pause button.
        """
        asked = messages.AskButton(do=body.do, lang=request[LANGUAGE])
        return (await self._client.ask(asked)).button


# The virtual hall, which exists only in simulation: the simulated panel, and the virtual tables, by a client
# of their own socket, which is there only while they run.


VERSION: Literal[1] = 1
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
        super().__init__(boot_s)
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


SIM_ACTIONS: tuple[str, ...] = get_args(SimAction)


class SimBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/sim/{action}`."""

    contact: Annotated[ContactName, Meta(description="the wire that break_wire cuts")] | UnsetType = UNSET
    lamp: Annotated[LampName, Meta(description="of lamp_dead and lamp_mend")] | UnsetType = UNSET
    name: Annotated[str, Meta(description="of fact: what the simulated computer says")] | UnsetType = UNSET
    value: Annotated[Any, Meta(description="of fact")] = UNSET


class VirtualHallApi:
    """Without log-in at this machine only: a simulated button does to the game what the real one does."""

    def __init__(self, path: Path, link: CoreLink, boot_s: Callable[[], float], language: str) -> None:
        """`path`: where virtual tables listen, if there are any; `language`: the hall's."""
        self.feed = ChangesBroadcaster(boot_s, NONE_HERE, language)
        self._path = path
        self._link = link

    async def keep(self) -> Never:
        """Relay what the tables show for ever; looks for them only while the hardware is simulated."""
        while True:
            if self._link.simulated:
                await self._relay()
            await asyncio.sleep(RETRY_S)

    @socket("/api/sim", "here", only_simulated=True)
    async def follow_panel(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: what the simulated panel shows, at once and on each change."""
        return await listen(request, self._link.panel.feed)

    @post("/api/sim/{action:(?!tables$)[^/]+}", "here", also=(503,), only_simulated=True, body=SimBody)
    async def act_on_panel(self, request: web.Request) -> Done:
        """Do something to the simulated panel."""
        action = request.match_info["action"]
        if action not in SIM_ACTIONS:
            raise Refusal(404, Sentence("web.sim_unknown_action", known=", ".join(SIM_ACTIONS)))
        sent = await read_json(request)
        body = {} if sent is None else sent
        if action == "fact":
            fields, wrong = {"name", "value"}, Sentence("web.form_of_fact")
        elif action in NEEDS_LAMP:
            fields, wrong = {"lamp"}, Sentence("web.form_of_lamp", action=action)
        else:
            fields = {"contact"} if body and action == "break_wire" else set()
            wrong = Sentence("web.form_of_contact")
        if not isinstance(body, dict) or body.keys() != fields:
            raise Refusal(422, wrong)
        try:
            strict_json.read_as(body, SimBody)
        except Malformed as problem:
            raise Refusal(422, wrong) from problem
        await self._link.client.ask(messages.AskSim(do=cast(SimAction, action), **body))
        return Done(done=True)

    @socket("/api/sim/tables", "here", only_simulated=True)
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: what the virtual tables show, all at once, then those that change."""
        return await listen(request, self.feed)

    @post("/api/sim/tables/{action}", "here", also=(503,), only_simulated=True)
    async def act(self, request: web.Request, body: ActionBody) -> Done:
        """Do something to a virtual table."""
        name = request.match_info["action"]
        action = next((known for known in VIRTUAL_ACTIONS if known == name), None)
        if action is None:
            known = ", ".join(VIRTUAL_ACTIONS)
            raise Refusal(404, Sentence("web.virtual_unknown_action", known=known))
        asked = Do(version=VERSION, id=1, do=action, uid=body.uid, side=body.side, value=body.value)
        answer = await self._ask(asked)
        if not answer.done:
            raise Refusal(422, answer.sentence)
        return Done(done=True)

    async def _relay(self) -> None:
        known = False
        try:
            async with self._asked(Watch(version=VERSION, id=1)) as reader:
                self.feed.start(None)
                known = True
                while line := await reader.readline():
                    self.feed.change(_by_uid(line))
        except (OSError, ValueError) as problem:  # ValueError: no JSON, or a line that never ends
            LOG.debug("No virtual tables: %s", problem)
        if known:
            self.feed.start(NONE_HERE)

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


# `WS /api/hardware/feed`: the hardware test lasts as long as the page holds this socket open.
#
# The page is told `{"held": true, "settings": …}` or `{"held": false, "reasons": […]}` first. From then on it
# sends `{"id": n, "probe": {…}}` and gets `{"id": n, "result": …}` or `{"id": n, "error": sentence}`; between
# these come `{"test": …}` and, at last, `{"ended": sentence}`. All of it goes over one connection to core,
# whose end ends the lease.


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

    @socket("/api/hardware/feed", "technician")
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket, both ways: holds the hardware test while open; `?take=1` takes it over.

        It ends with the lease, and with core, too.
        """
        if len(self._open) >= MOST_AT_ONCE:
            raise Refusal(503, Sentence("web.too_many_hardware_tests"))
        opened, _ = new_socket(request, most=LONGEST_FROM_PAGE, heartbeat_s=HEARTBEAT_S)
        await opened.prepare(request)
        self._open.add(opened)
        language = request[LANGUAGE]
        try:
            await self._hold(
                opened, who=_who(request), take=request.query.get("take") == "1", language=language
            )
        except (NoCore, CoreTrouble, Malformed) as problem:
            await _tell(opened, _over(problem.sentence, language))
        finally:
            self._open.discard(opened)
        await opened.close()
        return opened

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

    def __init__(
        self, socket: web.WebSocketResponse, core: CoreConversation, lease: str, language: str
    ) -> None:
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
                asked = _read_page(message.data)
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

    def _answer(self, line: CoreLine) -> ToPage:
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


def _read_page(text: str) -> FromPage:
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
