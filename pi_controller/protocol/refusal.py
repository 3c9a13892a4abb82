"""Why core does not start, left in the state folder for the web process: a console may be read by nobody."""

import contextlib
import os
from pathlib import Path

FILE_NAME = "refusal"
LONGEST = 4096
"""Bytes that are read; a sentence has about 200."""


def leave(state_dir: Path, sentence: str) -> None:
    """Core does not start, and this is why. Where the folder takes no file, stderr alone has it."""
    fresh = state_dir / f"{FILE_NAME}.new"
    with contextlib.suppress(OSError):
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(sentence)
        fresh.replace(state_dir / FILE_NAME)


def withdraw(state_dir: Path) -> None:
    """Core runs."""
    with contextlib.suppress(OSError):
        (state_dir / FILE_NAME).unlink(missing_ok=True)


def read(state_dir: Path) -> str | None:
    """The sentence of a core that did not start; None when there is none."""
    with contextlib.suppress(OSError):
        handle = os.open(state_dir / FILE_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return os.read(handle, LONGEST).decode("utf-8", "replace").strip() or None
        finally:
            os.close(handle)
    return None
