"""The long fairness run, kept short: its table, its verdict, its exit status."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.fairness.__main__ import _print_tables
from tests.fairness.counting import TABLES
from tests.patience import DEADLINE_S

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fairness", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=DEADLINE_S)


def test_a_short_run_prints_every_table() -> None:
    done = run("--rolls", "50000")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(": fair\n") == len(TABLES)
    assert "100 %" in done.stderr


def test_too_few_rolls_are_bad_usage() -> None:
    wrong = run("--rolls", "7")
    assert wrong.returncode == 2
    assert "--rolls must be 50000 or more, not 7" in wrong.stderr


def test_a_count_out_of_band_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    even = {
        name: Counter(dict(zip(table.cells, table.weights, strict=True))) for name, table in TABLES.items()
    }
    assert not _print_tables(even)
    assert capsys.readouterr().out.count("OUT OF BAND 0.001 to 0.999") == len(TABLES)
