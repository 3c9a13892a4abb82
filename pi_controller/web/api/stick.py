"""The evening on a stick: what core finds and does, for the director. The web side reaches no stick."""

import msgspec
from aiohttp import web

from pi_controller.protocol.messages import AskStick
from pi_controller.web.http.bodies import json_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.routes import REFUSALS, Route, get, post
from pi_controller.web.live.core_link import CoreLink


class StickBody(msgspec.Struct, forbid_unknown_fields=True):
    """Of `POST /api/stick`. `seen` is the `number` that the sender saw: of two requests that saw the same one
    only the first begins anything."""

    place: str
    seen: int


class StickApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/stick",
                handler=self.look,
                access="director",
                summary="The sticks that are there, and how far saving the evening to one has come",
                answers=(200, 401, 403, 429, 503),
                answer_schema="stick",
            ),
            post(
                path="/api/stick",
                handler=self.save,
                access="director",
                summary="Begin to save all games and reports of the evening to the stick in this place",
                answers=(200, 408, 422, 503, *REFUSALS),
                answer_schema="stick",
                body_schema="stick_body",
            ),
        )

    async def look(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/stick`."""
        return await self._asked(AskStick(lang=request[LANGUAGE]))

    async def save(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/stick`: what is told then is the beginning."""
        body = await read_body(request, StickBody)
        return await self._asked(AskStick(save=body.place, seen=body.seen, lang=request[LANGUAGE]))

    async def _asked(self, question: AskStick) -> web.Response:
        return json_answer((await self._link.client.ask(question)).stick)
