"""The display drivers against a decoder of the controllers' own commands."""

import random

import pytest

from pi_controller.hal.names import DisplayController
from pi_controller.hal.sim.display_bus import DisplayImage
from table_node.shared_display import halves
from table_node.spi_display import SH1106, SSD13XX, SpiDisplay, clock
from tests.firmware.fake_machine import FakePico
from tools.table_faces import image

SELECT, DATA_LINE = 17, 20
KINDS: list[tuple[str, DisplayController]] = [(SSD13XX, "ssd1306"), (SSD13XX, "ssd1309"), (SH1106, "sh1106")]


class Wired:
    """A driver, its wires, and the glass at their end."""

    def __init__(self, kind: str, controller: DisplayController) -> None:
        self.pico = FakePico()
        machine = self.pico.module()
        self.glass = self.pico.glass(SELECT, controller)
        self.pico.data_line = DATA_LINE
        spi = machine.SPI(0, baudrate=clock(kind), sck=None, mosi=None)
        select = machine.Pin(SELECT, machine.Pin.OUT, value=1)
        self.display = SpiDisplay(kind, spi, select, machine.Pin(DATA_LINE, machine.Pin.OUT, value=0))
        self.display.start()
        self.display.flush(100_000)
        self.display.power(True)
        self.pico.transfers.clear()


@pytest.fixture(params=KINDS, ids=[controller for _, controller in KINDS])
def wired(request: pytest.FixtureRequest) -> Wired:
    return Wired(*request.param)


def noise(seed: int) -> bytes:
    return random.Random(seed).randbytes(1024)


def shown(glass: DisplayImage) -> bytes:
    return glass.picture()


def wanted(buffer: bytes) -> bytes:
    return image(buffer).tobytes()


def test_nothing_of_the_random_memory_is_seen_after_the_start(wired: Wired) -> None:
    assert wired.glass.on
    assert shown(wired.glass) == bytes(1024)


def test_what_is_in_the_buffer_is_on_the_glass(wired: Wired) -> None:
    wired.display.buffer[:] = noise(1)
    assert wired.display.flush(100_000)
    assert shown(wired.glass) == wanted(noise(1))


def test_only_pages_that_differ_are_sent(wired: Wired) -> None:
    wired.display.buffer[3 * 128 + 5] = 0xFF
    wired.display.buffer[6 * 128 + 127] = 1
    assert wired.display.flush(100_000)
    assert [length for is_data, length in wired.pico.transfers if is_data] == [128, 128]
    wired.pico.transfers.clear()
    assert wired.display.flush(100_000)
    assert wired.pico.transfers == []


def test_a_slice_keeps_within_its_time(wired: Wired) -> None:
    wired.display.buffer[:] = noise(2)
    slices = 0
    finished = False
    while not finished:
        before = wired.pico.now_us
        finished = wired.display.flush(2000)
        assert wired.pico.now_us - before <= 2000
        slices += 1
    assert slices > 1
    assert shown(wired.glass) == wanted(noise(2))


def test_no_page_starves_when_the_first_ones_always_differ(wired: Wired) -> None:
    wired.display.buffer[:] = noise(3)
    for change in range(20):
        wired.display.buffer[0] = change
        wired.display.flush(1)
    wired.display.buffer[0] = noise(3)[0]
    wired.display.flush(1_000_000)
    assert shown(wired.glass) == wanted(noise(3))


def test_the_picture_wanders_down_by_a_row(wired: Wired) -> None:
    wired.display.buffer[:] = noise(4)
    wired.display.shift_y = 1
    wired.display.flush(100_000)
    rows = wanted(noise(4))
    assert shown(wired.glass) == rows[-16:] + rows[:-16]
    wired.display.shift_y = 0
    wired.display.flush(100_000)
    assert shown(wired.glass) == rows


def test_contrast_and_power(wired: Wired) -> None:
    wired.display.contrast(40)
    assert wired.glass.contrast == 40
    wired.display.power(False)
    assert not wired.glass.on
    wired.pico.transfers.clear()
    wired.display.contrast(40)
    wired.display.power(False)
    assert wired.pico.transfers == []
    wired.display.power(True)
    assert wired.glass.on


def test_a_transfer_that_fails_is_told_and_the_wires_are_left_at_rest(wired: Wired) -> None:
    wired.pico.spi_fails = True
    wired.display.buffer[0] = 1
    wired.display.flush(100_000)
    assert not wired.display.ok
    assert wired.pico.levels[SELECT] == 1
    wired.pico.spi_fails = False
    wired.display.start()
    wired.display.flush(100_000)
    assert wired.display.ok


def test_halves_of_one_display_stand_head_to_head(wired: Wired) -> None:
    near, far = halves(wired.display)
    near.buffer[:] = noise(5)[:512]
    far.buffer[:] = noise(6)[:512]
    assert near.flush(100_000)
    assert [far.flush(100_000) for _ in range(5)] == [False, False, False, False, True]
    upper = image(noise(6)[:512]).rotate(180).tobytes()
    assert shown(wired.glass) == upper + image(noise(5)[:512]).tobytes()


def test_halves_hand_on_contrast_power_and_trouble(wired: Wired) -> None:
    near, far = halves(wired.display)
    far.contrast(9)
    assert wired.glass.contrast == 9
    near.power(False)
    assert not wired.glass.on
    wired.pico.spi_fails = True
    near.buffer[0] = 1
    near.flush(100_000)
    assert not far.ok
