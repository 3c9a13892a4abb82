"""Drawing on a line that is never quiet: frames of others 300 µs apart, as the protocol allows."""

from random import Random

from table_node import messages as m
from table_node.face import Face
from tests.bus.hall import percentile
from tests.firmware.hall import ADDRESS, Hall, frame
from tests.firmware.hand_board import HandBoard, HandDisplay, HandFace

GAP_US = 300
BYTE_US = 40
STEP_US = 3_000
"""Of drawing: more than on the chip; its node passes every 200 µs otherwise."""
CHANGES_US = (200_000, 500_000)
FIRST_US, BEGINS_US = 100_000, 5_000


class Glass(HandDisplay):
    def __init__(self, board: HandBoard) -> None:
        super().__init__()
        self.width, self.height = 128, 64
        self.buffer = bytearray(1024)
        self.board = board
        self.shown = bytes(self.buffer)
        self.at_us: list[int] = []

    def flush(self, budget_us: int) -> bool:
        self.board.now_us += budget_us
        if self.shown != self.buffer:
            self.shown = bytes(self.buffer)
            self.at_us.append(self.board.now_us - budget_us)
        return True


class SlowFace(HandFace):
    """Each step of the real picture takes as long as on the chip."""

    def __init__(self, board: HandBoard) -> None:
        super().__init__(board)
        self.display = Glass(board)
        self.face = Face(self.display)

    def draw(self, view: object) -> object:
        self.board.now_us += STEP_US
        return self.face.draw(view)


class BusyHall(Hall):
    make_face = SlowFace


def talk(hall: Hall, until_us: int, said: list[bytes], turnarounds_us: list[int]) -> None:
    """Others are asked and answer without a pause; after these frames, `said`. The own turn comes every 130 ms."""
    board, at_us = hall.board, hall.board.now_us
    others = [
        frame(m.POLL, bytes(6), dst=9),
        frame(m.HEALTH, bytes(23), dst=0, src=9),
        frame(m.PING, bytes(24), dst=9),
        frame(m.PONG, bytes(28), dst=0, src=9),
    ]
    count, own_us = 0, at_us + 50_000
    while at_us < until_us:
        if said:
            at_us = board.bring(said.pop(0), at_us) + GAP_US
        if at_us >= own_us:
            own_us += 130_000
            ended_us = board.bring(frame(m.POLL, b"\xf4\x01\0\0\0\0", dst=ADDRESS), at_us)
            before = len(board.sent)
            hall.run(ended_us + 12_000 - board.now_us)
            turnarounds_us += [sent_us - ended_us for sent_us, _ in board.sent[before:]]
            at_us = board.now_us
        at_us = board.bring(others[count % 4], at_us) + GAP_US
        count += 1
        hall.run(at_us - board.now_us)


def test_the_first_bytes_of_a_picture_go_out_within_100_ms_on_a_line_that_is_never_quiet() -> None:
    hall = BusyHall(jitter=lambda: 200, protocols=(1, 6))
    hall.run(500_000)
    hall.assign()
    hall.silent = True
    board, game = hall.board, hall.game
    turnarounds_us: list[int] = []
    waited_us = []
    chance = Random(8)
    for number in range(100):
        game.round = number + 1
        flags = m.SUN_ACTIVE if number % 2 else m.MOON_ACTIVE
        game.begin(board.now_us, flags=flags)
        told = game.state(board.now_us)
        over_us = board.now_us + BYTE_US * len(told)
        talk(hall, board.now_us + chance.randrange(*CHANGES_US), [told], turnarounds_us)
        for face in hall.faces:
            first = [at_us for at_us in face.display.at_us if at_us > over_us]
            waited_us.append(first[0] - over_us if first else CHANGES_US[1])
    assert percentile(waited_us, 0.99) <= FIRST_US
    assert len(turnarounds_us) > 100
    assert percentile(turnarounds_us, 0.99) <= BEGINS_US
