"""Plays an evening on one node and prints what its players saw, under CPython or MicroPython:
node_check.py ROOT SEED prints a line for each change of a picture, the answers and the lamps at last."""

import sys
from binascii import crc32

sys.path.append(sys.argv[1])

from table_node import messages as m
from table_node.face import Face
from tests.firmware.hall import Hall
from tests.firmware.hand_board import HandBoard, HandDisplay, HandFace

SECOND = 1_000_000


class Chance:
    """The same numbers under both interpreters."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % limit


class Glass(HandDisplay):
    def __init__(self):
        super().__init__()
        self.width = 128
        self.height = 64
        self.buffer = bytearray(1024)


class DrawnFace(HandFace):
    """A player who sees the picture itself."""

    def __init__(self, board):
        super().__init__(board)
        self.display = Glass()
        self.face = Face(self.display)

    def draw(self, view):
        if not self.face.draw(view):
            return False
        picture = crc32(self.display.buffer)
        if not self.seen or self.seen[-1][3] != picture:
            self.seen.append((self.board.now_us, view.kind, view.seconds, picture))
        return True


class Board(HandBoard):
    """Keeps only a sum of what its lamps did."""

    def __init__(self, **how):
        super().__init__(**how)
        self.lit = 0

    def lamp(self, which, level):
        self.lamps[which] = level
        self.lit = crc32(bytes((which, level)) + str(self.now_us).encode(), self.lit)


class LossyHall(Hall):
    """One frame in five of the master is lost, and some come twice or with a flipped bit."""

    make_face = DrawnFace

    def __init__(self, chance, board):
        self.chance_of = chance
        super().__init__(board=board, jitter=lambda: 200 + chance.below(4800))

    def tell(self):
        fate = self.chance_of.below(10)
        data = bytearray(self.game.state(self.board.now_us))
        if fate == 2:
            data[5 + self.chance_of.below(30)] ^= 4
        if fate > 1:
            over = self.board.bring(data, self.board.now_us)
        if fate == 3:
            self.board.bring(data, over + 900)


def answer(hall, side, claim):
    return hall.poll(moon=claim) if side else hall.poll(sun=claim)


def tests(hall):
    """What is asked of it after the game."""
    hall.silent = False
    hall.game.phase, hall.game.flags = m.ENDED, 0
    hall.game.changed()
    hall.run(2 * SECOND)
    for number in range(8):
        print(hall.ask(m.PING, bytes(range(number, number + 24))))
    for what, number in ((m.IDENTIFY_PATTERN, m.DIGITS), (m.IDENTIFY_LAMPS, 0b0110), (m.IDENTIFY_WALK, 0)):
        hall.ask(m.IDENTIFY, bytes((what, 3, number, 0)))
        hall.run(SECOND)
        hall.hold(0, 100_000)
        print(sorted((hall.poll() or {}).items()), hall.board.lamps)
        hall.run(4 * SECOND)
    print(hall.ask(m.ORDER, bytes((m.RATE, 2))), hall.board.baud)
    hall.run(3 * SECOND)
    print(sorted((hall.poll() or {}).items()), hall.board.baud)


def evening(seed):
    chance = Chance(seed)
    hall = LossyHall(chance, Board(ppm=chance.below(101) - 50, ticks=(1 << 30) - 20 * SECOND))
    hall.run(2 * SECOND)
    hall.assign(board=b"B7", swap=chance.below(2))
    for played in range(1, 7):
        game = hall.game
        game.round = played
        game.dice = (1 + chance.below(6)) << 4 | (1 + chance.below(6))
        flags = (m.SUN_ACTIVE | m.NEXT_MOON) if played % 2 else (m.MOON_ACTIVE | m.NEXT_SUN)
        robber = played == 4
        game.target = 7 if robber else 0
        game.begin(hall.board.now_us, flags=0 if robber else flags,
                   phase=m.ROBBER if robber else m.ROUND, seconds=8)  # fmt: skip
        hall.run(2 * SECOND)
        side = (played + 1) % 2
        hall.hold(side ^ hall.node.swapped)
        print(played, sorted((hall.poll() or {}).items()))
        claim = (hall.node.claims[side].number, 2 + chance.below(2))
        print(sorted((answer(hall, side, claim) or {}).items()), hall.node.claims[side].status)
        hall.run(2 * SECOND)
        if played == 5:
            game.pause(hall.board.now_us, m.CLAIM)
            hall.board.bring(game.short(), hall.board.now_us)
            hall.run(3 * SECOND)
            print(sorted((answer(hall, side, (claim[0], 4)) or {}).items()))
            game.flags = game.flags & ~m.PAUSED | m.RUNNING
            game.end_us = hall.board.now_us + 3 * SECOND
            game.changed()
        hall.run(2 * SECOND)
    hall.silent = True
    hall.run(4 * SECOND)
    tests(hall)
    for face in hall.faces:
        for line in face.seen:
            print(*line)
    print(hall.board.lit, hall.node.time.drift, hall.node.link.missed)


evening(int(sys.argv[2]))
