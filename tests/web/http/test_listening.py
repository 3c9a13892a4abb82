"""Two addresses: that of the hall has nothing for the staff, whoever asks."""

from pathlib import Path

import pytest

from pi_controller.settings.sections import WebSettings
from pi_controller.web.http.connections import PortFault, listening
from tests.web.every_route import path_of
from tests.web.hall import served

ONLY_FOR_STAFF = {"/login", "/api/pin", "/api/session", "/api/openapi.json", "/metrics"}
"""Open to anybody, and of no use to the public."""


async def test_every_open_route_is_said_to_be_for_the_public_or_not(tmp_path: Path) -> None:
    """A new one must be entered here or say `hall`."""
    async with served(tmp_path) as hall:
        rows = hall.side.rows
        assert {row.pattern for row in rows if row.access == "public" and not row.hall} == ONLY_FOR_STAFF
        assert {row.method for row in rows if row.hall} == {"GET"}
        assert {row.access for row in rows if row.hall} == {"public"}


async def test_the_public_address_has_nothing_for_the_staff(tmp_path: Path) -> None:
    async with served(tmp_path, two_addresses=True) as hall:
        for row in hall.side.rows:
            answer = await hall.ask(row.method, path_of(row), headers=hall.director)
            if row.hall:
                assert answer.status in {200, 404, 426}, row.path
                assert answer.status != 404 or "own address" not in answer.json["error"]
            elif row.kind == "page":
                way = hall.staff_url + path_of(row)
                assert (answer.status, answer.headers["Location"]) == (303, way), row.path
            else:
                assert answer.status == 404, (row.method, row.path)
                assert "own address" in answer.json["error"]
        assert {request["ask"] for request in hall.core.requests} <= {
            "watch",
            "watch_tables",
            "panel",
            "picture",
        }


async def test_the_staffs_address_has_everything(tmp_path: Path) -> None:
    async with served(tmp_path, two_addresses=True) as hall:
        for path in ("/", "/director", "/api/state", "/api/tables", "/api/links"):
            async with hall.http.get(hall.staff_url + path, headers=hall.director) as answer:
                assert answer.status == 200, path
        link = (await made(hall))["address"]
        assert link.startswith(hall.staff_url + "/login?token=")


async def made(hall: object) -> dict[str, str]:
    url = hall.staff_url + "/api/login-link"  # type: ignore[attr-defined]
    async with hall.http.post(url, json={}, headers=hall.director) as answer:  # type: ignore[attr-defined]
        return dict(await answer.json())


def test_one_address_serves_all_where_the_staff_has_none() -> None:
    with listening(WebSettings(), "127.0.0.1", 0) as one:
        assert one.hall is one.staff
        assert not one.hall.only_hall
        assert one.hall_url == one.staff_url


def test_the_staffs_port_may_be_in_use_too() -> None:
    with listening(WebSettings(), "127.0.0.1", 0) as one:
        taken = one.hall.socket.getsockname()[1]
        again = listening(WebSettings(staff_port=taken), "127.0.0.1", 0)
        with pytest.raises(PortFault, match=f"Port {taken} on 127.0.0.1 is in use"), again:
            pass
