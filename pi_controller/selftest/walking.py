"""Listens while somebody walks along the rows and presses."""

from dataclasses import dataclass, field

from pi_controller.control.tables import NodeView
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.operator import LiveView, WalkBoard

SLOWEST_MS = 500.0
WALK_S = 240
RENEWED_S = 120.0
"""A node walks for so long; it is told again before."""
MOST_PAIRS = 2
"""Exchanged pairs of one row that the order of presses is taken to show; with more the walk itself was another."""


@dataclass(slots=True)
class Heard:
    """Of one board: when each button was first heard (its number in the whole walk), and how soon each press was
    acknowledged."""

    board: str
    row: str
    sun: int | None = None
    moon: int | None = None
    acknowledged_ms: list[float] = field(default_factory=list)
    unanswered: bool = False


class Walk:
    """The view of a walk, from its making on; a `Live`."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._presses = 0
        self._renew_at = 0.0
        self.heard = {
            node.uid: Heard(board.name, row.name) for row, seats in hall.rows() for board, node in seats
        }
        self.strangers: set[str] = set()
        self.stuck = [
            (node, side) for node in hall.nodes() for side in ("sun", "moon") if getattr(node.stuck, side)
        ]
        self._say_walk()
        hall.probes.presses(0.0)  # what was pressed before does not count

    @property
    def boards(self) -> list[str]:
        return [one.board for one in self.heard.values()]

    def order(self, row: str) -> list[str]:
        """The row's boards in the order of their first presses."""
        firsts = [
            (min(number for number in (one.sun, one.moon) if number is not None), one.board)
            for one in self.heard.values()
            if one.row == row and (one.sun is not None or one.moon is not None)
        ]
        return [board for _number, board in sorted(firsts)]

    def wait(self, seconds: float) -> LiveView:
        if self._hall.seconds.clock() >= self._renew_at:
            self._say_walk()
        return self.look(seconds)

    def look(self, seconds: float) -> LiveView:
        """What was pressed up to now; waits so long for the first press."""
        for press in self._hall.probes.presses(seconds):
            self._presses += 1
            one = self.heard.get(press.uid)
            if one is None:
                self.strangers.add(press.uid)
                continue
            if getattr(one, press.side) is None:
                setattr(one, press.side, self._presses)
            if press.acknowledged_ms is not None:
                one.acknowledged_ms.append(press.acknowledged_ms - press.at_ms)
        return self._view()

    def _view(self) -> LiveView:
        boards = tuple(
            WalkBoard(
                board=one.board,
                row=one.row,
                sun=one.sun is not None,
                moon=one.moon is not None,
                note="Moon was heard first"
                if one.moon is not None and (one.sun or self._presses + 1) > one.moon
                else "",
            )
            for one in self.heard.values()
        )
        done = sum(one.sun + one.moon for one in boards)
        held = {node.uid for node, _side in self.stuck}
        wanted = 2 * len(boards) - sum(uid in held for uid in self.heard)
        return LiveView(
            finished=done >= wanted and done > 0,
            text=f"{done} of {wanted} buttons",
            done=done,
            of=wanted,
            walk=boards,
        )

    def _say_walk(self) -> None:
        self._renew_at = self._hall.seconds.clock() + RENEWED_S
        self._hall.probes.identify(None, what="walk", seconds=WALK_S)


def exchanged(expected: list[str], pressed: list[str]) -> tuple[tuple[str, str], ...] | None:
    """The pairs of boards that stand in each other's place, from the order in which a row was pressed, in either
    direction; () when all is in order, None when a few exchanged pairs do not explain it. Boards that were not
    pressed at all do not count."""
    wanted = [board for board in expected if board in pressed]
    for order in (wanted, wanted[::-1]):
        pairs = _pairs(order, pressed)
        if pairs is not None:
            return pairs
    return None


def _pairs(order: list[str], pressed: list[str]) -> tuple[tuple[str, str], ...] | None:
    places = {board: place for place, board in enumerate(pressed)}
    odd = [place for place, board in enumerate(order) if pressed[place] != board]
    pairs = {tuple(sorted((order[place], pressed[place]), key=order.index)) for place in odd}
    mutual = all(places[order[place]] == order.index(pressed[place]) for place in odd)
    if not mutual or len(pairs) > MOST_PAIRS:
        return None
    return tuple(sorted(((first, second) for first, second in pairs), key=lambda pair: order.index(pair[0])))
