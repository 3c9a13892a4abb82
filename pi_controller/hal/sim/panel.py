"""The simulated hall panel: hands on the button, eyes on the lamps, for the real devices on its pins.

panel = SimPanel(pins, wiring, changed=tell_the_page)
lamp = open_lamp(pins, 12, "Sun lamp")
panel.tap()
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from pi_controller.hal.gpio.factory import Pins
from pi_controller.hal.roles import ContactName

TAP_S = 0.120
# A worn contact: 10 kHz for 50 ms, two edges a period.
BOUNCE_EDGES = 1000
BOUNCE_EDGE_S = 0.000_05
# From the press of a bouncing button to its release.
BOUNCE_HOLD_S = 0.150

WireState = Literal["ok", "nc_broken", "no_broken"]


@dataclass(frozen=True, slots=True)
class Wiring:
    """BCM pins of the panel; `pause_nc` None where only the NO contact is wired."""

    sun_lamp: int
    moon_lamp: int
    buzzer: int
    pause_lamp: int
    pause_no: int
    pause_nc: int | None


@dataclass(frozen=True, slots=True)
class PanelView:
    """What somebody in front of the panel sees."""

    sun: bool
    moon: bool
    pause_lamp: bool
    buzzer: bool
    pressed: bool
    wire: WireState


class SimPanel:
    """Drives the contacts and reads the outputs of mock pins. Raises TypeError for real pins.

    `changed` is called on the thread that changes something: after each output, press and wire. `tap` and
    `bounce` run on a thread of their own, one after the other; their futures end when the button is released
    and hold what `changed` raised.
    """

    def __init__(
        self,
        pins: Pins,
        wiring: Wiring,
        *,
        changed: Callable[[], None] | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._outside = pins.simulated
        self._wiring = wiring
        self._changed = changed
        self._wait = wait
        self._lock = threading.RLock()
        self._pressed = False
        self._broken: ContactName | None = None
        self._hand = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sim-hand")
        self._outside.watch(changed)
        self._drive()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def press(self) -> None:
        self._move(pressed=True)

    def release(self) -> None:
        self._move(pressed=False)

    def tap(self) -> "Future[None]":
        """Press for 120 ms."""
        return self._hand.submit(self._tap)

    def bounce(self) -> "Future[None]":
        """Press with a worn contact: 10 kHz for 50 ms, then closed, then released cleanly."""
        return self._hand.submit(self._bounce)

    def break_wire(self, contact: ContactName) -> None:
        """Cut the wire of this contact. Raises ValueError for an NC contact that is not wired."""
        if contact == "nc" and self._wiring.pause_nc is None:
            raise ValueError("The panel has no NC contact: set pause_button.contacts to nc_no.")
        with self._lock:
            self._broken = contact
            self._drive()
        self._tell()

    def mend_wire(self) -> None:
        with self._lock:
            self._broken = None
            self._drive()
        self._tell()

    def view(self) -> PanelView:
        level = self._outside.level
        wiring = self._wiring
        wire: WireState = "ok"
        if self._broken is not None:
            wire = "nc_broken" if self._broken == "nc" else "no_broken"
        return PanelView(
            sun=level(wiring.sun_lamp),
            moon=level(wiring.moon_lamp),
            pause_lamp=level(wiring.pause_lamp),
            buzzer=level(wiring.buzzer),
            pressed=self._pressed,
            wire=wire,
        )

    def close(self) -> None:
        """Hands off; may be called twice. The pins stay open."""
        self._outside.watch(None)
        self._hand.shutdown(wait=True, cancel_futures=True)

    def _tap(self) -> None:
        self.press()
        self._wait(TAP_S)
        self.release()

    def _bounce(self) -> None:
        begin_s = time.monotonic()
        for edge in range(BOUNCE_EDGES):
            with self._lock:
                self._pressed = edge % 2 == 0
                self._drive()
            # Against the begin, because a wait this short lasts twice as long as asked for.
            self._wait(max(0.0, begin_s + (edge + 1) * BOUNCE_EDGE_S - time.monotonic()))
        self.press()
        self._wait(BOUNCE_HOLD_S)
        self.release()

    def _move(self, *, pressed: bool) -> None:
        with self._lock:
            self._pressed = pressed
            self._drive()
        self._tell()

    def _drive(self) -> None:
        """Put the contacts' levels on the pins, in the order of a changeover: the closed one opens first."""
        if self._pressed:
            self._drive_nc()
            self._drive_no()
        else:
            self._drive_no()
            self._drive_nc()

    def _drive_no(self) -> None:
        closed = self._pressed and self._broken != "no"
        self._outside.drive(self._wiring.pause_no, high=not closed)

    def _drive_nc(self) -> None:
        if self._wiring.pause_nc is not None:
            closed = not self._pressed and self._broken != "nc"
            self._outside.drive(self._wiring.pause_nc, high=not closed)

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed()
