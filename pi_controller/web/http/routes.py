"""What a route is: path, who may use it, and what the description of the interface says about it."""

import re
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, get_args

from aiohttp import web

# Who may do what: the roles of a log-in, and which of them each kind of access lets in.


Role = Literal["director", "judge", "moderator", "technician", "screen"]
ROLES: tuple[Role, ...] = get_args(Role)
Access = Literal["public", "here", "director", "judge", "moderator", "technician", "staff", "logged_in"]
"""Anybody; anybody at this machine itself and who works on the hall's hardware from elsewhere; the others by
their log-in."""
LET_IN: Mapping[Access, frozenset[Role]] = {
    "public": frozenset(ROLES),
    "here": frozenset({"director", "technician"}),
    "director": frozenset({"director"}),
    "judge": frozenset({"director", "judge"}),
    "moderator": frozenset({"director", "moderator"}),
    "technician": frozenset({"director", "technician"}),
    "staff": frozenset({"director", "judge", "moderator", "technician"}),
    "logged_in": frozenset(ROLES),
}
HOME: Mapping[Role, str] = {
    "director": "/director",
    "judge": "/judge",
    "moderator": "/moderator",
    "technician": "/technician",
    "screen": "/",
}
"""The page that a link of this role leads to."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks and has shown a log-in. `name` is empty where nobody has given one; `link` is None for the
    scripts' token. `number` stands for role and name wherever others may read it; 0 without a name."""

    role: Role
    name: str = ""
    link: str | None = None
    number: int = 0

    @property
    def source(self) -> str:
        """As a command says who gave it: `web` is a director without a name, or a script. Never a name: the
        journal keeps it, and anybody may have that."""
        nobody = self.role == "director" and self.number == 0
        return "web" if nobody else f"web:{self.role}:{self.number}"


PERSON = web.RequestKey("person", Person)
"""The request's own note of who asks; the guard makes it where a log-in was needed."""


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Kind = Literal["json", "page", "text", "socket"]

PLACE = re.compile(r"{(\w+)(?::[^}]*)?}")
FORM = "application/x-www-form-urlencoded"
REFUSALS = (401, 403, 413, 415, 429)
"""Answers to whoever must not change anything, or sends what is no small JSON."""
KEY = web.RequestKey("key", Hashable)
"""The request's own note of the key that it has shown, by which places are counted: `limits.HERE` for this
machine, which needs none, and None for a stranger."""
COMMAND_PATH = "/api/commands/{name}"
PUBLIC = frozenset(
    {
        "/",
        "/phone",
        "/overlay",
        "/report/{game}",
        "/replay/{game}",
        "/verify.html",
        "/verify.svg",
        "/verify_game.py",
        "/event/logo",
        "/static/{name}",
        "/static/words/{language}.json",
        "/static/words/{page}/{language}.json",
        "/join/{name}.svg",
        "/api/join",
        "/api/phone",
        "/api/seat",
        "/api/screen",
        "/api/state",
        "/api/feed",
        "/api/games",
        "/api/games/{id}/export",
        "/api/games/{id}/replay",
        "/api/games/{id}/replay/tables",
        "/api/games/{id}/report.{kind}",
    }
)
"""Patterns of what is served where the staff has an address of its own; all else is only there."""
CLAIMS = frozenset({"/api/seat"})
"""Those of them by which phones give commands: where the staff's address is encrypted, only there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row of the table; what is not in the table is refused."""

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    access: Access
    summary: str
    named: Mapping[str, Access] = field(default_factory=dict)
    """By what stands in the place `{name}` of the path: who else may use it then."""
    kind: Kind = "json"
    answers: tuple[int, ...] = (200,)
    answer_schema: str | None = None
    """Name under `components/schemas` of the JSON in a good answer."""
    body_schema: str | None = None
    """The same of the request's body, which may be left out."""
    media_type: str = "text/html"
    """Of a good answer that is not JSON."""
    takes_form: bool = False
    """Whether a page's own form may send it, beside JSON."""
    only_simulated: bool = False
    """404 unless core runs with simulated hardware."""

    @property
    def pattern(self) -> str:
        """The path as it is published: without the expressions of its places."""
        return PLACE.sub(r"{\1}", self.path)

    def access_as(self, name: str) -> Access:
        """Who may use it with this in the place `{name}` of its path."""
        return self.named.get(name, self.access)

    @property
    def changes(self) -> bool:
        """Whether a foreign web page must be kept from sending this."""
        return self.method == "POST" or self.kind == "socket"


@dataclass(frozen=True, slots=True)
class RouteTable:
    """All rows, found by method and path pattern."""

    rows: tuple[Route, ...]
    _found: dict[tuple[str, str], Route] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_found", {(row.method, row.pattern): row for row in self.rows})

    def row(self, request: web.Request) -> Route | None:
        """The row this request was routed to; None when the router or the table does not know it."""
        resource = request.match_info.route.resource
        method = "GET" if request.method == "HEAD" else request.method
        return None if resource is None else self._found.get((method, resource.canonical))

    def add_to(self, app: web.Application) -> None:
        """Register every row with the router."""
        for row in self.rows:
            if row.method == "GET":
                app.router.add_get(row.path, row.handler, allow_head=row.kind != "socket")
            else:
                app.router.add_post(row.path, row.handler)


get = partial(Route, method="GET")
post = partial(Route, method="POST")
socket = partial(get, kind="socket")
simulated_feed = partial(
    socket, access="here", only_simulated=True, answers=(101, 401, 403, 404, 426, 429, 503)
)
simulated_action = partial(
    post,
    access="here",
    only_simulated=True,
    answers=(200, 404, 408, 422, 503, *REFUSALS),
    answer_schema="done",
)
