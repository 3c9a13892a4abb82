"""Every route and every command against every role."""

from pathlib import Path

import pytest

from pi_controller.protocol.commands import BODIES
from pi_controller.web.http.routes import ROLES, Role
from tests.web.every_route import ACCESS, path_of
from tests.web.hall import LOOPBACK, from_elsewhere, served


async def test_who_may_do_what_is_said_for_each_method_of_each_route(tmp_path: Path) -> None:
    """Literally: a new route, or a method that is opened to others, must be entered here."""
    async with served(tmp_path) as hall:
        assert {(row.method, row.pattern): row.access for row in hall.side.rows} == ACCESS
        assert len(hall.side.rows) == len(ACCESS)
        served_for_real = {
            (route.method, route.resource.canonical)
            for route in hall.side.app.router.routes()
            if route.resource is not None and route.method != "HEAD"
        }
        assert served_for_real == set(ACCESS)


COMMANDS_OF = {
    "director": set(BODIES),
    "judge": {"claim", "withdraw", "verdict"},
    "technician": {"identify"},
    "moderator": set(),
    "screen": set(),
}
KINDS_OF: dict[str, set[str]] = {
    "director": {"public", "here", "director", "judge", "moderator", "technician", "staff", "logged_in"},
    "judge": {"public", "judge", "staff", "logged_in"},
    "technician": {"public", "here", "technician", "staff", "logged_in"},
    "moderator": {"public", "moderator", "staff", "logged_in"},
    "screen": {"public", "logged_in"},
}


@pytest.mark.parametrize("role", ROLES)
async def test_each_role_gets_what_is_its_own_and_nothing_else(tmp_path: Path, role: Role) -> None:
    """Each method of each route, and each command."""
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        for row in hall.side.rows:
            session = {
                "Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session(role, 'Anna')}",
                "Origin": hall.url,
            }
            answer = await hall.ask(row.method, path_of(row), headers=session | from_elsewhere())
            if ACCESS[row.method, row.pattern] not in KINDS_OF[role]:
                assert answer.status == 403, (row.method, row.path)
                assert "does not allow this" in answer.json["error"]
            elif row.path not in {"/api/pin", "/login"}:
                assert answer.status not in {401, 403}, (row.method, row.path)
        session = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session(role)}", "Origin": hall.url}
        may = set()
        for name in BODIES:
            answer = await hall.post(f"/api/commands/{name}", headers=session)
            assert answer.status in {200, 403}, name
            if answer.status == 200:
                may.add(name)
            else:
                assert answer.json["accepted"] is False
        assert may == COMMANDS_OF[role]
        asked = {request["name"] for request in hall.core.requests if request["ask"] == "command"}
        assert asked <= COMMANDS_OF[role] | {"pause"}


async def test_who_did_it_goes_along_with_a_command(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for role, name, source in (
            ("director", "", "web"),
            ("director", "Bea", "web:director:1"),
            ("judge", "Anna", "web:judge:2"),
        ):
            session = {
                "Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session(role, name)}",
                "Origin": hall.url,
            }
            command = "pause" if role == "director" else "withdraw"
            assert (await hall.post(f"/api/commands/{command}", headers=session)).status == 200
            assert hall.core.requests[-1]["source"] == source
        assert (await hall.post("/api/commands/withdraw", headers=hall.director)).status == 200
        assert hall.core.requests[-1]["source"] == "web"
