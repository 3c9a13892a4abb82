"""Log-in: a one-time link or the PIN becomes a session cookie; scripts send the bearer token. Guessing is
throttled.
"""

import asyncio
import contextlib
import hashlib
import hmac
import logging
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Never
from urllib.parse import parse_qsl

from aiohttp import web

from pi_controller.hal.system.file_thread import DiskSlow
from pi_controller.journal.store import private_folder, readable_by_others, sync_folder, write_private
from pi_controller.language.words import WordedError
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.selftest.core import GUESSED_FIRST
from pi_controller.sentence import Sentence
from pi_controller.software import known
from pi_controller.web.http.access import SESSION_LASTS_S, Credential, Tokens
from pi_controller.web.http.bodies import Refusal, json_answer, read_bytes, read_json, way
from pi_controller.web.http.limits import GuessLimit, LoggedInSockets
from pi_controller.web.http.routes import FORM, HOME, REFUSALS, Person, Route, get, post
from pi_controller.web.http.static_files import Pages

# The PIN for director and technician: six digits that somebody types in. Only their scrypt hash is kept.


DIGITS = 6
FILE_NAME = "pin"
SALT_BYTES = 16
HASH_BYTES = 32
COST = {"n": 2**14, "r": 8, "p": 1}
"""16 MiB and about a tenth of a second on a Pi 4. A million PINs are few: the limit on guesses protects the
pages, and the file's mode protects the hash."""


class PinFault(WordedError, ValueError):  # noqa: N818 - like KeyFault
    """The file with the PIN's hash cannot be used; the sentence has the remedy."""


@dataclass(frozen=True, slots=True)
class _Kept:
    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)


class PinFile:
    """`STATE/web/pin`; read afresh each time, so that a new PIN counts at once. `known` alone waits for no
    disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.known = False
        """Whether there was one when somebody looked last."""

    def is_set(self) -> bool:
        """Raises OSError."""
        self.known = self.path.exists()
        return self.known

    def matches(self, pin: str) -> bool:
        """Whether this is the PIN; takes its time on purpose. False when none is set. PinFault, OSError."""
        kept = self._read()
        return kept is not None and hmac.compare_digest(_digest(pin, kept.salt), kept.digest)

    def keep(self, pin: str) -> None:
        """This PIN from now on. Raises OSError."""
        salt = os.urandom(SALT_BYTES)
        private_folder(self.path.parent)
        line = f"scrypt {salt.hex()} {_digest(pin, salt).hex()}\n"
        write_private(self.path, line.encode("ascii"))
        self.known = True

    def remove(self) -> bool:
        """No PIN from now on; whether there was one. Raises OSError."""
        if not self.is_set():
            return False
        self.known = False
        self.path.unlink()
        sync_folder(self.path.parent)
        return True

    def _read(self) -> _Kept | None:
        if not self.is_set():
            return None
        mode = readable_by_others(self.path)
        if mode is not None:
            raise PinFault(Sentence("web.pin_file_readable", path=str(self.path), mode=mode))
        words = self.path.read_text(encoding="ascii", errors="replace").split()
        try:
            name, salt, digest = words[0], bytes.fromhex(words[1]), bytes.fromhex(words[2])
        except (IndexError, ValueError):
            name, salt, digest = "", b"", b""
        if name != "scrypt" or (len(salt), len(digest)) != (SALT_BYTES, HASH_BYTES):
            raise PinFault(Sentence("web.pin_file_damaged", path=str(self.path)))
        return _Kept(salt, digest)


def new_pin() -> str:
    """Six random digits, but none of those that everybody tries first."""
    while True:
        pin = f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
        if pin not in GUESSED_FIRST:
            return pin


def is_pin(text: object) -> bool:
    """Whether this could be a PIN: six digits 0 to 9."""
    return isinstance(text, str) and len(text) == DIGITS and text.isascii() and text.isdigit()


def _digest(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode("ascii"), salt=salt, dklen=HASH_BYTES, **COST)


log = logging.getLogger(__name__)

LOOK_S = 0.5
LOOK_PATIENCE_S = 1.0


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
        self._tokens = tokens
        self._files = tokens.files
        pin.is_set()
        self._hall = hall
        self._pin = pin
        self._token_guesses = GuessLimit(boot_s)
        self._pin_guesses = GuessLimit(boot_s)
        """Of its own: who guesses PINs does not lock out links and scripts, whose tokens nobody guesses."""
        self._core = core
        self._pages = pages
        self.sockets = LoggedInSockets(tokens)

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/login",
                handler=self.page,
                access="public",
                kind="page",
                summary="How to log in; with `?token=` it asks whether to use the one-time link",
                answers=(200, 304),
            ),
            post(
                path="/login",
                handler=self.enter,
                access="public",
                summary="Log in with the token of a one-time link, sent as JSON, as a form or in the address",
                takes_form=True,
                body_schema="login_body",
                answers=(303, 403, 408, 413, 415, 422, 429),
            ),
            post(
                path="/api/logout",
                handler=self.logout,
                access="logged_in",
                summary="End this session",
                answers=(200, *REFUSALS),
                answer_schema="session",
            ),
            post(
                path="/api/pin",
                handler=self.pin,
                access="public",
                summary="Log in with the PIN",
                answers=(200, 403, 404, 408, 413, 415, 422, 429, 503),
                answer_schema="session",
                body_schema="pin_body",
            ),
            get(
                path="/api/session",
                handler=self.session,
                access="public",
                summary="Who is logged in here: role, name, and for how much longer",
                answers=(200, 401, 429),
                answer_schema="session",
            ),
        )

    async def keep_looking(self) -> Never:
        """What another process has made or revoked counts within about LOOK_S."""
        while True:
            await asyncio.sleep(LOOK_S)
            with contextlib.suppress(DiskSlow):
                await self._files.do(self._look)

    async def who(self, request: web.Request) -> tuple[Credential, Person] | None:
        """Who asks and what shows it; None when nothing does. For what is not known the files are looked at,
        for LOOK_PATIENCE_S at most: then what is known counts.

        Raises a Refusal for a wrong bearer token (401) and for too many of them (429); KeyFault.
        """
        offered = self._offered(request)
        person = self._tokens.person(offered)
        if person is None and offered.value:
            with contextlib.suppress(DiskSlow):
                await self._files.do(self._tokens.look, patience_s=LOOK_PATIENCE_S)
            person = self._tokens.person(offered)
        if person is not None:
            return offered, person
        if offered.kind == "session":
            return None
        _count_wrong(self._token_guesses, request)
        raise Refusal(401, Sentence("web.bearer_wrong"), {"WWW-Authenticate": "Bearer"})

    def shown(self, request: web.Request) -> Credential | None:
        """What the one who asks could show where nobody has to show anything."""
        offered = self._offered(request)
        return offered if offered.value and self._tokens.is_good(offered) else None

    async def page(self, request: web.Request) -> web.StreamResponse:
        """`GET /login`: the page that explains, or asks whether to use the link that was opened. Looking at a
        link, as the preview of a message does, changes nothing."""
        return self._pages.page(request, "login.html")

    async def enter(self, request: web.Request) -> web.StreamResponse:
        """`POST /login`: the token of a one-time link becomes a session. With a used link whoever is logged
        in goes on as who they are: *Back* leads to the address of the link."""
        token = request.query.get("token") or await _sent_token(request)
        entered = await self._files.do(lambda: self._tokens.redeem(token))
        person, cookie = entered or (self._tokens.person(self._session(request)), None)
        if person is None:
            _count_wrong(self._token_guesses, request)
            raise Refusal(403, Sentence("web.link_used_up"))
        headers = {"Location": way(request, HOME[person.role]), "Cache-Control": "no-store"}
        answer = web.Response(status=303, headers=headers)
        if cookie is not None:
            self._set_cookie(request, answer, cookie)
        return answer

    async def pin(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/pin`: the PIN becomes a session. One guess is looked at at a time, so that none slips
        past the limit while another is computed, and who guesses holds up nobody else."""
        body = await read_json(request)
        guess = body.get("pin") if isinstance(body, dict) else None
        if not is_pin(guess):
            raise Refusal(422, Sentence("web.pin_has_six_digits"))
        async with self._pin_guesses.turn(request.remote or ""):
            _check(self._pin_guesses, request)
            if not await self._is_right(str(guess)):
                await self._guessed(request.remote or "")
                raise Refusal(403, Sentence("web.pin_wrong"))
        cookie = await self._files.do(self._tokens.new_session)
        answer = self._said(self._tokens.person(Credential("session", cookie)))
        self._set_cookie(request, answer, cookie)
        return answer

    async def session(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/session`: who is logged in here and how much longer, whether there is a PIN, and which
        hall it is."""
        found = await self.who(request)
        return self._said(None if found is None else found[1])

    async def logout(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/logout`: this session is over, also for a copy of its cookie."""
        found = self._tokens.person(self._session(request))
        link = None if found is None else found.link
        if link is not None:
            await self._files.do(lambda: self._tokens.links.revoke(link))
            self.sockets.sweep()
        answer = self._said(None)
        answer.del_cookie(self._tokens.cookie, path="/")
        return answer

    async def _is_right(self, guess: str) -> bool:
        def look() -> bool:
            if not self._pin.is_set():
                raise Refusal(404, Sentence("web.no_pin"))
            return self._pin.matches(guess)

        try:
            return await self._files.do(look)
        except PinFault as fault:
            raise Refusal(503, fault.sentence) from fault

    def _look(self) -> None:
        self._tokens.look()
        with contextlib.suppress(OSError):  # told of by the tokens, which lie in the same folder
            self._pin.is_set()

    async def _guessed(self, address: str) -> None:
        """Count a wrong PIN, and tell core, which warns the director when there are many."""
        log.warning("a wrong PIN came from %s", address)
        wrong = self._pin_guesses.wrong(address)
        if not wrong:
            return
        try:
            await self._core.pin_guesses(wrong)
        except (NoCore, CoreTrouble, Malformed) as trouble:
            log.warning("core was not told of it: %s", trouble)

    def _offered(self, request: web.Request) -> Credential:
        """What the request shows, whether it is good or not; without anything an empty cookie."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return Credential("bearer", token.strip())
        return self._session(request)

    def _session(self, request: web.Request) -> Credential:
        return Credential("session", request.cookies.get(self._tokens.cookie, ""))

    def _set_cookie(self, request: web.Request, answer: web.Response, cookie: str) -> None:
        """One that came over TLS never leaves over plain HTTP."""
        answer.set_cookie(
            self._tokens.cookie,
            cookie,
            max_age=int(SESSION_LASTS_S),
            path="/",
            httponly=True,
            samesite="Strict",
            secure=request.secure,
        )

    def _said(self, person: Person | None) -> web.Response:
        left_s = None if person is None else self._tokens.left_s(person)
        return json_answer(
            {
                "director": person is not None and person.role == "director",
                "role": None if person is None else person.role,
                "name": "" if person is None else person.name,
                "number": 0 if person is None else person.number,
                "ends_in_s": None if left_s is None else int(left_s),
                "pin": self._pin.known,
                "hall": self._hall,
                "software": known(),
            }
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
