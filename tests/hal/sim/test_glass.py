"""The decoder against pictures made byte by byte, as the data sheets describe the controllers."""

import pytest

from pi_controller.hal.sim.display_bus import HEIGHT, WIDTH, DisplayImage

UPRIGHT = bytes([0xA1, 0xC8])
START = {
    "ssd1306": UPRIGHT + bytes([0x8D, 0x14, 0xAF]),
    "ssd1309": UPRIGHT + bytes([0xAF]),
    "sh1106": UPRIGHT + bytes([0xAF]),
}


def lit(glass: DisplayImage) -> set[tuple[int, int]]:
    picture = glass.picture()
    return {
        (x, y)
        for y in range(HEIGHT)
        for x in range(WIDTH)
        if picture[(y * WIDTH + x) // 8] >> (7 - x % 8) & 1
    }


def started(controller: str) -> DisplayImage:
    """A display that is on, upright and blank, in page mode at column 0 of page 0."""
    glass = DisplayImage(controller)
    glass.command(START[controller])
    for page in range(8):
        glass.command(bytes([0xB0 | page, 0x00, 0x10]))
        glass.data(bytes(132 if controller == "sh1106" else 128))
    glass.command(bytes([0xB0, 0x00, 0x10]))
    assert lit(glass) == set()
    return glass


@pytest.mark.parametrize("controller", START)
def test_dark_until_it_is_on_and_then_power_on_noise(controller: str) -> None:
    glass = DisplayImage(controller)
    assert not glass.on
    assert lit(glass) == set()
    glass.command(START[controller])
    assert glass.on
    assert len(lit(glass)) == WIDTH * HEIGHT // 2
    glass.command(bytes([0xAE]))
    assert lit(glass) == set()


def test_ssd1306_stays_dark_without_its_charge_pump() -> None:
    glass = DisplayImage("ssd1306")
    glass.command(bytes([0xAF]))
    assert not glass.on


@pytest.mark.parametrize(("controller", "first"), [("ssd1306", 0), ("ssd1309", 0), ("sh1106", 2)])
def test_page_mode_and_the_column_offset(controller: str, first: int) -> None:
    glass = started(controller)
    glass.command(bytes([0xB2, first & 0x0F, 0x10]))
    glass.data(bytes([0b0000_0011]))
    assert lit(glass) == {(0, 16), (0, 17)}
    last = first + 127
    glass.command(bytes([0xB7, last & 0x0F, 0x10 | last >> 4]))
    glass.data(bytes([0x80]))
    assert lit(glass) == {(0, 16), (0, 17), (127, 63)}


def test_sh1106_stops_at_its_last_column_where_the_ssd_goes_on_at_the_first() -> None:
    ssd, sh = started("ssd1306"), started("sh1106")
    for glass in (ssd, sh):
        glass.data(bytes(glass._columns) + b"\x01")
    assert lit(ssd) == {(0, 0)}
    assert lit(sh) == set()


def test_sh1106_shows_garbage_to_an_ssd1306_driver() -> None:
    glass = started("sh1106")
    glass.command(bytes([0x20, 0x00, 0x21, 0, 127, 0x22, 0, 7]))
    glass.data(b"\xff" * 1024)
    assert len(lit(glass)) < 1024 * 8


def test_horizontal_and_vertical_addressing_in_a_window() -> None:
    across, down = started("ssd1306"), started("ssd1306")
    across.command(bytes([0x20, 0x00, 0x21, 10, 11, 0x22, 1, 2]))
    down.command(bytes([0x20, 0x01, 0x21, 10, 11, 0x22, 1, 2]))
    for glass in (across, down):
        glass.data(bytes([0x01, 0x02, 0x04, 0x08]))
    assert lit(across) == {(10, 8), (11, 9), (10, 18), (11, 19)}
    assert lit(down) == {(10, 8), (10, 17), (11, 10), (11, 19)}
    assert (across.frames, down.frames) == (1, 1)


def test_mirroring_inverse_all_lit_lines_and_offset() -> None:
    glass = started("ssd1306")
    glass.data(bytes([0x01]))
    for order, seen in (
        ([0xA0], {(127, 0)}),
        ([0xA1, 0xC0], {(0, 63)}),
        ([0xC8, 0x41], {(0, 63)}),
        ([0x40, 0xD3, 2], {(0, 62)}),
        ([0xD3, 0, 0xA8, 31], {(0, 0)}),
    ):
        glass.command(bytes(order))
        assert lit(glass) == seen
    glass.command(bytes([0xA8, 63, 0xA7]))
    assert len(lit(glass)) == WIDTH * HEIGHT - 1
    glass.command(bytes([0xA6, 0xA5]))
    assert len(lit(glass)) == WIDTH * HEIGHT
    glass.command(bytes([0xA4]))
    assert lit(glass) == {(0, 0)}


def test_arguments_may_come_in_the_next_transfer() -> None:
    glass = started("ssd1306")
    glass.command(bytes([0x81]))
    glass.command(bytes([0xAE]))
    assert glass.contrast == 0xAE
    assert glass.on
