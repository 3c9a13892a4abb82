"""Who asks, and from where; what stands before every handler: host, route, origin, access, body, in this
order; default deny.

A one-time link or the PIN becomes a session cookie; scripts send the bearer token. Guessing is throttled.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Never, Protocol
from urllib.parse import parse_qsl

from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.defects import awaited_value_of
from pi_controller.hal.system.file_thread import DiskSlow
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.protocol import messages
from pi_controller.protocol.async_client import AsyncClient, look_for_refusal
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.software import Software, known
from pi_controller.web.http.access import (
    SESSION_LASTS_S,
    Credential,
    KeyFault,
    PinFault,
    PinFile,
    Tokens,
    is_pin,
)
from pi_controller.web.http.addresses import WILDCARDS, PageAddress, host_name, is_loopback, plain
from pi_controller.web.http.connections import INTERNAL_ERROR, HttpProtocol, closing_frame
from pi_controller.web.http.limits import (
    BROKEN_OFF,
    HERE,
    ConnectionLimiter,
    DefectCounter,
    GuessLimit,
    ShownKey,
)
from pi_controller.web.http.routes import (
    BODY_LIMIT,
    COMMAND_PATH,
    FORM,
    HOME,
    KEY,
    LANGUAGE,
    LET_IN,
    PERSON,
    POLICY,
    SECURITY_HEADERS,
    Declined,
    Handler,
    Person,
    Refusal,
    RequestLanguages,
    Role,
    Route,
    get,
    json_answer,
    language_headers,
    own_answer,
    post,
    read_bytes,
    read_json,
    way,
)
from pi_controller.web.http.static_files import Pages, refusal_page

LOG_IN_ENDED = 4401
"""The code with which a socket closes whose log-in has ended (a private one, RFC 6455, 7.4.2)."""
LOOK_S = 0.5
LOOK_PATIENCE_S = 1.0

LOG = logging.getLogger(__name__)


class LoginBody(Struct):
    """Of `POST /login`."""

    token: Annotated[str, Meta(description="What stands in the link after `token=`.")]


class PinBody(Struct):
    """Of `POST /api/pin`."""

    pin: Annotated[str, Meta(pattern="^[0-9]{6}$")]


class Session(Struct, kw_only=True):
    """Who is logged in here."""

    director: Annotated[bool, Meta(description="Whether the role is that of the director.")]
    role: Annotated[Role | None, Meta(description="Of the one who asks; null without a log-in.")]
    name: Annotated[str, Meta(description="Of the one who asks; may be empty.")]
    number: Annotated[int, Meta(description="Of the person, as in sources; 0 without a name.")]
    ends_in_s: Annotated[int | None, Meta(description="Seconds; null: no end of its own.")]
    pin: Annotated[bool, Meta(description="Whether there is a PIN to log in with.")]
    hall: Annotated[str, Meta(description="The hall's name; may be empty.")]
    software: Software


class Login:
    """Says who asks, and serves the log-in routes."""

    def __init__(
        self,
        *,
        tokens: Tokens,
        pin: PinFile,
        hall: str,
        pages: Pages,
        core: AsyncClient,
        boot_s: Callable[[], float],
    ) -> None:
        """`hall`: its name, which may be empty."""
        self.tokens = tokens
        self._files = tokens.files
        pin.is_set()
        self._hall = hall
        self._pin = pin
        self._token_guesses = GuessLimit(boot_s)
        self._pin_guesses = GuessLimit(boot_s)
        """Of its own: who guesses PINs does not lock out links and scripts, whose tokens nobody guesses."""
        self._core = core
        self._pages = pages
        self._sockets: dict[asyncio.Transport, Credential] = {}
        """Open ones of those who are logged in: each ends with the log-in that opened it."""

    async def keep_looking(self) -> Never:
        """What another process has made or revoked counts within about LOOK_S."""

        def look() -> None:
            self.tokens.look()
            with contextlib.suppress(OSError):  # told of by the tokens, which lie in the same folder
                self._pin.is_set()

        while True:
            await asyncio.sleep(LOOK_S)
            with contextlib.suppress(DiskSlow):
                await self._files.do(look)

    @contextlib.contextmanager
    def socket(self, transport: asyncio.Transport, credential: Credential) -> Iterator[None]:
        """This connection is a socket for the length of the block, on the strength of this credential."""
        self._sockets[transport] = credential
        try:
            yield
        finally:
            del self._sockets[transport]

    def sweep(self) -> None:
        """End the sockets whose log-in has ended, with the reason if it leaves at once: who does not read may
        not stay for that. To be called about once a second and after each log-out."""
        for transport, credential in tuple(self._sockets.items()):
            if transport.is_closing() or self.tokens.is_good(credential):
                continue
            transport.write(closing_frame(LOG_IN_ENDED))
            if transport.get_write_buffer_size():
                transport.abort()
            else:
                transport.close()

    def offered(self, request: web.Request) -> Credential:
        """What the request shows, whether it is good or not; without anything an empty cookie."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return Credential("bearer", token.strip())
        return Credential("session", request.cookies.get(self.tokens.cookie, ""))

    def still(self, request: web.Request) -> Person | None:
        """Who has opened this socket, as long as that log-in is good."""
        return self.tokens.person(self.offered(request))

    async def who(self, request: web.Request) -> tuple[Credential, Person] | None:
        """Who asks and what shows it; None when nothing does. For what is not known the files are looked at,
        for LOOK_PATIENCE_S at most: then what is known counts.

        Raises a Refusal for a wrong bearer token (401) and for too many of them (429); KeyFault.
        """
        offered = self.offered(request)
        person = self.tokens.person(offered)
        if person is None and offered.value:
            with contextlib.suppress(DiskSlow):
                await self._files.do(self.tokens.look, patience_s=LOOK_PATIENCE_S)
            person = self.tokens.person(offered)
        if person is not None:
            return offered, person
        if offered.kind == "session":
            return None
        _count_wrong(self._token_guesses, request)
        raise Refusal(401, Sentence("web.bearer_wrong"), {"WWW-Authenticate": "Bearer"})

    @get("/login", "public", kind="page", also=(304,))
    async def page(self, request: web.Request) -> web.StreamResponse:
        """How to log in; with `?token=` it asks whether to use the one-time link.

        Looking at a link, as the preview of a message does, changes nothing.
        """
        return self._pages.page(request, "login.html")

    @post("/login", "public", takes_form=True, body=LoginBody, good=303, also=(429,))
    async def enter(self, request: web.Request) -> web.StreamResponse:
        """Log in with the token of a one-time link, sent as JSON, as a form or in the address.

        The token of a one-time link becomes a session. With a used link whoever is logged in goes on as
        who they are: *Back* leads to the address of the link.
        """
        token = request.query.get("token") or await _sent_token(request)
        entered = await self._files.do(lambda: self.tokens.links.enter(token))
        person = self._of_cookie(request) if entered is None else entered[0].person
        if person is None:
            _count_wrong(self._token_guesses, request)
            raise Refusal(403, Sentence("web.link_used_up"))
        headers = {"Location": way(request, HOME[person.role]), "Cache-Control": "no-store"}
        answer = web.Response(status=303, headers=headers)
        if entered is not None:
            self._set_cookie(request, answer, entered[1])
        return answer

    @post("/api/pin", "public", body=PinBody, answer=Session, also=(404, 429, 503))
    async def pin(self, request: web.Request) -> web.StreamResponse:
        """Log in with the PIN.

        The PIN becomes a session. One guess is looked at at a time, so that none slips past the limit
        while another is computed, and who guesses holds up nobody else.
        """
        body, address = await read_json(request), request.remote or ""
        guess = body.get("pin") if isinstance(body, dict) else None
        if not is_pin(guess):
            raise Refusal(422, Sentence("web.pin_has_six_digits"))
        async with self._pin_guesses.turn(address):
            _check(self._pin_guesses, request)
            if not await self._is_right(str(guess)):
                await self._guessed(address)
                raise Refusal(403, Sentence("web.pin_wrong"))
        cookie = await self._files.do(self.tokens.new_session)
        answer = json_answer(self._said(self.tokens.person(Credential("session", cookie))))
        self._set_cookie(request, answer, cookie)
        return answer

    @get("/api/session", "public", also=(401, 429))
    async def session(self, request: web.Request) -> Session:
        """Who is logged in here: role, name, and for how much longer."""
        found = await self.who(request)
        return self._said(None if found is None else found[1])

    @post("/api/logout", "logged_in", answer=Session)
    async def logout(self, request: web.Request) -> web.StreamResponse:
        """End this session.

        It is over, also for a copy of its cookie.
        """
        found = self._of_cookie(request)
        link = None if found is None else found.link
        if link is not None:
            await self._files.do(lambda: self.tokens.links.revoke(link))
            self.sweep()
        answer = json_answer(self._said(None))
        answer.del_cookie(self.tokens.cookie, path="/")
        return answer

    def _of_cookie(self, request: web.Request) -> Person | None:
        return self.tokens.person(Credential("session", request.cookies.get(self.tokens.cookie, "")))

    async def _is_right(self, guess: str) -> bool:
        def look() -> bool:
            if not self._pin.is_set():
                raise Refusal(404, Sentence("web.no_pin"))
            return self._pin.matches(guess)

        try:
            return await self._files.do(look)
        except PinFault as fault:
            raise Refusal(503, fault.sentence) from fault

    async def _guessed(self, address: str) -> None:
        """Count a wrong PIN, and tell core, which warns the director when there are many."""
        LOG.warning("a wrong PIN came from %s", address)
        wrong = self._pin_guesses.wrong(address)
        if not wrong:
            return
        try:
            await self._core.ask(messages.AskPinGuesses(wrong=wrong))
        except (NoCore, CoreTrouble, Malformed) as trouble:
            LOG.warning("core was not told of it: %s", trouble)

    def _set_cookie(self, request: web.Request, answer: web.Response, cookie: str) -> None:
        """One that came over TLS never leaves over plain HTTP."""
        answer.set_cookie(
            self.tokens.cookie,
            cookie,
            max_age=int(SESSION_LASTS_S),
            path="/",
            httponly=True,
            samesite="Strict",
            secure=request.secure,
        )

    def _said(self, person: Person | None) -> Session:
        left_s = None if person is None else self.tokens.left_s(person)
        return Session(
            director=person is not None and person.role == "director",
            role=None if person is None else person.role,
            name="" if person is None else person.name,
            number=0 if person is None else person.number,
            ends_in_s=None if left_s is None else int(left_s),
            pin=self._pin.known,
            hall=self._hall,
            software=known(),
        )


async def _sent_token(request: web.Request) -> str:
    """The token in the body, which is JSON or what a form sends. Raises a Refusal (422)."""
    if request.content_type == FORM:
        sent: object = dict(parse_qsl((await read_bytes(request)).decode("ascii", "replace")))
    else:
        sent = await read_json(request)
    token = sent.get("token") if isinstance(sent, dict) else None
    if isinstance(token, str) and token:
        return token
    raise Refusal(422, Sentence("web.link_token_missing"))


def _count_wrong(limit: GuessLimit, request: web.Request) -> None:
    """What was sent is wrong. Raise a Refusal (429) when that has happened too often, so that guesses are
    limited and what is right always passes."""
    _check(limit, request)
    limit.wrong(request.remote or "")


def _check(limit: GuessLimit, request: web.Request) -> None:
    """Raise a Refusal (429) when this address, or all together, have guessed too often."""
    wait_s = limit.wait_s(request.remote or "")
    if wait_s > 0:
        said = Sentence("web.too_many_guesses", count=int(wait_s // 60) + 1)
        raise Refusal(429, said, {"Retry-After": str(int(wait_s) + 1)})


# Where a request comes from: the name it was sent to, the page that sent it, the client's address.
#
# Against DNS rebinding, forms and sockets of foreign pages, and clients that hide behind others.


LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
FORWARDED_FOR = "X-Forwarded-For"
SIGNS_OF_A_PROXY = (FORWARDED_FOR, "Forwarded", "X-Real-IP", "Via")
BEHIND_A_PROXY = "behind a proxy"
"""In the place of an address that nobody trustworthy names: all of these are limited as if they were one."""


def host_names(bound: Iterable[str], allowed: Iterable[str], machine_name: str) -> frozenset[str]:
    """Names under which this machine may be asked: loopback, the bound name, the settings' names."""
    names = {name.lower().rstrip(".") for name in (*allowed, machine_name) if name}
    names.add(f"{machine_name.lower()}.local")
    return LOCAL_NAMES | names | ({host.lower() for host in bound} - WILDCARDS)


def check_host(request: web.Request, own: frozenset[str]) -> None:
    """Raise a Refusal (421) unless the Host header names this machine, by an own name or by the address at
    which the connection arrived: a page can bend a name to it, never the number itself."""
    host = host_name(request.headers.get("Host", ""))
    if host in own or (host and host == _arrival_address(request)):
        return
    raise Refusal(421, Sentence("web.other_name"))


def client_address(request: web.Request, trusted: frozenset[str]) -> str:
    """The address that limits count. This machine's own only when no other one asked through it. `trusted`:
    addresses of the proxies whose X-Forwarded-For is believed (`web.trusted_proxies`)."""
    peer = plain(request.remote or "")
    if peer in trusted:
        return _asked_for(request, trusted) or peer
    if is_loopback(peer) and any(name in request.headers for name in SIGNS_OF_A_PROXY):
        return BEHIND_A_PROXY
    return peer


def _asked_for(request: web.Request, trusted: frozenset[str]) -> str | None:
    """The last address that is no proxy of ours: what stands before it anybody may have written."""
    named = ",".join(request.headers.getall(FORWARDED_FOR, [])).split(",")
    for address in (plain(text.strip()) for text in reversed(named)):
        if address not in trusted:
            return address or (None if named == [""] else BEHIND_A_PROXY)
    return None


def check_origin(request: web.Request, *, with_cookie: bool) -> None:
    """Raise a Refusal (403) when a foreign page sent this.

    A browser says where a POST or a socket comes from; one that does not may not act with a session cookie.
    """
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site")
    if origin is not None and not _same_host(origin, request.headers.get("Host", "")):
        raise Refusal(403, Sentence("web.other_site"))
    if site is not None and site not in {"same-origin", "none"}:
        raise Refusal(403, Sentence("web.other_site"))
    if with_cookie and origin is None and site is None:
        raise Refusal(403, Sentence("web.page_not_said"))


def _same_host(origin: str, host: str) -> bool:
    scheme, separator, netloc = origin.partition("://")
    return bool(separator) and scheme in {"http", "https"} and netloc.lower() == host.lower()


def _arrival_address(request: web.Request) -> str:
    transport = request.transport
    name = None if transport is None else transport.get_extra_info("sockname")
    return str(name[0]).removeprefix("::ffff:") if isinstance(name, tuple) else ""


# The guard: what stands before every handler.


class CoreStatus(Protocol):
    """What is known of core; `live/`, which knows it, stands above."""

    simulated: bool
    """Whether it runs with simulated hardware; False until it has said so."""
    seq: int
    """The newest change that was seen."""


@dataclass(kw_only=True, eq=False)
class Guard:
    """Lets only what a route allows through to its handler. Whatever a handler raises, the one who asked is
    answered."""

    rows: tuple[Route, ...]
    languages: RequestLanguages
    host_names: frozenset[str]
    trusted_proxies: frozenset[str]
    staff_address: PageAddress
    login: Login
    core: CoreStatus
    limiter: ConnectionLimiter
    other_key: Callable[[web.Request], ShownKey | None]
    """The key that a request shows of a screen or a seat."""
    state_dir: Path
    """In it a core that does not start leaves its sentence."""
    defects: DefectCounter

    def __post_init__(self) -> None:
        self.app = web.Application(middlewares=[self._serve], client_max_size=BODY_LIMIT)
        self.app.on_response_prepare.append(add_security_headers)
        self._routes: dict[web.AbstractRoute, Route] = {}
        for row in self.rows:
            resource = self.app.router.add_resource(row.path)
            for method in ("GET", "HEAD") if row.method == "GET" and row.kind != "socket" else (row.method,):
                self._routes[resource.add_route(method, row.serve)] = row

    @web.middleware
    async def _serve(self, request: web.Request, handler: Handler) -> web.StreamResponse:  # noqa: ARG002
        with self.limiter.serving(request):
            answer = await awaited_value_of(self._answer(request))
            return self._broke_off(request, answer) if isinstance(answer, Exception) else answer

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        row: Route | None = None
        request[LANGUAGE] = self.languages.of(request)
        try:
            check_host(request, self.host_names)
            address = client_address(request, self.trusted_proxies)
            if address != request.remote:
                request = request.clone(remote=address)
            row = self._routes.get(request.match_info.route)
            if row is None:
                raise _no_route(request)
            listener = request.protocol.listener if isinstance(request.protocol, HttpProtocol) else None
            if listener and listener.only_hall and not (row.hall and (listener.claims or not row.claims)):
                return self._elsewhere(request, row)
            credential = await self._admit(request, row)
            if row.kind != "socket" or credential is None or request.transport is None:
                return await row.serve(request)
            with self.login.socket(request.transport, credential):
                return await row.serve(request)
        except Refusal as problem:
            why = problem
        except NOT_SERVED as problem:
            why = await refusal_of(problem, self.state_dir)
        except web.HTTPRequestEntityTooLarge:
            why = _too_large()
        try:
            return refused(request, row, why, seq=self.core.seq)
        finally:
            del why  # its traceback leads back to here: only the garbage collector would find such a ring

    async def _admit(self, request: web.Request, row: Route) -> Credential | None:
        """What lets the one who asks in, None where nothing is needed; noted with the request are who it is
        and the key by which its places are counted. Raises a Refusal; KeyFault."""
        access = row.named.get(request.match_info.get("name", ""), row.access)
        address = request.remote or ""
        free = access == "public" or (access == "here" and is_loopback(address))
        found = None if free else await self.login.who(request)
        credential = None if found is None else found[0]
        if row.changes:
            check_origin(request, with_cookie=credential is not None and credential.kind == "session")
        if found is not None:
            request[PERSON] = person = found[1]
            if person.role not in LET_IN[access]:
                raise Refusal(403, Sentence("web.other_role"))
        elif not free:
            raise Refusal(401, Sentence("web.needs_log_in"), {"WWW-Authenticate": "Bearer"})
        if row.only_simulated and not self.core.simulated:
            raise Refusal(404, Sentence("web.only_simulated"))
        if row.method == "POST" and request.can_read_body:
            _check_body(request, row)
        # Who has shown a key, and this machine itself, find a place when others do not.
        shown, is_good = credential or self.login.offered(request), self.login.tokens.is_good
        if credential is not None or (shown.value and is_good(shown)):
            key: ShownKey | None = ShownKey(shown, partial(is_good, shown))
        else:
            key = self.other_key(request)
        if key is not None:
            request[KEY] = key.holder
            self.limiter.shown(request, key)
        else:
            request[KEY] = HERE if is_loopback(address) else None
        return credential

    def _broke_off(self, request: web.Request, error: Exception) -> web.StreamResponse:
        """What is answered when a handler has raised this; who has gone meanwhile is nobody's mistake."""
        if isinstance(error, web.HTTPException):
            raise error
        row = self._routes.get(request.match_info.route)
        transport, socket = request.transport, row is not None and row.kind == "socket"
        begun = request.writer is not None and request.writer.output_size > 0
        gone = transport is None or transport.is_closing()
        if not (isinstance(error, ConnectionError) and (gone or (begun and socket))):
            self.defects.told(error, f"{request.method} {request.path}")
        error.__traceback__ = None  # it leads back to here: only the garbage collector would find such a ring
        request.setdefault(LANGUAGE, ENGLISH)
        why = Refusal(500, BROKEN_OFF)
        answer = refused(request, row, why, seq=self.core.seq)
        answer.force_close()
        if begun and transport is not None:  # half an answer is out: there is no place for another one
            if socket and not gone:
                transport.write(closing_frame(INTERNAL_ERROR, words(why.sentence, request[LANGUAGE])))
                transport.close()
            else:
                transport.abort()
        return answer

    def _elsewhere(self, request: web.Request, row: Route) -> web.StreamResponse:
        """For who asks for the staff's pages at the address of the hall; anything else is not there."""
        if row.kind != "page":
            raise Refusal(404, Sentence("web.at_staff_address"))
        address = self.staff_address.for_asker(request) + request.path_qs
        return web.Response(status=303, headers={"Location": address, "Cache-Control": "no-store"})


async def add_security_headers(_request: web.Request, answer: web.StreamResponse) -> None:
    """For `on_response_prepare`: no answer leaves without them; a route may have a policy of its own."""
    policy = answer.headers.get(POLICY, SECURITY_HEADERS[POLICY])
    answer.headers.update(SECURITY_HEADERS | {POLICY: policy})


NOT_SERVED = (Malformed, KeyFault, DiskSlow, NoCore, CoreTrouble)
"""What a handler may raise, besides a Refusal, for reasons that whoever asks is told."""


async def refusal_of(
    problem: Malformed | KeyFault | DiskSlow | NoCore | CoreTrouble, state_dir: Path
) -> Refusal:
    """`state_dir`: in it a core that does not start leaves its sentence."""
    if isinstance(problem, Malformed):
        return Refusal(422, problem.sentence)
    if isinstance(problem, KeyFault):
        return Refusal(503, problem.sentence)
    if isinstance(problem, DiskSlow):
        return Refusal(503, problem.sentence, {"Retry-After": "5"})
    return Refusal(503, problem.sentence, {"Retry-After": "1"}, await look_for_refusal(state_dir))


def refused_value(why: Refusal, language: str) -> dict[str, object]:
    """The JSON of a refusal, in this language."""
    value: dict[str, object] = {"error": words(why.sentence, language), "reason_keys": [view(why.sentence)]}
    if why.not_started is not None:
        value["not_started"] = words(why.not_started, language)
        value["not_started_key"] = view(why.not_started)
    return value


def refused_command(why: Refusal, language: str, seq: int) -> dict[str, object]:
    """The same in the shape of a command's answer; `seq` of the newest picture."""
    value = refused_value(why, language)
    return value | {"accepted": False, "seq": seq, "reasons": [value["error"]]}


def refused(request: web.Request, row: Route | None, why: Refusal, *, seq: int) -> web.StreamResponse:
    """As JSON, or as a page to a browser that opened an address; a command's has the shape of its answer."""
    if row is not None and row.kind == "page" and why.status == 401:
        to = {} if row.path == "/director" else {"to": row.path}
        headers = {"Location": way(request, "/login", **to), "Cache-Control": "no-store"}
        return web.Response(status=303, headers=headers)
    answer, language = web.Response(), request[LANGUAGE]
    if isinstance(why, Declined):
        return own_answer(language, why.sentence)
    if "text/html" in request.headers.get("Accept", ""):
        answer = refusal_page(why.sentence, why.status, language, _ways_on(request, why.status))
    else:
        of_command = row is not None and row.path == COMMAND_PATH
        value = refused_command(why, language, seq) if of_command else refused_value(why, language)
        answer = json_answer(value, why.status)
    answer.headers.update(why.headers | language_headers(language))
    if request.can_read_body and not request.content.at_eof():
        answer.force_close()
    return answer


def _ways_on(request: web.Request, status: int) -> list[tuple[str, Sentence]]:
    """Where a person who is refused can go: the own page of who is logged in, otherwise the log-in where that
    is what is missing; the same address again where that may help; always the hall screen."""
    person = request.get(PERSON)
    ways = [(way(request, "/"), Sentence("web.hall_screen"))]
    if person is not None and HOME[person.role] != "/":
        ways.insert(0, (way(request, HOME[person.role]), Sentence("web.own_page")))
    elif status in {401, 403}:
        ways.insert(0, (way(request, "/login"), Sentence("web.log_in")))
    if status >= 500 and request.method == "GET":
        ways.insert(0, (request.path_qs, Sentence("web.try_again")))
    return ways


def _no_route(request: web.Request) -> Refusal:
    problem = request.match_info.http_exception
    if isinstance(problem, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(problem.allowed_methods))
        said = Sentence("web.method_not_possible", method=request.method, allowed=allowed)
        return Refusal(405, said, {"Allow": allowed})
    return Refusal(404, Sentence("web.no_such_page"))


def _check_body(request: web.Request, row: Route) -> None:
    """Only where there is one: clients name all sorts of types where nothing follows. Raises a Refusal."""
    known = request.content_type == "application/json" or (row.takes_form and request.content_type == FORM)
    if not known or request.headers.get("Content-Encoding"):
        raise Refusal(415, Sentence("web.no_plain_json"))
    if request.content_length is not None and request.content_length > BODY_LIMIT:
        raise _too_large()


def _too_large() -> Refusal:
    return Refusal(413, Sentence("web.body_too_large", most_kib=BODY_LIMIT // 1024))
