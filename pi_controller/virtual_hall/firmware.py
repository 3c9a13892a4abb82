"""The node's own firmware, run by this interpreter."""

from collections.abc import Sequence

from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.display import VirtualDisplay
from pi_controller.virtual_hall.table import Program
from table_node.face import Face
from table_node.node import Node

SPARING_US = 100_000
"""Between two looks at the clock: what is shown is told to watchers as often as this."""


def start(board: VirtualBoard, displays: Sequence[VirtualDisplay], *, chance: bytes | None = None) -> Program:
    """As after a reset of the board; `chance` are three bytes in the place of random ones."""
    node: Program = Node(board, [Face(display) for display in displays], chance=chance)
    return node


def start_sparing(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    """For a table that runs it whenever bytes arrive or a button is touched, so that it need not look."""
    faces = [Face(display) for display in displays]
    node: Program = Node(board, faces, longest_rest_us=SPARING_US, look_us=SPARING_US)
    return node
