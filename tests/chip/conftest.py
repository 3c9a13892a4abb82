"""The firmware as it is installed, in the image of a Pico's file system."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.chip.pico import files


@pytest.fixture(scope="session")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `pi-controller firmware build` makes."""
    made = tmp_path_factory.mktemp("firmware") / "made"
    subprocess.run([sys.executable, "-m", "pi_controller", "firmware", "build", "-o", str(made)], check=True)
    return made


@pytest.fixture(scope="session")
def image(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return files(firmware, tmp_path_factory.mktemp("image") / "files.image")
