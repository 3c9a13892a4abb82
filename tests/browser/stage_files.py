"""The files that a staged hall serves: those of the package, and drawings."""

from functools import cache
from pathlib import Path
from typing import Any

from aiohttp import web

import pi_controller.web
from pi_controller.web.api.links import qr_svg
from pi_controller.web.http.routes import RequestLanguages
from pi_controller.web.http.static_files import Pages

PAGES = Path(pi_controller.web.__file__).parent / "pages"
ENGLISH = RequestLanguages(("en",))
VERIFYING = PAGES.parent / "verify.html"
POLICY = "default-src 'self'; frame-ancestors 'self'"

HARDWARE = "/api/hardware/feed"
NOTES = "/api/notes/feed"
DIRECTING = "/api/directing"
SHEETS = "/api/sheets/feed"
FEED, PHONES, DESK = "/api/feed", "/api/phone", "/api/desk"
FEEDS = (
    FEED,
    PHONES,
    DESK,
    "/api/sim",
    "/api/tables/feed",
    "/api/sim/tables",
    "/api/selftest/feed",
    NOTES,
    HARDWARE,
    DIRECTING,
    SHEETS,
)
NO_ACTIONS: dict[str, Any] = {
    "game_id": "g1", "session": "s1", "seq": 1, "as_of_ms": 0, "actions": [], "undone": [], "outcome": None
}  # fmt: skip
NO_STICK: dict[str, Any] = {
    "sticks": [], "number": 0, "state": "none", "place": "", "step": "reports", "done": 0, "of": 0, "folder": "",
    "files": [], "reason": "", "reason_key": None,
}  # fmt: skip
NO_BUTTON: dict[str, Any] = {
    "usable": False, "choosing": False, "name": "", "device": "", "key": None, "pressed": False, "presses": 0,
    "sentence": None, "sentence_key": None,
}  # fmt: skip
NO_FIRMWARE: dict[str, Any] = {
    "version": "1.0", "number": 0, "state": "none", "board": None, "left_s": 0, "segments": [], "outcomes": [],
    "reason": None, "reason_key": None,
}  # fmt: skip
NEWER = NO_FIRMWARE | {"version": "1.7"}
ASKING = NEWER | {"state": "asking", "number": 1, "board": "A1", "left_s": 47}
_SEGMENTS = [
    {"name": "A", "nodes": 4, "done": 0, "part": 5, "parts": 10},
    {"name": "B", "nodes": 4, "done": 2, "part": 10, "parts": 10},
]
WORKING = NEWER | {"state": "working", "number": 1, "segments": _SEGMENTS}
_ENDS = [
    {"end": "updated", "boards": ["A1", "A2"], "text": "Updated."},
    {"end": "no_key", "boards": ["A3"], "text": "Install it by USB."},
]
DONE = NEWER | {"state": "done", "number": 1, "outcomes": _ENDS}
DOCUMENTS: dict[str, Any] = {"stick": NO_STICK, "button": NO_BUTTON, "firmware": NO_FIRMWARE}
"""What is found below /api where a test gives nothing else."""
JOIN: dict[str, Any] = {"wifi": None, "address": "http://192.0.2.7:8080/phone"}
NO_ROSTER: dict[str, Any] = {"version": 1, "rows": []}
ENDED = {
    "game_id": "g0",
    "armed_at": "2026-11-20T19:00:00Z",
    "rule_set": "connect",
    "ended": True,
    "rounds": 21,
}
"""A game of before: without one it would be a first evening."""
SOFTWARE = {"version": "0.9.0", "source": "0123456789ab"}
NO_SCREENS: dict[str, Any] = {"screens": [], "waiting": 0, "software": SOFTWARE}
_AWAY: dict[str, Any] = {
    "name": "Foyer", "connected": False, "blackout": False, "page": "/", "size": [0, 0],
    "clock_offset_ms": None, "last_contact_s": 9,
}  # fmt: skip
SCREENS: dict[str, Any] = {
    "screens": [_AWAY | {"name": "Projector", "connected": True}, _AWAY],
    "waiting": 0,
    "software": SOFTWARE,
}
STRANGER = {
    "screen": {"name": None, "code": "K7QM", "blackout": False, "clock_offset_ms": None, "software": SOFTWARE}
}
HELD = {"held": True, "settings": {}}
PATHS = {
    "/": "hall",
    "/overlay": "hall",
    "/director": "director",
    "/phone": "phone",
    "/judge": "judge",
    "/moderator": "moderator",
    "/technician": "technician",
    "/technician/selftest": "selftest",
    "/technician/hardware": "hardware",
    "/sim": "sim",
    "/report/g1": "report",
    "/replay/g1": "hall",
    "/login": "login",
}


async def logo(_request: web.Request) -> web.Response:
    body = b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="#7fdcae"/></svg>'
    return web.Response(body=body, content_type="image/svg+xml")


async def code(request: web.Request) -> web.Response:
    body = qr_svg(f"https://hall.example/{request.match_info['name']}")
    return web.Response(body=body, content_type="image/svg+xml")


async def verifying(_request: web.Request) -> web.Response:
    return web.Response(body=VERIFYING.read_bytes(), content_type="text/html")


async def drawing(_request: web.Request) -> web.Response:
    body = qr_svg(f"http://192.0.2.10:8080/verify.html?game=20261120-183005-ab12#{'c1f390ab' * 3}")
    return web.Response(body=body, content_type="image/svg+xml")


@cache
def pages_in_english(folder: Path) -> Pages:
    return Pages(folder, ENGLISH)


def part(pages: Pages, name: str) -> web.Response:
    """This script, style sheet or font of the pages."""
    file = pages.file(name)
    if file is None:
        raise web.HTTPNotFound
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    return web.Response(body=file.body, headers=headers | {"Content-Type": file.media_type})
