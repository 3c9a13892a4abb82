"""Who was let in is out again when the log-in ends, on open sockets too."""

from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from pi_controller.web.http.access import SESSION_LASTS_S, end_all_sessions
from tests.web.hall import LOOPBACK, Hall, from_elsewhere, served, until

ENDED = 4401
SOCKETS = (
    "/api/tables/feed",
    "/api/selftest/feed",
    "/api/hardware/feed",
    "/api/directing",
    "/api/sim",
    "/api/sim/tables",
    "/api/notes/feed",
    "/api/sheets/feed",
)


def cookie(hall: Hall, session: str) -> dict[str, str]:
    return {"Cookie": f"{hall.tokens.cookie}={session}", "Origin": hall.url, **from_elsewhere()}


async def log_out(hall: Hall, session: str) -> None:
    assert (await hall.post("/api/logout", headers=cookie(hall, session))).status == 200


async def end_all(hall: Hall, _session: str) -> None:
    end_all_sessions(hall.folder / "web")
    hall.tokens.look()
    hall.side.sweep()


async def outlast(hall: Hall, _session: str) -> None:
    hall.clock.pass_s(SESSION_LASTS_S)
    hall.side.sweep()


async def spoil(hall: Hall, _session: str) -> None:
    (hall.folder / "web" / "secret").unlink()
    hall.tokens.look()
    hall.side.sweep()


async def test_every_socket_that_needs_a_log_in_is_held_to_it(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        rows = [row for row in hall.side.rows if row.kind == "socket" and row.access != "public"]
        assert {row.path for row in rows} == set(SOCKETS)


async def test_the_end_of_all_sessions_closes_a_socket_at_once(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        session = cookie(hall, hall.tokens.new_session())
        async with hall.http.ws_connect(hall.url + "/api/tables/feed", headers=session):
            (transport,) = hall.limiter._connections
            hall.side.sweep()
            assert not transport.is_closing()
            await end_all(hall, "")
            assert transport.is_closing()


@pytest.mark.parametrize("path", SOCKETS)
@pytest.mark.parametrize("end", [log_out, end_all, outlast, spoil])
async def test_a_socket_ends_with_the_session(
    tmp_path: Path, path: str, end: Callable[[Hall, str], object]
) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        mine, other = hall.tokens.new_session(), hall.tokens.new_session()
        async with (
            hall.http.ws_connect(hall.url + path, headers=cookie(hall, mine)) as ended,
            hall.http.ws_connect(hall.url + "/api/tables/feed", headers=cookie(hall, other)) as kept,
        ):
            await end(hall, mine)  # type: ignore[misc]
            while (message := await ended.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
            assert (message.type, ended.close_code) == (aiohttp.WSMsgType.CLOSE, ENDED)
            assert not kept.closed
            hall.side.sweep()
            await until(lambda: len(hall.side.broadcasters["tables"]) == (1 if end is log_out else 0))


async def test_a_hardware_test_ends_with_the_session_that_holds_it(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        session = hall.tokens.new_session()
        address = hall.url + "/api/hardware/feed"
        async with hall.http.ws_connect(address, headers=cookie(hall, session)) as page:
            assert (await page.receive_json())["held"] is True
            await until(lambda: hall.core.test_watched)
            await log_out(hall, session)
            await until(lambda: not hall.core.test_watched)


async def test_the_bearer_tokens_sockets_end_with_it(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        address = hall.url + "/api/tables/feed"
        async with hall.http.ws_connect(address, headers=hall.director) as ended:
            await end_all(hall, "")
            while (message := await ended.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
            assert (message.type, ended.close_code) == (aiohttp.WSMsgType.CLOSE, ENDED)


async def test_ending_all_sessions_ends_links_and_tokens_too(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        before = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
        link = f"/login?token={hall.tokens.new_start_link()}"
        assert (await hall.get("/api/session", headers=before)).json["director"]
        assert (await hall.get("/api/tables", headers=hall.director)).status == 200
        end_all_sessions(tmp_path / "web")
        hall.tokens.look()
        assert list(hall.tokens.links.all()) == []
        assert not (await hall.get("/api/session", headers=before)).json["director"]
        assert (await hall.post(link)).status == 403
        assert (await hall.get("/api/tables", headers=hall.director)).status == 401
        fresh = (tmp_path / "web" / "token").read_text(encoding="ascii").strip()
        assert (await hall.get("/api/tables", headers={"Authorization": f"Bearer {fresh}"})).status == 200
        assert (await hall.post(f"/login?token={hall.tokens.new_start_link()}")).status == 303
        after = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
        assert (await hall.get("/api/session", headers=after)).json["director"]


async def test_who_does_not_read_is_cut_off_all_the_same(tmp_path: Path) -> None:
    """The reason cannot leave, and the hardware test must not last until it does."""
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        session = hall.tokens.new_session()
        address = hall.url + "/api/tables/feed"
        async with hall.http.ws_connect(address, headers=cookie(hall, session)) as deaf:
            transport = deaf._response.connection.transport  # type: ignore[union-attr]
            transport.pause_reading()  # type: ignore[union-attr]
            tables = hall.side.broadcasters["tables"]
            (listener,) = tables._listeners
            while not listener.backlog:
                listener.transport.write(b"\x81\x7f" + (1 << 20).to_bytes(8, "big") + bytes(1 << 20))
            await log_out(hall, session)
            await until(lambda: len(tables) == 0)
            transport.resume_reading()  # type: ignore[union-attr]
