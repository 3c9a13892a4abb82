"""Opens the pins of the Pi through the one library that is named; nothing else is tried.

    with open_pins("lgpio", pipe_folder=Path("/run/pi-controller")) as pins:
        lamp = GpioLamp(pins, 12, "Sun lamp")

`"mock"` gives gpiozero's own mock pins (SimulatedPins): the simulated hall and the tests run the real
device classes on them.
"""

import importlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from gpiozero import DigitalOutputDevice, InputDevice
from gpiozero.exc import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPin

from pi_controller.hal.names import ContactName, PinFactoryName
from pi_controller.hal.roles import Clock, Closing, ContactChange, Contacts, HardwareMissing, PinUnusable
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

# Raspberry Pi 4 Model B, 4 GiB; fixed, so that GPIOZERO_MOCK_REVISION has no effect.
SIMULATED_BOARD = "c03115"


class SimulatedPin(MockPin):  # type: ignore[misc]
    """A mock pin that can be driven from outside against its pull resistor."""

    _state: bool

    def __init__(self, factory: "SimulatedPins", info: object) -> None:
        self._driven: bool | None = None
        super().__init__(factory, info)

    def drive(self, *, high: bool | None) -> None:
        """Put this level on the pin from outside, or (None) leave it to its pull resistor."""
        self._driven = high
        self._settle()

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        self._settle()

    def _settle(self) -> None:
        if self._function != "input":
            return
        level = self._pull == "up" if self._driven is None else self._driven
        if level:
            self.drive_high()
        else:
            self.drive_low()

    def _change_state(self, value: bool) -> bool:  # noqa: FBT001 - gpiozero's signature
        # Not gpiozero's own: that keeps a record of every change for ever.
        if self._state == value:
            return False
        self._state = value
        self._last_change = self.factory.ticks()
        if self._function == "output":
            self.factory.output_changed()
        return True


class SimulatedPins(MockFactory):  # type: ignore[misc]
    """gpiozero's mock factory; `drive` and `level` are the outer side of the pins (BCM numbers)."""

    def __init__(self) -> None:
        super().__init__(revision=SIMULATED_BOARD, pin_class=SimulatedPin)
        self._watcher: Callable[[], None] | None = None

    def drive(self, pin: int, *, high: bool | None) -> None:
        self.pin(pin).drive(high=high)

    def level(self, pin: int) -> bool:
        return bool(self.pin(pin).state)

    def watch(self, watcher: Callable[[], None] | None) -> Callable[[], None] | None:
        """Call this on each change of an output's level, on the changing thread. Returns the previous
        watcher."""
        before, self._watcher = self._watcher, watcher
        return before

    def output_changed(self) -> None:
        if self._watcher is not None:
            self._watcher()


class PinFactory(Closing):
    """gpiozero's pin factory with the exceptions its library raises. Close it after all devices on it."""

    def __init__(
        self, name: PinFactoryName, factory: Any, library_errors: tuple[type[Exception], ...]
    ) -> None:
        self.name = name
        self.factory = factory
        self.library_errors = (GPIOZeroError, *library_errors)

    def close(self) -> None:
        """Release every pin; may be called twice."""
        self.factory.close()

    @property
    def simulated(self) -> SimulatedPins:
        """The outer side of mock pins. Raises TypeError for real ones."""
        if not isinstance(self.factory, SimulatedPins):
            raise TypeError(
                f'Pins opened with "{self.name}" are real: only "mock" pins can be driven from outside.'
            )
        return self.factory

    @contextmanager
    def naming(self, device: str | Sentence, pin: int) -> Iterator[None]:
        """Turn what the library raises inside into one sentence that names the device and the pin."""
        try:
            yield
        except self.library_errors as error:
            raise PinUnusable(
                Sentence("pins.pin_unusable", device=device, pin=pin, error=str(error))
            ) from error


def open_pins(name: PinFactoryName, *, pipe_folder: Path | None = None) -> PinFactory:
    """Open the GPIO chip with this library.

    `pipe_folder` is where lgpio puts its named pipe; it must be on a writable file system and is needed for
    "lgpio" only. Raises HardwareMissing when the library, the chip or the folder is not there.
    """
    if name == "mock":
        return PinFactory(name, SimulatedPins(), ())
    if name == "lgpio":
        return _open_lgpio(pipe_folder)
    if name == "rpigpio":
        return _open_rpigpio()
    raise HardwareMissing(Sentence("pins.factory_not_known", name=name))


def _open_lgpio(pipe_folder: Path | None) -> PinFactory:
    if pipe_folder is None:
        raise HardwareMissing(Sentence("pins.lgpio_needs_a_folder"))
    # lgpio changes into LG_WD while it is imported; relative paths of the program must not notice.
    before = Path.cwd()
    try:
        pipe_folder.mkdir(parents=True, exist_ok=True)
        os.environ["LG_WD"] = str(pipe_folder.resolve())
        lgpio = importlib.import_module("lgpio")
        backend = importlib.import_module("gpiozero.pins.lgpio")
    except ImportError as error:
        raise HardwareMissing(Sentence("pins.lgpio_not_installed", error=str(error))) from error
    except OSError as error:
        raise HardwareMissing(
            Sentence("pins.lgpio_makes_no_pipe", folder=str(pipe_folder), error=why(error))
        ) from error
    finally:
        os.chdir(before)
    errors: tuple[type[Exception], ...] = (lgpio.error, OSError)
    return PinFactory("lgpio", _construct("lgpio", backend.LGPIOFactory, errors), errors)


def _open_rpigpio() -> PinFactory:
    try:
        backend = importlib.import_module("gpiozero.pins.rpigpio")
    except ImportError as error:
        raise HardwareMissing(Sentence("pins.rpigpio_not_installed", error=str(error))) from error
    except RuntimeError as error:
        raise HardwareMissing(Sentence("pins.rpigpio_does_not_run", error=str(error))) from error
    errors: tuple[type[Exception], ...] = (RuntimeError, ValueError, OSError)
    return PinFactory("rpigpio", _construct("rpigpio", backend.RPiGPIOFactory, errors), errors)


def _construct(name: str, make: Any, errors: tuple[type[Exception], ...]) -> Any:
    try:
        factory = make()
        # Reads the board's revision, which is what fails on anything but a Pi.
        factory.board_info  # noqa: B018
    except (GPIOZeroError, *errors) as error:
        raise HardwareMissing(Sentence("pins.no_chip", name=name, error=str(error))) from error
    return factory


# Buttons: the pause button with its one or two contacts, and a small button that connects its pin to ground.


class GpioPushButton:
    """Implements `roles.PushButton` on this BCM pin. `name` stands in errors. Raises PinUnusable."""

    def __init__(self, pins: PinFactory, pin: int, name: str | Sentence) -> None:
        self._pins = pins
        self._pin = pin
        self._name = name
        with pins.naming(name, pin):
            self._input: Any = InputDevice(pin, pull_up=True, pin_factory=pins.factory)

    def pressed(self) -> bool:
        """The level now. Raises PinUnusable when it cannot be read, also after `close`."""
        with self._pins.naming(self._name, self._pin):
            return bool(self._input.is_active)

    def close(self) -> None:
        """Released; may be called twice."""
        self._input.close()


# A kernel timestamp older than this uses another clock (kernels before 5.7 use wall time).
OLDEST_STAMP_S = 1.0

Report = Callable[[ContactChange], None]


class GpioPauseButton(Closing):
    """Implements `roles.PauseButton` on these BCM pins; `nc_pin` None where only NO is wired. Raises
    PinUnusable. `on_error` is called on the library's thread with what the listener raised."""

    def __init__(
        self,
        pins: PinFactory,
        *,
        no_pin: int,
        nc_pin: int | None,
        clock: Clock,
        on_error: Callable[[Exception], None],
    ) -> None:
        wired: dict[ContactName, int] = {"no": no_pin} if nc_pin is None else {"nc": nc_pin, "no": no_pin}
        self._pins = pins
        self._wired = wired
        self._clock = clock
        self._on_error = on_error
        self._lock = threading.Lock()
        self._report: Report | None = None
        # gpiozero keeps only weak references to what it calls.
        self._listeners: list[Callable[[float, int | None], None]] = []
        self._inputs: dict[ContactName, Any] = {}
        try:
            for contact, pin in wired.items():
                with pins.naming(_device(contact), pin):
                    self._inputs[contact] = InputDevice(pin, pull_up=True, pin_factory=pins.factory)
        except PinUnusable:
            self.close()
            raise

    def listen(self, report: Report) -> None:
        """Hand each edge to `report` on the library's thread. What `report` raises goes to `on_error`."""
        self._report = report
        for contact, device in self._inputs.items():
            listener = partial(self._edge, contact)
            self._listeners.append(listener)
            with self._pins.naming(_device(contact), self._wired[contact]):
                device.pin.when_changed = listener

    def contacts(self) -> Contacts:
        """Levels now. Raises PinUnusable when they cannot be read, also after `close`."""
        closed: dict[ContactName, bool] = {}
        for contact, pin in self._wired.items():
            with self._pins.naming(_device(contact), pin):
                closed[contact] = bool(self._inputs[contact].is_active)
        return Contacts(no_closed=closed["no"], nc_closed=closed.get("nc"))

    def close(self) -> None:
        with self._lock:
            self._report = None
        for device in self._inputs.values():
            if not device.closed:
                # lgpio keeps calling for a pin that is only closed.
                device.pin.when_changed = None
                device.close()
        self._listeners.clear()

    def _edge(self, contact: ContactName, ticks: float, state: int | None) -> None:
        report = self._report
        if report is None:
            return
        now_ns = self._clock.boot_ns()
        factory = self._pins.factory
        age_s = factory.ticks_diff(factory.ticks(), ticks)
        trusted = 0 <= age_s <= OLDEST_STAMP_S
        at_ns = now_ns - round(age_s * 1e9) if trusted else now_ns
        try:
            report(ContactChange(contact=contact, closed=not state, at_ns=at_ns, trusted=trusted))
        except Exception as error:  # noqa: BLE001 - lgpio has one thread for all pins: it must outlive any listener
            self._on_error(error)


def _device(contact: ContactName) -> Sentence:
    return Sentence("panel.pause_button_contact", contact=contact.upper())


# Outputs: lamps, buzzer, control lines of an SPI display; low from start to end, and set low after a crash by
# `safe_outputs`.


class OutputPin(Closing):
    """An active-high output on this BCM pin; `device` stands in errors. Raises PinUnusable when the library
    refuses; after `close` it stays low."""

    def __init__(self, pins: PinFactory, pin: int, device: str | Sentence) -> None:
        self._pins = pins
        self._pin = pin
        self._device = device
        with pins.naming(device, pin):
            self._output: Any = DigitalOutputDevice(pin, initial_value=False, pin_factory=pins.factory)

    def put(self, *, high: bool) -> None:
        if self._output.closed:
            return
        with self._pins.naming(self._device, self._pin):
            self._output.value = int(high)

    def close(self) -> None:
        """Set low, then release (an input, kept low by the board's pull-down). May be called twice."""
        if self._output.closed:
            return
        with self._pins.naming(self._device, self._pin):
            try:
                self._output.off()
            finally:
                self._output.close()


class GpioLamp(OutputPin):
    """Implements `roles.Lamp`: dark at first."""

    def show(self, *, lit: bool) -> None:
        self.put(high=lit)


class ToneTimer(Protocol):
    """A timer that ends a tone that is too long."""

    def cancel(self) -> None: ...


StartTimer = Callable[[float, Callable[[], None]], ToneTimer]
"""The timer is to run on a thread of its own, so that the limit holds even if the program's loop hangs."""


class GpioBuzzer(Closing):
    """Implements `roles.Buzzer` on this BCM pin: silent at first. After the limit has cut a tone, the buzzer
    stays off until it was switched off once. Raises PinUnusable, or ValueError for a limit of 0 or less."""

    def __init__(self, pins: PinFactory, pin: int, *, longest_tone_ms: int, start_timer: StartTimer) -> None:
        if longest_tone_ms <= 0:
            raise ValueError("The longest tone of the buzzer must be above 0 ms.")
        self._output = OutputPin(pins, pin, Sentence("panel.buzzer_pin"))
        self._longest_s = longest_tone_ms / 1000
        self._start_timer = start_timer
        self._lock = threading.Lock()
        self._timer: ToneTimer | None = None
        self._tone = 0

    def sound(self, *, on: bool) -> None:
        with self._lock:
            if not on:
                self._stop()
            elif self._timer is None:
                tone = self._tone
                self._output.put(high=True)
                self._timer = self._start_timer(self._longest_s, lambda: self._too_long(tone))

    def close(self) -> None:
        with self._lock:
            self._stop()
            self._output.close()

    def _stop(self) -> None:
        self._tone += 1
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._output.put(high=False)

    def _too_long(self, tone: int) -> None:
        with self._lock:
            # A timer that ran out while its tone was being ended must not cut the next one.
            if tone == self._tone:
                self._output.put(high=False)


class GpioLines:
    """Given to luma in place of RPi.GPIO, which half of the boards do not have. Lines are opened as the
    display driver asks for them."""

    LOW = 0
    HIGH = 1
    OUT = 0

    def __init__(self, pins: PinFactory) -> None:
        self._pins = pins
        self._outputs: dict[int, OutputPin] = {}

    def setup(self, pin: int, _direction: int) -> None:
        """Make this BCM pin an output. Raises PinUnusable."""
        if pin not in self._outputs:
            self._outputs[pin] = OutputPin(self._pins, pin, Sentence("display.control_pin"))

    def output(self, pin: int, level: int) -> None:
        self._outputs[pin].put(high=bool(level))

    def close(self) -> None:
        """All lines low and released; may be called twice."""
        while self._outputs:
            self._outputs.popitem()[1].close()


def safe_outputs(
    pins: PinFactory, outputs: Mapping[str, int] | Mapping[Sentence, int]
) -> tuple[Sentence, ...]:
    """Drive each of these BCM pins low and release it; one sentence for each that could not be driven."""
    problems = []
    for name, pin in outputs.items():
        try:
            OutputPin(pins, pin, name).close()
        except PinUnusable as error:
            problems.append(error.sentence)
    return tuple(problems)
