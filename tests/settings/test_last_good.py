"""With mistakes in the file the last good settings are used, or the defaults, and every mistake is named."""

from pathlib import Path

import pytest

from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.last_good import DEFAULTS, FILE_NAME, LAST_GOOD, load_or_make_do
from pi_controller.settings.load import load

GOOD = "[game]\nrobber_seconds = 9\n"
WRONG = '[game]\nrobber_seconds = -1\ncolour = "red"\n'


def mistakes(path: Path) -> tuple[str, ...]:
    with pytest.raises(SettingsFault) as fault:
        load(path)
    return tuple(fault.value.problems)


def test_a_file_in_order_is_used_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(GOOD)
    assert load_or_make_do(file, "sim", tmp_path) == (load(file, "sim"), ())


def test_the_last_good_ones_come_before_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(WRONG)
    (tmp_path / FILE_NAME).write_text(GOOD)
    settings, told = load_or_make_do(file, "sim", tmp_path)
    assert (settings.game.robber_seconds, settings.hardware.lamps) == (9, "sim")
    assert told == (LAST_GOOD, *mistakes(file))
    assert len(told) == 3


@pytest.mark.parametrize("kept", [None, WRONG, "[", "\0"])
def test_without_good_ones_the_defaults(tmp_path: Path, kept: str | None) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(WRONG)
    if kept is not None:
        (tmp_path / FILE_NAME).write_text(kept)
    assert load_or_make_do(file, None, tmp_path) == (load(None), (DEFAULTS, *mistakes(file)))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    settings, told = load_or_make_do(tmp_path / "none.toml", None, tmp_path)
    assert settings == load(None)
    assert "cannot be read" in told[1]
