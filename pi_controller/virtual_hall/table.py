"""A virtual table: the node's own firmware on a simulated board, with its plug, its watchdog and its
players.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from pi_controller.bus.frame import FIRST_NODE, LAST_NODE, MASTER, decode
from pi_controller.virtual_hall.board import POWER, SOFT, WATCHDOG, BoardDefects, Hung, Rebooted, VirtualBoard
from pi_controller.virtual_hall.cable import NEVER
from table_node import messages as m
from table_node.face import Face
from table_node.node import FIRMWARE, Node

# A table's display: what the firmware draws into, and what a player sees.


WIDTH = 128
HEIGHT = 64
ROW = WIDTH // 8
PAGES = 8
"""Of 128 bytes; in a byte the top pixel of eight is the lowest bit (framebuf's MONO_VLSB)."""
DARK_MA, WHITE_MA = 2.0, 130.0
"""Of a display of 2.42" with nothing and with everything lit at full contrast, at 3.3 V; an estimate."""
BRIGHTEST = 255
PAGE_US = 281
"""To send a page of 128 bytes and its address, as the chip does: 131 bytes at 8 MHz, and the calls for it."""
BEGIN_US, STEP_US = 6_000, 1_400
"""Of a new picture, and of each step of drawing it: together as long as the chip takes to the first bytes of
a pause, and until both displays are whole (docs/figures.md)."""


class VirtualDisplay:
    """The display object of the firmware: it draws into `buffer`, then `flush` shows it.

    `shown` is the picture on the glass; dark while not `on`. `ok` is False when the display does not answer.
    """

    def __init__(self) -> None:
        self.width = WIDTH
        self.height = HEIGHT
        self.buffer = bytearray(WIDTH * PAGES)
        self.shift_y = 0
        self.shown = bytes(self.buffer)
        self.lower_by = 0
        """Rows by which the glass shows the picture lower; what leaves it at the bottom comes in at the
        top."""
        self.on = False
        self.level = 255
        self.ok = True
        self.spent_us = 0
        """Time that drawing and sending have taken; the table counts it into its own."""
        self.owed_us = 0
        """Time that drawing takes before the picture can be sent, in slices as on the chip."""
        self._lit_of = self.shown
        self._lit = 0.0

    def flush(self, budget_us: int) -> bool:
        """Send pages that differ until the budget is used up; True when the whole picture is on the glass."""
        if not self.ok:
            return False
        drawing_us = min(self.owed_us, budget_us)
        self.owed_us -= drawing_us
        self.spent_us += drawing_us
        budget_us -= drawing_us
        if self.owed_us:
            return False
        self.lower_by = self.shift_y
        if self.shown == self.buffer:
            return True
        for first in range(0, len(self.buffer), WIDTH):
            page = self.buffer[first : first + WIDTH]
            if self.shown[first : first + WIDTH] == page:
                continue
            if budget_us < PAGE_US:
                return False
            budget_us -= PAGE_US
            self.spent_us += PAGE_US
            self.shown = self.shown[:first] + page + self.shown[first + WIDTH :]
        return True

    def contrast(self, level: int) -> None:
        """0 to 255."""
        self.level = level

    def power(self, on: bool) -> None:  # noqa: FBT001 - the firmware's own signature
        self.on = on

    def lose_power(self) -> None:
        """Dark, as after pulling the plug."""
        self.buffer[:] = bytes(len(self.buffer))
        self.shown = bytes(self.buffer)
        self.owed_us = 0
        self.shift_y = self.lower_by = 0
        self.on = False
        self.level = 255

    def milliamps(self) -> float:
        """What it takes now: the panel's current goes with the pixels that are lit, and with the contrast."""
        if not self.ok:
            return 0.0
        if self._lit_of is not self.shown:
            self._lit_of = self.shown
            self._lit = int.from_bytes(self.shown, "little").bit_count() / (WIDTH * HEIGHT)
        return DARK_MA + (WHITE_MA - DARK_MA) * self._lit * self.on * self.level / BRIGHTEST

    def rows(self) -> bytes:
        """The picture in rows from the top, a bit a pixel, the leftmost first; 16 bytes a row."""
        pages = range(0, WIDTH * PAGES, WIDTH)
        rows = b"".join(_page_rows(self.shown[first : first + WIDTH]) for first in pages)
        top = len(rows) - self.lower_by * ROW
        return rows[top:] + rows[:top]


def _spread(column: int, place: int) -> int:
    """A byte of eight pixels below each other, as the bit `place` of eight bytes."""
    return sum((column >> bit & 1) << (8 * bit + 7 - place) for bit in range(8))


_SPREAD = [[_spread(column, place) for column in range(256)] for place in range(8)]


@lru_cache(maxsize=4096)
def _page_rows(page: bytes) -> bytes:
    """Eight rows of 16 bytes: turned over in squares of eight by eight pixels."""
    squares = [
        sum(table[column] for table, column in zip(_SPREAD, page[x : x + 8], strict=True)).to_bytes(
            8, "little"
        )
        for x in range(0, WIDTH, 8)
    ]
    return b"".join(bytes(square[row] for square in squares) for row in range(8))


KEPT_EVERY_US = 1_000_000
"""One of the frames to others is let through as often as this: the firmware judges the baud rate by them."""


class FrameFilter:
    """Looks at the end of what the board has received."""

    def __init__(self, board: VirtualBoard) -> None:
        self._board = board
        self._kept_us = -KEPT_EVERY_US
        self._said = b""
        self._own: int | None = None

    def dropped(self, at_us: int) -> bool:
        """A frame has just ended; whether it was for another and has been taken away."""
        incoming = self._board.incoming
        first = incoming.rfind(0, 0, len(incoming) - 1) + 1
        if not self._is_for_another(incoming, first) or at_us - self._kept_us >= KEPT_EVERY_US:
            self._kept_us = at_us
            return False
        del incoming[first:]
        return True

    def knows_address(self) -> bool:
        """Whether it is polled, and not waiting for its slot in a discovery."""
        return self._own_address() is not None

    def _is_for_another(self, incoming: bytearray, first: int) -> bool:
        """By the destination alone, which COBS leaves at its place unless it is 0. What the firmware has read
        the beginning of is left to it."""
        if first == 0 or len(incoming) < first + 3:
            return False
        to = MASTER if incoming[first] == 2 else incoming[first + 2]
        if FIRST_NODE <= to <= LAST_NODE:
            own = self._own_address()
            return own is not None and to != own
        return to == MASTER

    def _own_address(self) -> int | None:
        """The one with which the board talked last; None: it has none."""
        if self._said is not self._board.said:
            self._said = self._board.said
            frame = decode(self._said[1:-1])
            self._own = frame.src if frame is not None and FIRST_NODE <= frame.src <= LAST_NODE else None
        return self._own


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
        board.displays_ma = self._displays_ma
        self.alive = False
        self.starved = False
        """Its supply is below what its lockout wants: it comes back by itself when that rises."""
        self.hanging = False
        self.program: Program | None = None
        self.due_us = NEVER
        self._firmware = firmware
        self._free_us = 0
        self._touched_until_us = -1
        self._new_touch_until_us = -1
        self._filter = FrameFilter(board) if sparing else None
        self._asked = False
        self._plugged = False
        self._release_us = [NEVER, NEVER]

    def _displays_ma(self) -> float:
        """A display that stays dark takes nothing: it is missing or dead."""
        wrong = self.board.defects
        return sum(
            display.milliamps() * self.board.tolerances.glass_gains[connector]
            for connector, display in enumerate(self.displays)
            if not wrong.dark[connector ^ wrong.crossed]
        )

    def watts(self) -> float:
        """That it takes from the line now."""
        return self.board.watts() if self.alive else 0.0

    def revive(self, now_us: int) -> None:
        """Plug it in; what runs already goes on."""
        self._plugged = True
        if not self.alive and not self.starved:
            self.alive = True
            self._reset(POWER, now_us)

    def halt(self, now_us: int) -> None:
        """Pull its plug."""
        self._plugged = False
        self._lose_power(now_us)

    def starve(self, now_us: int) -> None:
        """Its supply is too low for it."""
        self.starved = True
        self._lose_power(now_us)

    def feed(self, now_us: int) -> None:
        """Its supply is high enough again."""
        self.starved = False
        if self._plugged:
            self.revive(now_us)

    def _lose_power(self, now_us: int) -> None:
        self.board.flash.lose_power(now_us)
        self.alive = self.hanging = False
        self.program = None
        self.due_us = NEVER
        self.board.lamps[:] = [0, 0, 0, 0]
        for display in self.displays:
            display.lose_power()

    def reboot(self, now_us: int) -> None:
        """Pull its plug and put it in again."""
        self.halt(now_us)
        self.revive(now_us)

    def hang(self) -> None:
        """The firmware runs no more; its watchdog will bite."""
        self.hanging = True

    def mend(self, now_us: int) -> None:
        """Nothing is wrong with it any more."""
        flashed = self.board.defects.firmware is not None
        self.board.defects = BoardDefects()
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
        if not self.alive or at_us < self.board.deaf_until_us:
            return
        self.board.incoming += data
        if data[-1] == 0 and (self._filter is None or not self._filter.dropped(at_us)):
            self._asked = True
            self._at_once(at_us)

    def step(self, now_us: int) -> None:
        """What is due at this time."""
        for side, release_us in enumerate(self._release_us):
            if release_us <= now_us:
                self._release_us[side] = NEVER
                self.release(side, now_us)
        if (
            not self.alive
        ):  # its power may have gone in the middle of a pass, which then said when the next is due
            self.due_us = NEVER
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
        if self._filter is not None and not wanted and self._filter.knows_address():
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


SPARING_US = 100_000
"""Between two looks at the clock: what is shown is told to watchers as often as this."""


def start_firmware(
    board: VirtualBoard, displays: Sequence[VirtualDisplay], *, chance: bytes | None = None
) -> Program:
    """As after a reset of the board; `chance` are three bytes in the place of random ones."""
    return _started(board, displays, chance=chance)


def start_sparing(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    """For a table that runs it whenever bytes arrive or a button is touched, so that it need not look."""
    return _started(board, displays, longest_rest_us=SPARING_US, look_us=SPARING_US)


def _started(board: VirtualBoard, displays: Sequence[VirtualDisplay], **how: Any) -> Program:
    """The node's firmware, or an older one that knows nothing of tests (PROTOCOL.md, section 14)."""
    older = board.defects.firmware
    faces: list[Any] = [Face(display) for display in displays]
    for face in faces:
        face.draw = _timed(face)
    newest = m.NEWEST if older is None else m.OLDEST
    firmware = older or board.flash.load(FIRMWARE)
    node: Any = Node(board, faces, protocols=(m.OLDEST, newest), firmware=firmware, **how)
    if older is not None:
        take = node.answers.take
        node.answers.take = lambda frame, ended: None if _is_of_tests(frame) else take(frame, ended)
    program: Program = node
    return program


def _timed(face: Any) -> Callable[[Any], object]:
    """Its drawing, which takes the chip's time; what need not be drawn is quick."""
    draw, display = face.draw, face.display

    def timed(view: Any) -> object:
        stood = face.standing
        said: object = draw(view)
        if said is not True:
            display.owed_us += STEP_US + BEGIN_US * (face.standing is not stood)
        return said

    return timed


def _is_of_tests(frame: Any) -> bool:
    known = {m.IDENTIFY: m.IDENTIFY_ENROL, m.ORDER: m.LEAVE_SAFE_MODE}.get(frame.type)
    is_newer = known is not None and frame.size > 0 and frame.payload[0] > known
    return bool(frame.type >= m.PING or is_newer)
