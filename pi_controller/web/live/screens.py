"""The sockets of the hall's screens: each says who it is, and is directed. Strangers have a few places, where
they show a code until the director admits them; what they do never costs an admitted screen anything.
"""

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections import deque
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
from aiohttp import WSMsgType, web
from msgspec import UNSET, Meta, Struct, UnsetType

from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.journal.store import private_folder
from pi_controller.protocol import strict_json
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence
from pi_controller.software import Software, known
from pi_controller.web.http.connections import (
    POLICY_VIOLATION,
    closing_frame,
    count_apart,
    limit_input,
    new_socket,
    no_place,
    text_frame,
)
from pi_controller.web.http.limits import Places, ShownKey, TokenBucket
from pi_controller.web.http.routes import KEY, Declined, Refusal, get, post, socket
from pi_controller.web.live.notes import KeptFile

# Which screens the director has admitted and what each last said of itself, kept over a restart.


MOST_SCREENS = 256
LONGEST_NAME = 60
FILE = "screens.json"
LARGEST_FILE = 512 * 1024

Page = Literal["/", "/?layout=side", "/?layout=corner", "/overlay"]
PAGES: tuple[Page, ...] = get_args(Page)
"""Where a screen may be sent to."""

LOG = logging.getLogger(__name__)

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, pattern=r"^[^/\x00-\x1f\x7f]+\Z")]
Size = Annotated[tuple[Annotated[int, Meta(ge=0, le=100_000)], ...], Meta(min_length=2, max_length=2)]
"""Width and height in the browser's pixels."""


class ScreenRecord(Struct, kw_only=True):
    """One admitted screen. Times are Unix seconds, the offset is its clock less ours."""

    name: str
    key: str
    """SHA-256 of what it shows to be let in again."""
    page: str = "/"
    size: Size = (0, 0)
    last_contact_s: float = 0.0
    clock_offset_ms: int | None = None
    blackout: bool = False


class _File(Struct, kw_only=True):
    version: Literal[1] = 1
    screens: list[ScreenRecord] = []


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


WAITING_PLACES = 32
KEPT_FOR_STAFF = 8
"""Of them, for this machine and for who is logged in."""
WAITING_PER_ADDRESS = 4
WAITS_S = 600.0
"""So long a code is good."""
SILENT_S = 20.0
"""A screen says something every five seconds."""
LONGEST_MESSAGE = 1024
MESSAGES_A_S = 2
MESSAGES = 8
"""At once, of any kind."""
SAVED_EVERY_S = 60.0
"""When nothing but times of contact has changed."""
END_WITHIN_S = 1.0
"""The end of the process waits no longer for the disk."""
SAMPLES = 12
"""The offset of a clock is judged by those that came with the least delay: a minute's."""
CODE_LETTERS = "ABCDEFGHJKLMNPQRTUVWXY346789"
"""Without those that are taken for each other."""
CODE_LENGTH = 4
IDENTIFY_S = 10

TAKEN_OVER = 4409
"""Codes of closing frames (RFC 6455, 7.4.2): another socket of the same screen; forgotten by the director."""
FORGOTTEN = 4403


Order = Literal["identify", "rename", "page", "reload", "blackout"]
"""What a screen may be told to do."""


class FromScreen(Struct, forbid_unknown_fields=True, kw_only=True):
    """Sent first and then every five seconds. `name`: what it would be called, or is."""

    name: Annotated[str, Meta(max_length=LONGEST_NAME)] | None = None
    page: Annotated[str, Meta(max_length=100)]
    size: Size
    clock_ms: Annotated[float, Meta(ge=0, le=2**53)]
    """Unix time by its own clock."""


class ScreenState(Struct, kw_only=True):
    """`code` is shown until the director has admitted it, `key` is told once and let it in again."""

    name: str | None = None
    code: str | None = None
    key: str | UnsetType = UNSET
    blackout: bool = False
    clock_offset_ms: int | None = None
    software: Software = msgspec.field(default_factory=known)


class ToScreen(Struct, kw_only=True):
    """What a screen is told: how it stands, or something to do."""

    screen: ScreenState | UnsetType = UNSET
    do: Order | UnsetType = UNSET
    seconds: int | UnsetType = UNSET
    name: str | UnsetType = UNSET
    page: str | UnsetType = UNSET
    on: bool | UnsetType = UNSET


class ScreenView(Struct, kw_only=True):
    """`last_contact_s`: so many seconds ago, null: not since it was admitted; `clock_offset_ms`: its clock
    less the controller's."""

    name: str
    page: str
    size: Size
    connected: bool
    blackout: bool
    last_contact_s: float | None
    clock_offset_ms: int | None


class ScreensView(Struct, kw_only=True):
    """`waiting`: so many strangers show a code. `pages` are those that a screen can be sent to."""

    screens: list[ScreenView]
    waiting: int
    pages: list[str]
    software: Software = msgspec.field(default_factory=known)


class ScreenBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """`code` goes with `admit`, `to` with `rename`, `page` with `page`, `on` with `blackout`."""

    do: Literal["admit", Order, "forget"]
    code: Annotated[str, Meta(max_length=20)] | None = None
    to: Name | None = None
    page: Page | None = None
    on: bool | None = None


NEEDS = {"admit": "code", "rename": "to", "page": "page", "blackout": "on"}
"""The field that an action must have, and no other may."""


class _Line:
    """One socket."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport, now_s: float) -> None:
        self.socket = socket
        self.transport = transport
        self.record: ScreenRecord | None = None
        self.code: str | None = None
        self.opened_s = self.heard_s = now_s
        self.said: FromScreen | None = None
        self._samples: deque[float] = deque(maxlen=SAMPLES)

    def tell(self, message: ToScreen) -> None:
        """Whoever does not read what it was told before is cut off."""
        if self.socket.closed or self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.write(text_frame(msgspec.json.encode(message)))

    def end(self, code: int) -> None:
        self.transport.write(closing_frame(code))
        self.transport.close()

    def give_way(self) -> None:
        """Its place is another stranger's now."""
        self.code = None
        self.transport.abort()

    def offset_ms(self, clock_ms: float, wall_s: float) -> int:
        """Its clock less ours: what comes late makes it look slow, so the greatest of the newest counts."""
        self._samples.append(clock_ms - wall_s * 1000)
        return round(max(self._samples))


class Screens:
    """The admitted screens, whose names are compared without regard to case, and the sockets. Called on the
    loop only."""

    def __init__(
        self, folder: Path, files: FileThread, *, boot_s: Callable[[], float], wall_s: Callable[[], float]
    ) -> None:
        private_folder(folder)
        self._file = KeptFile[_File](folder / FILE, files, most=LARGEST_FILE)
        kept = self._file.read(_File(), "The screens that were admitted are forgotten").screens
        self.admitted = {record.key: record for record in kept[:MOST_SCREENS]}
        self._changed = False
        """Whether the file is behind."""
        self._boot_s = boot_s
        self._wall_s = wall_s
        self._lines: dict[str, _Line] = {}
        """Of admitted screens, by their keys in the register."""
        self._waiting: dict[_Line, None] = {}
        """In the order in which they came."""
        self._places = Places(
            strangers=WAITING_PLACES - KEPT_FOR_STAFF,
            per_address=WAITING_PER_ADDRESS,
            keyed=KEPT_FOR_STAFF,
            end=_Line.give_way,
        )
        self._saved_s = boot_s()

    @property
    def waiting(self) -> int:
        """Strangers with a code."""
        return len(self._waiting)

    def of_key(self, key: str) -> ScreenRecord | None:
        """The admitted screen that shows this."""
        return self.admitted.get(_digest(key))

    def named(self, name: str) -> ScreenRecord | None:
        return next((one for one in self.admitted.values() if one.name.casefold() == name.casefold()), None)

    def shown(self, request: web.Request) -> ShownKey | None:
        """The screen whose key stands in the address of the request."""
        key = request.query.get("key")
        record = None if key is None else self.of_key(key)
        return None if record is None else ShownKey(record.key, lambda: record.key in self.admitted)

    @socket("/api/screen", "public", hall=True)
    async def serve(self, request: web.Request) -> web.StreamResponse:
        """WebSocket, both ways: a screen says who it is, is directed; `?key=` when admitted."""
        record = self.of_key(request.query.get("key", ""))
        opened, transport = new_socket(request, most=LONGEST_MESSAGE)
        line = _Line(opened, transport, self._boot_s())
        self._join(line, record, request.remote or "", request[KEY])
        try:
            await opened.prepare(request)
            limit_input(transport)
            if record is not None:
                count_apart(transport)
            self._tell_state(line)
            await self._listen(line)
        finally:
            self._leave(line)
        return opened

    @get("/api/screens", "director")
    async def all(self, _request: web.Request) -> ScreensView:
        """The screens that were admitted, and how many wait for that."""
        now_s = self._wall_s()
        screens = [
            ScreenView(
                name=record.name,
                page=record.page,
                size=record.size,
                connected=record.key in self._lines,
                blackout=record.blackout,
                last_contact_s=max(0.0, now_s - record.last_contact_s) if record.last_contact_s else None,
                clock_offset_ms=record.clock_offset_ms,
            )
            for record in sorted(self.admitted.values(), key=lambda record: record.name.casefold())
        ]
        return ScreensView(screens=screens, waiting=self.waiting, pages=list(PAGES))

    @post("/api/screens/{name}", "director", also=(404, 409))
    async def act(self, request: web.Request, body: ScreenBody) -> None:
        """Admit the screen that shows a code under this name, or direct the one of this name.

        404 no such screen, 409 refused, 422 malformed.
        """
        name, needed = request.match_info["name"], NEEDS.get(body.do)
        if any((getattr(body, field) is None) == (field == needed) for field in NEEDS.values()):
            raise Refusal(422, Sentence("screen.form", action=body.do, field=needed or "do"))
        if body.do == "admit":
            strict_json.read_as({"do": "rename", "to": name}, ScreenBody)  # Malformed where no screen may
            self._admit(name, body.code or "")
            return
        record = self.named(name)
        if record is None:
            raise Refusal(404, Sentence("screen.unknown", name=name))
        self._direct(record, body)

    def _direct(self, record: ScreenRecord, body: ScreenBody) -> None:
        """Declined, except for what also counts for one that is away."""
        line = self._lines.get(record.key)
        match body.do:
            case "rename":
                self._rename(record, body.to or "")
                told = ToScreen(do="rename", name=record.name)
            case "blackout":  # also of one that is away: it is so when it comes
                record.blackout = bool(body.on)
                self._changed = True
                told = ToScreen(do="blackout", on=record.blackout)
            case "forget":  # its key is good for nothing from now on
                del self.admitted[record.key]
                self._changed = True
                if line is not None:
                    line.end(FORGOTTEN)
                return
            case "identify" | "page" | "reload":
                if line is None:
                    raise Declined(Sentence("screen.away", name=record.name))
                told = ToScreen(do=body.do)
                if body.do == "identify":
                    told.seconds = IDENTIFY_S
                elif body.do == "page":
                    told.page = body.page or ""
        if line is not None:
            line.tell(told)

    def _admit(self, name: str, code: str) -> None:
        """The stranger that shows this code is the screen of this name. Declined."""
        line = next((one for one in self._waiting if one.code == code.strip().upper()), None)
        if line is None:
            raise Declined(Sentence("screen.no_such_code", code=code))
        line.record, key = self.admit(name)
        line.code = None
        self._stop_waiting(line)
        count_apart(line.transport)
        self._lines[line.record.key] = line
        self._note(line)
        line.tell(ToScreen(screen=self._state(line, key=key)))

    def admit(self, name: str) -> tuple[ScreenRecord, str]:
        """A new screen of this name, and what it shows from now on. Declined."""
        if len(self.admitted) >= MOST_SCREENS:
            raise Declined(Sentence("screen.too_many", most=MOST_SCREENS))
        self._check_free(name)
        key = secrets.token_urlsafe(24)
        record = self.admitted[_digest(key)] = ScreenRecord(name=name, key=_digest(key))
        self._changed = True
        return record, key

    def _rename(self, record: ScreenRecord, name: str) -> None:
        """Declined."""
        if name.casefold() != record.name.casefold():
            self._check_free(name)
        record.name = name
        self._changed = True

    def _check_free(self, name: str) -> None:
        """Declined when another screen has this name."""
        if self.named(name) is not None:
            raise Declined(Sentence("screen.name_taken", name=name))

    def sweep(self) -> None:
        """Cut off who is silent and whose code is too old; to be called about once a second."""
        now_s = self._boot_s()
        for line in (*self._lines.values(), *self._waiting):
            too_old = line.record is None and now_s - line.opened_s >= WAITS_S
            if now_s - line.heard_s >= SILENT_S or too_old:
                line.transport.abort()
        if self._changed or (self._lines and now_s - self._saved_s >= SAVED_EVERY_S):
            self._save()

    async def close(self) -> None:
        """Close all sockets and write the register, because the web side ends."""
        lines = (*self._lines.values(), *self._waiting)
        await asyncio.gather(*(line.socket.close(code=1001, drain=False) for line in lines))
        self._save()
        with contextlib.suppress(DiskSlow):
            await self._file.written(patience_s=END_WITHIN_S)

    def _join(self, line: _Line, record: ScreenRecord | None, address: str, key: Hashable | None) -> None:
        """Raises a Refusal (503) when there is no place for one more stranger."""
        line.record = record
        if record is None:
            if not self._places.take(line, address, key):
                raise no_place()
            line.code = self._new_code()
            self._waiting[line] = None
            return
        before = self._lines.get(record.key)
        self._lines[record.key] = line
        if before is not None:
            before.end(TAKEN_OVER)

    def _leave(self, line: _Line) -> None:
        self._stop_waiting(line)
        if line.record is not None and self._lines.get(line.record.key) is line:
            del self._lines[line.record.key]
            self._changed = True

    async def _listen(self, line: _Line) -> None:
        messages = TokenBucket(per_s=MESSAGES_A_S, at_once=MESSAGES, boot_s=self._boot_s)
        async for message in line.socket:
            if not messages.take(1) or message.type not in (WSMsgType.TEXT, WSMsgType.PING, WSMsgType.PONG):
                await line.socket.close(code=POLICY_VIOLATION)
            elif message.type is WSMsgType.TEXT:
                await self._heard(line, message.data)
            elif message.type is WSMsgType.PING and not line.transport.get_write_buffer_size():
                await line.socket.pong(message.data)

    async def _heard(self, line: _Line, text: str) -> None:
        try:
            said: FromScreen = strict_json.read_as(strict_json.decode(text.encode()), FromScreen)
        except Malformed as problem:
            LOG.debug("no screen: %s", problem)
            await line.socket.close(code=POLICY_VIOLATION)
            return
        line.said, line.heard_s = said, self._boot_s()
        self._note(line)
        self._tell_state(line)

    def _note(self, line: _Line) -> None:
        """What an admitted screen has said of itself."""
        record, said = line.record, line.said
        if record is None or said is None:
            return
        if (record.page, record.size) != (said.page, said.size):
            record.page, record.size = said.page, said.size
            self._changed = True
        record.last_contact_s = wall_s = self._wall_s()
        record.clock_offset_ms = line.offset_ms(said.clock_ms, wall_s)

    def _tell_state(self, line: _Line) -> None:
        line.tell(ToScreen(screen=self._state(line)))

    def _state(self, line: _Line, *, key: str | UnsetType = UNSET) -> ScreenState:
        record = line.record
        if record is None:
            return ScreenState(code=line.code)
        return ScreenState(
            name=record.name, key=key, blackout=record.blackout, clock_offset_ms=record.clock_offset_ms
        )

    def _stop_waiting(self, line: _Line) -> None:
        self._waiting.pop(line, None)
        self._places.give_back(line)

    def _new_code(self) -> str:
        shown = {line.code for line in self._waiting}
        while True:
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            if code not in shown:
                return code

    def _save(self) -> None:
        """As it is now; returns at once."""
        self._saved_s = self._boot_s()
        self._file.keep(_File(screens=list(self.admitted.values())))
        self._changed = False
