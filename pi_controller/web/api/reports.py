"""Games that were played: reports, `GET /api/games/{id}/report.{json,csv,pdf}`, and replays; and paper to go
on by hand with, `GET /api/fallback/{part}.pdf`: all from core's copies of the games."""

from pathlib import Path

from aiohttp import web

from pi_controller.hal.system.file_thread import FileThread
from pi_controller.journal.export_files import read_export, read_games
from pi_controller.journal.seals import one_evening
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal
from pi_controller.web.http.language import LANGUAGE, language_headers
from pi_controller.web.http.login import Login
from pi_controller.web.http.roles import LET_IN
from pi_controller.web.http.routes import Route, get
from pi_controller.web.live.worker import Worker

MEDIA_TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8", "pdf": "application/pdf"}
FALLBACK = {
    "all": (),
    "state": ("--only", "state"),
    "dice": ("--only", "dice", "--rolls", "120"),
    "sheets": ("--only", "sheets", "--sheets", "30"),
}
MOST_GAMES = 12
"""Of an evening, those armed next to the one that is asked for."""
LARGEST = 32 * 1024 * 1024
"""Bytes of the games of an evening that are read: some 60,000 lines."""
COMPRESSED_HERE = 16 * 1024
"""Bytes; what is longer is compressed on a thread of its own."""


class GameReportsApi:
    def __init__(
        self,
        folder: Path,
        files: FileThread,
        *,
        state_dir: Path,
        languages: tuple[str, ...],
        worker: Worker,
        staff_worker: Worker,
        login: Login,
    ) -> None:
        """`folder`: where core writes the copies, which `files` reads; names of people, the event and the
        roster are in the state folder. `languages` are the hall's. What the director needs at any moment
        waits for no guest."""
        self._languages = languages
        self._state_dir = ("--state-dir", str(state_dir))
        self._login = login
        self._folder = folder
        self._files = files
        self._worker = worker
        self._staff_worker = staff_worker

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path=r"/api/games/{id}/report.{kind:json|csv|pdf}",
                handler=self.report,
                access="public",
                kind="text",
                summary="A game's report; with ?names=1, for the staff, also names of people and free texts; "
                "with ?table=locale the CSV takes separator and decimal mark of the reader's language",
                answers=(200, 401, 404, 422, 503),
                media_type="*/*",
            ),
            get(
                path="/api/games/{id}/replay",
                handler=self.replay,
                access="public",
                kind="text",
                summary="A game's pictures again, each with its moment and the panel's lamps, as JSON lines",
                answers=(200, 404, 422, 503),
                media_type="application/x-ndjson",
            ),
            get(
                path="/api/games/{id}/replay/tables",
                handler=self.tables,
                access="public",
                kind="text",
                summary="What every table's displays showed all along a game",
                answers=(200, 404, 422, 503),
                media_type="application/json",
            ),
            get(
                path=r"/api/fallback/{part:all|state|dice|sheets}.pdf",
                handler=self.fallback,
                access="director",
                kind="text",
                summary="Paper to go on by hand with: where the newest game stands, other dice, claim sheets",
                answers=(200, 401, 403, 422, 429, 503),
                media_type=MEDIA_TYPES["pdf"],
            ),
        )

    async def replay(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/games/{id}/replay`."""
        return await self._replayed(request, "--lamps", media_type="application/x-ndjson")

    async def tables(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/games/{id}/replay/tables`."""
        return await self._replayed(request, "--tables", *self._state_dir, media_type="application/json")

    async def _replayed(self, request: web.Request, *what: str, media_type: str) -> web.StreamResponse:
        game, language = request.match_info["id"], request[LANGUAGE]
        lines = await self._files.do(lambda: _copy_of(self._folder, game))
        wanted = ("replay", "-", *what, "--languages", *self._languages)
        content = await self._worker.run(wanted, lines, language)
        headers = {"Content-Type": media_type, "Cache-Control": "no-store"}
        told = headers | language_headers(language)
        response = web.Response(body=content, headers=told, zlib_executor_size=COMPRESSED_HERE)
        response.enable_compression()
        return response

    async def report(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/games/{id}/report.{json,csv,pdf}`."""
        game, kind = request.match_info["id"], request.match_info["kind"]
        names = request.query.get("names") == "1"
        if names and not await self._is_staff(request):
            raise Refusal(401, Sentence("web.needs_log_in"), {"WWW-Authenticate": "Bearer"})
        lines = await self._files.do(lambda: evening_of(self._folder, game))
        table = "locale" if request.query.get("table") == "locale" else "plain"
        more = ("--table", table, *(("--names",) if names else ()))
        wanted = ("report", "-", "--format", kind, *more, *self._state_dir)
        language = request[LANGUAGE]
        content = await self._worker.run(wanted, lines, language)
        headers = {
            "Content-Type": MEDIA_TYPES[kind],
            "Cache-Control": "no-store",
            **language_headers(language),
        }
        if kind != "json":
            headers["Content-Disposition"] = f'attachment; filename="{game}.{kind}"'
        return web.Response(body=content, headers=headers)

    async def fallback(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/fallback/{part}.pdf`: other dice each time."""
        part, language = request.match_info["part"], request[LANGUAGE]
        lines = await self._files.do(lambda: _newest(self._folder))
        wanted = ("fallback", "-", *FALLBACK[part], *self._state_dir)
        content = await self._staff_worker.run(wanted, lines, language, keep=False)
        headers = {"Content-Type": MEDIA_TYPES["pdf"], "Cache-Control": "no-store"}
        return web.Response(body=content, headers=headers | language_headers(language))

    async def _is_staff(self, request: web.Request) -> bool:
        found = await self._login.who(request)
        return found is not None and found[1].role in LET_IN["staff"]


def evening_of(folder: Path, game: str) -> bytes:
    """The lines of this game, then those of the other games of its evening. Refusal 404, 503."""
    try:
        known = {one.game_id: one for one in read_games(folder)}
        lines = lines_of(folder, game)
        others = sorted(
            (one for one in known.values() if one.game_id != game and one_evening(one, known[game].armed_at)),
            key=lambda one: one.armed_at,
        )
        for other in others[-MOST_GAMES:]:
            more = lines_of(folder, other.game_id)
            lines += more if len(lines) + len(more) <= LARGEST else b""
    except OSError as problem:
        raise Refusal(503, Sentence("web.game_unreadable", why=why(problem))) from problem
    return lines


def _copy_of(folder: Path, game: str) -> bytes:
    """Refusal 404, 503."""
    try:
        return lines_of(folder, game)
    except OSError as problem:
        raise Refusal(503, Sentence("web.game_unreadable", why=why(problem))) from problem


def _newest(folder: Path) -> bytes:
    """The newest game's lines; none before the first game. Refusal 503."""
    try:
        known = read_games(folder)
        return lines_of(folder, known[0].game_id) if known else b""
    except OSError as problem:
        raise Refusal(503, Sentence("web.game_unreadable", why=why(problem))) from problem


def lines_of(folder: Path, game: str) -> bytes:
    """Refusal 404, OSError."""
    pieces = read_export(folder, game)
    if pieces is None:
        raise Refusal(404, Sentence("web.no_such_game"))
    return b"".join(pieces)
