"""The virtual tables' own socket, handed on: everything once, then what changes; and actions for them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_controller.language.words import words
from pi_controller.protocol.simulated import VIRTUAL_ACTIONS
from pi_controller.web.api.tables import NONE_HERE
from tests.web.fake_tables import FakeTables, table
from tests.web.hall import Hall, served, until

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


def feed_of(hall: Hall) -> Any:
    return hall.http.ws_connect(hall.url + "/api/sim/tables")


async def tables_in(feed: Any) -> dict[str, Any]:
    """The next message with tables in it."""
    while True:
        message = await feed.receive_json()
        if message["tables"]:
            return dict(message)


async def test_all_at_once_then_what_changes(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables), feed_of(hall) as feed:
        first = await tables_in(feed)
        assert {each["uid"] for each in first["tables"]} == {each["uid"] for each in tables.tables}
        changed = table(2, alive=False)
        tables.show(changed)
        assert await feed.receive_json() == {"all": False, "tables": [changed], **NOTHING_WRONG}
        async with feed_of(hall) as later:
            whole = await later.receive_json()
            assert (whole["all"], whole["sentence"]) == (True, None)
            assert {each["uid"]: each["alive"] for each in whole["tables"]} == {
                UID: True,
                changed["uid"]: False,
            }


async def test_what_a_slow_listener_missed_comes_in_one_message(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables), feed_of(hall) as feed:
        await tables_in(feed)
        broadcaster = hall.side.broadcasters["virtual_tables"]
        listener = next(iter(broadcaster._listeners))
        transport, listener.transport = listener.transport, Blocked()  # type: ignore[assignment]
        for level in (1, 2, 3):
            tables.show(table(1, lamps={"sun": level, "moon": 0, "claim_sun": 0, "claim_moon": 0}))
        tables.show(table(2, babbling=True))
        await until(lambda: json.loads(broadcaster._things[table(2)["uid"]][1])["babbling"])  # type: ignore[attr-defined]
        listener.transport = transport
        hall.side.sweep()
        message = await feed.receive_json()
        assert not message["all"]
        assert {each["uid"]: each["lamps"]["sun"] for each in message["tables"]} == {
            UID: 3,
            table(2)["uid"]: 0,
        }


class Blocked:
    """A network that takes nothing at the moment."""

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 1


async def test_none_there_then_some_then_none(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, feed_of(hall) as feed:
        assert await feed.receive_json() == {"all": True, "tables": [], **NONE}
        tables = FakeTables(tmp_path / "tables.sock", [table(1)])
        await tables.start()
        assert await tables_in(feed) == {"all": True, "tables": [table(1)], **NOTHING_WRONG}
        await tables.stop()
        assert await feed.receive_json() == {"all": True, "tables": [], **NONE}


async def test_a_line_that_is_none_ends_it_and_it_comes_back(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path, 1) as (hall, tables), feed_of(hall) as feed:
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


async def test_actions_without_tables(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.post("/api/sim/tables/press", {"uid": UID})
        assert (answer.status, answer.json["error"]) == (404, words(NONE_HERE))


async def test_tables_that_hang_up_in_the_middle(tmp_path: Path) -> None:
    async with virtual_hall(tmp_path) as (hall, tables):
        tables.mute = True
        answer = await hall.post("/api/sim/tables/press", {"uid": UID})
        assert (answer.status, "do not answer" in answer.json["error"]) == (503, True)
