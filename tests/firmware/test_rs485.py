"""The bus driver: when the line is taken and let go of."""

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
    machine = loaded.pico.module()
    uart = machine.UART(0, baudrate=BAUD)
    return loaded.module("table_node.rs485").Rs485(uart, machine.Pin(ENABLE), BAUD)


def levels(pico: FakePico) -> list[int]:
    return [level for what, number, level in pico.log if (what, number) == ("pin", ENABLE)]


def test_the_line_is_free_from_the_first_moment(loaded: Loaded, bus) -> None:
    assert levels(loaded.pico) == [0]


def test_the_driver_is_on_from_before_the_first_bit_until_the_last_is_out(loaded: Loaded, bus) -> None:
    loaded.pico.log.clear()
    before = loaded.pico.now_us
    assert bus.send(bytearray(b"0123456789"), 7)
    assert [(what, number) for what, number, _ in loaded.pico.log] == [
        ("pin", 2),
        ("write", 7),
        ("done", 0),
        ("pin", 2),
    ]
    assert levels(loaded.pico) == [1, 0]
    assert loaded.pico.sent == [b"0123456"]
    wire_us = 7 * 10 * 1_000_000 // BAUD
    assert wire_us <= loaded.pico.now_us - before <= wire_us + POLL_US


def test_a_uart_that_never_finishes_does_not_hold_the_line(loaded: Loaded, bus) -> None:
    loaded.pico.never_done = True
    before = loaded.pico.now_us
    assert not bus.send(bytearray(30), 30)
    assert levels(loaded.pico)[-1] == 0
    assert loaded.pico.now_us - before <= 30 * 40 + 2000 + POLL_US


def test_a_fault_while_sending_does_not_hold_the_line(
    loaded: Loaded, bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> int:
        raise OSError(5)

    monkeypatch.setattr(bus._uart, "write", fails)
    with pytest.raises(OSError, match="5"):
        bus.send(bytearray(3), 3)
    assert levels(loaded.pico)[-1] == 0


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
