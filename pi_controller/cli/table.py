"""`pi-controller table`: something is done to one table, or to all."""

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from pi_controller.bus.values import TableOrder
from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    REFUSED,
    Parser,
    Stop,
    add_state_dir,
    parser_for,
    whole_number,
)
from pi_controller.protocol.tables import LONGEST_IDENTIFY_S, TableAction, check_action
from pi_controller.roster.checks import NODE

ORDERS: tuple[str, ...] = get_args(TableOrder)


@dataclass(frozen=True, slots=True)
class _Task:
    summary: str
    add_arguments: Callable[[Parser], None]
    action: Callable[[Namespace], TableAction]


def run(name: str, given: list[str]) -> int:
    """0 when it is done and kept, 3 when it was refused, with the reasons on stderr."""
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    for word, task in TASKS.items():
        under = tasks.add_parser(word, help=task.summary)
        task.add_arguments(under)
        add_state_dir(under)
    arguments = parser.parse_args(given)
    action = TASKS[arguments.task].action(arguments)
    with core_of(arguments) as core:
        check_action(action)  # a mistake is told even when no core runs
        answer = core.table(action)
    for reason in answer.reasons:
        print(reason, file=sys.stderr)
    return ACCEPTED if answer.accepted else REFUSED


def _board(parser: Parser) -> None:
    parser.add_argument("board", metavar="BOARD", help="the board's name, such as A5")


def _replace(parser: Parser) -> None:
    _board(parser)
    _uid(parser)


def _uid(parser: Parser) -> None:
    parser.add_argument("uid", metavar="NODE", help="the node's unique id, as `tables` shows it")


def _identify(parser: Parser) -> None:
    parser.add_argument("table", nargs="?", metavar="TABLE", help="a board or a node's id; without: all")
    parser.add_argument("--seconds", type=whole_number, metavar="S", help=f"1 to {LONGEST_IDENTIFY_S}")


def _identified(given: Namespace) -> TableAction:
    if given.seconds is not None and not 1 <= given.seconds <= LONGEST_IDENTIFY_S:
        raise Stop(BAD_USAGE, f"--seconds must be from 1 to {LONGEST_IDENTIFY_S}, not {given.seconds}")
    is_node = given.table is not None and NODE.fullmatch(given.table) is not None
    return TableAction(
        do="identify",
        uid=given.table if is_node else None,
        board=None if is_node else given.table,
        seconds=given.seconds,
    )


def _enrol(parser: Parser) -> None:
    parser.add_argument("row", metavar="ROW", help="the row's name in the roster")
    parser.add_argument("--from", dest="first", metavar="BOARD", help="begin at this board of the row")


def _order(parser: Parser) -> None:
    _uid(parser)
    parser.add_argument("what", choices=ORDERS, metavar="WHAT", help=", ".join(ORDERS))


TASKS = {
    "identify": _Task("let a table, or all, show its name", _identify, _identified),
    "swap": _Task(
        "the node stands the other way round", _board, lambda given: TableAction(do="swap", board=given.board)
    ),
    "replace": _Task(
        "this node stands at the board now, also in the middle of a game",
        _replace,
        lambda given: TableAction(do="replace", board=given.board, uid=given.uid),
    ),
    "clear": _Task(
        "no node stands at the board", _board, lambda given: TableAction(do="clear", board=given.board)
    ),
    "enrol": _Task(
        "walk along a row and press each table's Sun button",
        _enrol,
        lambda given: TableAction(do="enrol", row=given.row, board=given.first),
    ),
    "stop-enrolment": _Task(
        "end the walk", lambda _parser: None, lambda _given: TableAction(do="stop_enrolment")
    ),
    "order": _Task(
        "tell a node itself to do something",
        _order,
        lambda given: TableAction(do="order", uid=given.uid, what=given.what),
    ),
}
