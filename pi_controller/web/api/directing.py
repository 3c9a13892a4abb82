"""Which director directs: followed by their pages, taken over, handed over."""

from typing import Annotated

from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import own_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.roles import PERSON
from pi_controller.web.http.routes import REFUSALS, Route, post, socket
from pi_controller.web.live.broadcaster import listen
from pi_controller.web.live.directing import Directing

Number = Annotated[int, Meta(ge=0, le=2**53)]


class TakeOverBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """Of `POST /api/directing/take-over`: who directs as far as the one who asks knows; null: nobody."""

    directs: Number | None


class HandOverBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/directing/hand-over`: the number of who is to direct."""

    to: Number


class DirectingApi:
    def __init__(self, directing: Directing) -> None:
        self._directing = directing

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/directing",
                handler=self.follow,
                access="director",
                summary="WebSocket: who directs and who is there, at once and on every change",
                answers=(101, 401, 403, 426, 429, 503),
            ),
            post(
                path="/api/directing/take-over",
                handler=self.take_over,
                access="director",
                summary="Direct from now on; refused when another one directs than the body says",
                answers=(200, 408, 409, 422, *REFUSALS),
                answer_schema="change_answer",
                body_schema="take_over_body",
            ),
            post(
                path="/api/directing/hand-over",
                handler=self.hand_over,
                access="director",
                summary="Let another director, whose page is open, direct from now on",
                answers=(200, 408, 409, 422, *REFUSALS),
                answer_schema="change_answer",
                body_schema="hand_over_body",
            ),
        )

    async def follow(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/directing`."""
        with self._directing.here(request[PERSON]):
            return await listen(request, self._directing.told)

    async def take_over(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/directing/take-over`: 200 done, 409 another one directs by now."""
        body = await read_body(request, TakeOverBody)
        return _answer(request, self._directing.take_over(request[PERSON], body.directs))

    async def hand_over(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/directing/hand-over`: 200 done, 409 not one's own to give, or they are not there."""
        body = await read_body(request, HandOverBody)
        return _answer(request, self._directing.hand_over(request[PERSON], body.to))


def _answer(request: web.Request, against: Sentence | None) -> web.StreamResponse:
    return own_answer(request[LANGUAGE], *(() if against is None else (against,)))
