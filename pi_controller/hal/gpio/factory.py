"""Opens the pins of the Pi through the one library that is named; nothing else is tried.

    with open_pins("lgpio", pipe_folder=Path("/run/pi-controller")) as pins:
        lamp = open_lamp(pins, 12, "Sun lamp")

`"mock"` gives gpiozero's own mock pins (SimulatedPins): the simulated hall and the tests run the real
device classes on them.
"""

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from gpiozero.exc import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPin

from pi_controller.hal.names import PinFactoryName
from pi_controller.hal.roles import HardwareMissing, PinUnusable
from pi_controller.language.system_errors import why
from pi_controller.sentence import Sentence

# Raspberry Pi 4 Model B, 4 GiB: fixed, so that GPIOZERO_MOCK_REVISION has no say.
SIMULATED_BOARD = "c03115"


class SimulatedPin(MockPin):  # type: ignore[misc]
    """A mock pin that an outside wire may drive, against its pull resistor."""

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
    """gpiozero's mock factory; `drive` and `level` are the outside world's end of the pins (BCM numbers)."""

    def __init__(self) -> None:
        super().__init__(revision=SIMULATED_BOARD, pin_class=SimulatedPin)
        self._watcher: Callable[[], None] | None = None

    def drive(self, pin: int, *, high: bool | None) -> None:
        self.pin(pin).drive(high=high)

    def level(self, pin: int) -> bool:
        return bool(self.pin(pin).state)

    def watch(self, watcher: Callable[[], None] | None) -> Callable[[], None] | None:
        """Call this on each change of an output's level, on the thread that changes it; gives the one that
        was called before."""
        before, self._watcher = self._watcher, watcher
        return before

    def output_changed(self) -> None:
        if self._watcher is not None:
            self._watcher()


class Pins:
    """gpiozero's pin factory with the exceptions its library raises. Close it after all devices on it."""

    def __init__(
        self, name: PinFactoryName, factory: Any, library_errors: tuple[type[Exception], ...]
    ) -> None:
        self.name = name
        self.factory = factory
        self.library_errors = (GPIOZeroError, *library_errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release every pin; may be called twice."""
        self.factory.close()

    @property
    def simulated(self) -> SimulatedPins:
        """The outside world's end of mock pins. Raises TypeError for real ones."""
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


def open_pins(name: PinFactoryName, *, pipe_folder: Path | None = None) -> Pins:
    """Open the GPIO chip with this library.

    `pipe_folder` is where lgpio puts its named pipe; it must be on a writable file system and is needed for
    "lgpio" only. Raises HardwareMissing when the library, the chip or the folder is not there.
    """
    if name == "mock":
        return Pins(name, SimulatedPins(), ())
    if name == "lgpio":
        return _open_lgpio(pipe_folder)
    if name == "rpigpio":
        return _open_rpigpio()
    raise HardwareMissing(Sentence("pins.factory_not_known", name=name))


def _open_lgpio(pipe_folder: Path | None) -> Pins:
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
    return Pins("lgpio", _construct("lgpio", backend.LGPIOFactory, errors), errors)


def _open_rpigpio() -> Pins:
    try:
        backend = importlib.import_module("gpiozero.pins.rpigpio")
    except ImportError as error:
        raise HardwareMissing(Sentence("pins.rpigpio_not_installed", error=str(error))) from error
    except RuntimeError as error:
        raise HardwareMissing(Sentence("pins.rpigpio_does_not_run", error=str(error))) from error
    errors: tuple[type[Exception], ...] = (RuntimeError, ValueError, OSError)
    return Pins("rpigpio", _construct("rpigpio", backend.RPiGPIOFactory, errors), errors)


def _construct(name: str, make: Any, errors: tuple[type[Exception], ...]) -> Any:
    try:
        factory = make()
        # Reads the board's revision, which is what fails on anything but a Pi.
        factory.board_info  # noqa: B018
    except (GPIOZeroError, *errors) as error:
        raise HardwareMissing(Sentence("pins.no_chip", name=name, error=str(error))) from error
    return factory
