"""The staff's address over TLS, with a real client, and its certificate."""

import asyncio
import contextlib
import datetime as dt
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from cryptography import x509

from pi_controller.web.http.own_certificate import make_own
from pi_controller.web.http.tls import (
    HANDSHAKE_RECORD,
    HELLO_AT_ONCE,
    HELLO_WITHIN_S,
    MOST_WITHOUT_TEXT,
    SHAKEN_WITHIN_S,
    CertificateFault,
    CertificateFiles,
    Validity,
    own_files,
)
from tests.needs import program
from tests.web.hall import Hall, served, until, written_pages

NOW = dt.datetime(2026, 11, 22, tzinfo=dt.UTC)


def trusting(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "certificate.pem"))


@contextlib.asynccontextmanager
async def secured(tmp_path: Path, pages: Path | None = None) -> AsyncIterator[Hall]:
    files = make_own(tmp_path / "own", ["127.0.0.1"], NOW)
    async with served(tmp_path, two_addresses=True, tls=files.context(), pages=pages) as hall:
        yield hall


async def test_staff_log_in_and_command_over_tls(tmp_path: Path) -> None:
    async with secured(tmp_path) as hall:
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
    async with secured(tmp_path) as hall:
        assert (await hall.get("/api/seat")).status == 404
        ways = (await hall.get("/api/join")).json
        assert ways["claims"] == hall.staff_url + "/phone"
        assert ways["address"] == hall.url + "/phone"


async def test_a_client_that_knows_the_fingerprint_comes_in_and_no_other(tmp_path: Path) -> None:
    async with secured(tmp_path) as hall:
        known = bytes.fromhex(own_files(tmp_path / "own").fingerprint().replace(":", ""))
        page = hall.staff_url + "/login"
        async with hall.http.get(page, ssl=aiohttp.Fingerprint(known)) as answer:
            assert answer.status == 200
        with pytest.raises(aiohttp.ServerFingerprintMismatch):
            await hall.http.get(page, ssl=aiohttp.Fingerprint(bytes(32)))


@pytest.mark.parametrize("part", ["nothing", "half", "all but one byte"])
async def test_who_does_not_say_hello_takes_no_place_and_is_cut_in_time(tmp_path: Path, part: str) -> None:
    async with secured(tmp_path) as hall:
        hello = client_hello()
        sent = {"nothing": 0, "half": len(hello) // 2, "all but one byte": len(hello) - 1}[part]
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall))
        waiting = hall.side.handshakes.waiting
        writer.write(hello[:sent])
        await until(lambda: [len(each._hello) for each in waiting] == [sent])
        assert (hall.limiter.count, len(hall.side.handshakes.shaking)) == (0, 0)
        hall.clock.pass_s(HELLO_WITHIN_S - 0.1)
        hall.side.sweep()
        assert len(waiting) == 1
        hall.clock.pass_s(0.1)
        hall.side.sweep()
        assert len(waiting) == 0
        assert await _all(reader) == b""
        writer.close()
        assert hall.side.misbehaviour.counted["handshake"] == 1


async def test_who_does_not_end_its_handshake_takes_no_place_and_is_cut_in_time(tmp_path: Path) -> None:
    async with secured(tmp_path) as hall:
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall))
        writer.write(client_hello())
        assert (await reader.readexactly(1))[0] == HANDSHAKE_RECORD
        pools = hall.side.handshakes
        assert (len(pools.waiting), len(pools.shaking), hall.limiter.count) == (0, 1, 0)
        hall.clock.pass_s(SHAKEN_WITHIN_S)
        hall.side.sweep()
        assert len(pools.shaking) == 0
        await _all(reader)
        writer.close()
        assert hall.side.misbehaviour.counted["handshake"] == 1


async def test_a_hello_may_come_byte_by_byte_and_be_longer_than_what_is_kept(tmp_path: Path) -> None:
    """Names fill it up: a browser of some later year may need so much."""
    async with secured(tmp_path) as hall:
        context = trusting(hall.folder / "own")
        context.set_alpn_protocols([f"protocol-{number}-{'x' * 200}" for number in range(20)])
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall))
        with pytest.raises(ssl.SSLWantReadError):
            tls.do_handshake()
        hello = outgoing.read()
        assert len(hello) > 2 * HELLO_AT_ONCE
        for place in range(len(hello)):
            writer.write(hello[place : place + 1])
            if place == HELLO_AT_ONCE:
                await until(lambda: len(hall.side.handshakes.shaking) == 1)
                assert len(hall.side.handshakes.waiting) == 0
        while True:
            incoming.write(await reader.read(1))
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                pass
        # The end of the handshake, a request and the end of the connection, in one piece.
        tls.write(f"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1:{staff_port(hall)}\r\n\r\n".encode())
        with pytest.raises(ssl.SSLWantReadError):
            tls.unwrap()
        writer.write(outgoing.read())
        await until(lambda: hall.limiter.turned_away == 0 and not hall.limiter._connections)
        await _all(reader)
        writer.close()
        assert hall.side.misbehaviour.defects.count == 0


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_much_goes_both_ways_in_either_version(
    tmp_path: Path, version: ssl.TLSVersion, caplog: pytest.LogCaptureFixture
) -> None:
    pages = written_pages(tmp_path / "pages")
    body = "/* " + "much " * 200_000 + "*/"
    (pages / "base.css").write_text(body, encoding="utf-8")
    async with secured(tmp_path, pages) as hall:
        context = trusting(tmp_path / "own")
        context.minimum_version = context.maximum_version = version
        async with hall.http.get(hall.staff_url + "/static/base.css", ssl=context) as answer:
            assert answer.status == 200
            assert await answer.text() == body
        much = {"text": "x" * 60_000}
        async with hall.http.post(
            hall.staff_url + "/api/commands/say", json=much, headers=hall.director, ssl=context
        ) as accepted:
            assert accepted.status == 200
            (asked,) = hall.core.asked("command")
            assert asked["body"] == much
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_the_end_is_told_to_both_sides(tmp_path: Path) -> None:
    """With a word of TLS: whoever cuts an answer short on its way cannot pretend that this was all."""
    async with secured(tmp_path) as hall:
        context = trusting(hall.folder / "own")
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall), ssl=context)
        writer.write(
            f"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1:{staff_port(hall)}\r\nConnection: close\r\n\r\n".encode()
        )
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
        with pytest.raises(ssl.SSLZeroReturnError):  # the server's word, and not only the end
            writer.get_extra_info("ssl_object").read(1)
        writer.close()
        await until(lambda: not hall.limiter._connections)


async def test_nonsense_after_the_handshake_is_cut(tmp_path: Path) -> None:
    async with secured(tmp_path) as hall:
        context = trusting(hall.folder / "own")
        reader, writer = await asyncio.open_connection("127.0.0.1", staff_port(hall), ssl=context)
        await until(lambda: len(hall.limiter._connections) == 1)
        writer.transport._ssl_protocol._transport.write(b"\x17\x03\x03\x00\x20" + bytes(32))  # type: ignore[attr-defined]
        await until(lambda: hall.side.misbehaviour.counted["tls"] == 1)
        await until(lambda: not hall.limiter._connections and not len(hall.side.handshakes.shaking))
        with contextlib.suppress(ssl.SSLError):
            await _all(reader)
        writer.transport.abort()


async def test_who_only_keeps_tls_at_work_is_cut(tmp_path: Path) -> None:
    """By key updates that want one in return: each is work, and none is anything that is limited elsewhere."""
    async with secured(tmp_path) as hall:
        client = await asyncio.create_subprocess_exec(
            program("openssl"),
            *("s_client", "-brief", "-connect", f"127.0.0.1:{staff_port(hall)}"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert client.stdin is not None
        assert client.stdout is not None
        updates = 0
        with contextlib.suppress(ConnectionError):
            while not hall.side.misbehaviour.counted["tls"]:
                client.stdin.write(b"K\n")
                while (said := await client.stdout.readline()) not in (b"KEYUPDATE\n", b""):
                    pass
                if not said:
                    break
                updates += 1
        assert MOST_WITHOUT_TEXT // 50 < updates < MOST_WITHOUT_TEXT // 10
        await until(lambda: not hall.limiter._connections)
        assert hall.side.misbehaviour.counted["tls"] == 1
        with contextlib.suppress(ProcessLookupError):
            client.kill()
        await client.wait()


async def test_a_full_pool_makes_room_at_the_cost_of_who_has_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two addresses that fill it do not shut out a third one."""
    async with secured(tmp_path) as hall:
        waiting = hall.side.handshakes.waiting
        monkeypatch.setattr(waiting, "_most", 4)
        flood = [await come(hall, f"127.0.0.{number}") for number in (2, 2, 3, 3)]
        await until(lambda: len(waiting) == 4)
        for newcomer, left in (("127.0.0.9", [2, 3, 3, 9]), ("127.0.0.3", [2, 3, 3, 9])):
            reader, writer = await come(hall, newcomer)
            own = writer.get_extra_info("sockname")
            await until(lambda own=own: own in [each._raw.get_extra_info("peername") for each in waiting])
            assert sorted(int(each.address[-1]) for each in waiting) == left
            flood.append((reader, writer))
        assert await _all(flood[0][0]) == b"", "the longest of all"
        assert await _all(flood[2][0]) == b"", "the longest of its own address"
        for _, writer in flood:
            writer.close()
        await until(lambda: len(waiting) == 0)
        assert not waiting._of


async def come(hall: Hall, source: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", staff_port(hall), local_addr=(source, 0))


def client_hello() -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="a").do_handshake()
    return outgoing.read()


def staff_port(hall: Hall) -> int:
    return int(hall.staff_url.rpartition(":")[2])


async def _all(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""


def test_it_is_for_these_names_and_long_enough(tmp_path: Path) -> None:
    files = make_own(tmp_path, ["hall.local", "192.0.2.7", "hall.local"], NOW)
    made = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["hall.local"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["192.0.2.7"]
    assert made.not_valid_after_utc - NOW > dt.timedelta(days=3000)
    assert files.key.stat().st_mode & 0o777 == 0o600
    assert len(files.fingerprint().split(":")) == 32
    assert files.context().minimum_version is ssl.TLSVersion.TLSv1_2


def test_what_cannot_be_used_says_why(tmp_path: Path) -> None:
    files = make_own(tmp_path, ["hall"], NOW)
    files.key.chmod(0o644)
    with pytest.raises(CertificateFault, match="can be read by others"):
        files.context()
    files.key.chmod(0o600)
    files.certificate.write_text("no certificate", encoding="ascii")
    with pytest.raises(CertificateFault, match="cannot be used"):
        files.context()
    with pytest.raises(CertificateFault, match="cannot be used"):
        files.fingerprint()
    with pytest.raises(CertificateFault, match="cannot be used"):
        CertificateFiles(tmp_path / "nowhere", files.key).context()


@pytest.mark.parametrize(
    "now", [NOW, dt.datetime(1970, 1, 2, tzinfo=dt.UTC), dt.datetime(2049, 6, 1, tzinfo=dt.UTC)]
)
def test_its_dates_are_read_as_the_library_reads_them(tmp_path: Path, now: dt.datetime) -> None:
    files = make_own(tmp_path, ["hall.local", "192.0.2.7"], now)
    made = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    found = files.validity()
    assert (found.first, found.last) == (made.not_valid_before_utc, made.not_valid_after_utc)


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (-1, "certificate.not_yet"),
        (0, None),
        (69, None),
        (71, "certificate.expires_soon"),
        (101, "certificate.expired"),
    ],
)
def test_what_browsers_will_say_is_told_before(days: int, told: str | None) -> None:
    doubt = Validity("c.pem", NOW, NOW + dt.timedelta(days=100)).doubt(NOW + dt.timedelta(days=days))
    assert (None if doubt is None else doubt.key) == told


@pytest.mark.parametrize("content", ["AAAA", "MAA=", "MIIB"])
def test_what_is_no_certificate_has_no_dates(tmp_path: Path, content: str) -> None:
    file = tmp_path / "c.pem"
    file.write_text(f"-----BEGIN CERTIFICATE-----\n{content}\n-----END CERTIFICATE-----\n", encoding="ascii")
    with pytest.raises(CertificateFault):
        CertificateFiles(file, file).validity()
