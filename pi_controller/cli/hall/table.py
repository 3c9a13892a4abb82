"""`pi-controller table`: something is done to one table, or to all."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from pi_controller.bus.values import TableOrder
from pi_controller.cli.ask import core_of, say_reasons
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
from pi_controller.language.words import words
from pi_controller.protocol.tables import LONGEST_IDENTIFY_S, TableAction, check_action
from pi_controller.roster.model import is_node_id
from pi_controller.sentence import Sentence

ORDERS: tuple[str, ...] = get_args(TableOrder)


@dataclass(frozen=True, slots=True)
class _Task:
    summary: Sentence
    add_arguments: Callable[[Parser], None]
    action: Callable[[Namespace], TableAction]


def run(name: str, given: list[str]) -> int:
    """0 when it is done and kept, 3 when it was refused, with the reasons on stderr."""
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    for word, task in TASKS.items():
        under = tasks.add_parser(word, help=words(task.summary))
        task.add_arguments(under)
        add_state_dir(under)
    arguments = parser.parse_args(given)
    action = TASKS[arguments.task].action(arguments)
    with core_of(arguments) as core:
        check_action(action)  # a mistake is told even when no core runs
        answer = core.table(action)
    say_reasons(answer)
    return ACCEPTED if answer.accepted else REFUSED


def _board(parser: Parser) -> None:
    parser.add_argument(
        "board", metavar=words(Sentence("metavar.board")), help=words(Sentence("help.table_board"))
    )


def _replace(parser: Parser) -> None:
    _board(parser)
    _uid(parser)


def _uid(parser: Parser) -> None:
    parser.add_argument(
        "uid", metavar=words(Sentence("metavar.node")), help=words(Sentence("help.table_node"))
    )


def _identify(parser: Parser) -> None:
    parser.add_argument(
        "table",
        nargs="?",
        metavar=words(Sentence("metavar.table")),
        help=words(Sentence("help.identify_table")),
    )
    parser.add_argument(
        "--seconds",
        type=whole_number,
        metavar="S",
        help=words(Sentence("help.identify_seconds", most=LONGEST_IDENTIFY_S)),
    )


def _identified(given: Namespace) -> TableAction:
    if given.seconds is not None and not 1 <= given.seconds <= LONGEST_IDENTIFY_S:
        most = LONGEST_IDENTIFY_S
        raise Stop(BAD_USAGE, Sentence("command.identify_seconds", most=most, value=given.seconds))
    is_node = given.table is not None and is_node_id(given.table)
    return TableAction(
        do="identify",
        uid=given.table if is_node else None,
        board=None if is_node else given.table,
        seconds=given.seconds,
    )


def _enrol(parser: Parser) -> None:
    parser.add_argument("row", metavar=words(Sentence("metavar.row")), help=words(Sentence("help.enrol_row")))
    parser.add_argument(
        "--from",
        dest="first",
        metavar=words(Sentence("metavar.board")),
        help=words(Sentence("help.enrol_from")),
    )


def _order(parser: Parser) -> None:
    _uid(parser)
    parser.add_argument(
        "what",
        choices=ORDERS,
        metavar=words(Sentence("metavar.what")),
        help=words(Sentence("help.orders", names=", ".join(ORDERS))),
    )


TASKS = {
    "identify": _Task(Sentence("help.table_identify"), _identify, _identified),
    "swap": _Task(
        Sentence("help.table_swap"), _board, lambda given: TableAction(do="swap", board=given.board)
    ),
    "replace": _Task(
        Sentence("help.table_replace"),
        _replace,
        lambda given: TableAction(do="replace", board=given.board, uid=given.uid),
    ),
    "clear": _Task(
        Sentence("help.table_clear"), _board, lambda given: TableAction(do="clear", board=given.board)
    ),
    "enrol": _Task(
        Sentence("help.table_enrol"),
        _enrol,
        lambda given: TableAction(do="enrol", row=given.row, board=given.first),
    ),
    "stop-enrolment": _Task(
        Sentence("help.table_stop_enrolment"),
        lambda _parser: None,
        lambda _given: TableAction(do="stop_enrolment"),
    ),
    "order": _Task(
        Sentence("help.table_order"),
        _order,
        lambda given: TableAction(do="order", uid=given.uid, what=given.what),
    ),
}
