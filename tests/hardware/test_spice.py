"""The limits of the measuring sheets: what the decks say, what ngspice computed, what the sheets print."""

import re
import tomllib
from dataclasses import replace

import pytest

from tools import spice
from tools.kicad_files import BOARDS, HARDWARE, sheet_parts
from tools.spice import DeckError, decks, number, read

DECKS = decks()
RESULTS = tomllib.loads(spice.RESULTS.read_text(encoding="utf-8"))
STEPS = [(limit.sheet, limit.step, limit) for deck in DECKS.values() for limit in deck.limits if limit.sheet]
NOT_COMPUTED = {("node", 2), ("node", 15), ("panel", 1), ("panel", 2)}
QUANTITY = re.compile(r"(?:(?:above|below) [-\d.]+|[-\d.]+ to [-\d.]+) (?:kΩ|Ω|mV|V|mA|A|ms|s)\b")
MARKS = {"R": 1.0, "k": 1e3, "M": 1e6, "m": 1e-3, "u": 1e-6, "n": 1e-9}


def must_be(sheet: str) -> dict[int, str]:
    text = (HARDWARE / sheet / "TEST.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if re.match(r"\| \d+ \|", line)]
    return {int(row[1]): row[4] for row in rows}


def printed(value: str) -> float:
    """4k7, 0R1, 22u or 150 as a sheet prints them."""
    whole, mark, part = re.match(r"(\d+)([RkMmun]?)(\d*)", value).groups()
    return float(f"{whole}.{part or 0}") * MARKS[mark or "R"]


@pytest.mark.parametrize("name", DECKS)
def test_ten_thousand_boards_of_this_very_deck_hold_its_limits(name: str) -> None:
    kept = RESULTS[name]
    assert kept["digest"] == DECKS[name].digest, "older than the deck: run `make spice`"
    assert kept["boards"] == spice.BOARDS
    for limit in DECKS[name].limits:
        assert kept[limit.measure]["limits"] == limit.said
        assert kept[limit.measure]["inside"] >= spice.WANTED


@pytest.mark.parametrize("sheet", ["node", "panel"])
def test_a_measuring_sheet_asks_for_the_limits_that_were_computed(sheet: str) -> None:
    rows = must_be(sheet)
    for where, step, limit in STEPS:
        if where == sheet:
            assert limit.said in rows[step], limit.text
    known = {limit.said for where, _, limit in STEPS if where == sheet}
    for step, cell in rows.items():
        assert set(QUANTITY.findall(cell)) <= known or (sheet, step) in NOT_COMPUTED, cell


@pytest.mark.parametrize("name", BOARDS)
def test_a_deck_computes_with_the_values_that_are_drawn(name: str) -> None:
    parts = sheet_parts(name)
    compared = 0
    for deck in DECKS.values():
        for param, part in deck.params.items():
            if deck.name.startswith(name) and param.upper() in parts and param[0] in "rc":
                assert part.value == pytest.approx(printed(parts[param.upper()].kind.value)), (
                    deck.name,
                    param,
                )
                compared += 1
    assert compared > 8


def test_fifty_boards_of_the_lockout_hold_their_limits() -> None:
    deck = DECKS["node_lockout"]
    found = spice.simulate(deck, spice.boards(deck, 50))
    assert [spice.inside(limit, found) for limit in deck.limits] == [1.0] * len(deck.limits)
    kept = RESULTS[deck.name]["v_on"]
    ons = [board["v_on"] for board in found]
    assert kept["lowest"] <= min(ons) < kept["median"] < max(ons) <= kept["highest"]


def test_the_lockout_of_the_first_revision_misses_its_limits() -> None:
    """11 V zener, 10 kΩ and 10 kΩ, 150 kΩ: off near 9 V, some only below the 8 V where the ramp ends."""
    deck = DECKS["node_lockout"]
    old = {"r8": 10e3, "r9": 10e3, "r10": 150e3}
    drawn = [{**board, **old, "vz": board["vz"] / 9.1 * 11, "kz": 0.02} for board in spice.boards(deck, 20)]
    found = spice.simulate(deck, drawn)
    off = next(limit for limit in deck.limits if limit.measure == "v_off")
    assert spice.inside(off, found) < 0.5
    assert sorted(board.get("v_off", 8.0) for board in found)[10] < 9.2


def outside(name: str, measure: str, count: int = 20, **values: float) -> float:
    """Share of boards of a deck that miss a limit when they have these values in place of their own."""
    deck = DECKS[name]
    found = spice.simulate(deck, [board | values for board in spice.boards(deck, count)])
    limit = next(limit for limit in deck.limits if limit.measure == measure)
    return 1 - spice.inside(limit, found)


@pytest.mark.parametrize(
    ("name", "measure", "values"),
    [
        # 1 kOhm without D13 to D16, as revision 2 was drawn first: 20 mA into the Pi's own diode
        ("panel_fault", "i_pi", {"r3": 1e3, "schottky_is": 1e-30}),
        # 10 Ohm before a claim lamp: 0.38 A and 1.5 W when it is a short
        ("node_lamp_short", "p_r25", {"r25": 10}),
        ("node_lamp_short", "i_short", {"r25": 10}),
        # a coil of 470 uH with nothing more than C3 behind it
        ("node_filter", "z_peak", {"l1": 470e-6, "c_inside": 0.1e-6}),
        # a supply of 250 W blows F1 before a weak F3 has opened for a long time
        ("panel_fuses", "t_f1", {"p_supply": 250, "k_limit": 1.5}),
        # 700 uF in each node: carried through for hundreds of milliseconds
        ("zone_short", "t_hold", {"c_node": 700e-6}),
        # one that goes on limiting where one that switches off was meant
        ("panel_fuses", "c_hiccup", {"duty": 1}),
    ],
)
def test_a_deck_sees_the_fault_that_it_is_there_for(
    name: str, measure: str, values: dict[str, float]
) -> None:
    assert outside(name, measure, **values) > 0.9


def test_what_did_not_come_about_is_outside() -> None:
    limit = DECKS["node_lockout"].limits[0]
    assert spice.inside(limit, [{limit.measure: 12.0}, {}]) == 0.5
    assert not replace(limit, low=None).holds(float("nan"))


def test_boards_are_drawn_the_same_each_time_and_stay_within_their_tolerances() -> None:
    deck = DECKS["node_divider"]
    drawn = spice.boards(deck, 40)
    assert drawn == spice.boards(deck, 40)
    for board in drawn:
        for name, value in board.items():
            low, high = deck.params[name].spread
            assert low <= value <= high
    assert {name for name, part in deck.params.items() if part.varies} == set(drawn[0])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (".param r1=1k", "a parameter is written"),
        (".param r1=1k ; 2k to 3k : a book", "r1 is outside its own spread"),
        ("*limit v 1 2 volts : - : text", "volts is no unit of a limit"),
        ("*limit v - - V : - : text", "v has no limit at all"),
        ("*limit v 1 2 : text", "a limit is written"),
    ],
)
def test_a_deck_that_breaks_the_form_is_refused_with_its_line(tmp_path, line: str, says: str) -> None:
    path = tmp_path / "bad.cir"
    path.write_text(f"title\n{line}\n.control\nop\n.endc\n", encoding="utf-8")
    with pytest.raises(DeckError, match=f"bad.cir, line 2: {says}"):
        read(path)


def test_a_measure_that_never_comes_is_said(tmp_path) -> None:
    path = tmp_path / "empty.cir"
    path.write_text(
        "title\n*limit v_x 1 2 V : - : nothing\nr1 a 0 1k\nv1 a 0 1\n.control\nop\n.endc\n", encoding="utf-8"
    )
    deck = read(path)
    with pytest.raises(spice.SpiceError, match="empty"):
        spice.judge(deck, spice.simulate(deck, [{}]))


def test_numbers_are_read_as_ngspice_reads_them() -> None:
    assert [number(text) for text in ("4.7k", "1meg", "22u", "-0.25u", "1.4e-14", "150")] == pytest.approx(
        [4700, 1e6, 22e-6, -0.25e-6, 1.4e-14, 150]
    )
