"""The evening on a stick over HTTP: core finds the stick and writes."""

from pathlib import Path
from typing import Any

import pytest

from tests.web.hall import served

STICK = {"place": "/media/pi/STICK", "name": "STICK", "free_kib": 5, "read_only": False}
VIEW = {
    "sticks": [STICK],
    "number": 1,
    "state": "working",
    "place": "/media/pi/STICK",
    "step": "reports",
    "done": 0,
    "of": 0,
    "folder": "",
    "files": [],
    "reason": "",
    "reason_key": None,
}


async def test_core_is_asked_in_the_language_of_the_page(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        hall.core.others["stick"] = {"stick": VIEW}
        found = await hall.get("/api/stick?lang=de", headers=hall.director)
        assert (found.status, found.json) == (200, VIEW)
        body = {"place": "/media/pi/STICK", "seen": 0}
        begun = await hall.post("/api/stick?lang=pl", body, headers=hall.director)
        assert (begun.status, begun.json["state"]) == (200, "working")
        asked = [(one.get("lang"), one.get("save"), one["seen"]) for one in hall.core.asked("stick")]
        assert asked == [("de", None, 0), ("pl", "/media/pi/STICK", 0)]


@pytest.mark.parametrize("body", [{}, {"place": "/media/x"}, {"place": 5, "seen": 0}, [1]])
async def test_what_is_malformed_begins_nothing(tmp_path: Path, body: Any) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.post("/api/stick", body, headers=hall.director)
        assert answer.status == 422
        assert answer.json["error"].endswith(".")
        assert hall.core.asked("stick") == []


async def test_it_needs_the_log_in(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.get("/api/stick")).status == 401
        assert (await hall.post("/api/stick", {"place": "/media/x", "seen": 0})).status == 401
