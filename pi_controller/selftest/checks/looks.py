"""LED and OLD: the lamps of the tables, and all displays, by their currents and one look at the hall."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from pi_controller.bus.values import DARK_MOON, DARK_SUN, HALF_CONTRAST, PATTERNS, NodeView
from pi_controller.game.rule_sets import SIDE_NAMES
from pi_controller.protocol.probes import DisplayProbe, IdentifyProbe, Pattern
from pi_controller.selftest.checks.rows import able, measured
from pi_controller.selftest.hall import NO_TABLES, HallUnderTest
from pi_controller.selftest.operator import names_in
from pi_controller.selftest.verdicts import (
    NONE,
    SEEN,
    CheckOutcome,
    CheckRecord,
    named,
    not_fitted,
    said,
    swap_sides,
)
from pi_controller.sentence import Sentence, listed
from pi_controller.vocabulary import SIDES, Side

# What lamps and displays take, one after the other; the limits follow from the parts
# (hardware/spice/node_lamps.cir, node_display_sense.cir).


MEASURED_S = 30
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


async def lamps_of(hall: HallUnderTest, nodes: Sequence[NodeView]) -> dict[str, Lamps]:
    """By unique id, of those of these nodes that measure them. Each lamp is what all take without it less: a
    reading near zero would be cut off there."""
    dark = await _lamps(hall, nodes, 0) if able(nodes) else {}
    if not dark:
        return {}
    lit = await _lamps(hall, nodes, ALL_LIT)
    without = [await _lamps(hall, nodes, ALL_LIT ^ 1 << at) for at in range(4)]
    steps = [lit, *without]
    return {
        uid: Lamps(dark=dark[uid], all_lit=lit[uid], each=tuple(lit[uid] - one[uid] for one in without))
        for uid in dark
        if all(uid in step for step in steps)
    }


async def displays_of(hall: HallUnderTest, nodes: Sequence[NodeView]) -> dict[str, Displays]:
    """By unique id, of those of these nodes that measure them; each display as each lamp."""
    black = await _displays(hall, nodes, BLACK) if able(nodes) else {}
    if not black:
        return {}
    steps = [await _displays(hall, nodes, number) for number in (WHITE, WHITE | DARK_SUN, WHITE | DARK_MOON)]
    white, *without = steps
    return {
        uid: Displays(
            black=black[uid],
            white={side: white[uid] - one[uid] for side, one in zip(SIDES, without, strict=True)},
        )
        for uid in black
        if all(uid in step for step in steps)
    }


async def _lamps(hall: HallUnderTest, nodes: Sequence[NodeView], number: int) -> dict[str, float]:
    await hall.probe(IdentifyProbe(uid=None, what="lamps", seconds=MEASURED_S, number=number))
    await hall.pause(SETTLE_S)
    found = await measured(hall, nodes)
    return {uid: one.lamps_ma for uid, one in found.items() if one.lamps_ma is not None}


async def _displays(hall: HallUnderTest, nodes: Sequence[NodeView], number: int) -> dict[str, float]:
    """Told to all at once where all of the hall know the number: an older node would light all its pixels."""
    there = [node for node in hall.snapshot.nodes if node.state != "lost"]
    everybody = len(able(there)) == len(there)
    for uid in [None] if everybody else [node.uid for node in able(nodes)]:
        await hall.probe(IdentifyProbe(uid=uid, what="pattern", seconds=MEASURED_S, number=number))
    await hall.pause(SETTLE_S)
    found = await measured(hall, nodes)
    return {uid: one.displays_ma for uid, one in found.items() if one.displays_ma is not None}


def judge_lamps(
    record: CheckRecord, node: NodeView, found: Lamps, *, board: str, known: Collection[int] = ()
) -> None:
    """Of one node: each lamp takes its current when it is lit, and none when it is dark. What all four do has
    one cause; nothing is said of the `known` ones that take none."""
    ok = not (found.silent or found.shorted or found.dark > DARK_MA)
    record.value(
        Sentence("selftest.current_of_the_lamps_of", board=board),
        found.all_lit - found.dark,
        "mA",
        limit=Sentence("selftest.lamps_take_their_currents"),
        ok=ok,
    )
    burns = found.dark > DARK_MA
    if len(found.silent) == len(LAMP_MA) and not burns:
        record.fault_of_node(board, Sentence("selftest.no_lamp_takes_current", board=board))
        return
    for at in found.silent:
        if at in known:
            continue
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
    record: CheckRecord, node: NodeView, found: Displays, *, board: str, usual_ma: float
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
    if len(missing) == len(SIDES):
        _both_displays(record, board)
        return missing
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


def _both_displays(record: CheckRecord, board: str) -> None:
    told = Sentence("selftest.both_displays_are_dead", board=board)
    record.fault(Sentence("selftest.displays_of_board", board=board), told, where=board)


def _figure(taken: float) -> Sentence:
    return Sentence("tables.one_decimal", value=taken)


def usual_display_ma(found: dict[str, Displays]) -> float:
    """That a white display takes more: the displays of one hall are of one kind."""
    return median([taken for one in found.values() for taken in one.white.values()] or [0.0])


# The checks.


SHOWN_S = 120
"""Longer than anybody looks; taken away as soon as the answer is there."""
SUN_LIT = 0b0001
WORDS = {
    "white": Sentence("selftest.all_white"),
    "black": Sentence("selftest.all_black"),
    "checker": Sentence("selftest.chequerboard"),
    "border": Sentence("selftest.thin_frame"),
    "digits": Sentence("selftest.digits_without_gaps"),
}
PATTERNS_FOR_ALL: tuple[Pattern, ...] = ("border",)
PATTERNS_FOR_UNFELT: tuple[Pattern, ...] = ("checker",)
"""Half of the pixels: a row of white displays at full contrast would be too much for its fuse."""
PANEL = "panel"
UNNAMED = "a-table-that-was-not-named"


async def led(hall: HallUnderTest) -> CheckOutcome:
    """All lamps of all tables by the currents that the nodes measure; then the Sun lamps alone, since no
    current tells a colour. Nodes that do not measure are looked at with all lamps lit, and with none."""
    nodes = hall.nodes()
    if not nodes:
        return none_answers(hall)
    record = CheckRecord()
    left_out(record, hall)
    try:
        felt = await lamps_of(hall, nodes)
        hall.measured.lamps_ma = {uid: found.all_lit - found.dark for uid, found in felt.items()}
        for node in nodes:
            if node.uid in felt:
                # CLM tells of a button without its plug, where its lamp hangs too.
                known = {2 + SIDES.index(side) for uid, side in hall.measured.mute_buttons if uid == node.uid}
                judge_lamps(record, node, felt[node.uid], board=hall.where(node.uid), known=known)
        unfelt = [node for node in nodes if node.uid not in felt]
        tables, names = _called(hall, unfelt), seats(hall, unfelt)
        if unfelt:
            await _light(hall, ALL_LIT)
            _dark(
                record, names, await _told(hall, Sentence("selftest.are_all_lamps_lit", tables=tables), names)
            )
        await _light(hall, SUN_LIT)
        sun = Sentence("selftest.do_only_the_sun_lamps_burn", tables=all_tables(hall))
        crossed = await _told(hall, sun, [hall.where(node.uid) for node in nodes])
        turned = {fix.board for fix in hall.left if fix.do == "swap_sides"}
        _sides(record, [board for board in crossed if board not in turned])
        if unfelt:
            await _light(hall, 0)
            _burning(record, await _told(hall, Sentence("selftest.are_all_lamps_dark", tables=tables), names))
    finally:
        await hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    return record.outcome(Sentence("selftest.all_lamps_light_up_and_go_out", count=len(nodes)))


async def old(hall: HallUnderTest) -> CheckOutcome:
    """All displays of the tables by the currents that the nodes measure; then one picture on them and on the
    panel's, since no current tells a picture. Nodes that do not measure are shown one more: on them a missing
    display is looked for."""
    nodes = hall.nodes()
    if not nodes and hall.fitted.display is None:
        return not_fitted(Sentence("selftest.there_are_no_displays_none"))
    record = CheckRecord()
    left_out(record, hall)
    _silent_displays(record, hall, nodes)
    panel = hall.fitted.display is not None and await _panel_draws(record, hall)
    answering = [node for node in nodes if node.displays.sun and node.displays.moon]
    told: dict[str, list[Pattern]] = {}
    try:
        felt = await displays_of(hall, answering)
        dead = _judge_displays(record, hall, answering, felt)
        unfelt = [node for node in answering if node.uid not in felt]
        for pattern in _patterns(hall, unfelt):
            looked_at = answering if pattern in PATTERNS_FOR_ALL or hall.level == "bench" else unfelt
            for seat in await _look_at(hall, pattern, panel=panel, nodes=looked_at):
                told.setdefault(seat, []).append(pattern)
    finally:
        if panel:
            await hall.probe(DisplayProbe(pattern="none"))
        await hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    for board in _whole_boards([seat for seat in told if seat not in dead]):
        dead |= {f"{board}-{side}" for side in SIDES}
        _both_displays(record, board)
    for seat, patterns in told.items():
        if seat not in dead:
            _display(record, seat, patterns)
    return record.outcome(Sentence("selftest.all_displays_show_whole_pictures"))


def _judge_displays(
    record: CheckRecord, hall: HallUnderTest, nodes: Sequence[NodeView], felt: dict[str, Displays]
) -> set[str]:
    """The places of displays that are surely missing or dead."""
    usual_ma = usual_display_ma(felt)
    hall.measured.displays_ma = {uid: found.white for uid, found in felt.items()}
    dead = set()
    for node in nodes:
        if node.uid in felt:
            board = hall.where(node.uid)
            sides = judge_displays(record, node, felt[node.uid], board=board, usual_ma=usual_ma)
            dead |= {f"{board}-{side}" for side in sides}
    return dead


def _patterns(hall: HallUnderTest, unfelt: Sequence[NodeView]) -> tuple[Pattern, ...]:
    if hall.level == "bench":
        return PATTERNS
    return (*PATTERNS_FOR_UNFELT, *PATTERNS_FOR_ALL) if unfelt else PATTERNS_FOR_ALL


def seats(hall: HallUnderTest, nodes: Sequence[NodeView]) -> list[str]:
    """Each side of each table, such as A5-sun."""
    return [f"{hall.where(node.uid)}-{side}" for node in nodes for side in SIDES]


async def _light(hall: HallUnderTest, lamps: int) -> None:
    await hall.probe(IdentifyProbe(uid=None, what="lamps", seconds=SHOWN_S, number=lamps))


def none_answers(hall: HallUnderTest) -> CheckOutcome:
    """Nothing to be tested where no table is wanted; otherwise each board of the roster is told."""
    record = CheckRecord()
    left_out(record, hall)
    return record.outcome(NO_TABLES) if record.findings else not_fitted(hall.no_tables())


def left_out(record: CheckRecord, hall: HallUnderTest) -> None:
    """Boards that this check says nothing about: what was not tested has not passed. The census tells them
    itself, where it is taken."""
    for board in [] if "CEN" in hall.codes else _silent(hall):
        told = Sentence("selftest.board_does_not_answer_and_was_not", board=board)
        record.fault_of_node(board, told, severity="warning")


def _silent(hall: HallUnderTest) -> list[str]:
    """On the bench one node is tested, wherever it belongs."""
    return [] if hall.level == "bench" else hall.silent()


def all_tables(hall: HallUnderTest) -> Sentence:
    """But for the boards that cannot be looked at, as it stands in a question."""
    others = [hall.where(node.uid) for node in hall.chosen() if hall.lacking(node.uid)]
    if out := _silent(hall) + others:
        return Sentence("selftest.all_tables_but", names=named(out))
    return Sentence("selftest.all_tables")


def _called(hall: HallUnderTest, nodes: Sequence[NodeView]) -> Sentence:
    """These tables, as they stand in a question."""
    if len(nodes) == len(hall.nodes()) or not nodes:
        return all_tables(hall)
    return named([hall.where(node.uid) for node in nodes])


async def _told(hall: HallUnderTest, text: Sentence, names: Sequence[str]) -> list[str]:
    """What the operator names as wrong; UNNAMED when something is, and nobody says what."""
    reply = await hall.ask(text, picture="tables", names=names)
    return [] if reply.answer == "saw" else names_in(reply.reason) or [UNNAMED]


def _dark(record: CheckRecord, names: list[str], dark: list[str]) -> None:
    lit, limit = len(names) - len(dark), str(len(names))
    record.value(Sentence("selftest.sides_with_all_their_lamps"), lit, limit=limit, ok=not dark)
    whole = _whole_boards(dark)
    for board in whole:
        record.fault_of_node(board, Sentence("selftest.lamps_stay_dark_on_both_sides", board=board))
    for seat in [seat for seat in dark if _board(seat) not in whole]:
        place = _place(seat)
        told = Sentence("selftest.lamp_at_stays_dark_look", seat=place)
        record.fault(Sentence("selftest.lamps_of", seat=place), told, where=_board(seat))


def _whole_boards(seats_named: Sequence[str]) -> list[str]:
    """The boards of which both sides are among these: that has one cause."""
    return [board for board, count in Counter(map(_board, seats_named)).items() if count == len(SIDES)]


def _sides(record: CheckRecord, crossed: list[str]) -> None:
    record.figure(Sentence("selftest.tables_with_the_sun_lamp_elsewhere"), len(crossed), "", NONE)
    for board in crossed:
        fix = None if board == UNNAMED else swap_sides(board)
        record.fault_of_node(board, Sentence("selftest.sun_lamp_of_board_burns", board=board), fix=fix)


def _burning(record: CheckRecord, burning: list[str]) -> None:
    record.figure(Sentence("selftest.sides_with_a_lamp_that_does"), len(burning), "", NONE)
    for seat in burning:
        place = _place(seat)
        told = Sentence("selftest.lamp_at_never_goes_out_swap", seat=place)
        record.fault(Sentence("selftest.lamp_drivers", seat=place), told, where=_board(seat))


def _place(seat: str) -> Sentence:
    """A side of a board, or the panel, as it stands in a sentence."""
    if seat == PANEL:
        return Sentence("selftest.panel")
    if seat == UNNAMED:
        return Sentence("selftest.a_table_not_named")
    board, _, side = seat.rpartition("-")
    return Sentence("selftest.side_of_board", board=board, side=SIDE_NAMES[side])


def _board(seat: str) -> str:
    """The board of a side of it; the panel is a place of its own."""
    return seat.rpartition("-")[0] or seat


def _silent_displays(record: CheckRecord, hall: HallUnderTest, nodes: Sequence[NodeView]) -> None:
    for node in nodes:
        board = hall.where(node.uid)
        told = {
            "sun": Sentence("selftest.sun_display_takes_no_picture", board=board),
            "moon": Sentence("selftest.moon_display_takes_no_picture", board=board),
        }
        silent = [side for side in SIDES if not getattr(node.displays, side)]
        if len(silent) == len(SIDES):
            _both_displays(record, board)
            continue
        for side in silent:
            record.fault(
                Sentence("selftest.display_of", seat=_place(f"{board}-{side}")), told[side], where=board
            )


async def _panel_draws(record: CheckRecord, hall: HallUnderTest) -> bool:
    drawn = await hall.probe(DisplayProbe(pattern="white"))
    after, taken = Sentence("selftest.picture_on_the_panels_display_after"), Sentence("selftest.taken")
    ok = record.value(after, drawn.shown_ms, "ms", limit=taken, ok=drawn.shown_ms is not None)
    if not ok:
        why = said(drawn.sentence, drawn.sentence_key)
        told = why or Sentence("selftest.panels_display_takes_no_picture_look")
        record.fault(Sentence("selftest.panels_display"), told, where=PANEL)
    return ok


async def _look_at(
    hall: HallUnderTest, pattern: Pattern, *, panel: bool, nodes: Sequence[NodeView]
) -> list[str]:
    """The displays that do not show it."""
    if panel:
        await hall.probe(DisplayProbe(pattern=pattern))
    if nodes:
        await hall.probe(
            IdentifyProbe(uid=hall.uid, what="pattern", seconds=SHOWN_S, number=PATTERNS.index(pattern))
        )
    where = _where(hall, panel=panel, nodes=nodes)
    names = ([PANEL] if panel else []) + seats(hall, nodes)
    return await _told(
        hall, Sentence("selftest.do_the_displays_show", where=where, picture=WORDS[pattern]), names
    )


def _where(hall: HallUnderTest, *, panel: bool, nodes: Sequence[NodeView]) -> Sentence:
    """Whose displays are looked at; at least one of the two."""
    if not nodes:
        return Sentence("selftest.panel")
    if not panel:
        return _called(hall, nodes)
    return listed([Sentence("selftest.panel"), _called(hall, nodes)])


def _display(record: CheckRecord, seat: str, patterns: list[Pattern]) -> None:
    place = _place(seat)
    unseen = Sentence("selftest.patterns_not_seen", names=named([WORDS[pattern] for pattern in patterns]))
    record.value(Sentence("selftest.display_at", seat=place), unseen, limit=SEEN, ok=False)
    told = Sentence("selftest.display_of_does_not_show", seat=place)
    record.fault(Sentence("selftest.display_of", seat=place), told, where=_board(seat))
