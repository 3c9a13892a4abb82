"""What the table bus promises, measured in virtual time with a quarter of the events that `make figures` measures."""

import pytest

from tests.bus.figures import FIGURES, Figure

SHARE = 0.25


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_figure_is_reached(figure: Figure) -> None:
    """Rows B4 (frames lost), B8 and B9 (dead tables), B11 (duplicate address) of the fault table among them."""
    reached = figure.measure(SHARE)
    assert reached.good, f"{figure.name}: {reached.text}; wanted {figure.target}"
