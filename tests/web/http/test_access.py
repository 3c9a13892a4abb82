"""What lets somebody in, as files keep it: links for one device, people and their numbers, the PIN."""

import asyncio
import logging
from pathlib import Path

import pytest

from pi_controller.web.http.access import (
    A_DAY_S,
    LINK_LASTS_S,
    LINKS_FILE,
    MOST_LINKS,
    PEOPLE_FILE,
    SESSION_LASTS_S,
    Credential,
    KeyFault,
    LinkBook,
    People,
    PinFault,
    PinFile,
    Tokens,
    is_pin,
    new_pin,
)
from pi_controller.web.http.limits import WRONG_OVERALL, WRONG_PER_ADDRESS
from tests.web.hall import LOOPBACK, Hall, HandClock, from_elsewhere, served, until


def book(folder: Path, clock: HandClock | None = None, key: str = "k") -> LinkBook:
    return LinkBook(folder, (clock or HandClock()).clocks(), lambda token: f"{key}-{token}")


def test_a_link_lets_one_device_in_once(tmp_path: Path) -> None:
    links = book(tmp_path)
    link, token = links.make("judge", "Anna", "link")
    assert links.device(token) is None
    entered, cookie = links.enter(token) or pytest.fail("the link is good")
    assert (entered.id, entered.role, entered.name, entered.used) == (link.id, "judge", "Anna", True)
    assert links.device(cookie) == entered
    assert links.enter(token) is None
    assert links.enter(cookie) is None


def test_a_link_lasts_and_then_its_device(tmp_path: Path) -> None:
    clock = HandClock()
    links = book(tmp_path, clock)
    unused, used = links.make("judge", "Anna", "link")[1], links.make("judge", "Ben", "link")[1]
    clock.pass_s(LINK_LASTS_S - 1)
    _, cookie = links.enter(used) or pytest.fail("the link is good")
    clock.pass_s(1)
    assert links.enter(unused) is None
    assert [link.name for link in links.all()] == ["Ben"]
    clock.pass_s(SESSION_LASTS_S - 2)
    assert links.left_s(links.all()[0]) == 1
    clock.pass_s(1)
    assert links.device(cookie) is None
    assert links.all() == ()


def test_what_another_process_makes_and_revokes_counts_once_it_is_looked_at(tmp_path: Path) -> None:
    web, command_line = book(tmp_path), book(tmp_path)
    link, token = command_line.make("technician", "Cy", "link")
    _, cookie = web.enter(token) or pytest.fail("the link is good")
    command_line.look()
    assert [each.used for each in command_line.all()] == [True]
    assert command_line.revoke(link.id)
    web.look()
    assert web.device(cookie) is None
    assert not web.revoke(link.id)


def test_a_start_takes_only_unused_links_of_earlier_starts_back(tmp_path: Path) -> None:
    links = book(tmp_path)
    kept = links.make("judge", "Anna", "link")[1]
    first = links.make("director", "", "start")[1]
    _, cookie = links.enter(first) or pytest.fail("the link is good")
    second = links.make("director", "", "start")[1]
    links.make("director", "", "start")
    assert links.enter(second) is None
    assert links.device(cookie) is not None
    assert links.enter(kept) is not None


def test_unused_links_give_way_when_there_are_too_many(tmp_path: Path) -> None:
    links = book(tmp_path)
    cookie = links.let_in("director", "")
    tokens = [links.make("judge", str(number), "link")[1] for number in range(MOST_LINKS)]
    assert len(links.all()) == MOST_LINKS
    assert links.enter(tokens[0]) is None
    assert links.enter(tokens[-1]) is not None
    assert links.device(cookie) is not None


def test_the_book_names_no_token_and_is_private(tmp_path: Path) -> None:
    links = LinkBook(tmp_path, HandClock().clocks(), lambda token: str(len(token)))
    _, token = links.make("judge", "Anna", "link")
    kept = tmp_path / LINKS_FILE
    assert token not in kept.read_text(encoding="utf-8")
    assert kept.stat().st_mode & 0o777 == 0o600


def test_another_key_ends_all(tmp_path: Path) -> None:
    token = book(tmp_path).make("judge", "Anna", "link")[1]
    assert book(tmp_path, key="other").enter(token) is None


@pytest.mark.parametrize("content", [b"[{", b'[{"id": 1}]', b"\xff"])
def test_a_damaged_book_is_a_fault_with_its_remedy(tmp_path: Path, content: bytes) -> None:
    links = book(tmp_path)
    links.make("judge", "Anna", "link")
    (tmp_path / LINKS_FILE).write_bytes(content)
    links.look()
    with pytest.raises(KeyFault, match="links is damaged: remove it"):
        links.all()
    with pytest.raises(KeyFault):
        book(tmp_path)


def people(folder: Path, clock: HandClock) -> People:
    return People(folder, clock.clocks().wall_s)


def test_a_person_keeps_the_number_on_every_device_and_over_a_restart(tmp_path: Path) -> None:
    clock = HandClock()
    assert people(tmp_path, clock).number_of("director", "Bea") == 1
    assert people(tmp_path, clock).number_of("judge", "Bea") == 2
    assert people(tmp_path, clock).number_of("director", "Bea") == 1
    assert people(tmp_path, clock).number_of("director", "") == 0
    assert people(tmp_path, clock).name_of(2) == "Bea"
    assert people(tmp_path, clock).sources() == {
        "web:director:1": "web:Bea",
        "web:judge:2": "web:judge:Bea",
    }
    assert (tmp_path / PEOPLE_FILE).stat().st_mode & 0o777 == 0o600


def test_names_go_with_the_last_game_that_they_may_stand_for_and_numbers_do_not_come_again(
    tmp_path: Path,
) -> None:
    clock = HandClock()
    book = people(tmp_path, clock)
    book.number_of("judge", "Anna")
    clock.pass_s(10 * A_DAY_S)
    book.number_of("judge", "Ben")
    book.forget(keep_days=0)
    assert book.name_of(1) == "Anna"
    clock.pass_s(21.5 * A_DAY_S)
    book.forget(keep_days=30)
    assert (book.name_of(1), book.name_of(2)) == ("", "Ben")
    assert "Anna" not in (tmp_path / PEOPLE_FILE).read_text(encoding="utf-8")
    assert book.number_of("judge", "Anna") == 3


def test_a_damaged_file_holds_no_names_and_gives_no_number_twice(tmp_path: Path) -> None:
    clock = HandClock()
    book = people(tmp_path, clock)
    book.number_of("judge", "Anna")
    (tmp_path / PEOPLE_FILE).write_bytes(b"[{")
    book.look()
    assert book.name_of(1) == ""
    assert book.number_of("judge", "Ben") == int(clock.wall)


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


async def test_the_pin_logs_in_as_the_link_does(hall: Hall) -> None:
    nobody = await hall.post("/api/pin", {"pin": PIN})
    assert (nobody.status, nobody.key) == (404, "web.no_pin")
    keep(hall.folder)
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


async def test_what_is_no_pin_is_no_guess(hall: Hall) -> None:
    keep(hall.folder)
    for body in ({"pin": "12345"}, {"pin": 123456}, {}, [PIN]):
        assert (await hall.post("/api/pin", body)).status == 422


async def test_a_damaged_pin_file_is_told(hall: Hall) -> None:
    keep(hall.folder).path.write_text("?")
    answer = await hall.post("/api/pin", {"pin": PIN})
    assert (answer.status, answer.key) == (503, "web.pin_file_damaged")


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
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PinFile, "matches", lambda _self, pin: pin == PIN)
    keep(hall.folder)
    for _ in range(WRONG_OVERALL + 1):
        assert (await hall.post("/api/pin", {"pin": "000000"})).status == 403
    assert hall.core.asked("pin_guesses") == []
    assert (await hall.post("/api/pin", {"pin": PIN})).status == 200


@pytest.mark.served(trusted_proxies=LOOPBACK)
async def test_pins_may_be_guessed_sixty_times_an_hour_in_all(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten from one address, sixty from all together, whoever asks; a right one is refused meanwhile, too."""
    monkeypatch.setattr(PinFile, "matches", lambda _self, pin: pin == PIN)
    keep(hall.folder)

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


async def test_a_spoilt_key_file_is_told_to_who_asks(hall: Hall) -> None:
    session = hall.tokens.new_session()
    (hall.folder / "web" / "secret").unlink()
    hall.tokens.look()
    answer = await hall.get("/api/session", headers={"Cookie": f"{hall.tokens.cookie}={session}"})
    assert (answer.status, answer.key) == (503, "web.key_file_gone")
