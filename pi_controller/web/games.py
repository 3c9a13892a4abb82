"""`GET /api/games` and the download of a game's journal, which anybody may check with verify_game.py."""

import asyncio
import re

from aiohttp import ClientConnectionResetError, web

from pi_controller.control.errors import CoreTrouble, Malformed, NoCore
from pi_controller.web.answers import Refusal, as_sentence, json_answer
from pi_controller.web.core_link import CoreLink

GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
EXPORTS_AT_ONCE = 4
"""Downloads are read through core; a few at a time never get in the way of the game."""
EXPORT_PATIENCE_S = 60.0


class Games:
    def __init__(self, link: CoreLink) -> None:
        self._link = link
        self._running = 0

    async def list(self, _request: web.Request) -> web.StreamResponse:
        return json_answer({"games": await self._link.client.games()})

    async def export(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/games/{id}/export`: JSON lines; visibly broken off when core goes away meanwhile."""
        game = request.match_info["id"]
        if not GAME_ID.fullmatch(game):
            raise Refusal(404, "There is no such game: GET /api/games lists them.")
        if self._running >= EXPORTS_AT_ONCE:
            raise Refusal(503, "Several downloads are running: try again in a moment.", {"Retry-After": "5"})
        self._running += 1
        try:
            async with asyncio.timeout(EXPORT_PATIENCE_S):
                return await self._send(request, game)
        except TimeoutError:
            return _cut(request)
        finally:
            self._running -= 1

    async def _send(self, request: web.Request, game: str) -> web.StreamResponse:
        lines = self._link.client.export_lines(game)
        try:
            line = await anext(lines, None)
        except (CoreTrouble, Malformed) as problem:
            raise Refusal(404, as_sentence(str(problem))) from problem
        answer = web.StreamResponse(
            headers={
                "Content-Type": "application/x-ndjson",
                "Content-Disposition": f'attachment; filename="{game}.jsonl"',
                "Cache-Control": "no-store",
            }
        )
        await answer.prepare(request)
        try:
            while line is not None:
                await answer.write(f"{line}\n".encode())
                line = await anext(lines, None)
            await answer.write_eof()
        except (NoCore, CoreTrouble, Malformed, ClientConnectionResetError):
            return _cut(request)
        return answer


def _cut(request: web.Request) -> web.StreamResponse:
    """End a download that cannot be finished so that nobody takes it for the whole."""
    if request.transport is not None:
        request.transport.abort()
    raise Refusal(503, "The download broke off: start it again.")
