"""`pi-controller paper`: what a hall needs on paper, as one PDF."""

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from pi_controller import __version__
from pi_controller.cli.ask import core_of
from pi_controller.cli.event import event_of
from pi_controller.cli.hall import seat_sheets
from pi_controller.cli.hall.hall_arguments import add_hall, add_wiring, hall_of, mistakes, wiring_of
from pi_controller.cli.usage import (
    ACCEPTED,
    FAILED,
    Parser,
    Stop,
    add_state_dir,
    number,
    parser_for,
    state_dir,
)
from pi_controller.language.languages import NAMES
from pi_controller.language.system_errors import why
from pi_controller.language.words import speaking, spoken, words
from pi_controller.paper.document import Paper
from pi_controller.paper.hall import (
    LABEL_SHEETS,
    PaperHall,
    add_labels,
    add_map,
    cable_list,
    network_sheet,
    parts_list,
    supply_sheet,
)
from pi_controller.sentence import Sentence
from pi_controller.web.http.connections import last_served
from pi_controller.web.http.tls import CertificateFault, own_files

SHEETS: dict[str, tuple[Sentence, Sentence]] = {
    "labels": (Sentence("paper.title_labels"), Sentence("help.paper_labels")),
    "cables": (Sentence("paper.title_cables"), Sentence("help.paper_cables")),
    "map": (Sentence("paper.title_map"), Sentence("help.paper_map")),
    "network": (Sentence("paper.title_network"), Sentence("help.paper_network")),
    "seats": (Sentence("paper.title_seats"), Sentence("help.paper_seats")),
    "all": (Sentence("paper.title_all"), Sentence("help.paper_all")),
}
"""Title, and what is on it."""


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.sheet")), required=True)
    for task, (_, content) in SHEETS.items():
        summary = words(content)
        _add_arguments(tasks.add_parser(task, help=summary, description=summary), task)
    arguments = parser.parse_args(given)
    with mistakes():
        hall = None if arguments.task in ("network", "seats") else _hall(arguments)
    try:
        with speaking(arguments.language or spoken()):
            paper, content = _made(arguments, hall)
            paper.write(arguments.output)
    except OSError as error:
        path = str(arguments.output)
        raise Stop(FAILED, Sentence("paper.not_written", path=path, why=why(error))) from error
    print(words(Sentence("cli.about", name=str(arguments.output), told=content)), file=sys.stderr)
    return ACCEPTED


def _add_arguments(parser: Parser, task: str) -> None:
    parser.add_argument(
        "-o", "--output", type=Path, metavar="F", required=True, help=words(Sentence("help.paper_output"))
    )
    parser.add_argument(
        "--language", choices=tuple(NAMES), default=None, help=words(Sentence("help.paper_language"))
    )
    parser.add_argument("--title", default="", metavar="T", help=words(Sentence("help.paper_title")))
    if task == "seats":
        seat_sheets.add_arguments(parser)
        return
    if task in ("network", "all"):
        parser.add_argument(
            "--address",
            default="",
            metavar="A",
            help=words(Sentence("help.paper_address")),
        )
    if task == "network":
        add_state_dir(parser)
        return
    add_hall(parser)
    add_wiring(parser)
    parser.add_argument(
        "--head",
        type=number,
        metavar="X",
        default=10.0,
        help=words(Sentence("help.paper_head")),
    )
    if task in ("labels", "all"):
        parser.add_argument(
            "--labels",
            choices=tuple(LABEL_SHEETS),
            default="70x37",
            help=words(Sentence("help.paper_label_size")),
        )


def _made(arguments: Namespace, hall: PaperHall | None) -> tuple[Paper, Sentence]:
    """The paper, and what is on it. `hall`: None where the sheet is about none."""
    paper = Paper(
        words(SHEETS[arguments.task][0]),
        arguments.title,
        foot=f"pi-controller {__version__}",
        event=event_of(state_dir(arguments)),
    )
    if arguments.task == "seats":
        return paper, seat_sheets.add_sheets(paper, arguments)
    content = SHEETS[arguments.task][1]
    if hall is None:
        _network(paper, arguments)
        return paper, content
    adds: dict[str, Callable[[], None]] = {
        "map": lambda: _map(paper, hall),
        "cables": lambda: _cables(paper, hall),
        "network": lambda: _network(paper, arguments),
        "labels": lambda: add_labels(paper, hall, LABEL_SHEETS[arguments.labels]),
    }
    for number_, (task, add) in enumerate(adds.items()):
        if arguments.task == "all" and 0 < number_ < len(adds) - 1:
            paper.new_page()
        if arguments.task in (task, "all"):
            add()
    return paper, content


def _network(paper: Paper, arguments: Namespace) -> None:
    """With address and fingerprint as the pages were last served; before a start, a line to write on and the
    fingerprint of a certificate that is there already."""
    folder = state_dir(arguments) / "web"
    served = last_served(folder)
    address, found = arguments.address, None if served is None else served.hall.from_elsewhere()
    if not address and found is not None:
        address = found
        seat_sheets.tell_address(address)
    network_sheet(paper, address, _fingerprint(folder) if served is None else served.fingerprint)


def _fingerprint(folder: Path) -> str:
    """Of the controller's own certificate; empty where there is none that can be read."""
    try:
        return own_files(folder).fingerprint()
    except CertificateFault:
        return ""


def _map(paper: Paper, hall: PaperHall) -> None:
    add_map(paper, hall)
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
