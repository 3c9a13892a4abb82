"""The enclosures fit the boards, and their pictures are those of the sources."""

import hashlib
import re
from pathlib import Path

from tools.drawings.node_board import PLAN

ENCLOSURE = Path(__file__).parents[2] / "hardware" / "enclosure"
NODE = (ENCLOSURE / "node.scad").read_text(encoding="utf-8")


def numbers(name: str) -> list[float]:
    found = re.search(rf"^{name} = (.*?);", NODE, re.MULTILINE)
    assert found is not None
    return [float(number) for number in re.findall(r"[\d.]+", found[1])]


def test_the_pictures_are_those_of_the_sources() -> None:
    drawn = (ENCLOSURE / "drawn" / "sums.txt").read_text(encoding="utf-8").split()
    now = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in ENCLOSURE.glob("*.scad")}
    assert dict(zip(drawn[1::2], drawn[::2], strict=True)) == now, "run `make harness`"


def test_the_node_board_fits() -> None:
    """It lies turned by 90 degrees: what is right on the board is down in the box, and its upper edge is right."""
    assert numbers("board") == [PLAN.high, PLAN.wide]
    holes = numbers("holes")
    wanted = []
    for ref in ("H1", "H2", "H3", "H4"):
        x, y, _ = PLAN.places[ref]
        wanted += [PLAN.high - y, PLAN.wide - x]
    assert holes == wanted


def test_the_jacks_look_out_of_their_openings() -> None:
    """A jack's body reaches from 3.2 mm left of its first contact to 12.1 mm right of it, and stands on its head."""
    middles = numbers("jacks")[::2]
    bodies = [PLAN.wide - PLAN.places[ref][0] + (12.1 - 3.2) / 2 for ref in ("J1", "J2")]
    assert all(abs(middle - body) < 0.5 for middle, body in zip(middles, bodies, strict=True))
