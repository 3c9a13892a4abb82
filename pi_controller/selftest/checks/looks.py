"""LED and OLD: the lamps of the tables, and all displays; one look at the hall tests them all."""

from collections.abc import Sequence

from pi_controller.bus.values import PATTERNS
from pi_controller.protocol.probes import Pattern
from pi_controller.protocol.tables import NodeView
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.operator import listed
from pi_controller.selftest.verdicts import Mend, Outcome, Record, named, not_fitted
from pi_controller.vocabulary import SIDES

SHOWN_S = 120
"""Longer than anybody looks; taken away as soon as the answer is there."""
ALL_LIT = 0b1111
SUN_LIT = 0b0001
WORDS = {
    "white": "all white",
    "black": "all black",
    "checker": "a chequerboard without lines or stripes",
    "border": "a thin frame, whole on all four edges",
    "digits": "digits without gaps",
}
PATTERNS_IN_THE_FIELD: tuple[Pattern, ...] = ("white", "border")
ALL_TEXT = "Are all lamps of all tables{} lit: Sun, Moon, both claim buttons? Otherwise name the dark sides."
SUN_TEXT = "Do only the Sun lamps of all tables{} burn, on their Sun sides? Otherwise name the boards."
NONE_TEXT = "Are all lamps of all tables{} dark? Otherwise name the sides with lamps that burn."
PANEL = "panel"
UNNAMED = "a-table-that-was-not-named"
NO_TABLES = "No table answers."


def led(hall: HallUnderTest) -> Outcome:
    """All lamps of all tables lit, the Sun lamps alone, then none."""
    nodes = hall.nodes()
    if not nodes:
        return not_fitted(NO_TABLES)
    record, names, without = Record(), seats(hall, nodes), left_out(hall)
    try:
        _light(hall, ALL_LIT)
        _dark(record, names, _told(hall, ALL_TEXT.format(without), names))
        _light(hall, SUN_LIT)
        _sides(record, _told(hall, SUN_TEXT.format(without), [hall.where(node.uid) for node in nodes]))
        _light(hall, 0)
        _burning(record, _told(hall, NONE_TEXT.format(without), names))
    finally:
        hall.probes.identify(None, what="off", seconds=0)
    return record.outcome(f"All lamps of {_tables(nodes)} light up and go out.")


def old(hall: HallUnderTest) -> Outcome:
    """Test pictures on the panel's display and on those of all tables at once."""
    nodes = hall.nodes()
    if not nodes and hall.fitted.display is None:
        return not_fitted("There are no displays: none at the panel, and no table answers.")
    record = Record()
    _silent_displays(record, hall, nodes)
    panel = hall.fitted.display is not None and _panel_draws(record, hall)
    names = ([PANEL] if panel else []) + seats(
        hall, [node for node in nodes if node.displays.sun and node.displays.moon]
    )
    told: dict[str, list[str]] = {}
    try:
        for pattern in PATTERNS if hall.level == "bench" else PATTERNS_IN_THE_FIELD:
            for seat in _look_at(hall, pattern, panel=panel, names=names, tables=bool(nodes)):
                told.setdefault(seat, []).append(pattern)
    finally:
        if panel:
            hall.probes.display("none")
        hall.probes.identify(None, what="off", seconds=0)
    for seat, patterns in told.items():
        _display(record, seat, patterns)
    return record.outcome("All displays show whole pictures.")


def seats(hall: HallUnderTest, nodes: Sequence[NodeView]) -> list[str]:
    """Each side of each table, such as A5-sun."""
    return [f"{hall.where(node.uid)}-{side}" for node in nodes for side in SIDES]


def _light(hall: HallUnderTest, lamps: int) -> None:
    hall.probes.identify(None, what="lamps", seconds=SHOWN_S, number=lamps)


def left_out(hall: HallUnderTest) -> str:
    """Boards that cannot be looked at, as they stand in a question."""
    silent = [] if hall.level == "bench" else hall.silent()
    return f" (but {named(silent)})" if silent else ""


def _told(hall: HallUnderTest, text: str, names: Sequence[str]) -> list[str]:
    """What the operator names as wrong; UNNAMED when something is, and nobody says what."""
    reply = hall.ask(text, picture="tables", names=names)
    return [] if reply.answer == "saw" else listed(reply.reason) or [UNNAMED]


def _dark(record: Record, names: list[str], dark: list[str]) -> None:
    record.value("sides with all their lamps", len(names) - len(dark), limit=str(len(names)), ok=not dark)
    for seat in dark:
        record.fault(
            f"the lamps of {seat}",
            f"A lamp at {seat} stays dark: look at its plug, swap the lamp, then the node.",
            where=_board(seat),
        )


def _sides(record: Record, crossed: list[str]) -> None:
    record.value("tables with the Sun lamp elsewhere", len(crossed), limit="0", ok=not crossed)
    for board in crossed:
        mend = Mend(do="swap_sides", board=board, label=f"Exchange Sun and Moon at board {board}")
        record.fault(
            f"the node of board {board}",
            f"The Sun lamp of board {board} burns on the Moon side: the node stands the other way round.",
            where=board,
            mend=None if board == UNNAMED else mend,
        )


def _burning(record: Record, burning: list[str]) -> None:
    record.value("sides with a lamp that does not go out", len(burning), limit="0", ok=not burning)
    for seat in burning:
        record.fault(
            f"the lamp drivers of {seat}",
            f"A lamp at {seat} never goes out: swap the node.",
            where=_board(seat),
        )


def _board(seat: str) -> str:
    """The board of a side of it; the panel is a place of its own."""
    return seat.rpartition("-")[0] or seat


def _silent_displays(record: Record, hall: HallUnderTest, nodes: Sequence[NodeView]) -> None:
    for node in nodes:
        answering = {"sun": node.displays.sun, "moon": node.displays.moon}
        for side in (side for side, answers in answering.items() if not answers):
            board = hall.where(node.uid)
            record.fault(
                f"the display of {board}-{side}",
                f"The {side.capitalize()} display of {board} takes no picture: look at its plug, then swap"
                " it.",
                where=board,
            )


def _panel_draws(record: Record, hall: HallUnderTest) -> bool:
    drawn = hall.probes.display("white")
    ok = drawn.shown_ms is not None
    record.value("picture on the panel's display after", drawn.shown_ms, "ms", limit="taken", ok=ok)
    if not ok:
        record.fault(
            "the panel's display",
            drawn.sentence or "The panel's display takes no picture: look at its plug.",
            where=PANEL,
        )
    return ok


def _look_at(
    hall: HallUnderTest, pattern: Pattern, *, panel: bool, names: list[str], tables: bool
) -> list[str]:
    """The displays that do not show it."""
    if panel:
        hall.probes.display(pattern)
    if tables:
        hall.probes.identify(None, what="pattern", seconds=SHOWN_S, number=PATTERNS.index(pattern))
    what = " and ".join(["the panel"] * panel + [f"all tables{left_out(hall)}"] * tables)
    return _told(
        hall, f"Do the displays of {what} show {WORDS[pattern]}? Otherwise name those that do not.", names
    )


def _display(record: Record, seat: str, patterns: list[str]) -> None:
    record.value(f"display {seat}", f"not seen: {named(patterns)}", limit="seen", ok=False)
    record.fault(
        f"the display of {seat}",
        f"The display of {seat} does not show the test pictures: look at its plug, then swap it.",
        where=_board(seat),
    )


def _tables(nodes: Sequence[NodeView]) -> str:
    return "1 table" if len(nodes) == 1 else f"{len(nodes)} tables"
