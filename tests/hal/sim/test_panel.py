"""The simulated panel in front of the real device classes."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pi_controller.hal.debouncer import Debouncer, Pressed, Released
from pi_controller.hal.gpio import GpioBuzzer, GpioLamp, GpioPauseButton, GpioPushButton, PinFactory
from pi_controller.hal.roles import ContactChange, Contacts
from pi_controller.hal.sim.panel import BOUNCE_EDGES, WORN_EDGES, PanelWiring, SimPanel, SimulatedPanelView
from pi_controller.hal.system.kernel import SystemClock
from tests.hal.hand import NoTimer
from tests.patience import DEADLINE_S

WIRING = PanelWiring(sun_lamp=12, moon_lamp=13, buzzer=16, pause_lamp=26, pause_no=6, pause_nc=5)
REST = SimulatedPanelView(sun=False, moon=False, pause_lamp=False, buzzer=False, pressed=False, wire="ok")
S = 1_000_000_000


def raise_it(error: Exception) -> None:
    raise error


@pytest.fixture
def panel(pins: PinFactory) -> Iterator[SimPanel]:
    with SimPanel(pins, WIRING) as panel:
        yield panel


@pytest.fixture
def button(pins: PinFactory, panel: SimPanel) -> Iterator[GpioPauseButton]:
    with GpioPauseButton(pins, no_pin=6, nc_pin=5, clock=SystemClock(), on_error=raise_it) as button:
        yield button


def test_lamps_and_buzzer_are_read_from_the_pins(pins: PinFactory) -> None:
    told: list[SimulatedPanelView] = []
    with SimPanel(pins, WIRING, changed=lambda: told.append(panel.view())) as panel:
        assert panel.view() == REST
        with (
            GpioLamp(pins, 12, "Sun lamp") as sun,
            GpioBuzzer(pins, 16, longest_tone_ms=1000, start_timer=NoTimer) as buzzer,
        ):
            sun.show(lit=True)
            buzzer.sound(on=True)
            assert (panel.view().sun, panel.view().buzzer, panel.view().moon) == (True, True, False)
    assert [(view.sun, view.buzzer) for view in told] == [
        (True, False),
        (True, True),
        (True, False),
        (False, False),
    ]


def test_press_and_release_move_both_contacts(panel: SimPanel, button: GpioPauseButton) -> None:
    changes: list[ContactChange] = []
    button.listen(changes.append)
    assert button.contacts() == Contacts(no_closed=False, nc_closed=True)
    panel.press()
    assert panel.view().pressed
    assert button.contacts() == Contacts(no_closed=True, nc_closed=False)
    panel.release()
    assert panel.view() == REST
    assert [(change.contact, change.closed) for change in changes] == [
        ("nc", False),
        ("no", True),
        ("no", False),
        ("nc", True),
    ]


@pytest.mark.parametrize(
    ("contact", "rest", "pressed"),
    [
        ("nc", Contacts(no_closed=False, nc_closed=False), Contacts(no_closed=True, nc_closed=False)),
        ("no", Contacts(no_closed=False, nc_closed=True), Contacts(no_closed=False, nc_closed=False)),
    ],
)
def test_a_broken_wire_is_an_open_contact(
    panel: SimPanel, button: GpioPauseButton, contact: str, rest: Contacts, pressed: Contacts
) -> None:
    panel.break_wire(contact)
    assert panel.view().wire == f"{contact}_broken"
    assert button.contacts() == rest
    panel.press()
    assert button.contacts() == pressed
    panel.release()
    panel.mend_wire()
    assert panel.view() == REST
    assert button.contacts() == Contacts(no_closed=False, nc_closed=True)


def test_tap_and_bounce_are_one_press_each(pins: PinFactory) -> None:
    changes: list[ContactChange] = []
    waited: list[float] = []
    with (
        SimPanel(pins, WIRING, wait=waited.append) as panel,
        GpioPauseButton(pins, no_pin=6, nc_pin=5, clock=SystemClock(), on_error=raise_it) as button,
    ):
        button.listen(changes.append)
        panel.tap().result(DEADLINE_S)
        assert waited == [0.120]
        assert len(changes) == 4
        changes.clear()
        panel.bounce().result(DEADLINE_S)
        assert len(changes) == 2 * BOUNCE_EDGES + 4
        assert len(waited) == 1 + BOUNCE_EDGES + 1


def test_bounce_is_one_press_at_its_first_edge(panel: SimPanel, button: GpioPauseButton) -> None:
    changes: list[ContactChange] = []
    button.listen(changes.append)
    debouncer = Debouncer(contacts="nc_no", hold_ns=0)
    start_ns = SystemClock().boot_ns()
    debouncer.sample(button.contacts(), start_ns)
    panel.bounce().result(DEADLINE_S)
    *bounces, no_opens, nc_closes = changes
    # At the pace of a real contact, however long this machine took.
    for index, change in enumerate(bounces):
        debouncer.change(replace(change, at_ns=start_ns + index * 25_000))
    for change in (no_opens, nc_closes):
        debouncer.change(replace(change, at_ns=start_ns + S))
    assert debouncer.advance(start_ns + 2 * S) == (Pressed(start_ns + 25_000), Released(start_ns + S))


def test_a_panel_without_an_nc_contact(pins: PinFactory) -> None:
    single = PanelWiring(sun_lamp=12, moon_lamp=13, buzzer=16, pause_lamp=26, pause_no=6, pause_nc=None)
    with (
        SimPanel(pins, single) as panel,
        GpioPauseButton(pins, no_pin=6, nc_pin=None, clock=SystemClock(), on_error=raise_it) as button,
    ):
        panel.press()
        assert button.contacts() == Contacts(no_closed=True, nc_closed=None)
        with pytest.raises(ValueError, match="no NC contact"):
            panel.break_wire("nc")


def test_the_hand_ends_with_the_panel(pins: PinFactory) -> None:
    panel = SimPanel(pins, WIRING, wait=lambda _seconds: None)
    panel.tap().result(DEADLINE_S)
    panel.close()
    panel.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("sim-hand")]


def test_the_shutdown_button_and_a_panel_without_one(pins: PinFactory) -> None:
    with SimPanel(pins, replace(WIRING, shutdown=27)) as panel:
        button = GpioPushButton(pins, 27, "Shutdown button")
        assert not button.pressed()
        panel.hold_shutdown(held=True)
        assert button.pressed()
        panel.hold_shutdown(held=False)
        assert not button.pressed()
        button.close()
    with (
        SimPanel(pins, WIRING) as panel,
        pytest.raises(ValueError, match=r"no shutdown button: set hardware\.shutdown_button to sim"),
    ):
        panel.hold_shutdown(held=True)


def test_a_dead_lamp_is_dark_and_a_mute_buzzer_silent_whatever_their_pins_say(
    pins: PinFactory, panel: SimPanel
) -> None:
    with (
        GpioLamp(pins, 12, "Sun lamp") as sun,
        GpioBuzzer(pins, 16, longest_tone_ms=1000, start_timer=NoTimer) as buzzer,
    ):
        sun.show(lit=True)
        buzzer.sound(on=True)
        panel.kill_lamp("sun", dead=True)
        panel.mute_buzzer(mute=True)
        assert panel.view() == REST
        panel.kill_lamp("sun", dead=False)
        panel.mute_buzzer(mute=False)
        assert panel.view() == replace(REST, sun=True, buzzer=True)


def test_crossed_lamps_show_each_others_light(pins: PinFactory, panel: SimPanel) -> None:
    with GpioLamp(pins, 12, "Sun lamp") as sun:
        sun.show(lit=True)
        panel.cross_lamps(crossed=True)
        assert panel.view() == replace(REST, moon=True)
        panel.cross_lamps(crossed=False)
        assert panel.view() == replace(REST, sun=True)


def test_a_stuck_button_stays_pressed_until_it_is_freed(panel: SimPanel, button: GpioPauseButton) -> None:
    panel.stick()
    panel.tap().result(DEADLINE_S)
    assert button.contacts() == Contacts(no_closed=True, nc_closed=False)
    panel.release()
    assert button.contacts() == Contacts(no_closed=False, nc_closed=True)


def test_a_worn_button_bounces_at_each_press(panel: SimPanel, button: GpioPauseButton) -> None:
    edges: list[ContactChange] = []
    button.listen(edges.append)
    panel.wear(worn=True)
    panel.press()
    panel.release()
    panel.tap().result(DEADLINE_S)
    panel.wear(worn=False)
    panel.tap().result(DEADLINE_S)
    closings = [edge for edge in edges if edge.contact == "no" and edge.closed]
    assert len(closings) == 2 * (WORN_EDGES // 2 + 1) + 1
    assert button.contacts() == Contacts(no_closed=False, nc_closed=True)
