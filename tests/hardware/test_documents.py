"""The documents of the hardware: links lead somewhere, and each says how far its subject has come."""

import re
from pathlib import Path

import pytest

HARDWARE = Path(__file__).parents[2] / "hardware"
PAGES = sorted(HARDWARE.rglob("*.md"))
LINK = re.compile(r"\]\(([^)#:\s]*)#([^)\s]*)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(HARDWARE).as_posix())
def test_links_into_a_page_find_their_heading(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        goal = page.parent / target if target else page
        heads = re.findall(r"^#+ (.*)$", goal.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {head.lower().replace(" ", "-") for head in heads}, anchor


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name not in {"pins.md", "DESIGN_DECISIONS.md"}],
    ids=lambda page: page.name,
)
def test_the_state_is_said(page: Path) -> None:
    assert "paper**" in page.read_text(encoding="utf-8").lower()


def test_the_licence_is_the_whole_text() -> None:
    text = (HARDWARE / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith("CERN Open Hardware Licence Version 2 - Weakly Reciprocal")
    assert "8.6 This Licence shall not be enforceable" in text
    assert "CERN-OHL-W-2.0" in (HARDWARE / "README.md").read_text(encoding="utf-8")
