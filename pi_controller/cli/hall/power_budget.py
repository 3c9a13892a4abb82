"""`pi-controller power-budget`: what arrives at the last table, and which supplies a hall needs."""

import json
import sys
from argparse import Namespace
from functools import partial
from typing import get_args

from pi_controller.cli.hall.hall_arguments import add_hall, add_wiring, hall_of, mistakes, wiring_of
from pi_controller.cli.hall.tables import columns
from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Stop, parser_for, whole_number
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import all_words, shown, words
from pi_controller.sentence import Sentence, listed
from pi_controller.supply import report
from pi_controller.supply.zone import Feed, Plan, planned, proposed


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    add_hall(parser)
    add_wiring(parser)
    parser.add_argument(
        "--feed",
        choices=get_args(Feed),
        help=words(Sentence("help.budget_feed")),
    )
    parser.add_argument("--zone", type=whole_number, metavar="N", help=words(Sentence("help.budget_zone")))
    parser.add_argument("--json", action="store_true", help=words(Sentence("help.budget_json")))
    with mistakes():
        return _budget(parser.parse_args(given))


def _budget(arguments: Namespace) -> int:
    if arguments.zone is not None and arguments.feed is None:
        raise Stop(BAD_USAGE, Sentence("cli.zone_needs_feed"))
    roster, wiring = hall_of(arguments), wiring_of(arguments)
    names = [row.name for row in roster.rows]
    counts = [len(row.boards) for row in roster.rows]
    best = proposed(wiring, counts)
    asked = best
    if arguments.feed is not None:
        asked = planned(wiring, counts, feed=arguments.feed, zone_nodes=arguments.zone)
    if arguments.json:
        print(json.dumps(report.values(asked, names), default=partial(words, language=ENGLISH)))
    else:
        _print(asked, names)
        if asked is best:
            _say_what_one_feed_does(planned(wiring, counts, feed="end"), names)
        elif not asked.holds and best.holds:
            print("\n" + words(Sentence("supply.what_holds")))
            _print(best, names)
    for trouble in all_words(report.troubles(asked, names)):
        print(trouble, file=sys.stderr)
    return ACCEPTED if asked.holds else FAILED


def _print(plan: Plan, names: list[str]) -> None:
    zones = plan.zones
    print(f"{words(report.assumptions(plan))}.")
    table = [tuple(map(shown, row)) for row in (report.HEAD, *report.rows(plan, names))]
    print("\n".join(columns(table)))
    bought = listed(
        [Sentence("supply.pieces", number=number, part=part) for part, number in report.to_buy(plan)]
    )
    load = sum(zone.settled.feed_a * plan.wiring.volts for zone in zones if zone.settled is not None)
    boards = sum(zone.nodes for zone in zones)
    print(words(Sentence("supply.together", count=boards, watts=load, parts=bought)))
    for remark in report.remarks(plan, names):
        print(words(Sentence("supply.note", remark=remark)))


def _say_what_one_feed_does(simple: Plan, names: list[str]) -> None:
    fallen = [name for name, zones in zip(names, simple.rows, strict=True) if any(z.faults for z in zones)]
    if fallen:
        told = Sentence("supply.end_feed_does_not_do", count=len(fallen), rows=", ".join(fallen))
        print(words(told))
