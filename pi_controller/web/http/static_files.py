"""The pages and what belongs to them, read once at start into a fixed map: no request ever touches a file."""

import asyncio
import gzip
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import msgspec
from aiohttp import web
from msgspec import Meta

from pi_controller.language.languages import LANGUAGES, NAMES, UNPROOFED
from pi_controller.language.words import all_texts, words
from pi_controller.sentence import Sentence
from pi_controller.web.http.routes import (
    LANGUAGE,
    Access,
    Refusal,
    RequestLanguages,
    Route,
    get,
    language_headers,
    routes_of,
)

# Which texts a page may say: those that its script names, and what the controller may tell it. Pure.


NAME = re.compile(r"\w+")
BEGUN = re.compile(r"`(\w+_)\$\{")
ENDED = re.compile(r"\}(_\w+)`")
"""The beginning of a key whose end a script fills in; the end of one whose beginning it does."""
PREFIX = "page."
AT_ONE_TABLE = "turns_"
"""So begins the key of a text that takes the place of another one there, whose key follows."""
OVER_THE_FEED = ("seat.", "side.", "told.", "voice.")
"""So begin the keys of what comes as a sentence: captions, and what they name."""
OF_THE_ENGINE = tuple(
    f"voice.{name}"
    for name in (
        "being_",
        "column_",
        "engine_",
        "exit_",
        "in_turn",
        "no_wav",
        "not_",
        "of_",
        "own",
        "say_",
        "too_long",
    )
)
"""No captions, but what is said of the voice itself."""
TOLD_ELSEWHERE = (
    "broker.",
    "bundle.",
    "command.",
    "console.",
    "help.",
    "metavar.",
    "pair.",
    "run.",
    "setup.",
    "status.",
    "fallback.",
    "firmware.",
    "flashing.",
    "network.",
    "paper.",
    "node.",
    "section.",
    "setting.",
    "supply.",
    "verify.",
)
"""So begin the keys that no page is told: of the command line; of paper, tables and files; of new firmware,
which comes in the page's language."""
SELFTEST = "selftest"


def texts_of_page(name: str, script: str, page: str, language: str) -> dict[str, str | list[str]]:
    """Texts by their keys: those whose key stands as a word in the page or in its script, which is a bundle
    of all that it needs, and the controller's sentences; some too many, never one too few. A phone is told
    little, so that its first load is small, and what is found in a self-test is told on its own page."""
    read = (page, script)
    words = {word for text in read for word in NAME.findall(text)}
    begun = tuple(start for text in read for start in BEGUN.findall(text))
    ended = tuple(end for text in read for end in ENDED.findall(text))
    return {
        key: text
        for key, text in all_texts(language).items()
        if _is_told(key, name) or _is_named(key, words, begun, ended)
    }


def _is_told(key: str, page: str) -> bool:
    if page == "phone":
        return key.startswith(OVER_THE_FEED) and not key.startswith(OF_THE_ENGINE)
    others = (PREFIX, *TOLD_ELSEWHERE, *(() if page == SELFTEST else (f"{SELFTEST}.",)))
    return not key.startswith(others)


def _is_named(key: str, words: set[str], begun: tuple[str, ...], ended: tuple[str, ...]) -> bool:
    name = key.removeprefix(PREFIX)
    if name.startswith(AT_ONE_TABLE):
        return _is_named(PREFIX + name.removeprefix(AT_ONE_TABLE), words, begun, ended)
    return name != key and (name in words or name.startswith(begun) or name.endswith(ended))


MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
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

TEXTS = ("text/", "image/svg+xml", "application/json")
SHORT_TEXT = 1000
"""Bytes: so many go in one packet anyway."""
CACHING = "no-cache"
"""Keep it, but ask each time whether it is still the same: after an update no page runs with old parts."""
TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")
"""In an Accept-Encoding header (RFC 9110, 12.5.3)."""

PAGES: tuple[tuple[str, str, Access, str], ...] = (
    ("/", "hall.html", "public", "Hall screen"),
    ("/overlay", "hall.html", "public", "Hall screen in a corner of an empty page, over another picture"),
    ("/phone", "phone.html", "public", "Phone page"),
    ("/director", "director.html", "director", "Director's page; without a log-in the way to it"),
    ("/moderator", "moderator.html", "moderator", "Moderator's page; without a log-in the way to it"),
    ("/judge", "judge.html", "judge", "Judge's page; without a log-in the way to it"),
    ("/technician", "technician.html", "technician", "Technician's page; without a log-in the way to it"),
    ("/technician/selftest", "selftest.html", "technician", "Self-test and walk of the rows"),
    ("/technician/hardware", "hardware.html", "technician", "Hardware test"),
    ("/report/{game}", "report.html", "public", "Report of a game"),
    ("/replay/{game}", "hall.html", "public", "Hall screen"),
    ("/sim", "sim.html", "here", "Virtual hall; from another machine with the log-in"),
)
"""Path, file, who may open it, summary."""

HALL_SCREEN = "hall.html"
LANGUAGE_MARK = b'<html lang="en"'
"""So every page of the folder begins; the language of who asks takes the place of English."""
LANGUAGE_NAME = b"{language}"
OFFERED = b"{languages}"
"""In the common head, what a page's menu offers; a question mark is behind what nobody has proofread."""
PAGE_NAME = b"{page}"
"""In the common head, what the texts of the page are called."""
WORD = re.compile(rb"\{(page\.\w+)\}")
"""In a page, what its scripts do not say: its title, what stands there without scripts."""
HEAD_NAME = "head.html"
HEAD_MARK = b"  <!-- head.html -->\n"
"""Where a page says so, stands what all pages have in their heads."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    media_type: str
    etag: str

    @property
    def worth_packing(self) -> bool:
        """Whether it becomes much smaller: a text, and not a short one."""
        return len(self.body) > SHORT_TEXT and self.media_type.startswith(TEXTS)


Texts = dict[
    str,
    Annotated[
        str | list[str],
        Meta(description="A text, or its plural forms: one, other; in Polish one, few, many."),
    ],
]


class Pages:
    """Everything under `folder` whose kind is known, by path relative to it; each page in every language,
    made when it is first asked for."""

    def __init__(self, folder: Path, languages: RequestLanguages) -> None:
        """The hall's own `languages` are those of its screen where nobody has chosen one."""
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in MEDIA_TYPES
        }
        head = found.pop(HEAD_NAME, b"")
        bodies = {
            name: body.replace(HEAD_MARK, head.replace(PAGE_NAME, Path(name).stem.encode()))
            for name, body in found.items()
        }
        self._languages = languages
        self._words: dict[tuple[str, str], StaticFile] = {}
        """By page, or "" for all texts, and language, once somebody has asked for them."""
        self._files = {name: static_file(body, Path(name).suffix) for name, body in bodies.items()}
        self._pages: dict[tuple[str, tuple[str, ...], bool, str], StaticFile] = {}
        """By name, the language that it is in, or the languages in turn, and those that are offered."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._files)

    def file(self, name: str) -> StaticFile | None:
        return self._files.get(name)

    def page(self, request: web.Request, name: str) -> web.Response:
        """This page in the language of who asks. The screen of the hall, whose browser nobody has set up, is
        in the languages of the hall unless somebody has chosen another one."""
        own = name == HALL_SCREEN and self._languages.asked_for(request) is None
        languages = self._languages.hall if own else (request[LANGUAGE],)
        unproofed = (f"{tag}?" for tag in self._languages.hall if tag in UNPROOFED)
        key = name, languages, own, " ".join((*LANGUAGES, *unproofed))
        if key not in self._pages:
            page = self._files[name].body.replace(OFFERED, key[3].encode())
            self._pages[key] = static_file(_in_language(page, languages, names_them=own), ".html")
        return file_answer(request, self._pages[key], language_headers(languages[0]))

    def routes(self) -> tuple[Route, ...]:
        """One for each page, and those of its parts."""
        pages = (
            Route(
                method="GET",
                path=path,
                handler=partial(self._page, name),
                access=access,
                summary=summary,
                hall=access == "public",
                kind="page",
                also=(304,),
                only_simulated=name == "sim.html",
            )
            for path, name, access, summary in PAGES
        )
        return *pages, *routes_of(self)

    async def _page(self, name: str, request: web.Request) -> web.StreamResponse:
        return self.page(request, name)

    @get("/static/words/{language}.json", "public", hall=True, also=(304, 404), answer=Texts)
    async def words_of_language(self, request: web.Request) -> web.StreamResponse:
        """All texts in a language, by their keys."""
        language = request.match_info["language"]
        if language not in NAMES:
            raise _no_such_file()
        if ("", language) not in self._words:
            self._words["", language] = await asyncio.to_thread(lambda: _texts_file(all_texts(language)))
        return file_answer(request, self._words["", language])

    @get("/static/words/{page}/{language}.json", "public", hall=True, also=(304, 404), answer=Texts)
    async def words_of_page(self, request: web.Request) -> web.StreamResponse:
        """The texts of one page in a language, by their keys."""
        page, language = request.match_info["page"], request.match_info["language"]
        markup, script = self._files.get(f"{page}.html"), self._files.get(f"bundles/{page}.js")
        if language not in NAMES or markup is None or script is None:
            raise _no_such_file()
        if (page, language) not in self._words:
            parts = page, script.body.decode(), markup.body.decode(), language
            self._words[page, language] = await asyncio.to_thread(lambda: _texts_file(texts_of_page(*parts)))
        return file_answer(request, self._words[page, language])

    @get("/static/{name:.+}", "public", hall=True, kind="page", also=(304, 404), media_type="*/*")
    async def static(self, request: web.Request) -> web.StreamResponse:
        """A part of the pages.

        304 when the browser has it already.
        """
        file = self._files.get(request.match_info["name"])
        if file is None:
            raise _no_such_file()
        return file_answer(request, file)


def static_file(body: bytes, suffix: str) -> StaticFile:
    return StaticFile(body, MEDIA_TYPES[suffix], hashlib.sha256(body).hexdigest()[:32])


def file_answer(
    request: web.Request, file: StaticFile, headers: Mapping[str, str] | None = None
) -> web.Response:
    """The file with its mark, compressed for who takes that, or 304 when the request names that mark."""
    etag, body, marked = file.etag, file.body, {"Cache-Control": CACHING, **(headers or {})}
    if file.worth_packing:
        marked["Vary"] = ", ".join(filter(None, (marked.get("Vary"), "Accept-Encoding")))
        if TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")):
            etag, body = f"{file.etag}-gzip", _packed(file.body)
            marked["Content-Encoding"] = "gzip"
    marked["ETag"] = f'"{etag}"'
    known = request.if_none_match or ()
    if any(mark.value in {etag, "*"} for mark in known):
        return web.Response(status=304, headers=marked)
    return web.Response(body=body, headers={**marked, "Content-Type": file.media_type})


def _texts_file(texts: Mapping[str, str | list[str]]) -> StaticFile:
    """Made when it is first asked for, which takes some milliseconds."""
    file = static_file(msgspec.json.encode(texts, order="sorted"), ".json")
    _packed(file.body)
    return file


@cache
def _packed(body: bytes) -> bytes:
    """Compressed (gzip, RFC 1952), once for everybody. There are as many as files and languages."""
    return gzip.compress(body, mtime=0)


def _in_language(page: bytes, languages: tuple[str, ...], *, names_them: bool) -> bytes:
    """The page in the first of these languages; the hall screen names all, which it shows in turn."""
    language = languages[0]
    turns = f' data-languages="{" ".join(languages)}"' if names_them else ""
    marked = page.replace(LANGUAGE_MARK, f'<html lang="{language}"{turns}'.encode(), 1)

    def said(key: re.Match[bytes]) -> bytes:
        return html.escape(words(Sentence.of(key[1].decode(), {}), language)).encode()

    return WORD.sub(said, marked.replace(LANGUAGE_NAME, language.encode()))


def _no_such_file() -> Refusal:
    return Refusal(404, Sentence("web.no_such_file"))


REFUSAL_TITLES: Mapping[int | str, Sentence] = {
    401: Sentence("web.needs_log_in_title"),
    403: Sentence("web.not_allowed"),
    404: Sentence("web.not_here"),
    429: Sentence("web.not_now"),
    503: Sentence("web.not_now"),
    "web.link_used_up": Sentence("web.link_used_up_title"),
}
"""By status, or by the key of the sentence where that says more."""


def refusal_page(
    sentence: Sentence, status: int, language: str, ways: Sequence[tuple[str, Sentence]]
) -> web.Response:
    """For a person who opened an address in the browser and is refused: why, and where to go from here.

    `ways`: addresses and what they are called, the most likely one first.
    """

    def said(text: Sentence) -> str:
        return html.escape(words(text, language))

    title = said(REFUSAL_TITLES.get(sentence.key) or REFUSAL_TITLES.get(status, Sentence("web.not_possible")))
    links = "".join(f'<a href="{html.escape(address)}">{said(name)}</a>' for address, name in ways)
    text = (
        f'<!doctype html><html lang="{language}" data-theme="dark" data-page="login"><head>'
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="theme-color" content="#0b0e14"><title>{title}</title>'
        '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">'
        '<link rel="stylesheet" href="/static/bundles/report.css">'
        '<script type="module" src="/static/bundles/refused.js"></script></head>'
        f'<body class="refused"><main><img class="mark" src="/static/icon.svg" alt=""><h1>{title}</h1>'
        f'<p class="lead">{said(sentence)}</p><p class="ways">{links}</p></main>'
        "</body></html>"
    )
    headers = {"Cache-Control": "no-store"}
    return web.Response(text=text, status=status, content_type="text/html", headers=headers)
