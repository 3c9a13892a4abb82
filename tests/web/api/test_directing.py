"""One director directs at a time: the others are refused in words, may pause, take over, and are handed the game."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_controller.web.live.directing import DIRECTING_FILE
from tests.protocol.fake_core import ACTIONS
from tests.web.hall import Hall, HandClock, served

Json = dict[str, Any]


def director(hall: Hall, name: str = "") -> dict[str, str]:
    return {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session('director', name)}", "Origin": hall.url}


async def command(hall: Hall, who: dict[str, str], name: str = "skip", key: str = "") -> Any:
    return await hall.post(f"/api/commands/{name}", headers=who | ({"Idempotency-Key": key} if key else {}))


async def take_over(hall: Hall, who: dict[str, str], directs: int | None) -> Any:
    return await hall.post("/api/directing/take-over", {"directs": directs}, headers=who)


async def test_who_gives_the_first_command_directs_and_the_other_may_only_pause(tmp_path: Path) -> None:
    async with served(tmp_path, languages=("en", "de")) as hall:
        anna, bea = director(hall, "Anna"), director(hall, "Bea")
        assert (await command(hall, bea, "pause")).status == 200
        assert (await command(hall, anna)).status == 200
        asked = len(hall.core.requests)
        refused = await command(hall, bea | {"Accept-Language": "de"})
        assert refused.status == 409
        assert refused.json["accepted"] is False
        assert refused.json["reasons"][0].startswith("Anna leitet dieses Spiel jetzt")
        assert refused.json["reason_keys"] == [{"key": "directing.other_directs", "params": {"name": "Anna"}}]
        assert len(hall.core.requests) == asked
        assert (await command(hall, bea, "pause")).status == 200
        assert hall.core.requests[-1]["source"] == "web:director:2"


async def test_one_person_on_many_devices_is_never_held_up_and_neither_are_scripts_and_judges(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as hall:
        for who in (director(hall, "Anna"), director(hall, "Anna"), hall.director):
            assert (await command(hall, who)).status == 200
        judge = {
            "Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session('judge', 'Cleo')}",
            "Origin": hall.url,
        }
        assert (await command(hall, judge, "withdraw")).status == 200
        (tmp_path / "unnamed").mkdir()
    async with served(tmp_path / "unnamed") as hall:
        for who in (director(hall), director(hall)):
            assert (await command(hall, who)).status == 200


async def test_who_takes_over_names_whom_he_saw_direct(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        anna, bea, cleo = (director(hall, name) for name in ("Anna", "Bea", "Cleo"))
        await command(hall, anna)
        assert (await take_over(hall, bea, 1)).status == 200
        late = await take_over(hall, cleo, 1)
        assert (late.status, late.json["reason_keys"][0]["key"]) == (409, "directing.changed_since")
        assert (await command(hall, anna)).status == 409
        assert (await command(hall, bea)).status == 200


async def test_a_repeat_of_what_was_let_through_is_answered_by_the_game(tmp_path: Path) -> None:
    """Its answer may have been lost, and it was done: no refusal may say otherwise."""
    async with served(tmp_path) as hall:
        anna, bea = director(hall, "Anna"), director(hall, "Bea")
        await command(hall, anna, key="k1")
        await take_over(hall, bea, 1)
        assert (await command(hall, anna, key="k1")).status == 200
        assert (await command(hall, anna, key="k2")).status == 409


async def test_the_game_is_handed_over_to_a_director_whose_page_is_open(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        anna, bea = director(hall, "Anna"), director(hall, "Bea")
        await command(hall, anna)
        away = await hall.post("/api/directing/hand-over", {"to": 2}, headers=anna)
        assert (away.status, away.json["reason_keys"][0]["key"]) == (409, "directing.not_here")
        async with hall.http.ws_connect(hall.url + "/api/directing", headers=bea) as page:
            first = await page.receive_json()
            assert first["directs"] == 1
            assert [(one["name"], one["here"]) for one in first["directors"]] == [
                ("Anna", False),
                ("Bea", True),
            ]
            theirs = await hall.post("/api/directing/hand-over", {"to": 2}, headers=bea)
            assert theirs.json["reason_keys"][0]["key"] == "directing.other_directs"
            assert (await hall.post("/api/directing/hand-over", {"to": 2}, headers=anna)).status == 200
            told = await page.receive_json()
            assert told["directs"] == 2
            assert [(one["how"], one["before"], one["name"]) for one in told["changes"]] == [
                ("handed_over", 1, "Bea"),
                ("began", None, "Anna"),
            ]
        session = (await hall.get("/api/session", headers=bea)).json
        assert (session["name"], session["number"]) == ("Bea", 2)


async def test_it_outlives_the_web_side_and_ends_with_the_last_log_in(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock=clock) as hall:
        anna, bea = director(hall, "Anna"), director(hall, "Bea")
        await command(hall, anna)
    async with served(tmp_path, clock=clock) as hall:
        anna, bea = anna | {"Origin": hall.url}, bea | {"Origin": hall.url}
        assert (await command(hall, bea)).status == 409
        assert (await hall.post("/api/logout", headers=anna)).status == 200
        assert (await command(hall, bea)).status == 200
    (tmp_path / "web" / DIRECTING_FILE).write_bytes(b"[")
    async with served(tmp_path, clock=clock) as hall:
        assert (await command(hall, bea | {"Origin": hall.url})).status == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [("take-over", {}), ("take-over", {"directs": "Anna"}), ("hand-over", {}), ("hand-over", {"to": -1})],
)
async def test_a_malformed_change_is_none(tmp_path: Path, path: str, body: Json) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.post(f"/api/directing/{path}", body, headers=director(hall))
        assert answer.status == 422


async def test_the_last_actions_name_people_to_directors(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        director(hall, "Bea")
        done = {"id": 1, "at_ms": 0, "text": "Pause", "said": {"key": "action.pause", "params": {}}}
        sources = ("web:director:1", "web:judge:9", "cli")
        actions = [done | {"source": source, "steps": None, "outcome": None} for source in sources]
        lines = {"actions": {**ACTIONS, "actions": actions}}
        hall.core.reply = lambda asked: [json.dumps({"id": asked["id"], **lines}).encode() + b"\n"]
        told = await hall.get("/api/actions", headers=hall.director)
        assert [one["source"] for one in told.json["actions"]] == ["web:Bea", "web:judge:9", "cli"]
