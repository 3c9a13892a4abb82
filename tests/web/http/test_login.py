"""Log-in: links work once, sessions outlive a restart, guesses are throttled."""

import html
import re
from pathlib import Path

import pytest
from msgspec import to_builtins

from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.software import own
from pi_controller.web.http.access import Credential, KeyFault, Tokens
from pi_controller.web.http.limits import WRONG_OVERALL, WRONG_PER_ADDRESS, GuessLimit
from tests.web.hall import LOOPBACK, HandClock, from_elsewhere, served

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


async def test_a_link_logs_in_once(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        link = f"/login?token={hall.tokens.new_start_link()}"
        answer = await hall.post(link)
        assert (answer.status, answer.headers["Location"]) == (303, "/director")
        cookie = answer.headers["Set-Cookie"]
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        headers = {"Cookie": f"{hall.tokens.cookie}={session_of(answer)}"}
        assert (await hall.get("/director", headers=headers)).status == 200
        assert (await hall.get("/api/session", headers=headers)).json == {
            "director": True,
            "role": "director",
            "name": "",
            "number": 0,
            "ends_in_s": 16 * 3600,
            "pin": False,
            "hall": "Town hall",
            "software": SOFTWARE,
        }
        again = await hall.post(link)
        assert again.status == 403
        assert "used up" in again.json["error"]
        assert "Set-Cookie" not in again.headers


async def test_a_link_leads_on_in_the_language_of_its_address(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        answer = await hall.post(f"/login?token={hall.tokens.new_start_link()}&lang=de")
        assert (answer.status, answer.headers["Location"]) == (303, "/director?lang=de")


async def test_a_preview_does_not_use_a_link_up(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        link = f"/login?token={hall.tokens.new_start_link()}"
        for method in ("GET", "HEAD", "GET"):
            looked = await hall.ask(method, link)
            assert looked.status == 200
            assert "Set-Cookie" not in looked.headers
        assert (await hall.post(link)).status == 303


async def test_for_guests_no_key_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are many, and they show nothing that could be right."""
    looked: list[str] = []
    async with served(tmp_path) as hall:
        person = hall.tokens.person
        monkeypatch.setattr(hall.tokens, "person", lambda shown: looked.append(shown.value) or person(shown))
        assert (await hall.get("/api/state")).status == 200
        assert looked == []
        assert (
            await hall.get("/api/state", headers={"Cookie": f"{hall.tokens.cookie}=invented"})
        ).status == 200
        assert looked == ["invented"]


@pytest.mark.parametrize("kind", ["json", "data"])
async def test_a_token_may_be_sent_as_json_or_as_a_form(tmp_path: Path, kind: str) -> None:
    async with served(tmp_path) as hall:
        token = hall.tokens.new_start_link()
        for nothing in ({"token": ""}, {"word": token}):
            refused = await hall.ask("POST", "/login", **{kind: nothing})
            assert refused.status == 422
            assert "This log-in link is not whole" in refused.json["error"]
        assert (
            hall.tokens.cookie
            in (await hall.ask("POST", "/login", **{kind: {"token": token}})).headers["Set-Cookie"]
        )


async def test_another_site_cannot_use_a_link(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        link = f"/login?token={hall.tokens.new_start_link()}"
        assert (await hall.ask("POST", link, headers={"Origin": "http://evil.example"})).status == 403
        assert (await hall.ask("POST", link, headers={"Origin": hall.url})).status == 303


async def test_a_link_expires_after_12_hours(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        token = hall.tokens.new_start_link()
        hall.clock.pass_s(12 * HOURS)
        assert (await hall.post(f"/login?token={token}")).status == 403


async def test_the_log_in_page_and_the_way_to_it(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        assert b"login" in (await hall.get("/login")).body
        assert (await hall.get("/api/session")).json == NOBODY


async def test_logout_ends_the_session_for_good(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        session, other = hall.tokens.new_session(), hall.tokens.new_session()
        headers = {"Cookie": f"{hall.tokens.cookie}={session}", "Origin": hall.url}
        answer = await hall.post("/api/logout", headers=headers)
        assert (answer.status, answer.json) == (200, NOBODY)
        assert (await hall.post("/api/commands/pause", headers=headers)).status == 401
        restarted = Tokens(tmp_path / "web", hall.clock.clocks())
        assert not is_good(restarted, session)
        assert is_good(restarted, other)


async def test_wrong_bearer_tokens_are_401(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for token in ("", "wrong", hall.bearer + "x", "\u00e9"):
            answer = await hall.post("/api/commands/pause", headers={"Authorization": f"Bearer {token}"})
            assert answer.status == 401
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert (await hall.post("/api/commands/pause", headers=hall.director)).status == 200


async def test_loopback_is_never_locked_out(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for _ in range(2 * WRONG_OVERALL):
            assert (await hall.post("/login?token=guess")).status == 403
        assert (await hall.post(f"/login?token={hall.tokens.new_start_link()}")).status == 303


async def test_who_guesses_too_often_is_told_how_long(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        there = from_elsewhere()
        for _ in range(WRONG_PER_ADDRESS):
            assert (await hall.post("/login?token=guess", headers=there)).status == 403
        answer = await hall.post("/login?token=guess", headers=there)
        assert answer.status == 429
        assert int(answer.headers["Retry-After"]) == 3601
        assert "Too many wrong tokens" in answer.json["error"]
        wrong = {"Authorization": "Bearer guess"}
        assert (await hall.post("/api/commands/pause", headers=wrong | there)).status == 429
        hall.clock.pass_s(3600)
        assert (await hall.post("/api/commands/pause", headers=wrong | there)).status == 401


async def test_what_is_right_passes_however_much_was_wrong_before(tmp_path: Path) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
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


async def test_secrets_stand_in_no_answer(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        secret = (tmp_path / "web" / "secret").read_text(encoding="ascii").strip()
        for path in ("/", "/login", "/api/openapi.json", "/metrics", "/api/games", "/api/session"):
            body = (await hall.get(path, headers=hall.director)).body.decode()
            assert secret not in body
            assert hall.bearer not in body


def test_hall_has_no_default_token(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        Tokens(folder, HandClock().clocks())
    assert (first / "token").read_bytes() != (second / "token").read_bytes()


async def test_with_a_used_link_whoever_is_logged_in_goes_on_as_who_they_are(tmp_path: Path) -> None:
    """*Back* on a phone leads to the address of the link again."""
    async with served(tmp_path) as hall:
        link, token = hall.tokens.links.make("judge", "Anna", "link")
        entered = await hall.post(f"/login?token={token}")
        headers = {"Cookie": f"{hall.tokens.cookie}={session_of(entered)}", "Origin": hall.url}
        for _ in range(2 * WRONG_PER_ADDRESS):
            again = await hall.ask("POST", f"/login?token={token}", headers=headers | from_elsewhere())
            assert (again.status, again.headers["Location"]) == (303, "/judge")
            assert "Set-Cookie" not in again.headers
        hall.tokens.links.revoke(link.id)
        assert (await hall.ask("POST", f"/login?token={token}", headers=headers)).status == 403


async def test_a_new_link_counts_also_where_somebody_is_logged_in(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        headers = {
            "Cookie": f"{hall.tokens.cookie}={hall.tokens.new_session('judge', 'Anna')}",
            "Origin": hall.url,
        }
        token = hall.tokens.links.make("technician", "Ben", "link")[1]
        answer = await hall.ask("POST", f"/login?token={token}", headers=headers)
        assert (answer.headers["Location"], "Set-Cookie" in answer.headers) == ("/technician", True)


async def test_controllers_on_one_machine_have_cookies_of_their_own(tmp_path: Path) -> None:
    """Browsers send a cookie to every port of a machine; the name outlasts a restart."""
    one, other = (Tokens(tmp_path / name, HandClock().clocks()) for name in ("one", "other"))
    assert one.cookie != other.cookie
    assert Tokens(tmp_path / "one", HandClock().clocks()).cookie == one.cookie


@pytest.mark.parametrize("language", ["en", "de", "es", "pt", "pt-BR", "pl"])
async def test_who_is_refused_in_a_browser_gets_a_page_in_the_own_language_with_a_way_on(
    tmp_path: Path, language: str
) -> None:
    async with served(tmp_path) as hall:
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
