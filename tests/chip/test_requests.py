"""What an emulated Pico measures, which board it takes itself for, and when its answers begin."""

import itertools
from pathlib import Path

import pytest

from pi_controller.bus.discovery import SLOT_MS
from pi_controller.bus.frame import UNASSIGNED, decode
from pi_controller.bus.master import LAST_SLOT_US
from pi_controller.bus.messages import (
    Assign,
    Discover,
    IdentifyMessage,
    Info,
    Measure,
    Measurements,
    Message,
    Order,
    Ping,
    from_frame,
)
from pi_controller.selftest.checks.falls import WIDE_STEP_V
from table_node import line, pins
from tests.bus.hall import percentile
from tests.chip.master import ADDRESS, GAP_US, REFRESH_US, Master
from tests.chip.pico import UID, Pico, running
from tests.chip.test_chip import BEGINS_US, health

pytestmark = pytest.mark.soak

DIVIDED, LAMPS_OHM, DISPLAYS_OHM = 11, 2.2, 2.0
STEP_MV = 3300 / 4096 * DIVIDED
NEAR_MV = 2 * STEP_MV
"""MicroPython takes the highest code for the full scale, which is one step at the top."""


def said(master: Master, question: Message, dst: int = ADDRESS) -> Message:
    answer = master.ask(question, dst)
    assert answer is not None
    frame = decode(answer.data[1:-1])
    assert frame is not None
    return from_frame(frame)


def measured(master: Master) -> Measurements:
    found = said(master, Measure())
    assert isinstance(found, Measurements)
    return found


def board_of(master: Master) -> int:
    info = said(master, Assign(uid=UID, address=ADDRESS, board="12", brightness=128), UNASSIGNED)
    assert isinstance(info, Info)
    return info.hardware


def test_a_board_of_the_second_revision_says_supply_both_currents_and_the_spare_wire(image: Path) -> None:
    with running(image) as pico:
        master = Master(pico)
        master.join()
        assert board_of(master) == 2
        pico.level(pins.SUPPLY, 23.4 / DIVIDED, noise_v=0.003)
        pico.level(pins.LAMP_CURRENT, 0.080 * LAMPS_OHM)
        pico.level(pins.DISPLAY_CURRENT, 0.110 * DISPLAYS_OHM)
        master.play(1.2)
        found = measured(master)
        assert found.supply_mv == pytest.approx(23_400, abs=NEAR_MV)
        assert found.spread_mv == pytest.approx(6 * DIVIDED, abs=3 * STEP_MV)
        assert found.lamps == pytest.approx(8_000, abs=40)
        assert found.displays == pytest.approx(1_100, abs=5)
        assert found.loop is True
        assert health(master).vbus == pytest.approx(117, abs=1)
        pico.pin(pins.LOOP, 1)
        assert measured(master).loop is False


def test_a_board_of_the_first_revision_is_known_by_pull_ups_that_nothing_holds(image: Path) -> None:
    with running(image, held={}) as pico:
        master = Master(pico)
        master.join()
        assert board_of(master) == 1
        pico.level(pins.SUPPLY, 24 / DIVIDED)
        found = measured(master)
        assert found.supply_mv == pytest.approx(24_000, abs=NEAR_MV)
        assert (found.lamps, found.displays, found.loop) == (None, None, None)


def test_readings_spread_over_whole_periods_of_a_dimmed_lamp(image: Path) -> None:
    """50 mA a lamp; in a round Sun's is lit at half brightness, in a test fully."""
    with running(image) as pico:
        master = Master(pico)
        master.join()
        master.play(0.5)
        pico.level(pins.LAMP_CURRENT, 0.0, lit_v=0.050 * LAMPS_OHM)
        dimmed = [measured(master).lamps for _ in range(10)]
        pico.send(master.frame(IdentifyMessage(what="lamps", seconds=9, number=0b0011), ADDRESS))
        pico.run(0.1)
        print(f"one lamp at half brightness, in 10 µA: {dimmed}")
        assert all(lamps == pytest.approx(2_500, abs=500) for lamps in dimmed)
        assert measured(master).lamps == pytest.approx(10_000, abs=50)


def test_a_wide_step_of_the_converter_moves_a_reading_by_less_than_the_self_test_allows(image: Path) -> None:
    """RP2040-E11, at 22.69 V."""
    with running(image) as pico:
        master = Master(pico)
        master.join()
        errors = {}
        for volts in (21.9, 22.3, 22.64, 22.66, 22.68, 22.70, 22.72, 23.1, 24.0):
            pico.level(pins.SUPPLY, volts / DIVIDED, noise_v=0.001)
            supply_mv = measured(master).supply_mv
            assert supply_mv is not None
            errors[volts] = supply_mv - volts * 1000
        print(f"wrong by, in mV: { ({volts: round(error) for volts, error in errors.items()}) }")
        assert max(map(abs, errors.values())) <= WIDE_STEP_V / 2 * 1000
        assert all(abs(errors[volts]) <= NEAR_MV for volts in (21.9, 22.3, 23.1, 24.0))


@pytest.mark.parametrize("gap_us", [300, 1500], ids=["at once", "through an adapter"])
@pytest.mark.parametrize("what", ["pings", "readings", "readings while patterns are drawn"])
def test_tests_of_a_lone_node_one_upon_the_other_are_all_answered(
    image: Path, what: str, gap_us: int
) -> None:
    """In twice the time that it needs, also when it tidies its memory up in between."""
    with running(image) as pico:
        master = Master(pico)
        master.picture.update(phase="ready", running=False)
        master.join()
        number = itertools.count()
        state_us, until_us = pico.now_us, pico.now_us + 5e6
        while pico.now_us < until_us:
            if pico.now_us >= state_us:
                pico.free_us = master.state() + GAP_US
                state_us += REFRESH_US
                if "patterns" in what:
                    pattern = IdentifyMessage(what="pattern", seconds=9, number=next(number) % 2)
                    pico.free_us = pico.send(master.frame(pattern, ADDRESS)) + GAP_US
            master.ask(Ping(data=bytes(range(24))) if what == "pings" else Measure())
            pico.free_us += gap_us
        told(what, master.turnarounds_us)
        assert master.unanswered == 0
        assert max(master.turnarounds_us) <= line.TEST_TOO_LATE_US / 2


def told(what: str, times: list[float]) -> None:
    print(
        f"{what}: {len(times)} begin after {percentile(times, 0.5):.0f} µs p50, {percentile(times, 0.99):.0f} µs p99, {max(times):.0f} µs"
    )


@pytest.mark.parametrize(
    ("question", "dst", "latest_us"),
    [
        (Order(what="swap", argument=0), ADDRESS, BEGINS_US),
        (Assign(uid=UID, address=ADDRESS, board="12", brightness=128), UNASSIGNED, BEGINS_US),
        (Measure(), ADDRESS, line.TEST_TOO_LATE_US / 2),
    ],
    ids=["order", "assign", "measure"],
)
def test_other_answers_begin_in_time(image: Path, question: Message, dst: int, latest_us: float) -> None:
    """At the pace of polls, in a game. An ASSIGN is said again when nothing comes."""
    with running(image) as pico:
        master = Master(pico)
        master.join()
        asked(master, question, dst, 3.0)
        told(f"{type(question).__name__}, {master.unanswered} not at all", master.turnarounds_us)
        assert master.unanswered <= isinstance(question, Assign) * len(master.turnarounds_us) / 50
        assert percentile(master.turnarounds_us, 0.99) <= latest_us


def asked(master: Master, question: Message, dst: int, seconds: float) -> None:
    """Every 13.1 ms in a game, as polls are."""
    pico: Pico = master.pico
    turn_us = state_us = pico.now_us
    until_us = pico.now_us + seconds * 1e6
    while pico.now_us < until_us:
        if pico.now_us >= state_us:
            pico.free_us = master.state() + GAP_US
            state_us += REFRESH_US
        master.ask(question, dst)
        turn_us = max(turn_us + 13_100, pico.now_us)
        pico.run_to(turn_us)


def test_a_node_without_an_address_answers_in_its_slot(image: Path) -> None:
    with running(image) as pico:
        master = Master(pico)
        asked(master, Discover(salt=1, slots=1, slot_ms=SLOT_MS), UNASSIGNED, 2.0)
        told(
            f"{master.unanswered} of {len(master.turnarounds_us) + master.unanswered} rounds unanswered; others",
            master.turnarounds_us,
        )
        assert master.unanswered == 0
        assert max(master.turnarounds_us) <= SLOT_MS * 1000 + LAST_SLOT_US
