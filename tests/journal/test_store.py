import os
import subprocess
import sys

import pytest

from pi_controller.journal.errors import JournalError, OtherSeed, StateInUse, UnknownGame
from pi_controller.journal.store import Store, segment_name, segments
from tests.journal.chains import GAME, SEED, WALL

HOLDER = """
import sys
from pathlib import Path
from pi_controller.journal.store import Store
with Store(Path(sys.argv[1])).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "state")
    store.prepare()
    return store


def test_a_second_process_is_refused_and_told_who_holds_the_folder(store):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store.state_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StateInUse, match=f"Process {holder.pid} already runs a controller"), store.lock():
            pass
        holder.kill()
        holder.wait()
        with store.lock():
            assert store.lock_path.read_text() == f"{os.getpid()}\n"
        with store.lock():
            pass


def test_the_lock_excludes_also_within_a_process(store):
    with store.lock(), pytest.raises(StateInUse, match=f"Process {os.getpid()} "), store.lock():
        pass


def test_folders_and_seed_are_for_the_owner_only(store):
    folder = store.create_game(GAME, SEED)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert store.state_dir.stat().st_mode & 0o777 == 0o700
    assert (folder / "seed").stat().st_mode & 0o777 == 0o600
    assert store.read_seed(GAME) == SEED
    assert [path.name for path in folder.iterdir()] == ["seed"]


def test_making_a_game_may_be_repeated_but_not_with_another_seed(store):
    folder = store.create_game(GAME, SEED)
    (folder / "seed.new").write_bytes(b"half")
    (folder / "seed").unlink()
    store.create_game(GAME, SEED)
    store.create_game(GAME, SEED)
    with pytest.raises(OtherSeed, match="never gets a second one"):
        store.create_game(GAME, bytes(32))
    assert store.read_seed(GAME) == SEED


def test_a_seed_of_the_wrong_length_is_refused(store):
    with pytest.raises(ValueError, match="a seed has 32 bytes, not 31"):
        store.create_game(GAME, bytes(31))


@pytest.mark.parametrize("content", [b"", b"zz" * 32, b"00" * 31, b"\xff" * 64])
def test_a_damaged_seed_is_told(store, content):
    folder = store.create_game(GAME, SEED)
    (folder / "seed").write_bytes(content)
    with pytest.raises(JournalError, match="holds no seed: this game cannot go on"):
        store.read_seed(GAME)


@pytest.mark.parametrize("game_id", ["", "..", "a/b", "-x", "a" * 41, "x\n"])
def test_only_plain_names_are_game_ids(store, game_id):
    with pytest.raises(ValueError, match="a game id is 1 to 40 letters"):
        store.folder(game_id)
    with pytest.raises(UnknownGame, match="There is no game"):
        store.known_folder(game_id)


def test_an_unknown_game_is_told(store):
    with pytest.raises(UnknownGame, match=f"There is no game '{GAME}' in .*`journal list`"):
        store.read_seed(GAME)


def test_new_ids_sort_behind_all_others_also_when_the_wall_clock_went_back(store):
    first = store.new_game_id(WALL)
    assert first.startswith("20261120-183005-")
    store.create_game(first, SEED)
    second = store.new_game_id("1970-01-01T00:00:09+00:00")
    assert second.startswith("20261120-183006-")
    store.create_game(second, SEED)
    assert store.game_ids() == [second, first]


def test_a_folder_name_without_a_date_is_older_than_any_game(store):
    for name in ("zebra", "2026-11-21-copy", "20261399-000000-ab12"):
        store.create_game(name, SEED)
    first = store.new_game_id(WALL)
    assert first.startswith("20261120-183005-")
    store.create_game(first, SEED)
    assert store.game_ids()[0] == first
    store.create_game("99991231-235959-ab12", SEED)
    assert store.game_ids()[0].startswith("9999")
    with pytest.raises(JournalError, match="no date comes after it"):
        store.new_game_id(WALL)


def test_no_folder_means_no_games(tmp_path):
    assert Store(tmp_path / "nothing").game_ids() == []


def test_segments_in_order_of_their_numbers(store):
    folder = store.create_game(GAME, SEED)
    for name in (
        "journal.10.jsonl",
        "journal.2.jsonl",
        "journal.jsonl",
        "journal.0.jsonl",
        "journal.torn-1-0",
    ):
        (folder / name).touch()
    assert [number for number, _ in segments(folder)] == [1, 2, 10]
    assert [path.name for _, path in segments(folder)] == [segment_name(number) for number in (1, 2, 10)]
