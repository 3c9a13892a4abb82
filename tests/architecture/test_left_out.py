"""A test that is left out is listed last, and fails the run in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

TESTS = """
import pytest

def test_runs(): pass
def test_needs_something(): pytest.skip("strings are not installed")
@pytest.mark.soak
def test_long(): pass
"""


def run(folder: Path, ci: str, tests: str = TESTS) -> tuple[int, list[str]]:
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -q -m 'not soak'\nmarkers = soak\n")
    (folder / "test_it.py").write_text(tests)
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.returncode, answer.stdout.splitlines()


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_what_was_left_out_is_listed_last(tmp_path: Path, ci: str, status: int) -> None:
    code, lines = run(tmp_path, ci)
    assert code == status
    assert lines[-1].startswith("1 passed, 1 skipped, 1 deselected")
    assert lines[-2] == "1 in test_it.py: strings are not installed"
    assert "LEFT OUT" in lines[-3]
    assert lines[-4] == "in a run of its own: 1 tests (soak)"


@pytest.mark.parametrize("ci", ["", "true"])
def test_nothing_left_out_passes_everywhere(tmp_path: Path, ci: str) -> None:
    code, lines = run(tmp_path, ci, "def test_runs(): pass")
    assert code == 0
    assert lines[-1].startswith("1 passed")


def test_a_module_left_out_counts_too(tmp_path: Path) -> None:
    text = TESTS + "\npytest.skip('no such thing', allow_module_level=True)"
    code, lines = run(tmp_path, "true", text)
    assert code != 0
    assert lines[-2] == "1 in test_it.py: no such thing"
