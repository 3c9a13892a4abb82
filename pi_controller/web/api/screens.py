"""The hall's screens: each opens a socket beside its feed, and the director lists and directs them."""

from typing import Annotated, Literal

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.protocol import strict_json
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence
from pi_controller.software import Software, known
from pi_controller.web.http.bodies import Refusal, json_answer, own_answer, read_json
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.routes import REFUSALS, Route, get, post, socket
from pi_controller.web.live.screen_register import PAGES, CannotRegister, Name, Page, ScreenRecord, Size
from pi_controller.web.live.screens import CannotDirect, Order, Screens, ToScreen

IDENTIFY_S = 10


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


class ScreensApi:
    def __init__(self, screens: Screens) -> None:
        self._screens = screens

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/screen",
                handler=self._screens.serve,
                access="public",
                summary="WebSocket, both ways: a screen says who it is, is directed; `?key=` when admitted",
                answers=(101, 403, 426, 503),
            ),
            get(
                path="/api/screens",
                handler=self.list,
                access="director",
                summary="The screens that were admitted, and how many wait for that",
                answers=(200, 401, 429),
                answer_schema="screens",
            ),
            post(
                path="/api/screens/{name}",
                handler=self.act,
                access="director",
                summary="Admit the screen that shows a code under this name, or direct the one of this name",
                answers=(200, 404, 408, 409, 422, *REFUSALS),
                answer_schema="change_answer",
                body_schema="screen_body",
            ),
        )

    async def list(self, _request: web.Request) -> web.StreamResponse:
        """`GET /api/screens`."""
        screens = [self._view(record) for record in self._screens.register.screens]
        return json_answer(ScreensView(screens=screens, waiting=self._screens.waiting, pages=list(PAGES)))

    async def act(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/screens/{name}`: 200 done, 404 no such screen, 409 refused, 422 malformed."""
        name, body = request.match_info["name"], _read(await read_json(request))
        try:
            if body.do == "admit":
                self._screens.admit(_name(name), body.code or "")
            else:
                self._direct(self._named(name), body)
        except (CannotDirect, CannotRegister) as refusal:
            return own_answer(request[LANGUAGE], refusal.sentence)
        return own_answer(request[LANGUAGE])

    def _named(self, name: str) -> ScreenRecord:
        record = self._screens.register.named(name)
        if record is None:
            raise Refusal(404, Sentence("screen.unknown", name=name))
        return record

    def _direct(self, record: ScreenRecord, body: ScreenBody) -> None:
        screens = self._screens
        match body.do:
            case "identify":
                screens.direct(record, ToScreen(do="identify", seconds=IDENTIFY_S))
            case "rename":
                screens.rename(record, body.to or "")
            case "page":
                screens.direct(record, ToScreen(do="page", page=body.page or ""))
            case "reload":
                screens.direct(record, ToScreen(do="reload"))
            case "blackout":
                screens.blackout(record, on=bool(body.on))
            case "forget":
                screens.forget(record)

    def _view(self, record: ScreenRecord) -> ScreenView:
        return ScreenView(
            name=record.name,
            page=record.page,
            size=record.size,
            connected=self._screens.is_connected(record),
            blackout=record.blackout,
            last_contact_s=self._screens.since_contact_s(record),
            clock_offset_ms=record.clock_offset_ms,
        )


def _name(name: str) -> str:
    """A name that a screen may have. Raises a Refusal (422)."""
    try:
        strict_json.read_as({"do": "rename", "to": name}, ScreenBody)
    except Malformed as problem:
        raise Refusal(422, problem.sentence) from problem
    return name


def _read(body: object) -> ScreenBody:
    """Raises a Refusal (422)."""
    try:
        read: ScreenBody = strict_json.read_as(body, ScreenBody)
    except Malformed as problem:
        raise Refusal(422, problem.sentence) from problem
    needed = NEEDS.get(read.do)
    for field in NEEDS.values():
        if (getattr(read, field) is None) == (field == needed):
            raise Refusal(422, Sentence("screen.form", action=read.do, field=needed or "do"))
    return read
