from pathlib import Path

import pytest

from pi_controller.flashing.ledger import NAME, Entry, add, entries


def entry(uid: str, when: str = "2026-11-21T10:00:00+00:00") -> Entry:
    return Entry(
        when=when, uid=uid, firmware="0.1.0", micropython="1.25.0", machine="Raspberry Pi Pico with RP2040"
    )


def test_the_newest_of_each_pico_is_listed(tmp_path: Path) -> None:
    for one in (entry("a"), entry("b"), entry("a", "2026-11-22T10:00:00+00:00")):
        add(tmp_path / "state", one)
    assert entries(tmp_path / "state") == (entry("b"), entry("a", "2026-11-22T10:00:00+00:00"))


def test_no_list_yet(tmp_path: Path) -> None:
    assert entries(tmp_path) == ()


def test_a_torn_line_is_left_out(tmp_path: Path) -> None:
    add(tmp_path, entry("a"))
    with (tmp_path / NAME).open("a") as file:
        file.write("2026-11-21,torn")
    assert entries(tmp_path) == (entry("a"),)


def test_a_list_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(IsADirectoryError):
        add(tmp_path, entry("a"))
