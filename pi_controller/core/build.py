"""Settings to hardware to game loop: the only file that constructs."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pi_controller.core.archive import Archive
from pi_controller.core.arming import Arming, CannotArm
from pi_controller.core.beats import Beats
from pi_controller.core.computer import Computer, Facts
from pi_controller.core.display import DisplayOpener
from pi_controller.core.journal_news import JournalNews
from pi_controller.core.loop import GameLoop
from pi_controller.core.obstacles import Obstacles
from pi_controller.core.outputs import Outputs
from pi_controller.core.power_off import PowerOff, request_power_off, runtime_folder
from pi_controller.core.shortfall import Shortfall
from pi_controller.core.simulation import Simulation
from pi_controller.core.timers import Timers
from pi_controller.core.tone_limit import ToneLimit
from pi_controller.game.game import Game
from pi_controller.hal.debouncer import Debouncer
from pi_controller.hal.gpio.buttons import open_pause_button, open_push_button
from pi_controller.hal.gpio.factory import Pins, SimulatedPins, open_pins
from pi_controller.hal.gpio.outputs import open_buzzer, open_lamp
from pi_controller.hal.names import PinFactoryName
from pi_controller.hal.roles import Clock, HardwareError, Lamp, PauseButton, PushButton
from pi_controller.hal.sim.machine import SimFacts
from pi_controller.hal.sim.panel import SimPanel, Wiring
from pi_controller.hal.system.facts import FactsReader
from pi_controller.journal.errors import JournalError
from pi_controller.journal.export_files import games
from pi_controller.journal.exports import Exports, export_lines
from pi_controller.journal.store import Store
from pi_controller.journal.writer import JournalWriter
from pi_controller.protocol.options import CoreOptions
from pi_controller.settings.sections import Settings

HandOver = Callable[[Callable[[], None]], object]
Device = TypeVar("Device")


class WrongOptions(ValueError):  # noqa: N818 - an answer to who started the program
    """Options that do not go together; one sentence."""


def check_options(options: CoreOptions, settings: Settings) -> None:
    """Speed, seed and virtual tables are for simulations only; raises WrongOptions."""
    simulated = all_simulated(settings)
    if options.speed != 1 and not simulated:
        raise WrongOptions("--speed changes the game's clock and is only for --hardware sim: leave it out.")
    if options.virtual_tables and not simulated:
        raise WrongOptions(
            "--virtual-tables puts simulated table nodes in the place of real ones"
            " and is only for --hardware sim: leave it out."
        )
    if options.seed_hex is None:
        return
    if not simulated:
        raise WrongOptions(
            "--seed-hex makes rolls known beforehand and is only for --hardware sim: leave it out."
        )
    if len(options.seed_hex) != 64 or set(options.seed_hex.lower()) - set("0123456789abcdef"):
        raise WrongOptions("--seed-hex must be 64 hexadecimal digits.")


def all_simulated(settings: Settings) -> bool:
    """No part of the panel is a real one."""
    hardware = settings.hardware
    drivers = (hardware.lamps, hardware.buzzer, hardware.pause_button)
    others = {hardware.display, hardware.shutdown_button}
    return set(drivers) == {"sim"} and others <= {"sim", "none"}


def make_facts(options: CoreOptions, settings: Settings) -> Facts:
    """The computer's facts: simulated ones, that can be changed, with a simulated panel."""
    return SimFacts(options.state_dir) if all_simulated(settings) else FactsReader(options.state_dir)


def hand_over_to(loop: asyncio.AbstractEventLoop) -> HandOver:
    """A way onto the loop from any thread; after the loop's end nobody is there to take anything."""

    def hand_over(act: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(act)

    return hand_over


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
    without: dict[str, list[str]] = field(default_factory=dict)

    def fit(self, name: str, driver: str, open_device: Callable[[Pins], Device]) -> Device:
        """Open the device of this name. Raises HardwareError, except with `make_do`."""
        try:
            return open_device(self.of(driver))
        except HardwareError as error:
            if not self.make_do:
                raise
            self.without.setdefault(str(error), []).append(name)
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
    hand_over: HandOver,
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
        tell = _Telling(hand_over)
        display = None
        if hardware.display != "none":
            display = DisplayOpener(settings, pins_of=pins.of, clock=clock, changed=tell.changed)
            closing.callback(display.close)
        if "mock" in pins.opened:
            glass = display.glass if display is not None else lambda: None
            panel = closing.enter_context(_sim_panel(settings, pins.opened["mock"], tell.changed))
            tell.simulation = Simulation(
                panel,
                glass,
                wire="nc" if both else "no",
                facts=facts if isinstance(facts, SimFacts) else None,
            )
        return Panel(
            outputs=outputs,
            button=button,
            qualifier=Debouncer(
                contacts=settings.pause_button.contacts,
                hold_ns=round(settings.pause_button.hold_to_resume_seconds * 1e9),
            ),
            shutdown_button=shutdown_button,
            display=display,
            simulation=tell.simulation,
            outside=pins.opened["mock"].simulated if "mock" in pins.opened else None,
            shortfalls=[
                Shortfall("panel", f"Without {', '.join(parts)}: {why}")
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
        "pause button",
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
        "shutdown button",
        hardware.shutdown_button,
        lambda use: open_push_button(use, at.shutdown_button, "Shutdown button"),
    )
    closing.callback(shutdown_button.close)
    return button, shutdown_button


def _open_outputs(
    settings: Settings, pins: _Pins, *, timers: Timers, closing: contextlib.ExitStack
) -> Outputs:
    at, longest_ms = settings.pins, settings.buzzer.longest_tone_ms

    def lamp(pin: int, name: str) -> Lamp:
        return pins.fit(name, settings.hardware.lamps, lambda use: open_lamp(use, pin, name))

    outputs = Outputs(
        timers=timers,
        sun=lamp(at.sun_lamp, "Sun lamp"),
        moon=lamp(at.moon_lamp, "Moon lamp"),
        pause_lamp=lamp(at.pause_lamp, "Pause lamp"),
        longest_tone_ms=longest_ms,
    )
    closing.callback(outputs.close)
    limit = ToneLimit()
    closing.callback(limit.close)
    buzzer = pins.fit(
        "buzzer",
        settings.hardware.buzzer,
        lambda use: open_buzzer(use, at.buzzer, longest_tone_ms=longest_ms, start_timer=limit.start),
    )
    closing.callback(buzzer.close)
    outputs.buzzer = buzzer if settings.buzzer.enabled else None
    return outputs


class _Telling:
    """Many changes of the simulated panel become one look at it."""

    def __init__(self, hand_over: HandOver) -> None:
        self.simulation: Simulation | None = None
        self._hand_over = hand_over
        self._told = False

    def changed(self) -> None:
        if not self._told:
            self._told = True
            self._hand_over(self._look)

    def _look(self) -> None:
        self._told = False
        if self.simulation is not None:
            self.simulation.look()


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


def computer_carers(
    settings: Settings,
    panel: Panel,
    *,
    facts: Facts,
    loop: GameLoop,
    obstacles: Obstacles,
    timers: Timers,
    hand_over: HandOver,
    outputs_free: Callable[[], bool],
) -> list[Computer | PowerOff]:
    """What looks after the computer itself; each has `begin` and `stop`. `outputs_free`: no test has them."""
    carers: list[Computer | PowerOff] = [
        Computer(facts, loop=loop, obstacles=obstacles, timers=timers, hand_over=hand_over)
    ]
    if panel.shutdown_button is not None:
        carers.append(
            PowerOff(
                panel.shutdown_button,
                outputs=panel.outputs,
                loop=loop,
                timers=timers,
                hold_ns=round(settings.shutdown_button.hold_seconds * 1e9),
                request=lambda: request_power_off(
                    runtime_folder(), simulated=settings.hardware.shutdown_button == "sim"
                ),
                free=outputs_free,
            )
        )
    return carers


class JournalFiles:
    """What arming needs of the journal."""

    def __init__(self, store: Store, writer: JournalWriter, clock: Clock) -> None:
        self._store = store
        self._writer = writer
        self._clock = clock

    def new_game_id(self, ending: str | None = None) -> str:
        try:
            return self._store.new_game_id(self._clock.wall(), ending)
        except (JournalError, OSError) as error:
            raise CannotArm(f"No new game can be armed: {error}") from error

    def open_game(self, game: Game, opening: dict[str, Any], *, game_ns: int, boot_ns: int, tag: int) -> None:
        seed = game.dice.seed
        self._writer.open_game(game.game_id, seed, opening, game_ns=game_ns, boot_ns=boot_ns, tag=tag)


def make_arming(options: CoreOptions, settings: Settings, *, files: JournalFiles, timers: Timers) -> Arming:
    seed_hex = options.seed_hex
    if seed_hex is None:
        return Arming(files=files, settings=settings.game, timers=timers, rate=options.speed)
    seed = bytes.fromhex(seed_hex)
    return Arming(
        files=files, settings=settings.game, timers=timers, rate=options.speed, draw_seed=lambda: seed
    )


def make_archive(state_dir: Path, second_copy: Path | None, beats: Beats) -> Archive:
    """Readers of earlier games, and of the one that is on as far as it is known to be on the disk: a seed
    that the picture withholds is not given out."""

    def lines(game_id: str) -> list[str]:
        newest, _, saved = beats.writer.progress() if beats.writer is not None else ("", 0, 0)
        exported = export_lines(state_dir, game_id, second_copy=second_copy)
        found = [line.decode().rstrip("\n") for line in exported]
        return found[:saved] if game_id == newest else found

    return Archive(
        games=lambda: [msgspec.to_builtins(game) for game in games(state_dir)],
        lines=lines,
        errors=(JournalError, OSError),
    )


def make_exports(store: Store, clock: Clock, news: JournalNews) -> Exports:
    return Exports(store, boot_id=clock.boot_id, on_trouble=news.trouble, on_mended=news.mended)
