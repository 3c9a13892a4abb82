"""JSON in requests and answers, and the refusal that every part raises: one sentence, never a traceback."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec
from aiohttp import web

from pi_controller.language.languages import chosen, tags_of_header
from pi_controller.language.words import WordedError, all_words
from pi_controller.protocol import strict_json
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.sentences import SentenceView, views
from pi_controller.sentence import Sentence

# The language that a request is answered in.


LANGUAGE = web.RequestKey("language", str)
"""The request's own note of the language that whoever asks is to read; the guard makes it."""
PARAMETER = "lang"
"""Of an address, for that page alone."""
COOKIE = "language"
"""A person's choice, which a page has kept."""
REQUESTS_KEPT = 64
"""Choices that were made before: a whole hall has few kinds of browsers."""


@dataclass(frozen=True, slots=True)
class RequestLanguages:
    """`hall`: its languages, the first one for whoever asks for none that there is."""

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


def way(request: web.Request, path: str, **query: str) -> str:
    """The address of this page of ours, with the language that the request's own address has chosen."""
    if chosen([request.query.get(PARAMETER, "")]) is not None:
        query[PARAMETER] = request[LANGUAGE]
    return f"{path}?{urlencode(query, safe='/')}" if query else path


def language_headers(language: str) -> dict[str, str]:
    """Of an answer whose words are in this language because of who asked (RFC 9110, 8.5 and 12.5.5)."""
    return {"Content-Language": language, "Vary": "Accept-Language, Cookie"}


@lru_cache(REQUESTS_KEPT)
def _of_browser(header: str, hall: tuple[str, ...]) -> str | None:
    return chosen(tags_of_header(header), hall)


BODY_LIMIT = 64 * 1024
"""Bytes of a request body; a line of the control socket takes no more either."""

BODY_PATIENCE_S = 5.0
"""A body that takes longer to arrive is given up."""

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


def no_place() -> Refusal:
    return Refusal(503, Sentence("web.all_places_taken"), {"Retry-After": "10"})


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
    """The body's JSON value, None for no body. Refusal 408 (too slow), 413 (too large), 422 (not JSON)."""
    raw = await read_bytes(request)
    if not raw:
        return None
    try:
        return strict_json.decode(raw)
    except Malformed as problem:
        raise Refusal(422, problem.sentence) from problem


async def read_body(request: web.Request, expected: type[BodyT]) -> BodyT:
    """The body as this type. Refusal (422) when it is none, and those of `read_json`."""
    value = await read_json(request)
    try:
        read: BodyT = strict_json.read_as({} if value is None else value, expected)
    except Malformed as problem:
        raise Refusal(422, problem.sentence) from problem
    return read


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """This value as JSON that no cache keeps."""
    answer = web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", charset="utf-8"
    )
    answer.headers["Cache-Control"] = "no-store"
    answer.headers.update(headers or {})
    return answer


def change_answer(reasons: list[str], keys: list[SentenceView], language: str) -> web.Response:
    """200 done, or 409 with the reasons in this language and their keys."""
    value = {"accepted": not reasons, "reasons": reasons, "reason_keys": keys}
    return json_answer(value, 409, language_headers(language)) if reasons else json_answer(value)


def own_answer(language: str, *reasons: Sentence) -> web.Response:
    """The same with reasons of the web side."""
    return change_answer(all_words(reasons, language), views(reasons), language)


# Whole WebSocket frames as servers send them, for those who write them to a transport themselves.


POLICY_VIOLATION = 1008
INTERNAL_ERROR = 1011
SERVICE_RESTART = 1012
TRY_AGAIN_LATER = 1013
"""Codes of closing frames (RFC 6455, 7.4.1)."""


LONGEST_REASON = 123
"""Bytes of text in a closing frame (RFC 6455, 5.5)."""


def closing_frame(code: int, reason: str = "") -> bytes:
    """RFC 6455, 5.5.1; of a reason that is too long the beginning."""
    text = reason.encode()[:LONGEST_REASON].decode(errors="ignore").encode()
    return bytes([0x88, 2 + len(text)]) + code.to_bytes(2, "big") + text


def text_frame(message: bytes) -> bytes:
    """A whole, unmasked text message (RFC 6455, 5.2): the same bytes for everybody."""
    size = len(message)
    if size < 126:
        head = bytes([0x81, size])
    elif size < 1 << 16:
        head = bytes([0x81, 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([0x81, 127]) + size.to_bytes(8, "big")
    return head + message
