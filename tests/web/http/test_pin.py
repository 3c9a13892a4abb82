"""Log-in by PIN: what is kept, who gets in, and how often may be guessed."""

import asyncio
import logging
from pathlib import Path

import pytest

from pi_controller.web.http.access import Credential, KeyFault, PinFault, PinFile, Tokens, is_pin, new_pin
from pi_controller.web.http.limits import WRONG_OVERALL, WRONG_PER_ADDRESS
from tests.web.hall import LOOPBACK, HandClock, from_elsewhere, served, until

PIN = "493027"


def keep(folder: Path, pin: str = PIN) -> PinFile:
    file = PinFile(folder / "web")
    file.keep(pin)
    return file


def test_only_a_salted_hash_is_kept_in_a_private_file(tmp_path: Path) -> None:
    first = keep(tmp_path).path.read_bytes()
    assert PIN.encode() not in first
    assert PinFile(tmp_path / "web").path.stat().st_mode & 0o777 == 0o600
    assert keep(tmp_path).path.read_bytes() != first
    assert PinFile(tmp_path / "web").matches(PIN)
    assert not PinFile(tmp_path / "web").matches("493028")


def test_a_pin_can_be_taken_away(tmp_path: Path) -> None:
    file = PinFile(tmp_path / "web")
    assert not file.remove()
    file.keep(PIN)
    assert file.is_set()
    assert file.remove()
    assert not file.matches(PIN)


def test_a_pin_file_that_others_can_read_or_that_is_damaged_is_refused(tmp_path: Path) -> None:
    file = keep(tmp_path)
    file.path.chmod(0o644)
    with pytest.raises(PinFault, match=r"can be read by others \(mode 0644\): make a new PIN"):
        file.matches(PIN)
    file.path.chmod(0o600)
    for text in ("", "scrypt", "scrypt 00 00", "plain " + "00" * 16 + " " + "00" * 32, "scrypt x y"):
        file.path.write_text(text)
        with pytest.raises(PinFault, match="is damaged: make a new PIN"):
            file.matches(PIN)


def test_a_pin_is_none_that_everybody_tries_first(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter((123456, 0, 7))
    monkeypatch.setattr("secrets.randbelow", lambda _count: next(drawn))
    assert new_pin() == "000007"


def test_pins_are_six_digits() -> None:
    assert all(is_pin(new_pin()) for _ in range(50))
    assert len({new_pin() for _ in range(50)}) > 10
    assert not any(map(is_pin, ("12345", "1234567", "12345a", "١٢٣٤٥٦", 123456, None)))


async def test_the_pin_logs_in_as_the_link_does(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        nobody = await hall.post("/api/pin", {"pin": PIN})
        assert nobody.status == 404
        assert "There is no PIN here" in nobody.json["error"]
        keep(tmp_path)
        while not (nobody := (await hall.get("/api/session")).json)["pin"]:
            continue  # the file is looked at twice a second
        assert (nobody["director"], nobody["role"]) == (False, None)
        answer = await hall.post("/api/pin", {"pin": PIN})
        assert answer.status == 200
        assert (answer.json["director"], answer.json["role"], answer.json["name"]) == (True, "director", "")
        cookie = answer.headers["Set-Cookie"]
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        assert (await hall.get("/technician", headers={"Cookie": cookie.split(";")[0]})).status == 200
        foreign = {"Origin": "http://evil.example"}
        assert (await hall.post("/api/pin", {"pin": PIN}, headers=foreign)).status == 403


async def test_what_is_no_pin_is_no_guess(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        keep(tmp_path)
        for body in ({"pin": "12345"}, {"pin": 123456}, {}, [PIN]):
            assert (await hall.post("/api/pin", body)).status == 422


async def test_a_damaged_pin_file_is_told(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        keep(tmp_path).path.write_text("?")
        answer = await hall.post("/api/pin", {"pin": PIN})
        assert answer.status == 503
        assert "is damaged: make a new PIN" in answer.json["error"]


async def test_guesses_at_once_do_not_slip_past_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Fault W11: at most 10 wrong PINs an hour from one address, however many come at once."""
    looked_at: list[str] = []
    monkeypatch.setattr(PinFile, "matches", lambda _self, pin: looked_at.append(pin))
    caplog.set_level(logging.WARNING)
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        keep(tmp_path)
        there = from_elsewhere()
        guesses = [hall.post("/api/pin", {"pin": f"{number:06}"}, headers=there) for number in range(30)]
        answers = await asyncio.gather(*guesses)
        assert sorted(answer.status for answer in answers) == [403] * 10 + [429] * 20
        assert len(looked_at) == WRONG_PER_ADDRESS
        told = [request["wrong"] for request in hall.core.asked("pin_guesses")]
        assert told == list(range(1, WRONG_PER_ADDRESS + 1))
        locked_out = next(answer for answer in answers if answer.status == 429)
        assert int(locked_out.headers["Retry-After"]) == 3601
        link = f"/login?token={hall.tokens.new_start_link()}"
        assert (await hall.post(link, headers=there)).status == 303
        hall.clock.pass_s(3600)
        assert (await hall.post("/api/pin", {"pin": PIN}, headers=there)).status == 403
    assert not any(guess in caplog.text for guess in looked_at)


async def test_the_right_pin_goes_before_the_guesses_of_another_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine guesses wait in line when it comes; the one that is looked at already, and the next, it may wait for."""
    looked_at: list[str] = []
    matches = PinFile.matches

    def noted(file: PinFile, pin: str) -> bool:
        looked_at.append(pin)
        return matches(file, pin)

    monkeypatch.setattr(PinFile, "matches", noted)
    keep(tmp_path)
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:

        async def ask(pin: str, address: str) -> int:
            return (await hall.post("/api/pin", {"pin": pin}, headers=from_elsewhere(address))).status

        guesses = [asyncio.create_task(ask(f"11111{number}", "198.51.100.1")) for number in range(9)]
        await until(lambda: len(looked_at) == 1)
        assert await ask(PIN, "192.0.2.1") == 200
        assert looked_at.index(PIN) <= 2
        assert {await guess for guess in guesses} == {403}
        assert len(looked_at) == 10


async def test_a_guess_is_refused_as_ever_while_core_is_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        keep(tmp_path)
        await hall.core.stop()
        assert (await hall.post("/api/pin", {"pin": "493028"}, headers=from_elsewhere())).status == 403
        await hall.core.start()
    assert "core was not told of it: No controller answers" in caplog.text


async def test_the_kiosk_on_this_machine_is_not_locked_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PinFile, "matches", lambda _self, pin: pin == PIN)
    async with served(tmp_path) as hall:
        keep(tmp_path)
        for _ in range(WRONG_OVERALL + 1):
            assert (await hall.post("/api/pin", {"pin": "000000"})).status == 403
        assert hall.core.asked("pin_guesses") == []
        assert (await hall.post("/api/pin", {"pin": PIN})).status == 200


async def test_pins_may_be_guessed_sixty_times_an_hour_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten from one address, sixty from all together, whoever asks; a right one is refused meanwhile, too."""
    monkeypatch.setattr(PinFile, "matches", lambda _self, pin: pin == PIN)
    async with served(tmp_path, trusted_proxies=LOOPBACK) as hall:
        keep(tmp_path)

        async def tried(address: str, pin: str = "000000") -> int:
            return (await hall.post("/api/pin", {"pin": pin}, headers=from_elsewhere(address))).status

        assert [await tried("192.0.2.1") for _ in range(11)] == [403] * 10 + [429]
        assert [await tried(f"198.51.100.{number}") for number in range(51)] == [403] * 50 + [429]
        assert await tried("203.0.113.1", PIN) == 429
        assert hall.core.asked("pin_guesses")[-1]["wrong"] == 60
        hall.clock.pass_s(3599)
        assert await tried("203.0.113.1", PIN) == 429
        hall.clock.pass_s(1)
        assert await tried("203.0.113.1", PIN) == 200


def test_a_key_file_that_is_spoilt_while_it_runs(tmp_path: Path) -> None:
    keys = Tokens(tmp_path, HandClock().clocks())
    session = keys.new_session()
    (tmp_path / "secret").write_text("short")
    keys.look()
    with pytest.raises(KeyFault, match="secret is damaged"):
        keys.person(Credential("session", session))
    (tmp_path / "secret").unlink()
    keys.look()
    with pytest.raises(KeyFault, match="is gone: start the pages again"):
        keys.person(Credential("session", session))


async def test_a_spoilt_key_file_is_told_to_who_asks(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        session = hall.tokens.new_session()
        (tmp_path / "web" / "secret").unlink()
        hall.tokens.look()
        answer = await hall.get("/api/session", headers={"Cookie": f"{hall.tokens.cookie}={session}"})
        assert answer.status == 503
        assert "is gone" in answer.json["error"]
