import pytest

from pi_controller.journal.errors import ExportRefused, UnknownGame
from pi_controller.journal.export import export_game, export_lines
from tests.journal.chains import GAME, chain, lines, put_game, tree

LINES = lines(chain(12))


def test_exactly_the_good_lines_in_order_and_each_once(tmp_path):
    state, target = tmp_path / "state", tmp_path / "game.jsonl"
    put_game(state, b"".join(LINES[:7]) + LINES[7][:20])
    put_game(state, b"".join(LINES[6:10]) + b"rubbish\n" + LINES[11], name="journal.2.jsonl")
    before = tree(state)
    assert export_game(state, GAME, target) == 10
    assert target.read_bytes() == b"".join(LINES[:10])
    assert b"".join(export_lines(state, GAME)) == b"".join(LINES[:10])
    assert tree(state) == before
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["game.jsonl"]


def test_an_existing_target_is_replaced_only_by_force(tmp_path):
    put_game(tmp_path / "state", b"".join(LINES))
    target = tmp_path / "game.jsonl"
    target.write_text("precious")
    with pytest.raises(
        ExportRefused, match=r"game\.jsonl exists already: choose another name, or give --force"
    ):
        export_game(tmp_path / "state", GAME, target)
    assert target.read_text() == "precious"
    assert export_game(tmp_path / "state", GAME, target, force=True) == 12
    assert target.read_bytes() == b"".join(LINES)


def test_unknown_and_unreadable_games_are_told(tmp_path):
    with pytest.raises(UnknownGame, match="There is no game 'nothing'"):
        export_game(tmp_path, "nothing", tmp_path / "x")
    put_game(tmp_path, b"x" + LINES[0])
    with pytest.raises(UnknownGame, match="has no readable journal"):
        export_lines(tmp_path, GAME)
    assert not (tmp_path / "x").exists()


def test_a_missing_target_folder_is_told(tmp_path):
    put_game(tmp_path, b"".join(LINES))
    with pytest.raises(FileNotFoundError, match="does not exist: make it first"):
        export_game(tmp_path, GAME, tmp_path / "none" / "x")


def test_an_export_that_fails_leaves_no_half_file(tmp_path):
    put_game(tmp_path / "state", b"".join(LINES))
    target = tmp_path / "folder"
    target.mkdir()
    with pytest.raises(IsADirectoryError):
        export_game(tmp_path / "state", GAME, target, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "state"]
