"""`pi-controller paper seats`: the seat codes of all boards, asked of the running controller."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import REFUSED, Stop, add_state_dir, state_dir
from pi_controller.language.words import words
from pi_controller.paper import hall
from pi_controller.paper.document import Paper
from pi_controller.paper.hall import BoardCodes
from pi_controller.protocol.messages import AskSeatCodes, SeatCodeView
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Side
from pi_controller.web.http.connections import last_served


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--address", default="", metavar="A", help=words(Sentence("help.paper_seat_address")))
    parser.add_argument("--revoke", metavar="B", help=words(Sentence("help.paper_revoke")))
    add_state_dir(parser)


def add_sheets(paper: Paper, arguments: Namespace) -> Sentence:
    """What is on them. Ends the program when the controller gives none, or phones cannot open its pages."""
    address = arguments.address or _own_address(arguments)
    with core_of(arguments) as core:
        codes = core.ask(AskSeatCodes(revoke=arguments.revoke)).codes
    boards = boards_of(codes)
    hall.add_seats(paper, boards, address)
    made = Sentence("paper.seats_of", count=len(boards))
    return (
        made if arguments.revoke is None else Sentence("paper.seats_anew", board=arguments.revoke, made=made)
    )


def _own_address(arguments: Namespace) -> str:
    """Where the controller's pages are for phones, and a word on it; no code is made before it is known."""
    served = last_served(state_dir(arguments) / "web")
    address = None if served is None else served.claims.from_elsewhere()
    if address is None:
        raise Stop(REFUSED, Sentence("paper.no_address"))
    tell_address(address)
    return address


def tell_address(address: str) -> None:
    """Which one stands on the sheets, since nobody gave it."""
    print(words(Sentence("paper.address_taken", address=address)), file=sys.stderr)


def boards_of(codes: Sequence[SeatCodeView]) -> list[BoardCodes]:
    """In the order in which they came."""
    found: dict[str, dict[Side, str]] = {}
    for each in codes:
        found.setdefault(each.board, {})[each.side] = each.code
    return [BoardCodes(board, sides) for board, sides in found.items()]
