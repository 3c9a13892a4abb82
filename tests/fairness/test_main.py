"""The long fairness run, kept short: its table, its verdict, its exit status."""

import sys
from collections import Counter

import pytest

from tests.fairness import __main__ as fairness
from tests.fairness.counting import TABLES


def test_a_short_run_prints_every_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fairness, "CHUNK_ROLLS", 5_000)
    monkeypatch.setattr(sys, "argv", ["fairness", "--rolls", "5000"])
    assert fairness.main() == 0
    said = capsys.readouterr()
    assert said.out.count(": fair\n") == len(TABLES)
    assert "100 %" in said.err
    monkeypatch.setattr(sys, "argv", ["fairness", "--rolls", "7"])
    with pytest.raises(SystemExit):
        fairness.main()
    assert "--rolls must be 5000 or more, not 7" in capsys.readouterr().err


def test_a_count_out_of_band_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    even = {
        name: Counter(dict(zip(table.cells, table.weights, strict=True))) for name, table in TABLES.items()
    }
    assert not fairness._print_tables(even)
    assert capsys.readouterr().out.count("OUT OF BAND 0.001 to 0.999") == len(TABLES)
