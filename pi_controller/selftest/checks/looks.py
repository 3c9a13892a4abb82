"""LED and OLD: the lamps of the tables, and all displays, by their currents and one look at the hall."""

from collections.abc import Sequence

from pi_controller.bus.values import PATTERNS, NodeView
from pi_controller.game.rule_sets import SIDE_NAMES
from pi_controller.protocol.probes import DisplayProbe, IdentifyProbe, Pattern
from pi_controller.selftest.checks.currents import (
    ALL_LIT,
    Displays,
    displays_of,
    judge_displays,
    judge_lamps,
    lamps_of,
    usual_display_ma,
)
from pi_controller.selftest.hall import NO_TABLES, HallUnderTest
from pi_controller.selftest.operator import listed
from pi_controller.selftest.verdicts import Outcome, Record, named, not_fitted, said, swap_sides
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES

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


def led(hall: HallUnderTest) -> Outcome:
    """All lamps of all tables by the currents that the nodes measure; then the Sun lamps alone, since no
    current tells a colour. Nodes that do not measure are looked at with all lamps lit, and with none."""
    nodes = hall.nodes()
    if not nodes:
        return none_answers(hall)
    record = Record()
    left_out(record, hall)
    try:
        felt = lamps_of(hall, nodes)
        hall.measured.lamps_ma = {uid: found.all_lit - found.dark for uid, found in felt.items()}
        for node in nodes:
            if node.uid in felt:
                judge_lamps(record, node, felt[node.uid], board=hall.where(node.uid))
        unfelt = [node for node in nodes if node.uid not in felt]
        tables, names = _called(hall, unfelt), seats(hall, unfelt)
        if unfelt:
            _light(hall, ALL_LIT)
            _dark(record, names, _told(hall, Sentence("selftest.are_all_lamps_lit", tables=tables), names))
        _light(hall, SUN_LIT)
        sun = Sentence("selftest.do_only_the_sun_lamps_burn", tables=all_tables(hall))
        _sides(record, _told(hall, sun, [hall.where(node.uid) for node in nodes]))
        if unfelt:
            _light(hall, 0)
            _burning(record, _told(hall, Sentence("selftest.are_all_lamps_dark", tables=tables), names))
    finally:
        hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    return record.outcome(Sentence("selftest.all_lamps_light_up_and_go_out", count=len(nodes)))


def old(hall: HallUnderTest) -> Outcome:
    """All displays of the tables by the currents that the nodes measure; then one picture on them and on the
    panel's, since no current tells a picture. Nodes that do not measure are shown one more: on them a missing
    display is looked for."""
    nodes = hall.nodes()
    if not nodes and hall.fitted.display is None:
        return not_fitted(Sentence("selftest.there_are_no_displays_none"))
    record = Record()
    left_out(record, hall)
    _silent_displays(record, hall, nodes)
    panel = hall.fitted.display is not None and _panel_draws(record, hall)
    answering = [node for node in nodes if node.displays.sun and node.displays.moon]
    told: dict[str, list[Pattern]] = {}
    try:
        felt = displays_of(hall, answering)
        dead = _judge_displays(record, hall, answering, felt)
        unfelt = [node for node in answering if node.uid not in felt]
        for pattern in _patterns(hall, unfelt):
            looked_at = answering if pattern in PATTERNS_FOR_ALL or hall.level == "bench" else unfelt
            for seat in _look_at(hall, pattern, panel=panel, nodes=looked_at):
                told.setdefault(seat, []).append(pattern)
    finally:
        if panel:
            hall.probe(DisplayProbe(pattern="none"))
        hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    for seat, patterns in told.items():
        if seat not in dead:
            _display(record, seat, patterns)
    return record.outcome(Sentence("selftest.all_displays_show_whole_pictures"))


def _judge_displays(
    record: Record, hall: HallUnderTest, nodes: Sequence[NodeView], felt: dict[str, Displays]
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


def _light(hall: HallUnderTest, lamps: int) -> None:
    hall.probe(IdentifyProbe(uid=None, what="lamps", seconds=SHOWN_S, number=lamps))


def none_answers(hall: HallUnderTest) -> Outcome:
    """Nothing to be tested where no table is wanted; otherwise each board of the roster is told."""
    record = Record()
    left_out(record, hall)
    return record.outcome(NO_TABLES) if record.findings else not_fitted(NO_TABLES)


def left_out(record: Record, hall: HallUnderTest) -> None:
    """Boards that this check says nothing about: what was not tested has not passed. The census tells them
    itself, where it is taken."""
    for board in [] if "CEN" in hall.codes else _silent(hall):
        record.fault(
            Sentence("selftest.node_of_board", board=board),
            Sentence("selftest.board_does_not_answer_and_was_not", board=board),
            where=board,
            severity="warning",
        )


def _silent(hall: HallUnderTest) -> list[str]:
    """On the bench one node is tested, wherever it belongs."""
    return [] if hall.level == "bench" else hall.silent()


def all_tables(hall: HallUnderTest) -> Sentence:
    """But for the boards that cannot be looked at, as it stands in a question."""
    silent = _silent(hall)
    if silent:
        return Sentence("selftest.all_tables_but", names=named(silent))
    return Sentence("selftest.all_tables")


def _called(hall: HallUnderTest, nodes: Sequence[NodeView]) -> Sentence:
    """These tables, as they stand in a question."""
    if len(nodes) == len(hall.nodes()) or not nodes:
        return all_tables(hall)
    return named([hall.where(node.uid) for node in nodes])


def _told(hall: HallUnderTest, text: Sentence, names: Sequence[str]) -> list[str]:
    """What the operator names as wrong; UNNAMED when something is, and nobody says what."""
    reply = hall.ask(text, picture="tables", names=names)
    return [] if reply.answer == "saw" else listed(reply.reason) or [UNNAMED]


def _dark(record: Record, names: list[str], dark: list[str]) -> None:
    record.value(
        Sentence("selftest.sides_with_all_their_lamps"),
        len(names) - len(dark),
        limit=str(len(names)),
        ok=not dark,
    )
    for seat in dark:
        place = _place(seat)
        record.fault(
            Sentence("selftest.lamps_of", seat=place),
            Sentence("selftest.lamp_at_stays_dark_look", seat=place),
            where=_board(seat),
        )


def _sides(record: Record, crossed: list[str]) -> None:
    record.value(
        Sentence("selftest.tables_with_the_sun_lamp_elsewhere"), len(crossed), limit="0", ok=not crossed
    )
    for board in crossed:
        fix = swap_sides(board)
        record.fault(
            Sentence("selftest.node_of_board", board=board),
            Sentence("selftest.sun_lamp_of_board_burns", board=board),
            where=board,
            fix=None if board == UNNAMED else fix,
        )


def _burning(record: Record, burning: list[str]) -> None:
    record.value(Sentence("selftest.sides_with_a_lamp_that_does"), len(burning), limit="0", ok=not burning)
    for seat in burning:
        place = _place(seat)
        record.fault(
            Sentence("selftest.lamp_drivers", seat=place),
            Sentence("selftest.lamp_at_never_goes_out_swap", seat=place),
            where=_board(seat),
        )


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


def _silent_displays(record: Record, hall: HallUnderTest, nodes: Sequence[NodeView]) -> None:
    for node in nodes:
        board = hall.where(node.uid)
        if not node.displays.sun:
            silent = Sentence("selftest.sun_display_takes_no_picture", board=board)
            record.fault(Sentence("selftest.display_of", seat=_place(f"{board}-sun")), silent, where=board)
        if not node.displays.moon:
            silent = Sentence("selftest.moon_display_takes_no_picture", board=board)
            record.fault(Sentence("selftest.display_of", seat=_place(f"{board}-moon")), silent, where=board)


def _panel_draws(record: Record, hall: HallUnderTest) -> bool:
    drawn = hall.probe(DisplayProbe(pattern="white"))
    ok = drawn.shown_ms is not None
    record.value(
        Sentence("selftest.picture_on_the_panels_display_after"),
        drawn.shown_ms,
        "ms",
        limit=Sentence("selftest.taken"),
        ok=ok,
    )
    if not ok:
        record.fault(
            Sentence("selftest.panels_display"),
            said(drawn.sentence, drawn.sentence_key)
            or Sentence("selftest.panels_display_takes_no_picture_look"),
            where=PANEL,
        )
    return ok


def _look_at(hall: HallUnderTest, pattern: Pattern, *, panel: bool, nodes: Sequence[NodeView]) -> list[str]:
    """The displays that do not show it."""
    if panel:
        hall.probe(DisplayProbe(pattern=pattern))
    if nodes:
        hall.probe(
            IdentifyProbe(uid=hall.uid, what="pattern", seconds=SHOWN_S, number=PATTERNS.index(pattern))
        )
    where = _where(hall, panel=panel, nodes=nodes)
    names = ([PANEL] if panel else []) + seats(hall, nodes)
    return _told(hall, Sentence("selftest.do_the_displays_show", where=where, picture=WORDS[pattern]), names)


def _where(hall: HallUnderTest, *, panel: bool, nodes: Sequence[NodeView]) -> Sentence:
    """Whose displays are looked at; at least one of the two."""
    if not nodes:
        return Sentence("selftest.panel")
    if not panel:
        return _called(hall, nodes)
    return Sentence("list.and", before=Sentence("selftest.panel"), next=_called(hall, nodes))


def _display(record: Record, seat: str, patterns: list[Pattern]) -> None:
    place = _place(seat)
    record.value(
        Sentence("selftest.display_at", seat=place),
        Sentence("selftest.patterns_not_seen", names=named([WORDS[pattern] for pattern in patterns])),
        limit=Sentence("selftest.seen"),
        ok=False,
    )
    record.fault(
        Sentence("selftest.display_of", seat=place),
        Sentence("selftest.display_of_does_not_show", seat=place),
        where=_board(seat),
    )
