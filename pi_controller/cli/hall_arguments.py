"""Arguments of the commands that plan a hall: which boards, and what the tables are wired with."""

import argparse
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import BAD_USAGE, Stop, add_state_dir, number, whole_number
from pi_controller.language.words import words
from pi_controller.roster import edits, store
from pi_controller.roster.model import Roster, RosterFault
from pi_controller.supply.wiring import AREA_MOHM, AWG_MOHM, SupplyFault, Wiring

DEFAULT = Wiring()


def add_hall(parser: argparse.ArgumentParser) -> None:
    """--roster, --rows and --boards; without any, the roster of the running controller."""
    parser.add_argument(
        "--roster", type=Path, metavar="F", help="a roster's file (default: ask the controller)"
    )
    parser.add_argument("--rows", type=whole_number, metavar="N", help="so many rows, instead of a roster")
    parser.add_argument("--boards", type=whole_number, metavar="N", help="boards in each row")
    add_state_dir(parser)


def add_wiring(parser: argparse.ArgumentParser) -> None:
    for flag, key, help_ in (
        ("--volts", "volts", "of the supply"),
        ("--watts", "watts", "of one node, behind its converter"),
        ("--efficiency", "efficiency", "of the nodes' converter"),
        ("--hop", "hop_m", "metres of cable from board to board"),
        ("--contact", "contact_mohm", "milliohm of one plug's contact"),
        ("--lead", "lead_m", "metres from the supply to the injector"),
    ):
        standard = getattr(DEFAULT, key)
        parser.add_argument(
            flag, dest=key, type=number, metavar="X", default=standard, help=f"{help_} (default {standard:g})"
        )
    sizes = f"AWG {', '.join(AWG_MOHM)}, or {', '.join(AREA_MOHM)}"
    parser.add_argument(
        "--gauge", default=DEFAULT.gauge, metavar="G", help=f"of the cable between boards: {sizes}"
    )
    parser.add_argument("--lead-gauge", default=DEFAULT.lead_gauge, metavar="G", help="of the lead-in")
    parser.add_argument(
        "--conductors",
        type=whole_number,
        default=DEFAULT.conductors,
        metavar="N",
        help="for each rail (default 2)",
    )
    parser.add_argument("--cca", action="store_true", help="the cable is copper-clad aluminium")


def wiring_of(arguments: Namespace) -> Wiring:
    return Wiring(
        volts=arguments.volts,
        watts=arguments.watts,
        efficiency=arguments.efficiency,
        gauge=arguments.gauge,
        hop_m=arguments.hop_m,
        conductors=arguments.conductors,
        contact_mohm=arguments.contact_mohm,
        copper_clad_aluminium=arguments.cca,
        lead_m=arguments.lead_m,
        lead_gauge=arguments.lead_gauge,
    )


def hall_of(arguments: Namespace) -> Roster:
    """The boards that the arguments name; a hall without boards ends the program."""
    if arguments.rows is not None or arguments.boards is not None:
        if arguments.rows is None or arguments.boards is None or arguments.roster is not None:
            raise Stop(BAD_USAGE, "Give --rows and --boards together, or --roster F, or none of them.")
        return edits.new_roster(arguments.rows, arguments.boards)
    if arguments.roster is not None:
        roster = store.from_file(arguments.roster)
    else:
        with core_of(arguments) as core:
            roster = core.roster()
    if not roster.boards:
        raise Stop(
            BAD_USAGE,
            "The roster has no boards: `pi-controller roster new` makes some; or give --rows and --boards.",
        )
    return roster


@contextmanager
def mistakes() -> Iterator[None]:
    """Wrong rosters and wirings end the program with their sentences."""
    try:
        yield
    except RosterFault as fault:
        raise Stop(BAD_USAGE, str(fault)) from fault
    except SupplyFault as fault:
        raise Stop(BAD_USAGE, words(fault.sentence)) from fault
