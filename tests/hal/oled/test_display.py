"""luma's own drivers on a bus that decodes what they send, with every fault a real bus shows."""

import atexit
import errno
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
import smbus2
from PIL import Image

from pi_controller.hal.gpio import GpioLines, open_pins
from pi_controller.hal.oled.display import (
    BLOCKED_NS,
    RESTART_NS,
    OledDisplay,
    OpenBus,
    draw_face,
    i2c_bus,
    spi_bus,
    wander,
)
from pi_controller.hal.roles import HardwareMissing, PinUnusable, StatusFace
from pi_controller.hal.sim.display_bus import DC_PIN, RESET_PIN, SimDisplayBus
from pi_controller.language.words import words
from pi_controller.sentence import as_told
from tests.hal.hand_clock import HandClock
from tests.matrix import further, paired
from tests.patience import DEADLINE_S

SUN = StatusFace("Round 12 · Sun", "0:34", "8 = 5 + 3", "sun")
MOON = StatusFace("Round 13 · Moon", "0:45", "5 = 4 + 1", "moon")
CONTROLLERS = ["ssd1306", "ssd1309", "sh1106"]
S = 1_000_000_000
MINUTE = 60 * S


class Bench:
    """A display, its wires, and a way to wait for what shows."""

    def __init__(self, controller: str = "ssd1306", wiring: str = "i2c") -> None:
        self.news = threading.Condition()
        self.controller = controller
        self.wires = SimDisplayBus(controller, changed=self._changed)
        self.open_bus: OpenBus = self.wires.i2c() if wiring == "i2c" else self.wires.spi()
        self.clock = HandClock()
        self.displays: list[OledDisplay] = []

    def open(self, *, contrast: int = 128, rotate_degrees: int = 0) -> OledDisplay:
        display = OledDisplay(
            controller=self.controller,
            open_bus=self.open_bus,
            clock=self.clock,
            contrast=contrast,
            rotate_degrees=rotate_degrees,
        )
        self.displays.append(display)
        return display

    def _changed(self) -> None:
        with self.news:
            self.news.notify_all()

    def move(self, by_ns: int) -> None:
        """Move the clock and let the displays see it at once rather than at their next beat."""
        self.clock.now_ns += by_ns
        for display in self.displays:
            with display._news:
                display._news.notify()

    def until(self, true: Callable[[], bool]) -> None:
        """Wait until this holds; look again at each change and, for what makes none, 50 times a second."""
        end_s = time.monotonic() + DEADLINE_S
        with self.news:
            while not true():
                assert time.monotonic() < end_s, "did not happen in time"
                self.news.wait(0.02)

    def until_shown(self, face: StatusFace) -> None:
        wanted = draw_face(face, wander(self.clock.now_ns)).tobytes()
        self.until(lambda: self.wires.on and self.wires.picture() == wanted)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    close_all(bench)


def close_all(bench: Bench) -> None:
    for display in bench.displays:
        display.close()
        display._thread.join(DEADLINE_S)
        assert not display._thread.is_alive()


@paired(controller=CONTROLLERS, wiring=["i2c", "spi"])
def test_what_shows_is_the_face_then_the_next_then_nothing(controller: str, wiring: str) -> None:
    bench = Bench(controller, wiring)
    display = bench.open(contrast=77)
    assert not bench.wires.on
    display.draw(SUN)
    bench.until_shown(SUN)
    bench.until(lambda: display.shows(SUN))
    assert not display.shows(MOON)
    bench.until(lambda: bench.wires.glass.contrast == 77)
    display.draw(MOON)
    bench.until_shown(MOON)
    assert display.trouble() is None
    assert bench.wires.unknown == []
    close_all(bench)
    assert not bench.wires.on


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_turned_by_180_degrees(controller: str) -> None:
    bench = Bench(controller)
    bench.open(rotate_degrees=180).draw(SUN)
    turned = draw_face(SUN, wander(bench.clock.now_ns)).transpose(Image.Transpose.ROTATE_180).tobytes()
    bench.until(lambda: bench.wires.picture() == turned)
    close_all(bench)


def test_i2c_through_smbus2_as_on_the_pi(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    class Bus:
        closed = 0

        def __init__(self, port: int) -> None:
            assert port == 1

        def write_i2c_block_data(self, address: int, control: int, data: list[int]) -> None:
            bench.wires.write(address, bytes([control, *data]))

        def i2c_rdwr(self, message: smbus2.i2c_msg) -> None:
            bench.wires.write(message.addr, bytes(list(message)))

        def close(self) -> None:
            Bus.closed += 1

    monkeypatch.setattr(smbus2, "SMBus", Bus)
    bench.open_bus = i2c_bus(port=1, address=0x3C)
    display = bench.open()
    display.draw(SUN)
    bench.until_shown(SUN)
    close_all(bench)
    assert Bus.closed == 1


def test_spi_with_its_lines_on_gpio_pins(bench: Bench) -> None:
    class Wire:
        max_speed_hz = 0

        def open(self, port: int, device: int) -> None:
            assert (port, device) == (0, 1)

        def writebytes(self, data: list[int]) -> None:
            bench.wires.output(DC_PIN, pins.simulated.level(DC_PIN))
            bench.wires.shift(bytes(data))

        def close(self) -> None: ...

    with open_pins("mock") as pins:
        lines = GpioLines(pins)
        bench.open_bus = spi_bus(
            port=0, device=1, dc_pin=DC_PIN, reset_pin=RESET_PIN, lines=lines, wire=Wire()
        )
        bench.open().draw(SUN)
        bench.until_shown(SUN)
        assert pins.simulated.level(RESET_PIN)
        bench.move(RESTART_NS)
        bench.until_shown(SUN)
        close_all(bench)
        lines.close()
        assert not pins.simulated.level(RESET_PIN)


@pytest.mark.parametrize("controller", [CONTROLLERS[0], *further(*CONTROLLERS[1:])])
def test_an_error_at_any_one_transfer_is_mended_without_a_word(controller: str) -> None:
    for transfer in range(1, 61):
        bench = Bench(controller)
        bench.wires.fail_at({transfer})
        display = bench.open()
        display.draw(SUN)
        bench.until_shown(SUN)
        display.draw(MOON)
        bench.until_shown(MOON)
        assert display.trouble() is None
        close_all(bench)


@pytest.mark.parametrize("code", [errno.EIO, errno.EREMOTEIO, errno.ETIMEDOUT])
def test_every_third_transfer_fails_and_then_the_bus_is_well(bench: Bench, code: int) -> None:
    bench.wires.fail_errno = code
    bench.wires.fail_at(range(3, 9_000, 3))
    display = bench.open()
    display.draw(SUN)
    bench.until(lambda: display.trouble() is not None)
    bench.wires.fail_at(())
    bench.move(2 * S)
    bench.until_shown(SUN)
    bench.until(lambda: display.trouble() is None)


def test_absent_display_is_named_and_comes_back_within_2_s(bench: Bench) -> None:
    bench.wires.unplug()
    display = bench.open()
    display.draw(SUN)
    bench.until(lambda: display.trouble() is not None)
    assert "does not answer (I2C device not found on address: 0x3C): check its cable" in words(
        display.trouble()
    )
    for _ in range(10):
        bench.move(2 * S)
        display.draw(MOON)
    bench.wires.plug_in()
    bench.move(2 * S)
    bench.until_shown(MOON)
    bench.until(lambda: display.trouble() is None)


def test_tries_are_spaced_out(bench: Bench) -> None:
    bench.wires.unplug()
    display = bench.open()
    display.draw(SUN)
    bench.until(lambda: display._errors == 2)
    for pause_ns, errors in ((S // 10, 3), (S // 2, 4), (S, 5), (2 * S, 6), (2 * S, 7)):
        bench.move(pause_ns - 1)
        beat_ns = bench.clock.now_ns
        display.draw(StatusFace(f"wakes {errors}"))
        bench.until(lambda beat_ns=beat_ns: display.beat_ns() == beat_ns)
        assert display._errors == errors - 1
        bench.move(1)
        bench.until(lambda errors=errors: display._errors == errors)


def test_a_pin_in_use_is_trouble_not_an_end(bench: Bench) -> None:
    def refuse() -> object:
        raise PinUnusable(as_told("Local display on GPIO24 cannot be used"))

    bench.open_bus = refuse
    display = bench.open()
    display.draw(SUN)
    bench.until(lambda: display.trouble() is not None and "GPIO24" in words(display.trouble()))


def test_garbled_memory_is_overwritten_within_a_minute(bench: Bench) -> None:
    display = bench.open()
    display.draw(SUN)
    bench.until_shown(SUN)
    bench.wires.glass.reset()
    assert not bench.wires.on
    bench.move(RESTART_NS)
    bench.until_shown(SUN)


def test_a_new_start_shows_the_face_and_never_an_empty_picture(bench: Bench) -> None:
    display = bench.open()
    display.draw(SUN)
    bench.until_shown(SUN)
    sent: list[bytes] = []
    bench.wires.slow = lambda: sent.append(bench.wires.picture())
    frames = bench.wires.glass.frames
    bench.move(RESTART_NS)
    bench.until(lambda: bench.wires.glass.frames > frames)
    bench.until_shown(SUN)
    assert bench.wires.glass.frames == frames + 1


def test_new_starts_leave_no_exit_hooks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks: list[object] = []
    monkeypatch.setattr(atexit, "register", hooks.append)
    display = bench.open()
    display.draw(SUN)
    bench.until_shown(SUN)
    for _ in range(5):
        bench.move(RESTART_NS)
        bench.until_shown(SUN)
    assert hooks == []


def test_a_blocked_bus_blocks_nobody_and_is_named(bench: Bench) -> None:
    blocked, unblock = threading.Event(), threading.Event()

    def block() -> None:
        blocked.set()
        assert unblock.wait(DEADLINE_S)

    bench.wires.slow = block
    display = bench.open()
    display.draw(SUN)
    assert blocked.wait(DEADLINE_S)
    beat_ns = display.beat_ns()
    for second in range(1000):
        display.draw(StatusFace(big=f"0:{second:02}"))
    bench.move(BLOCKED_NS + 1)
    assert display.beat_ns() == beat_ns
    assert "bus hangs" in words(display.trouble())
    bench.wires.slow = None
    unblock.set()
    bench.until_shown(StatusFace(big="0:999"))
    bench.until(lambda: display.trouble() is None)


def test_frames_are_skipped_on_a_slow_bus(bench: Bench) -> None:
    display = bench.open()
    display.draw(SUN)
    bench.until_shown(SUN)
    first, go_on = threading.Event(), threading.Event()

    def delay() -> None:
        first.set()
        assert go_on.wait(DEADLINE_S)

    bench.until(lambda: bench.wires.glass.frames >= 1)
    bench.wires.slow = delay
    frames = bench.wires.glass.frames
    display.draw(MOON)
    assert first.wait(DEADLINE_S)
    for second in range(100):
        display.draw(StatusFace(big=f"0:{second:02}"))
    go_on.set()
    bench.until_shown(StatusFace(big="0:99"))
    bench.until(lambda: bench.wires.glass.frames >= frames + 2)  # counted when the last byte has been taken
    assert bench.wires.glass.frames == frames + 2


def test_a_face_rests_before_it_is_drawn_and_the_end_does_not_wait_for_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_controller.hal.oled.display.REST_S", 10 * DEADLINE_S)
    display = bench.open()
    rests, wait_for = threading.Event(), display._news.wait_for

    def rest(over: Callable[[], bool], longest_s: float) -> bool:
        rests.set()
        return wait_for(over, longest_s)

    monkeypatch.setattr(display._news, "wait_for", rest)
    display.draw(SUN)
    bench.until(lambda: rests.is_set() or display.shows(SUN))
    display.close()
    display._thread.join(DEADLINE_S)
    assert not display._thread.is_alive()
    assert bench.wires.glass.frames == 0


def test_the_beat_goes_on_without_news(bench: Bench) -> None:
    display = bench.open()
    bench.move(S)
    bench.until(lambda: display.beat_ns() == bench.clock.now_ns)
    display.draw(SUN)
    bench.until_shown(SUN)
    bench.move(S)
    bench.until(lambda: display.beat_ns() == bench.clock.now_ns)


def test_without_news_the_thread_sleeps_until_something_is_due(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    display = bench.open()
    display.draw(SUN)
    bench.until(lambda: display.shows(SUN) and display._resting)
    waits: list[float | None] = []
    wait = display._news.wait

    def note(longest_s: float | None = None) -> bool:
        waits.append(longest_s)
        return wait(longest_s)

    monkeypatch.setattr(display._news, "wait", note)
    into_minute_ns = bench.clock.now_ns % MINUTE
    bench.move(S)
    bench.until(lambda: bool(waits) and display._resting)
    assert waits == [(MINUTE - into_minute_ns - S) / 1e9]
    bench.move(MINUTE)
    bench.until_shown(SUN)


@pytest.mark.parametrize("under_way", [False, True], ids=["at rest", "in the midst of a face"])
def test_close_says_when_it_could_not_switch_off(bench: Bench, *, under_way: bool) -> None:
    display = bench.open()
    display.draw(SUN)
    bench.until(lambda: display.shows(SUN))  # its start has ended, too: the contrast comes after the picture
    bench.wires.absent = True
    if under_way:
        drawing = threading.Event()

        def until_closing() -> None:
            drawing.set()
            bench.until(lambda: display._closing)

        bench.wires.slow = until_closing
        display.draw(MOON)
        assert drawing.wait(DEADLINE_S)
    display.close()
    display.close()
    assert "could not be switched off" in words(display.trouble())


def test_close_does_not_wait_for_a_bus_that_hangs(bench: Bench) -> None:
    blocked, unblock = threading.Event(), threading.Event()

    def block() -> None:
        blocked.set()
        assert unblock.wait(DEADLINE_S)

    display = bench.open()
    display.draw(SUN)
    bench.until_shown(SUN)
    bench.wires.slow = block
    display.draw(MOON)
    assert blocked.wait(DEADLINE_S)
    display.close()
    assert display._thread.is_alive()
    bench.wires.slow = None
    after = StatusFace("The next driver", "1:00")
    bench.open().draw(after)
    bench.until_shown(after)
    unblock.set()
    display._thread.join(DEADLINE_S)
    assert not display._thread.is_alive()
    assert bench.wires.on


def test_wrong_values_are_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match="contrast is 256: it must be 0 to 255"):
        bench.open(contrast=256)
    with pytest.raises(ValueError, match="by 90 degrees: only 0 and 180"):
        bench.open(rotate_degrees=90)


def test_spi_without_spidev_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(HardwareMissing, match="spidev is not installed"):
        spi_bus(port=0, device=0, dc_pin=24, reset_pin=25, lines=ModuleType("lines"))
