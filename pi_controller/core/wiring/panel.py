"""Settings to the panel's devices."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pi_controller.core.game_loop.shortfall import Shortfall
from pi_controller.core.monitoring.computer import Facts
from pi_controller.core.panel.display import DisplayOpener
from pi_controller.core.panel.outputs import Outputs
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.panel.tone_limit import ToneLimit
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Timers
from pi_controller.hal.debouncer import Debouncer
from pi_controller.hal.gpio.buttons import open_pause_button, open_push_button
from pi_controller.hal.gpio.factory import Pins, SimulatedPins, open_pins
from pi_controller.hal.gpio.outputs import open_buzzer, open_lamp
from pi_controller.hal.names import PinFactoryName
from pi_controller.hal.roles import Clock, HardwareError, Lamp, PauseButton, PushButton
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.hal.sim.panel import SimPanel, Wiring
from pi_controller.sentence import Sentence, listed, said_by
from pi_controller.settings.sections import Settings

Device = TypeVar("Device")


@dataclass
class Panel:
    """The panel's parts, open; all but the display, which may be opened later. None: there is none."""

    outputs: Outputs
    button: PauseButton
    qualifier: Debouncer
    shutdown_button: PushButton | None
    display: DisplayOpener | None
    simulation: Simulation | None
    outside: SimulatedPins | None
    """The outside world's end of mock pins."""
    shortfalls: list[Shortfall]
    """What the settings name and cannot be used."""
    closing: contextlib.ExitStack

    def close(self) -> None:
        """Outputs safe, pins released; may be called twice."""
        self.outputs.close()
        self.closing.close()


@dataclass
class _Pins:
    """Each pin library is opened once, when its first device is.

    With `make_do` a device that cannot be opened gets pins that lead nowhere, and stands in `without`.
    """

    settings: Settings
    pipe_folder: Path
    closing: contextlib.ExitStack
    make_do: bool = False
    opened: dict[PinFactoryName, Pins] = field(default_factory=dict)
    nowhere: Pins | None = None
    without: dict[Sentence, list[Sentence]] = field(default_factory=dict)

    def fit(self, name: Sentence, driver: str, open_device: Callable[[Pins], Device]) -> Device:
        """Open the device of this name; one that is not there (`none`) has pins that lead nowhere. Raises
        HardwareError, except with `make_do`."""
        if driver != "none":
            try:
                return open_device(self.of(driver))
            except HardwareError as error:
                if not self.make_do:
                    raise
                self.without.setdefault(said_by(error), []).append(name)
        if self.nowhere is None:
            self.nowhere = self.closing.enter_context(open_pins("mock"))
        return open_device(self.nowhere)

    def of(self, driver: str) -> Pins:
        name: PinFactoryName = "mock" if driver == "sim" else self.settings.hardware.pin_factory
        if name not in self.opened:
            self.opened[name] = self.closing.enter_context(open_pins(name, pipe_folder=self.pipe_folder))
        return self.opened[name]


def open_panel(
    settings: Settings,
    *,
    clock: Clock,
    timers: Timers,
    threads: Threads,
    state_dir: Path,
    on_callback_error: Callable[[Exception], None],
    facts: Facts | None = None,
    make_do: bool = False,
) -> Panel:
    """Open every device that the settings name. Raises HardwareError; then nothing stays open.

    With `make_do` what cannot be opened is left out instead, and told in `Panel.shortfalls`.
    """
    with contextlib.ExitStack() as closing:
        pins = _Pins(settings, state_dir / "pins", closing, make_do)
        hardware = settings.hardware
        both = settings.pause_button.contacts == "nc_no"
        outputs = _open_outputs(settings, pins, timers=timers, closing=closing)
        button, shutdown_button = _open_buttons(
            settings, pins, clock=clock, on_callback_error=on_callback_error, closing=closing
        )
        tell = _Telling(threads)
        display, simulation = None, None
        if hardware.display != "none":
            display = DisplayOpener(settings, pins_of=pins.of, clock=clock, changed=tell.changed)
            closing.callback(display.close)
        if "mock" in pins.opened:
            glass = display.glass if display is not None else lambda: None
            panel = closing.enter_context(_sim_panel(settings, pins.opened["mock"], tell.changed))
            simulation = Simulation(
                panel,
                glass,
                wire="nc" if both else "no",
                facts=facts if isinstance(facts, SimFacts) else None,
            )
            tell.to(simulation)
        return Panel(
            outputs=outputs,
            button=button,
            qualifier=Debouncer(
                contacts=settings.pause_button.contacts,
                hold_ns=round(settings.pause_button.hold_to_resume_seconds * 1e9),
            ),
            shutdown_button=shutdown_button,
            display=display,
            simulation=simulation,
            outside=pins.opened["mock"].simulated if "mock" in pins.opened else None,
            shortfalls=[
                Shortfall("panel", Sentence("start.without", parts=listed(parts), why=why))
                for why, parts in pins.without.items()
            ],
            closing=closing.pop_all(),
        )


def _open_buttons(
    settings: Settings,
    pins: _Pins,
    *,
    clock: Clock,
    on_callback_error: Callable[[Exception], None],
    closing: contextlib.ExitStack,
) -> tuple[PauseButton, PushButton | None]:
    at, hardware = settings.pins, settings.hardware
    both = settings.pause_button.contacts == "nc_no"
    button = pins.fit(
        Sentence("panel.pause_button"),
        hardware.pause_button,
        lambda use: open_pause_button(
            use,
            no_pin=at.pause_no,
            nc_pin=at.pause_nc if both else None,
            clock=clock,
            on_error=on_callback_error,
        ),
    )
    closing.callback(button.close)
    if both and pins.nowhere is not None:
        # at rest, if it is the button whose pins lead nowhere: otherwise its wire would count as broken
        pins.nowhere.simulated.drive(at.pause_nc, high=False)
    if hardware.shutdown_button == "none":
        return button, None
    shutdown_button = pins.fit(
        Sentence("panel.shutdown_button"),
        hardware.shutdown_button,
        lambda use: open_push_button(use, at.shutdown_button, "Shutdown button"),
    )
    closing.callback(shutdown_button.close)
    return button, shutdown_button


def _open_outputs(
    settings: Settings, pins: _Pins, *, timers: Timers, closing: contextlib.ExitStack
) -> Outputs:
    at, longest_ms = settings.pins, settings.buzzer.longest_tone_ms

    def lamp(pin: int, name: str, told: Sentence) -> Lamp:
        return pins.fit(told, settings.hardware.lamps, lambda use: open_lamp(use, pin, name))

    sun = lamp(at.sun_lamp, "Sun lamp", Sentence("panel.lamp_of_sun"))
    moon = lamp(at.moon_lamp, "Moon lamp", Sentence("panel.lamp_of_moon"))
    pause_lamp = lamp(at.pause_lamp, "Pause lamp", Sentence("panel.lamp_of_pause"))
    limit = ToneLimit()
    closing.callback(limit.close)
    buzzer = pins.fit(
        Sentence("panel.buzzer"),
        settings.hardware.buzzer,
        lambda use: open_buzzer(use, at.buzzer, longest_tone_ms=longest_ms, start_timer=limit.start),
    )
    closing.callback(buzzer.close)
    outputs = Outputs(
        language=settings.hall.languages[0],
        timers=timers,
        sun=sun,
        moon=moon,
        pause_lamp=pause_lamp,
        buzzer=buzzer if settings.buzzer.enabled else None,
        longest_tone_ms=longest_ms,
    )
    closing.callback(outputs.close)
    return outputs


class _Telling:
    """Many changes of the simulated panel become one look at it."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._simulations: list[Simulation] = []
        self._told = False

    def to(self, simulation: Simulation) -> None:
        """Have this one look from now on."""
        self._simulations.append(simulation)

    def changed(self) -> None:
        if not self._told:
            self._told = True
            self._threads.call_on_loop(self._look)

    def _look(self) -> None:
        self._told = False
        for simulation in self._simulations:
            simulation.look()


def _sim_panel(settings: Settings, pins: Pins, changed: Callable[[], None]) -> SimPanel:
    at = settings.pins
    wiring = Wiring(
        sun_lamp=at.sun_lamp,
        moon_lamp=at.moon_lamp,
        buzzer=at.buzzer,
        pause_lamp=at.pause_lamp,
        pause_no=at.pause_no,
        pause_nc=at.pause_nc if settings.pause_button.contacts == "nc_no" else None,
        shutdown=at.shutdown_button if settings.hardware.shutdown_button == "sim" else None,
    )
    return SimPanel(pins, wiring, changed=changed)
