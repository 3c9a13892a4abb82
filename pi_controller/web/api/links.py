"""How devices come in: QR codes, the way for phones, one-time links for log-ins."""

import io
import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated

import msgspec
import segno
from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.game.claims import board_key
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.messages import AskSeatCodes
from pi_controller.roster.seat_codes import seat_address
from pi_controller.sentence import Sentence
from pi_controller.settings.sections import WebSettings
from pi_controller.vocabulary import Side
from pi_controller.web.http.access import LONGEST_NAME, LogInLink, Way, is_name, login_path
from pi_controller.web.http.connections import Listening
from pi_controller.web.http.guard import Login
from pi_controller.web.http.routes import PERSON, Done, Refusal, Role, get, post

# What phones in the hall scan from its screen: the Wi-Fi first, where the settings name one, then the address
# of their page. No link or code of the staff ever stands there.


PAGE = "/phone"
ESCAPED = '\\;,:"'
"""Signs that have a meaning in the text of a Wi-Fi's code."""
BORDER = 2
"""Modules of white around a code: what reads from a screen needs, on a white card."""
SVG = {"Content-Type": "image/svg+xml", "Cache-Control": "no-cache"}


class Join(Struct):
    """How a phone comes in."""

    wifi: Annotated[str | None, Meta(description="Its name; null without one.")]
    address: Annotated[str, Meta(description="Of the page for phones, to type.")]
    claims: Annotated[
        str | None, Meta(description="Of the page with which phones may claim; null: the same address.")
    ]
    seat_codes: Annotated[bool, Meta(description="Whether a phone with a seat code may claim.")]
    served: Annotated[
        bool, Meta(description="Whether other devices may open the pages, where there is a network.")
    ]


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


def qr_blocks(text: str) -> str:
    """As lines of block letters, for a terminal with light letters on dark ground or the other way round."""
    lines = io.StringIO()
    segno.make_qr(text, error="l").terminal(lines, border=BORDER, compact=True)
    return lines.getvalue().rstrip("\n")


# Links for one device each: made with role and name, listed, revoked.


class LinkBody(msgspec.Struct, forbid_unknown_fields=True):
    """Of `POST /api/login-link`."""

    role: Role = "director"
    name: str = ""


class RevokeBody(msgspec.Struct, forbid_unknown_fields=True):
    """Of `POST /api/links/revoke`."""

    id: str


class LoginLinkView(msgspec.Struct, kw_only=True):
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

    links: list[LoginLinkView]


class NewLinkView(msgspec.Struct, kw_only=True):
    """Of `POST /api/login-link`. `path` and `address` lead to the same page; `qr` is the address."""

    path: str
    address: str
    qr: QrCode
    link: LoginLinkView


class LinksApi:
    def __init__(
        self, login: Login, listeners: Listening, settings: WebSettings, *, phones_claim: Callable[[], bool]
    ) -> None:
        """`phones_claim`: whether phones with a seat code may."""
        self._login = login
        self._links, self._files = login.tokens.links, login.tokens.files
        self._listeners = listeners
        self._phones_claim = phones_claim
        name, password = settings.wifi_name, settings.wifi_password
        self._wifi_name = name or None
        self._wifi = wifi_text(name, password) if name else None

    @post("/api/login-link", "director")
    async def make(self, request: web.Request, body: LinkBody) -> NewLinkView:
        """A one-time log-in link for one device, with a role and a name."""
        name = body.name.strip()
        if not is_name(name):
            raise Refusal(422, Sentence("web.link_name", most=LONGEST_NAME))
        link, token = await self._files.do(lambda: self._links.make(body.role, name, "link"))
        path = login_path(token)
        address = self._listeners.staff_address.for_asker(request) + path
        return NewLinkView(path=path, address=address, qr=qr_code(address), link=self._view(request, link))

    @get("/api/links", "director")
    async def all(self, request: web.Request) -> LinksView:
        """All links and log-ins that are good.

        The oldest first.
        """
        return LinksView([self._view(request, link) for link in self._links.all()])

    @post("/api/links/revoke", "director", also=(404,))
    async def revoke(self, _request: web.Request, body: RevokeBody) -> Done:
        """End a link, and the log-in of its device.

        Who is logged in by it is out at once.
        """
        if not await self._files.do(lambda: self._links.revoke(body.id)):
            raise Refusal(404, Sentence("web.no_such_link"))
        self._login.sweep()
        return Done(done=True)

    def _view(self, request: web.Request, link: LogInLink) -> LoginLinkView:
        return LoginLinkView(
            id=link.id,
            role=link.role,
            name=link.name,
            way=link.way,
            used=link.used,
            since=datetime.fromtimestamp(link.since.wall_s, UTC).isoformat(timespec="seconds"),
            ends_in_s=int(self._links.left_s(link)),
            own=link.id == request[PERSON].link,
        )

    @get("/api/join", "public", hall=True)
    async def ways(self, request: web.Request) -> Join:
        """How a phone comes in."""
        claims = self._listeners.claims
        where = None if claims is None else claims.for_asker(request) + PAGE
        served = not self._listeners.hall_address.is_here()
        return Join(self._wifi_name, self._phone_page(request), where, self._phones_claim(), served)

    @get("/join/{name}.svg", "public", hall=True, also=(404,), kind="text", media_type="image/svg+xml")
    async def picture(self, request: web.Request) -> web.StreamResponse:
        """QR code of the Wi-Fi or of the address for phones."""
        texts = {"wifi": self._wifi, "phone": self._phone_page(request)}
        text = texts.get(request.match_info["name"])
        if text is None:
            raise Refusal(404, Sentence("web.no_such_file"))
        return web.Response(body=qr_svg(text), headers=SVG)

    def _phone_page(self, request: web.Request) -> str:
        return self._listeners.hall_address.for_asker(request) + PAGE


# The seat codes of the boards, for a director who shows them to players' phones.


class SeatCode(Struct):
    """Of one seat. `qr` is the address, with which a phone has this seat."""

    board: str
    side: Side
    address: str
    qr: QrCode


class SeatCodesOfBoard(Struct):
    """Of `GET /api/seat-codes`."""

    seats: list[SeatCode]


class SeatCodesApi:
    def __init__(self, core: AsyncClient, listeners: Listening) -> None:
        self._core = core
        self._listeners = listeners

    @get("/api/seat-codes", "director", also=(503,))
    async def of_board(self, request: web.Request) -> SeatCodesOfBoard:
        """The seat codes of the board `?board=`, as addresses for phones.

        None where the roster has no such board; 503 while the settings allow no claims of phones.
        """
        board = board_key(request.query.get("board", ""))
        at = self._listeners.claims or self._listeners.hall_address
        address = at.for_asker(request)
        codes = (await self._core.ask(AskSeatCodes())).codes
        return SeatCodesOfBoard(
            [
                SeatCode(each.board, each.side, to := seat_address(address, each.code), qr_code(to))
                for each in codes
                if board_key(each.board) == board
            ]
        )
