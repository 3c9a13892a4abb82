"""The language that a request is answered in."""

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from aiohttp import web

from pi_controller.language.languages import chosen, tags_of_header

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
