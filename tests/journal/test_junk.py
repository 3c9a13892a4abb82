"""What else may lie among the games: pipes, links to devices, folders of junk and copies."""

import os

import pytest

from pi_controller.journal.copies import read_copy, seed_for
from pi_controller.journal.heartbeat import read_heartbeat
from pi_controller.journal.pairing import SEALED_NAME, PairingFault, PairingKey, keep_key, read_key
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import games, read_games
from pi_controller.language.words import words
from tests.journal.chains import GAME, chain, lines, put_game

NEWER = "20261120-190000-bbbb"
RECORDS = chain(30)
LINES = lines(RECORDS)
WHOLE = b"".join(LINES)


def put_pipe(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def put_link(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("put", [put_pipe, put_link])
def test_what_is_no_regular_file_is_never_waited_for(tmp_path, put):
    own, copy = tmp_path / "own", tmp_path / "copy"
    put_game(own, WHOLE)
    put(Store(own).folder(GAME) / "journal.2.jsonl")
    put(copy / "games" / GAME / "journal.jsonl")
    found = recover(own, second_copy=copy, mend=True)
    assert found.records == tuple(RECORDS)
    assert (found.segment, found.append) == (3, False)
    assert words(found.cut[0].reason) == "it cannot be read (it is no regular file)"
    assert [game.game_id for game in games(own)] == [GAME]


@pytest.mark.parametrize("put", [put_pipe, put_link])
@pytest.mark.parametrize("name", ["seed", "heartbeat"])
def test_a_pipe_in_the_place_of_another_file_is_told(tmp_path, put, name):
    path = Store(tmp_path).folder(GAME) / "seed" if name == "seed" else tmp_path / "heartbeat"
    put(path)
    with pytest.raises(OSError, match="it is no regular file"):
        Store(tmp_path).read_seed(GAME) if name == "seed" else read_heartbeat(path)


@pytest.mark.parametrize("put", [put_pipe, put_link])
def test_nor_is_the_pairing_key_the_sealed_seed_or_an_export(tmp_path, put):
    for name in ("pairing.key", f"exports/{GAME}.json"):
        put(tmp_path / name)
    with pytest.raises((OSError, PairingFault), match=r"it is no regular file|can be read by others"):
        read_key(tmp_path)
    with pytest.raises(OSError, match="it is no regular file"):
        read_games(tmp_path / "exports")
    (tmp_path / "pairing.key").unlink()
    keep_key(tmp_path, PairingKey(bytes(32)))
    copy = tmp_path / "stick"
    put_game(copy, WHOLE)
    put(copy / "games" / GAME / SEALED_NAME)
    with pytest.raises(OSError, match="it is no regular file"):
        seed_for(tmp_path, read_copy(copy))


@pytest.mark.parametrize("newest", ["20991231-235959-ffff", "zzz"])
@pytest.mark.parametrize("content", [b"notes\n", b"\0" * 512 + b"\n", b"pipe"])
def test_a_folder_of_junk_that_sorts_last_is_passed_over_and_named(tmp_path, newest, content):
    put_game(tmp_path, WHOLE)
    if content == b"pipe":
        put_pipe(Store(tmp_path).folder(newest) / "journal.jsonl")
    else:
        put_game(tmp_path, content, game_id=newest)
    found = recover(tmp_path, mend=True)
    assert (found.game_id, found.records) == (GAME, tuple(RECORDS))
    dated = newest.startswith("2")
    assert [newest in words(sentence) for sentence in found.passed_over] == ([True] if dated else [])


def test_a_copy_of_the_games_folder_is_passed_over_and_a_damaged_game_is_not(tmp_path):
    put_game(tmp_path, WHOLE)
    put_game(tmp_path, WHOLE, game_id=f"{GAME}-backup")
    found = recover(tmp_path)
    assert (found.game_id, len(found.passed_over)) == (GAME, 1)
    assert "holds a copy of another game" in words(found.passed_over[0])
    put_game(tmp_path, b"".join(lines(chain(3, game_id=NEWER))[1:]), game_id=NEWER)
    assert (recover(tmp_path).game_id, recover(tmp_path).records) == (NEWER, ())
