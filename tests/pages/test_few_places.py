"""What only few scripts of the pages may do themselves: ask what the time is, write it, ask the controller."""

import re
from collections.abc import Mapping
from pathlib import Path

PAGES = Path(__file__).parents[2] / "pi_controller" / "web" / "pages"
WALL = re.compile(r"Date\.now|new Date\(|Date\.parse|timeOrigin")
WRITTEN = re.compile(r"toLocaleTimeString|toLocaleString\(|DateTimeFormat|toISOString")

OWN_CLOCK: Mapping[str, str] = {
    "lib/clock.js": "the wall clock itself, and `wallOf`",
    "lib/words.js": "writes what it is given",
    "hall/foot.js": "the same",
    "hall/screen.js": "tells the controller what this screen's own clock shows",
    "director/directors.js": "the controller says it as a date",
    "director/house.js": "so many seconds from now",
    "verify/main.js": "the exported game says it as a date",
}
"""The scripts that ask for the time of this place or read a date, and of what: no page tells a time of day of the
game before it knows core's clock, so all of them come from `wallOf`."""


def scripts() -> dict[str, str]:
    """The pages' own scripts by name."""
    found = {
        path.relative_to(PAGES).as_posix(): path.read_text(encoding="utf-8") for path in PAGES.rglob("*.js")
    }
    return {name: script for name, script in found.items() if not name.startswith(("bundles/", "vendor/"))}


def test_what_the_time_is_here_is_asked_in_few_places() -> None:
    assert {name for name, script in scripts().items() if WALL.search(script)} == set(OWN_CLOCK)


def test_a_time_of_day_is_written_in_one_place() -> None:
    writers = {name for name, script in scripts().items() if WRITTEN.search(script)}
    assert writers == {"lib/words.js", "hall/foot.js", "director/house.js", "verify/main.js"}


def test_the_controller_is_asked_in_few_places() -> None:
    """All others ask by `jsonOf`, `answerOf` or `postJson`, which bear that the page is left meanwhile."""
    asking = {name for name, script in scripts().items() if "fetch(" in script}
    assert asking == {"lib/dom.js", "lib/feed.js", "lib/words.js", "hall/replay.js", "verify/main.js"}
