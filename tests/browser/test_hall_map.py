"""Where the boards of a row are drawn, and how the map shows what is known of them."""

from itertools import pairwise
from typing import Any

import pytest

from tests import hall_of_tables as tables
from tests.browser.screen import Screen

pytestmark = pytest.mark.browser

STEP = 50
PLACES = """
async ([rows, width, step]) => {
  const { placesOf, pathThrough } = await import('/static/lib/tables.js');
  return rows.map((row) => ({ ...placesOf(row, { width, step }), path: pathThrough(placesOf(row, { width, step })) }));
}
"""


def places(screen: Screen, shape: str, counts: list[int], *, width: int = 500, angle: int = 0) -> list[Any]:
    rows = [tables.row("A", [None] * count, shape=shape, angle=angle) for count in counts]
    if screen.page.url == "about:blank":
        screen.page.goto(screen.stage.address + "/login")
    return list(screen.page.evaluate(PLACES, [rows, width, STEP]))


def step_between(one: Any, other: Any) -> float:
    return float(((one["x"] - other["x"]) ** 2 + (one["y"] - other["y"]) ** 2) ** 0.5)


@pytest.mark.parametrize("shape", ["straight", "ring", "angled"])
def test_neighbours_are_drawn_as_neighbours_and_nobody_sits_on_another(screen: Screen, shape: str) -> None:
    counts = list(range(1, 60))
    drawn = [
        (width, count, row)
        for width in (110, 500, 1200)
        for count, row in zip(counts, places(screen, shape, counts, width=width, angle=30), strict=True)
    ]
    for width, count, row in drawn:
        points = row["points"]
        assert len(points) == count
        assert len({(point["x"], point["y"]) for point in points}) == count
        assert all(0 < point["x"] < width and 0 < point["y"] < row["height"] for point in points)
        for one, other in pairwise(points):
            assert STEP - 0.01 <= step_between(one, other) <= 1.6 * STEP
        for number, one in enumerate(points):
            assert all(step_between(one, other) >= 0.9 * STEP for other in points[number + 1 :])


def test_a_ring_closes(screen: Screen) -> None:
    for row in places(screen, "ring", list(range(4, 60))):
        assert row["closed"]
        assert row["path"].endswith("Z")
        assert step_between(row["points"][0], row["points"][-1]) <= 2 * STEP


def test_a_straight_row_that_fits_is_one_line_and_an_angled_one_swings(screen: Screen) -> None:
    (straight,) = places(screen, "straight", [10])
    assert {point["y"] for point in straight["points"]} == {STEP / 2}
    (angled,) = places(screen, "angled", [10], angle=40)
    assert len({point["y"] for point in angled["points"]}) == 2
    (flat,) = places(screen, "angled", [10], angle=0)
    assert len({point["y"] for point in flat["points"]}) == 1


def test_standings_spares_and_names(screen: Screen) -> None:
    roster, snapshot = tables.troubled_hall()
    screen.page.goto(screen.stage.address + "/login")
    said = screen.page.evaluate(
        """async ([roster, snapshot]) => {
          const reading = await import('/static/lib/tables.js');
          const boards = reading.boardsOf(roster, snapshot);
          return {
            standings: Object.fromEntries(boards.map((board) => [board.name, board.standing])),
            spares: reading.sparesOf(roster, snapshot).map((node) => node.uid),
            counted: reading.standingsOf(boards).map(([standing, found]) => [standing, found.length]),
            names: reading.namesOf(boards, 2),
          };
        }""",
        [roster, snapshot],
    )
    unlike = {name: standing for name, standing in said["standings"].items() if standing != "good"}
    assert unlike == {
        "A7": "lost",
        "A8": "lost",
        "A11": "suspect",
        "B4": "outdated",
        "B13": "unfitted",
        "B14": "unfitted",
        "C4": "duplicate",
        "C10": "lost",  # its node has not been heard at all
    }
    assert said["spares"] == [tables.uid(39), tables.uid(40)]
    assert said["counted"] == [
        ["good", 32],
        ["suspect", 1],
        ["lost", 3],
        ["outdated", 1],
        ["duplicate", 1],
        ["unfitted", 2],
    ]
    assert said["names"] == "A1, A2 +38"
