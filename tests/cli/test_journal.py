import json
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from pi_controller.journal.record import encode, seal
from tests.cli.conftest import Run
from tests.journal.exports import built, records_of
from tests.journal.exports import seal as place
from tests.journal.test_verify import evening_of, game

GAME = "20261120-200000-abcd"


def put_game(state: Path, version: int) -> list[str]:
    """Leave a game that has only been armed in the state folder; its lines."""
    opening = seal(
        "game",
        {"format": version, "game_id": GAME, "rule_set": "connect"},
        seq=0,
        game_ns=0,
        boot_ns=5,
        boot_id="b",
        wall="2026-11-20T20:00:00+00:00",
        prev="0" * 64,
    )
    folder = state / "games" / GAME
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(encode(opening))
    return encode(opening).decode().splitlines()


@pytest.fixture
def lines(state: Path) -> list[str]:
    return put_game(state, 1)


def test_list_is_one_object_a_game(lines: list[str], run: Run) -> None:
    (listed,) = run("journal", "list").out.splitlines()
    assert json.loads(listed)["game_id"] == GAME
    assert json.loads(listed)["ended"] is False


def test_show_prints_the_lines(lines: list[str], run: Run) -> None:
    assert run("journal", "show", GAME).out.splitlines() == lines


def test_export_writes_a_file_once(
    lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "game.jsonl"
    assert main(["journal", "export", GAME, "-o", str(target)]) == 0
    assert target.read_text().splitlines() == lines
    assert capsys.readouterr().err == f"{target}: 1 lines of game {GAME}\n"
    assert main(["journal", "export", GAME, "-o", str(target)]) == 2
    assert f"{target} already exists" in capsys.readouterr().err
    assert main(["journal", "export", GAME, "-o", str(target), "--force"]) == 0


def test_a_game_that_is_not_there(state: Path, run: Run) -> None:
    assert run("journal", "list").out == ""
    assert "There is no game 'nothing'" in run("journal", "show", "nothing", status=2).err


def test_a_journal_of_a_newer_version_fails(state: Path, run: Run) -> None:
    put_game(state, 99)
    assert "newer" in run("journal", "show", GAME, status=1).err


def test_a_target_that_cannot_be_written_fails(lines: list[str], run: Run) -> None:
    assert (
        "The folder /no/such/folder does not exist: make it first."
        in run("journal", "export", GAME, "-o", "/no/such/folder/game.jsonl", status=1).err
    )


GOLDEN = Path(__file__).parents[1] / "vectors" / "export-v1.jsonl"


def test_a_true_export_is_proved(run: Run) -> None:
    assert run("verify", GOLDEN).out


def test_a_changed_export_is_refused(tmp_path: Path, run: Run) -> None:
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(GOLDEN.read_bytes().replace(b'"round":1', b'"round":2', 1))
    assert "REFUSED" in run("verify", changed, status=1).out


def test_another_commitment_is_refused(run: Run) -> None:
    assert "REFUSED" in run("verify", GOLDEN, "--commitment", "0" * 64, status=1).out


def test_games_of_an_evening_are_checked_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for path, lines in zip(games, evening_of(4), strict=True):
        path.write_bytes(b"".join(lines))
    assert main(["verify", *map(str, games)]) == 0
    told = capsys.readouterr().out
    assert [line for line in told.splitlines() if line.endswith(".jsonl:")] == [f"{path}:" for path in games]
    assert told.splitlines()[-1] == "Evening of 'g1': seals 1, 2, 3, 4."
    aside = tmp_path / "aside.jsonl"
    before = records_of(evening_of(4)[3])[0]["hash"]
    aside.write_bytes(b"".join(built(game(ended=False, steps=(), more=place(5, "g1", before)))))
    assert main(["verify", str(aside)]) == 1
    assert main(["verify", *map(str, games), str(aside)]) == 0, "what never began has nothing to prove"
    capsys.readouterr()
    assert main(["verify", str(games[0]), str(games[3])]) == 1
    assert "MISSING: seals 2-3." in capsys.readouterr().out.splitlines()[-1]
    assert main(["verify", *map(str, games), "--word", ""]) == 2
    assert capsys.readouterr().err.startswith("--commitment, --head and --word are those of one game")
    head = records_of(evening_of(1)[0])[8]["hash"]
    assert main(["verify", str(games[0]), "--head", head]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("PASSED, ONLY UP TO LINE 9 OF ")


def test_what_cannot_be_checked_is_told(run: Run) -> None:
    assert run("verify", "/no/such/file", status=1).err == "/no/such/file: No such file or directory\n"
    assert "--head must be 8 to 64" in run("verify", GOLDEN, "--head", "xyz", status=2).err
