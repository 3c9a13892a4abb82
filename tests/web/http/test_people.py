"""Numbers stand for people wherever others may read; names are kept apart, and go."""

from pathlib import Path

from pi_controller.web.http.access import A_DAY_S, PEOPLE_FILE, People
from tests.web.hall import HandClock


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
