import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.protocol.fake_core import FakeCore, line

ROSTER = {"version": 1, "rows": [{"name": "A", "boards": [{"name": f"A{n}"} for n in range(1, 4)]}]}


def test_a_hall_that_holds(run: Run) -> None:
    told = run("power-budget", "--rows", "4", "--boards", "20", "--watts", "1.0", "--gauge", "26")
    assert "D    1-20    after 10  23.1" in told.out
    assert "Together: 80 boards, 97 W; 4 × injector, 4 × supply 24 V, 60 W, 4 × fuse T 1.6 A." in told.out
    assert told.err == ""


def test_its_numbers_are_those_of_the_language(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    told = run("power-budget", "--rows", "1", "--boards", "20", "--watts", "1.5", "--gauge", "26").out
    assert re.findall(r"\d\.\d", told) == []
    assert re.search(r"nach 5 +2\d,\d +\d,\d\d +\d,\d\d +\d,\d\d +\d,\d", told)


def test_a_row_that_collapses_is_told_with_what_holds(run: Run) -> None:
    told = run("power-budget", "--rows", "1", "--boards", "40", "--feed", "end", "--watts", "1", status=1)
    assert told.err == "Row A, boards 1 to 40: the supply collapses, the cable cannot carry 40 × 1 W.\n"
    assert "collapses" in told.out
    assert "What is enough:" in told.out
    assert "after 30" in told.out


def test_a_proposal_warns_of_the_simple_way(run: Run) -> None:
    assert (
        "Warning: one injector at the end of a row is not enough for rows A and B"
        in run("power-budget", "--rows", "2", "--boards", "40").out
    )


def test_what_may_blow_no_fuse_is_noted(run: Run) -> None:
    assert (
        "Note: A short in a zone: its supply may limit the current before the fuse"
        in run("power-budget", "--rows", "1", "--boards", "20", "--feed", "end", "--watts", "1").out
    )


def test_all_values_as_json(run: Run) -> None:
    command = ["power-budget", "--rows", "1", "--boards", "25", "--feed", "end", "--zone", "10", "--json"]
    found = json.loads(run(*command).out)
    assert found["holds"] is True
    assert [zone["last"] for zone in found["zones"]] == [9, 17, 25]


def test_the_roster_of_a_file(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "hall.json"
    path.write_text(json.dumps(ROSTER))
    assert "A    1-3" in run("power-budget", "--roster", path).out


def test_the_roster_of_the_controller(core: FakeCore, run: Run) -> None:
    core.reply = lambda asked: [line({"id": asked["id"], "roster": ROSTER})]
    assert "A    1-3" in run("power-budget", "--gauge", "24").out


@pytest.mark.usefixtures("core")
def test_a_roster_without_boards_says_what_to_do(run: Run) -> None:
    assert run("power-budget", status=2).err.startswith(
        "The roster has no boards: `pi-controller roster new` makes some"
    )
