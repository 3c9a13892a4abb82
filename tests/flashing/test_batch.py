from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from pi_controller.flashing.build import PicoLost
from pi_controller.flashing.picos import (
    NAME,
    Installation,
    PicoDone,
    PicoPort,
    flashed,
    note_flashed,
    one_after_the_other,
    pico_ports,
    waits_for_uf2,
)
from pi_controller.sentence import Sentence, as_told
from tests.flashing.sysfs import Sysfs


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path)


def test_picos_are_found_by_their_maker(sysfs: Sysfs) -> None:
    sysfs.plug_in(1, vendor="0403", serial="FT1", port="ttyACM0")
    sysfs.plug_in(2, serial="e6614c311b7f4a2d", port="ttyACM1")
    assert pico_ports(sysfs.root) == (PicoPort(device="/dev/ttyACM1", serial="e6614c311b7f4a2d"),)


def test_nothing_is_plugged_in(tmp_path: Path) -> None:
    assert pico_ports(tmp_path) == ()
    assert not waits_for_uf2(tmp_path)


@pytest.mark.parametrize("product", ["0003", "000f"])
def test_a_pico_that_waits_for_its_firmware_is_seen(sysfs: Sysfs, product: str) -> None:
    sysfs.plug_in(1, product="0005", port="ttyACM0")
    assert not waits_for_uf2(sysfs.root)
    sysfs.plug_in(2, product=product)
    assert waits_for_uf2(sysfs.root)


def entry(uid: str, when: str = "2026-11-21T10:00:00+00:00") -> Installation:
    return Installation(
        when=when, uid=uid, firmware="0.1.0", micropython="1.25.0", machine="Raspberry Pi Pico with RP2040"
    )


def test_the_newest_of_each_pico_is_listed(tmp_path: Path) -> None:
    for one in (entry("a"), entry("b"), entry("a", "2026-11-22T10:00:00+00:00")):
        note_flashed(tmp_path / "state", one)
    assert flashed(tmp_path / "state") == (entry("b"), entry("a", "2026-11-22T10:00:00+00:00"))


def test_no_list_yet(tmp_path: Path) -> None:
    assert flashed(tmp_path) == ()


def test_a_torn_line_is_left_out(tmp_path: Path) -> None:
    note_flashed(tmp_path, entry("a"))
    with (tmp_path / NAME).open("a") as file:
        file.write("2026-11-21,torn")
    assert flashed(tmp_path) == (entry("a"),)


def test_a_list_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(IsADirectoryError):
        note_flashed(tmp_path, entry("a"))


def port(serial: str) -> PicoPort:
    return PicoPort(device=f"/dev/{serial}", serial=serial)


class Bench:
    """What is plugged in at each look; the last look lasts."""

    def __init__(self, *looks: str) -> None:
        self.looks = list(looks)
        self.waits = 0

    def ports(self) -> tuple[PicoPort, ...]:
        return tuple(map(port, self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]))

    def wait(self) -> None:
        self.waits += 1
        assert self.waits < 100, "nothing more comes"


def serve(bench: Bench, count: int, install: Callable[[str], Sentence] = as_told) -> list[PicoDone]:
    return list(islice(one_after_the_other(bench.ports, install, bench.wait), count))


def names(done: list[PicoDone]) -> list[str]:
    return [one.port.serial for one in done]


def test_each_pico_has_its_turn_once() -> None:
    assert names(serve(Bench("", "a", "a", "a", "", "b", "b"), 2)) == ["a", "b"]


def test_several_at_once_are_served_in_order() -> None:
    assert names(serve(Bench("ba"), 2)) == ["b", "a"]


def test_a_port_is_used_only_when_it_has_been_there_for_a_look() -> None:
    """The system gives its access rights a moment later."""
    bench = Bench("", "a")
    serve(bench, 1)
    assert bench.waits == 2


def test_a_restart_is_no_unplugging() -> None:
    gone = [""] * 5  # the caller looks every half second
    assert names(serve(Bench("a", "a", *gone, "a", "a", "a", "b", "b"), 2)) == ["a", "b"]


def test_one_that_was_unplugged_has_its_turn_again() -> None:
    gone = [""] * 6
    assert names(serve(Bench("a", "a", *gone, "a", "a"), 2)) == ["a", "a"]


def test_trouble_with_one_does_not_stop_the_next() -> None:
    def install(device: str) -> Sentence:
        if device == "/dev/a":
            raise PicoLost(as_told("gone"))
        return as_told("done")

    first, second = serve(Bench("ab"), 2, install)
    assert (first.sentence, str(first.trouble)) == (as_told("gone"), "gone")
    assert (second.sentence, second.trouble) == (as_told("done"), None)
