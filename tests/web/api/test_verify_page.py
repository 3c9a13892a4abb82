"""verify.html over HTTP: only its own script and style run there, and only there."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from pi_controller.web.api.links import qr_svg
from tests.web.hall import served

PART = {
    "script": re.compile(rb'<script type="module">(.*?)</script>', re.DOTALL),
    "style": re.compile(rb"<style>(.*?)</style>", re.DOTALL),
}


async def test_its_script_and_style_are_allowed_by_hash(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.get("/verify.html")
        policy = answer.headers["Content-Security-Policy"]
        for kind, part in PART.items():
            (content,) = part.findall(answer.body)
            digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}';" in policy
        for rule in (
            "default-src 'none'",
            "img-src data:",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ):
            assert rule in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_no_other_answer_allows_a_script_by_hash(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for row in hall.side.rows:
            if row.method == "GET" and row.kind != "socket" and row.path != "/verify.html":
                answer = await hall.get(re.sub(r"{[^}]+}", "x", row.path))
                assert "sha256-" not in answer.headers["Content-Security-Policy"], row.path


async def test_the_file_names_nothing_outside_of_itself(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        body = (await hall.get("/verify.html")).body
        assert re.findall(rb'(?:src|href)="(?!/verify\.html"|data:,")', body) == []
        assert b"@import url" not in body
        assert b"url(" not in body


@pytest.mark.parametrize("two_addresses", [False, True])
async def test_a_game_that_has_ended_has_a_code_for_phones(tmp_path: Path, two_addresses: bool) -> None:
    """Of the address of the hall, also where the staff has another one."""
    seal, way = "c1f390ab" * 8, "/verify.svg?game=g-1"
    async with served(tmp_path, two_addresses=two_addresses) as hall:
        assert (await hall.get(way)).status == 404
        hall.core.picture |= {"phase": "ended", "running": False, "game_id": "g-1", "commitment": seal}
        hall.clock.pass_s(10)
        answer = await hall.get(way, headers={"Host": "hallbox.local"})
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "image/svg+xml"
        port = hall.listening.getsockname()[1]
        expected = qr_svg(f"http://hallbox.local:{port}/verify.html?game=g-1#{seal[:24]}")
        assert answer.body == expected
