"""The bus driver: what it gives the state machine, and when it is done."""

from collections.abc import Iterator

import pytest

from tests.firmware.fake_machine import POLL_US, FakePico
from tests.firmware.pico import Loaded, load

ENABLE = 2
BAUD = 250_000


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loaded]:
    yield from load(FakePico(), monkeypatch)


@pytest.fixture
def bus(loaded: Loaded):
    return loaded.module("table_node.board").PicoBoard()._bus


def test_the_line_is_free_when_it_returns(loaded: Loaded, bus) -> None:
    before = loaded.pico.now_us
    assert bus.send(bytearray(b"0123456789"), 7)
    assert loaded.pico.sent == [b"0123456"]
    wire_us = 7 * 10 * 1_000_000 // BAUD
    assert wire_us <= loaded.pico.now_us - before <= wire_us + POLL_US


def test_no_more_than_the_bytes_time_and_2_ms_are_waited_for(loaded: Loaded, bus) -> None:
    loaded.pico.never_done = True
    before = loaded.pico.now_us
    assert not bus.send(bytearray(30), 30)
    assert loaded.pico.now_us - before <= 30 * 40 + 2000 + POLL_US


def test_the_program_never_sets_the_drivers_pin_itself(loaded: Loaded, bus) -> None:
    loaded.pico.log.clear()
    bus.send(bytearray(5), 5)
    bus.set_baud(115_200)
    bus.send(bytearray(5), 5)
    assert [what for what, number, _ in loaded.pico.log if (what, number) == ("pin", ENABLE)] == []


def test_own_bytes_that_come_back_are_dropped(loaded: Loaded, bus) -> None:
    loaded.pico.echoes = True
    bus.send(bytearray(b"mine"), 4)
    loaded.pico.incoming += b"theirs"
    buffer = bytearray(64)
    assert bytes(buffer[: bus.read(buffer)]) == b"theirs"
    assert bus.read(buffer) == 0


def test_no_more_is_read_than_there_is_room(loaded: Loaded, bus) -> None:
    loaded.pico.incoming += b"abcdefgh"
    buffer = bytearray(3)
    assert (bus.read(buffer), bytes(buffer)) == (3, b"abc")
    assert (bus.read(buffer), bytes(buffer)) == (3, b"def")


def test_the_other_rate(loaded: Loaded, bus) -> None:
    bus.set_baud(115_200)
    before = loaded.pico.now_us
    bus.send(bytearray(10), 10)
    assert loaded.pico.now_us - before >= 868
