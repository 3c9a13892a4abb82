"""How phones come in: the Wi-Fi's code first, then the address of their page."""

from pathlib import Path

import pytest

from pi_controller.web.api.links import wifi_text
from tests.web.hall import served


@pytest.mark.parametrize(
    ("name", "password", "text"),
    [
        ("Hall", "secret", "WIFI:T:WPA;S:Hall;P:secret;;"),
        ("Hall", "", "WIFI:T:nopass;S:Hall;;"),
        ('a;b,c:d"e\\f', "p;w", 'WIFI:T:WPA;S:a\\;b\\,c\\:d\\"e\\\\f;P:p\\;w;;'),
    ],
)
def test_the_text_of_a_wifi(name: str, password: str, text: str) -> None:
    assert wifi_text(name, password) == text


async def test_the_hall_screen_gets_address_and_pictures(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        ways = (await hall.get("/api/join")).json
        assert ways == {
            "wifi": "Hall; Wi-Fi",
            "address": f"http://127.0.0.1:{hall.port}/phone",
            "claims": None,
        }
        for name in ("wifi", "phone"):
            answer = await hall.get(f"/join/{name}.svg")
            assert answer.headers["Content-Type"] == "image/svg+xml"
            assert answer.body.startswith(b"<svg")
        assert (await hall.get("/join/login.svg")).status == 404


async def test_no_link_of_the_staff_stands_there(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.get("/api/join", headers=hall.director)
        assert "login" not in answer.body.decode()
        assert "token" not in answer.body.decode()
