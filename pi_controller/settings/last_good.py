"""The last settings that were in order, kept so that a mistake in the file leaves no hall without a clock."""

from pathlib import Path

from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load
from pi_controller.settings.sections import HardwareChoice, Settings

FILE_NAME = "settings.good.toml"
"""In the state folder: a copy of the settings file as it was when core last started with it."""


def load_or_make_do(
    path: Path | None, hardware: HardwareChoice | None, folder: Path
) -> tuple[Settings, tuple[str, ...]]:
    """As `load`, except that mistakes come back as sentences: then the settings are the last good ones that
    are kept in this folder, or the defaults."""
    try:
        return load(path, hardware), ()
    except SettingsFault as fault:
        problems = fault.problems
    try:
        return load(folder / FILE_NAME, hardware), (LAST_GOOD, *problems)
    except SettingsFault:
        return load(None, hardware), (DEFAULTS, *problems)


LAST_GOOD = "The settings file has mistakes, so that the last good settings are used; mend it and restart."
DEFAULTS = "The settings file has mistakes, so that the defaults are used; mend it and restart."
