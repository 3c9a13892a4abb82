"""Routes, declared beside their handlers; the language of a request, its body and its answer as JSON."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints
from urllib.parse import urlencode

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.language.languages import chosen, tags_of_header
from pi_controller.language.words import WordedError, all_words
from pi_controller.protocol import strict_json
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import ChangeAnswer
from pi_controller.protocol.sentences import SentenceView, views
from pi_controller.sentence import Sentence

BODY_LIMIT = 64 * 1024
"""Bytes of a request body; a line of the control socket takes no more either."""
BODY_PATIENCE_S = 5.0
"""A body that takes longer to arrive is given up."""
FORM = "application/x-www-form-urlencoded"
POLICY = "Content-Security-Policy"
SECURITY_HEADERS = {
    POLICY: "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "Server": "pi-controller",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""On every answer, those that reach no route too; `Server` hides the library's name and version. One page
has a policy of its own."""

BodyT = TypeVar("BodyT")
HandlerT = TypeVar("HandlerT", bound=Callable[..., Awaitable[Any]])
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

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


# What the guard notes at a request for its handler.

PERSON = web.RequestKey("person", Person)
"""Who asks, where a log-in was needed."""
KEY = web.RequestKey("key", Hashable)
"""The key that was shown, by which places are counted: `limits.HERE` for this machine, which needs none, and
None for a stranger."""
LANGUAGE = web.RequestKey("language", str)
"""The language that whoever asks is to read."""


class Refusal(WordedError):  # noqa: N818 - the word of the contract
    """The request is not served: `status` and one sentence that says what is wrong and what to do.

    `not_started` is core's own sentence when it does not start at all.
    """

    def __init__(
        self,
        status: int,
        sentence: Sentence,
        headers: Mapping[str, str] | None = None,
        not_started: Sentence | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = dict(headers or {})
        self.not_started = not_started


class Declined(Refusal):
    """Nothing was changed: 409, the sentence is the only reason in the answer to a change."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(409, sentence)


# Routes. What is not declared is refused.

COMMAND_PATH = "/api/commands/{name}"
PLACE = re.compile(r"{(\w+)(?::[^}]*)?}")


class Done(Struct):
    """It is done."""

    done: Literal[True]


class ChangeView(Struct):
    """What is answered to a change."""

    accepted: Annotated[bool, Meta(description="An effectless repeat is accepted, too.")]
    reasons: Annotated[list[str], Meta(description="Empty when accepted.")]
    reason_keys: Annotated[
        list[SentenceView], Meta(description="The same before they were put into words.")
    ] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """`handler` takes the request, and its body where that has a type. It answers with a response of its own;
    with a value, which becomes JSON; or with core's word on a change, or nothing once it has made one."""

    method: Literal["GET", "POST"]
    path: str
    handler: Callable[..., Awaitable[Any]]
    access: Access
    summary: str
    hall: bool = False
    """Whether it is served where the staff has an address of its own, too; all else is only there."""
    claims: bool = False
    """Whether phones give commands by it: where the staff's address is encrypted, only there."""
    also: tuple[int, ...] = ()
    """Statuses of answers besides those that follow from the rest."""
    kind: Literal["json", "page", "text", "socket"] = "json"
    named: Mapping[str, Access] = field(default_factory=dict)
    """By what stands in the place `{name}` of the path: who else may use it then."""
    body: Any = None
    """Type of the body, which may be left out; None: there is none."""
    takes_body: bool = False
    """The handler is given the body; otherwise it reads it itself, as what it is depends on more."""
    answer: Any = None
    """Type of the JSON in a good answer, of a socket of what is sent; None: it is not JSON."""
    media_type: str = "text/html"
    """Of a good answer that is not JSON."""
    good: int = 200
    """Status of a good answer."""
    takes_form: bool = False
    """Whether a page's own form may send it, beside JSON."""
    only_simulated: bool = False
    """404 unless core runs with simulated hardware."""

    @property
    def pattern(self) -> str:
        """The path as it is published: without the expressions of its places."""
        return PLACE.sub(r"{\1}", self.path)

    @property
    def changes(self) -> bool:
        """Whether a foreign web page must be kept from sending this."""
        return self.method == "POST" or self.kind == "socket"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """For the router. Raises what the handler raises; Refusal (408, 413), Malformed for its body."""
        if self.takes_body:
            said = await self.handler(request, await read_body(request, self.body))
        else:
            said = await self.handler(request)
        if isinstance(said, web.StreamResponse):
            return said
        if said is None:
            return own_answer(request[LANGUAGE])
        if isinstance(said, ChangeAnswer):
            return change_answer(said.reasons, said.reason_keys, request[LANGUAGE])
        return json_answer(said)


DECLARED: dict[Callable[..., Any], Route] = {}
"""All routes of the modules that were loaded, by their handlers."""


def route(path: str, access: Access, **more: Any) -> Callable[[HandlerT], HandlerT]:
    """Declare what follows to be the handler of this route; `more`: fields of `Route`. The summary is the
    first paragraph of the handler's docstring. The types of body and answer are those of the handler's own
    `body` and result where `more` does not give them."""

    def declare(handler: HandlerT) -> HandlerT:
        summary = " ".join((handler.__doc__ or "").partition("\n\n")[0].split()).removesuffix(".")
        hints = get_type_hints(handler, include_extras=True)
        answer = hints["return"]
        if answer in {type(None), ChangeAnswer}:
            answer = ChangeView
        elif isinstance(answer, type) and issubclass(answer, web.StreamResponse):
            answer = None
        more.setdefault("body", hints.get("body"))
        more.setdefault("answer", answer)
        DECLARED[handler] = Route(
            path=path, access=access, summary=summary, handler=handler, takes_body="body" in hints, **more
        )
        return handler

    return declare


get = partial(route, method="GET")
post = partial(route, method="POST")
socket = partial(get, kind="socket", good=101, answer=None)


def routes_of(*parts: object) -> tuple[Route, ...]:
    """The routes whose handlers are methods of these, in the order of their declaration."""
    return tuple(
        replace(DECLARED[member], handler=getattr(part, name))
        for part in parts
        for name, member in vars(type(part)).items()
        if callable(member) and member in DECLARED
    )


# The language that a request is answered in.

PARAMETER = "lang"
"""Of an address, for that page alone."""
COOKIE = "language"
"""A person's choice, which a page has kept."""
REQUESTS_KEPT = 64
"""Choices that were made before: a whole hall has few kinds of browsers."""


@dataclass(slots=True)
class RequestLanguages:
    """`hall`: its languages as core says them, the first one for whoever asks for none that there is."""

    hall: tuple[str, ...]

    def of(self, request: web.Request) -> str:
        """The language of `?lang=`, else the kept choice, else the browser's, else the hall's first. What
        names no language counts as not said."""
        header = ",".join(request.headers.getall("Accept-Language", []))
        return self.asked_for(request) or _of_browser(header, self.hall) or self.hall[0]

    def asked_for(self, request: web.Request) -> str | None:
        """The language that somebody chose for this page or this browser; None: nobody has."""
        said = (request.query.get(PARAMETER, ""), request.cookies.get(COOKIE, ""))
        return chosen(said, self.hall) if any(said) else None


@lru_cache(REQUESTS_KEPT)
def _of_browser(header: str, hall: tuple[str, ...]) -> str | None:
    return chosen(tags_of_header(header), hall)


def way(request: web.Request, path: str, **query: str) -> str:
    """The address of this page of ours, with the language that the request's own address has chosen."""
    if chosen([request.query.get(PARAMETER, "")], (request[LANGUAGE],)) is not None:
        query[PARAMETER] = request[LANGUAGE]
    return f"{path}?{urlencode(query, safe='/')}" if query else path


def language_headers(language: str) -> dict[str, str]:
    """Of an answer whose words are in this language because of who asked (RFC 9110, 8.5 and 12.5.5)."""
    return {"Content-Language": language, "Vary": "Accept-Language, Cookie"}


# Bodies and answers.


async def read_bytes(request: web.Request) -> bytes:
    """The body as it came. Refusal 408 (too slow), 413 (too large)."""
    if not request.can_read_body:
        return b""
    try:
        async with asyncio.timeout(BODY_PATIENCE_S):
            return await request.read()
    except TimeoutError:
        raise Refusal(408, Sentence("web.body_too_slow")) from None


async def read_json(request: web.Request) -> object:
    """The body's JSON value, None for no body. Refusal 408 (too slow), 413 (too large); Malformed."""
    raw = await read_bytes(request)
    return strict_json.decode(raw) if raw else None


async def read_body(request: web.Request, expected: type[BodyT]) -> BodyT:
    """The body as this type. Malformed when it is none, and what `read_json` raises."""
    value = await read_json(request)
    read: BodyT = strict_json.read_as({} if value is None else value, expected)
    return read


async def read_action(
    request: web.Request, expected: Any, may_say: Collection[str] | None, wrong: Sentence, **more: str
) -> Any:
    """The `expected` that the body and these fields `more`, of which `do` is one, make together. Refusal
    (422), with `wrong` where the body is no object or has others than it may say; None: all but `do`."""
    value = await read_json(request)
    fields = {} if value is None else value
    if not isinstance(fields, dict) or "do" in fields or (may_say and fields.keys() - may_say):
        raise Refusal(422, wrong)
    try:
        return strict_json.read_as({**more, **fields}, expected)
    except Malformed as problem:
        said = Sentence("request.of_command", command=more["do"], problem=problem.sentence)
        raise Refusal(422, said) from problem


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """This value as JSON that no cache keeps."""
    answer = web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", charset="utf-8"
    )
    answer.headers["Cache-Control"] = "no-store"
    answer.headers.update(headers or {})
    return answer


def made(
    body: bytes, media_type: str, language: str | None = None, *, name: str = "", **more: Any
) -> web.Response:
    """What was made for who asks, in this language where it has one, and no cache keeps; with a `name` a
    browser saves it. `more`: of the response."""
    headers = {"Content-Type": media_type, "Cache-Control": "no-store"}
    if language is not None:
        headers |= language_headers(language)
    if name:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return web.Response(body=body, headers=headers, **more)


def change_answer(reasons: list[str], keys: list[SentenceView], language: str) -> web.Response:
    """200 done, or 409 with the reasons in this language and their keys."""
    value = ChangeView(not reasons, reasons, keys)
    return json_answer(value, 409, language_headers(language)) if reasons else json_answer(value)


def own_answer(language: str, *reasons: Sentence) -> web.Response:
    """The same with reasons of the web side."""
    return change_answer(all_words(reasons, language), views(reasons), language)
