"""Links for one device each: made with role and name, listed, revoked."""

from datetime import UTC, datetime

import msgspec
from aiohttp import web

from pi_controller.sentence import Sentence
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.bodies import Refusal, json_answer, read_body
from pi_controller.web.http.links import LONGEST_NAME, Link, Way, is_name, login_path
from pi_controller.web.http.logged_in import LoggedInSockets
from pi_controller.web.http.qr import QrCode, qr_code
from pi_controller.web.http.roles import PERSON, Role
from pi_controller.web.http.routes import REFUSALS, Route, get, post
from pi_controller.web.http.tokens import Tokens


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
