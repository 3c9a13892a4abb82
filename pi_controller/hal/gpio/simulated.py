"""Mock pins with an outside world: levels that a wire drives, and a call on each change of an output."""

from collections.abc import Callable

from gpiozero.pins.mock import MockFactory, MockPin

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
