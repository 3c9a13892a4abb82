"""Settings files of other versions, and the way to the newest form."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pi_controller.language.words import all_words
from pi_controller.settings import Settings, SettingsFault, load, show
from pi_controller.settings.load import Upgrade, check_version, replace_file, upgrade


def upgraded(text: str, **options: Any) -> Upgrade:
    return upgrade(text, tomllib.loads(text), "s.toml", **options)


def rename(table: dict[str, Any]) -> dict[str, Any]:
    """A step as a later form might need it: the section `pins` is called `wires` there."""
    return {("wires" if key == "pins" else key): body for key, body in table.items()}


@pytest.mark.parametrize("text", ["", "version = 1\n", "version = 1\n[web]\nport = 8080\n"])
def test_files_of_version_1_with_and_without_the_key(tmp_path: Path, text: str) -> None:
    file = tmp_path / "s.toml"
    file.write_text(text)
    assert load(file) == Settings()


@pytest.mark.parametrize("file", sorted((Path(__file__).parents[1] / "vectors" / "settings").glob("*.toml")))
def test_files_of_the_release_before_mean_what_they_meant(file: Path) -> None:
    """`defaults.toml` is what that release showed as its defaults, `venue.toml` changes each section."""
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    in_force = tomllib.loads(show(load(file)))
    assert {
        section: {key: in_force[section][key] for key in body} for section, body in tables(written)
    } == dict(tables(written))
    if file.stem == "defaults":
        assert load(file) == Settings()


def tables(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, body) for name, body in document.items() if name != "version"]


@pytest.mark.parametrize("version", ["0", "-1", "true", '"1"', "1.0", "[]"])
def test_what_is_no_version(tmp_path: Path, version: str) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f"version = {version}\n[pinz]\n")
    with pytest.raises(SettingsFault) as fault:
        load(file)
    (problem,) = all_words(fault.value.problems)
    assert problem.endswith("is not a version of a settings file: write version = 1.")
    with pytest.raises(SettingsFault, match="is not a version of a settings file"):
        upgraded(file.read_text())


def test_a_newer_file_is_one_sentence_with_the_remedy(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("version = 2\n[what_this_program_does_not_know]\n")
    with pytest.raises(SettingsFault) as fault:
        load(file)
    (problem,) = all_words(fault.value.problems)
    assert problem.startswith(
        f"{file} is a settings file of version 2, but this program reads version 1: install"
    )
    with pytest.raises(SettingsFault, match="reads version 1: install the newer program"):
        upgraded(file.read_text())


def test_an_older_file_names_the_command_that_brings_it_up() -> None:
    with pytest.raises(
        SettingsFault,
        match=r"version 1, but this program reads version 3: run `pi-controller settings upgrade",
    ):
        check_version({}, "s.toml", newest=3)


def test_the_newest_form_stays_as_it_is_but_says_its_version() -> None:
    text = "# mine\n[web]\nport = 81 # why\n"
    newest = upgraded(text)
    assert newest.text == f"version = 1\n{text}"
    assert all_words(newest.changes) == ["The file now states its version, 1."]
    assert upgraded(newest.text).changes == ()
    assert upgraded(newest.text).text == newest.text


def test_an_older_form_takes_every_step() -> None:
    steps = {1: rename, 2: lambda table: {**table, "added": {"key": "x y"}}}
    newest = upgraded("[pins]\nsun_lamp = 5\n[web]\nallowed_hosts = ['a']\n", steps=steps, newest=3)
    assert tomllib.loads(newest.text) == {
        "version": 3, "wires": {"sun_lamp": 5}, "web": {"allowed_hosts": ["a"]}, "added": {"key": "x y"},
    }  # fmt: skip
    assert all_words(newest.changes)[0] == "It was converted from version 1 to 3."


def test_the_old_file_stays_beside_the_new_one(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    assert replace_file(file, "new\n", "20261121-180000") is None
    assert replace_file(file, "newer\n", "20261121-180001") == tmp_path / "settings.toml.20261121-180001"
    assert file.read_text() == "newer\n"
    assert (tmp_path / "settings.toml.20261121-180001").read_text() == "new\n"
    assert file.stat().st_mode & 0o777 == 0o644
