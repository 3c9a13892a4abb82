"""What a person must see at a pin is printed there: label, + and first pin; and what is not printed is told."""

from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tools.kicad_files import BOARDS, board, file, sheet_parts
from tools.marks import unmarked, wanted
from tools.pinmap import load

PINMAP = load(ROOT / "hardware" / "pinmap.toml")


def test_each_connectors_pins_and_each_polarised_part_want_a_mark() -> None:
    texts = wanted("panel", sheet_parts("panel"), PINMAP)
    for connector in PINMAP.of("panel"):
        for wire in connector.wires:
            assert texts[connector.ref, str(wire.pin)] == f"{wire.pin} {wire.label.split(',')[0]}"
    assert texts["J2", "1"] == "1 +24 V"
    assert texts["C1", "1"] == "+"
    assert [texts[ref, "1"] for ref in ("U1", "U2", "U3", "U4", "J1")] == ["1"] * 5
    assert texts["TP4", "1"] == "5V"
    texts = wanted("node", sheet_parts("node"), PINMAP)
    assert (texts["J5", "3"], texts["TP9", "1"], texts["D1", "1"]) == ("3 lamp +", "LAMP SENSE", "1")


@pytest.mark.parametrize("name", BOARDS)
def test_the_board_has_every_mark(name: str) -> None:
    assert unmarked(board(file(name, "kicad_pcb")), sheet_parts(name), PINMAP) == []


def spoilt(folder: Path, *changes: tuple[str, str]) -> list[str]:
    """What a panel's board with other texts lacks."""
    text = file("panel", "kicad_pcb").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "panel.kicad_pcb"
    path.write_text(text, encoding="utf-8")
    return unmarked(board(path), sheet_parts("panel"), PINMAP)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 +24 V", 'panel: "1 +24 V" is not printed at pin 1 of J2; print it there.'),
        ("3 0 V", 'panel: "3 0 V" is not printed at pin 3 of J6; print it there.'),
        ("+", 'panel: "+" is not printed at pin 1 of C1; print it there.'),
        ("1", 'panel: "1" is not printed at pin 1 of U3; print it there.'),
    ],
)
def test_a_mark_that_was_taken_away_is_told(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in spoilt(tmp_path, (f'(gr_text "{text}"', '(gr_text "x"'))


def test_a_mark_at_the_wrong_pin_is_told(tmp_path: Path) -> None:
    told = spoilt(tmp_path, ('"1 +24 V"', '"x"'), ('"2 0 V"', '"1 +24 V"'))
    assert 'panel: "1 +24 V" is not printed at pin 1 of J2; print it there.' in told
