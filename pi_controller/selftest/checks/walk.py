"""CLM: somebody walks along the rows and presses at each table, Sun's button first, then Moon's."""

from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, named, not_fitted
from pi_controller.selftest.verdicts import Mend
from pi_controller.selftest.walking import Heard, Walk, exchanged
from pi_controller.vocabulary import SIDES

SLOWEST_MS = 500.0
SIMULATED_TIMES = 5.0
NO_TABLES = "No table answers."


def clm(hall: Hall) -> Outcome:
    """Every button is heard and acknowledged in time; first presses tell sides, their order tells places."""
    if not hall.nodes():
        return not_fitted(NO_TABLES)
    record = Record()
    walk = Walk(hall)
    try:
        hall.ask(
            "Walk along the rows in the roster's order. At each table press Sun's claim button, then"
            " Moon's: the"
            " display shows a number, and the lamp burns when the press has been heard. Several people may"
            " walk at"
            " once, each in rows of their own. Answer when you are through.",
            picture="walk",
            answers=("done",),
            live=walk,
            kind="walk",
        )
        walk.look(0.0)
    finally:
        hall.probes.identify(None, what="off", seconds=0)
    _judge(record, hall, walk)
    return record.outcome("Every claim button was heard, in its place and in time.")


def _judge(record: Record, hall: Hall, walk: Walk) -> None:
    heard = walk.heard
    buttons = sum(len(one.seen_ms) for one in heard.values())
    wanted = 2 * len(heard)
    record.value("buttons heard", buttons, limit=str(wanted), ok=buttons == wanted)
    times = [ms for one in heard.values() for ms in one.acknowledged_ms.values()]
    most = SLOWEST_MS * hall.times(SIMULATED_TIMES)
    slowest = max(times, default=None)
    quick = slowest is None or slowest < most
    record.value("press to acknowledgement, slowest", slowest, "ms", limit=f"below {most:g}", ok=quick)
    _stuck(record, walk)
    _buttons(record, walk)
    _late(record, heard, most)
    _sides(record, heard)
    _order(record, hall, walk)
    for uid, one in heard.items():
        if one.acknowledged_ms:
            hall.measured.acknowledged_ms[uid] = max(one.acknowledged_ms.values())


def _stuck(record: Record, walk: Walk) -> None:
    for uid, side in sorted(walk.stuck):
        if uid in walk.heard:
            button = f"the {side.capitalize()} claim button of board {walk.heard[uid].board}"
            record.fault(
                button, f"Something holds {button} down: free it, or swap it.", where=walk.heard[uid].board
            )


def _buttons(record: Record, walk: Walk) -> None:
    """Buttons that nobody heard; a board where neither was is told once."""
    for uid, one in walk.heard.items():
        silent = [side for side in SIDES if side not in one.seen_ms and (uid, side) not in walk.stuck]
        if silent:
            sides = " and ".join(side.capitalize() for side in silent)
            button = f"the {sides} claim button of board {one.board}"
            record.fault(
                button,
                f"Nothing was heard of {button}: press again; look at its plug, then swap it.",
                where=one.board,
            )
    if walk.strangers:
        names = named(sorted(walk.strangers))
        record.fault("the roster", f"Buttons of nodes without a board were pressed ({names}): enrol them.")


def _late(record: Record, heard: dict[str, Heard], most: float) -> None:
    for one in heard.values():
        unanswered = one.numbered and set(one.seen_ms) - set(one.acknowledged_ms)
        if unanswered or any(ms >= most for ms in one.acknowledged_ms.values()):
            record.fault(
                f"the line to board {one.board}",
                f"A press at board {one.board} was acknowledged too late or not at all: look at BER and LAT.",
                where=one.board,
            )


def _sides(record: Record, heard: dict[str, Heard]) -> None:
    """Sun's button is pressed first: where Moon was heard first, the node stands the other way round."""
    turned = [one for one in heard.values() if one.turned]
    record.value("tables with Sun and Moon exchanged", len(turned), limit="0", ok=not turned)
    for one in turned:
        record.fault(
            f"the node of board {one.board}",
            f"At board {one.board} Moon's button was heard before Sun's: the node stands the other way"
            " round.",
            where=one.board,
            mend=Mend(do="swap_sides", board=one.board, label=f"Exchange Sun and Moon at board {one.board}"),
        )


def _order(record: Record, hall: Hall, walk: Walk) -> None:
    """Each row by itself, since several people may walk; where that explains nothing, the hall as a whole."""
    rows = {row.name: [board.name for board, _node in seats] for row, seats in hall.rows()}
    pressed = {row: walk.order(row) for row in rows}
    pairs = {row: exchanged(expected, pressed[row]) for row, expected in rows.items()}
    whole = exchanged([board for expected in rows.values() for board in expected], walk.order())
    for row, found in pairs.items():
        listing = named(pressed[row], 40)
        record.value(f"order in row {row}", listing, limit="the roster's, or its reverse", ok=found == ())
    if whole and None in pairs.values():
        _exchanged(record, whole)
        return
    for row, found in pairs.items():
        _exchanged(record, found or ())
        if found is None:
            record.fault(
                "the roster, or the walk",
                f"Row {row} was pressed in the order {named(pressed[row], 12)}: walk it again, or enrol it"
                " anew.",
                where=row,
                severity="warning",
            )


def _exchanged(record: Record, pairs: tuple[tuple[str, str], ...]) -> None:
    for first, second in pairs:
        label = f"Exchange boards {first} and {second}"
        record.fault(
            f"the nodes of boards {first} and {second}",
            f"Boards {first} and {second} were pressed in each other's place: their nodes are exchanged.",
            where=first,
            mend=Mend(do="exchange_boards", board=first, other=second, label=label),
        )
