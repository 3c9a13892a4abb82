"""Pins that cannot be used together, and names of hosts."""

from pathlib import Path

import pytest

from pi_controller.settings import SettingsFault, load
from pi_controller.settings.checks import host_problem

SPI = '[display]\nbus = "spi"\n'


def found(tmp_path: Path, text: str, hardware: str | None = None) -> tuple[str, ...]:
    file = tmp_path / "s.toml"
    file.write_text(text)
    try:
        load(file, hardware)  # type: ignore[arg-type]
    except SettingsFault as fault:
        return fault.problems
    return ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[pins]\nmoon_lamp = 12", "[pins] moon_lamp = 12: BCM 12 is used already by [pins] sun_lamp = 12; give each its own pin."),
        ("[pins]\nsun_lamp = 0", "[pins] sun_lamp = 0: BCM 0 is reserved for the identification memory of add-on boards; choose another pin."),
        ("[pins]\nsun_lamp = 2", "[pins] sun_lamp = 2: BCM 2 belongs to I2C bus 1, which the display uses; choose another pin."),
        (SPI + "[pins]\nsun_lamp = 7", "[pins] sun_lamp = 7: BCM 7 belongs to SPI bus 0, which the display uses; choose another pin."),
        (SPI + "spi_dc_pin = 12", "[display] spi_dc_pin = 12: BCM 12 is used already by [pins] sun_lamp = 12; give each its own pin."),
        (SPI + "spi_reset_pin = 10", "[display] spi_reset_pin = 10: BCM 10 belongs to SPI bus 0, which the display uses; choose another pin."),
        (SPI + "spi_device = 2", "[display] spi_device = 2: SPI bus 0 has only the chip selects 0 and 1; write one of them."),
        ('[sound]\ndevice = "-rf"', '[sound] device = "-rf": it is no ALSA device; write a name of `aplay -L`, "default", or "none" where there is no sound.'),
        ('[sound]\ndevice = ""', '[sound] device = "": it is no ALSA device; write a name of `aplay -L`, "default", or "none" where there is no sound.'),
        (SPI + "spi_port = 1\nspi_device = 2", "[pins] buzzer = 16: BCM 16 belongs to SPI bus 1, which the display uses; choose another pin."),
    ],
)  # fmt: skip
def test_a_pin_in_the_way_and_what_is_no_device_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    assert found(tmp_path, text) == (sentence,)


@pytest.mark.parametrize(
    ("text", "hardware"),
    [
        (SPI + "[pins]\nsun_lamp = 2", None),
        ("[pins]\nsun_lamp = 2", "sim"),
        ('[hardware]\ndisplay = "none"\n[pins]\nsun_lamp = 2', None),
        ("[display]\ni2c_port = 3\n[pins]\nsun_lamp = 2", None),
        ("[display]\nspi_dc_pin = 12\nspi_device = 1", None),
        ('[pause_button]\ncontacts = "no"\n[pins]\nsun_lamp = 5', None),
        (SPI + "spi_port = 1\nspi_device = 1", None),
    ],
)
def test_a_pin_that_is_free_may_be_used(tmp_path: Path, text: str, hardware: str | None) -> None:
    assert found(tmp_path, text, hardware) == ()


def test_what_cannot_be_read_is_not_blamed_for_clashes_too(tmp_path: Path) -> None:
    assert len(found(tmp_path, "[pins]\nsun_lamp = 'x'\nmoon_lamp = 12")) == 1
    assert len(found(tmp_path, "[display]\nbus = 'x'\n[pins]\nsun_lamp = 2")) == 1
    assert len(found(tmp_path, SPI + "spi_device = 7")) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "0.0.0.0", "::", "::1", "localhost", "clock.local", "a-b.example"]
)
def test_addresses_and_names_are_hosts(host: str) -> None:
    assert host_problem(host) is None


@pytest.mark.parametrize(
    "host", ["", "a b", "1.2.3", "1.2.3.4.5", "x:80", "-a", "a..b", "a\n", "ä", "a" * 64, "[::1]"]
)
def test_other_text_is_no_host(host: str) -> None:
    assert host_problem(host) is not None
