"""Links for one device: with role and name, used once, listed, revoked, from another process too."""

from pathlib import Path

import pytest

from pi_controller.web.http.access import (
    LINK_LASTS_S,
    LINKS_FILE,
    MOST_LINKS,
    SESSION_LASTS_S,
    KeyFault,
    LinkBook,
)
from tests.web.hall import HandClock


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
