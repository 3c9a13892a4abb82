"""The staff's address over TLS, with a real client."""

import asyncio
import datetime as dt
import ssl
from pathlib import Path

import aiohttp
import pytest

from pi_controller.web.http.own_certificate import make_own
from tests.web.hall import Hall, served, until

NOW = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)


def trusting(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "certificate.pem"))


async def test_staff_log_in_and_command_over_tls(tmp_path: Path) -> None:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    async with served(tmp_path, two_addresses=True, tls=files.context()) as hall:
        assert hall.staff_url.startswith("https://127.0.0.1:")
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trusting(tmp_path / "own")),
            cookie_jar=aiohttp.CookieJar(unsafe=True),
        ) as browser:
            link = f"{hall.staff_url}/login?token={hall.tokens.new_start_link()}"
            async with browser.post(link, allow_redirects=False) as entered:
                assert entered.status == 303
                assert "Secure" in entered.headers["Set-Cookie"]
            own = {"Origin": hall.staff_url}
            async with browser.post(hall.staff_url + "/api/commands/pause", headers=own) as paused:
                assert paused.status == 200
            async with browser.ws_connect(hall.staff_url + "/api/tables/feed", headers=own) as feed:
                assert not feed.closed
        away = await hall.get("/director")
        assert (away.status, away.headers["Location"]) == (303, hall.staff_url + "/director")
        assert (await hall.get("/")).status == 200


async def test_phones_claim_only_where_it_is_encrypted(tmp_path: Path) -> None:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    async with served(tmp_path, two_addresses=True, tls=files.context()) as hall:
        assert (await hall.get("/api/seat")).status == 404
        ways = (await hall.get("/api/join")).json
        assert ways["claims"] == hall.staff_url + "/phone"
        assert ways["address"] == hall.url + "/phone"


async def test_a_client_that_knows_the_fingerprint_comes_in_and_no_other(tmp_path: Path) -> None:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    known = bytes.fromhex(files.fingerprint().replace(":", ""))
    async with served(tmp_path, two_addresses=True, tls=files.context()) as hall:
        page = hall.staff_url + "/login"
        async with hall.http.get(page, ssl=aiohttp.Fingerprint(known)) as answer:
            assert answer.status == 200
        with pytest.raises(aiohttp.ServerFingerprintMismatch):
            await hall.http.get(page, ssl=aiohttp.Fingerprint(bytes(32)))


async def test_who_speaks_no_tls_is_sent_away_and_leaves_no_place_taken(tmp_path: Path) -> None:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    async with served(tmp_path, two_addresses=True, tls=files.context()) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall))
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert b"HTTP" not in await _all(reader)
        writer.close()
        await until(lambda: hall.limiter.count == 0)


async def test_who_does_not_shake_hands_is_counted_and_cut(tmp_path: Path) -> None:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    async with served(tmp_path, two_addresses=True, tls=files.context()) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall))
        await until(lambda: hall.limiter.count == 1)
        hall.clock.pass_s(10)
        hall.side.sweep()
        assert await _all(reader) == b""
        writer.close()
        await until(lambda: hall.limiter.count == 0)


def staff_port(hall: Hall) -> int:
    return int(hall.staff_url.rpartition(":")[2])


async def _all(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""
