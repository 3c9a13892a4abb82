"""`GET /verify.html`: the page that checks games. It works as a saved file, too: its script stands in it.

`GET /verify.svg`: the way to it for a phone, with the game that has ended and its seal.
"""

import re
from collections.abc import Awaitable, Callable
from functools import lru_cache
from importlib import resources

from aiohttp import web

from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence
from pi_controller.web.api.join import qr_svg
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.bodies import POLICY, Refusal
from pi_controller.web.http.routes import Route, get
from pi_controller.web.http.static_files import StaticFile, file_answer, static_file

ITS_POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
"""What the page allows itself, its script and its style by their hashes (`tools/verify_page.py`)."""
SEAL_DIGITS = 24
"""Of 64: as many as the screens show. Fewer make a code that is read from farther away."""
CODES_KEPT = 8
"""Screens that ask by different names of this machine."""


class VerifyPage:
    def __init__(self, picture: Callable[[], Awaitable[Picture]], address: PageAddress) -> None:
        """`picture`: that of this moment; `address`: where a phone finds this machine."""
        self._picture = picture
        self._address = address
        self._file = static_file(
            (resources.files("pi_controller") / "web" / "verify.html").read_bytes(), ".html"
        )
        found = ITS_POLICY.search(self._file.body)
        if found is None:
            raise ValueError("verify.html has no policy of its own")
        self.policy = f"{found[1].decode()}; frame-ancestors 'none'"

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/verify.html",
                handler=self.page,
                kind="page",
                access="public",
                summary="The page that checks exported games, one file that works without a network",
                answers=(200, 304),
            ),
            get(
                path="/verify.svg",
                handler=self.code,
                kind="page",
                access="public",
                summary="QR code of that page with the game that has ended, and its seal",
                answers=(200, 304, 404, 503),
                media_type="image/svg+xml",
            ),
        )

    async def page(self, request: web.Request) -> web.StreamResponse:
        return file_answer(request, self._file, {POLICY: self.policy})

    async def code(self, request: web.Request) -> web.StreamResponse:
        picture = await self._picture()
        if picture.phase != "ended":
            raise Refusal(404, Sentence("web.no_such_game"))
        way = f"/verify.html?game={picture.game_id}#{picture.commitment[:SEAL_DIGITS]}"
        return file_answer(request, _code(self._address.for_asker(request) + way))


@lru_cache(CODES_KEPT)
def _code(text: str) -> StaticFile:
    return static_file(qr_svg(text), ".svg")
