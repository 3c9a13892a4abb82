"""What stands before every handler: host, table, origin, access, body, in this order; default deny."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Middleware

from pi_controller.defects import caught_in
from pi_controller.hal.system.file_thread import DiskSlow
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.protocol.async_client import look_for_refusal
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import Credential, KeyFault, ShownKey
from pi_controller.web.http.addresses import ClientAddresses, HostList, PageAddress, check_origin, is_loopback
from pi_controller.web.http.bodies import (
    BODY_LIMIT,
    INTERNAL_ERROR,
    LANGUAGE,
    POLICY,
    SECURITY_HEADERS,
    Refusal,
    RequestLanguages,
    closing_frame,
    json_answer,
    language_headers,
    way,
)
from pi_controller.web.http.connections import is_elsewhere
from pi_controller.web.http.limits import BROKEN_OFF, HERE, ConnectionLimiter, Defects, KnownAddresses
from pi_controller.web.http.login import Login
from pi_controller.web.http.routes import (
    COMMAND_PATH,
    FORM,
    HOME,
    KEY,
    LET_IN,
    PERSON,
    Handler,
    Person,
    Role,
    Route,
    RouteTable,
)
from pi_controller.web.http.static_files import refusal_page

LOG = logging.getLogger(__name__)


class CoreStatus(Protocol):
    """What is known of core."""

    simulated: bool
    """Whether it runs with simulated hardware; False until it has said so."""
    seq: int
    """The newest change that was seen."""


async def add_security_headers(_request: web.Request, answer: web.StreamResponse) -> None:
    """For `on_response_prepare`: no answer leaves without them; a route may have a policy of its own."""
    policy = answer.headers.get(POLICY, SECURITY_HEADERS[POLICY])
    answer.headers.update(SECURITY_HEADERS | {POLICY: policy})


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Lets only what the table allows through to a handler. Whatever a handler raises, the one who asked is
    answered."""

    table: RouteTable
    languages: RequestLanguages
    hosts: HostList
    addresses: ClientAddresses
    staff_address: PageAddress
    login: Login
    core: CoreStatus
    limiter: ConnectionLimiter
    known: KnownAddresses
    is_good: Callable[[Credential], bool]
    other_key: Callable[[web.Request], ShownKey | None]
    """The key that a request shows of a screen or a seat."""
    state_dir: Path
    """A core that does not start leaves its sentence there."""
    defects: Defects

    def middleware(self) -> Middleware:
        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            with self.limiter.serving(request):
                answer = await caught_in(self._answer(request, handler))
                return self._broke_off(request, answer) if isinstance(answer, Exception) else answer

        return guard

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        row: Route | None = None
        request[LANGUAGE] = self.languages.of(request)
        try:
            self.hosts.check(request)
            address = self.addresses.of(request)
            if address != request.remote:
                request = request.clone(remote=address)
            row = _row(self.table, request)
            if is_elsewhere(request, row.pattern):
                return self._elsewhere(request, row)
            credential = await _admit(request, row, login=self.login, simulated=self.core.simulated)
            self._recognise(request, credential or self.login.shown(request))
            if row.kind == "socket":
                return await self._socket(request, handler, credential)
            return await handler(request)
        except Refusal as problem:
            why = problem
        except web.HTTPRequestEntityTooLarge:
            why = _too_large()
        except KeyFault as fault:
            why = Refusal(503, fault.sentence)
        except DiskSlow as problem:
            why = Refusal(503, problem.sentence, {"Retry-After": "5"})
        except (NoCore, CoreTrouble) as problem:
            not_started = await look_for_refusal(self.state_dir)
            why = Refusal(503, problem.sentence, {"Retry-After": "1"}, not_started)
        try:
            return refused(request, row, why, seq=self.core.seq)
        finally:
            del why  # its traceback leads back to here: only the garbage collector would find such a ring

    def _broke_off(self, request: web.Request, error: Exception) -> web.StreamResponse:
        """What is answered when a handler has raised this; who has gone meanwhile is nobody's mistake."""
        if isinstance(error, web.HTTPException):
            raise error
        row = self.table.row(request)
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

    def _recognise(self, request: web.Request, credential: Credential | None) -> None:
        """Who has shown a key, and this machine itself, find a place when others do not."""
        address = request.remote or ""
        if credential is None:
            key = self.other_key(request)
        else:
            key = ShownKey(credential, partial(self.is_good, credential))
        if key is None:
            request[KEY] = HERE if is_loopback(address) else None
            return
        request[KEY] = key.holder
        self.limiter.shown(request, key.holder)
        if key.is_good is not None:
            self.known.note(address, key.is_good)

    async def _socket(
        self, request: web.Request, handler: Handler, credential: Credential | None
    ) -> web.StreamResponse:
        """For as long as the log-in lasts that it needed."""
        if credential is None or request.transport is None:
            return await handler(request)
        with self.login.sockets.open(request.transport, credential):
            return await handler(request)


def refused(request: web.Request, row: Route | None, why: Refusal, *, seq: int) -> web.StreamResponse:
    """As JSON, or as a page to a browser that opened an address; a command's has the shape of its answer."""
    if row is not None and row.kind == "page" and why.status == 401:
        to = {} if row.path == "/director" else {"to": row.path}
        headers = {"Location": way(request, "/login", **to), "Cache-Control": "no-store"}
        return web.Response(status=303, headers=headers)
    answer, language = web.Response(), request[LANGUAGE]
    if "text/html" in request.headers.get("Accept", ""):
        answer = refusal_page(why.sentence, why.status, language, _ways_on(request, why.status))
    else:
        said = words(why.sentence, language)
        value: dict[str, object] = {"error": said, "reason_keys": [view(why.sentence)]}
        if why.not_started is not None:
            value["not_started"] = words(why.not_started, language)
            value["not_started_key"] = view(why.not_started)
        if row is not None and row.path == COMMAND_PATH:
            value |= {"accepted": False, "seq": seq, "reasons": [said]}
        answer = json_answer(value, why.status)
    answer.headers.update(why.headers | language_headers(language))
    if request.can_read_body and not request.content.at_eof():
        answer.force_close()
    return answer


def _ways_on(request: web.Request, status: int) -> list[tuple[str, Sentence]]:
    """Where a person who is refused can go: the own page of who is logged in, otherwise the log-in where that
    is what is missing; always the hall screen."""
    person = request.get(PERSON)
    ways = [(way(request, "/"), Sentence("web.hall_screen"))]
    if person is not None and HOME[person.role] != "/":
        return [(way(request, HOME[person.role]), Sentence("web.own_page")), *ways]
    return [(way(request, "/login"), Sentence("web.log_in")), *ways] if status in {401, 403} else ways


def _row(table: RouteTable, request: web.Request) -> Route:
    row = table.row(request)
    if row is not None:
        return row
    problem = request.match_info.http_exception
    if isinstance(problem, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(problem.allowed_methods))
        said = Sentence("web.method_not_possible", method=request.method, allowed=allowed)
        raise Refusal(405, said, {"Allow": allowed})
    raise Refusal(404, Sentence("web.no_such_page"))


async def _admit(request: web.Request, row: Route, *, login: Login, simulated: bool) -> Credential | None:
    """What lets the one who asks in, None where nothing is needed. Raises a Refusal; KeyFault."""
    access = row.access_as(request.match_info.get("name", ""))
    free = access == "public" or (access == "here" and is_loopback(request.remote or ""))
    found = None if free else await login.who(request)
    credential = None if found is None else found[0]
    if row.changes:
        check_origin(request, with_cookie=credential is not None and credential.kind == "session")
    if found is not None:
        _let_in(request, found[1], LET_IN[access])
    elif not free:
        raise Refusal(401, Sentence("web.needs_log_in"), {"WWW-Authenticate": "Bearer"})
    if row.only_simulated and not simulated:
        raise Refusal(404, Sentence("web.only_simulated"))
    if row.method == "POST":
        _check_body(request, row)
    return credential


def _let_in(request: web.Request, person: Person, roles: frozenset[Role]) -> None:
    """Raises a Refusal (403) for a role that is none of these."""
    request[PERSON] = person
    if person.role not in roles:
        raise Refusal(403, Sentence("web.other_role"))


def _check_body(request: web.Request, row: Route) -> None:
    if not request.can_read_body:
        return  # clients name all sorts of types where nothing follows
    known = request.content_type == "application/json" or (row.takes_form and request.content_type == FORM)
    if not known or request.headers.get("Content-Encoding"):
        raise Refusal(415, Sentence("web.no_plain_json"))
    if request.content_length is not None and request.content_length > BODY_LIMIT:
        raise _too_large()


def _too_large() -> Refusal:
    return Refusal(413, Sentence("web.body_too_large", most_kib=BODY_LIMIT // 1024))
