"""Links over HTTP: a director makes, lists and revokes them; who is revoked is out at once."""

import asyncio
import fcntl
import os
import threading
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.web.hall import LOOPBACK, Hall, from_elsewhere, served

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


async def test_without_a_role_a_link_is_a_further_directors(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        new = await made(hall)
        assert (new["link"]["role"], new["link"]["name"], new["link"]["way"]) == ("director", "", "link")
        assert new["address"] == hall.url + new["path"]
        assert new["qr"]["size"] > 20
        assert set(new["qr"]["path"]) <= set("Mhvz- 0123456789")
        assert (await hall.post(new["path"])).headers["Location"] == "/director"


async def test_a_link_gives_its_role_and_name(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        judge = await entered(hall, (await made(hall, role="judge", name=" Anna "))["path"])
        session = (await hall.get("/api/session", headers=judge)).json
        assert (session["director"], session["role"], session["name"]) == (False, "judge", "Anna")
        assert session["ends_in_s"] == 16 * 3600
        script = (await hall.get("/api/session", headers=hall.director)).json
        assert (script["director"], script["role"], script["ends_in_s"]) == (True, "director", None)


async def test_who_is_revoked_is_out_at_once(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        judge = await entered(hall, (await made(hall, role="judge", name="Anna"))["path"])
        other = await entered(hall, (await made(hall, role="judge", name="Ben"))["path"])
        listed = (await hall.get("/api/links", headers=hall.director)).json["links"]
        assert [(link["name"], link["used"], link["own"]) for link in listed] == [
            ("Anna", True, False),
            ("Ben", True, False),
        ]
        address = hall.url + "/api/tables/feed"
        async with hall.http.ws_connect(address, headers=judge | from_elsewhere()) as feed:
            revoked = await hall.post("/api/links/revoke", {"id": listed[0]["id"]}, headers=hall.director)
            assert revoked.json == {"done": True}
            while (await feed.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
            assert feed.close_code == 4401
        assert (await hall.post("/api/commands/claim", headers=judge)).status == 401
        assert (await hall.post("/api/commands/claim", headers=other)).status == 200
        again = await hall.post("/api/links/revoke", {"id": listed[0]["id"]}, headers=hall.director)
        assert again.status == 404


async def test_a_director_sees_which_device_is_his_own(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        mine = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
        (link,) = (await hall.get("/api/links", headers=mine)).json["links"]
        assert (link["own"], link["way"], link["since"]) == (True, "pin", "2023-11-14T22:13:20+00:00")


@pytest.mark.parametrize(
    "body", [{"role": "king"}, {"name": "x" * 41}, {"name": "a\nb"}, {"name": 3}, {"rank": "judge"}]
)
async def test_a_link_for_nobody_is_not_made(tmp_path: Path, body: Any) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.post("/api/login-link", body, headers=hall.director)).status == 422
        assert (await hall.get("/api/links", headers=hall.director)).json == {"links": []}


async def test_a_log_in_that_waits_for_the_disk_holds_up_nobody_else(tmp_path: Path) -> None:
    """Another process holds the book of log-ins; on the loop that would be the end of feed and pauses."""
    async with served(tmp_path) as hall:
        holder = os.open(tmp_path / "web", os.O_RDONLY)
        fcntl.flock(holder, fcntl.LOCK_EX)
        rescue = threading.Timer(
            RESCUE_S, fcntl.flock, (holder, fcntl.LOCK_UN)
        )  # of a loop that waits for it
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
