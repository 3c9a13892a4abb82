"""Tables, roster and actions over HTTP: handed on from core and to it."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pi_controller.protocol.tables import NEEDED, POSSIBLE, TableActionName
from tests.hall_of_tables import uid
from tests.web.hall import Hall, served, until

BODIES: dict[TableActionName, dict[str, Any]] = {
    "swap": {"board": "A1"},
    "replace": {"board": "A1", "uid": uid(39)},
    "clear": {"board": "A1"},
    "identify": {"uid": uid(1), "seconds": 10},
    "enrol": {"row": "A", "board": "A3"},
    "stop_enrolment": {},
    "order": {"uid": uid(1), "what": "reboot"},
}


async def test_tables_and_roster_as_core_tells_them(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.get("/api/tables", headers=hall.director)).json == hall.core.tables
        assert (await hall.get("/api/roster", headers=hall.director)).json == hall.core.roster
        await hall.core.stop()
        for path in ("/api/tables", "/api/roster"):
            answer = await hall.get(path, headers=hall.director)
            assert (answer.status, answer.json["error"].endswith(".")) == (503, True)


async def test_the_feed_tells_each_change(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, feed_of(hall) as feed:
        assert await feed.receive_json() == hall.core.tables
        hall.core.show_tables(doctor=["Segment A: look at the cable."])
        assert (await feed.receive_json())["doctor"] == ["Segment A: look at the cable."]
        await hall.core.stop()
        assert (await feed.receive()).type is aiohttp.WSMsgType.CLOSE
        assert feed.close_code == 1012


async def test_the_feed_comes_back_with_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_controller.web.live.core_link.TABLES_RETRY_S", 0.0)
    async with served(tmp_path, core_there=False) as hall, feed_of(hall) as feed:
        await until(lambda: len(hall.side.broadcasters["tables"]) == 1)
        await hall.core.start()
        assert await feed.receive_json() == hall.core.tables


async def test_the_feed_needs_the_log_in(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refusal:
            await hall.http.ws_connect(hall.url + "/api/tables/feed")
        assert refusal.value.status == 401


async def test_each_deed_goes_to_core(tmp_path: Path) -> None:
    assert NEEDED.keys() | POSSIBLE.keys() <= BODIES.keys()
    async with served(tmp_path) as hall:
        for action, body in BODIES.items():
            answer = await hall.post(f"/api/tables/{action}", body, headers=hall.director)
            assert (answer.status, answer.json) == (200, {"accepted": True, "reasons": [], "reason_keys": []})
            asked = {
                name: value for name, value in hall.core.requests[-1]["deed"].items() if value is not None
            }
            assert asked == {"do": action, **body}


async def test_a_refused_action_and_a_refused_roster(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        keys = [{"key": "roster.unknown_board", "params": {"board": "X9"}}]
        hall.core.change_answer = {
            "accepted": False,
            "reasons": ["There is no board X9."],
            "reason_keys": keys,
        }
        for path, body in (("/api/tables/swap", {"board": "X9"}), ("/api/roster", hall.core.roster)):
            answer = await hall.post(path, body, headers=hall.director)
            assert (answer.status, answer.json) == (409, hall.core.change_answer)


async def test_a_roster_is_handed_over_as_it_came(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        sent = {"version": 1, "rows": [], "further": "fields are core's to judge"}
        assert (await hall.post("/api/roster", sent, headers=hall.director)).status == 200
        assert hall.core.requests[-1]["ask"] == "set_roster"
        assert hall.core.requests[-1]["roster"] == sent


@pytest.mark.parametrize(
    ("path", "body", "part"),
    [
        ("/api/tables/swap", {"board": 7}, "swap: `board` must be"),
        ("/api/tables/order", {"uid": "x", "what": "explode"}, "`what`"),
        ("/api/tables/swap", {"bored": "A1"}, "`bored`"),
        ("/api/tables/swap", ["A1"], "must be an object"),
        ("/api/tables/swap", {"do": "clear", "board": "A1"}, "without `do`"),
        ("/api/tables/identify", {"seconds": 10_000}, "`seconds`"),
    ],
)
async def test_malformed_deeds(tmp_path: Path, path: str, body: Any, part: str) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.post(path, body, headers=hall.director)
        assert answer.status == 422
        assert part in answer.json["error"]
        assert answer.json["error"].endswith(".")
        assert all(request["ask"] != "table" for request in hall.core.requests)


async def test_what_core_calls_malformed(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        hall.core.change_answer = {"malformed": "table: swap needs `board`."}
        for path in ("/api/tables/swap", "/api/roster"):
            answer = await hall.post(path, {}, headers=hall.director)
            assert (answer.status, answer.json["error"]) == (422, "table: swap needs `board`.")


async def test_an_unknown_deed_and_no_roster(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        unknown = await hall.post("/api/tables/explode", headers=hall.director)
        assert (unknown.status, "swap, replace" in unknown.json["error"]) == (404, True)
        empty = await hall.ask(
            "POST", "/api/roster", headers={"Content-Type": "application/json", **hall.director}
        )
        assert (empty.status, "A roster is missing" in empty.json["error"]) == (422, True)


def feed_of(hall: Hall) -> Any:
    return hall.http.ws_connect(hall.url + "/api/tables/feed", headers=hall.director)
