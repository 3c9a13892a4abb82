"""Log-in by PIN: what is kept, who gets in, and how often may be guessed."""

import asyncio
import logging
from pathlib import Path

import pytest

from pi_controller.web.keys import KeyFault, Keys, end_all_sessions
from pi_controller.web.login import COOKIE
from pi_controller.web.pin import PinFault, PinFile, is_pin, new_pin
from pi_controller.web.throttle import WRONG_OVERALL, WRONG_PER_ADDRESS
from tests.web.hall import HandClock, served

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
        assert (await hall.get("/api/session")).json == {"director": False, "pin": True, "hall": "Town hall"}
        answer = await hall.post("/api/pin", {"pin": PIN})
        assert (answer.status, answer.json) == (200, {"director": True, "pin": True, "hall": "Town hall"})
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
    monkeypatch.setattr("pi_controller.web.throttle.is_loopback", lambda _address: False)
    looked_at: list[str] = []
    monkeypatch.setattr(PinFile, "matches", lambda _self, pin: looked_at.append(pin))
    caplog.set_level(logging.WARNING)
    async with served(tmp_path) as hall:
        keep(tmp_path)
        guesses = [hall.post("/api/pin", {"pin": f"{number:06}"}) for number in range(30)]
        answers = await asyncio.gather(*guesses)
        assert sorted(answer.status for answer in answers) == [403] * 10 + [429] * 20
        assert len(looked_at) == WRONG_PER_ADDRESS
        told = [request["wrong"] for request in hall.core.asked("pin_guesses")]
        assert told == list(range(1, WRONG_PER_ADDRESS + 1))
        locked_out = next(answer for answer in answers if answer.status == 429)
        assert int(locked_out.headers["Retry-After"]) == 3601
        assert (await hall.post(f"/login?token={hall.keys.new_link_token()}")).status == 303
        hall.clock.pass_s(3600)
        assert (await hall.post("/api/pin", {"pin": PIN})).status == 403
    assert not any(guess in caplog.text for guess in looked_at)


async def test_a_guess_is_refused_as_ever_while_core_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pi_controller.web.throttle.is_loopback", lambda _address: False)
    async with served(tmp_path) as hall:
        keep(tmp_path)
        await hall.core.stop()
        assert (await hall.post("/api/pin", {"pin": "493028"})).status == 403
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


async def test_a_new_pin_can_end_all_sessions(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        session = {"Cookie": f"{COOKIE}={hall.keys.new_session()}"}
        assert (await hall.get("/api/session", headers=session)).json["director"]
        end_all_sessions(tmp_path / "web")
        assert not (await hall.get("/api/session", headers=session)).json["director"]
        fresh = {"Cookie": f"{COOKIE}={hall.keys.new_session()}"}
        assert (await hall.get("/api/session", headers=fresh)).json["director"]


def test_a_key_file_that_is_spoilt_while_it_runs(tmp_path: Path) -> None:
    keys = Keys(tmp_path, HandClock().clocks())
    session = keys.new_session()
    (tmp_path / "secret").write_text("short")
    with pytest.raises(KeyFault, match="secret is damaged"):
        keys.is_session(session)
    (tmp_path / "secret").unlink()
    with pytest.raises(KeyFault, match="is gone: start the pages again"):
        keys.is_session(session)


async def test_a_spoilt_key_file_is_told_to_who_asks(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        session = hall.keys.new_session()
        (tmp_path / "web" / "secret").unlink()
        answer = await hall.get("/api/session", headers={"Cookie": f"{COOKIE}={session}"})
        assert answer.status == 503
        assert "is gone" in answer.json["error"]
