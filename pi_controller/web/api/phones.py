"""The feed of the phones in the hall."""

from aiohttp import web

from pi_controller.web.http.routes import Route, socket
from pi_controller.web.live.broadcaster import listen
from pi_controller.web.live.core_link import CoreLink
from pi_controller.web.live.phones import PhoneBroadcaster


class PhonesApi:
    """As the feed of the whole picture, in places of its own."""

    def __init__(self, link: CoreLink, phones: PhoneBroadcaster) -> None:
        self._link = link
        self._phones = phones

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/phone",
                handler=self.socket,
                access="public",
                summary="WebSocket for phones: their part of the picture, now and on every change, and beats",
                answers=(101, 403, 426, 503),
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/phone`."""
        return await listen(request, self._phones, refresh=self._link.refresh)
