"""Stands in for the firmware: joins, answers polls, draws one line of what it hears, lights a lamp."""

from collections.abc import Sequence

from pi_controller.bus.frame import MASTER, UNASSIGNED, Frame, Receiver, encode
from pi_controller.bus.messages import (
    Assign,
    Discover,
    HealthMessage,
    Info,
    Order,
    Poll,
    StateMessage,
    from_frame,
    to_frame,
)
from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.table import Program, VirtualDisplay

PASS_US = 2_000
ALONE_US = 2_000_000
"""Not polled for so long, it has no address any more."""


class Talker:
    def __init__(self, board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> None:
        self.board = board
        self.displays = displays
        self.receiver = Receiver()
        self.address: int | None = None
        self.buffer = bytearray(256)
        self.boots = (board.load() or b"\0")[0] + 1
        board.save(bytes([self.boots]))
        for display in displays:
            display.power(True)
            display.contrast(99)
        self.states = 0
        self.asked_ticks = board.ticks_us()

    def step(self) -> int:
        self.board.feed()
        if self.board.ticks_diff(self.board.ticks_us(), self.asked_ticks) > ALONE_US:
            self.address = None
        count = self.board.read(self.buffer)
        for frame in self.receiver.feed(bytes(self.buffer[:count])):
            self.answer(frame)
        for side in (0, 1):
            self.board.lamp(2 + side, 255 * self.board.button(side))
        for display in self.displays:
            display.flush(5_000)
        return PASS_US

    def answer(self, frame: Frame) -> None:
        message = from_frame(frame)
        uid = self.board.uid.hex()
        if frame.dst == self.address or isinstance(message, Assign):
            self.asked_ticks = self.board.ticks_us()
        if isinstance(message, StateMessage):
            self.states += 1
            self.displays[0].buffer[message.round % 128] = 0x81
        elif isinstance(message, Assign) and message.uid == uid:
            self.address = message.address
            self.say(self.info(), frame)
        elif isinstance(message, Discover) and self.address is None and frame.dst == UNASSIGNED:
            # the only one that stands alone on its line in these tests
            self.say(self.info(), frame)
        elif isinstance(message, Poll | Order) and frame.dst == self.address:
            if isinstance(message, Order) and message.what == "reboot":
                self.board.reboot()
            self.say(HealthMessage(epoch=1, state_seq=1, sun_button=self.board.button(0)), frame)

    def info(self) -> Info:
        return Info(
            uid=self.board.uid.hex(),
            hardware=self.board.hardware,
            firmware=(1, 0),
            proto_min=1,
            proto_max=1,
            boots=self.boots,
        )

    def say(self, message: Info | HealthMessage, asked: Frame) -> None:
        data = encode(to_frame(message, dst=MASTER, src=self.address or UNASSIGNED, seq=asked.seq))
        self.board.send(bytearray(data), len(data))


def start(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    return Talker(board, displays)
