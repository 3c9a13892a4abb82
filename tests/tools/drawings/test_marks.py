"""What a person must see at a pin is printed there: label, + and first pin; and what is not printed is told."""

from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tools.drawings import panel
from tools.drawings.marks import SIZES, Mark, places, unmarked, wanted
from tools.pinmap import load

PINMAP = load(ROOT / "hardware" / "pinmap.toml")
SHEET = panel.sheet(PINMAP)


@pytest.fixture(scope="module")
def board() -> str:
    return Path(ROOT / "hardware" / "panel" / "panel.kicad_pcb").read_text(encoding="utf-8")


def test_each_connectors_pins_and_each_polarised_part_want_a_mark() -> None:
    texts = wanted(SHEET)
    for connector in PINMAP.of("panel"):
        for wire in connector.wires:
            assert texts[connector.ref, str(wire.pin)] == f"{wire.pin} {wire.label.split(',')[0]}"
    assert texts["J2", "1"] == "1 +24 V"
    assert texts["C1", "1"] == "+"
    assert [texts[ref, "1"] for ref in ("U1", "U2", "U3", "U4", "J1")] == ["1"] * 5
    assert texts["TP4", "1"] == "5V"


def test_the_board_has_every_mark(board: str) -> None:
    assert unmarked(board, SHEET) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 +24 V", 'panel: "1 +24 V" is not printed at pin 1 of J2; run `make board`.'),
        ("3 0 V", 'panel: "3 0 V" is not printed at pin 3 of J6; run `make board`.'),
        ("+", 'panel: "+" is not printed at pin 1 of C1; run `make board`.'),
        ("1", 'panel: "1" is not printed at pin 1 of U3; run `make board`.'),
    ],
)
def test_a_mark_that_was_taken_away_is_told(board: str, text: str, sentence: str) -> None:
    spoilt = board.replace(f'(gr_text "{text}"', '(gr_text "x"')
    assert sentence in unmarked(spoilt, SHEET)


def test_a_mark_at_the_wrong_pin_is_told(board: str) -> None:
    spoilt = board.replace('"1 +24 V"', '"x"').replace('"2 0 V"', '"1 +24 V"')
    assert 'panel: "1 +24 V" is not printed at pin 1 of J2; run `make board`.' in unmarked(spoilt, SHEET)


def test_the_nearest_place_comes_first_and_a_short_text_may_lie_across() -> None:
    first = places((10, 10), (8, 9, 12, 14), "1 GND")[0]
    assert (first.angle, first.size) == (90, SIZES[0])
    assert first.box[3] < 9
    assert {mark.angle for mark in places((10, 10), (9, 9, 11, 14), "1 GND", alone=True)} == {0, 90}
    assert Mark("", "", "+", 0, 0, 0, "left", 1.0).box == pytest.approx((0, -0.62, 0.98, 0.62))
