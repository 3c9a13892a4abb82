from pathlib import Path

import pytest

from pi_controller.cli.main import main
from tests.cli.conftest import Run
from tests.hall_of_tables import node, snapshot
from tests.paper import reading
from tests.protocol.fake_core import FakeCore, line

UID = "e6614103e7452a2f"
HALL = ["--rows", "1", "--boards", "3"]


@pytest.mark.parametrize(
    ("sheet", "title", "says"),
    [("labels", "", "A3"), ("cables", "Cables and parts", "table node 3 1 4"), ("map", "Hall map", "Row A")],
)
def test_each_sheet(
    sheet: str, title: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.pdf"
    assert main(["paper", sheet, *HALL, "--title", "Łódź", "-o", str(path)]) == 0
    text = " ".join(reading.pages(path.read_bytes()))
    assert says in text
    assert title in text
    assert ("Łódź" in text) == bool(title)
    assert capsys.readouterr().err.startswith(f"{path}: ")


def test_the_network_sheet_needs_no_hall(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "net.pdf"
    assert main(["paper", "network", "--address", "http://10.0.0.5:8080", "-o", str(path)]) == 0
    assert "http://10.0.0.5:8080" in reading.pages(path.read_bytes())[0]
    told = run("paper", "network", "-o", "/no/such/x.pdf", status=1).err
    assert told == "/no/such/x.pdf cannot be written (No such file or directory): choose another place.\n"


def test_all_in_one_file_from_the_controller(core: FakeCore, tmp_path: Path) -> None:
    roster = {"version": 1, "rows": [{"name": "A", "boards": [{"name": "A1", "node": UID}]}]}
    tables = snapshot([node(5, "A1", uid=UID), node(6, None, uid="0" * 16, address=0)])
    answers = {"roster": {"roster": roster}, "tables": {"tables": tables}}
    core.reply = lambda asked: [line({"id": asked["id"], **answers[asked["ask"]]})]
    path = tmp_path / "all.pdf"
    assert main(["paper", "all", "--head", "15", "-o", str(path)]) == 0
    text = " ".join(reading.pages(path.read_bytes()))
    for part in (
        "Hall map",
        "Supply",
        "Parts for this hall",
        "For the owner of the venue's network",
        "address A 5",
    ):
        assert part in text


def test_the_same_hall_makes_the_same_file(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        assert main(["paper", "all", *HALL, "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
