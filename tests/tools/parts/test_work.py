"""The time plan: order of the steps, hours and evenings."""

import pytest

from tests.architecture.sources import ROOT
from tools import bom
from tools.parts import work

HEAD = ",".join(work.COLUMNS)
TEXT = f"{HEAD}\n1,flat parts,solders fine,node,30,,\n2,wires,crimps,node,15,,pull\n3,look,measures,hall,60,1 2,\n"
COUNTS = {"node": 20, "hall": 1}


def test_hours_and_evenings() -> None:
    steps = work.read(TEXT)
    by_hand = work.hours(steps, COUNTS, placed=False)
    assert by_hand == {"solders fine": 10, "solders": 0, "crimps": 5, "flashes": 0, "measures": 1}
    assert work.hours(steps, COUNTS, placed=True)["solders fine"] == 0
    assert work.evenings(by_hand, dict.fromkeys(work.WHO, 1)) == 4  # who solders fine does it alone
    assert work.evenings(by_hand, dict.fromkeys(work.WHO, 2)) == 2


def test_the_page_says_who_and_after_what() -> None:
    page = work.page(work.read(TEXT), {20: COUNTS})
    assert "| 3 | look | measures | hall | 60 | 1, 2 | - |" in page
    assert "| **Together** | 5 | 16 | 6 |" in page


def test_the_plan_of_this_hardware() -> None:
    steps = work.read((ROOT / "hardware" / "work.csv").read_text(encoding="utf-8"))
    per_hall = [sum(work.hours(steps, bom.counts(size), placed=False).values()) for size in bom.SIZES]
    assert per_hall == sorted(per_hall)
    assert {step.who for step in steps} == set(work.WHO)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("1,x,juggles,node,5,,", "line 2: who must be one of solders fine"),
        ("1,x,crimps,node,5,2,", "line 2: steps count from 1, and a step comes after earlier ones only."),
        ("2,x,crimps,node,5,,", "line 2: steps count from 1"),
    ],
)
def test_a_wrong_step_is_named(line: str, sentence: str) -> None:
    with pytest.raises(work.WorkError) as told:
        work.read(f"{HEAD}\n{line}\n")
    assert sentence in str(told.value)
