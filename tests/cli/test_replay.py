import io
import json
import sys
from pathlib import Path

import msgspec
import pytest

from pi_controller.journal.exports import export_lines
from pi_controller.replay.tables import TablesShown
from pi_controller.roster import model
from pi_controller.roster.store import RosterStore
from tests.cli.conftest import Run
from tests.cli.test_journal import put_game
from tests.core.disk import GAME_ID, DiskHall
from tests.core.hand import S


@pytest.fixture
def played(state: Path) -> Path:
    hall = DiskHall(state).play()
    hall.move(4 * S)
    hall.ask("pause")
    hall.crash()
    return state


def test_the_pictures_come_as_json_lines(played: Path, run: Run) -> None:
    pictures = [json.loads(line) for line in run("replay", GAME_ID).out.splitlines()]
    assert [(one["phase"], one["paused"]) for one in pictures][-2:] == [("round", False), ("round", True)]
    assert (pictures[-1]["remaining_ms"], pictures[-1]["seed"]) == (31_000, None)


def test_with_a_speed_they_come_in_time(played: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(waited))
    run("replay", GAME_ID, "--speed", "2")
    assert sum(waited) == pytest.approx((3 + 4) / 2)


def test_an_exported_game_comes_from_standard_input(
    played: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    known = run("replay", GAME_ID).out
    lines = list(export_lines(played, GAME_ID))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"".join(lines))))
    assert run("replay", "-").out == known
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"".join(lines[:1] + lines[2:]))))
    assert "it does not continue the lines before it" in run("replay", "-", status=1).err


def test_the_page_gets_each_moment_with_its_lamps(played: Path, run: Run) -> None:
    lines = [json.loads(line) for line in run("replay", GAME_ID, "--lamps").out.splitlines()]
    assert [line["since_ms"] for line in lines][-2:] == [3_000, 7_000]
    assert [lamps["pause"] for lamps in lines[-1]["lamps"]] == [False, True], "it blinks, beginning dark"
    assert lines[-1]["picture"]["allowed"] == {}


def test_the_page_gets_every_tables_displays_at_the_boards_of_the_roster(played: Path, run: Run) -> None:
    (line,) = run("replay", GAME_ID, "--tables", "--languages", "de").out.splitlines()
    tables = msgspec.json.decode(line, type=TablesShown)
    assert (tables.boards, [(one.board, one.side) for one in tables.places]) == (
        [],
        [("", "sun"), ("", "moon")],
    )
    sun = tables.places[0].shown
    assert [since for since, *_ in sun][:4] == [0, 1_000, 2_000, 3_000], "ready and 3, 2, 1 begin at once"
    assert [since for since, *_ in sun][-1] == 7_000
    assert tables.places[1].shown[-1][1:] == sun[-1][1:], "a pause looks alike"
    assert run("replay", GAME_ID, "--tables").out.strip() != line, "those are English"
    RosterStore(played).save(model.new_roster(1, 3))
    tables = msgspec.json.decode(run("replay", GAME_ID, "--tables").out, type=TablesShown)
    assert tables.boards == ["A1", "A2", "A3"]
    RosterStore(played).path.write_text("no roster")
    run("replay", GAME_ID, "--tables")
    assert RosterStore(played).path.read_text() == "no roster", "who only looks moves nothing aside"


def test_what_is_no_game_is_said_in_a_sentence(state: Path, run: Run) -> None:
    put_game(state, 1)
    assert "no rules that this version knows" in run("replay", "20261120-200000-abcd", status=1).err
    assert "There is no game" in run("replay", "nobody", status=2).err
