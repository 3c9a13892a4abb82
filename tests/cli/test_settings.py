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


def test_upgrade_keeps_the_old_file(changed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "upgrade", str(changed)]) == 0
    said = capsys.readouterr().out
    assert changed.read_text() == "version = 1\n[web]\nport = 8181\n"
    (backup,) = [path for path in changed.parent.iterdir() if path != changed]
    assert backup.read_text() == "[web]\nport = 8181\n"
    assert str(backup) in said
    assert main(["settings", "upgrade", str(changed)]) == 0
    assert "it has the newest form already, nothing had to change" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("version = 7", "is a settings file of version 7"),
        ("[", "is not a TOML file"),
        ("[pinz]", "is not a section"),
    ],
)
def test_upgrade_leaves_a_file_that_it_cannot_mend(
    changed: Path, text: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changed.write_text(text)
    assert main(["settings", "upgrade", str(changed)]) == 2
    assert sentence in capsys.readouterr().err
    assert changed.read_text() == text
    assert list(changed.parent.iterdir()) == [changed]
    assert main(["settings", "upgrade", str(changed.parent / "nowhere")]) == 2
