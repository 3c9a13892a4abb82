"""Which of two controllers leads is decided over HTTP by the director alone."""

from pathlib import Path
from typing import Any

import pytest

from tests.web.hall import served

TYPE = {
    "error": "To confirm, type the name of the hall that shall lead: main.",
    "error_key": {"key": "link.type_the_leader", "params": {"hall": "main"}},
}
DECISION = {"lead": True, "hall": "main"}


async def test_core_is_told_and_says_why_not(tmp_path: Path) -> None:
    async with served(tmp_path, languages=("en", "de")) as hall:
        hall.core.others["settle"] = {"done": True}
        answer = await hall.post("/api/halls/settle", DECISION, headers=hall.director)
        assert (answer.status, answer.json) == (200, {"accepted": True, "reasons": [], "reason_keys": []})
        (asked,) = hall.core.asked("settle")
        assert (asked["lead"], asked["hall"]) == (True, "main")
        hall.core.others["settle"] = TYPE
        wrong = {"lead": True, "hall": "west"}
        refused = await hall.post("/api/halls/settle?lang=de", wrong, headers=hall.director)
        assert refused.status == 409
        assert refused.json["accepted"] is False
        assert refused.json["reason_keys"] == [TYPE["error_key"]]
        assert refused.json["reasons"][0].startswith("Zur Bestätigung den Namen der Halle tippen")


@pytest.mark.parametrize(
    "body",
    [{}, {"lead": True}, {"lead": 1, "hall": "main"}, DECISION | {"hall": "x" * 41}, DECISION | {"hall": ""}],
)
async def test_what_is_malformed_decides_nothing(tmp_path: Path, body: Any) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.post("/api/halls/settle", body, headers=hall.director)
        assert answer.status == 422
        assert answer.json["error"].endswith(".")
        assert hall.core.asked("settle") == []


@pytest.mark.parametrize("role", ["judge", "moderator", "technician", None])
async def test_nobody_else_decides(tmp_path: Path, role: Any) -> None:
    async with served(tmp_path) as hall:
        cookie = None if role is None else f"{hall.tokens.cookie}={hall.tokens.new_session(role, 'Cleo')}"
        headers = {"Origin": hall.url} | ({} if cookie is None else {"Cookie": cookie})
        answer = await hall.post("/api/halls/settle", DECISION, headers=headers)
        assert answer.status == (401 if role is None else 403)
        assert hall.core.asked("settle") == []


async def test_without_core_it_is_not_known_whether_it_was_done(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        await hall.core.stop()
        answer = await hall.post("/api/halls/settle", DECISION, headers=hall.director)
        assert answer.status == 503
