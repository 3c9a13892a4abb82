"""The hall's screens: each opens a socket beside its feed, and the director lists and directs them."""

import io
import itertools
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
import segno
from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.protocol import strict_json
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence
from pi_controller.software import Software, known
from pi_controller.web.http.access import LONGEST_NAME, Link, Tokens, Way, is_name, login_path
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.bodies import LANGUAGE, Refusal, json_answer, own_answer, read_body, read_json
from pi_controller.web.http.limits import LoggedInSockets
from pi_controller.web.http.routes import PERSON, REFUSALS, Role, Route, get, post, socket
from pi_controller.web.live.broadcaster import listen
from pi_controller.web.live.core_link import CoreLink
from pi_controller.web.live.phones import PhoneBroadcaster
from pi_controller.web.live.screens import (
    PAGES,
    CannotDirect,
    CannotRegister,
    Name,
    Order,
    Page,
    ScreenRecord,
    Screens,
    Size,
    ToScreen,
)

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


# What phones in the hall scan from its screen: the Wi-Fi first, where the settings name one, then the address
# of their page. No link or code of the staff ever stands there.


PAGE = "/phone"
ESCAPED = '\\;,:"'
"""Signs that have a meaning in the text of a Wi-Fi's code."""
BORDER = 2
"""Modules of white around a code: what reads from a screen needs, on a white card."""
SVG = {"Content-Type": "image/svg+xml", "Cache-Control": "no-cache"}


@dataclass(frozen=True, slots=True)
class Ways:
    """How phones come in: the Wi-Fi, whose name may be empty, and where they find the controller."""

    wifi_name: str
    wifi_password: str
    address: PageAddress
    claims: PageAddress | None
    """Where alone phones may claim; None: at `address`."""


class JoinApi:
    """What the hall screen shows of these ways."""

    def __init__(self, ways: Ways) -> None:
        self._wifi = wifi_text(ways.wifi_name, ways.wifi_password) if ways.wifi_name else None
        self._name = ways.wifi_name
        self._address = ways.address
        self._claims = ways.claims

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/join",
                handler=self.ways,
                access="public",
                summary="How a phone comes in",
                answer_schema="join",
            ),
            get(
                path="/join/{name}.svg",
                handler=self.picture,
                access="public",
                kind="text",
                summary="QR code of the Wi-Fi or of the address for phones",
                answers=(200, 404),
                media_type="image/svg+xml",
            ),
        )

    async def ways(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/join`: the Wi-Fi's name, null where the settings name none, the address to type, and that
        of claims where it is another one."""
        claims = None if self._claims is None else self._claims.for_asker(request) + PAGE
        address = self._phone_page(request)
        return json_answer({"wifi": self._name or None, "address": address, "claims": claims})

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """`GET /join/wifi.svg` and `/join/phone.svg`."""
        texts = {"wifi": self._wifi, "phone": self._phone_page(request)}
        text = texts.get(request.match_info["name"])
        if text is None:
            raise Refusal(404, Sentence("web.no_such_file"))
        return web.Response(body=qr_svg(text), headers=SVG)

    def _phone_page(self, request: web.Request) -> str:
        return self._address.for_asker(request) + PAGE


def wifi_text(name: str, password: str) -> str:
    """What phones understand as the way into a Wi-Fi; without a password an open one."""
    kind = f"WPA;S:{_escaped(name)};P:{_escaped(password)}" if password else f"nopass;S:{_escaped(name)}"
    return f"WIFI:T:{kind};;"


@lru_cache(maxsize=16)
def qr_svg(text: str) -> bytes:
    """As a picture that fills its place."""
    picture = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        picture, kind="svg", border=BORDER, omitsize=True, xmldecl=False, light="#fff"
    )
    return picture.getvalue()


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in ESCAPED else sign for sign in text)


# The feed of the phones in the hall.


class PhonesApi:
    """As the feed of the whole picture, in places of its own."""

    def __init__(self, link: CoreLink, phones: PhoneBroadcaster) -> None:
        self._link = link
        self._phones = phones

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/phone",
                handler=self.socket,
                access="public",
                summary="WebSocket for phones: their part of the picture, now and on every change, and beats",
                answers=(101, 403, 426, 503),
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/phone`."""
        return await listen(request, self._phones, refresh=self._link.refresh)


# QR codes as a page draws them: one path of an SVG, so that no mark-up travels.


class QrCode(msgspec.Struct, frozen=True):
    """Dark modules as the `d` of an SVG path in a square of `size` by `size`, quiet zone included."""

    size: int
    path: str


def qr_code(text: str) -> QrCode:
    """For a camera at arm's length: a quarter of it may be damaged at most (error correction M or better)."""
    code = segno.make_qr(text, error="m")
    rows = list(code.matrix_iter(border=4))
    runs: list[str] = []
    for y, row in enumerate(rows):
        x = 0
        for dark, group in itertools.groupby(row):
            length = len(list(group))
            if dark:
                runs.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return QrCode(len(rows), "".join(runs))


# Links for one device each: made with role and name, listed, revoked.


class LinkBody(msgspec.Struct, forbid_unknown_fields=True):
    """Of `POST /api/login-link`."""

    role: Role = "director"
    name: str = ""


class RevokeBody(msgspec.Struct, forbid_unknown_fields=True):
    """Of `POST /api/links/revoke`."""

    id: str


class LinkView(msgspec.Struct, kw_only=True):
    """A link, used or not, as those who may revoke it see it."""

    id: str
    role: Role
    name: str
    way: Way
    used: bool
    since: str
    ends_in_s: int
    own: bool
    """Whether it is that of the device that asks."""


class LinksView(msgspec.Struct):
    """Of `GET /api/links`."""

    links: list[LinkView]


class NewLinkView(msgspec.Struct, kw_only=True):
    """Of `POST /api/login-link`. `path` and `address` lead to the same page; `qr` is the address."""

    path: str
    address: str
    qr: QrCode
    link: LinkView


class LinksApi:
    def __init__(self, tokens: Tokens, sockets: LoggedInSockets, address: PageAddress) -> None:
        self._links, self._files = tokens.links, tokens.files
        self._sockets = sockets
        self._address = address

    def routes(self) -> tuple[Route, ...]:
        return (
            post(
                path="/api/login-link",
                handler=self.make,
                access="director",
                summary="A one-time log-in link for one device, with a role and a name",
                answers=(200, 408, 422, *REFUSALS),
                answer_schema="login_link",
                body_schema="login_link_body",
            ),
            get(
                path="/api/links",
                handler=self.all,
                access="director",
                summary="All links and log-ins that are good",
                answers=(200, 401, 403, 429),
                answer_schema="links",
            ),
            post(
                path="/api/links/revoke",
                handler=self.revoke,
                access="director",
                summary="End a link, and the log-in of its device",
                answers=(200, 404, 408, 422, *REFUSALS),
                answer_schema="done",
                body_schema="revoke_body",
            ),
        )

    async def make(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/login-link`: for a further device."""
        body = await read_body(request, LinkBody)
        name = body.name.strip()
        if not is_name(name):
            raise Refusal(422, Sentence("web.link_name", most=LONGEST_NAME))
        link, token = await self._files.do(lambda: self._links.make(body.role, name, "link"))
        path = login_path(token)
        address = self._address.for_asker(request) + path
        view = NewLinkView(path=path, address=address, qr=qr_code(address), link=self._view(request, link))
        return json_answer(view)

    async def all(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/links`: the oldest first."""
        return json_answer(LinksView([self._view(request, link) for link in self._links.all()]))

    async def revoke(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/links/revoke`: who is logged in by it is out at once."""
        body = await read_body(request, RevokeBody)
        if not await self._files.do(lambda: self._links.revoke(body.id)):
            raise Refusal(404, Sentence("web.no_such_link"))
        self._sockets.sweep()
        return json_answer({"done": True})

    def _view(self, request: web.Request, link: Link) -> LinkView:
        return LinkView(
            id=link.id,
            role=link.role,
            name=link.name,
            way=link.way,
            used=link.used,
            since=datetime.fromtimestamp(link.since.wall_s, UTC).isoformat(timespec="seconds"),
            ends_in_s=int(self._links.left_s(link)),
            own=link.id == request[PERSON].link,
        )
