from pathlib import Path

import pytest

from pi_controller.cli.main import main


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text("[web]\nport = 8181\n")
    return path


def test_show_prints_what_is_in_force(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "show"]) == 0
    assert "port = 8080" in capsys.readouterr().out.splitlines()
    assert main(["settings", "show", "--settings", str(changed)]) == 0
    assert "port = 8181" in capsys.readouterr().out.splitlines()


def test_diff_prints_only_what_differs(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "show", "--diff", "--settings", str(changed)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[web]"
    assert lines[1].startswith("port = 8181")
    assert len(lines) == 2


def test_check_tells_every_mistake_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[web]\nport = "x"\n[game]\nrobber_seconds = -1\n')
    assert main(["settings", "check", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 2
    assert "port" in said.err
    assert "robber_seconds" in said.err


def test_a_file_without_mistakes_is_told(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "check", str(changed)]) == 0
    assert capsys.readouterr().out == f"{changed}: no mistakes\n"
