from pathlib import Path

import pytest

from pi_controller.cli.main import main
from tests.paper.reading import pages
from tests.report.played import recorded


def test_paper_is_made_without_core_and_with_or_without_a_game(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "fallback.pdf"
    assert main(["fallback", "-o", str(target), "--rolls", "5", "--sheets", "1"]) == 0
    assert capsys.readouterr().err == f"{target}: 5 lines of dice and 1 claim sheets.\n"
    recorded(state)
    assert main(["fallback", "-o", str(target), "--rolls", "0"]) == 0
    assert "the game is over" in pages(target.read_bytes())[0]


@pytest.mark.parametrize("rolls", ["-1", "301", "many"])
def test_the_list_has_an_end(rolls: str, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fallback", "-o", "x.pdf", f"--rolls={rolls}"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
