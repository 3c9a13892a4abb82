"""A table in real MicroPython: `table.py UID HANDS LOOK_US`. Says on standard error what both sides show, when it changes.

A line is a side's view: side, kind, phase, active, round, sum, seconds, target, claim, crc of the picture.
"""

import sys
from binascii import crc32, unhexlify

from unix_board import Board, Display

from table_node.face import Face
from table_node.node import Node


def look(side, view, display):
    return (
        side,
        view.kind,
        view.phase,
        view.active,
        view.round,
        view.sum,
        view.seconds,
        view.target,
        view.claim,
        crc32(display.buffer),
    )


def main():
    board = Board(unhexlify(sys.argv[1]), sys.argv[2])
    look_us = int(sys.argv[3])
    displays = [Display(), Display()]
    node = Node(board, [Face(display) for display in displays], longest_rest_us=look_us, look_us=look_us)
    shown = [None, None]
    while True:
        board.rest(node.step())
        for side, display in enumerate(displays):
            now = look(side, node.views[side], display)
            if now != shown[side]:
                shown[side] = now
                print(*now, file=sys.stderr)


main()
