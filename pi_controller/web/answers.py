"""Answers in JSON, and the refusal that every part raises: one sentence, never a traceback."""

from collections.abc import Mapping
from typing import Any

import msgspec
from aiohttp import web

BODY_LIMIT = 64 * 1024
"""Bytes of a request body; a line of the control socket takes no more either."""

BODY_PATIENCE_S = 5.0
"""A body that takes longer to arrive is given up."""

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "Server": "pi-controller",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""On every answer, those that reach no route too; `Server` hides the library's name and version."""


class Refusal(Exception):  # noqa: N818 - the word of the contract
    """The request is not served: `status` and one sentence that says what is wrong and what to do.

    `not_started` is core's own sentence when it does not start at all.
    """

    def __init__(
        self,
        status: int,
        sentence: str,
        headers: Mapping[str, str] | None = None,
        not_started: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = dict(headers or {})
        self.not_started = not_started


def as_sentence(text: str) -> str:
    """With a full stop and a capital, as every error text of the web side has; `name: …` keeps its name."""
    named = text.partition(" ")[0].endswith(":")
    return (text if named else text[:1].upper() + text[1:]) + ("" if text.endswith((".", "!", "?")) else ".")


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """This value as JSON that no cache keeps."""
    answer = web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json", charset="utf-8"
    )
    answer.headers["Cache-Control"] = "no-store"
    answer.headers.update(headers or {})
    return answer
