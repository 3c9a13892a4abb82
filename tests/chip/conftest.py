"""The firmware as it is installed, in the image of a Pico's file system."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chip.pico import files
from tests.firmware.updating import KEY


@pytest.fixture(scope="session")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `pi-controller firmware build` makes."""
    made = tmp_path_factory.mktemp("firmware") / "made"
    subprocess.run([sys.executable, "-m", "pi_controller", "firmware", "build", "-o", str(made)], check=True)
    return made


@pytest.fixture(scope="session")
def installed(firmware: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as `pi-controller firmware install` puts it on a Pico."""
    place = tmp_path_factory.mktemp("installed")
    shutil.copytree(firmware / "table_node", place / "a" / "table_node")
    shutil.copy(firmware / "main.py", place)
    (place / "key").write_bytes(KEY)
    return place


@pytest.fixture(scope="session")
def image(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return files(installed, tmp_path_factory.mktemp("image") / "files.image")
