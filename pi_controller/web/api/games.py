"""`GET /api/games` and the download of a game's journal, which anybody may check with verify_game.py.

Both come from the folder of copies that core writes beside the games: whoever asks, core does not hear of it.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from aiohttp import ClientConnectionResetError, web

from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.journal.export_files import GameSummary, read_export, read_games
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, json_answer
from pi_controller.web.http.routes import Route, get
from pi_controller.web.live.cached_call import CachedCall

EXPORTS_AT_ONCE = 4
"""Downloads at a time: the other pages are served from the same card and by the same processor."""
EXPORT_PATIENCE_S = 60.0
LIST_LASTS_S = 1.0
"""Whoever asks more often gets the same list again."""


class GamesApi:
    def __init__(self, folder: Path, files: FileThread, boot_s: Callable[[], float]) -> None:
        """`folder`: where core writes the copies; `files` reads them."""
        self._folder = folder
        self._files = files
        self._running = 0
        self._list = CachedCall(self._read_list, lasts_s=LIST_LASTS_S, boot_s=boot_s)

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/games",
                handler=self.list,
                access="public",
                summary="All games of this controller",
                answers=(200, 503),
                answer_schema="games",
            ),
            get(
                path="/api/games/{id}/export",
                handler=self.export,
                access="public",
                summary="A game's journal as JSON lines",
                answers=(200, 404, 503),
                media_type="application/x-ndjson",
            ),
        )

    async def list(self, _request: web.Request) -> web.StreamResponse:
        return json_answer({"games": await self._list.get()})

    async def export(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/games/{id}/export`: JSON lines; visibly broken off when the disk or the reader fails."""
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

    async def _read_list(self) -> Sequence[GameSummary]:
        try:
            return await self._files.do(lambda: read_games(self._folder))
        except DiskSlow as problem:
            raise Refusal(503, problem.sentence) from problem
        except OSError as problem:
            raise Refusal(503, Sentence("web.games_unreadable", why=why(problem))) from problem

    async def _send(self, request: web.Request, game: str) -> web.StreamResponse:
        try:
            pieces, piece = await self._files.do(lambda: _begin(self._folder, game))
        except DiskSlow as problem:
            raise Refusal(503, problem.sentence) from problem
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


def _begin(folder: Path, game: str) -> tuple[Iterator[bytes], bytes | None]:
    """The game's copy and its first piece; Refusal (503) when the disk does not give it."""
    try:
        pieces = read_export(folder, game) or iter(())
        return pieces, next(pieces, None)
    except OSError as problem:
        raise Refusal(503, Sentence("web.game_unreadable", why=why(problem))) from problem


def _cut(request: web.Request) -> web.StreamResponse:
    """End a download that cannot be finished so that nobody takes it for the whole."""
    if request.transport is not None:
        request.transport.abort()
    raise Refusal(503, Sentence("web.download_broke_off"))
