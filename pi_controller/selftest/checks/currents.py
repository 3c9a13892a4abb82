"""What a node's lamps and displays take, one after the other; judged by limits that follow from the parts
(hardware/spice/node_lamps.cir, node_display_sense.cir)."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pi_controller.bus.values import DARK_MOON, DARK_SUN, HALF_CONTRAST, PATTERNS, NodeView
from pi_controller.game.rule_sets import SIDE_NAMES
from pi_controller.protocol.probes import IdentifyProbe
from pi_controller.selftest.checks.measuring import able, measured
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Record
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES, Side

SHOWN_S = 30
LAMP_PORTS = ("J7", "J8", "J5", "J6")
DISPLAY_PORTS = ("J3", "J4")
"""Of the node's board; a node that stands the other way round has them exchanged."""
SETTLE_S = 0.5
"""An order is said three times, 60 ms apart, and a lamp turns 0.17 s later at most."""
ALL_LIT = 0b1111
LAMP_MA = ((5.0, 25.0), (5.0, 25.0), (3.0, 45.0), (3.0, 45.0))
"""Of Sun, Moon and their buttons. LEDs behind 150 Ohm take 8 to 21 mA and, shorted, 28 to 33; lamps of 5 V
in buttons 4.8 to 36 and, shorted, more than 350."""
DARK_MA = 6.0
"""Of all four lamps when they are dark: the converter's zero is wrong by 3.7 mA at most."""
BLACK_MA = 150.0
"""Of both displays when they are black: a short takes all that the regulator gives."""
LEAST_DISPLAY_MA = 3.0
"""That a display takes more when it is white at half contrast; the smallest takes 8."""
LEAST_SHARE = 0.3
"""Of what the displays of the hall usually take more: below that it is dead or lacks most of its picture."""
WHITE = PATTERNS.index("white") | HALF_CONTRAST
BLACK = PATTERNS.index("black") | HALF_CONTRAST


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamps:
    """Of one node, in mA: with all dark, with all lit, and what each of the four takes."""

    dark: float
    all_lit: float
    each: tuple[float, ...]

    @property
    def silent(self) -> list[int]:
        return [at for at, taken in enumerate(self.each) if taken < LAMP_MA[at][0]]

    @property
    def shorted(self) -> list[int]:
        return [at for at, taken in enumerate(self.each) if taken > LAMP_MA[at][1]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Displays:
    """Of one node, in mA: with both black, and what each takes more when it is white at half contrast."""

    black: float
    white: dict[Side, float]


def lamps_of(hall: HallUnderTest, nodes: Sequence[NodeView]) -> dict[str, Lamps]:
    """By unique id, of those of these nodes that measure them. Each lamp is what all take without it less: a
    reading near zero would be cut off there."""
    dark = _lamps(hall, nodes, 0) if able(nodes) else {}
    if not dark:
        return {}
    lit = _lamps(hall, nodes, ALL_LIT)
    without = [_lamps(hall, nodes, ALL_LIT ^ 1 << at) for at in range(4)]
    steps = [lit, *without]
    return {
        uid: Lamps(dark=dark[uid], all_lit=lit[uid], each=tuple(lit[uid] - one[uid] for one in without))
        for uid in dark
        if all(uid in step for step in steps)
    }


def displays_of(hall: HallUnderTest, nodes: Sequence[NodeView]) -> dict[str, Displays]:
    """By unique id, of those of these nodes that measure them; each display as each lamp."""
    black = _displays(hall, nodes, BLACK) if able(nodes) else {}
    if not black:
        return {}
    steps = [_displays(hall, nodes, number) for number in (WHITE, WHITE | DARK_SUN, WHITE | DARK_MOON)]
    white, *without = steps
    return {
        uid: Displays(
            black=black[uid],
            white={side: white[uid] - one[uid] for side, one in zip(SIDES, without, strict=True)},
        )
        for uid in black
        if all(uid in step for step in steps)
    }


def _lamps(hall: HallUnderTest, nodes: Sequence[NodeView], number: int) -> dict[str, float]:
    hall.probe(IdentifyProbe(uid=None, what="lamps", seconds=SHOWN_S, number=number))
    hall.pause(SETTLE_S)
    found = measured(hall, nodes)
    return {uid: one.lamps_ma for uid, one in found.items() if one.lamps_ma is not None}


def _displays(hall: HallUnderTest, nodes: Sequence[NodeView], number: int) -> dict[str, float]:
    """Told to all at once where all of the hall know the number: an older node would light all its pixels."""
    there = [node for node in hall.snapshot.nodes if node.state != "lost"]
    everybody = len(able(there)) == len(there)
    for uid in [None] if everybody else [node.uid for node in able(nodes)]:
        hall.probe(IdentifyProbe(uid=uid, what="pattern", seconds=SHOWN_S, number=number))
    hall.pause(SETTLE_S)
    found = measured(hall, nodes)
    return {uid: one.displays_ma for uid, one in found.items() if one.displays_ma is not None}


def judge_lamps(record: Record, node: NodeView, found: Lamps, *, board: str) -> None:
    """Of one node: each lamp takes its current when it is lit, and none when it is dark."""
    ok = not (found.silent or found.shorted or found.dark > DARK_MA)
    record.value(
        Sentence("selftest.current_of_the_lamps_of", board=board),
        found.all_lit - found.dark,
        "mA",
        limit=Sentence("selftest.lamps_take_their_currents"),
        ok=ok,
    )
    burns = found.dark > DARK_MA
    for at in found.silent:
        seat, lamp, port = _lamp(board, node, at)
        if burns:
            part = Sentence("selftest.lamp_drivers", seat=seat)
            told = Sentence("selftest.lamp_takes_current_when_dark", lamp=lamp, seat=seat, current=found.dark)
        else:
            part = Sentence("selftest.lamps_of", seat=seat)
            told = Sentence(
                "selftest.lamp_takes_no_current", lamp=lamp, seat=seat, port=port, current=found.each[at]
            )
        record.fault(part, told, where=board)
    for at in found.shorted:
        seat, lamp, port = _lamp(board, node, at)
        too_much = Sentence(
            "selftest.lamp_takes_too_much", lamp=lamp, seat=seat, port=port, current=found.each[at]
        )
        record.fault(Sentence("selftest.lamps_of", seat=seat), too_much, where=board)
    if burns and not found.silent:
        told = Sentence("selftest.current_with_all_lamps_dark", board=board, current=found.dark)
        record.fault(Sentence("selftest.node_of_board", board=board), told, where=board)


def _lamp(board: str, node: NodeView, at: int) -> tuple[Sentence, Sentence, str]:
    """Where this one is, what it is, and its plug."""
    seat = Sentence("selftest.side_of_board", board=board, side=SIDE_NAMES[SIDES[at % 2]])
    lamp = Sentence("selftest.lamp_of_the_claim_button") if at > 1 else Sentence("selftest.side_lamp")
    return seat, lamp, LAMP_PORTS[at ^ node.swapped]


def judge_displays(
    record: Record, node: NodeView, found: Displays, *, board: str, usual_ma: float
) -> Sequence[Side]:
    """Of one node: each display takes more when it is white; `usual_ma` as most of the hall. The sides of
    those that do not."""
    least = max(LEAST_DISPLAY_MA, LEAST_SHARE * usual_ma)
    shorted = found.black > BLACK_MA
    missing = [side for side, taken in found.white.items() if taken < least]
    record.value(
        Sentence("selftest.current_of_the_displays_of", board=board),
        Sentence("list.sentences", sentences=tuple(map(_figure, found.white.values()))),
        "mA",
        limit=Sentence("selftest.more_than_each", least=least),
        ok=not (shorted or missing),
    )
    if shorted:
        record.fault(
            Sentence("selftest.displays_of_board", board=board),
            Sentence("selftest.displays_are_shorted", board=board, current=found.black),
            where=board,
        )
        return SIDES
    for side in missing:
        seat = Sentence("selftest.side_of_board", board=board, side=SIDE_NAMES[side])
        told = Sentence(
            "selftest.display_takes_no_current",
            seat=seat,
            port=DISPLAY_PORTS[SIDES.index(side) ^ node.swapped],
            current=found.white[side],
            usual=usual_ma,
        )
        record.fault(Sentence("selftest.display_of", seat=seat), told, where=board)
    return missing


def _figure(taken: float) -> Sentence:
    return Sentence("tables.one_decimal", value=taken)


def usual_display_ma(found: dict[str, Displays]) -> float:
    """That a white display takes more: the displays of one hall are of one kind."""
    return median([taken for one in found.values() for taken in one.white.values()] or [0.0])
