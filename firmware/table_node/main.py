"""Starts the node on a Pico: puts the parts together and keeps the loop going."""

import sys
import time

import machine

from table_node import garbage, pins, words_en
from table_node.board import PicoBoard, full_speed
from table_node.canvas import TEXT, Canvas
from table_node.face import Face
from table_node.node import Node
from table_node.shared_display import halves
from table_node.spi_display import RESET_US, SH1106, SSD13XX, SpiDisplay, clock

OLDEST = (1, 25)
"""Before 1.24 the UART said too soon that it had sent everything; 1.25 is the oldest that was tried."""
WANTED = "install", "MicroPython", "1.25 or newer"
_REST_US = 200
_WORK_US = 500
"""A rest of so long, or shorter, is none: there is work, or an answer falls due."""
_TIDY_US = 1_000_000
_TIDY_ANYHOW_US = 2_000_000
_TIDY_ALONE_US = 3_000_000
_TIDY_ANSWERS = 100
"""Each leaves half a kilobyte behind. In a test they come one upon the other, and MicroPython would collect
in the middle of one, which takes it 13 ms."""
_AT_ONCE_US = 100_000


def run():
    """Never returns, but for a MicroPython that is too old."""
    full_speed()
    board = PicoBoard()
    displays = open_displays()
    if sys.implementation.version[:2] < OLDEST:
        refuse(displays)
        return
    faces = [Face(display) for display in places(displays)]
    faces[1].twin = faces[0]
    node = Node(board, faces)
    board.arm()
    try:
        keep_going(node)
    except Exception as error:  # noqa: BLE001 - the one guard of the node: whatever it is, begin anew
        sys.print_exception(error)
        board.crash()


def keep_going(node):
    """Garbage is collected right after an answer, when the master is busy with others or waits for its own
    next turn. A node that nobody asks does it when nothing is to be done."""
    garbage.prepare()
    garbage.collect()  # what the start has left
    tidy = time.ticks_us()
    answers = 0
    while True:
        node.spoke = False
        rest = node.step()
        answers += node.spoke
        since = time.ticks_diff(time.ticks_us(), tidy)
        due = since >= _TIDY_US or answers >= _TIDY_ANSWERS
        if due and is_time_to_tidy(node, since, rest, answers):
            garbage.collect()
            tidy = time.ticks_us()
            answers = 0
        elif rest > _WORK_US:
            time.sleep_us(_REST_US)


def is_time_to_tidy(node, since, rest, answers):
    """A picture that somebody waits for is drawn first, as long as the memory lasts."""
    if node.spoke:
        return since >= _TIDY_ANYHOW_US or answers >= _TIDY_ANSWERS or node.stage.is_shown()
    return since >= _TIDY_ALONE_US and rest > _WORK_US


def open_displays():
    """As the straps say: which kind, and one or two. They share all lines but the selecting one."""
    kind = SH1106 if strapped(pins.STRAP_SH1106) else SSD13XX
    selects = (pins.SUN_SELECT,) if strapped(pins.STRAP_SHARED) else (pins.SUN_SELECT, pins.MOON_SELECT)
    spi = machine.SPI(
        0, baudrate=clock(kind), sck=machine.Pin(pins.SPI_CLOCK), mosi=machine.Pin(pins.SPI_DATA)
    )
    data_line = machine.Pin(pins.DISPLAY_DATA, machine.Pin.OUT, value=0)
    chosen = [machine.Pin(number, machine.Pin.OUT, value=1) for number in selects]
    reset = machine.Pin(pins.DISPLAY_RESET, machine.Pin.OUT, value=0)
    time.sleep_us(RESET_US)
    reset(1)
    time.sleep_us(RESET_US)
    displays = [SpiDisplay(kind, spi, select, data_line) for select in chosen]
    for display in displays:
        display.start()
        display.flush(_AT_ONCE_US)
        display.power(True)
    return displays


def places(displays):
    """A display for each place, in the order of the connectors."""
    return displays if len(displays) == 2 else halves(displays[0])


def refuse(displays):
    for display in displays:
        canvas = Canvas(display.buffer)
        for line, text in enumerate((words_en.TOO_OLD,) + WANTED):
            canvas.centred(TEXT, text, 0, 128, 2 * line)
        display.flush(_AT_ONCE_US)


def strapped(number):
    return machine.Pin(number, machine.Pin.IN, machine.Pin.PULL_UP).value() == 0
