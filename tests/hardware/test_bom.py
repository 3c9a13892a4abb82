from pathlib import Path

import pytest

from tools import bom

HARDWARE = Path(__file__).parents[2] / "hardware"
TEXT = (HARDWARE / "bom.csv").read_text(encoding="utf-8")
HEAD = ",".join(bom.COLUMNS)
LINE = "X1,thing,node,1,10,shop,,"


def test_the_list_can_be_read() -> None:
    items = bom.read(TEXT)
    assert {item.per for item in items} == set(bom.PER)
    assert all(item.source and "http" not in item.source for item in items)


def test_everything_the_list_points_to_exists() -> None:
    for item in bom.read(TEXT):
        for word in f"{item.note} {item.source}".replace(",", " ").split():
            if word.endswith((".yml", ".csv", ".scad", "/")):
                found = [HARDWARE / word, HARDWARE / "wiring" / word]
                assert any(path.exists() for path in found), word


@pytest.mark.parametrize(
    ("boards", "rows"), [(20, [20]), (25, [25]), (26, [13, 13]), (50, [25, 25]), (200, [25] * 8)]
)
def test_rows_are_even(boards: int, rows: list[int]) -> None:
    assert bom.rows_of(boards) == rows


@pytest.mark.parametrize("boards", bom.SIZES)
def test_a_hall_is_counted_as_it_is_cabled(boards: int) -> None:
    found = bom.counts(boards)
    assert found["node"] == boards
    assert found["chain"] <= 8
    # Each board and each injector has one cable at its IN, which is a table cable but for heads and ends of zones.
    assert found["table_cable"] + found["zone_cable"] + found["chain"] == boards + found["zone"]


def test_spares_are_rounded_up() -> None:
    (item,) = bom.read(f"{HEAD}\nX1,thing,node,2,10,shop,,\n")
    assert item.needed({"node": 20}) == 40
    assert item.bought({"node": 20}) == 44
    assert item.bought({"node": 1}) == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id,part\n", "hardware/bom.csv must have the columns id, part, per"),
        (f"{HEAD}\nX1,thing,node,1\n", "line 2: it must have 8 cells; put texts with commas in quotes."),
        (f"{HEAD}\n{LINE},more\n", "line 2: it must have 8 cells"),
        (f"{HEAD}\n{LINE}\n{LINE}\n", "line 3: X1 is there twice; give it an id of its own."),
        (f"{HEAD}\nX1,,node,1,10,shop,,\n", "line 2: `part` is empty; fill it in."),
        (f"{HEAD}\nX1,thing,table,1,10,shop,,\n", "line 2: per 'table' is not one of node, table_cable"),
        (f"{HEAD}\nX1,thing,node,one,10,shop,,\n", "line 2: quantity 'one' must be a number from 0 up."),
        (f"{HEAD}\nX1,thing,node,1,nan,shop,,\n", "line 2: spare_percent 'nan' must be a number from 0 up."),
        (f"{HEAD}\nX1,thing,node,0,10,shop,,\n", "line 2: quantity must be above 0."),
    ],
)
def test_a_wrong_line_is_named(text: str, sentence: str) -> None:
    with pytest.raises(bom.BomError) as told:
        bom.read(text)
    assert sentence in str(told.value)
