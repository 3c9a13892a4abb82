import json
import re
from pathlib import Path

import pytest

from pi_controller.cli.main import main
from tests.protocol.fake_core import FakeCore, line

ROSTER = {"version": 1, "rows": [{"name": "A", "boards": [{"name": f"A{n}"} for n in range(1, 4)]}]}


def test_a_hall_that_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power-budget", "--rows", "4", "--boards", "20", "--watts", "1.0", "--gauge", "26"]) == 0
    told = capsys.readouterr()
    assert "D    1-20    after 10  23.1" in told.out
    assert "Together: 80 boards, 97 W; 4 × injector, 4 × supply 24 V, 60 W, 4 × fuse T 1.6 A." in told.out
    assert told.err == ""


def test_its_numbers_are_those_of_the_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert main(["power-budget", "--rows", "1", "--boards", "20", "--watts", "1.5", "--gauge", "26"]) == 0
    told = capsys.readouterr().out
    assert re.findall(r"\d\.\d", told) == []
    assert re.search(r"nach 5 +2\d,\d +\d,\d\d +\d,\d\d +\d,\d\d +\d,\d", told)


def test_a_row_that_collapses_is_told_with_what_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power-budget", "--rows", "1", "--boards", "40", "--feed", "end", "--watts", "1"]) == 1
    told = capsys.readouterr()
    assert told.err == "Row A, boards 1 to 40: the supply collapses, the cable cannot carry 40 × 1 W.\n"
    assert "collapses" in told.out
    assert "What holds:" in told.out
    assert "after 30" in told.out


def test_a_proposal_warns_of_the_simple_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power-budget", "--rows", "2", "--boards", "40"]) == 0
    assert "Warning: one injector at the end of a row does not do for rows A, B" in capsys.readouterr().out


def test_what_may_blow_no_fuse_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power-budget", "--rows", "1", "--boards", "20", "--feed", "end", "--watts", "1"]) == 0
    assert "Note: A short in a zone: its supply may limit before the fuse" in capsys.readouterr().out


def test_all_values_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["power-budget", "--rows", "1", "--boards", "25", "--feed", "end", "--zone", "10", "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["holds"] is True
    assert [zone["last"] for zone in found["zones"]] == [9, 17, 25]


def test_the_roster_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hall.json"
    path.write_text(json.dumps(ROSTER))
    assert main(["power-budget", "--roster", str(path)]) == 0
    assert "A    1-3" in capsys.readouterr().out


def test_the_roster_of_the_controller(core: FakeCore, capsys: pytest.CaptureFixture[str]) -> None:
    core.reply = lambda asked: [line({"id": asked["id"], "roster": ROSTER})]
    assert main(["power-budget", "--gauge", "24"]) == 0
    assert "A    1-3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--rows", "2"], "Give --rows and --boards together, or --roster F, or none of them."),
        (["--rows", "2", "--boards", "2", "--roster", "x"], "Give --rows and --boards together"),
        (["--rows", "30", "--boards", "2"], "30 rows of 2 boards cannot be made: 1 to 26 rows"),
        (["--rows", "1", "--boards", "2", "--gauge", "30"], "There is no cable of size '30' here"),
        (
            ["--rows", "1", "--boards", "2", "--volts", "230"],
            "The voltage is 230 V; it must lie between 3 and 60 V.",
        ),
        (["--rows", "1", "--boards", "2", "--watts", "much"], "'much' is not a number"),
        (["--rows", "1", "--boards", "2", "--zone", "5"], "--zone needs --feed end or --feed middle"),
        (["--rows", "1", "--boards", "2", "--feed", "end", "--zone", "0"], "A zone of 0 boards cannot be"),
        (
            ["--roster", "/no/such/roster.toml"],
            "/no/such/roster.toml cannot be read (No such file or directory)",
        ),
    ],
)
def test_bad_usage_is_one_sentence(
    given: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power-budget", *given]) == 2
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


@pytest.mark.usefixtures("core")
def test_a_roster_without_boards_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power-budget"]) == 2
    assert capsys.readouterr().err.startswith(
        "The roster has no boards: `pi-controller roster new` makes some"
    )


@pytest.mark.usefixtures("state")
def test_without_a_controller(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power-budget"]) == 4
    assert "no" in capsys.readouterr().err.lower()
