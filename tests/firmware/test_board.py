"""The Pico as a board: pins, sensors, watchdog, what it remembers."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_node import measuring, pins
from table_node.resets import ResetLog
from tests.firmware.fake_machine import FakePico, Reset
from tests.firmware.pico import Loaded, load

WATCHDOG_REGISTERS = 0x40058000


@pytest.fixture
def pico(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePico:
    monkeypatch.chdir(tmp_path)
    return FakePico()


@pytest.fixture
def loaded(pico: FakePico, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loaded]:
    yield from load(pico, monkeypatch)


@pytest.fixture
def board(loaded: Loaded):
    return loaded.module("table_node.board").PicoBoard()


def test_the_line_is_let_go_of_before_anything_else(pico: FakePico, board) -> None:
    assert pico.log[0] == ("pin", pins.DRIVER_ENABLE, 0)


def test_every_input_rests_at_a_pull_up(pico: FakePico, board) -> None:
    machine = importlib.import_module("machine")
    for number in (pins.SUN_BUTTON, pins.MOON_BUTTON, pins.UART_RX):
        assert machine.Pin.pulls[number] == machine.Pin.PULL_UP


def test_a_button_is_down_when_its_contact_is_at_ground(pico: FakePico, board) -> None:
    assert not board.button(0)
    pico.levels[pins.MOON_BUTTON] = 0
    assert (board.button(0), board.button(1)) == (False, True)


def test_lamps_are_dark_at_first_and_take_a_level(pico: FakePico, board) -> None:
    assert set(pico.duties.values()) == {0}
    board.lamp(2, 255)
    board.lamp(1, 128)
    assert pico.duties[pins.SUN_CLAIM_LAMP] == 65535
    assert pico.duties[pins.MOON_LAMP] == 128 * 257


def test_supply_and_temperature(pico: FakePico, board) -> None:
    pico.analogue[pins.SUPPLY] = round(24 / 11 / 3.3 * 65535)
    pico.analogue[4] = round(0.706 / 3.3 * 65535)
    assert board.supply() == 120
    assert board.temperature() == 27
    pico.analogue[4] = round((0.706 - 0.001721 * 20) / 3.3 * 65535)
    assert board.temperature() in (46, 47)


def test_the_first_board_reads_its_supply_in_millivolts_and_nothing_else(pico: FakePico, board) -> None:
    pico.analogue[pins.SUPPLY] = 43_330
    measured = measuring.Measured()
    board.measure(measured)
    assert board.hardware == 1
    assert (measured.supply_mv, measured.spread_mv) == (24_001, 0)
    assert (measured.lamps, measured.displays, measured.loop) == (None, None, None)


def test_the_second_board_reads_its_currents_and_the_loop(
    pico: FakePico, monkeypatch: pytest.MonkeyPatch
) -> None:
    pico.held_low |= {pins.LAMP_CURRENT, pins.DISPLAY_CURRENT}
    board = start_again(pico, monkeypatch, 1)
    pico.analogue[pins.SUPPLY] = 43_330
    pico.analogue[pins.LAMP_CURRENT] = round(0.080 * 2.2 / 3.3 * 65535)
    pico.analogue[pins.DISPLAY_CURRENT] = round(0.110 * 2.0 / 3.3 * 65535)
    pico.ripple = 32
    measured = measuring.Measured()
    before = pico.now_us
    board.measure(measured)
    assert board.hardware == 2
    assert 1_000 <= pico.now_us - before <= 4_000, (
        "a whole period of a dimmed lamp, and in time for the answer"
    )
    assert (measured.supply_mv, measured.spread_mv) == (24_009, 18)
    assert abs(measured.lamps - 8_000) <= 100
    assert abs(measured.displays - 1_100) <= 10
    assert measured.loop is True
    pico.levels[pins.LOOP] = 1
    board.measure(measured)
    assert measured.loop is False


@pytest.mark.parametrize(("chip", "pads"), [("RP2040", 0x4001C000), ("RP2350", 0x40038000)])
def test_the_spare_wire_is_an_input_for_the_moment_of_its_reading_alone(
    pico: FakePico, monkeypatch: pytest.MonkeyPatch, chip: str, pads: int
) -> None:
    """Addresses as in the chips' data sheets, pad control."""
    monkeypatch.setattr(sys.implementation, "_machine", f"Raspberry Pi Pico with {chip}", raising=False)
    pico.held_low.add(pins.LAMP_CURRENT)
    board = start_again(pico, monkeypatch, 1)
    machine = importlib.import_module("machine")
    assert machine.Pin.pulls[pins.LOOP] is None
    pad = pads + 4 + 4 * pins.LOOP
    assert pico.memory.pop(pad + 0x3000) == 1 << 6
    board.measure(measuring.Measured())
    assert (pico.memory[pad + 0x2000], pico.memory[pad + 0x3000]) == (1 << 6, 1 << 6)


def test_the_record_is_kept_and_replaced_as_a_whole(board, tmp_path: Path) -> None:
    assert board.load() is None
    board.save(b"one")
    board.save(b"two")
    assert board.load() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["node.bin"]


def test_the_watchdog_runs_from_when_it_is_armed(pico: FakePico, board) -> None:
    board.feed()
    assert pico.watchdog_ms is None
    board.arm()
    assert pico.watchdog_ms == 2000
    board.feed()
    assert len(pico.fed) == 1


def test_it_hangs_until_the_watchdog_bites(pico: FakePico, board, monkeypatch: pytest.MonkeyPatch) -> None:
    board.hang()
    board.arm()
    with pytest.raises(Reset):
        board.hang()
    board = start_again(pico, monkeypatch, 3)
    assert (board.reset, board.resets()) == (1, 1)


def start_again(pico: FakePico, monkeypatch: pytest.MonkeyPatch, cause: int):
    """The same memory, another start."""
    pico.cause = cause
    return next(load(pico, monkeypatch)).module("table_node.board").PicoBoard()


def test_causes_of_a_reset(pico: FakePico, board, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (board.reset, board.resets()) == (0, 0)
    with pytest.raises(Reset):
        board.reboot()
    board = start_again(pico, monkeypatch, 3)
    assert (board.reset, board.resets()) == (2, 0)
    with pytest.raises(Reset):
        board.crash()
    board = start_again(pico, monkeypatch, 3)
    assert (board.reset, board.resets()) == (1, 1)
    assert start_again(pico, monkeypatch, 9).reset == 3


def test_seconds_lived_are_counted_while_it_is_fed(
    pico: FakePico, board, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = start_again(pico, monkeypatch, 3)
    for _ in range(70):
        pico.now_us += 1_000_000
        board.feed()
    assert board.resets() == 1
    assert start_again(pico, monkeypatch, 3).resets() == 1


class Words:
    """Four words that survive a reset."""

    def __init__(self) -> None:
        self.values = [0xDEADBEEF] * 4

    def read(self, index: int) -> int:
        return self.values[index]

    def write(self, index: int, value: int) -> None:
        assert 0 <= value < 1 << 32
        self.values[index] = value


def test_resets_count_while_they_are_younger_than_a_minute() -> None:
    words = Words()
    assert ResetLog(words, False).recent() == 0
    counts = []
    for lived in (5, 20, 20, 10, 8, 300, 1):
        log = ResetLog(words, True)
        counts.append(log.recent())
        log.alive(lived)
    assert counts == [1, 2, 3, 4, 5, 5, 1]
    assert ResetLog(words, False).recent() == 0


def test_eight_resets_are_enough_to_remember() -> None:
    words = Words()
    ResetLog(words, False)
    assert [ResetLog(words, True).recent() for _ in range(12)][-1] == 8


def test_words_that_are_not_ours_count_for_nothing() -> None:
    assert ResetLog(Words(), True).recent() == 1
