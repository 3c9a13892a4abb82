"""Opens the local display on a thread: luma and Pillow take longer to load than everything else."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pi_controller.hal.gpio import GpioLines, PinFactory
from pi_controller.hal.roles import Clock, LocalDisplay
from pi_controller.settings.sections import Settings

if TYPE_CHECKING:
    from pi_controller.hal.oled.display import OpenBus
    from pi_controller.hal.sim.display_bus import SimDisplayBus


class DisplayOpener:
    """Opens the display named in the settings; `open` may be called again on the same bus."""

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
        self._bus: OpenBus | None = None
        self._wires: SimDisplayBus | None = None
        self._lines: GpioLines | None = None

    def glass(self) -> "SimDisplayBus | None":
        """The simulated display; None before it is open and for a real one."""
        return self._wires

    def open(self) -> LocalDisplay:
        """May take a second the first time. Raises HardwareError if a driver is missing."""
        from pi_controller.hal.oled.display import OledDisplay  # noqa: PLC0415 - see the module

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

    def _connect(self) -> "OpenBus":
        from pi_controller.hal.oled.display import i2c_bus, spi_bus  # noqa: PLC0415 - see the module

        display = self._settings.display
        if self._settings.hardware.display == "sim":
            from pi_controller.hal.sim.display_bus import SimDisplayBus  # noqa: PLC0415 - see the module

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
