"""The simulated wires: faults, plug and reset line."""

import errno

import pytest

from pi_controller.hal.sim.display_bus import ADDRESS, DC_PIN, RESET_PIN, SimDisplayBus

ON = bytes([0xAF])


def test_only_its_own_address_answers_and_only_while_plugged_in() -> None:
    told: list[bool] = []
    wires = SimDisplayBus("ssd1309", changed=lambda: told.append(wires.on))
    with pytest.raises(OSError, match="Remote I/O error") as caught:
        wires.write(0x3D, bytes([0x00]) + ON)
    assert caught.value.errno == errno.EREMOTEIO
    wires.write(ADDRESS, bytes([0x00]) + ON)
    assert wires.on
    wires.unplug()
    assert not wires.on
    assert wires.picture() == bytes(1024)
    with pytest.raises(OSError, match="Remote I/O error"):
        wires.write(ADDRESS, bytes([0x00]) + ON)
    wires.plug_in()
    assert not wires.on
    assert told == [True, False]


def test_faults_at_numbers_and_at_every_nth() -> None:
    wires = SimDisplayBus("ssd1309")
    wires.fail_errno = errno.ETIMEDOUT

    def fails() -> bool:
        try:
            wires.write(ADDRESS, bytes([0x00]) + ON)
        except TimeoutError:
            return True
        return False

    wires.fail_at({2, 4})
    assert [fails() for _ in range(5)] == [False, True, False, True, False]
    wires.fail_at(())
    wires.fail_at(range(3, 9_000, 3))
    assert [fails() for _ in range(7)] == [False, False, True, False, False, True, False]
    wires.fail_at(())
    assert not any(fails() for _ in range(7))


def test_unknown_control_bytes_are_kept_for_the_test() -> None:
    wires = SimDisplayBus("ssd1306")
    wires.write(ADDRESS, bytes([0x80, 0xAF]))
    assert wires.unknown == ["control byte 0x80"]


def test_spi_goes_by_the_data_line_notices_nothing_and_resets() -> None:
    wires = SimDisplayBus("ssd1309")
    wires.output(DC_PIN, 0)
    wires.shift(ON)
    assert wires.on
    wires.output(RESET_PIN, 1)
    assert wires.on
    wires.output(RESET_PIN, 0)
    assert not wires.on
    wires.unplug()
    wires.shift(ON)
    assert not wires.on
