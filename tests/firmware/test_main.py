"""The node as it starts on a Pico: over a fake one on CPython, and on real MicroPython with its wires written down."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pi_controller.hal.names import DisplayController
from pi_controller.hal.sim.display_bus import DisplayImage
from table_node import pins
from table_node.canvas import TEXT, Canvas
from table_node.node import FIRMWARE, Node
from table_node.stage import Stage
from tests.firmware import micropython
from tests.firmware.fake_machine import FakePico, Reset
from tests.firmware.hand_board import HandBoard
from tests.firmware.pico import Loaded, load
from tools.table_faces import Buffer, image, picture

BOOT = {"kind": "boot", "version": ".".join(map(str, FIRMWARE)), "uid": "e6614c311b7f4a2d"}
PASSES = 400
WIRES = Path(__file__).parent / "wires"


class Enough(BaseException):
    """The node has run for long enough."""


@pytest.fixture
def pico(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePico:
    monkeypatch.chdir(tmp_path)
    pico = FakePico()
    pico.data_line, pico.reset_line = pins.DISPLAY_DATA, pins.DISPLAY_RESET
    for select in (pins.SUN_SELECT, pins.MOON_SELECT):
        pico.glass(select, "ssd1309")
    return pico


@pytest.fixture
def loaded(pico: FakePico, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loaded]:
    believe_in(monkeypatch, (1, 25, 0))
    yield from load(pico, monkeypatch)


def believe_in(monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...]) -> None:
    """The firmware sees a MicroPython of this version."""
    monkeypatch.setattr(
        sys, "implementation", SimpleNamespace(**{**vars(sys.implementation), "version": version})
    )


def run(loaded: Loaded, monkeypatch: pytest.MonkeyPatch, end: BaseException, passes: int = PASSES) -> None:
    """The node's own loop until `end` is raised in one of its passes."""
    step = Node.step
    left = iter(range(passes))

    def counted(node: Node) -> int:
        if next(left, None) is None:
            raise end
        loaded.pico.now_us += 100
        return step(node)

    monkeypatch.setattr(Node, "step", counted)
    loaded.module("table_node.main").run()


def test_both_displays_show_the_start(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Enough):
        run(loaded, monkeypatch, Enough())
    for glass in loaded.pico.glasses.values():
        assert glass.on
        assert glass.picture() == picture(BOOT).tobytes()
    assert loaded.pico.watchdog_ms == 2000
    assert loaded.pico.fed


def test_one_shared_display_shows_both_halves(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded.pico.levels[pins.STRAP_SHARED] = 0
    with pytest.raises(Enough):
        run(loaded, monkeypatch, Enough())
    half = picture(BOOT, 4)
    assert loaded.pico.glasses[pins.SUN_SELECT].picture() == half.rotate(180).tobytes() + half.tobytes()


def test_a_strap_chooses_the_other_controller(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded.pico.levels[pins.STRAP_SH1106] = 0
    glass = loaded.pico.glass(pins.SUN_SELECT, "sh1106")
    with pytest.raises(Enough):
        run(loaded, monkeypatch, Enough())
    assert loaded.pico.spi_baud == 4_000_000
    assert glass.picture() == picture(BOOT).tobytes()


def test_a_fault_of_the_program_starts_it_anew(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    """B20: at once, with the line let go of; one that hangs instead is ended by the watchdog after 2 s."""
    told = []
    monkeypatch.setattr(sys, "print_exception", told.append, raising=False)
    fault = ZeroDivisionError()
    with pytest.raises(Reset):
        run(loaded, monkeypatch, fault)
    assert told == [fault]
    assert loaded.pico.levels[pins.DRIVER_ENABLE] == 0


def test_garbage_is_not_collected_while_a_picture_is_due(loaded: Loaded) -> None:
    main = loaded.module("table_node.main")
    board = HandBoard()
    stage = Stage(board, [])
    node = SimpleNamespace(spoke=True, stage=stage)
    assert stage.hurried
    assert not main.is_time_to_tidy(node, 1_500_000, 0, 9)
    assert main.is_time_to_tidy(node, 2_000_000, 0, 9)
    assert main.is_time_to_tidy(node, 500_000, 0, 100)
    stage.looked(board.ticks_us(), 1_000_000)
    assert main.is_time_to_tidy(node, 1_500_000, 0, 9)
    node.spoke = False
    assert not main.is_time_to_tidy(node, 2_000_000, 5000, 9)
    assert main.is_time_to_tidy(node, 3_000_000, 5000, 9)
    assert not main.is_time_to_tidy(node, 3_000_000, 500, 9)


def test_an_old_micropython_is_refused_in_words(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    believe_in(monkeypatch, (1, 24, 1))
    loaded.module("table_node.main").run()
    display = Buffer()
    canvas = Canvas(display.buffer)
    for line, text in enumerate(("OLD FIRMWARE", "install", "MicroPython", "1.25 or newer")):
        canvas.centred(TEXT, text, 0, 128, 2 * line)
    for glass in loaded.pico.glasses.values():
        assert glass.picture() == image(display.buffer).tobytes()
    assert loaded.pico.watchdog_ms is None


@pytest.mark.parametrize(
    ("strapped", "controller"), [("none", "ssd1309"), ("sh1106", "sh1106"), ("shared", "ssd1306")]
)
def test_the_same_on_real_micropython(strapped: str, controller: DisplayController, tmp_path: Path) -> None:
    """MicroPython writes down what it does with its wires; the decoder of this side looks at that."""
    script = tmp_path / "start.py"
    script.write_text(f"import sys\nsys.path[:0] = {[str(WIRES), str(WIRES / 'pio')]!r}\nimport start\n")
    lines = micropython.run(script, strapped).splitlines()
    glasses = {pins.SUN_SELECT: DisplayImage(controller), pins.MOON_SELECT: DisplayImage(controller)}
    for line in lines:
        what, *more = line.split()
        if what == "spi":
            select, is_data, data = int(more[0]), more[1] == "1", bytes.fromhex(more[2])
            (glasses[select].data if is_data else glasses[select].command)(data)
    if strapped == "shared":
        half = picture(BOOT, 4)
        assert glasses[pins.SUN_SELECT].picture() == half.rotate(180).tobytes() + half.tobytes()
    else:
        assert [glass.picture() for glass in glasses.values()] == [picture(BOOT).tobytes()] * 2
    assert "watchdog 2000" in lines
    assert lines[-1] == "stopped"
