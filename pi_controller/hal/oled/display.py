"""The local display: one thread draws the newest face and outlives every error of the bus.

display = open_display(controller="sh1106", open_bus=i2c_bus(port=1, address=0x3C), clock=clock,
                       contrast=128, rotate_degrees=0)
"""

import threading
from types import TracebackType
from typing import Any, Self, get_args

from luma.core.error import Error as LumaError

from pi_controller.hal.names import DisplayController, Rotation
from pi_controller.hal.oled.face import draw_face, wander
from pi_controller.hal.oled.panel import OpenBus, Panel, Serial
from pi_controller.hal.roles import Clock, HardwareError, StatusFace
from pi_controller.language.system_errors import cause
from pi_controller.sentence import Sentence

# A glitch on the supply leaves these controllers garbled without any error: start anew once a minute.
RESTART_NS = 60_000_000_000
# Pauses before the next try after the 1st, 2nd, … error in a row; the last one repeats. A display that comes
# back is on again within 2 s.
PAUSES_NS = (0, 100_000_000, 500_000_000, 1_000_000_000, 2_000_000_000)
# A full frame takes 0.1 s on the slowest I2C bus; without a sign of life for this long the bus hangs.
BLOCKED_NS = 5_000_000_000
# The thread gives a sign of life at least this often.
BEAT_S = 0.25
# A wanted face waits for so long: drawing takes milliseconds of the processor, which those who show the same
# change elsewhere and answer for it need first; and of two changes in a row only the second is drawn.
REST_S = 0.02
CLOSE_S = 1.0

BUS_ERRORS = (OSError, LumaError, HardwareError)


class _Beating:
    """A bus that gives the thread's sign of life with each transfer, so that a slow one is not dead."""

    def __init__(self, bus: Serial, display: "OledDisplay") -> None:
        self._bus = bus
        self._display = display

    def command(self, *cmd: int) -> None:
        self._bus.command(*cmd)
        self._display.beat()

    def data(self, data: Any) -> None:
        self._bus.data(data)
        self._display.beat()

    def cleanup(self) -> None:
        self._bus.cleanup()


class OledDisplay:
    """Implements `roles.LocalDisplay`. Dark until the first face is drawn."""

    def __init__(
        self,
        *,
        controller: DisplayController,
        open_bus: OpenBus,
        clock: Clock,
        contrast: int,
        upside_down: bool,
    ) -> None:
        if not 0 <= contrast <= 255:
            raise ValueError(f"The display's contrast is {contrast}: it must be 0 to 255.")
        self._controller: DisplayController = controller
        self._open_bus = open_bus
        self._clock = clock
        self._contrast = contrast
        self._upside_down = upside_down
        self._news = threading.Condition()
        self._wanted: StatusFace | None = None
        self._shown: tuple[StatusFace, tuple[int, int]] | None = None
        self._closing = False
        self._left_behind = False
        self._bus: Serial | None = None
        self._panel: Panel | None = None
        self._started_ns = 0
        self._errors = 0
        self._retry_ns = 0
        self._trouble: Sentence | None = None
        self._beat_ns = clock.boot_ns()
        self._thread = threading.Thread(target=self._work, name="local-display", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def draw(self, face: StatusFace) -> None:
        with self._news:
            self._wanted = face
            self._news.notify()

    def shows(self, face: StatusFace) -> bool:
        return self._shown is not None and self._shown[0] == face

    def trouble(self) -> Sentence | None:
        if not self._closing and self._clock.boot_ns() - self._beat_ns > BLOCKED_NS:
            return Sentence("display.bus_hangs")
        return self._trouble

    def beat_ns(self) -> int:
        return self._beat_ns

    def beat(self) -> None:
        """The drawing thread's sign of life."""
        self._beat_ns = self._clock.boot_ns()

    def close(self) -> None:
        """Switch the display off and end the thread.

        A thread that hangs in the bus is left behind after 1 s; when it comes loose it ends without touching
        the display again, which by then may have another driver.
        """
        with self._news:
            self._closing = True
            self._news.notify()
        self._thread.join(CLOSE_S)
        self._left_behind = self._thread.is_alive()

    def _work(self) -> None:
        while not self._closing:
            self.beat()
            face = self._wanted
            if face is not None and self._is_due(face):
                self._attempt(face)
            with self._news:
                if not self._closing and (self._wanted is face or self._clock.boot_ns() < self._retry_ns):
                    self._news.wait(BEAT_S if self._errors != 1 else 0)
                if self._wanted is not face:
                    self._news.wait_for(lambda: self._closing, REST_S)
        self._switch_off()

    def _is_due(self, face: StatusFace) -> bool:
        now_ns = self._clock.boot_ns()
        if now_ns < self._retry_ns:
            return False
        return self._shown != (face, wander(now_ns)) or now_ns - self._started_ns >= RESTART_NS

    def _attempt(self, face: StatusFace) -> None:
        now_ns = self._clock.boot_ns()
        offset = wander(now_ns)
        picture = draw_face(face, offset)
        try:
            if self._panel is None or now_ns - self._started_ns >= RESTART_NS:
                self._release_bus()
                self._bus = self._open_bus()
                bus = _Beating(self._bus, self)
                self._panel = Panel(
                    self._controller,
                    bus,
                    picture=picture,
                    contrast=self._contrast,
                    upside_down=self._upside_down,
                )
                self._started_ns = now_ns
            else:
                self._panel.show(picture)
        except BUS_ERRORS as error:
            self._failed(error)
        else:
            self._errors = 0
            self._retry_ns = 0
            self._trouble = None
            self._shown = (face, offset)

    def _failed(self, error: Exception) -> None:
        """Start from nothing after a pause; one error alone is not worth a word, the next try mends it."""
        self._panel = None
        self._shown = None
        pause_ns = PAUSES_NS[min(self._errors, len(PAUSES_NS) - 1)]
        self._errors += 1
        self._retry_ns = self._clock.boot_ns() + pause_ns
        if self._errors > 1:
            self._trouble = Sentence("display.no_answer", why=cause(error))

    def _release_bus(self) -> None:
        bus, self._bus, self._panel = self._bus, None, None
        if bus is not None:
            bus.cleanup()

    def _switch_off(self) -> None:
        try:
            if self._panel is not None and not self._left_behind:
                self._panel.switch_off()
            self._release_bus()
        except BUS_ERRORS as error:
            self._trouble = Sentence("display.not_switched_off", why=cause(error))


def open_display(
    *, controller: DisplayController, open_bus: OpenBus, clock: Clock, contrast: int, rotate_degrees: int
) -> OledDisplay:
    """Start the drawing thread. A display that is not there is `trouble()`, not an error.

    Raises ValueError for a contrast outside 0..255 or a rotation other than 0 and 180.
    """
    if rotate_degrees not in get_args(Rotation):
        raise ValueError(f"The display cannot be turned by {rotate_degrees} degrees: only 0 and 180 fit.")
    return OledDisplay(
        controller=controller,
        open_bus=open_bus,
        clock=clock,
        contrast=contrast,
        upside_down=rotate_degrees == 180,
    )
