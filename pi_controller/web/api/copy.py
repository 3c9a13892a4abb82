"""Another controller's stick in the place of the second copy: the director's decision, handed on to core."""

from aiohttp import web

from pi_controller.protocol.messages import AskCopy
from pi_controller.protocol.stick import CopyDeed
from pi_controller.web.http.bodies import change_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.routes import REFUSALS, Route, post
from pi_controller.web.live.core_link import CoreLink


class CopyApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    def routes(self) -> tuple[Route, ...]:
        return (
            post(
                path="/api/copy",
                handler=self.decide,
                access="director",
                summary="Take the game of another controller's stick over, or use the stick for this hall",
                answers=(200, 408, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="copy_body",
            ),
        )

    async def decide(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/copy`: 200 done; 409 with the reasons, and nothing was changed."""
        asked = AskCopy(deed=await read_body(request, CopyDeed), lang=request[LANGUAGE])
        answer = await self._link.client.ask(asked)
        return change_answer(answer.reasons, answer.reason_keys, request[LANGUAGE])
