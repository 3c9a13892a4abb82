"""Sheets that are being filled in: seen by all who judge, and never written over unseen."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pi_controller.web.api import seats as sheets_module
from pi_controller.web.api.seats import CHANGES
from pi_controller.web.http.routes import Role
from tests.web.hall import Hall, served

SHEET: dict[str, Any] = {
    "settlements": 2,
    "cities": 1,
    "foreign_left": False,
    "foreign_right": False,
    "victory_cards": 0,
    "largest_army": False,
    "longest_route": False,
    "resources": {"grain": 0, "ore": 0, "brick": 0, "lumber": 0, "wool": 0},
}


GAME = "20261120-200000-abcd"
CLAIM = {
    "board": "A1",
    "side": "sun",
    "round": 3,
    "pressed_ms_before_end": 4000,
    "on_active_side": True,
    "status": "open",
    "points": None,
    "count": 1,
    "passed": False,
    "rejected_before": 0,
    "source": "table",
    "press_error_ms": None,
}


@contextlib.asynccontextmanager
async def judging(folder: Path, count: int = 3) -> AsyncIterator[Hall]:
    """A hall whose game has the open claims c1, c2, …"""
    async with served(folder) as hall:
        has_claims(hall, *(f"c{number}" for number in range(1, count + 1)))
        yield hall


def has_claims(hall: Hall, *ids: str, game: str = GAME, status: str = "open") -> None:
    claims = [CLAIM | {"id": each, "status": status} for each in ids]
    hall.core.change(claims=claims, game_id=game)
    hall.clock.pass_s(1)  # what was asked for before is old


def as_role(hall: Hall, role: Role, name: str) -> dict[str, str]:
    return {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session(role, name)}", "Origin": hall.url}


async def write(hall: Hall, who: dict[str, str], number: int, cities: int, claim: str = "c1") -> int:
    body = {"game": GAME, "claim": claim, "number": number, "sheet": SHEET | {"cities": cities}}
    answer = await hall.post("/api/sheets", body, headers=who)
    told = {"web.sheet_has_changed", "web.sheet_of_no_claim"}
    assert answer.status == 200 or answer.json["reason_keys"][0]["key"] in told
    return answer.status


async def test_the_desk_sees_a_sheet_being_filled(tmp_path: Path) -> None:
    async with judging(tmp_path) as hall:
        judge = as_role(hall, "judge", "Anna")
        async with hall.http.ws_connect(hall.url + "/api/sheets/feed", headers=hall.director) as desk:
            assert await desk.receive_json() == {"sheets": []}
            assert await write(hall, judge, 0, 3) == 200
            (draft,) = (await desk.receive_json())["sheets"]
            assert (draft["claim"], draft["number"], draft["role"], draft["name"]) == (
                "c1",
                1,
                "judge",
                "Anna",
            )
            assert draft["sheet"]["cities"] == 3
        async with hall.http.ws_connect(hall.url + "/api/sheets/feed", headers=hall.director) as late:
            assert (await late.receive_json())["sheets"] == [draft]


async def test_nobody_writes_over_what_he_has_not_seen(tmp_path: Path) -> None:
    async with judging(tmp_path) as hall:
        anna, ben = as_role(hall, "judge", "Anna"), as_role(hall, "judge", "Ben")
        assert await write(hall, anna, 0, 1) == 200
        assert await write(hall, ben, 0, 5) == 409
        assert await write(hall, ben, 1, 2) == 200
        assert await write(hall, anna, 1, 3) == 409
        assert await write(hall, anna, 2, 3) == 200
        assert await write(hall, ben, 0, 1, claim="c2") == 200
        async with hall.http.ws_connect(hall.url + "/api/sheets/feed", headers=anna) as feed:
            drafts = (await feed.receive_json())["sheets"]
        assert [(each["claim"], each["name"], each["sheet"]["cities"]) for each in drafts] == [
            ("c1", "Anna", 3),
            ("c2", "Ben", 1),
        ]


async def test_a_page_goes_on_with_its_sheet_after_a_restart_of_the_web_side(tmp_path: Path) -> None:
    async with judging(tmp_path) as hall:
        assert await write(hall, as_role(hall, "judge", "Anna"), 7, 3) == 200
        assert await write(hall, as_role(hall, "judge", "Ben"), 8, 4) == 200


async def test_drafts_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets_module, "MOST_SHEETS", 2)
    async with judging(tmp_path) as hall:
        judge = as_role(hall, "judge", "Anna")
        for claim, number in (("c1", 0), ("c2", 0), ("c1", 1), ("c3", 0)):
            assert await write(hall, judge, number, 1, claim=claim) == 200
        async with hall.http.ws_connect(hall.url + "/api/sheets/feed", headers=judge) as feed:
            drafts = (await feed.receive_json())["sheets"]
        assert [each["claim"] for each in drafts] == ["c1", "c3"]


async def drafts(hall: Hall, who: dict[str, str]) -> list[str]:
    async with hall.http.ws_connect(hall.url + "/api/sheets/feed", headers=who) as feed:
        return [each["claim"] for each in (await feed.receive_json())["sheets"]]


async def test_a_sheet_of_no_claim_that_is_there_pushes_nobodys_out(tmp_path: Path) -> None:
    async with judging(tmp_path) as hall:
        anna, thief = as_role(hall, "judge", "Anna"), as_role(hall, "judge", "Eve")
        assert await write(hall, anna, 0, 3) == 200
        for number in range(sheets_module.MOST_SHEETS + 1):
            for wrong in ({"game": f"g{number}"}, {"claim": f"c{number + 4}"}):
                body = {"game": GAME, "claim": "c2", "number": 0, "sheet": SHEET} | wrong
                answer = await hall.post("/api/sheets", body, headers=thief)
                assert answer.status in {409, 429}
                assert answer.json["reason_keys"][0]["key"] in {
                    "web.sheet_of_no_claim",
                    "web.too_many_changes",
                }
        assert await drafts(hall, anna) == ["c1"]
        assert await write(hall, anna, 1, 3) == 200, "another one's haste costs her nothing"


async def test_of_too_many_sheets_that_of_a_judged_claim_gives_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets_module, "MOST_SHEETS", 2)
    async with judging(tmp_path) as hall:
        judge = as_role(hall, "judge", "Anna")
        for claim in ("c1", "c2"):
            assert await write(hall, judge, 0, 1, claim=claim) == 200
        judged = CLAIM | {"id": "c2", "status": "rejected"}
        hall.core.change(claims=[CLAIM | {"id": "c1"}, judged, CLAIM | {"id": "c3"}])
        hall.clock.pass_s(1)
        assert await write(hall, judge, 0, 1, claim="c3") == 200
        assert await drafts(hall, judge) == ["c1", "c3"]


async def test_the_next_game_has_none_of_the_sheets_and_a_core_that_is_away_costs_none(
    tmp_path: Path,
) -> None:
    async with judging(tmp_path) as hall:
        judge = as_role(hall, "judge", "Anna")
        assert await write(hall, judge, 0, 1) == 200
        await hall.core.stop()
        hall.clock.pass_s(1)
        assert await write(hall, judge, 1, 2) == 200
        assert await drafts(hall, judge) == ["c1"]
        await hall.core.start()
        has_claims(hall, "c1", game="the next one")
        assert await write(hall, judge, 2, 1) == 409
        body = {"game": "the next one", "claim": "c1", "number": 0, "sheet": SHEET}
        await until_accepted(hall, body, judge)
        assert await drafts(hall, judge) == ["c1"]


async def until_accepted(hall: Hall, body: dict[str, Any], who: dict[str, str]) -> None:
    """The link to core that came back may not be there at once."""
    while (await hall.post("/api/sheets", body, headers=who)).status != 200:
        hall.clock.pass_s(1)


async def test_what_is_no_sheet_is_refused_and_too_many_are_too(tmp_path: Path) -> None:
    async with judging(tmp_path) as hall:
        judge = as_role(hall, "judge", "Anna")
        good = {"game": GAME, "claim": "c1", "number": 0, "sheet": SHEET}
        for wrong in (
            {"sheet": SHEET | {"cities": -1}},
            {"sheet": {"cities": 1}},
            {"claim": "c" * 41},
            {"number": -1},
            {"more": 1},
        ):
            assert (await hall.post("/api/sheets", good | wrong, headers=judge)).status == 422
        for number in range(int(CHANGES)):
            assert await write(hall, judge, number, 1) == 200
        assert (await hall.post("/api/sheets", good, headers=judge)).status == 429
        hall.clock.pass_s(1)
        assert await write(hall, judge, int(CHANGES), 1) == 200
