"""JSON in requests and answers, and the refusal that every part raises: one sentence, never a traceback."""

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from pi_controller.language.words import WordedError, all_words
from pi_controller.protocol import strict_json
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.sentences import SentenceView, views
from pi_controller.sentence import Sentence
from pi_controller.web.http.language import language_headers

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
