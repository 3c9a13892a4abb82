"""How devices come in: links for log-ins, QR codes, the way for phones."""

import asyncio
import fcntl
import os
import re
import threading
from typing import Any

import aiohttp
import pytest
import segno

from pi_controller.web.api.links import BORDER, qr_blocks, qr_code, wifi_text
from tests.web.hall import LOOPBACK, Hall, from_elsewhere

RESCUE_S = 60.0


async def made(hall: Hall, **body: Any) -> Any:
    answer = await hall.post("/api/login-link", body, headers=hall.director)
    assert answer.status == 200
    return answer.json


async def entered(hall: Hall, path: str) -> dict[str, str]:
    answer = await hall.post(path)
    assert answer.status == 303
    cookie = answer.headers["Set-Cookie"].split(";")[0]
    return {"Cookie": cookie, "Origin": hall.url}


async def test_without_a_role_a_link_is_a_further_directors(hall: Hall) -> None:
    new = await made(hall)
    assert (new["link"]["role"], new["link"]["name"], new["link"]["way"]) == ("director", "", "link")
    assert new["address"] == hall.url + new["path"]
    assert new["qr"]["size"] > 20
    assert set(new["qr"]["path"]) <= set("Mhvz- 0123456789")
    assert (await hall.post(new["path"])).headers["Location"] == "/director"


async def test_a_link_gives_its_role_and_name(hall: Hall) -> None:
    judge = await entered(hall, (await made(hall, role="judge", name=" Anna "))["path"])
    session = (await hall.get("/api/session", headers=judge)).json
    assert (session["director"], session["role"], session["name"]) == (False, "judge", "Anna")
    assert session["ends_in_s"] == 16 * 3600
    script = (await hall.get("/api/session", headers=hall.director)).json
    assert (script["director"], script["role"], script["ends_in_s"]) == (True, "director", None)


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_who_is_revoked_is_out_at_once(hall: Hall) -> None:
    judge = await entered(hall, (await made(hall, role="judge", name="Anna"))["path"])
    other = await entered(hall, (await made(hall, role="judge", name="Ben"))["path"])
    listed = (await hall.get("/api/links", headers=hall.director)).json["links"]
    assert [(link["name"], link["used"], link["own"]) for link in listed] == [
        ("Anna", True, False),
        ("Ben", True, False),
    ]
    async with hall.socket("/api/tables/feed", headers=judge | from_elsewhere()) as feed:
        revoked = await hall.post("/api/links/revoke", {"id": listed[0]["id"]}, headers=hall.director)
        assert revoked.json == {"done": True}
        while (await feed.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
        assert feed.close_code == 4401
    assert (await hall.post("/api/commands/claim", headers=judge)).status == 401
    assert (await hall.post("/api/commands/claim", headers=other)).status == 200
    again = await hall.post("/api/links/revoke", {"id": listed[0]["id"]}, headers=hall.director)
    assert again.status == 404


async def test_a_director_sees_which_device_is_his_own(hall: Hall) -> None:
    mine = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
    (link,) = (await hall.get("/api/links", headers=mine)).json["links"]
    assert (link["own"], link["way"], link["since"]) == (True, "pin", "2023-11-14T22:13:20+00:00")


@pytest.mark.parametrize(
    "body", [{"role": "king"}, {"name": "x" * 41}, {"name": "a\nb"}, {"name": 3}, {"rank": "judge"}]
)
async def test_a_link_for_nobody_is_not_made(hall: Hall, body: Any) -> None:
    assert (await hall.post("/api/login-link", body, headers=hall.director)).status == 422
    assert (await hall.get("/api/links", headers=hall.director)).json == {"links": []}


async def test_a_log_in_that_waits_for_the_disk_holds_up_nobody_else(hall: Hall) -> None:
    """Another process holds the book of log-ins; on the loop that would be the end of feed and pauses."""
    holder = os.open(hall.folder / "web", os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    rescue = threading.Timer(RESCUE_S, fcntl.flock, (holder, fcntl.LOCK_UN))  # of a loop that waits for it
    rescue.start()
    body = {"role": "judge", "name": "Ada"}
    made = asyncio.create_task(hall.post("/api/login-link", body, headers=hall.director))
    for path in ("/api/state", "/api/links", "/"):
        assert (await hall.get(path, headers=hall.director)).status == 200
    assert rescue.is_alive(), "they did not wait for it"
    assert not made.done()
    fcntl.flock(holder, fcntl.LOCK_UN)
    assert (await made).status == 200
    rescue.cancel()
    rescue.join()
    os.close(holder)


@pytest.mark.parametrize(
    ("name", "password", "text"),
    [
        ("Hall", "secret", "WIFI:T:WPA;S:Hall;P:secret;;"),
        ("Hall", "", "WIFI:T:nopass;S:Hall;;"),
        ('a;b,c:d"e\\f', "p;w", 'WIFI:T:WPA;S:a\\;b\\,c\\:d\\"e\\\\f;P:p\\;w;;'),
    ],
)
def test_the_text_of_a_wifi(name: str, password: str, text: str) -> None:
    assert wifi_text(name, password) == text


async def test_the_hall_screen_gets_address_and_pictures(hall: Hall) -> None:
    ways = (await hall.get("/api/join")).json
    assert ways == {
        "wifi": "Hall; Wi-Fi",
        "address": f"http://127.0.0.1:{hall.port}/phone",
        "claims": None,
        "seat_codes": False,
        "served": False,
    }
    for name in ("wifi", "phone"):
        answer = await hall.get(f"/join/{name}.svg")
        assert answer.headers["Content-Type"] == "image/svg+xml"
        assert answer.body.startswith(b"<svg")
    assert (await hall.get("/join/login.svg")).status == 404


def test_the_path_draws_every_dark_module_once() -> None:
    text = "http://192.0.2.7:8080/login?token=abcdefghijklmnopqrstuvwxyz0123456789"
    code = qr_code(text)
    dark: list[tuple[int, int]] = []
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", code.path):
        dark += [(int(x) + step, int(y)) for step in range(int(length))]
    rows = list(segno.make_qr(text, error="m").matrix_iter(border=4))
    assert code.size == len(rows)
    wanted = [(x, y) for y, row in enumerate(rows) for x, module in enumerate(row) if module]
    assert sorted(dark) == sorted(wanted)
    assert len(dark) == len(set(dark))


CODES = [
    {"board": board, "side": side, "code": f"{board}-{side}-1-QK4"}
    for board in ("A1", "A2")
    for side in ("sun", "moon")
]


async def test_the_seat_codes_of_a_board_are_for_a_director_alone(hall: Hall) -> None:
    hall.core.others["seat_codes"] = {"codes": CODES}
    seats = (await hall.get("/api/seat-codes?board=a2", headers=hall.director)).json["seats"]
    addresses = [f"http://127.0.0.1:{hall.port}/phone#A2-{side}-1-QK4" for side in ("sun", "moon")]
    assert [seat["address"] for seat in seats] == addresses
    assert [(seat["board"], seat["side"]) for seat in seats] == [("A2", "sun"), ("A2", "moon")]
    assert [seat["qr"]["path"] for seat in seats] == [qr_code(address).path for address in addresses]
    assert (await hall.get("/api/seat-codes", headers=hall.director)).json == {"seats": []}
    judge = await entered(hall, (await made(hall, role="judge", name="Anna"))["path"])
    for path in ("/api/seat-codes?board=A2", "/api/seat-codes.pdf"):
        assert (await hall.get(path, headers=judge)).status == 403
        assert (await hall.get(path)).status == 401


def test_a_terminal_shows_a_code_of_two_rows_a_line() -> None:
    text = "http://192.0.2.7:8080/login?token=abc"
    lines = qr_blocks(text).splitlines()
    height = segno.make_qr(text, error="l").symbol_size(border=BORDER)[1]
    assert len(lines) == -(-height // 2)
    assert {len(line) for line in lines} == {height}
