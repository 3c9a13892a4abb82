"""The simulated panel: operates the button and reads the lamps, for the real devices on its pins.

panel = SimPanel(pins, wiring, changed=tell_the_page); lamp = GpioLamp(pins, 12, "Sun lamp"); panel.tap()
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from pi_controller.hal.gpio import PinFactory
from pi_controller.hal.names import ContactName, LampName, WireState
from pi_controller.hal.roles import Closing, PanelPower

TAP_S = 0.120
# A worn contact: 10 kHz for 50 ms, two edges a period.
BOUNCE_EDGES = 1000
BOUNCE_EDGE_S = 0.000_05
# From the press of a bouncing button to its release.
BOUNCE_HOLD_S = 0.150
# A contact that should be replaced: 2 kHz for 20 ms at each press.
WORN_EDGES = 40
WORN_EDGE_S = 0.000_5

LAMP_A, BUZZER_A = 0.25, 0.05
SUPPLY_V, INNER_OHM = 24.1, 0.2


@dataclass(frozen=True, slots=True)
class PanelWiring:
    """BCM pins of the panel; `pause_nc` None where only the NO contact is wired, `shutdown` None where that
    button is not fitted."""

    sun_lamp: int
    moon_lamp: int
    buzzer: int
    pause_lamp: int
    pause_no: int
    pause_nc: int | None
    shutdown: int | None = None


@dataclass(frozen=True, slots=True)
class SimulatedPanelView:
    """What is visible at the panel."""

    sun: bool
    moon: bool
    pause_lamp: bool
    buzzer: bool
    pressed: bool
    wire: WireState


class SimPanel(Closing):
    """Drives the contacts and reads the outputs of mock pins. Raises TypeError for real pins.

    `changed` is called on the thread that changes something: after each output, press and wire. `tap` and
    `bounce` run on a thread of their own, one after the other; their futures end when the button is released
    and hold what `changed` raised.
    """

    def __init__(
        self,
        pins: PinFactory,
        wiring: PanelWiring,
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
        self._dead: set[LampName] = set()
        self._mute = False
        self._crossed = False
        self._worn = False
        self._stuck = False
        self._hand = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sim-hand")
        self._outside.watch(changed)
        self._drive()

    def press(self) -> None:
        """Press the button. A worn one bounces, which takes time, so it is pressed on a thread."""
        if self._worn:
            self._hand.submit(self._press)
        else:
            self._press()

    def release(self) -> None:
        """Release the button, also a stuck one."""
        self._stuck = False
        if self._worn:
            self._hand.submit(lambda: self._move(pressed=False))
        else:
            self._move(pressed=False)

    def hold_shutdown(self, *, held: bool) -> None:
        """A finger on the shutdown button, or off it. Raises ValueError when it is not fitted."""
        if self._wiring.shutdown is None:
            raise ValueError("The panel has no shutdown button: set hardware.shutdown_button to sim.")
        self._outside.drive(self._wiring.shutdown, high=not held)

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

    def stick(self) -> None:
        """Press the button so that it stays pressed until `release`."""
        self._stuck = True
        self._move(pressed=True)

    def wear(self, *, worn: bool) -> None:
        """Let each press bounce for 20 ms, or no longer."""
        self._worn = worn

    def kill_lamp(self, lamp: LampName, *, dead: bool) -> None:
        """Break this lamp so that it stays dark, or repair it."""
        (self._dead.add if dead else self._dead.discard)(lamp)
        self._tell()

    def cross_lamps(self, *, crossed: bool) -> None:
        """Swap the wires of Sun and Moon lamp, or restore them."""
        self._crossed = crossed
        self._tell()

    def mute_buzzer(self, *, mute: bool) -> None:
        """Silence the buzzer, or repair it."""
        self._mute = mute
        self._tell()

    def view(self) -> SimulatedPanelView:
        level = self._outside.level
        wiring = self._wiring
        wire: WireState = "ok"
        if self._broken is not None:
            wire = "nc_broken" if self._broken == "nc" else "no_broken"
        sun, moon = wiring.sun_lamp, wiring.moon_lamp
        if self._crossed:
            sun, moon = moon, sun
        return SimulatedPanelView(
            sun=level(sun) and "sun" not in self._dead,
            moon=level(moon) and "moon" not in self._dead,
            pause_lamp=level(wiring.pause_lamp) and "pause" not in self._dead,
            buzzer=level(wiring.buzzer) and not self._mute,
            pressed=self._pressed,
            wire=wire,
        )

    def power(self) -> PanelPower:
        """What the lamps and the buzzer take: a dead one takes nothing."""
        view = self.view()
        amps = LAMP_A * (view.sun + view.moon + view.pause_lamp) + BUZZER_A * view.buzzer
        return PanelPower(amps=amps, volts=SUPPLY_V - INNER_OHM * amps)

    def close(self) -> None:
        """Stop operating the panel. May be called twice. The pins stay open."""
        self._outside.watch(None)
        self._hand.shutdown(wait=True, cancel_futures=True)

    def _tap(self) -> None:
        self._press()
        self._wait(TAP_S)
        self._move(pressed=False)

    def _press(self) -> None:
        if self._worn:
            self._chatter(edges=WORN_EDGES, edge_s=WORN_EDGE_S)
        self._move(pressed=True)

    def _bounce(self) -> None:
        self._chatter(edges=BOUNCE_EDGES, edge_s=BOUNCE_EDGE_S)
        self._move(pressed=True)
        self._wait(BOUNCE_HOLD_S)
        self._move(pressed=False)

    def _chatter(self, *, edges: int, edge_s: float) -> None:
        begin_s = time.monotonic()
        for edge in range(edges):
            with self._lock:
                self._pressed = edge % 2 == 0 or self._stuck
                self._drive()
            # Against the begin, because a wait this short lasts twice as long as asked for.
            self._wait(max(0.0, begin_s + (edge + 1) * edge_s - time.monotonic()))

    def _move(self, *, pressed: bool) -> None:
        with self._lock:
            self._pressed = pressed or self._stuck
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
