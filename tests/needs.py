"""System programs that a test drives. Where one is missing the test is left out, and named in the summary."""

import shutil

import pytest


def program(name: str) -> str:
    """The program's full path."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if path is None:
        pytest.skip(f"{name} is not installed; `make test` installs it")
    return path
