"""CLM: somebody walks along the rows and presses at each table, Sun's button first, then Moon's."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from pi_controller.language.words import words
from pi_controller.protocol.probes import IdentifyProbe, TablePress
from pi_controller.protocol.sentences import view
from pi_controller.selftest.checks.line import late_presses
from pi_controller.selftest.checks.looks import left_out, none_answers
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import LiveView, WalkBoard
from pi_controller.selftest.verdicts import (
    NONE,
    CheckOutcome,
    CheckRecord,
    below,
    exchange_boards,
    named,
    swap_sides,
)
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES, Side

WALK_S = 240
RENEWED_S = 120.0
"""A node walks for so long; it is told again before."""
SETTLE_S = 0.5
TURNED = Sentence("selftest.moon_was_heard_first")
"""Until every node has heard of it."""
MOST_PAIRS = 2
"""Exchanged pairs of one row that the order of presses is taken to show; with more the walk itself was
another."""


@dataclass(slots=True)
class WalkedBoard:
    """Of one board: when each button was first seen down and when its press was made, exactly (milliseconds
    of CLOCK_BOOTTIME), and how soon presses were acknowledged. `numbered`: its firmware numbers short
    presses; `single`: it may have one button.

    Who has pressed the wrong button first presses both once more: `newest_ms` is the newest whole pair."""

    board: str
    row: str
    numbered: bool
    single: bool = False
    seen_ms: dict[Side, float] = field(default_factory=dict)
    made_ms: dict[Side, float] = field(default_factory=dict)
    acknowledged_ms: dict[Side, float] = field(default_factory=dict)
    newest_ms: dict[Side, float] = field(default_factory=dict)
    _pair_ms: dict[Side, float] = field(default_factory=dict)

    def take(self, press: TablePress) -> None:
        """A press is told when it is seen, and once more, with its exact time, when it is acknowledged."""
        self.seen_ms.setdefault(press.side, press.at_ms)
        if press.acknowledged_ms is not None:
            self.made_ms.setdefault(press.side, press.at_ms)
            took = press.acknowledged_ms - press.at_ms
            self.acknowledged_ms[press.side] = max(took, self.acknowledged_ms.get(press.side, 0.0))
        if press.acknowledged_ms is not None or not self.numbered:
            self._pair_ms.setdefault(press.side, press.at_ms)
        if len(self._pair_ms) == len(SIDES):
            self.newest_ms, self._pair_ms = self._pair_ms, {}

    @property
    def first_ms(self) -> float | None:
        return min((self.made_ms or self.seen_ms).values(), default=None)

    @property
    def turned(self) -> bool:
        """Moon was pressed before Sun the last time, as far as that is known exactly."""
        return bool(self.newest_ms) and self.newest_ms["moon"] < self.newest_ms["sun"]

    def done(self, side: Side) -> bool:
        """Nothing more is expected of this button."""
        heard = self.acknowledged_ms if self.numbered else self.seen_ms
        return side in heard or (self.single and bool(heard))

    @property
    def silent(self) -> list[Side]:
        """Whose presses nobody heard."""
        return [side for side in SIDES if side not in self.seen_ms and not (self.single and self.seen_ms)]


class Walk:
    """The view of a walk, from `begun` on; a `Live`."""

    def __init__(self, hall: HallUnderTest) -> None:
        self._hall = hall
        self._renew_at = 0.0
        lacks = hall.lacks
        self.heard = {
            node.uid: WalkedBoard(
                board.name,
                row.name,
                numbered="tests" not in lacks[node.uid],
                single="supply" in lacks[node.uid],
            )
            for row, seats in hall.rows()
            for board, node in seats
        }
        self.strangers: set[str] = set()
        self.stuck = {
            (node.uid, side) for node in hall.nodes() for side in SIDES if getattr(node.stuck, side)
        }

    @classmethod
    async def begun(cls, hall: HallUnderTest) -> Self:
        await hall.look()
        walk = cls(hall)
        await walk._say_walk()
        await hall.pause(SETTLE_S)
        await hall.core.presses(0.0)  # what was pressed before does not count
        return walk

    def order(self, row: str | None = None) -> list[str]:
        """The row's boards, or those of all rows, in the order of their first presses."""
        firsts = [(one.first_ms, one.board) for one in self.heard.values() if row in (None, one.row)]
        return [board for at, board in sorted((at, board) for at, board in firsts if at is not None)]

    async def wait(self, seconds: float) -> LiveView:
        if self._hall.clock() >= self._renew_at:
            await self._say_walk()
        return await self.look(seconds)

    async def look(self, seconds: float) -> LiveView:
        """What was pressed up to now; waits so long for the first press."""
        for press in await self._hall.core.presses(seconds):
            one = self.heard.get(press.uid)
            if one is not None:
                one.take(press)
            elif press.board is None:
                self.strangers.add(press.uid)
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
                note=words(TURNED) if one.turned else "",
                note_key=view(TURNED) if one.turned else None,
            )
            for one in self.heard.values()
        )
        text = Sentence("selftest.buttons_of_all", done=done, count=len(expected))
        return LiveView(
            finished=0 < done == len(expected),
            text=words(text),
            text_key=view(text),
            done=done,
            of=len(expected),
            walk=boards,
        )

    async def _say_walk(self) -> None:
        self._renew_at = self._hall.clock() + RENEWED_S
        await self._hall.probe(IdentifyProbe(uid=None, what="walk", seconds=WALK_S))


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


SLOWEST_MS = 500.0
SIMULATED_TIMES = 5.0


async def clm(hall: HallUnderTest) -> CheckOutcome:
    """Every button is heard and acknowledged in time; first presses tell sides, their order tells places."""
    if not hall.nodes():
        return none_answers(hall)
    record = CheckRecord()
    left_out(record, hall)
    walk = await Walk.begun(hall)
    try:
        await hall.ask(
            Sentence("selftest.walk_along_the_rows"),
            picture="walk",
            answers=("done",),
            live=walk,
            kind="walk",
        )
        await walk.look(0.0)
    finally:
        await hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    _judge(record, hall, walk)
    return record.outcome(Sentence("selftest.every_claim_button_was_heard"))


def _judge(record: CheckRecord, hall: HallUnderTest, walk: Walk) -> None:
    heard = walk.heard
    wanted = 2 * len(heard)
    buttons = wanted - sum(len(one.silent) for one in heard.values())
    record.value(Sentence("selftest.buttons_heard"), buttons, limit=str(wanted), ok=buttons == wanted)
    times = [ms for one in heard.values() for ms in one.acknowledged_ms.values()]
    most = SLOWEST_MS * hall.times(SIMULATED_TIMES)
    slowest, limit = max(times, default=None), below(most)
    quick = slowest is None or limit.keeps(slowest)
    name = Sentence("selftest.press_to_acknowledgement_slowest")
    record.value(name, slowest, "ms", limit=limit.text, ok=quick)
    _order(record, hall, walk)
    _stuck(record, walk)
    _buttons(record, hall, walk)
    for uid, one in heard.items():
        if one.acknowledged_ms:
            hall.measured.acknowledged_ms[uid] = max(one.acknowledged_ms.values())
        unanswered = one.numbered and set(one.seen_ms) - set(one.acknowledged_ms)
        if unanswered or any(ms >= most for ms in one.acknowledged_ms.values()):
            hall.measured.late.add(uid)
    if "LAT" not in hall.codes:
        late_presses(record, hall)
    _sides(record, heard)


def _stuck(record: CheckRecord, walk: Walk) -> None:
    for uid, side in sorted(walk.stuck):
        if uid in walk.heard:
            board = walk.heard[uid].board
            button = _button([side], board)
            told = Sentence("selftest.something_holds_down_free", button=button)
            record.fault(button, told, where=board)


def _buttons(record: CheckRecord, hall: HallUnderTest, walk: Walk) -> None:
    """Buttons that nobody heard; a board where neither was is told once, and of nodes without a board CEN
    tells, where it runs."""
    for uid, one in walk.heard.items():
        silent = [side for side in one.silent if (uid, side) not in walk.stuck]
        hall.measured.mute_buttons |= {(uid, side) for side in silent}
        if silent:
            button = _button(silent, one.board)
            told = Sentence("selftest.nothing_was_heard_of_press_again", button=button)
            record.fault(button, told, where=one.board)
    if walk.strangers and "CEN" not in hall.codes:
        names = named(sorted(walk.strangers))
        told = Sentence("selftest.buttons_of_nodes_without_a_board", names=names)
        record.fault(Sentence("selftest.roster"), told)


def _button(sides: Sequence[Side], board: str) -> Sentence:
    """One, or both."""
    if len(sides) > 1:
        return Sentence("selftest.both_claim_buttons", board=board)
    if sides[0] == "sun":
        return Sentence("selftest.sun_claim_button", board=board)
    return Sentence("selftest.moon_claim_button", board=board)


def _sides(record: CheckRecord, heard: dict[str, WalkedBoard]) -> None:
    """Sun's button is pressed first: where Moon was heard first, the node stands the other way round."""
    turned = [one for one in heard.values() if one.turned]
    record.figure(Sentence("selftest.tables_with_sun_and_moon_exchanged"), len(turned), "", NONE)
    for one in turned:
        told = Sentence("selftest.at_board_moons_button_was_heard", board=one.board)
        record.fault_of_node(one.board, told, fix=swap_sides(one.board))


def _order(record: CheckRecord, hall: HallUnderTest, walk: Walk) -> None:
    """Each row by itself, since several people may walk; where that explains nothing, the hall as a whole."""
    rows = {row.name: [board.name for board, _node in seats] for row, seats in hall.rows()}
    pressed = {row: walk.order(row) for row in rows}
    pairs = {row: exchanged(expected, pressed[row]) for row, expected in rows.items()}
    whole = exchanged([board for expected in rows.values() for board in expected], walk.order())
    for row, found in pairs.items():
        listing = named(pressed[row], 40) if pressed[row] else ""
        limit = Sentence("selftest.rosters_or_its_reverse")
        record.value(Sentence("selftest.order_in_row", row=row), listing, limit=limit, ok=found == ())
    if whole and None in pairs.values():
        _exchanged(record, walk, whole)
        return
    for row, found in pairs.items():
        _exchanged(record, walk, found or ())
        if found is None:
            names = named(pressed[row], 12)
            told = Sentence("selftest.row_was_pressed_in_the_order", row=row, names=names)
            part = Sentence("selftest.roster_or_the_walk")
            record.fault(part, told, where=row, severity="warning")


def _exchanged(record: CheckRecord, walk: Walk, pairs: tuple[tuple[str, str], ...]) -> None:
    """What is told of one of them later is told of the place where it stands."""
    for first, second in pairs:
        part = Sentence("selftest.nodes_of_boards", first=first, second=second)
        told = Sentence("selftest.boards_and_were_pressed_in_each", first=first, second=second)
        record.fault(part, told, where=first, fix=exchange_boards(first, second))
        for one in walk.heard.values():
            one.board = {first: second, second: first}.get(one.board, one.board)
