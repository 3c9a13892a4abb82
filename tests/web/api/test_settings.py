"""Settings on pages: told, changed and started again by those who may, as core says."""

from typing import Any

import pytest

from tests.web.hall import Hall, until

VIEW = {
    "key": "event.name",
    "group": "names",
    "value": "Fair",
    "file": "",
    "source": "page",
    "counts": "at_once",
    "waits": False,
    "form": {"kind": "text", "choices": [], "whole": False, "least": None, "most": None, "longest": 60},
    "meaning": "name of the event",
    "allowed": "text in quotes",
}
CHANGES = [{"key": "event.name", "value": "Fair"}, {"key": "hall.languages", "value": None}]
PATHS = ("/api/settings", "/api/settings/restart")


@pytest.mark.parametrize("role", ["director", "technician"])
async def test_who_works_with_the_hall_sees_and_changes_them(hall: Hall, role: Any) -> None:
    told = {"settings": [VIEW], "restart_reasons": []}
    hall.core.others = {"settings": {"settings": told}, "set_settings": {"accepted": True, "reasons": []}}
    who = hall.as_role(role)
    assert (await hall.get("/api/settings", headers=who)).json == told
    answer = await hall.post("/api/settings", CHANGES, headers=who)
    assert (answer.status, answer.json["accepted"], answer.json["mistakes"]) == (200, True, {})
    assert hall.core.requests[-1]["changes"] == CHANGES


@pytest.mark.parametrize("role", ["judge", "moderator", "screen", None])
async def test_others_neither_see_nor_change_them(hall: Hall, role: Any) -> None:
    who = {} if role is None else hall.as_role(role)
    status = 401 if role is None else 403
    assert (await hall.get("/api/settings", headers=who)).status == status
    for path in PATHS:
        assert (await hall.post(path, CHANGES, headers=who)).status == status
    asked = {request["ask"] for request in hall.core.requests}
    assert asked & {"settings", "set_settings", "restart"} == set()


async def test_a_refusal_names_each_mistake_by_its_key(hall: Hall) -> None:
    reason = {"key": "settings.not_from_pages", "params": {"key": "x"}}
    mistakes = {"event.name": ["No."]}
    refused = {"accepted": False, "reasons": ["No."], "reason_keys": [reason], "mistakes": mistakes}
    hall.core.others = {"set_settings": refused}
    answer = await hall.post("/api/settings", CHANGES, headers=hall.director)
    assert (answer.status, answer.json) == (409, refused)


@pytest.mark.parametrize(
    "body",
    [
        {},
        [{"key": "event.name"}],
        [{"key": 1, "value": 1}],
        [{"key": "x", "value": 1, "more": 1}],
        [VIEW] * 101,
    ],
)
async def test_what_are_no_changes_is_not_asked(hall: Hall, body: Any) -> None:
    answer = await hall.post("/api/settings", body, headers=hall.director)
    assert (answer.status, answer.json["error"].endswith(".")) == (422, True)
    assert hall.core.asked("set_settings") == []


async def test_the_pages_start_again_with_core_and_only_then(hall: Hall) -> None:
    reason = {"key": "settings.restart_between_games", "params": {}}
    hall.core.others = {"restart": {"accepted": False, "reasons": ["A game."], "reason_keys": [reason]}}
    answer = await hall.post("/api/settings/restart", headers=hall.director)
    assert (answer.status, answer.key, hall.side.told.is_set()) == (409, reason["key"], False)
    hall.core.others = {"restart": {"accepted": True, "reasons": []}}
    answer = await hall.post("/api/settings/restart", headers=hall.director)
    assert (answer.status, hall.side.told.is_set()) == (200, True)


async def test_pages_speak_the_languages_of_the_hall_as_they_are_now(hall: Hall) -> None:
    hall.core.change(languages=["pt_BR", "de"])
    await until(lambda: hall.core.picture["seq"] == hall.side.link.seq)
    page = await hall.get("/")
    assert 'data-languages="pt-BR de"' in page.body.decode()


async def test_seat_codes_are_good_for_something_as_soon_as_they_are_switched_on(hall: Hall) -> None:
    seat_codes = VIEW | {"key": "tables.seat_codes", "group": "phones"}
    for on in (True, False):
        told = {"settings": [seat_codes | {"value": on}], "restart_reasons": []}
        hall.core.others = {
            "settings": {"settings": told},
            "set_settings": {"accepted": True, "reasons": []},
        }
        change = [{"key": "tables.seat_codes", "value": on}]
        assert (await hall.post("/api/settings", change, headers=hall.director)).status == 200
        assert (await hall.get("/api/join")).json["seat_codes"] is on
        asked = {"Connection": "Upgrade", "Upgrade": "websocket"}
        assert ((await hall.get("/api/seat", headers=asked)).status == 404) is not on
