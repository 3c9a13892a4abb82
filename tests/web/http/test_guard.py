"""Every route against everybody who must not use it."""

import asyncio
import json
from pathlib import Path

import pytest

from pi_controller.web.app import WebSide
from pi_controller.web.http.routes import SECURITY_HEADERS, Route
from tests.web.every_route import ACCESS, path_of
from tests.web.hall import LOOPBACK, from_elsewhere, served

JSON_TYPE = {"Content-Type": "application/json"}


def rows(side: WebSide, method: str) -> list[Route]:
    return [row for row in side.rows if row.method == method]


async def test_every_route_refuses_a_foreign_host_name(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for row in hall.side.rows:
            for host in (
                "evil.example",
                "127.0.0.1.evil.example",
                "evil.example:80",
                "a@127.0.0.1",
                "",
                "::",
            ):
                answer = await hall.ask(row.method, path_of(row), headers={"Host": host, **hall.director})
                assert answer.status == 421, (row.path, host)
                assert "allowed_hosts" in answer.json["error"]
        unknown = await hall.get("/nowhere", headers={"Host": "evil.example"})
        assert unknown.status == 421


@pytest.mark.parametrize(
    "host", ["localhost:8080", "LOCALHOST", "[::1]:80", "clock.example", "hallbox.local"]
)
async def test_own_names_are_let_in(tmp_path: Path, host: str) -> None:
    async with served(tmp_path) as hall:
        assert (await hall.get("/", headers={"Host": host})).status == 200


async def test_every_closed_route_refuses_who_is_not_logged_in(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        closed = [row for row in hall.side.rows if ACCESS.get((row.method, row.pattern)) != "public"]
        for row in closed:
            for shown in ({}, {"Cookie": f"{hall.tokens.cookie}=a.1.2.b.c"}, {"Authorization": "Basic x"}):
                answer = await hall.ask(row.method, path_of(row), headers=shown | from_elsewhere())
                if row.kind == "page":
                    way = "/login" if row.path == "/director" else f"/login?to={row.path}"
                    assert (answer.status, answer.headers["Location"]) == (303, way), row.path
                else:
                    assert answer.status == 401, (row.method, row.path)
                    assert "log-in" in answer.json["error"]
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
async def test_the_way_to_the_log_in_keeps_the_language(tmp_path: Path, asked: str, way: str) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.get(asked, headers={"Accept-Language": "es"})
        assert (answer.status, answer.headers["Location"]) == (303, way)


async def test_the_virtual_hall_is_free_at_this_machine_only(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        here = [row for row in hall.side.rows if row.access == "here"]
        cookie = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}", "Origin": hall.url}
        for row in here:
            for shown in ({}, hall.director | from_elsewhere(), cookie | from_elsewhere()):
                answer = await hall.ask(row.method, path_of(row), headers=shown)
                assert answer.status in {200, 422, 426, 404}, (row.path, shown)
                assert answer.status != 404 or "virtual tables" in answer.json["error"]


async def test_every_changing_route_refuses_foreign_pages(tmp_path: Path) -> None:
    foreign = [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ]
    async with served(tmp_path) as hall:
        cookie = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
        changing = [row for row in hall.side.rows if row.changes]
        assert {row.pattern for row in changing} >= {
            "/api/feed",
            "/api/sim",
            "/api/sim/{action}",
            "/api/tables/{action}",
            "/api/sim/tables",
            "/api/selftest/feed",
            "/api/hardware/feed",
        }
        for row in changing:
            for headers in foreign:
                answer = await hall.ask(row.method, path_of(row), headers=headers | cookie)
                assert answer.status == 403, (row.path, headers)
                assert "Another site" in answer.json["error"]
        silent = await hall.post("/api/commands/pause", headers=cookie)
        assert silent.status == 403
        assert "bearer token" in silent.json["error"]
        own = await hall.post("/api/commands/pause", headers=cookie | {"Origin": hall.url})
        assert own.status == 200


async def test_every_post_takes_json_only(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
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


async def test_the_type_of_no_body_does_not_matter(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        octets = {"Content-Type": "application/octet-stream", **hall.director}
        assert (await hall.ask("POST", "/api/commands/pause", headers=octets)).status == 200


async def test_every_post_refuses_a_body_over_64_kib(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
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


async def test_every_route_refuses_other_methods(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for path in {path_of(row) for row in hall.side.rows}:
            known = {row.method for row in hall.side.rows if path_of(row) == path}
            for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} - known:
                answer = await hall.ask(method, path, headers={**hall.director, "Origin": hall.url})
                assert answer.status in {404, 405}, (method, path)
                if answer.status == 405:
                    assert answer.headers["Allow"]
                    assert "use" in answer.json["error"]


async def test_a_handler_outside_the_table_is_never_reached(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        resources = {resource.canonical for resource in hall.side.app.router.resources()}
        assert {row.pattern for row in hall.side.rows} == resources
        answer = await hall.get("/api/nothing")
        assert answer.status == 404
        assert answer.json["reason_keys"][0]["key"] == "web.no_such_page"


async def test_no_answer_leaves_without_the_security_headers(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        expecting = {"Expect": "a miracle"}
        for path, headers in (
            ("/", {}),
            ("/director", {}),
            ("/api/state", {}),
            ("/nowhere", {}),
            ("/static/base.css", {}),
            ("/metrics", {}),
            ("/login?token=x", {}),
            ("/", expecting),
            ("/nowhere", expecting),
        ):
            answer = await hall.get(path, headers=headers)
            assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
            assert "unsafe" not in answer.headers["Content-Security-Policy"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert "Access-Control-Allow-Origin" not in answer.headers
            assert answer.headers["Server"] == "pi-controller"


async def test_without_simulated_hardware_there_is_no_virtual_hall(tmp_path: Path) -> None:
    async with served(tmp_path, simulated=False) as hall:
        for method, path in (("GET", "/sim"), ("GET", "/api/sim"), ("POST", "/api/sim/press")):
            answer = await hall.ask(method, path)
            assert answer.status == 404
            assert "--hardware sim" in answer.json["error"]


async def test_a_person_gets_the_sentence_as_a_page(tmp_path: Path) -> None:
    async with served(tmp_path, simulated=False) as hall:
        answer = await hall.get("/sim", headers={"Accept": "text/html,*/*;q=0.8"})
        assert answer.status == 404
        assert answer.headers["Content-Type"].startswith("text/html")
        assert b"--hardware sim" in answer.body


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
        ("GET /\x7f HTTP/1.1\r\nHost: {host}\r\n\r\n", b"400"),
        ("GET /?" + 9000 * "a" + " HTTP/1.1\r\nHost: {host}\r\n\r\n", b"400"),
        ("POST /api/pin HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n", b"413"),
    ],
)  # fmt: skip
async def test_answers_without_a_route_are_the_controllers_own(
    tmp_path: Path, request_text: str, status: bytes
) -> None:
    async with served(tmp_path) as hall:
        text = request_text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").format(host=hall.host)
        answer = await hall.raw(text.encode())
        assert answer.split()[1] == status
        assert as_from_the_controller(answer)


async def test_a_handler_that_fails_tells_nothing_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as hall:

        async def fail() -> None:
            raise ZeroDivisionError("inside")

        monkeypatch.setattr(hall.side.link, "picture", fail)
        answer = await hall.raw(f"GET /api/state HTTP/1.1\r\nHost: {hall.host}\r\n\r\n".encode())
        assert answer.split()[1] == b"500"
        assert as_from_the_controller(answer)
        assert b"inside" not in answer


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost : b\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 20000 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET http://[bad/ HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
async def test_malformed_http_is_answered_with_4xx_and_no_traceback(tmp_path: Path, nonsense: bytes) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.raw(nonsense)
        assert answer.startswith(b"HTTP/1.") or not answer
        assert not answer or answer.split()[1].startswith(b"4")
        assert b"Traceback" not in answer
        assert not answer or as_from_the_controller(answer)
        assert (await hall.get("/")).status == 200
