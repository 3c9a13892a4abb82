"""`pi-controller links settle`: a person decides which of two controllers that lead one game does."""

import sys
from argparse import Namespace

from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import ACCEPTED, REFUSED, Stop, add_state_dir, parser_for
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble
from pi_controller.protocol.messages import AskSettle
from pi_controller.protocol.picture import LEADS_NOT
from pi_controller.sentence import Sentence


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    settle = tasks.add_parser("settle", help=words(Sentence("help.links_settle")))
    which = settle.add_mutually_exclusive_group(required=True)
    which.add_argument("--lead", action="store_true", help=words(Sentence("help.links_settle_lead")))
    which.add_argument("--give-way", action="store_true", help=words(Sentence("help.links_settle_give_way")))
    settle.add_argument(
        "--hall",
        metavar=words(Sentence("metavar.name")),
        help=words(Sentence("help.links_settle_hall")),
    )
    add_state_dir(settle)
    arguments = parser.parse_args(given)
    with core_of(arguments) as core:
        hall = _typed(core, arguments)
        try:
            core.ask(AskSettle(lead=arguments.lead, hall=hall))
        except CoreTrouble as refusal:
            raise Stop(REFUSED, refusal.sentence) from refusal
    print(words(Sentence("page.settle_done")))
    return ACCEPTED


def _typed(core: Client, arguments: Namespace) -> str:
    """The name of the hall that shall lead; on a terminal what will follow is said first, where there is
    something to decide."""
    if arguments.hall is not None or not sys.stdin.isatty():
        return arguments.hall or ""
    link = core.picture().link
    if link is None or link.state not in LEADS_NOT:
        return ""
    other = link.leader or "?"
    if arguments.lead:
        print(words(Sentence("page.settle_lead_help", own=link.hall, hall=other)))
    else:
        print(words(Sentence("page.settle_give_way_help", hall=other)))
    print(words(Sentence("link.type_the_leader", hall=link.hall if arguments.lead else other)))
    return input("> ").strip()
