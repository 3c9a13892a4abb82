import json
import re
from pathlib import Path
from typing import get_args

import pytest

from pi_controller.cli.main import main
from pi_controller.cli.tables import SHAPES
from pi_controller.roster.model import Shape
from tests.cli.conftest import Run
from tests.protocol.fake_core import FakeCore, line

NODE = "e6614103e7452a2f"
KEPT = {
    "version": 1,
    "rows": [
        {
            "name": "A",
            "shape": "angled",
            "angle": 30,
            "boards": [
                {"name": "A1", "node": NODE, "swapped": True},
                {"name": "A2", "node": None, "swapped": False},
            ],
        },
        {"name": "B", "shape": "ring", "angle": 0, "boards": []},
    ],
}
SHOWN = """\
Row A (angled, 30°, 2 boards)
  A1  e6614103e7452a2f  swapped
  A2  -
Row B (ring, 0 boards)
  no boards
"""


def test_every_shape_has_its_text() -> None:
    assert set(SHAPES) == set(get_args(Shape))


@pytest.fixture
def hall(core: FakeCore) -> FakeCore:
    """A core with a roster."""
    core.reply = lambda asked: (
        [line({"id": asked["id"], "roster": KEPT})] if asked["ask"] == "roster" else core.usual_reply(asked)
    )
    return core


@pytest.mark.usefixtures("hall")
def test_the_roster_is_shown(run: Run) -> None:
    assert run("roster", "show").out == SHOWN
    assert json.loads(run("roster", "show", "--json").out) == KEPT


@pytest.mark.usefixtures("core")
def test_an_empty_roster_says_how_to_begin(run: Run) -> None:
    assert run("roster", "show").out.startswith("The roster has no boards: `pi-controller roster new")


@pytest.mark.parametrize("name", ["hall.toml", "hall.json"])
def test_what_is_exported_can_be_imported(hall: FakeCore, tmp_path: Path, name: str, run: Run) -> None:
    path = tmp_path / name
    assert run("roster", "export", "-o", path).err == f"{path}: 2 boards\n"
    run("roster", "import", path)
    assert hall.requests[-1]["roster"] == KEPT


@pytest.mark.usefixtures("hall")
def test_without_a_file_it_goes_to_stdout(run: Run) -> None:
    assert f'{{ name = "A1", node = "{NODE}", swapped = true }},' in run("roster", "export").out


def test_a_new_roster_is_made(core: FakeCore) -> None:
    assert main(["roster", "new", "--rows", "2x3"]) == 0
    rows = core.requests[-1]["roster"]["rows"]
    assert [[board["name"] for board in row["boards"]] for row in rows] == [
        ["A1", "A2", "A3"],
        ["B1", "B2", "B3"],
    ]


def test_a_new_roster_does_not_replace_one_by_mistake(hall: FakeCore, run: Run) -> None:
    assert (
        run("roster", "new", "--rows", "2x3", status=3).err
        == "The roster already has boards: add --force to start again.\n"
    )
    run("roster", "new", "--rows", "2x3", "--force")
    assert hall.requests[-1]["ask"] == "set_roster"


def test_core_may_refuse(core: FakeCore, tmp_path: Path, run: Run) -> None:
    core.refuse("The clock is running: pause the game first, or wait for its end.")
    path = tmp_path / "hall.toml"
    path.write_text("version = 1\n")
    assert (
        run("roster", "import", path, status=3).err
        == "The clock is running: pause the game first, or wait for its end.\n"
    )


def test_all_mistakes_of_a_file_come_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hall.json"
    boards = [{"name": "A1", "node": NODE}, {"name": "A1", "node": NODE}, {"name": "too long"}]
    path.write_text(json.dumps({"rows": [{"name": "A", "boards": boards}]}))
    assert main(["roster", "import", str(path)]) == 2
    name = "a name is 1 to 6 letters A-Z and a-z, digits and hyphens"
    assert capsys.readouterr().err.splitlines() == [
        f'{path}: Row A, board 3: "too long" cannot be its name; {name}.',
        f"{path}: Board A1 occurs twice: give each board in the hall its own name.",
        f"{path}: Node {NODE} is at boards A1 and A1: a node can be at one board only.",
    ]


@pytest.mark.usefixtures("hall")
def test_a_file_that_cannot_be_written_is_exit_1(tmp_path: Path, run: Run) -> None:
    assert run("roster", "export", "-o", tmp_path / "no" / "hall.toml", status=1).err.endswith(
        "No such file or directory\n"
    )


def test_what_is_put_in_force_is_said(core: FakeCore, run: Run) -> None:
    assert re.findall(r"(\w) \(straight, (\d) boards\)", run("roster", "new", "--rows", "2x3").err) == [
        ("A", "3"),
        ("B", "3"),
    ]


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_roster_may_begin_with_a_byte_order_mark(core: FakeCore, tmp_path: Path, ending: str) -> None:
    file, text = (
        tmp_path / f"roster.{ending}",
        {
            "toml": '[[rows]]\nname = "A"\nboards = [{ name = "A1" }]',
            "json": '{"rows": [{"name": "A", "boards": [{"name": "A1"}]}]}',
        },
    )
    file.write_text(text[ending], encoding="utf-8-sig")
    assert main(["roster", "import", str(file)]) == 0
    assert core.requests[-1]["roster"]["rows"][0]["boards"][0]["name"] == "A1"
