"""The pages and what belongs to them, read once at start into a fixed map: no request ever touches a file."""

import hashlib
import html
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aiohttp import web

from pi_controller.web.http.bodies import Refusal
from pi_controller.web.http.routes import Access, Handler, Route, get

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".png": "image/png",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wav": "audio/wav",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}

CACHING = "no-cache"
"""Keep it, but ask each time whether it is still the same: after an update no page runs with old parts."""


PAGES: tuple[tuple[str, str, Access, str], ...] = (
    ("/", "hall.html", "public", "Hall screen"),
    ("/director", "director.html", "director", "Director's page; without a log-in the way to it"),
    ("/technician", "technician.html", "director", "Technician's page; without a log-in the way to it"),
    ("/technician/selftest", "selftest.html", "director", "Self-test and walk of the rows"),
    ("/technician/hardware", "hardware.html", "director", "Hardware test"),
    ("/sim", "sim.html", "here", "Virtual hall; from another machine with the log-in"),
)
"""Path, file, who may open it, summary."""
ANSWERS: dict[Access, tuple[int, ...]] = {
    "public": (200, 304),
    "here": (200, 303, 304),
    "director": (200, 303, 304),
}

HEAD_NAME = "head.html"
HEAD_MARK = b"  <!-- head.html -->\n"
"""Where a page says so, stands what all pages have in their heads."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    media_type: str
    etag: str


class Pages:
    """Everything under `folder` whose kind is known, by path relative to it."""

    def __init__(self, folder: Path) -> None:
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in MEDIA_TYPES
        }
        head = found.pop(HEAD_NAME, b"")
        self._files = {
            name: static_file(body.replace(HEAD_MARK, head), Path(name).suffix)
            for name, body in found.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._files)

    def file(self, name: str) -> StaticFile | None:
        return self._files.get(name)

    def answer(self, request: web.Request, name: str) -> web.Response:
        """This file, or 304 when the browser has it already. Refusal (404) for any other name."""
        file = self._files.get(name)
        if file is None:
            raise Refusal(404, "There is no such file among the controller's pages.")
        return file_answer(request, file)

    async def static(self, request: web.Request) -> web.StreamResponse:
        """`GET /static/{name}`."""
        return self.answer(request, request.match_info["name"])


def static_file(body: bytes, suffix: str) -> StaticFile:
    return StaticFile(body, MEDIA_TYPES[suffix], hashlib.sha256(body).hexdigest()[:32])


def file_answer(request: web.Request, file: StaticFile) -> web.Response:
    """The file with its mark, or 304 when the request names that mark."""
    headers = {"ETag": f'"{file.etag}"', "Cache-Control": CACHING}
    known = request.if_none_match or ()
    if any(mark.value in {file.etag, "*"} for mark in known):
        return web.Response(status=304, headers=headers)
    return web.Response(body=file.body, headers={**headers, "Content-Type": file.media_type})


def sentence_page(sentence: str, status: int) -> web.Response:
    """A small page for a person who opened an address in the browser and is refused."""
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Not here</title>'
        '<link rel="stylesheet" href="/static/base.css">'
        f"<main><h1>Not here</h1><p>{html.escape(sentence)}</p>"
        '<p><a href="/">Hall screen</a></p></main></html>'
    )
    headers = {"Cache-Control": "no-store"}
    return web.Response(text=text, status=status, content_type="text/html", headers=headers)


def page_routes(pages: Pages, verifier: StaticFile) -> tuple[Route, ...]:
    """`verifier`: verify_game.py, for download."""
    page = partial(get, kind="page")
    public = partial(page, access="public")
    return (
        *(
            page(
                path=path,
                handler=_page(pages, name),
                access=access,
                summary=summary,
                answers=ANSWERS[access] + ((404,) if name == "sim.html" else ()),
                only_simulated=name == "sim.html",
            )
            for path, name, access, summary in PAGES
        ),
        public(
            path="/static/{name:.+}",
            handler=pages.static,
            summary="A part of the pages",
            answers=(200, 304, 404),
            media_type="*/*",
        ),
        public(
            path="/verify_game.py",
            handler=_download(verifier, "verify_game.py"),
            summary="The stand-alone verifier of exported games",
            answers=(200, 304),
            media_type="text/x-python",
        ),
    )


def _page(pages: Pages, name: str) -> Handler:
    async def page(request: web.Request) -> web.StreamResponse:
        return pages.answer(request, name)

    return page


def _download(file: StaticFile, name: str) -> Handler:
    async def download(request: web.Request) -> web.StreamResponse:
        answer = file_answer(request, file)
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer

    return download
