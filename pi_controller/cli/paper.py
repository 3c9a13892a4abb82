"""`pi-controller paper`: what a hall needs on paper, as one PDF."""

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from pi_controller import __version__
from pi_controller.cli.ask import core_of
from pi_controller.cli.hall_arguments import add_hall, add_wiring, hall_of, mistakes, wiring_of
from pi_controller.cli.usage import ACCEPTED, FAILED, Parser, Stop, number, parser_for
from pi_controller.paper import hall_map, labels
from pi_controller.paper.document import Paper
from pi_controller.paper.hall import PaperHall
from pi_controller.paper.sheets import cable_list, network_sheet, parts_list, supply_sheet

SHEETS: dict[str, tuple[str, str]] = {
    "labels": ("Labels", "labels with QR codes for boards and cables, on self-adhesive sheets"),
    "cables": ("Cables and parts", "which cable goes where, and what to pack"),
    "map": ("Hall map", "rows, cables, injectors; and the supply's voltages"),
    "network": ("Network sheet", "what the owner of the venue's network must know"),
    "all": ("Hall papers", "everything above in one file, the labels last"),
}


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar="SHEET", required=True)
    for task, (_, summary) in SHEETS.items():
        _add_arguments(tasks.add_parser(task, help=summary, description=summary), task)
    arguments = parser.parse_args(given)
    with mistakes():
        paper = _made(arguments)
    try:
        paper.write(arguments.output)
    except OSError as error:
        raise Stop(
            FAILED, f"{arguments.output} cannot be written ({error.strerror}): choose another place."
        ) from error
    print(f"{arguments.output}: {SHEETS[arguments.task][1]}", file=sys.stderr)
    return ACCEPTED


def _add_arguments(parser: Parser, task: str) -> None:
    parser.add_argument("-o", "--output", type=Path, metavar="F", required=True, help="the PDF to write")
    parser.add_argument("--title", default="", metavar="T", help="below the heading, such as event and date")
    if task in ("network", "all"):
        parser.add_argument(
            "--address",
            default="",
            metavar="A",
            help="address of the pages, such as http://192.168.1.20:8080",
        )
    if task == "network":
        return
    add_hall(parser)
    add_wiring(parser)
    parser.add_argument(
        "--head",
        type=number,
        metavar="X",
        default=10.0,
        help="metres from the controller to a chain (default 10)",
    )
    if task in ("labels", "all"):
        parser.add_argument(
            "--labels", choices=tuple(labels.SHEETS), default="70x37", help="label size in mm (default 70x37)"
        )


def _made(arguments: Namespace) -> Paper:
    paper = Paper(SHEETS[arguments.task][0], arguments.title, foot=f"pi-controller {__version__}")
    if arguments.task == "network":
        network_sheet(paper, arguments.address)
        return paper
    hall = _hall(arguments)
    adds: dict[str, Callable[[], None]] = {
        "map": lambda: _map(paper, hall),
        "cables": lambda: _cables(paper, hall),
        "network": lambda: network_sheet(paper, arguments.address),
        "labels": lambda: labels.add(paper, hall, labels.SHEETS[arguments.labels]),
    }
    for number_, (task, add) in enumerate(adds.items()):
        if arguments.task == "all" and 0 < number_ < len(adds) - 1:
            paper.new_page()
        if arguments.task in (task, "all"):
            add()
    return paper


def _map(paper: Paper, hall: PaperHall) -> None:
    hall_map.add(paper, hall)
    supply_sheet(paper, hall)


def _cables(paper: Paper, hall: PaperHall) -> None:
    parts_list(paper, hall)
    cable_list(paper, hall)


def _hall(arguments: Namespace) -> PaperHall:
    roster, wiring = hall_of(arguments), wiring_of(arguments)
    addresses = {}
    if arguments.rows is None and arguments.roster is None:
        with core_of(arguments) as core:
            nodes = core.tables().nodes
        addresses = {node.uid: f"{node.segment} {node.address}" for node in nodes if node.address}
    return PaperHall(roster=roster, wiring=wiring, head_m=arguments.head, addresses=addresses)
