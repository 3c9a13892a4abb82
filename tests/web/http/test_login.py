"""Log-in: links work once, sessions outlive a restart, guesses are throttled; who was let in is out again when it
ends."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest
from msgspec import to_builtins

from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.software import own
from pi_controller.web.http.access import SESSION_LASTS_S, Credential, KeyFault, Tokens, end_all_sessions
from pi_controller.web.http.limits import WRONG_OVERALL, WRONG_PER_ADDRESS, GuessLimit
from tests.matrix import paired
from tests.web.hall import LOOPBACK, Hall, HandClock, from_elsewhere, until

SOFTWARE = to_builtins(own())
HOURS = 3600.0
NOBODY = {
    "director": False,
    "role": None,
    "name": "",
    "number": 0,
    "ends_in_s": None,
    "pin": False,
    "hall": "Town hall",
    "software": SOFTWARE,
}


def is_good(keys: Tokens, cookie: str) -> bool:
    return keys.is_good(Credential("session", cookie))


def session_of(answer: object) -> str:
    return str(answer.headers["Set-Cookie"]).split(";")[0].split("=", 1)[1]  # type: ignore[attr-defined]


async def test_a_link_logs_in_once(hall: Hall) -> None:
    link = f"/login?token={hall.tokens.new_start_link()}"
    answer = await hall.post(link)
    assert (answer.status, answer.headers["Location"]) == (303, "/director")
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    headers = {"Cookie": f"{hall.tokens.cookie}={session_of(answer)}"}
    assert (await hall.get("/director", headers=headers)).status == 200
    told = NOBODY | {"director": True, "role": "director", "ends_in_s": 16 * 3600}
    assert (await hall.get("/api/session", headers=headers)).json == told
    again = await hall.post(link)
    assert (again.status, again.key) == (403, "web.link_used_up")
    assert "Set-Cookie" not in again.headers


async def test_a_link_leads_on_in_the_language_of_its_address(hall: Hall) -> None:
    answer = await hall.post(f"/login?token={hall.tokens.new_start_link()}&lang=de")
    assert (answer.status, answer.headers["Location"]) == (303, "/director?lang=de")


async def test_a_preview_does_not_use_a_link_up(hall: Hall) -> None:
    link = f"/login?token={hall.tokens.new_start_link()}"
    for method in ("GET", "HEAD", "GET"):
        looked = await hall.ask(method, link)
        assert looked.status == 200
        assert "Set-Cookie" not in looked.headers
    assert (await hall.post(link)).status == 303


async def test_for_guests_no_key_is_looked_at(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are many, and they show nothing that could be right."""
    looked: list[str] = []
    person = hall.tokens.person
    monkeypatch.setattr(hall.tokens, "person", lambda shown: looked.append(shown.value) or person(shown))
    assert (await hall.get("/api/state")).status == 200
    assert looked == []
    assert (await hall.get("/api/state", headers={"Cookie": f"{hall.tokens.cookie}=invented"})).status == 200
    assert looked == ["invented"]


@pytest.mark.parametrize("kind", ["json", "data"])
async def test_a_token_may_be_sent_as_json_or_as_a_form(hall: Hall, kind: str) -> None:
    token = hall.tokens.new_start_link()
    for nothing in ({"token": ""}, {"word": token}):
        refused = await hall.ask("POST", "/login", **{kind: nothing})
        assert (refused.status, refused.key) == (422, "web.link_token_missing")
    assert (
        hall.tokens.cookie
        in (await hall.ask("POST", "/login", **{kind: {"token": token}})).headers["Set-Cookie"]
    )


async def test_logout_ends_the_session_for_good(hall: Hall) -> None:
    session, other = hall.tokens.new_session(), hall.tokens.new_session()
    headers = hall.cookie(session)
    answer = await hall.post("/api/logout", headers=headers)
    assert (answer.status, answer.json) == (200, NOBODY)
    assert (await hall.post("/api/commands/pause", headers=headers)).status == 401
    restarted = Tokens(hall.folder / "web", hall.clock.clocks())
    assert not is_good(restarted, session)
    assert is_good(restarted, other)


async def test_wrong_bearer_tokens_are_401(hall: Hall) -> None:
    for token in ("", "wrong", hall.bearer + "x", "\u00e9"):
        answer = await hall.post("/api/commands/pause", headers={"Authorization": f"Bearer {token}"})
        assert answer.status == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert (await hall.post("/api/commands/pause", headers=hall.director)).status == 200


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_who_guesses_too_often_is_told_how_long(hall: Hall) -> None:
    there = from_elsewhere()
    for _ in range(WRONG_PER_ADDRESS):
        assert (await hall.post("/login?token=guess", headers=there)).status == 403
    answer = await hall.post("/login?token=guess", headers=there)
    assert answer.status == 429
    assert int(answer.headers["Retry-After"]) == 3601
    assert answer.key == "web.too_many_guesses"
    wrong = {"Authorization": "Bearer guess"}
    assert (await hall.post("/api/commands/pause", headers=wrong | there)).status == 429
    hall.clock.pass_s(3600)
    assert (await hall.post("/api/commands/pause", headers=wrong | there)).status == 401


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_what_is_right_passes_however_much_was_wrong_before(hall: Hall) -> None:
    wrong = {"Authorization": "Bearer guess"}
    for number in range(2 * WRONG_OVERALL):
        there = from_elsewhere(f"198.51.100.{number}")
        answer = await hall.post("/api/commands/pause", headers=wrong | there)
        assert answer.status == (401 if number < WRONG_OVERALL else 429)
    there = from_elsewhere("198.51.100.1")
    assert (await hall.post("/api/commands/pause", headers=hall.director | there)).status == 200
    link = f"/login?token={hall.tokens.new_start_link()}"
    assert (await hall.post(link, headers=there)).status == 303
    assert (await hall.post(link, headers=there)).status == 429


def test_guesses_per_address_and_overall() -> None:
    clock = HandClock()
    throttle = GuessLimit(clock.clocks().boot_s)
    for _ in range(10):
        assert throttle.wait_s("192.0.2.1") == 0
        throttle.wrong("192.0.2.1")
        clock.pass_s(60)
    assert throttle.wait_s("192.0.2.1") == 3600 - 10 * 60
    for number in range(60 - 10):
        assert throttle.wait_s("192.0.2.2") == 0
        throttle.wrong(f"198.51.100.{number}")
    assert throttle.wait_s("192.0.2.2") > 0
    assert throttle.wait_s("127.0.0.1") == throttle.wait_s("::1") == 0
    clock.pass_s(3600)
    assert throttle.wait_s("192.0.2.1") == throttle.wait_s("192.0.2.2") == 0


def test_sessions_outlive_a_restart_and_end_after_16_hours(tmp_path: Path) -> None:
    clock = HandClock()
    session = Tokens(tmp_path, clock.clocks()).new_session()
    clock.wall += 10 * 365 * 24 * HOURS  # the wall clock jumps when the network's time arrives
    assert is_good(Tokens(tmp_path, clock.clocks()), session)
    clock.pass_s(16 * HOURS)
    assert not is_good(Tokens(tmp_path, clock.clocks()), session)


def test_sessions_outlive_a_reboot(tmp_path: Path) -> None:
    clock = HandClock()
    session = Tokens(tmp_path, clock.clocks()).new_session()
    clock.boot = 3.0
    clock.wall -= 60
    rebooted = Tokens(tmp_path, clock.clocks("boot-2"))
    assert is_good(rebooted, session)
    clock.wall += 17 * HOURS
    assert not is_good(rebooted, session)


@pytest.mark.parametrize("change", [lambda s: s[:-1] + "#", lambda s: "x" + s, lambda s: s[1:], lambda s: ""])
def test_forged_sessions_are_refused(tmp_path: Path, change: object) -> None:
    keys = Tokens(tmp_path, HandClock().clocks())
    session = keys.new_session()
    forged = change(session)  # type: ignore[operator]
    assert not is_good(keys, forged)
    assert not is_good(keys, "\udcff.\udcfe")


def test_key_files_are_private_and_stay(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    Tokens(folder, HandClock().clocks())
    kept = {name: (folder / name).read_bytes() for name in ("secret", "token")}
    assert (folder.stat().st_mode & 0o777, (folder / "secret").stat().st_mode & 0o777) == (0o700, 0o600)
    Tokens(folder, HandClock().clocks())
    assert kept == {name: (folder / name).read_bytes() for name in kept}


def test_open_or_damaged_key_files_stop_the_start(tmp_path: Path) -> None:
    Tokens(tmp_path, HandClock().clocks())
    (tmp_path / "token").chmod(0o644)
    with pytest.raises(KeyFault, match=r"token can be read by others \(mode 0644\): remove it"):
        Tokens(tmp_path, HandClock().clocks())
    (tmp_path / "token").chmod(0o600)
    (tmp_path / "token").write_text("short\n", encoding="ascii")
    with pytest.raises(KeyFault, match="token is damaged: remove it"):
        Tokens(tmp_path, HandClock().clocks())


async def test_secrets_stand_in_no_answer(hall: Hall) -> None:
    secret = (hall.folder / "web" / "secret").read_text(encoding="ascii").strip()
    for path in ("/", "/login", "/api/openapi.json", "/metrics", "/api/games", "/api/session"):
        body = (await hall.get(path, headers=hall.director)).body.decode()
        assert secret not in body
        assert hall.bearer not in body


async def test_with_a_used_link_whoever_is_logged_in_goes_on_as_who_they_are(hall: Hall) -> None:
    """*Back* on a phone leads to the address of the link again."""
    link, token = hall.tokens.links.make("judge", "Anna", "link")
    entered = await hall.post(f"/login?token={token}")
    headers = {"Cookie": f"{hall.tokens.cookie}={session_of(entered)}", "Origin": hall.url}
    for _ in range(2 * WRONG_PER_ADDRESS):
        again = await hall.ask("POST", f"/login?token={token}", headers=headers | from_elsewhere())
        assert (again.status, again.headers["Location"]) == (303, "/judge")
        assert "Set-Cookie" not in again.headers
    hall.tokens.links.revoke(link.id)
    assert (await hall.ask("POST", f"/login?token={token}", headers=headers)).status == 403


async def test_a_new_link_counts_also_where_somebody_is_logged_in(hall: Hall) -> None:
    headers = hall.as_role("judge", "Anna")
    token = hall.tokens.links.make("technician", "Ben", "link")[1]
    answer = await hall.ask("POST", f"/login?token={token}", headers=headers)
    assert (answer.headers["Location"], "Set-Cookie" in answer.headers) == ("/technician", True)


async def test_controllers_on_one_machine_have_cookies_of_their_own(tmp_path: Path) -> None:
    """Browsers send a cookie to every port of a machine; the name outlasts a restart."""
    one, other = (Tokens(tmp_path / name, HandClock().clocks()) for name in ("one", "other"))
    assert one.cookie != other.cookie
    kept = {(tmp_path / name / "token").read_bytes() for name in ("one", "other")}
    assert len(kept) == 2, "none has a token of the factory"
    assert Tokens(tmp_path / "one", HandClock().clocks()).cookie == one.cookie


@pytest.mark.parametrize("language", ["en", "de", "es", "pt", "pt-BR", "pl"])
async def test_who_is_refused_in_a_browser_gets_a_page_in_the_own_language_with_a_way_on(
    hall: Hall, language: str
) -> None:
    browser = {"Accept": "text/html", "Origin": hall.url}
    judge = browser | {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session('judge')}"}
    chosen = f"lang={language}"
    cases = (
        ("POST", f"/login?token=used&{chosen}", browser, 403, "web.link_used_up", ["/login", "/"]),
        ("GET", f"/technician?{chosen}", judge, 403, "web.other_role", ["/judge", "/"]),
        ("GET", f"/nowhere?{chosen}", browser, 404, "web.no_such_page", ["/"]),
    )
    for method, path, headers, status, key, ways in cases:
        answer = await hall.ask(method, path, headers=headers | from_elsewhere())
        page = answer.body.decode()
        assert (answer.status, f'<html lang="{language}"' in page) == (status, True)
        assert html.escape(words(Sentence.of(key, {}), language)) in page
        assert re.findall(r'<a href="([^"]*)"', page) == [f"{way}?{chosen}" for way in ways]


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
    "/api/desk",
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


async def test_every_socket_that_needs_a_log_in_is_held_to_it(hall: Hall) -> None:
    rows = [row for row in hall.side.rows if row.kind == "socket" and row.access != "public"]
    assert {row.path for row in rows} == set(SOCKETS)


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_the_end_of_all_sessions_closes_a_socket_at_once(hall: Hall) -> None:
    session = cookie(hall, hall.tokens.new_session())
    async with hall.socket("/api/tables/feed", headers=session):
        (transport,) = hall.limiter._connections
        hall.side.sweep()
        assert not transport.is_closing()
        await end_all(hall, "")
        assert transport.is_closing()


@pytest.mark.served(trusted_proxies=LOOPBACK)
@paired(path=list(SOCKETS), end=[log_out, end_all, outlast, spoil])
async def test_a_socket_ends_with_the_session(
    hall: Hall, path: str, end: Callable[[Hall, str], object]
) -> None:
    mine, other = hall.tokens.new_session(), hall.tokens.new_session()
    async with (
        hall.socket(path, headers=cookie(hall, mine)) as ended,
        hall.socket("/api/tables/feed", headers=cookie(hall, other)) as kept,
    ):
        await end(hall, mine)  # type: ignore[misc]
        while (message := await ended.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
        assert (message.type, ended.close_code) == (aiohttp.WSMsgType.CLOSE, ENDED)
        assert not kept.closed
        hall.side.sweep()
        await until(lambda: len(hall.side.broadcasters["tables"]) == (1 if end is log_out else 0))


async def test_a_hardware_test_ends_with_the_session_that_holds_it(hall: Hall) -> None:
    session = hall.tokens.new_session()
    async with hall.socket("/api/hardware/feed", headers=cookie(hall, session)) as page:
        assert (await page.receive_json())["held"] is True
        await until(lambda: hall.core.test_watched)
        await log_out(hall, session)
        await until(lambda: not hall.core.test_watched)


async def test_ending_all_sessions_ends_links_and_tokens_too(hall: Hall) -> None:
    before = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
    link = f"/login?token={hall.tokens.new_start_link()}"
    assert (await hall.get("/api/session", headers=before)).json["director"]
    assert (await hall.get("/api/tables", headers=hall.director)).status == 200
    end_all_sessions(hall.folder / "web")
    hall.tokens.look()
    assert list(hall.tokens.links.all()) == []
    assert not (await hall.get("/api/session", headers=before)).json["director"]
    assert (await hall.post(link)).status == 403
    assert (await hall.get("/api/tables", headers=hall.director)).status == 401
    fresh = (hall.folder / "web" / "token").read_text(encoding="ascii").strip()
    assert (await hall.get("/api/tables", headers={"Authorization": f"Bearer {fresh}"})).status == 200
    assert (await hall.post(f"/login?token={hall.tokens.new_start_link()}")).status == 303
    after = {"Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session()}"}
    assert (await hall.get("/api/session", headers=after)).json["director"]


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_who_does_not_read_is_cut_off_all_the_same(hall: Hall) -> None:
    """The reason cannot leave, and the hardware test must not last until it does."""
    session = hall.tokens.new_session()
    async with hall.socket("/api/tables/feed", headers=cookie(hall, session)) as deaf:
        transport = deaf._response.connection.transport  # type: ignore[union-attr]
        transport.pause_reading()  # type: ignore[union-attr]
        tables = hall.side.broadcasters["tables"]
        (listener,) = tables._listeners
        while not listener.transport.get_write_buffer_size():
            listener.transport.write(b"\x81\x7f" + (1 << 20).to_bytes(8, "big") + bytes(1 << 20))
        await log_out(hall, session)
        await until(lambda: len(tables) == 0)
        transport.resume_reading()  # type: ignore[union-attr]
