"""The node's own firmware, run by this interpreter."""

from collections.abc import Sequence
from typing import Any

from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.display import VirtualDisplay
from pi_controller.virtual_hall.table import Program
from table_node import messages as m
from table_node.face import Face
from table_node.node import FIRMWARE, Node

SPARING_US = 100_000
"""Between two looks at the clock: what is shown is told to watchers as often as this."""


def start(board: VirtualBoard, displays: Sequence[VirtualDisplay], *, chance: bytes | None = None) -> Program:
    """As after a reset of the board; `chance` are three bytes in the place of random ones."""
    return _started(board, displays, chance=chance)


def start_sparing(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    """For a table that runs it whenever bytes arrive or a button is touched, so that it need not look."""
    return _started(board, displays, longest_rest_us=SPARING_US, look_us=SPARING_US)


def _started(board: VirtualBoard, displays: Sequence[VirtualDisplay], **how: Any) -> Program:
    """The node's firmware, or an older one that knows nothing of tests (PROTOCOL.md, section 14)."""
    older = board.defects.firmware
    node: Any = Node(board, [Face(display) for display in displays], firmware=older or FIRMWARE, **how)
    if older is not None:
        take = node.answers.take
        node.answers.take = lambda frame, ended: None if _is_of_tests(frame) else take(frame, ended)
    program: Program = node
    return program


def _is_of_tests(frame: Any) -> bool:
    known = {m.IDENTIFY: m.IDENTIFY_ENROL, m.ORDER: m.LEAVE_SAFE_MODE}.get(frame.type)
    is_newer = known is not None and frame.size > 0 and frame.payload[0] > known
    return bool(frame.type >= m.PING or is_newer)
