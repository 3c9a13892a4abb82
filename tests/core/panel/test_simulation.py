import base64
from collections.abc import Iterator

import msgspec
import pytest

from pi_controller.core.panel.simulation import Simulation
from pi_controller.hal.gpio import GpioLamp, open_pins
from pi_controller.hal.sim.panel import PanelWiring, SimPanel
from pi_controller.protocol.simulated import SimAction


class Watcher:
    """Takes the place of a client."""

    def __init__(self) -> None:
        self.panels: list[dict[str, object]] = []
        self.on_close: list[object] = []

    def stream(self, kind: str, line: bytes) -> None:
        self.panels.append(msgspec.json.decode(line)[kind])


class Glass:
    def __init__(self) -> None:
        self.on = True

    def picture(self) -> bytes:
        return bytes([0x80]) + bytes(1023)

    def unplug(self) -> None:
        self.on = False

    def plug_in(self) -> None:
        self.on = True


class Table:
    def __init__(self, glass: Glass | None) -> None:
        self.pins = open_pins("mock")
        self.glass = glass
        wiring = PanelWiring(sun_lamp=12, moon_lamp=13, buzzer=16, pause_lamp=26, pause_no=6, pause_nc=5)
        self.panel = SimPanel(self.pins, wiring, wait=lambda _s: None)
        self.simulation = Simulation(self.panel, lambda: self.glass, wire="nc")
        self.watcher = Watcher()
        self.simulation.watch(self.watcher)  # type: ignore[arg-type]

    def newest(self) -> dict[str, object]:
        self.simulation.look()
        return self.watcher.panels[-1]


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table(Glass())
    yield made
    made.panel.close()
    made.pins.close()


def test_a_watcher_sees_lamps_and_display_as_they_are(table: Table) -> None:
    display = table.watcher.panels[0]["display"]
    assert isinstance(display, dict)
    assert (display["width"], display["height"], display["on"]) == (128, 64, True)
    assert base64.b64decode(display["bits"])[0] == 0x80
    lamp = GpioLamp(table.pins, 12, "Sun lamp")
    lamp.show(lit=True)
    assert table.newest()["sun"] is True
    told = len(table.watcher.panels)
    table.simulation.look()
    assert len(table.watcher.panels) == told, "nothing has changed"


def test_before_the_display_is_open_it_is_dark(table: Table) -> None:
    table.glass = None
    assert table.newest()["display"]["on"] is False  # type: ignore[index]
    table.simulation.do("display_off")


@pytest.mark.parametrize(
    ("action", "button", "lit"),
    [
        ("press", {"pressed": True, "wire": "ok"}, True),
        ("break_wire", {"pressed": False, "wire": "nc_broken"}, True),
        ("display_off", {"pressed": False, "wire": "ok"}, False),
    ],
)
def test_hands_and_faults(table: Table, action: SimAction, button: dict[str, object], lit: bool) -> None:
    table.simulation.do(action)
    seen = table.newest()
    assert (seen["button"], seen["display"]["on"]) == (button, lit)  # type: ignore[index]
    for back in ("release", "mend_wire", "display_on"):
        table.simulation.do(back)
    assert table.newest() == table.watcher.panels[0]


def test_the_wire_that_breaks_can_be_chosen(table: Table) -> None:
    table.simulation.do("break_wire", "no")
    assert table.newest()["button"] == {"pressed": False, "wire": "no_broken"}


def test_who_hung_up_is_told_nothing(table: Table) -> None:
    for act in table.watcher.on_close:
        act()  # type: ignore[operator]
    told = len(table.watcher.panels)
    table.simulation.do("press")
    table.simulation.look()
    assert len(table.watcher.panels) == told
