"""Two controllers that lead one game: what the director decides, handed on to core."""

from aiohttp import web
from msgspec import Struct

from pi_controller.protocol.errors import CoreTrouble
from pi_controller.protocol.halls import HallName
from pi_controller.protocol.messages import AskSettle
from pi_controller.web.http.bodies import own_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.routes import REFUSALS, Route, post
from pi_controller.web.live.core_link import CoreLink


class SettleBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """Of `POST /api/halls/settle`. `lead`: whether this controller leads from now on; `hall`: what was typed,
    the name of the hall that shall lead."""

    lead: bool
    hall: HallName


class HallsApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    def routes(self) -> tuple[Route, ...]:
        return (
            post(
                path="/api/halls/settle",
                handler=self.settle,
                access="director",
                summary="Decide whether this controller or the other one leads, confirmed by a hall's name",
                answers=(200, 408, 409, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="settle_body",
            ),
        )

    async def settle(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/halls/settle`: 200 decided; 409 with the reason, and nothing was changed."""
        body, language = await read_body(request, SettleBody), request[LANGUAGE]
        try:
            await self._link.client.ask(AskSettle(lead=body.lead, hall=body.hall, lang=language))
        except CoreTrouble as refusal:
            return own_answer(language, refusal.sentence)
        return own_answer(language)
