"""The cost sheet adds up what has a price and names what has none."""

import pytest

from tests.architecture.sources import ROOT
from tools import bom
from tools.parts import prices

ITEMS = bom.read(
    f"{','.join(bom.COLUMNS)}\nX1,thing,node,1,10,shop,,\nX2,other,hall,2,0,shop,,\nX3,third,hall,1,0,shop,,\n"
)
HEAD = ",".join(prices.COLUMNS)
HALLS = {20: {"node": 20, "hall": 1}}


def test_sums() -> None:
    found = prices.read(f"{HEAD}\nX1,2,3,estimate,,,\nX2,7.5,,offer,2027-01-05,shop,\nX3,,,,,,\n")
    assert prices.total(ITEMS, HALLS[20], found) == (22 * 2 + 15, 22 * 3 + 15)
    page, table = prices.page(ITEMS, HALLS, found), "\n".join(prices.table(ITEMS, HALLS, found))
    assert "| X1 | thing | 2-3 | 44-66 |" in table
    assert "| X2 | other | 7.5-7.5 (offer) | 15-15 |" in table
    assert "| X3 |" not in table
    for text in (page, f"{table}\n"):
        assert "| 20 | **59-81** | 2.95-4.05 |" in text
        assert "No price yet: X3.\n" in text


def test_every_line_of_the_list_stands_in_the_price_file() -> None:
    items = bom.read((ROOT / "hardware" / "bom.csv").read_text(encoding="utf-8"))
    found = prices.read((ROOT / "hardware" / "prices.csv").read_text(encoding="utf-8"))
    assert {item.id for item in items} == set(found)
    assert {price.basis for price in found.values() if price} == {"estimate"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id,eur\n", "hardware/prices.csv must have the columns id, eur_low"),
        (
            f"{HEAD}\nX1,2,3,guess,,,\n",
            "line 2: basis 'guess' is not one of estimate, offer, receipt, or empty.",
        ),
        (f"{HEAD}\nX1,2,3,,,,\n", "line 2: say in `basis` where the price comes from"),
        (
            f"{HEAD}\nX1,3,2,offer,,,\n",
            "line 2: eur_low and eur_high must be numbers from 0 up, the low one first.",
        ),
        (f"{HEAD}\nX1,dear,,offer,,,\n", "line 2: eur_low and eur_high must be numbers"),
        (f"{HEAD}\nX1,,,,,,\nX1,,,,,,\n", "line 3: the id 'X1' is empty or there twice."),
    ],
)
def test_a_wrong_line_is_named(text: str, sentence: str) -> None:
    with pytest.raises(prices.PriceError) as told:
        prices.read(text)
    assert sentence in str(told.value)
