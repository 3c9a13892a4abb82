"""A virtual table: the node's firmware on a simulated board, with its plug, its watchdog and its players."""

from collections.abc import Callable, Sequence
from typing import Protocol

from pi_controller.virtual_hall.board import POWER, SOFT, WATCHDOG, Hung, Rebooted, VirtualBoard
from pi_controller.virtual_hall.defects import Defects
from pi_controller.virtual_hall.display import VirtualDisplay
from pi_controller.virtual_hall.mouth import NEVER
from pi_controller.virtual_hall.sieve import Sieve

BOOT_US = 500_000
"""From a reset to the firmware's first pass."""
PASS_US = 100
"""The firmware's main loop does not come round faster."""
SPARING_PASS_US = 5_000
"""The pass of a sparing table that nobody has asked anything."""
TOUCH_PASS_US = 5_000
"""Rests that the firmware may be allowed are not longer while a button is touched, and shortly after."""
TOUCHED_US = 2_000_000
NEW_TOUCH_US = 10_000
"""So long after a touch a sparing table passes as often as any other: a pass that answers a request does not
look at the buttons, and the next one must not be long in coming."""
WATCHDOG_US = 2_000_000
"""The firmware sets its watchdog to this, and it bites when it is not fed for so long."""


class Program(Protocol):
    """The running firmware; `table_node.node.Node` is one."""

    def step(self) -> int:
        """One pass of the main loop; microseconds until the next one at the latest."""
        ...


Firmware = Callable[[VirtualBoard, Sequence[VirtualDisplay]], Program]
"""Starts the firmware, as after a reset."""


class Table:
    """One node at its place on a segment. All times are microseconds of the hall.

    A `sparing` table does not run for frames to others and hands its firmware only a few of them, which it
    would drop: a hall of many tables needs much less of the processor so."""

    def __init__(self, firmware: Firmware, board: VirtualBoard, *, sparing: bool = False) -> None:
        self.board = board
        self.displays = (VirtualDisplay(), VirtualDisplay())
        self.alive = False
        self.hanging = False
        self.program: Program | None = None
        self.due_us = NEVER
        self._firmware = firmware
        self._free_us = 0
        self._touched_until_us = -1
        self._new_touch_until_us = -1
        self._sieve = Sieve(board) if sparing else None
        self._asked = False
        self._release_us = [NEVER, NEVER]

    def revive(self, now_us: int) -> None:
        """Plug it in; what runs already goes on."""
        if not self.alive:
            self.alive = True
            self._reset(POWER, now_us)

    def halt(self) -> None:
        """Pull its plug."""
        self.alive = self.hanging = False
        self.program = None
        self.due_us = NEVER
        self.board.lamps[:] = [0, 0, 0, 0]
        for display in self.displays:
            display.lose_power()

    def reboot(self, now_us: int) -> None:
        """Pull its plug and put it in again."""
        self.halt()
        self.revive(now_us)

    def hang(self) -> None:
        """The firmware runs no more; its watchdog will bite."""
        self.hanging = True

    def mend(self, now_us: int) -> None:
        """Nothing is wrong with it any more."""
        flashed = self.board.defects.firmware is not None
        self.board.defects = Defects()
        self.changed(now_us, flashed=flashed)

    def changed(self, now_us: int, *, flashed: bool) -> None:
        """Something else is wrong with it; `flashed`: its firmware is another, which starts afresh."""
        self.board.retune(now_us)
        if flashed and self.alive:
            self.reboot(now_us)
        else:
            self._touched(now_us)

    def press(self, side: int, now_us: int) -> None:
        self.board.pressed[side] = True
        self._release_us[side] = NEVER
        self._touched(now_us)

    def release(self, side: int, now_us: int) -> None:
        self.board.pressed[side] = False
        self._touched(now_us)

    def hold(self, side: int, until_us: int, now_us: int) -> None:
        """Press now and let go at that time."""
        self.press(side, now_us)
        self._release_us[side] = until_us

    def receive(self, data: bytes, at_us: int) -> None:
        """Bytes from the cable; the firmware looks at them when a frame may be over."""
        if not self.alive:
            return
        self.board.incoming += data
        if data[-1] == 0 and (self._sieve is None or not self._sieve.dropped(at_us)):
            self._asked = True
            self._at_once(at_us)

    def step(self, now_us: int) -> None:
        """What is due at this time."""
        for side, release_us in enumerate(self._release_us):
            if release_us <= now_us:
                self._release_us[side] = NEVER
                self.release(side, now_us)
        if not self.alive:
            return
        if self.program is None:
            self.program = self._firmware(self.board, self.displays)
        fed_us = self.board.fed_us
        if fed_us is not None and now_us - fed_us >= WATCHDOG_US:
            self._reset(WATCHDOG, now_us)
        elif self.hanging:
            self.due_us = NEVER if fed_us is None else fed_us + WATCHDOG_US
        else:
            self._run(self.program, now_us)

    def _run(self, program: Program, now_us: int) -> None:
        self.board.now_us = now_us
        try:
            wait_us = program.step()
        except Rebooted:
            self._reset(SOFT, self.board.now_us)
            return
        except Hung:
            self.hang()
            self.due_us = NEVER if self.board.fed_us is None else self.board.fed_us + WATCHDOG_US
            return
        for display in self.displays:
            self.board.now_us += display.spent_us
            display.spent_us = 0
        wanted = self._asked or now_us < self._new_touch_until_us
        if self._sieve is not None and not wanted and self._sieve.knows_address():
            wait_us = max(wait_us, SPARING_PASS_US)
        self._asked = False
        self._free_us = self.board.now_us + PASS_US
        if now_us < self._touched_until_us:
            wait_us = min(wait_us, TOUCH_PASS_US)
        self.due_us = min(max(self._free_us, now_us + wait_us), *self._release_us)

    def _reset(self, cause: int, now_us: int) -> None:
        self.program = None
        self.hanging = False
        self.board.start(cause, now_us)
        self.due_us = self._free_us = now_us + BOOT_US

    def _touched(self, now_us: int) -> None:
        self._touched_until_us = NEVER if any(self.board.pressed) else now_us + TOUCHED_US
        self._new_touch_until_us = now_us + NEW_TOUCH_US
        self._at_once(now_us)

    def _at_once(self, now_us: int) -> None:
        if self.program is not None and not self.hanging:
            self.due_us = min(self.due_us, max(now_us, self._free_us))
