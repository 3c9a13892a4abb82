"""Table nodes and roster, handed on from and to core; virtual tables and simulated panel."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from pi_controller.language.words import words
from pi_controller.protocol.simulated import VIRTUAL_ACTIONS
from pi_controller.protocol.tables import NEEDED, POSSIBLE, TableActionName
from pi_controller.web.api.tables import NONE_HERE
from tests.hall_of_tables import uid
from tests.protocol.fake_core import PANEL
from tests.web.fake_tables import FakeTables, table
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


async def test_tables_and_roster_as_core_tells_them(hall: Hall) -> None:
    assert (await hall.get("/api/tables", headers=hall.director)).json == hall.core.tables
    assert (await hall.get("/api/roster", headers=hall.director)).json == hall.core.roster
    await hall.core.stop()
    for path in ("/api/tables", "/api/roster"):
        answer = await hall.get(path, headers=hall.director)
        assert (answer.status, answer.json["error"].endswith(".")) == (503, True)


async def test_the_feed_tells_each_change(hall: Hall) -> None:
    async with feed_of(hall) as feed:
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


async def test_a_refused_action_and_a_refused_roster(hall: Hall) -> None:
    keys = [{"key": "roster.unknown_board", "params": {"board": "X9"}}]
    hall.core.change_answer = {
        "accepted": False,
        "reasons": ["There is no board X9."],
        "reason_keys": keys,
    }
    for path, body in (("/api/tables/swap", {"board": "X9"}), ("/api/roster", hall.core.roster)):
        answer = await hall.post(path, body, headers=hall.director)
        assert (answer.status, answer.json) == (409, hall.core.change_answer)


async def test_a_roster_is_handed_over_as_it_came(hall: Hall) -> None:
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
async def test_malformed_deeds(hall: Hall, path: str, body: Any, part: str) -> None:
    answer = await hall.post(path, body, headers=hall.director)
    assert answer.status == 422
    assert part in answer.json["error"]
    assert answer.json["error"].endswith(".")
    assert all(request["ask"] != "table" for request in hall.core.requests)


async def test_what_core_calls_malformed(hall: Hall) -> None:
    hall.core.change_answer = {"malformed": "table: swap needs `board`."}
    for path in ("/api/tables/swap", "/api/roster"):
        answer = await hall.post(path, {}, headers=hall.director)
        assert (answer.status, answer.json["error"]) == (422, "table: swap needs `board`.")


async def test_an_unknown_deed_and_no_roster(hall: Hall) -> None:
    unknown = await hall.post("/api/tables/explode", headers=hall.director)
    assert (unknown.status, unknown.key) == (404, "web.table_unknown_action")
    empty = await hall.ask(
        "POST", "/api/roster", headers={"Content-Type": "application/json", **hall.director}
    )
    assert (empty.status, empty.key) == (422, "web.roster_missing")


def feed_of(hall: Hall) -> Any:
    return hall.socket("/api/tables/feed", headers=hall.director)


UID = table(1)["uid"]
NOTHING_WRONG = {"sentence": None, "sentence_key": None}
NONE = {"sentence": words(NONE_HERE), "sentence_key": {"key": "web.no_virtual_tables", "params": {}}}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_controller.web.api.tables.RETRY_S", 0.0)


@asynccontextmanager
async def virtual_hall(folder: Path, count: int = 2) -> AsyncIterator[tuple[Hall, FakeTables]]:
    tables = FakeTables(folder / "tables.sock", [table(number) for number in range(1, count + 1)])
    await tables.start()
    async with served(folder) as hall:
        try:
            yield hall, tables
        finally:
            await tables.stop()


def feed_of_virtual(hall: Hall) -> Any:
    return hall.socket("/api/sim/tables")


async def tables_in(feed: Any) -> dict[str, Any]:
    """The next message with tables in it."""
    while True:
        message = await feed.receive_json()
        if message["tables"]:
            return dict(message)


async def test_all_at_once_then_what_changes(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables), feed_of_virtual(hall) as feed:
        first = await tables_in(feed)
        assert {each["uid"] for each in first["tables"]} == {each["uid"] for each in tables.tables}
        changed = table(2, alive=False)
        tables.show(changed)
        assert await feed.receive_json() == {"all": False, "tables": [changed], **NOTHING_WRONG}
        async with feed_of_virtual(hall) as later:
            whole = await later.receive_json()
            assert (whole["all"], whole["sentence"]) == (True, None)
            assert {each["uid"]: each["alive"] for each in whole["tables"]} == {
                UID: True,
                changed["uid"]: False,
            }


async def test_what_a_slow_listener_missed_comes_in_one_message(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables), feed_of_virtual(hall) as feed:
        await tables_in(feed)
        broadcaster = hall.side.broadcasters["virtual_tables"]
        listener = next(iter(broadcaster._listeners))
        flow = listener.transport.get_protocol().flow  # type: ignore[attr-defined]
        flow(False)
        for level in (1, 2, 3):
            tables.show(table(1, lamps={"sun": level, "moon": 0, "claim_sun": 0, "claim_moon": 0}))
        tables.show(table(2, babbling=True))
        await until(lambda: json.loads(broadcaster._things[table(2)["uid"]][1])["babbling"])  # type: ignore[attr-defined]
        flow(True)
        message = await feed.receive_json()
        assert not message["all"]
        assert {each["uid"]: each["lamps"]["sun"] for each in message["tables"]} == {
            UID: 3,
            table(2)["uid"]: 0,
        }


async def test_none_there_then_some_then_none(hall: Hall) -> None:
    async with feed_of_virtual(hall) as feed:
        assert await feed.receive_json() == {"all": True, "tables": [], **NONE}
        tables = FakeTables(hall.folder / "tables.sock", [table(1)])
        await tables.start()
        assert await tables_in(feed) == {"all": True, "tables": [table(1)], **NOTHING_WRONG}
        await tables.stop()
        assert await feed.receive_json() == {"all": True, "tables": [], **NONE}


async def test_a_line_that_is_none_ends_it_and_it_comes_back(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path, 1) as (hall, tables), feed_of_virtual(hall) as feed:
        await tables_in(feed)
        tables.say("nonsense")
        assert (await feed.receive_json())["sentence"] == words(NONE_HERE)
        assert (await tables_in(feed))["all"]


async def test_each_deed_goes_to_the_tables(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables):
        for action in VIRTUAL_ACTIONS:
            body = {"uid": UID, "side": "sun", "value": 0.2}
            assert (await hall.post(f"/api/sim/tables/{action}", body)).json == {"done": True}
            assert tables.actions[-1] == {"do": action, **body}
        await hall.post("/api/sim/tables/reboot", {"uid": UID})
        assert tables.actions[-1] == {"do": "reboot", "uid": UID}


async def test_refusals(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables):
        for body in (
            None,
            {"uid": "A1"},
            {"uid": UID, "side": "left"},
            {"uid": UID, "value": 1001},
            {"uid": UID, "x": 1},
        ):
            answer = await hall.post("/api/sim/tables/press", body)
            assert (answer.status, answer.json["error"].endswith(".")) == (422, True)
        unknown = await hall.post("/api/sim/tables/explode", {"uid": UID})
        assert (unknown.status, "press, release" in unknown.json["error"]) == (404, True)
        tables.malformed = f"There is no table {UID}."
        answer = await hall.post("/api/sim/tables/press", {"uid": UID})
        assert (answer.status, answer.json["error"]) == (422, f"There is no table {UID}.")
        tables.malformed = ""
        assert (await hall.post("/api/sim/tables/press", {"uid": UID})).status == 422


async def test_actions_without_tables(hall: Hall) -> None:
    answer = await hall.post("/api/sim/tables/press", {"uid": UID})
    assert (answer.status, answer.json["error"]) == (404, words(NONE_HERE))


async def test_tables_that_hang_up_in_the_middle(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables):
        tables.mute = True
        answer = await hall.post("/api/sim/tables/press", {"uid": UID})
        assert (answer.status, answer.key) == (503, "web.virtual_silent")


async def test_virtual_hall(hall: Hall) -> None:
    async with hall.socket("/api/sim") as panel:
        assert await panel.receive_json() == {"panel": PANEL}
        await until(lambda: len(hall.panels) == 1)
        hall.core.show_panel(buzzer=True)
        assert (await panel.receive_json())["panel"]["buzzer"] is True
        assert (await hall.post("/api/sim/press")).json == {"done": True}
        assert hall.core.requests[-1]["do"] == "press"
        assert (await hall.post("/api/sim/break_wire", {"contact": "no"})).json == {"done": True}
        assert (hall.core.requests[-1]["do"], hall.core.requests[-1]["contact"]) == ("break_wire", "no")
        assert (await hall.post("/api/sim/break_wire", {})).json == {"done": True}
        assert hall.core.requests[-1]["contact"] is None
        for action, body in (
            ("tap", {"contact": "nc"}),
            ("break_wire", {"contact": "both"}),
            ("break_wire", {"contact": "nc", "hard": True}),
            ("break_wire", ["nc"]),
        ):
            answer = await hall.post(f"/api/sim/{action}", body)
            assert (answer.status, answer.key) == (422, "web.form_of_contact")
        assert (await hall.post("/api/sim/lamp_dead", {"lamp": "moon"})).json == {"done": True}
        assert (hall.core.requests[-1]["do"], hall.core.requests[-1]["lamp"]) == ("lamp_dead", "moon")
        for body in (None, {"lamp": "green"}, {"lamp": "sun", "contact": "nc"}):
            answer = await hall.post("/api/sim/lamp_dead", body)
            assert (answer.status, answer.key) == (422, "web.form_of_lamp")
        fact = {"name": "temperature_c", "value": 84.0}
        assert (await hall.post("/api/sim/fact", fact)).json == {"done": True}
        assert (hall.core.requests[-1]["name"], hall.core.requests[-1]["value"]) == ("temperature_c", 84.0)
        for body in (None, {"name": "temperature_c"}, {"name": 1, "value": 2}):
            answer = await hall.post("/api/sim/fact", body)
            assert (answer.status, answer.key) == (422, "web.form_of_fact")
        answer = await hall.post("/api/sim/explode")
        assert answer.status == 404
        assert "press, release" in answer.json["error"]


async def test_a_panel_of_a_core_that_is_gone_is_not_shown_on(hall: Hall) -> None:
    async with hall.socket("/api/sim") as panel:
        await panel.receive_json()
        await hall.core.stop()
        assert (await panel.receive()).type is aiohttp.WSMsgType.CLOSE
        assert panel.close_code == 1012
    async with hall.socket("/api/sim") as panel:
        await until(lambda: len(hall.panels) == 1)
        await hall.core.start()
        assert await panel.receive_json() == {"panel": PANEL}
