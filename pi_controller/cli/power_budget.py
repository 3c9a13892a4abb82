"""`pi-controller power-budget`: what arrives at the last table, and which supplies a hall needs."""

import json
import sys
from argparse import Namespace
from typing import get_args

from pi_controller.cli.hall_arguments import add_hall, add_wiring, hall_of, mistakes, wiring_of
from pi_controller.cli.tables import columns
from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Stop, parser_for, whole_number
from pi_controller.language.words import all_words, shown, words
from pi_controller.supply import report
from pi_controller.supply.plan import Plan, planned, proposed
from pi_controller.supply.zone import Feed


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    add_hall(parser)
    add_wiring(parser)
    parser.add_argument(
        "--feed",
        choices=get_args(Feed),
        help="judge this: an injector at the end or in the middle of each row or zone (default: propose one)",
    )
    parser.add_argument(
        "--zone", type=whole_number, metavar="N", help="with --feed: at most N boards on one injector"
    )
    parser.add_argument("--json", action="store_true", help="all values, with the voltage at each node")
    with mistakes():
        return _budget(parser.parse_args(given))


def _budget(arguments: Namespace) -> int:
    if arguments.zone is not None and arguments.feed is None:
        raise Stop(
            BAD_USAGE, "--zone needs --feed end or --feed middle: without them the zones are proposed."
        )
    roster, wiring = hall_of(arguments), wiring_of(arguments)
    names = [row.name for row in roster.rows]
    counts = [len(row.boards) for row in roster.rows]
    best = proposed(wiring, counts)
    asked = best
    if arguments.feed is not None:
        asked = planned(wiring, counts, feed=arguments.feed, zone_nodes=arguments.zone)
    if arguments.json:
        print(json.dumps(report.values(asked, names), default=words))
    else:
        _print(asked, names)
        if asked is best:
            _say_what_one_feed_does(planned(wiring, counts, feed="end"), names)
        elif not asked.holds and best.holds:
            print("\nWhat holds:")
            _print(best, names)
    for trouble in all_words(report.troubles(asked, names)):
        print(trouble, file=sys.stderr)
    return ACCEPTED if asked.holds else FAILED


def _print(plan: Plan, names: list[str]) -> None:
    zones = plan.zones
    print(f"{words(report.assumptions(plan))}.")
    table = [tuple(map(shown, row)) for row in (report.HEAD, *report.rows(plan, names))]
    print("\n".join(columns(table)))
    bought = ", ".join(f"{count} × {words(part)}" for part, count in report.to_buy(plan))
    load = sum(zone.settled.feed_a * plan.wiring.volts for zone in zones if zone.settled is not None)
    print(f"Together: {sum(zone.nodes for zone in zones)} boards, {load:.0f} W; {bought}.")
    for remark in all_words(report.remarks(plan, names)):
        print(f"Note: {remark}")


def _say_what_one_feed_does(simple: Plan, names: list[str]) -> None:
    fallen = [name for name, zones in zip(names, simple.rows, strict=True) if any(z.faults for z in zones)]
    if fallen:
        rows = f"row{'s' if len(fallen) > 1 else ''} {', '.join(fallen)}"
        print(f"Warning: one injector at the end of a row does not do for {rows}; see with --feed end.")
