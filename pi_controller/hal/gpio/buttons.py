"""The pause button with its one or two contacts, and a small button that switches its pin to ground.

button = open_push_button(pins, 27, "Shutdown button")
"""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from gpiozero import InputDevice

from pi_controller.hal.gpio.factory import Pins
from pi_controller.hal.names import ContactName
from pi_controller.hal.roles import Clock, ContactChange, Contacts, PinUnusable
from pi_controller.sentence import Sentence


class GpioPushButton:
    """Implements `roles.PushButton`. Raises PinUnusable when the library refuses."""

    def __init__(self, pins: Pins, pin: int, name: str | Sentence) -> None:
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


def open_push_button(pins: Pins, pin: int, name: str | Sentence) -> GpioPushButton:
    """Open the button on this BCM pin. `name` stands in errors. Raises PinUnusable."""
    return GpioPushButton(pins, pin, name)


# A kernel stamp older than this is of another clock (kernels before 5.7 stamp with wall time).
OLDEST_STAMP_S = 1.0

Report = Callable[[ContactChange], None]


class GpioPauseButton:
    """Implements `roles.PauseButton`."""

    def __init__(
        self,
        pins: Pins,
        *,
        wired: dict[ContactName, int],
        clock: Clock,
        on_error: Callable[[Exception], None],
    ) -> None:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def listen(self, report: Report) -> None:
        """Hand each edge to `report` on the library's thread. What `report` raises goes to `on_error`."""
        self._report = report
        for contact, device in self._inputs.items():
            listener = self._listener(contact)
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

    def _listener(self, contact: ContactName) -> Callable[[float, int | None], None]:
        def edge(ticks: float, state: int | None) -> None:
            self._edge(contact, ticks, closed=not state)

        return edge

    def _edge(self, contact: ContactName, ticks: float, *, closed: bool) -> None:
        report = self._report
        if report is None:
            return
        now_ns = self._clock.boot_ns()
        factory = self._pins.factory
        age_s = factory.ticks_diff(factory.ticks(), ticks)
        trusted = 0 <= age_s <= OLDEST_STAMP_S
        at_ns = now_ns - round(age_s * 1e9) if trusted else now_ns
        try:
            report(ContactChange(contact=contact, closed=closed, at_ns=at_ns, trusted=trusted))
        except Exception as error:  # noqa: BLE001 - lgpio has one thread for all pins: it must outlive any listener
            self._on_error(error)


def open_pause_button(
    pins: Pins,
    *,
    no_pin: int,
    nc_pin: int | None,
    clock: Clock,
    on_error: Callable[[Exception], None],
) -> GpioPauseButton:
    """Open the contacts on these BCM pins; `nc_pin` None where only NO is wired. Raises PinUnusable.

    `on_error` is called on the library's thread with what the listener raised.
    """
    wired: dict[ContactName, int] = {"no": no_pin} if nc_pin is None else {"nc": nc_pin, "no": no_pin}
    return GpioPauseButton(pins, wired=wired, clock=clock, on_error=on_error)


def _device(contact: ContactName) -> Sentence:
    return Sentence("panel.pause_button_contact", contact=contact.upper())
