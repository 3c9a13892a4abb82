"""Where the real MicroPython is, and how a test starts it on the firmware's own files."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.patience import DEADLINE_S

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "firmware"
CACHED = ROOT / ".cache" / "micropython" / "micropython"
NEW_ENOUGH = 'import sys; v = sys.implementation; sys.exit(v[0] != "micropython" or v[1][:2] < (1, 25))'


def interpreter() -> str:
    """Full path of a MicroPython of 1.25 or newer; without one the test is left out."""
    path = _found()
    if path is None:
        pytest.skip("MicroPython 1.25 or newer is not there; `make test` fetches it")
    return path


def environment(*folders: Path) -> dict[str, str]:
    """The environment in which it imports from these folders first, then from the firmware, then its own."""
    places = [*(str(folder) for folder in folders), str(FIRMWARE), ".frozen"]
    return {**os.environ, "MICROPYPATH": ":".join(places)}


def run(script: Path, *arguments: str) -> str:
    """What the script prints; its exit status must be 0 and its errors empty."""
    return fed(b"", script, *arguments).decode()


def fed(data: bytes, script: Path, *arguments: str) -> bytes:
    """What the script writes when it is given `data`; its exit status must be 0 and its errors empty."""
    answer = subprocess.run(
        [interpreter(), str(script), *arguments],
        env=environment(),
        input=data,
        capture_output=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert (answer.returncode, answer.stderr) == (0, b""), answer.stdout[-2000:] + answer.stderr
    return answer.stdout


@cache
def _found() -> str | None:
    for path in (shutil.which("micropython"), str(CACHED)):
        if path is not None and Path(path).exists() and _is_new_enough(path):
            return path
    return None


def _is_new_enough(path: str) -> bool:
    return subprocess.run([path, "-c", NEW_ENOUGH], capture_output=True, check=False).returncode == 0
