"""docs/technician.md says what the self-test does."""

import re
from pathlib import Path

from pi_controller.selftest.catalogue import CHECKS
from pi_controller.web.api import tables

PAGE = (Path(__file__).parents[2] / "docs" / "technician.md").read_text(encoding="utf-8")


def test_every_check_stands_in_the_table_once() -> None:
    table = PAGE.split("### The checks and the parts\n")[1].split("\n## ")[0]
    named = [
        code for row in re.findall(r"^\| ([A-Z, ]+) \|", table, re.MULTILINE) for code in row.split(", ")
    ]
    assert sorted(named) == sorted(CHECKS)


def test_its_own_headings_are_where_it_points() -> None:
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\](#([^)]+))", PAGE)) <= headings


def test_limits() -> None:
    assert f"uses for {tables.IDLE_LIMIT_S / 60:.0f} minutes" in PAGE
