"""What the table bus promises, measured in virtual time with a quarter of the events that `make figures` measures."""

import pytest

from tests.bus.figures import FIGURES, Figure
from tests.matrix import further

SHARE = 0.25
LONG = {
    "pause on the wire, 115,200 Bd, 256 tables",
    "the same with 1, 16, 64 and 256 tables",
    "the same, each segment for itself",
    "the same with tables of protocol 4",
    "end of a pause on the wire, 115,200 Bd",
    "growth of the cycle for each dead table",
    "8 segments of 32 tables",
    "the same with the real firmware",
    "the same while tables are pinged",
    "pause on the wire, 250,000 Bd, 256 tables",
    "pause on a segment of 1 and of 256 tables, 250,000 Bd",
    "age of what is shown, 50 % of frames lost",
    "two tables on one address are parted",
}
"""What takes longest, and whose parts the others try too."""


@pytest.mark.parametrize(
    "figure",
    [
        *(each for each in FIGURES if each.name not in LONG),
        *further(*((each,) for each in FIGURES if each.name in LONG)),
    ],
    ids=lambda figure: figure.name,
)
def test_the_figure_is_reached(figure: Figure) -> None:
    """Rows B4 (frames lost), B8 and B9 (dead tables), B11 (duplicate address) of the fault table among them."""
    reached = figure.measure(SHARE)
    assert reached.good, f"{figure.name}: {reached.text}; wanted {figure.target}"
