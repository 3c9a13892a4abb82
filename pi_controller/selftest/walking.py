"""Listens while somebody walks along the rows and presses."""

from collections import Counter
from dataclasses import dataclass, field

from pi_controller.protocol.probe_results import TablePress
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.operator import LiveView, WalkBoard
from pi_controller.vocabulary import SIDES, Side

WALK_S = 240
RENEWED_S = 120.0
"""A node walks for so long; it is told again before."""
SETTLE_S = 0.5
"""Until every node has heard of it."""
MOST_PAIRS = 2
"""Exchanged pairs of one row that the order of presses is taken to show; with more the walk itself was
another."""


@dataclass(slots=True)
class Heard:
    """Of one board: when each button was first seen down and when its press was made, exactly (milliseconds
    of CLOCK_BOOTTIME), and how soon presses were acknowledged. `numbered`: its firmware numbers short
    presses."""

    board: str
    row: str
    numbered: bool
    seen_ms: dict[Side, float] = field(default_factory=dict)
    made_ms: dict[Side, float] = field(default_factory=dict)
    acknowledged_ms: dict[Side, float] = field(default_factory=dict)

    def take(self, press: TablePress) -> None:
        """A press is told when it is seen, and once more, with its exact time, when it is acknowledged."""
        self.seen_ms.setdefault(press.side, press.at_ms)
        if press.acknowledged_ms is not None:
            self.made_ms.setdefault(press.side, press.at_ms)
            took = press.acknowledged_ms - press.at_ms
            self.acknowledged_ms[press.side] = max(took, self.acknowledged_ms.get(press.side, 0.0))

    @property
    def first_ms(self) -> float | None:
        return min((self.made_ms or self.seen_ms).values(), default=None)

    @property
    def turned(self) -> bool:
        """Moon was pressed before Sun, as far as that is known exactly."""
        times = self.made_ms if self.numbered else self.seen_ms
        return len(times) == len(SIDES) and times["moon"] < times["sun"]

    def done(self, side: Side) -> bool:
        """Nothing more is expected of this button."""
        return side in (self.acknowledged_ms if self.numbered else self.seen_ms)


class Walk:
    """The view of a walk, from its making on; a `Live`."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._renew_at = 0.0
        hall.look()
        usual = Counter(node.firmware for node in hall.nodes()).most_common(1)[0][0]
        self.heard = {
            node.uid: Heard(board.name, row.name, numbered=node.firmware == usual)
            for row, seats in hall.rows()
            for board, node in seats
        }
        self.strangers: set[str] = set()
        self.stuck = {
            (node.uid, side) for node in hall.nodes() for side in SIDES if getattr(node.stuck, side)
        }
        self._say_walk()
        hall.pause(SETTLE_S)
        hall.probes.presses(0.0)  # what was pressed before does not count

    def order(self, row: str | None = None) -> list[str]:
        """The row's boards, or those of all rows, in the order of their first presses."""
        firsts = [(one.first_ms, one.board) for one in self.heard.values() if row in (None, one.row)]
        return [board for at, board in sorted((at, board) for at, board in firsts if at is not None)]

    def wait(self, seconds: float) -> LiveView:
        if self._hall.seconds.clock() >= self._renew_at:
            self._say_walk()
        return self.look(seconds)

    def look(self, seconds: float) -> LiveView:
        """What was pressed up to now; waits so long for the first press."""
        for press in self._hall.probes.presses(seconds):
            one = self.heard.get(press.uid)
            if one is None:
                self.strangers.add(press.uid)
            else:
                one.take(press)
        return self._view()

    def _view(self) -> LiveView:
        expected = [
            (one, side) for uid, one in self.heard.items() for side in SIDES if (uid, side) not in self.stuck
        ]
        done = sum(one.done(side) for one, side in expected)
        boards = tuple(
            WalkBoard(
                board=one.board,
                row=one.row,
                sun=one.done("sun"),
                moon=one.done("moon"),
                note="Moon was heard first" if one.turned else "",
            )
            for one in self.heard.values()
        )
        return LiveView(
            finished=0 < done == len(expected),
            text=f"{done} of {len(expected)} buttons",
            done=done,
            of=len(expected),
            walk=boards,
        )

    def _say_walk(self) -> None:
        self._renew_at = self._hall.seconds.clock() + RENEWED_S
        self._hall.probes.identify(None, what="walk", seconds=WALK_S)


def exchanged(expected: list[str], pressed: list[str]) -> tuple[tuple[str, str], ...] | None:
    """The pairs of boards that stand in each other's place, from the order in which a row was pressed, in
    either direction; () when all is in order, None when a few exchanged pairs do not explain it. Boards that
    were not pressed at all do not count."""
    wanted = [board for board in expected if board in pressed]
    found = [pairs for order in (wanted, wanted[::-1]) if (pairs := _pairs(order, pressed)) is not None]
    return min(found, key=len, default=None)


def _pairs(order: list[str], pressed: list[str]) -> tuple[tuple[str, str], ...] | None:
    places = {board: place for place, board in enumerate(order)}
    pairs = []
    for place, (board, other) in enumerate(zip(order, pressed, strict=True)):
        if board == other:
            continue
        if pressed[places[other]] != board:
            return None
        if places[other] > place:
            pairs.append((board, other))
    return tuple(pairs) if len(pairs) <= MOST_PAIRS else None
