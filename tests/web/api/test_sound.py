"""Mute and loudspeaker test over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from tests.web.hall import served


async def test_each_action_goes_to_core(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for action, body in (
            ("mute", {"minutes": 5}),
            ("mute", None),
            ("release", {}),
            ("test", {"loudspeaker": "left"}),
        ):
            answer = await hall.post(f"/api/sound/{action}", body, headers=hall.director)
            assert (answer.status, answer.json) == (200, {"accepted": True, "reasons": [], "reason_keys": []})


@pytest.mark.parametrize(
    ("action", "body", "status"),
    [
        ("shout", None, 404),
        ("mute", {"minutes": 0}, 422),
        ("mute", {"hours": 1}, 422),
        ("test", {"loudspeaker": "ceiling"}, 422),
        ("mute", [5], 422),
    ],
)
async def test_what_is_refused(tmp_path: Path, action: str, body: Any, status: int) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.post(f"/api/sound/{action}", body, headers=hall.director)
        assert answer.status == status
        assert answer.json["error"].endswith(".")


async def test_it_needs_the_log_in(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.post("/api/sound/mute", {"minutes": 5})).status == 401
