import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text("[web]\nport = 8181\n")
    return path


def test_show_prints_what_is_in_force(changed: Path, run: Run) -> None:
    assert "port = 8080  # the default" in run("settings", "show").out.splitlines()
    shown = run("settings", "show", "--settings", changed).out
    assert "port = 8181  # from the settings file" in shown.splitlines()
    assert tomllib.loads(shown)["web"]["port"] == 8181


def test_show_names_what_pages_have_changed_and_what_of_it_is_left_out(
    changed: Path, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "settings.pages.toml").write_text(
        'version = 1\n[hall]\nname = "North"\n[sound]\nvolume = 1\n'
    )
    said = run("settings", "show", "--diff", "--settings", changed, "--state-dir", tmp_path)
    assert said.out.splitlines()[:2] == ["[hall]", 'name = "North"  # default: ""; changed on a page']
    assert '"sound.volume"' in said.err


def test_diff_prints_only_what_differs(changed: Path, run: Run) -> None:
    lines = run("settings", "show", "--diff", "--settings", changed).out.splitlines()
    assert lines[0] == "[web]"
    assert lines[1].startswith("port = 8181")
    assert len(lines) == 2


def test_check_tells_every_mistake_at_once(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[web]\nport = "x"\n[game]\nrobber_seconds = -1\n')
    said = run("settings", "check", path, status=2)
    assert said.out == ""
    assert len(said.err.splitlines()) == 2
    assert "port" in said.err
    assert "robber_seconds" in said.err


def test_a_file_without_mistakes_is_told(changed: Path, run: Run) -> None:
    assert run("settings", "check", changed).out == f"{changed}: no mistakes\n"


def test_upgrade_keeps_the_old_file(changed: Path, run: Run) -> None:
    said = run("settings", "upgrade", changed).out
    assert changed.read_text() == "version = 1\n[web]\nport = 8181\n"
    (backup,) = [path for path in changed.parent.iterdir() if path != changed]
    assert backup.read_text() == "[web]\nport = 8181\n"
    assert str(backup) in said
    assert (
        "it already has the newest form, nothing had to be changed" in run("settings", "upgrade", changed).out
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("version = 7", "is a settings file of version 7"),
        ("[", "is not a TOML file"),
        ("[pinz]", "is not a section"),
    ],
)
def test_upgrade_leaves_a_file_that_it_cannot_mend(changed: Path, text: str, sentence: str, run: Run) -> None:
    changed.write_text(text)
    assert sentence in run("settings", "upgrade", changed, status=2).err
    assert changed.read_text() == text
    assert list(changed.parent.iterdir()) == [changed]
    run("settings", "upgrade", str(changed.parent / "nowhere"), status=2)
