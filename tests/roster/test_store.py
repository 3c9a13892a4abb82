import os
from pathlib import Path

import pytest

from pi_controller.roster import edits
from pi_controller.roster.fault import RosterFault
from pi_controller.roster.store import RosterStore

ROSTER = edits.place(edits.new_roster(2, 2), "A1", "0" * 16)


def test_a_roster_is_kept(tmp_path: Path) -> None:
    store = RosterStore(tmp_path)
    assert store.load() is None
    store.save(edits.new_roster(1, 1))
    store.save(ROSTER)
    assert store.load() == ROSTER
    assert [path.name for path in tmp_path.iterdir()] == ["roster.json"]


@pytest.mark.parametrize("text", ["", "{", '{"rows": [{"name": "A"}, {"name": "A"}]}', "\0", "[" * 100_000])
def test_a_broken_file_is_kept_aside_and_told(tmp_path: Path, text: str) -> None:
    store = RosterStore(tmp_path)
    store.path.write_text(text)
    with pytest.raises(RosterFault) as caught:
        store.load()
    first, *rest = caught.value.problems
    assert first.startswith("The roster is not used, all tables stand nowhere: import it again. It lies in")
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
        store.save(edits.new_roster(1, 1))
    assert store.load() == ROSTER
