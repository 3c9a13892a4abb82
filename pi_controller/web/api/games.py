"""Games that were played: list, export, reports, replays and paper, sticks, and the page that checks a game.

List, export, reports and replays come from the folder of copies that core writes beside the games, so that
no guest's request reaches core.
"""

import asyncio
import math
import os
import re
import shutil
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TypeVar

import msgspec
from aiohttp import ClientConnectionResetError, web

from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.journal.seals import one_evening
from pi_controller.journal.store import EXPORTS
from pi_controller.journal.witnesses import GameSummary, read_export, read_games
from pi_controller.language.system_errors import why
from pi_controller.protocol.messages import AskCopy, AskStick, ChangeAnswer, CopyDeed, StickView
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence, as_told
from pi_controller.web.api.links import qr_svg
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.guard import Login
from pi_controller.web.http.limits import CachedCall
from pi_controller.web.http.routes import LANGUAGE, LET_IN, POLICY, Refusal, RequestLanguages, get, made, post
from pi_controller.web.http.static_files import StaticFile, file_answer, static_file
from pi_controller.web.live.core_link import CoreLink

EXPORTS_AT_ONCE = 4
"""Downloads at a time: the other pages are served from the same card and by the same processor."""
EXPORT_PATIENCE_S = 60.0
LIST_LASTS_S = 1.0
"""Whoever asks more often gets the same list again."""

ReadT = TypeVar("ReadT")

MEDIA_TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8", "pdf": "application/pdf"}
FALLBACK = {
    "all": (),
    "state": ("--only", "state"),
    "dice": ("--only", "dice", "--rolls", "120"),
    "sheets": ("--only", "sheets", "--sheets", "30"),
}
SEAT_SHEETS = ("paper", "seats", "--output", "/dev/stdout")
MOST_GAMES = 12
"""Of an evening, those armed next to the one that is asked for."""
LARGEST = 32 * 1024 * 1024
"""Bytes of the games of an evening that are read: some 60,000 lines."""
COMPRESSED_HERE = 16 * 1024
"""Bytes; what is longer is compressed on a thread of its own."""


# Reports and replays are made by a process of its own, so that feed and commands go on beside it.

MOST_WAITING = 8
PATIENCE_S = 60.0
LARGEST_KEPT = 2 * 1024 * 1024
MOST_KEPT = 8
BUSY = {"Retry-After": "5"}
LEAST_PRIORITY = "10"
"""nice(1): whoever waits for a freeze goes first."""


class Worker:
    """Runs `pi-controller` with games on its standard input, one run at a time. What came out of the same
    lines is kept, so that a whole audience may ask for it."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._starting = FileThread("reports")
        self._waiting = 0
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()

    async def run(
        self, arguments: tuple[str, ...], lines: bytes, language: str, *, keep: bool = True
    ) -> bytes:
        """What it writes. Refusal: 422 with its own sentence when it cannot, 503 when too many wait or it
        takes too long. Without `keep` it is made anew each time."""
        key = (arguments, language, len(lines), lines[-80:])
        if keep and key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, Sentence("web.worker_busy"), BUSY)
        self._waiting += 1
        try:
            async with self._turn:
                made = (keep and self._kept.get(key)) or await self._made(arguments, lines, language)
        finally:
            self._waiting -= 1
        if keep and len(made) <= LARGEST_KEPT:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    async def _made(self, arguments: tuple[str, ...], lines: bytes, language: str) -> bytes:
        try:
            ended = await self._starting.do(lambda: _run(arguments, lines, language), patience_s=math.inf)
        except subprocess.TimeoutExpired:
            raise Refusal(503, Sentence("web.worker_too_slow"), BUSY) from None
        if ended.returncode != 0:
            sentences = ended.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
            raise Refusal(422, as_told(sentences[-1]))
        return ended.stdout


def _run(arguments: tuple[str, ...], lines: bytes, language: str) -> subprocess.CompletedProcess[bytes]:
    """Also the start reads files: the program's. It is killed after PATIENCE_S, with TimeoutExpired."""
    nice = shutil.which("nice")
    politely = () if nice is None else (nice, "-n", LEAST_PRIORITY)
    return subprocess.run(
        [*politely, sys.executable, "-m", "pi_controller", *arguments],
        input=lines,
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": language.replace("-", "_")},
        timeout=PATIENCE_S,
    )


# The interface.


class GamesView(msgspec.Struct):
    """Of `GET /api/games`."""

    games: Sequence[GameSummary]


class StickBody(msgspec.Struct, forbid_unknown_fields=True):
    """Of `POST /api/stick`. `seen` is the `number` that the sender saw: of two requests that saw the same one
    only the first begins anything."""

    place: str
    seen: int


class GamesApi:
    """The games of this controller, and what core does with sticks: the web side reaches none."""

    def __init__(
        self,
        state_dir: Path,
        languages: RequestLanguages,
        link: CoreLink,
        login: Login,
        boot_s: Callable[[], float],
    ) -> None:
        """`languages` has the hall's. What the director needs at any moment waits for no guest."""
        self._link = link
        self._folder = state_dir / EXPORTS
        self._languages = languages
        self._state_dir = ("--state-dir", str(state_dir))
        """There are names of people, the event and the roster."""
        self._login = login
        self._files = FileThread("exports")
        self._running = 0
        self._list = CachedCall(self._read_list, lasts_s=LIST_LASTS_S, boot_s=boot_s)
        self._worker, self._staff_worker = Worker(), Worker()

    @get("/api/games", "public", hall=True, also=(503,))
    async def list(self, _request: web.Request) -> GamesView:
        """All games of this controller."""
        return GamesView(await self._list.get())

    @get("/api/games/{id}/export", "public", hall=True, also=(404, 503), media_type="application/x-ndjson")
    async def export(self, request: web.Request) -> web.StreamResponse:
        """A game's journal as JSON lines.

        Visibly broken off when the disk or the reader fails.
        """
        if self._running >= EXPORTS_AT_ONCE:
            raise Refusal(503, Sentence("web.downloads_busy"), {"Retry-After": "5"})
        self._running += 1
        try:
            async with asyncio.timeout(EXPORT_PATIENCE_S):
                return await self._send(request, request.match_info["id"])
        except TimeoutError:
            return _cut(request)
        finally:
            self._running -= 1

    @post("/api/copy", "director", also=(503,))
    async def copy(self, request: web.Request, body: CopyDeed) -> ChangeAnswer:
        """Take the game of another controller's stick over, or use the stick for this hall."""
        return await self._link.client.ask(AskCopy(deed=body, lang=request[LANGUAGE]))

    @get("/api/stick", "director", also=(503,))
    async def look(self, request: web.Request) -> StickView:
        """The sticks that are there, and how far saving the evening to one has come."""
        return (await self._link.client.ask(AskStick(lang=request[LANGUAGE]))).stick

    @post("/api/stick", "director", also=(503,))
    async def save(self, request: web.Request, body: StickBody) -> StickView:
        """Begin to save all games and reports of the evening to the stick in this place.

        What is told then is the beginning.
        """
        asked = AskStick(save=body.place, seen=body.seen, lang=request[LANGUAGE])
        return (await self._link.client.ask(asked)).stick

    async def _read_list(self) -> Sequence[GameSummary]:
        return await _read(
            self._files,
            lambda: read_games(self._folder),
            lambda problem: Sentence("web.games_unreadable", why=problem),
        )

    async def _send(self, request: web.Request, game: str) -> web.StreamResponse:
        def begin() -> tuple[Iterator[bytes], bytes | None]:
            pieces = read_export(self._folder, game) or iter(())
            return pieces, next(pieces, None)

        pieces, piece = await _read(self._files, begin)
        if piece is None:
            raise Refusal(404, Sentence("web.no_such_game"))
        answer = web.StreamResponse(
            headers={
                "Content-Type": "application/x-ndjson",
                "Content-Disposition": f'attachment; filename="{game}.jsonl"',
                "Cache-Control": "no-store",
            }
        )
        await answer.prepare(request)
        try:
            while piece is not None:
                await answer.write(piece)
                piece = await self._files.do(lambda: next(pieces, None))
            await answer.write_eof()
        except (OSError, ClientConnectionResetError):
            return _cut(request)
        return answer

    @get(
        "/api/games/{id}/replay",
        "public",
        hall=True,
        also=(404, 422, 503),
        kind="text",
        media_type="application/x-ndjson",
    )
    async def replay(self, request: web.Request) -> web.StreamResponse:
        """A game's pictures again, each with its moment and the panel's lamps, as JSON lines."""
        return await self._replayed(request, "--lamps", media_type="application/x-ndjson")

    @get(
        "/api/games/{id}/replay/tables",
        "public",
        hall=True,
        also=(404, 422, 503),
        kind="text",
        media_type="application/json",
    )
    async def tables(self, request: web.Request) -> web.StreamResponse:
        """What every table's displays showed all along a game."""
        return await self._replayed(request, "--tables", *self._state_dir, media_type="application/json")

    async def _replayed(self, request: web.Request, *what: str, media_type: str) -> web.StreamResponse:
        game, language = request.match_info["id"], request[LANGUAGE]
        lines = await _read(self._files, lambda: lines_of(self._folder, game))
        wanted = ("replay", "-", *what, "--languages", *self._languages.hall)
        content = await self._worker.run(wanted, lines, language)
        response = made(content, media_type, language, zlib_executor_size=COMPRESSED_HERE)
        response.enable_compression()
        return response

    @get(
        "/api/games/{id}/report.{kind:json|csv|pdf}",
        "public",
        hall=True,
        also=(401, 404, 422, 503),
        kind="text",
        media_type="*/*",
    )
    async def report(self, request: web.Request) -> web.StreamResponse:
        """A game's report; with ?names=1, for the staff, also names of people and free texts; with
        ?table=locale the CSV takes separator and decimal mark of the reader's language."""
        game, kind = request.match_info["id"], request.match_info["kind"]
        names = request.query.get("names") == "1"
        if names and not await self._is_staff(request):
            raise Refusal(401, Sentence("web.needs_log_in"), {"WWW-Authenticate": "Bearer"})
        lines = await _read(self._files, lambda: evening_of(self._folder, game))
        table = "locale" if request.query.get("table") == "locale" else "plain"
        more = ("--table", table, *(("--names",) if names else ()))
        wanted = ("report", "-", "--format", kind, *more, *self._state_dir)
        language = request[LANGUAGE]
        content = await self._worker.run(wanted, lines, language)
        return made(content, MEDIA_TYPES[kind], language, name="" if kind == "json" else f"{game}.{kind}")

    @get(
        "/api/fallback/{part:all|state|dice|sheets}.pdf",
        "director",
        also=(422, 503),
        kind="text",
        media_type=MEDIA_TYPES["pdf"],
    )
    async def fallback(self, request: web.Request) -> web.StreamResponse:
        """Paper to go on by hand with: where the newest game stands, other dice, claim sheets.

        Other dice each time.
        """
        lines = await _read(self._files, lambda: _newest(self._folder))
        return await self._paper(request, "fallback", "-", *FALLBACK[request.match_info["part"]], lines=lines)

    @get("/api/seat-codes.pdf", "director", also=(422, 503), kind="text", media_type=MEDIA_TYPES["pdf"])
    async def seat_sheets(self, request: web.Request) -> web.StreamResponse:
        """The seat codes of all boards on paper, with the address at which phones in the network claim."""
        return await self._paper(request, *SEAT_SHEETS, name="seats.pdf")

    async def _paper(
        self, request: web.Request, *wanted: str, lines: bytes = b"", name: str = ""
    ) -> web.StreamResponse:
        language = request[LANGUAGE]
        content = await self._staff_worker.run((*wanted, *self._state_dir), lines, language, keep=False)
        return made(content, MEDIA_TYPES["pdf"], language, name=name)

    async def _is_staff(self, request: web.Request) -> bool:
        found = await self._login.who(request)
        return found is not None and found[1].role in LET_IN["staff"]


async def _read(
    files: FileThread,
    read: Callable[[], ReadT],
    unreadable: Callable[[Sentence], Sentence] = lambda problem: Sentence("web.game_unreadable", why=problem),
) -> ReadT:
    """What `files` reads. DiskSlow; Refusal (503) with this sentence where the disk does not give it; and
    what `read` raises."""
    try:
        return await files.do(read)
    except DiskSlow:  # an OSError, too
        raise
    except OSError as problem:
        raise Refusal(503, unreadable(why(problem))) from problem


def _cut(request: web.Request) -> web.StreamResponse:
    """End a download that cannot be finished so that nobody takes it for the whole."""
    if request.transport is not None:
        request.transport.abort()
    raise Refusal(503, Sentence("web.download_broke_off"))


def evening_of(folder: Path, game: str) -> bytes:
    """The lines of this game, then those of the other games of its evening. Refusal 404, OSError."""
    known = {one.game_id: one for one in read_games(folder)}
    lines = lines_of(folder, game)
    others = sorted(
        (one for one in known.values() if one.game_id != game and one_evening(one, known[game].armed_at)),
        key=lambda one: one.armed_at,
    )
    for other in others[-MOST_GAMES:]:
        more = lines_of(folder, other.game_id)
        lines += more if len(lines) + len(more) <= LARGEST else b""
    return lines


def _newest(folder: Path) -> bytes:
    """The newest game's lines; none before the first game. Refusal 404, OSError."""
    known = read_games(folder)
    return lines_of(folder, known[0].game_id) if known else b""


def lines_of(folder: Path, game: str) -> bytes:
    """Refusal 404, OSError."""
    pieces = read_export(folder, game)
    if pieces is None:
        raise Refusal(404, Sentence("web.no_such_game"))
    return b"".join(pieces)


# `GET /verify.html`: the page that checks games. It works as a saved file, too: its script stands in it.
#
# `GET /verify.svg`: the way to it for a phone, with the game that has ended and its seal.


ITS_POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
"""What the page allows itself, its script and its style by their hashes (`tools/verify_page.py`)."""
SEAL_DIGITS = 24
"""Of 64: as many as the screens show. Fewer make a code that is read from farther away."""
CODES_KEPT = 8
"""Screens that ask by different names of this machine."""


class VerifyPage:
    def __init__(
        self, picture: Callable[[], Awaitable[Picture]], address: PageAddress, verifier: StaticFile
    ) -> None:
        """`picture`: that of this moment; `address`: where a phone finds this machine; `verifier`:
        verify_game.py."""
        self._verifier = verifier
        self._picture = picture
        self._address = address
        self._file = static_file(
            (resources.files("pi_controller") / "web" / "verify.html").read_bytes(), ".html"
        )
        found = ITS_POLICY.search(self._file.body)
        if found is None:
            raise ValueError("verify.html has no policy of its own")
        self.policy = f"{found[1].decode()}; frame-ancestors 'none'"

    @get("/verify.html", "public", hall=True, also=(304,), kind="page")
    async def page(self, request: web.Request) -> web.StreamResponse:
        """The page that checks exported games, one file that works without a network."""
        return file_answer(request, self._file, {POLICY: self.policy})

    @get("/verify_game.py", "public", hall=True, kind="page", also=(304,), media_type="text/x-python")
    async def program(self, request: web.Request) -> web.StreamResponse:
        """The stand-alone verifier of exported games."""
        answer = file_answer(request, self._verifier)
        answer.headers["Content-Disposition"] = 'attachment; filename="verify_game.py"'
        return answer

    @get("/verify.svg", "public", hall=True, also=(304, 404, 503), kind="page", media_type="image/svg+xml")
    async def code(self, request: web.Request) -> web.StreamResponse:
        """QR code of that page with the game that has ended, and its seal."""
        picture = await self._picture()
        if picture.phase != "ended":
            raise Refusal(404, Sentence("web.no_such_game"))
        way = f"/verify.html?game={picture.game_id}#{picture.commitment[:SEAL_DIGITS]}"
        return file_answer(request, _code(self._address.for_asker(request) + way))


@lru_cache(CODES_KEPT)
def _code(text: str) -> StaticFile:
    return static_file(qr_svg(text), ".svg")
