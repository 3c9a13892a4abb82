"""Pins that cannot be used together, and names of hosts."""

from pathlib import Path

import pytest

from pi_controller.bus.values import SegmentPort
from pi_controller.language.words import all_words
from pi_controller.settings import SettingsFault, diff, load, show
from pi_controller.settings.checks import host_problem, osc_problem, osc_target

SPI = '[display]\nbus = "spi"\n'


def found(tmp_path: Path, text: str, hardware: str | None = None) -> tuple[str, ...]:
    file = tmp_path / "s.toml"
    file.write_text(text)
    try:
        load(file, hardware)  # type: ignore[arg-type]
    except SettingsFault as fault:
        return tuple(all_words(fault.problems))
    return ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[pins]\nmoon_lamp = 12", "[pins] moon_lamp = 12: BCM 12 is already used by [pins] sun_lamp = 12; give each its own pin."),
        ("[pins]\nsun_lamp = 0", "[pins] sun_lamp = 0: BCM 0 is reserved for the identification memory of add-on boards; choose another pin."),
        ("[pins]\nsun_lamp = 2", "[pins] sun_lamp = 2: BCM 2 belongs to I2C bus 1, which the display uses; choose another pin."),
        (SPI + "[pins]\nsun_lamp = 7", "[pins] sun_lamp = 7: BCM 7 belongs to SPI bus 0, which the display uses; choose another pin."),
        (SPI + "spi_dc_pin = 12", "[display] spi_dc_pin = 12: BCM 12 is already used by [pins] sun_lamp = 12; give each its own pin."),
        (SPI + "spi_reset_pin = 10", "[display] spi_reset_pin = 10: BCM 10 belongs to SPI bus 0, which the display uses; choose another pin."),
        (SPI + "spi_device = 2", "[display] spi_device = 2: SPI bus 0 has only the chip selects 0 and 1; write one of them."),
        ('[sound]\ndevice = "-rf"', '[sound] device = "-rf": it is not an ALSA device; write a name from `aplay -L`, "default", or "none" if there is no sound.'),
        ('[sound]\ndevice = ""', '[sound] device = "": it is not an ALSA device; write a name from `aplay -L`, "default", or "none" if there is no sound.'),
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
        ('[hardware]\npause_button = "usb"\n[pins]\nsun_lamp = 5\nmoon_lamp = 6', None),
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


A = '{ name = "A", port = "/dev/tablebus/row-A" }'
AS_WRITTEN = "a segment is written as " + A + "."


def problems(tmp_path: Path, written: str) -> tuple[str, ...]:
    file = tmp_path / "s.toml"
    file.write_text(f"[tables]\nsegments = {written}\n")
    with pytest.raises(SettingsFault) as fault:
        load(file)
    return tuple(all_words(fault.value.problems))


def test_without_a_file_there_are_no_tables() -> None:
    tables = load(None).tables
    assert (tables.segments, tables.baud, tables.brightness) == ((), 250000, 128)


def test_segments_are_read_and_reported_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(f'[tables]\nsegments = [{A}, {{ name = "Z", port = "/dev/ttyUSB3" }}]\nbaud = 115200\n')
    read = load(file)
    assert read.tables.segments == (SegmentPort("A", "/dev/tablebus/row-A"), SegmentPort("Z", "/dev/ttyUSB3"))
    for report in (show, diff):
        file.write_text(report(read))
        assert load(file) == read


def test_eight_segments_are_as_many_as_there_can_be(tmp_path: Path) -> None:
    row = [f'{{ name = "{name}", port = "/dev/tablebus/row-{name}" }}' for name in "ABCDEFGHI"]
    file = tmp_path / "s.toml"
    file.write_text(f"[tables]\nsegments = [{', '.join(row[:8])}]\n")
    assert len(load(file).tables.segments) == 8
    (problem,) = problems(tmp_path, f"[{', '.join(row)}]")
    assert "is not a list of at most 8 segments; write for example segments = [" in problem


ONE = [
    ("5", "[tables] segments = 5 is not a list of at most 8 segments; write for example segments = [" + A + "]."),
    ("[5]", "[tables] segments, segment 1 = 5: " + AS_WRITTEN),
    ("[{ name = \"A\" }]", '[tables] segments, segment 1 = { name = "A" }: port is missing; write ' + A + "."),
    ("[{ port = \"/dev/x\" }]", '[tables] segments, segment 1 = { port = "/dev/x" }: name is missing; write ' + A + "."),
    ("[{ name = \"A\", port = \"/dev/x\", prot = 1 }]", '"prot" is not known here; did you mean port?'),
    ("[{ name = \"AB\", port = \"/dev/x\" }]", "name must be one letter from A to Z in quotes."),
    ("[{ name = \"a\", port = \"/dev/x\" }]", "name must be one letter from A to Z in quotes."),
    ("[{ name = 1, port = \"/dev/x\" }]", "name must be one letter from A to Z in quotes."),
    ("[{ name = \"A\", port = \"ttyUSB0\" }]", 'port must be the full path of a serial port in quotes, such as "/dev/tablebus/row-A".'),
    ("[{ name = \"A\", port = \"/\" }]", "port must be the full path of a serial port in quotes"),
    ("[{ name = \"A\", port = \"/dev/\\u0007\" }]", "port must be the full path of a serial port in quotes"),
    (f"[{A}, {{ name = \"A\", port = \"/dev/x\" }}]", "segment 1 already has this name; give each segment its own."),
    (f"[{A}, {{ name = \"B\", port = \"/dev/tablebus//row-A\" }}]", "segment 1 already has this port; give each segment its own."),
]  # fmt: skip


@pytest.mark.parametrize(("written", "part"), ONE)
def test_a_mistake_is_one_sentence_with_its_remedy(tmp_path: Path, written: str, part: str) -> None:
    (problem,) = problems(tmp_path, written)
    assert problem.startswith("[tables] segments")
    assert part in problem


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, f'[7, {{ name = "x" }}, {A}, {A}]')
    assert len(found) == 5
    assert sum("has this" in problem for problem in found) == 2


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("192.0.2.7:9000", ("192.0.2.7", 9000)),
        ("192.0.2.255:1", ("192.0.2.255", 1)),
        ("[2001:db8::7]:65535", ("2001:db8::7", 65535)),
    ],
)
def test_who_hears_osc(text: str, target: tuple[str, int]) -> None:
    assert osc_target(text) == target
    assert osc_problem((text,)) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "192.0.2.7",
        "192.0.2.7:0",
        "192.0.2.7:65536",
        "192.0.2.7:x",
        "192.0.2.7: 1",
        "desk:9000",
        "::1:9000",
        "[desk]:1",
    ],
)
def test_who_cannot_hear_osc(text: str) -> None:
    problem = osc_problem(("192.0.2.7:9000", text))
    assert problem is not None
    assert (problem.key, problem.params) == ("settings.osc_target", (("value", f'"{text}"'),))
