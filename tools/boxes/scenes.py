"""What lies where in the enclosures: sizes of a box come from its .scad, places on a board from its file."""

import ast
import re
from dataclasses import dataclass
from math import atan, cos, degrees, radians, sin, tan
from pathlib import Path

from tools.boxes.bodies import TABLE, Block, Bodies, Solid
from tools.kicad_files import Board, file
from tools.kicad_files import board as opened

Row = tuple[float, float, float, float]
_NONE: tuple[Row, Row, Row] = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0))


@dataclass(frozen=True)
class Frame:
    """Each step happens in the frame that the ones before made, as OpenSCAD reads them from left to right."""

    rows: tuple[Row, Row, Row] = _NONE

    def move(self, x: float, y: float, z: float) -> "Frame":
        return self._then(((1, 0, 0, x), (0, 1, 0, y), (0, 0, 1, z)))

    def turn(self, axis: str, degrees: float) -> "Frame":
        """To the left, as seen against the axis."""
        c, s = round(cos(radians(degrees)), 9), round(sin(radians(degrees)), 9)
        return self._then(
            {
                "x": ((1, 0, 0, 0), (0, c, -s, 0), (0, s, c, 0)),
                "y": ((c, 0, s, 0), (0, 1, 0, 0), (-s, 0, c, 0)),
                "z": ((c, -s, 0, 0), (s, c, 0, 0), (0, 0, 1, 0)),
            }[axis]
        )

    def _then(self, step: tuple[Row, Row, Row]) -> "Frame":
        full = (*step, (0, 0, 0, 1))
        rows = [
            tuple(round(sum(row[k] * full[k][column] for k in range(4)), 6) for column in range(4))
            for row in self.rows
        ]
        return Frame((rows[0], rows[1], rows[2]))  # type: ignore[arg-type]


ENCLOSURE = TABLE.parent
BOARD_THICK = 1.6
SHELLS = {"node": ("base", "roof"), "pause_box": ("box", "floor"), "panel": ("tub", "lid")}
"""The printed parts of each box, as `part` of its .scad names them."""


@dataclass(frozen=True)
class Lying:
    """A part of a box, named as in the message about a collision."""

    name: str
    solids: tuple[Solid, ...]
    frame: Frame


@dataclass(frozen=True)
class Scene:
    """`values` are computed from board and sizes, and given to the box's .scad."""

    box: str
    parts: tuple[Lying, ...]
    values: dict[str, float | list]


class Sizes:
    """The plain numbers and lists at the head of a .scad."""

    def __init__(self, path: Path) -> None:
        found = re.findall(r"^(\w+) = ([-\d.\[\], ]+);", path.read_text(encoding="utf-8"), re.MULTILINE)
        self._values = {name: ast.literal_eval(value) for name, value in found}

    def one(self, name: str) -> float:
        """Raises KeyError where there is none."""
        return float(self._values[name])

    def many(self, name: str) -> list[float]:
        return [float(value) for value in self._values[name]]


def scenes(bodies: Bodies) -> dict[str, Scene]:
    """All boxes. Raises BodyError for a part on a board that has no body."""
    return {
        "node": node(opened(file("node", "kicad_pcb")), bodies, Sizes(ENCLOSURE / "node.scad")),
        "pause_box": pause_box(bodies, Sizes(ENCLOSURE / "pause_box.scad")),
        "panel": panel(opened(file("panel", "kicad_pcb")), bodies, Sizes(ENCLOSURE / "panel.scad")),
    }


def board(plan: Board, bodies: Bodies, frame: Frame) -> list[Lying]:
    """A board, its parts and what is plugged in; `frame` has the upper left corner of its top side."""
    slab = Block((0.0, -plan.high, -BOARD_THICK), (plan.wide, 0.0, 0.0), "DarkGreen")
    found = [Lying(f"{plan.name} board", (slab,), frame)]
    for ref, item in sorted(plan.placed.items()):
        here = frame.move(item.x, -item.y, 0).turn("z", item.angle)
        found.append(Lying(ref, bodies.mounted(item.footprint), here))
        found.append(Lying(f"what is on {ref}", bodies.plugged(item.footprint), here))
    return [lying for lying in found if lying.solids]


def node(plan: Board, bodies: Bodies, sizes: Sizes) -> Scene:
    """The board lies turned to the right by 90 degrees: its upper edge with the jacks is right in the box."""
    wall, bay, rim, slope = (sizes.one(name) for name in ("wall", "bay", "rim", "slope"))
    length = wall + bay + plan.high + 1 + wall
    depth = plan.wide + 2 * sizes.one("beside")
    run = (depth - sizes.one("ridge")) / 2
    face = run / cos(radians(slope))
    corner = [length - wall - 1 - plan.high, (depth - plan.wide) / 2]
    top = wall + sizes.one("standoff") + BOARD_THICK
    parts = board(
        plan, bodies, Frame().move(corner[0] + plan.high, corner[1] + plan.wide, top).turn("z", -90)
    )
    display_x = corner[0] + plan.high / 2
    buttons = sizes.many("buttons_x")
    faces = {
        "Sun": Frame().move(0, 0, rim).turn("x", slope),
        "Moon": Frame().move(length, depth, rim).turn("z", 180).turn("x", slope),
    }
    for side, frame in faces.items():
        mirror = (lambda x: x) if side == "Sun" else (lambda x: length - x)
        button, lamp = buttons if side == "Sun" else reversed(buttons)
        for name, body, x, along in (
            ("claim button", "claim_button", button, "button_at"),
            ("lamp", "lamp_10", lamp, "button_at"),
            ("display", "display_242", display_x, "display_at"),
        ):
            parts.append(
                Lying(
                    f"{name} of {side}", bodies.part(body), frame.move(mirror(x), face * sizes.one(along), 0)
                )
            )
    holes = [plan.placed[ref] for ref in ("H1", "H2", "H3", "H4")]
    values = {
        "node_board": [plan.high, plan.wide],
        "node_corner": corner,
        "node_length": length,
        "node_depth": depth,
        "node_holes": [[plan.high - hole.y, plan.wide - hole.x] for hole in holes],
        "node_jacks": [plan.wide - plan.placed[ref].x + (12.1 - 3.2) / 2 for ref in ("J1", "J2")],
        "node_usb": plan.wide - plan.placed["U1"].x - 8.89,
        "node_display_x": display_x,
    }
    return Scene("node", tuple(parts), values)


def pause_box(bodies: Bodies, sizes: Sizes) -> Scene:
    """The button on top, the socket of the cable at the back, a steel plate in the floor."""
    side, top, high, plate = (sizes.one(name) for name in ("side", "top", "high", "plate"))
    lean = degrees(atan((side - top) / 2 / high))
    socket = sizes.one("socket_z")
    back = Frame().move(0, side / 2 - (socket - 0.1) * tan(radians(lean)) + 0.05, socket).turn("x", lean - 90)
    parts = (
        Lying("pause button", bodies.part("big_button"), Frame().move(0, 0, high)),
        Lying("M12 socket", bodies.part("m12_socket"), back),
        Lying("steel plate", bodies.part("steel_plate"), Frame().move(0, 0, plate - 1.5)),
        Lying("terminal block", bodies.part("terminal_block"), Frame().move(-30, -32, plate + 3.5)),
    )
    return Scene("pause_box", parts, {"pause_lean": round(lean, 4)})


def panel(plan: Board, bodies: Bodies, sizes: Sizes) -> Scene:
    """Pi, adapters and hub in front, the board behind them, sockets at the right, display in the lid."""
    wall, high = sizes.one("wall"), sizes.one("high")
    corner = sizes.many("board_at")
    width = corner[0] + plan.wide + sizes.one("right") + wall
    depth = corner[1] + plan.high + sizes.one("behind") + wall
    parts = board(
        plan, bodies,
        Frame().move(corner[0], corner[1] + plan.high, wall + sizes.one("standoff") + BOARD_THICK),
    )  # fmt: skip
    pi_x, pi_y = sizes.many("pi_at")
    pi = Frame().move(pi_x, pi_y, wall + sizes.one("pi_standoff"))
    parts += [Lying("Pi", bodies.part("pi"), pi), Lying("plugs of the Pi", bodies.part("pi_plugs"), pi)]
    adapters_x = width - wall - sizes.one("adapters_from_right")
    adapters = [[adapters_x, y, wall + layer * 19] for layer in (0, 1) for y in sizes.many("adapters_y")]
    for number, (x, y, z) in enumerate(adapters, 1):
        parts.append(Lying(f"adapter {number}", bodies.part("adapter"), Frame().move(x, y, z)))
    for name, body, at in (("hub", "hub", "hub_at"), ("clock", "clock", "clock_at")):
        x, y = sizes.many(at)
        parts.append(Lying(name, bodies.part(body), Frame().move(x, y, wall)))
    outside = Frame().move(width, 0, 0).turn("y", 90)
    sockets = (("Sun lamp", "outlet"), ("Moon lamp", "outlet"), ("buzzer", "outlet"), ("pause", "m12_socket"),
               ("24 V", "inlet"))  # fmt: skip
    for y, (name, body) in zip(sizes.many("sockets_y"), sockets, strict=True):
        frame = outside.move(-sizes.one("sockets_z"), y, 0)
        parts.append(Lying(f"socket {name}", bodies.part(body), frame))
    for name, body, at in (
        ("display", "display_13", "display_at"),
        ("shutdown button", "small_button", "shutdown_at"),
    ):
        x, y = sizes.many(at)
        parts.append(Lying(name, bodies.part(body), Frame().move(x, y, high)))
    holes = [plan.placed[ref] for ref in ("H1", "H2", "H3", "H4")]
    values: dict[str, float | list] = {
        "panel_board": [plan.wide, plan.high],
        "panel_width": width,
        "panel_depth": depth,
        "panel_holes": [[corner[0] + hole.x, corner[1] + plan.high - hole.y] for hole in holes],
        "panel_adapters": adapters,
    }
    return Scene("panel", tuple(parts), values)
