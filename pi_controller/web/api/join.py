"""What phones in the hall scan from its screen: the Wi-Fi first, where the settings name one, then the
address of their page. No link or code of the staff ever stands there."""

import io
from dataclasses import dataclass
from functools import lru_cache

import segno
from aiohttp import web

from pi_controller.sentence import Sentence
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.bodies import Refusal, json_answer
from pi_controller.web.http.routes import Route, get

PAGE = "/phone"
ESCAPED = '\\;,:"'
"""Signs that have a meaning in the text of a Wi-Fi's code."""
BORDER = 2
"""Modules of white around a code: what reads from a screen needs, on a white card."""
SVG = {"Content-Type": "image/svg+xml", "Cache-Control": "no-cache"}


@dataclass(frozen=True, slots=True)
class Ways:
    """How phones come in: the Wi-Fi, whose name may be empty, and where they find the controller."""

    wifi_name: str
    wifi_password: str
    address: PageAddress
    claims: PageAddress | None
    """Where alone phones may claim; None: at `address`."""


class JoinApi:
    """What the hall screen shows of these ways."""

    def __init__(self, ways: Ways) -> None:
        self._wifi = wifi_text(ways.wifi_name, ways.wifi_password) if ways.wifi_name else None
        self._name = ways.wifi_name
        self._address = ways.address
        self._claims = ways.claims

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/join",
                handler=self.ways,
                access="public",
                summary="How a phone comes in",
                answer_schema="join",
            ),
            get(
                path="/join/{name}.svg",
                handler=self.picture,
                access="public",
                kind="text",
                summary="QR code of the Wi-Fi or of the address for phones",
                answers=(200, 404),
                media_type="image/svg+xml",
            ),
        )

    async def ways(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/join`: the Wi-Fi's name, null where the settings name none, the address to type, and that
        of claims where it is another one."""
        claims = None if self._claims is None else self._claims.for_asker(request) + PAGE
        address = self._phone_page(request)
        return json_answer({"wifi": self._name or None, "address": address, "claims": claims})

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """`GET /join/wifi.svg` and `/join/phone.svg`."""
        texts = {"wifi": self._wifi, "phone": self._phone_page(request)}
        text = texts.get(request.match_info["name"])
        if text is None:
            raise Refusal(404, Sentence("web.no_such_file"))
        return web.Response(body=qr_svg(text), headers=SVG)

    def _phone_page(self, request: web.Request) -> str:
        return self._address.for_asker(request) + PAGE


def wifi_text(name: str, password: str) -> str:
    """What phones understand as the way into a Wi-Fi; without a password an open one."""
    kind = f"WPA;S:{_escaped(name)};P:{_escaped(password)}" if password else f"nopass;S:{_escaped(name)}"
    return f"WIFI:T:{kind};;"


@lru_cache(maxsize=16)
def qr_svg(text: str) -> bytes:
    """As a picture that fills its place."""
    picture = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        picture, kind="svg", border=BORDER, omitsize=True, xmldecl=False, light="#fff"
    )
    return picture.getvalue()


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in ESCAPED else sign for sign in text)
