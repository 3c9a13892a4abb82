import pytest

from pi_controller.paper.document import Paper
from pi_controller.paper.plots import MOST_LABELS, bars
from tests.paper import reading


def test_bars_show_labels_unit_and_limit() -> None:
    paper = Paper("Bounce")
    paper.picture(bars([1.0, 4.0, 16.0], labels=["1 ms", "2 ms", "3 ms"], unit="presses", limit=15))
    text = reading.pages(paper.pdf())[0]
    for part in ("1 ms", "3 ms", "presses", "limit 15", "16"):
        assert part in text


def test_many_labels_are_thinned_out() -> None:
    paper = Paper("x")
    paper.picture(bars([1.0] * 100, labels=[f"b{n}." for n in range(100)], unit="V"))
    assert reading.pages(paper.pdf())[0].count("b") <= MOST_LABELS


def test_nothing_to_show_is_an_empty_plot() -> None:
    assert bars([], labels=[], unit="V").width_mm == 170


def test_a_missing_label_is_refused() -> None:
    with pytest.raises(ValueError, match="a label for each value, not 1 for 2"):
        bars([1.0, 2.0], labels=["a"], unit="V")


def test_values_below_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot show values below 0"):
        bars([-1.0], labels=["a"], unit="V")
