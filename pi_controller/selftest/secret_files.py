"""Looks at what is secret in the state folder: modes only, never contents."""

import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from pi_controller.selftest.probes import SecretFile, Secrets

PinCheck = Callable[[str], bool | None]
"""Whether this text is the PIN; None while none is set. ValueError or OSError when its file cannot be
used."""
GUESSED_FIRST = ("123456", "000000", "111111", "654321", "121212", "112233", "123123", "222222")
"""The six-digit PINs that stand at the top of every published list."""
SECRET_NAMES = ("seed", "token", "secret", "pin", "key")
"""In the name of a file that must be private, besides everything of the web side."""


def look_at_secrets(state_dir: Path, pin_matches: PinCheck | None) -> Secrets:
    """The secret files below this folder, and what is to be said of the PIN."""
    files = tuple(_files(state_dir))
    try:
        return Secrets(pin_guessable=_guessable(pin_matches), files=files)
    except (ValueError, OSError) as error:
        return Secrets(pin_guessable=None, files=files, pin_trouble=str(error))


def _guessable(pin_matches: PinCheck | None) -> bool | None:
    if pin_matches is None:
        return None
    for pin in GUESSED_FIRST:
        found = pin_matches(pin)
        if found is None or found:
            return found
    return False


def _files(state_dir: Path) -> Iterator[SecretFile]:
    for path in sorted(state_dir.rglob("*")):
        name = str(path.relative_to(state_dir))
        if path.is_symlink() or not (path.is_file() and _is_secret(name)):
            continue
        yield SecretFile(name=name, mode=stat.S_IMODE(path.stat().st_mode))


def _is_secret(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return folder.split("/")[0] == "web" or any(word in file for word in SECRET_NAMES)
