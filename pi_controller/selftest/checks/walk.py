"""CLM: somebody walks along the rows and presses at each table, Sun's button first, then Moon's."""

from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, named, not_fitted
from pi_controller.selftest.verdicts import Mend
from pi_controller.selftest.walking import SIDES, Heard, Walk, exchanged

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
    buttons = sum(len(one.at_ms) for one in heard.values())
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
        silent = [side for side in SIDES if side not in one.at_ms and (uid, side) not in walk.stuck]
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
        unanswered = one.numbered and set(one.at_ms) - set(one.acknowledged_ms)
        if unanswered or any(ms >= most for ms in one.acknowledged_ms.values()):
            record.fault(
                f"the line to board {one.board}",
                f"A press at board {one.board} was acknowledged too late or not at all: look at BER and LAT.",
                where=one.board,
            )


def _sides(record: Record, heard: dict[str, Heard]) -> None:
    """Sun's button is pressed first: where Moon was heard first, the node stands the other way round."""
    turned = [one for one in heard.values() if len(one.at_ms) == len(SIDES) and one.turned]
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
    for row, seats in hall.rows():
        expected = [board.name for board, _node in seats]
        pressed = walk.order(row.name)
        pairs = exchanged(expected, pressed)
        in_order = pairs == ()
        record.value(
            f"order in row {row.name}", named(pressed, 40), limit="the roster's, or its reverse", ok=in_order
        )
        if pairs is None:
            record.fault(
                "the roster, or the walk",
                f"Row {row.name} was pressed in the order {named(pressed, 12)}: walk it again, or enrol it"
                " anew.",
                where=row.name,
                severity="warning",
            )
        for first, second in pairs or ():
            record.fault(
                f"the nodes of boards {first} and {second}",
                f"Boards {first} and {second} were pressed in each other's place: their nodes are exchanged.",
                where=first,
                mend=Mend(
                    do="exchange_boards",
                    board=first,
                    other=second,
                    label=f"Exchange boards {first} and {second}",
                ),
            )
