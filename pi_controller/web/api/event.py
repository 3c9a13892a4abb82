"""What the pages show of the event besides the picture: its logo, which comes from a file of the settings."""

from aiohttp import web

from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import POLICY, Refusal
from pi_controller.web.http.routes import Route, get
from pi_controller.web.http.static_files import StaticFile, file_answer

LOGO = "/event/logo"
ONLY_DRAWN = {POLICY: "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"}
"""Opened by itself, a drawing is a document: it runs nothing, loads nothing and is of no origin."""


class EventApi:
    def __init__(self, logo: StaticFile | None) -> None:
        """`logo`: None where there is none that can be shown."""
        self._logo = logo

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path=LOGO,
                handler=self.logo,
                access="public",
                summary="The logo of the event, a PNG or SVG picture",
                answers=(200, 304, 404),
                media_type="image/*",
            ),
        )

    async def logo(self, request: web.Request) -> web.StreamResponse:
        """`GET /event/logo`."""
        if self._logo is None:
            raise Refusal(404, Sentence("web.no_logo"))
        return file_answer(request, self._logo, ONLY_DRAWN)
