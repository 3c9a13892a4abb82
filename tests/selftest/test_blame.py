"""From bad nodes to the likely part: the nodes themselves, the cable before them, or the whole segment."""

import pytest

from tests.selftest.small_hall import SmallHall
from tests.selftest.test_checks import run


@pytest.mark.parametrize(
    ("rows", "bad", "parts"),
    [
        ({"A": 3}, "A1 A2 A3", ["the adapter, the first cable or a terminator of segment A"]),
        ({"A": 2}, "A1 A2", ["the node of board A1", "the node of board A2"]),
        ({"A": 2, "B": 1}, "A1 A2", ["the node of board A1", "the node of board A2"]),
        ({"A": 3, "B": 1}, "A2 A3", ["the cable between A1 and A2"]),
        ({"A": 3, "B": 1}, "A3", ["the node of board A3"]),
    ],
    ids=["a whole segment", "a segment of two", "a whole row", "the end of a row", "the last of a row"],
)
def test_what_is_likely_to_be_bad(rows: dict[str, int], bad: str, parts: list[str]) -> None:
    hall = SmallHall(rows)
    for label in bad.split():
        hall.tables_there[label].loss = 0.5
    assert [finding.part for finding in run(hall, "BER").findings] == parts
