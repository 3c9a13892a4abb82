"""`WS /api/feed` and `GET /api/state`: the room picture, never older than it says."""

from aiohttp import web

from pi_controller.web.answers import json_answer
from pi_controller.web.audience import Audience, listen
from pi_controller.web.core_link import CoreLink


class Feed:
    """While core is away its listeners keep their sockets and hear nothing, so that pages go stale by
    themselves; with core's return the whole picture comes at once."""

    def __init__(self, link: CoreLink, audience: Audience) -> None:
        self._link = link
        self._audience = audience

    async def socket(self, request: web.Request) -> web.StreamResponse:
        return await listen(request, self._audience, refresh=self._link.refresh)

    async def state(self, _request: web.Request) -> web.StreamResponse:
        return json_answer(await self._link.picture())
