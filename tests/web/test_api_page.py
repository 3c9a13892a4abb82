"""docs/api.md says what the program does."""

import re
from pathlib import Path

from pi_controller.protocol.commands import BODIES, COUNTING, COUNTING_FIELDS
from pi_controller.protocol.picture import Picture
from pi_controller.protocol.simulated import SimAction
from pi_controller.web.api import games
from pi_controller.web.api.game import LONGEST_KEY
from pi_controller.web.http import limits, routes
from pi_controller.web.live import broadcaster
from tests.web.hall import served

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def names_in_table(text: str) -> set[str]:
    """The code words in the first column."""
    rows = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_every_field_of_the_picture_and_every_command() -> None:
    assert names_in_table(section("The room picture")) == set(Picture.__struct_fields__)
    assert names_in_table(section("Commands")) == set(BODIES)


def test_what_counts_for_each_command() -> None:
    """The same in the page and in the program, with one entry for each command."""
    told = {}
    for names, counts in re.findall(r"^\| (`[^|]*`) \|.*\| ([^|]*) \|$", section("Commands"), re.MULTILINE):
        for name, fields in zip(re.findall(r"`(\w+)`", names), [*counts.split(" / ")] * 2, strict=False):
            told[name] = tuple(re.findall(r"`(\w+)`", fields))
    assert told == COUNTING
    assert COUNTING.keys() == BODIES.keys()
    assert {*COUNTING_FIELDS} - {"actions"} < {*Picture.__struct_fields__}


def test_every_action_of_the_virtual_hall() -> None:
    for action in SimAction.__args__:
        assert f"`{action}`" in section("Virtual hall")


def test_limits() -> None:
    feed = section("The feed")
    for number in (broadcaster.MOST_STRANGERS, broadcaster.MOST_KEYED, broadcaster.MOST_PER_ADDRESS):
        assert f" {number} " in feed
    assert f"for {broadcaster.STALLED_LIMIT_S:g} s" in feed
    assert f"more than {broadcaster.FRAMES} frames at once or {broadcaster.FRAMES_A_S} a second" in feed
    assert f"more than {limits.INPUT_BYTES} bytes at once or {limits.INPUT_BYTES_A_S} a second" in feed
    assert f"1 to {LONGEST_KEY} printable" in section("Commands")
    assert (limits.WRONG_PER_ADDRESS, limits.WRONG_OVERALL, games.EXPORTS_AT_ONCE) == (10, 60, 4)
    assert "Ten wrong tokens an hour from one address, or sixty" in PAGE


async def test_every_address_of_the_interface(tmp_path: Path) -> None:
    async with served(tmp_path) as hall:
        for row in hall.side.rows:
            if row.kind != "page" and row.path != routes.COMMAND_PATH:
                assert row.pattern in PAGE, row.pattern
