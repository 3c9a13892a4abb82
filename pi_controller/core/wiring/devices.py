"""From settings to devices: panel, sound and tables."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from msgspec import DecodeError, Struct

from pi_controller.bus.values import BusEvent, SegmentPort
from pi_controller.core.button import CHOICE_FILE, read_choice
from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.recovery import Restored, Shortfall
from pi_controller.core.hardware_test.firmware import FirmwareImage
from pi_controller.core.hardware_test.news import TableTap
from pi_controller.core.monitoring import Facts
from pi_controller.core.panel.outputs import Outputs, ToneLimit
from pi_controller.core.panel.simulation import Simulation
from pi_controller.core.runtime import LoopThreads, LoopTimers, Tasks, Threads, Timers
from pi_controller.core.sound.speaker import Loudness, Manner, Speaker
from pi_controller.core.sound.voice import PlayerOrders, RenderOrder, Voice
from pi_controller.core.tables.claims import PressTimes, StoodStill
from pi_controller.core.tables.roster import RosterKeeper
from pi_controller.core.tables.tables import Tables
from pi_controller.hal.debouncer import Debouncer
from pi_controller.hal.evdev import EvdevButton
from pi_controller.hal.gpio import (
    GpioBuzzer,
    GpioLamp,
    GpioLines,
    GpioPauseButton,
    GpioPushButton,
    PinFactory,
    SimulatedPins,
    open_pins,
)
from pi_controller.hal.names import PinFactoryName, WiredContacts
from pi_controller.hal.roles import (
    Clock,
    HardwareError,
    Lamp,
    LocalDisplay,
    PauseButton,
    PushButton,
    TableBus,
)
from pi_controller.hal.serial.bus import open_table_bus
from pi_controller.hal.sim.machine import SimFacts, SimPlayer
from pi_controller.hal.sim.panel import PanelWiring, SimPanel
from pi_controller.hal.sound.orders import PlayerReport
from pi_controller.hal.sound.process import PlayerProcess
from pi_controller.hal.system.facts import FactsReader
from pi_controller.hal.system.kernel import Notices
from pi_controller.journal.pairing import FILE_NAME as PAIRING_KEY
from pi_controller.journal.store import Store
from pi_controller.language.system_errors import cause
from pi_controller.protocol.options import CoreOptions
from pi_controller.protocol.paths import virtual_port, virtual_segments, virtual_uid
from pi_controller.protocol.probes import TablePress
from pi_controller.roster.model import Board, Roster, Row
from pi_controller.roster.store import CalibrationFile, RosterStore
from pi_controller.sentence import SaidError, Sentence, listed, sentence_of
from pi_controller.settings.overlay import LayeredSettings
from pi_controller.settings.sections import Settings
from pi_controller.settings.standing import COPY_NAME, HallRole

if TYPE_CHECKING:
    from pi_controller.hal.oled.display import OpenBus as OpenDisplayBus
    from pi_controller.hal.sim.display_bus import SimDisplayBus

# What every part of core is made with.


class Runtime(Struct, frozen=True):
    """What parts run on: one asyncio loop, its clock, its coroutines, and threads."""

    events: asyncio.AbstractEventLoop
    clock: Clock
    timers: Timers
    tasks: Tasks
    threads: Threads


def running(clock: Clock) -> Runtime:
    """The runtime of the running loop."""
    events = asyncio.get_running_loop()
    return Runtime(events, clock, LoopTimers(events, clock), Tasks(events), LoopThreads(events))


class CoreStart(Struct, frozen=True):
    """One start of core. What is opened is closed by `closing`, in reverse order."""

    options: CoreOptions
    layers: LayeredSettings
    store: Store
    notices: Notices
    runtime: Runtime
    closing: contextlib.AsyncExitStack
    standing: HallRole

    @property
    def settings(self) -> Settings:
        """As they were at this start."""
        return self.layers.settings

    @property
    def second_copy(self) -> Path | None:
        """The folder of the second copy; None if there is none."""
        copy = self.settings.journal.second_copy
        if copy or self.standing.role(self.settings.links) != "leader":
            return Path(copy) if copy else None
        folder = self.options.state_dir  # for followers, if there is a key that seals the seed
        return folder / COPY_NAME if (folder / PAIRING_KEY).exists() else None


# Checks of options and settings that decide how core is made.


class WrongOptions(SaidError, ValueError):  # noqa: N818 - an answer to who started the program
    """Options that contradict each other."""


def check_options(options: CoreOptions, settings: Settings) -> None:
    """Raises WrongOptions: speed, seed and virtual tables are for simulations only."""
    simulated = all_simulated(settings)
    if options.speed != 1 and not simulated:
        raise WrongOptions(Sentence("options.speed_of_simulation_only"))
    if options.virtual_tables and not simulated:
        raise WrongOptions(Sentence("options.virtual_tables_of_simulation_only"))
    if options.seed_hex is None:
        return
    if not simulated:
        raise WrongOptions(Sentence("options.seed_of_simulation_only"))
    if len(options.seed_hex) != 64 or set(options.seed_hex.lower()) - set("0123456789abcdef"):
        raise WrongOptions(Sentence("options.seed_of_64_digits"))


def all_simulated(settings: Settings) -> bool:
    """True if no part of the panel is real."""
    hardware = settings.hardware
    drivers = (hardware.lamps, hardware.buzzer, hardware.pause_button)
    others = {hardware.display, hardware.shutdown_button, hardware.panel_current}
    return set(drivers) == {"sim"} and others <= {"sim", "none"}


def make_facts(options: CoreOptions, settings: Settings) -> Facts:
    """The computer's facts; with a simulated panel simulated ones, which can be changed."""
    return SimFacts(options.state_dir) if all_simulated(settings) else FactsReader(options.state_dir)


Device = TypeVar("Device")


# The panel.


class DisplayOpener:
    """Opens the display named in the settings; `open` may be called again on the same bus.

    On a thread: luma and Pillow take longer to load than everything else.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        pins_of: Callable[[str], PinFactory],
        clock: Clock,
        changed: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._pins_of = pins_of
        self._clock = clock
        self._changed = changed
        self._bus: OpenDisplayBus | None = None
        self._wires: SimDisplayBus | None = None
        self._lines: GpioLines | None = None

    def glass(self) -> "SimDisplayBus | None":
        """The simulated display; None before it is open and for a real one."""
        return self._wires

    def open(self) -> LocalDisplay:
        """May take a second the first time. Raises HardwareError if a driver is missing."""
        from pi_controller.hal.oled.display import OledDisplay  # noqa: PLC0415 - loads long

        if self._bus is None:
            self._bus = self._connect()
        display = self._settings.display
        return OledDisplay(
            controller=display.controller,
            open_bus=self._bus,
            clock=self._clock,
            contrast=display.contrast,
            rotate_degrees=display.rotate_degrees,
        )

    def close(self) -> None:
        """Release the bus. The displays themselves are closed by their users."""
        if self._lines is not None:
            self._lines.close()

    def _connect(self) -> "OpenDisplayBus":
        from pi_controller.hal.oled.display import i2c_bus, spi_bus  # noqa: PLC0415 - loads long

        display = self._settings.display
        if self._settings.hardware.display == "sim":
            from pi_controller.hal.sim.display_bus import SimDisplayBus  # noqa: PLC0415 - loads long

            self._wires = SimDisplayBus(display.controller, changed=self._changed)
            return self._wires.i2c() if display.bus == "i2c" else self._wires.spi()
        if display.bus == "i2c":
            return i2c_bus(port=display.i2c_port, address=display.i2c_address)
        self._lines = GpioLines(self._pins_of("gpiozero"))
        return spi_bus(
            port=display.spi_port,
            device=display.spi_device,
            dc_pin=display.spi_dc_pin,
            reset_pin=display.spi_reset_pin,
            lines=self._lines,
        )


@dataclass
class PanelDevices:
    """The panel's open devices; None: not fitted. The display may be opened later."""

    outputs: Outputs
    button: PauseButton
    usb: EvdevButton | None
    """The button, where it is a USB key."""
    qualifier: Debouncer
    shutdown_button: PushButton | None
    display: DisplayOpener | None
    simulation: Simulation | None
    outside: SimulatedPins | None
    """The outer side of mock pins, for simulations."""
    shortfalls: list[Shortfall]
    """Devices in the settings that cannot be used."""
    closing: contextlib.ExitStack

    def close(self) -> None:
        """Set outputs safe and release pins. May be called twice."""
        self.outputs.close()
        self.closing.close()


@dataclass
class _Pins:
    """Opens devices on pins. Each pin library is opened once, with its first device.

    With `make_do` a device that cannot be opened gets pins that lead nowhere, and is listed in `without`.
    """

    settings: Settings
    pipe_folder: Path
    closing: contextlib.ExitStack
    make_do: bool = False
    opened: dict[PinFactoryName, PinFactory] = field(default_factory=dict)
    nowhere: PinFactory | None = None
    without: dict[Sentence, list[Sentence]] = field(default_factory=dict)

    def fit(self, name: Sentence, driver: str, open_device: Callable[[PinFactory], Device]) -> Device:
        """Open the device of this name; a driver `none` gets pins that lead nowhere. Raises HardwareError,
        except with `make_do`."""
        if driver != "none":
            try:
                return open_device(self.of(driver))
            except HardwareError as error:
                if not self.make_do:
                    raise
                self.without.setdefault(sentence_of(error), []).append(name)
        if self.nowhere is None:
            self.nowhere = self.closing.enter_context(open_pins("mock"))
        return open_device(self.nowhere)

    def of(self, driver: str) -> PinFactory:
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
) -> PanelDevices:
    """Open every device that the settings name. Raises HardwareError; then nothing stays open.

    With `make_do` a device that cannot be opened is left out and listed in `PanelDevices.shortfalls`.
    """
    with contextlib.ExitStack() as closing:
        pins = _Pins(settings, state_dir / "pins", closing, make_do)
        hardware = settings.hardware
        contacts = wired_contacts(settings)
        outputs = _open_outputs(settings, pins, timers=timers, closing=closing)
        damaged: list[Shortfall] = []
        usb = None
        if hardware.pause_button == "usb":
            usb = _usb_button(settings, state_dir, clock, on_callback_error, damaged)
            closing.callback(usb.close)
        button = usb or _panel_button(
            settings, pins, clock=clock, on_callback_error=on_callback_error, closing=closing
        )
        shutdown_button = _shutdown_button(settings, pins, closing)
        display: DisplayOpener | None = None
        simulation: Simulation | None = None
        told = False

        def changed() -> None:
            """Combine many changes of the simulated panel into one look at it, where somebody watches."""
            nonlocal told
            if not told and simulation is not None and simulation.watched:
                told = True
                threads.call_on_loop(look)

        def look() -> None:
            nonlocal told
            told = False
            if simulation is not None:
                simulation.look()

        if hardware.display != "none":
            display = DisplayOpener(settings, pins_of=pins.of, clock=clock, changed=changed)
            closing.callback(display.close)
        if "mock" in pins.opened:
            glass = display.glass if display is not None else lambda: None
            panel = closing.enter_context(_sim_panel(settings, pins.opened["mock"], changed))
            simulation = Simulation(
                panel,
                glass,
                wire="nc" if contacts == "nc_no" else "no",
                facts=facts if isinstance(facts, SimFacts) else None,
            )
        return PanelDevices(
            outputs=outputs,
            button=button,
            usb=usb,
            qualifier=Debouncer(
                contacts=contacts,
                hold_ns=round(settings.pause_button.hold_to_resume_seconds * 1e9),
                stable_ns=CONTACT_NS if usb is None else USB_NS,
            ),
            shutdown_button=shutdown_button,
            display=display,
            simulation=simulation,
            outside=pins.opened["mock"].simulated if "mock" in pins.opened else None,
            shortfalls=damaged
            + [
                Shortfall("panel", Sentence("start.without", parts=listed(parts), why=why))
                for why, parts in pins.without.items()
            ],
            closing=closing.pop_all(),
        )


CONTACT_NS = 4_000_000
"""A contact has settled when it was still for so long."""
USB_NS = 500_000
"""A USB device has debounced its contact itself. Its shortest press, of one report, lasts 1 ms."""


def wired_contacts(settings: Settings) -> WiredContacts:
    """The contacts of the pause button as the driver tells of them: of a USB key there is one."""
    return "no" if settings.hardware.pause_button == "usb" else settings.pause_button.contacts


def _usb_button(
    settings: Settings,
    state_dir: Path,
    clock: Clock,
    on_callback_error: Callable[[Exception], None],
    damaged: list[Shortfall],
) -> EvdevButton:
    choice = None
    try:
        choice = read_choice(state_dir, settings.pause_button)
    except (OSError, DecodeError) as error:
        file = str(state_dir / CHOICE_FILE)
        damaged.append(
            Shortfall("panel", Sentence("button.usb_choice_unreadable", file=file, why=cause(error)))
        )
    return EvdevButton(choice, clock=clock, on_error=on_callback_error)


def _panel_button(
    settings: Settings,
    pins: _Pins,
    *,
    clock: Clock,
    on_callback_error: Callable[[Exception], None],
    closing: contextlib.ExitStack,
) -> PauseButton:
    at = settings.pins
    both = settings.pause_button.contacts == "nc_no"
    button = pins.fit(
        Sentence("panel.pause_button"),
        settings.hardware.pause_button,
        lambda use: GpioPauseButton(
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
    return button


def _shutdown_button(settings: Settings, pins: _Pins, closing: contextlib.ExitStack) -> PushButton | None:
    driver, pin = settings.hardware.shutdown_button, settings.pins.shutdown_button
    if driver == "none":
        return None
    button = pins.fit(
        Sentence("panel.shutdown_button"), driver, lambda use: GpioPushButton(use, pin, "Shutdown button")
    )
    closing.callback(button.close)
    return button


def _open_outputs(
    settings: Settings, pins: _Pins, *, timers: Timers, closing: contextlib.ExitStack
) -> Outputs:
    at, longest_ms = settings.pins, settings.buzzer.longest_tone_ms

    def lamp(pin: int, name: str, told: Sentence) -> Lamp:
        return pins.fit(told, settings.hardware.lamps, lambda use: GpioLamp(use, pin, name))

    sun = lamp(at.sun_lamp, "Sun lamp", Sentence("panel.lamp_of_sun"))
    moon = lamp(at.moon_lamp, "Moon lamp", Sentence("panel.lamp_of_moon"))
    pause_lamp = lamp(at.pause_lamp, "Pause lamp", Sentence("panel.lamp_of_pause"))
    limit = ToneLimit()
    closing.callback(limit.close)
    buzzer = pins.fit(
        Sentence("panel.buzzer"),
        settings.hardware.buzzer,
        lambda use: GpioBuzzer(use, at.buzzer, longest_tone_ms=longest_ms, start_timer=limit.start),
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


def _sim_panel(settings: Settings, pins: PinFactory, changed: Callable[[], None]) -> SimPanel:
    at = settings.pins
    wiring = PanelWiring(
        sun_lamp=at.sun_lamp,
        moon_lamp=at.moon_lamp,
        buzzer=at.buzzer,
        pause_lamp=at.pause_lamp,
        pause_no=at.pause_no,
        pause_nc=at.pause_nc if wired_contacts(settings) == "nc_no" else None,
        shutdown=at.shutdown_button if settings.hardware.shutdown_button == "sim" else None,
    )
    return SimPanel(pins, wiring, changed=changed)


# Sound: voice and tones.


def open_speaker(start: CoreStart, loop: GameLoop) -> Speaker | None:
    """The speaker; None if the settings name no device. Then nothing is rendered and no process started."""
    settings, runtime = start.settings, start.runtime
    if settings.sound.device == "none":
        return None
    speaker: Speaker | None = None

    def heard(report: PlayerReport | None) -> None:
        """The player's reports begin at its start, before there is a speaker."""
        if speaker is not None:
            speaker.heard_of(report)

    player: PlayerOrders = (
        SimPlayer()
        if settings.hardware.sound == "sim"
        else PlayerProcess(settings.sound.device, delay_ms=settings.sound.delay_ms, news=heard)
    )
    order = render_order(str(start.options.state_dir), settings)
    speaker = Speaker(
        manner(settings),
        loop=loop,
        timers=runtime.timers,
        threads=runtime.threads,
        player=player,
        voice=Voice(order, loop=loop, timers=runtime.timers, threads=runtime.threads, player=player),
        loudness=Loudness(
            volume_percent=settings.sound.volume_percent,
            ducking_db=settings.sound.ducking_db,
            timers=runtime.timers,
        ),
    )
    start.closing.callback(speaker.close)
    speaker.start()
    loop.showing.show_to(Sentence("part.sound"), speaker.shown)
    loop.metrics.family(speaker.figures)
    speaker.shown(loop.picture())
    return speaker


def render_order(state_dir: str, settings: Settings) -> RenderOrder:
    """What can be said in a game with these settings; nothing if the voice is off."""
    return RenderOrder(
        state_dir=state_dir,
        languages=settings.hall.languages if settings.sound.voice else (),
        rule_set=settings.game.rule_set,
        targets=settings.game.robber_targets,
    )


def manner(settings: Settings) -> Manner:
    """What is said and how."""
    sound = settings.sound
    return Manner(
        device=sound.device,
        languages=settings.hall.languages,
        voice=sound.voice,
        off=frozenset(sound.off),
        name_side_early_ns=sound.name_side_early_ms * 1_000_000,
    )


# Tables: the bus and what looks after it.


OpenBus = Callable[[Callable[[BusEvent], None]], TableBus]


def segments(options: CoreOptions, settings: Settings) -> tuple[SegmentPort, ...]:
    """The segments' ports: those of the virtual tables if there are some, otherwise the settings'."""
    if not options.virtual_tables:
        return settings.tables.segments
    state_dir = options.state_dir
    return tuple(
        SegmentPort(name=name, port=str(virtual_port(state_dir, name)))
        for name in virtual_segments(options.virtual_tables)
    )


def bus_opener(options: CoreOptions, settings: Settings, clock: Clock) -> OpenBus:
    """The function that opens the ports. A missing port is a sentence in the snapshot, not an error."""
    return lambda on_event: open_table_bus(
        segments(options, settings), baud=settings.tables.baud, clock=clock, on_event=on_event
    )


@dataclass(frozen=True, slots=True)
class TableParts:
    """The tables and what runs for them."""

    tables: Tables
    tap: TableTap
    bus: TableBus

    def close(self) -> None:
        self.tables.stop()
        self.bus.close()


def make_tables(
    start: CoreStart,
    *,
    loop: GameLoop,
    commands: CommandQueue,
    open_bus: OpenBus,
    pressed: Callable[[TablePress], None],
    times: PressTimes,
) -> TableParts:
    """Make the tables and what runs for them; the caller closes it. `pressed` is told of presses during a
    test."""
    options, settings, runtime = start.options, start.settings, start.runtime
    tables: Tables | None = None

    def heard(event: BusEvent) -> None:
        """On the loop; the segments' threads tell of events while the tables are still being made."""
        if tables is not None:
            tables.heard(event)

    bus = open_bus(lambda event: runtime.threads.call_on_loop(partial(heard, event)))
    keeper = RosterKeeper(
        RosterStore(options.state_dir), bus=bus, boards=loop.boards, threads=runtime.threads
    )
    tap = TableTap(keeper=keeper, timers=runtime.timers, pressed=pressed)
    tables = Tables(
        loop=loop,
        commands=commands,
        tasks=runtime.tasks,
        tap=tap,
        bus=bus,
        keeper=keeper,
        timers=runtime.timers,
        threads=runtime.threads,
        brightness=settings.tables.brightness,
        languages=settings.hall.languages,
        times=times,
        calibration=CalibrationFile(options.state_dir),
        replace_automatically=settings.tables.replace_automatically,
    )
    if options.virtual_tables and not keeper.found and keeper.trouble is None:
        keeper.change(virtual_roster(options.virtual_tables))
    return TableParts(tables, tap, bus)


def firmware_version() -> tuple[int, int]:
    """Of the tables' firmware that is here; on a thread. Raises FlashingError."""
    from pi_controller.flashing import image  # noqa: PLC0415 - rarely wanted: a start goes without

    return image.version()


def build_firmware(state_dir: Path) -> FirmwareImage:
    """For the table bus; on a thread, for seconds. Raises FlashingError."""
    from pi_controller.flashing import image  # noqa: PLC0415 - as above
    from pi_controller.flashing.build import build  # noqa: PLC0415

    key, firmware = image.node_key(state_dir), image.version()
    with TemporaryDirectory(prefix="pi-controller-firmware-") as folder:
        data = image.pack(build(Path(folder)), firmware=firmware, key=key)
    return FirmwareImage(firmware=firmware, key=image.key_mark(key), data=data)


def stood_still(restored: Restored | None) -> StoodStill | None:
    """How long the clock of a restored game stood still; None for a new game."""
    if restored is None:
        return None
    down_ms = restored.restart.down_ms
    return StoodStill(restored.game.game_id, None if down_ms is None else down_ms * 1_000_000)


def virtual_roster(tables: int) -> Roster:
    """A roster with a row for each segment, for virtual tables only: real ones get their places by people."""
    numbers = count(1)
    return Roster(
        rows=tuple(
            Row(
                name=name,
                boards=tuple(
                    Board(name=f"{name}{place}", node=virtual_uid(next(numbers)))
                    for place in range(1, nodes + 1)
                ),
            )
            for name, nodes in virtual_segments(tables).items()
        )
    )
