import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_controller.game.claims import board_key
from pi_controller.language.words import all_words
from pi_controller.roster import model
from pi_controller.roster.model import Board, Roster, RosterFault, Row
from pi_controller.roster.store import LARGEST_FILE, RosterStore, from_file, from_text, to_json, to_toml

NAMES = st.text("ABCabc019-", min_size=1, max_size=6)
NODES = st.text("0123456789abcdef", min_size=16, max_size=16)


@st.composite
def rosters(draw: st.DrawFn) -> Roster:
    names = iter(draw(st.lists(NAMES, unique_by=board_key, min_size=9, max_size=9)))
    nodes = iter(draw(st.lists(st.none() | NODES, unique_by=lambda n: n or object(), min_size=9, max_size=9)))
    sizes = draw(st.lists(st.integers(0, 3), max_size=3))
    rows = [
        Row(
            name=f"R{number}",
            shape=draw(st.sampled_from(["straight", "angled", "ring"])),
            angle=draw(st.integers(0, 90)),
            boards=tuple(
                Board(name=next(names), node=next(nodes), swapped=draw(st.booleans())) for _ in range(size)
            ),
        )
        for number, size in enumerate(sizes)
    ]
    return Roster(rows=tuple(rows))


@given(rosters())
def test_text_reads_back_as_the_same_roster(roster: Roster) -> None:
    assert from_text(to_json(roster), toml=False) == roster
    assert from_text(to_toml(roster), toml=True) == roster


def told(path: Path) -> str:
    with pytest.raises(RosterFault) as caught:
        from_file(path)
    return all_words(caught.value.problems)[0]


def test_a_file_that_is_none_is_told_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "hall.toml"
    assert told(path) == f"{path} cannot be read (No such file or directory): check its name."
    path.write_text("rows = [")
    assert told(path).startswith(f"{path}: It is not TOML: ")
    path.write_bytes(b"# \xff")
    assert told(path) == f"{path}: It is not UTF-8: save it as UTF-8."
    path.write_bytes(b"#" * (LARGEST_FILE + 1))
    assert told(path) == f"{path}: It is larger than {LARGEST_FILE} bytes: name the roster's file itself."
    os.mkfifo(tmp_path / "pipe")
    assert told(tmp_path / "pipe") == f"{tmp_path / 'pipe'}: It is not a file: name the roster's file itself."
    broken = tmp_path / "hall.json"
    broken.write_text("{")
    assert told(broken).startswith(f"{broken}: It is not JSON: ")
    broken.write_text("[" * 200_000)
    assert told(broken) == f"{broken}: It is nested too deeply: a roster has rows, and rows have boards."


ROSTER = model.place(model.new_roster(2, 2), "A1", "0" * 16)


def test_a_roster_is_kept(tmp_path: Path) -> None:
    store = RosterStore(tmp_path)
    assert store.load() is None
    store.save(model.new_roster(1, 1))
    store.save(ROSTER)
    assert store.load() == ROSTER
    assert [path.name for path in tmp_path.iterdir()] == ["roster.json"]


@pytest.mark.parametrize("text", ["", "{", '{"rows": [{"name": "A"}, {"name": "A"}]}', "\0", "[" * 100_000])
def test_a_broken_file_is_kept_aside_and_told(tmp_path: Path, text: str) -> None:
    store = RosterStore(tmp_path)
    store.path.write_text(text)
    with pytest.raises(RosterFault) as caught:
        store.load()
    first, *rest = all_words(caught.value.problems)
    assert first.startswith("The roster cannot be used, so no table has a board: import it again. It is in")
    assert rest
    assert (tmp_path / "roster.broken-1").read_text() == text
    assert store.load() is None
    store.path.write_text("{")
    with pytest.raises(RosterFault, match=r"roster\.broken-2"):
        store.load()


def test_the_old_roster_stays_when_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RosterStore(tmp_path)
    store.save(ROSTER)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.save(model.new_roster(1, 1))
    assert store.load() == ROSTER
