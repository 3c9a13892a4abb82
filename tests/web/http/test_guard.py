"""Every route and every command against everybody who must not use it, by role, origin, proxy and address."""

import asyncio
import json

import pytest
from aiohttp.test_utils import make_mocked_request

from pi_controller.protocol.commands import BODIES
from pi_controller.settings.sections import WebSettings
from pi_controller.web.http import addresses
from pi_controller.web.http.addresses import PageAddress, is_loopback
from pi_controller.web.http.connections import PortFault, listening
from pi_controller.web.http.limits import WRONG_PER_ADDRESS
from pi_controller.web.http.routes import ROLES, SECURITY_HEADERS, Role, Route
from pi_controller.web.main import WebSide
from tests.web.every_route import ACCESS, path_of
from tests.web.hall import LOOPBACK, Hall, from_elsewhere

JSON_TYPE = {"Content-Type": "application/json"}


def rows(side: WebSide, method: str) -> list[Route]:
    return [row for row in side.rows if row.method == method]


async def test_every_route_refuses_a_foreign_host_name(hall: Hall) -> None:
    asked = [(row.method, path_of(row), "evil.example") for row in hall.side.rows]
    for host in ("127.0.0.1.evil.example", "evil.example:80", "a@127.0.0.1", "", "::"):
        asked += [("GET", "/", host), ("GET", "/nowhere", host)]
    for method, path, host in asked:
        answer = await hall.ask(method, path, headers={"Host": host, **hall.director})
        assert (answer.status, answer.key) == (421, "web.other_name"), (path, host)


@pytest.mark.parametrize(
    "host", ["localhost:8080", "LOCALHOST", "[::1]:80", "clock.example", "hallbox.local"]
)
async def test_own_names_are_let_in(hall: Hall, host: str) -> None:
    assert (await hall.get("/", headers={"Host": host})).status == 200


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_every_closed_route_refuses_who_is_not_logged_in(hall: Hall) -> None:
    closed = [row for row in hall.side.rows if ACCESS.get((row.method, row.pattern)) != "public"]
    for row in closed:
        for shown in ({}, {"Cookie": f"{hall.tokens.cookie}=a.1.2.b.c"}, {"Authorization": "Basic x"}):
            answer = await hall.ask(row.method, path_of(row), headers=shown | from_elsewhere())
            if row.kind == "page":
                way = "/login" if row.path == "/director" else f"/login?to={row.path}"
                assert (answer.status, answer.headers["Location"]) == (303, way), row.path
            else:
                assert (answer.status, answer.key) == (401, "web.needs_log_in"), (row.method, row.path)
    assert {request["ask"] for request in hall.core.requests} <= {"watch", "watch_tables", "panel"}


@pytest.mark.parametrize(
    ("asked", "way"),
    [
        ("/director?lang=de", "/login?lang=de"),
        ("/technician?lang=pt-br", "/login?to=/technician&lang=pt-BR"),
        ("/technician/selftest?lang=", "/login?to=/technician/selftest"),
        ("/director?lang=xx", "/login"),
    ],
)
async def test_the_way_to_the_log_in_keeps_the_language(hall: Hall, asked: str, way: str) -> None:
    answer = await hall.get(asked, headers={"Accept-Language": "es"})
    assert (answer.status, answer.headers["Location"]) == (303, way)


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_the_virtual_hall_is_free_at_this_machine_only(hall: Hall) -> None:
    here = [row for row in hall.side.rows if row.access == "here"]
    cookie = hall.as_role()
    for row in here:
        for shown in ({}, hall.director | from_elsewhere(), cookie | from_elsewhere()):
            answer = await hall.ask(row.method, path_of(row), headers=shown)
            assert answer.status in {200, 422, 426, 404}, (row.path, shown)
            assert answer.status != 404 or "virtual tables" in answer.json["error"]


async def test_every_changing_route_refuses_foreign_pages(hall: Hall) -> None:
    foreign = [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    cookie = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
    changing = [row for row in hall.side.rows if row.changes]
    assert {row.pattern for row in changing} >= {"/api/feed", "/api/sim", "/api/sim/{action}"}
    for row in changing:
        for headers in foreign:
            answer = await hall.ask(row.method, path_of(row), headers=headers | cookie)
            assert (answer.status, answer.key) == (403, "web.other_site"), (row.path, headers)
    silent = await hall.post("/api/commands/pause", headers=cookie)
    assert (silent.status, silent.key) == (403, "web.page_not_said")
    own = await hall.post("/api/commands/pause", headers=cookie | {"Origin": hall.url})
    assert own.status == 200


async def test_every_post_takes_json_only(hall: Hall) -> None:
    assert {row.path for row in hall.side.rows if row.takes_form} == {"/login"}
    for row in rows(hall.side, "POST"):
        for kind in (
            "text/plain",
            *([] if row.takes_form else ["application/x-www-form-urlencoded"]),
            "multipart/form-data; boundary=x",
        ):
            answer = await hall.ask(
                "POST", path_of(row), data=b"{}", headers={"Content-Type": kind, **hall.director}
            )
            assert answer.status == 415, (row.path, kind)
        packed = await hall.ask(
            "POST",
            path_of(row),
            data=b"\x1f\x8b",
            headers={"Content-Encoding": "gzip", **JSON_TYPE, **hall.director},
        )
        assert packed.status == 415


async def test_every_post_refuses_a_body_over_64_kib(hall: Hall) -> None:
    heads = [
        f"POST {path_of(row)} HTTP/1.1\r\nHost: {hall.host}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {hall.bearer}\r\nContent-Length: 65537\r\n\r\n"
        for row in rows(hall.side, "POST")
    ]
    # Together: the web side waits for a while whether more comes before it closes such a connection.
    for refused in await asyncio.gather(*(hall.raw(head.encode()) for head in heads)):
        assert b" 413 " in refused.splitlines()[0]
    chunks = b"10000\r\n" + b" " * 65536 + b"\r\n1\r\n \r\n0\r\n\r\n"
    head = (
        f"POST /api/commands/pause HTTP/1.1\r\nHost: {hall.host}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {hall.bearer}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    answer = await hall.raw(head.encode() + chunks)
    assert b" 413 " in answer.splitlines()[0]
    assert b"64 KiB" in answer


async def test_every_route_refuses_other_methods(hall: Hall) -> None:
    for path in {path_of(row) for row in hall.side.rows}:
        known = {row.method for row in hall.side.rows if path_of(row) == path}
        for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} - known:
            answer = await hall.ask(method, path, headers={**hall.director, "Origin": hall.url})
            assert answer.status in {404, 405}, (method, path)
            if answer.status == 405:
                assert answer.headers["Allow"]
                assert "use" in answer.json["error"]


async def test_no_answer_leaves_without_the_security_headers(hall: Hall) -> None:
    expecting = {"Expect": "a miracle"}
    plain = ("/", "/director", "/api/state", "/nowhere", "/static/base.css", "/metrics", "/login?token=x")
    for path, headers in (*((path, {}) for path in plain), ("/", expecting), ("/nowhere", expecting)):
        answer = await hall.get(path, headers=headers)
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert answer.headers["Server"] == "pi-controller"


@pytest.mark.served(simulated=False)
async def test_without_simulated_hardware_there_is_no_virtual_hall(hall: Hall) -> None:
    for method, path in (("GET", "/sim"), ("GET", "/api/sim"), ("POST", "/api/sim/press")):
        answer = await hall.ask(method, path)
        assert (answer.status, answer.key) == (404, "web.only_simulated")


def as_from_the_controller(answer: bytes) -> bool:
    """Whether this answer has our headers and says nothing about what serves it."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return (
        all(f"{name}: {value}".encode() in head for name, value in SECURITY_HEADERS.items())
        and b"aiohttp" not in answer
        and b"Python" not in answer
        and len(json.loads(body)["error"]) > 20
    )


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("BREW / HTTP/1.1\r\nHost: {host}\r\n\r\n", b"400"),
        ("DELETE / HTTP/1.1\r\nHost: {host}\r\n\r\n", b"405"),
        ("GET /nowhere HTTP/1.1\r\nHost: {host}\r\n\r\n", b"404"),
        ("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", b"421"),
        ("GET / HTTP/1.1\r\n\r\n", b"400"),
        ("GET / HTTP/9.9\r\n\r\n", b"400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost : b\r\n\r\n", b"400"),
        ("GET http://[bad/ HTTP/1.1\r\nHost: x\r\n\r\n", b"400"),
        ("GET /\x7f HTTP/1.1\r\nHost: {host}\r\n\r\n", b"400"),
        ("GET /?" + 9000 * "a" + " HTTP/1.1\r\nHost: {host}\r\n\r\n", b"400"),
        ("POST /api/pin HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n", b"413"),
    ],
)  # fmt: skip
async def test_answers_without_a_route_are_the_controllers_own(
    hall: Hall, request_text: str, status: bytes
) -> None:
    text = request_text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").format(host=hall.host)
    answer = await hall.raw(text.encode())
    assert answer.split()[1] == status
    assert as_from_the_controller(answer)


async def test_who_may_do_what_is_said_for_each_method_of_each_route(hall: Hall) -> None:
    """Literally: a new route, or a method that is opened to others, must be entered here."""
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


@pytest.mark.served(trusted_proxies=LOOPBACK)
@pytest.mark.parametrize("role", ROLES)
async def test_each_role_gets_what_is_its_own_and_nothing_else(hall: Hall, role: Role) -> None:
    """Each method of each route, and each command."""
    for row in hall.side.rows:
        session = hall.as_role(role, "Anna")
        answer = await hall.ask(row.method, path_of(row), headers=session | from_elsewhere())
        if ACCESS[row.method, row.pattern] not in KINDS_OF[role]:
            assert (answer.status, answer.key) == (403, "web.other_role"), (row.method, row.path)
        elif row.path not in {"/api/pin", "/login"}:
            assert answer.status not in {401, 403}, (row.method, row.path)
    session = hall.as_role(role)
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


async def test_who_did_it_goes_along_with_a_command(hall: Hall) -> None:
    for role, name, source in (
        ("director", "", "web"),
        ("director", "Bea", "web:director:1"),
        ("judge", "Anna", "web:judge:2"),
    ):
        session = hall.as_role(role, name)
        command = "pause" if role == "director" else "withdraw"
        assert (await hall.post(f"/api/commands/{command}", headers=session)).status == 200
        assert hall.core.requests[-1]["source"] == source
    assert (await hall.post("/api/commands/withdraw", headers=hall.director)).status == 200
    assert hall.core.requests[-1]["source"] == "web"


WRONG = {"Authorization": "Bearer guess"}


@pytest.mark.parametrize(
    ("address", "local"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("::ffff:127.0.0.1", True), ("10.0.0.1", False),
     ("::ffff:10.0.0.1", False), ("fe80::1%eth0", False), ("", False), ("somebody", False)],
)  # fmt: skip
def test_which_addresses_are_this_machine(address: str, local: bool) -> None:
    assert is_loopback(address) is local


async def guessed(hall: Hall, headers: dict[str, str], times: int = WRONG_PER_ADDRESS + 1) -> int:
    """The status of the last of so many wrong tokens."""
    return [(await hall.post("/api/logout", headers=WRONG | headers)).status for _ in range(times)][-1]


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_guesses_through_a_proxy_are_limited_by_the_address_it_names(hall: Hall) -> None:
    assert await guessed(hall, from_elsewhere("192.0.2.7")) == 429
    assert await guessed(hall, from_elsewhere("::ffff:192.0.2.7"), 1) == 429
    assert await guessed(hall, from_elsewhere("192.0.2.8"), 1) == 401
    assert await guessed(hall, {}) == 401, "the machine itself is never locked out"


@pytest.mark.served(trusted_proxies=LOOPBACK)
@pytest.mark.parametrize(
    "named", ["127.0.0.1, 192.0.2.7", "10.0.0.1, 192.0.2.7", "192.0.2.7, 127.0.0.1", "x,192.0.2.7"]
)
async def test_only_the_last_address_that_is_no_proxy_is_believed(hall: Hall, named: str) -> None:
    assert await guessed(hall, from_elsewhere("192.0.2.7")) == 429
    assert await guessed(hall, from_elsewhere(named), 1) == 429


@pytest.mark.parametrize("sign", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
async def test_a_proxy_that_nobody_named_is_not_this_machine(hall: Hall, sign: str) -> None:
    """Without the setting, whoever comes through a proxy on this machine is a stranger like any other."""
    assert await guessed(hall, {sign: "127.0.0.1"}) == 429
    assert (await hall.post("/api/sim/tap", headers={sign: "127.0.0.1"})).status == 401


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_a_proxy_that_names_nonsense_gets_no_rights(hall: Hall) -> None:
    assert await guessed(hall, from_elsewhere("unknown")) == 429
    assert (await hall.post("/api/sim/tap", headers=from_elsewhere("unknown"))).status == 401


ONLY_FOR_STAFF = {"/login", "/api/pin", "/api/session", "/api/openapi.json", "/metrics"}
"""Open to anybody, and of no use to the public."""


async def test_every_open_route_is_said_to_be_for_the_public_or_not(hall: Hall) -> None:
    """A new one must be entered here or say `hall`."""
    rows = hall.side.rows
    assert {row.pattern for row in rows if row.access == "public" and not row.hall} == ONLY_FOR_STAFF
    assert {row.method for row in rows if row.hall} == {"GET"}
    assert {row.access for row in rows if row.hall} == {"public"}


@pytest.mark.served(two_addresses=True)
async def test_the_public_address_has_nothing_for_the_staff(hall: Hall) -> None:
    for row in hall.side.rows:
        answer = await hall.ask(row.method, path_of(row), headers=hall.director)
        if row.hall:
            assert answer.status in {200, 404, 426}, row.path
            assert answer.status != 404 or "own address" not in answer.json["error"]
        elif row.kind == "page":
            way = hall.staff_url + path_of(row)
            assert (answer.status, answer.headers["Location"]) == (303, way), row.path
        else:
            assert (answer.status, answer.key) == (404, "web.at_staff_address"), (row.method, row.path)
    assert {request["ask"] for request in hall.core.requests} <= {"watch", "watch_tables", "panel", "picture"}


@pytest.mark.served(two_addresses=True)
async def test_the_staffs_address_has_everything(hall: Hall) -> None:
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
        assert one.hall_address == one.staff_address


def test_the_staffs_port_may_be_in_use_too() -> None:
    with listening(WebSettings(), "127.0.0.1", 0) as one:
        taken = one.hall.socket.getsockname()[1]
        again = listening(WebSettings(staff_port=taken), "127.0.0.1", 0)
        with pytest.raises(PortFault, match=f"Port {taken} on 127.0.0.1 is in use"), again:
            pass


@pytest.mark.parametrize(
    ("bound", "asked", "shown"),
    [
        ("127.0.0.1", "localhost:8080", "http://127.0.0.1:8443"),
        ("0.0.0.0", "localhost", "http://192.0.2.50:8443"),
        ("0.0.0.0", "127.0.0.1:80", "http://192.0.2.50:8443"),
        ("0.0.0.0", "hall.local:80", "http://hall.local:8443"),
        ("::", "[2001:db8::7]:80", "http://[2001:db8::7]:8443"),
    ],
)
def test_it_is_one_that_another_device_can_open(
    bound: str, asked: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "outward_address", lambda: "192.0.2.50")
    request = make_mocked_request("GET", "/", headers={"Host": asked})
    assert PageAddress(bound, 8443).for_asker(request) == shown


def test_without_a_network_it_is_this_machine_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "outward_address", lambda: None)
    assert PageAddress("0.0.0.0", 8080, secure=True).printed() == "https://127.0.0.1:8080"
