"""The generated files of the enclosures and of the models in KiCad's pictures."""

from tools.boxes import models, scad
from tools.boxes.bodies import Bodies
from tools.boxes.scenes import scenes
from tools.drawings import node, node_board, panel, panel_board
from tools.pinmap import Pinmap


def texts(pinmap: Pinmap) -> dict[str, str]:
    """Path below the repository and content. Raises BodyError for a footprint without a body."""
    boards = {
        "node": (node.sheet(pinmap), node_board.PLAN),
        "panel": (panel.sheet(pinmap), panel_board.PLAN),
    }
    bodies = Bodies()
    return {**scad.sources(scenes(boards, bodies)), **models.models(bodies)}
