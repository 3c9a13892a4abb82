"""The commonest tasks take as many touches as docs/touches.md says, within their limits, and none needs scrolling."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.screen import Screen
from tests.browser.touches import SIZES, measured
from tests.matrix import further

pytestmark = pytest.mark.browser

TABLE = (Path(__file__).parents[2] / "docs" / "touches.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", ["phone", *further("laptop")])
def test_touches(new_screen: Callable[..., Screen], size: str) -> None:
    width, height = SIZES[size]
    screen = new_screen(viewport={"width": width, "height": height})
    place = 1 + list(SIZES).index(size)
    for task, count in measured(screen, size):
        assert task.most is None or count <= task.most, task.what
        [row] = [line.split("|") for line in TABLE.splitlines() if line.startswith(f"| {task.what} |")]
        assert int(row[1 + place]) == count, task.what
