"""The node's own firmware, run by this interpreter."""

from collections.abc import Sequence

from pi_controller.virtual_hall.board import VirtualBoard
from pi_controller.virtual_hall.display import VirtualDisplay
from pi_controller.virtual_hall.table import Program
from table_node.face import Face
from table_node.node import Node


def start(board: VirtualBoard, displays: Sequence[VirtualDisplay]) -> Program:
    """As after a reset of the board."""
    node: Program = Node(board, [Face(display) for display in displays])
    return node
