"""Arguments of the commands that plan a hall: which boards, and what the tables are wired with."""

import argparse
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import BAD_USAGE, Stop, add_state_dir, number, whole_number
from pi_controller.language.words import words
from pi_controller.roster import model, store
from pi_controller.roster.model import Roster, RosterFault
from pi_controller.sentence import Sentence, said_by
from pi_controller.supply.zone import AREA_MOHM, AWG_MOHM, SupplyFault, Wiring

DEFAULT = Wiring()


def add_hall(parser: argparse.ArgumentParser) -> None:
    """--roster, --rows and --boards; without any, the roster of the running controller."""
    parser.add_argument("--roster", type=Path, metavar="F", help=words(Sentence("help.hall_roster")))
    parser.add_argument("--rows", type=whole_number, metavar="N", help=words(Sentence("help.hall_rows")))
    parser.add_argument("--boards", type=whole_number, metavar="N", help=words(Sentence("help.hall_boards")))
    add_state_dir(parser)


def add_wiring(parser: argparse.ArgumentParser) -> None:
    for flag, key, what in (
        ("--volts", "volts", Sentence("help.wiring_volts")),
        ("--watts", "watts", Sentence("help.wiring_watts")),
        ("--efficiency", "efficiency", Sentence("help.wiring_efficiency")),
        ("--hop", "hop_m", Sentence("help.wiring_hop")),
        ("--contact", "contact_mohm", Sentence("help.wiring_contact")),
        ("--lead", "lead_m", Sentence("help.wiring_lead")),
    ):
        standard = getattr(DEFAULT, key)
        told = words(Sentence("help.with_default", what=what, value=standard))
        parser.add_argument(flag, dest=key, type=number, metavar="X", default=standard, help=told)
    gauges = Sentence("help.wiring_gauge", awg=", ".join(AWG_MOHM), area=", ".join(AREA_MOHM))
    parser.add_argument("--gauge", default=DEFAULT.gauge, metavar="G", help=words(gauges))
    lead_gauge = words(Sentence("help.wiring_lead_gauge"))
    parser.add_argument("--lead-gauge", default=DEFAULT.lead_gauge, metavar="G", help=lead_gauge)
    parser.add_argument(
        "--conductors",
        type=whole_number,
        default=DEFAULT.conductors,
        metavar="N",
        help=words(Sentence("help.wiring_conductors")),
    )
    parser.add_argument("--cca", action="store_true", help=words(Sentence("help.wiring_cca")))


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
            raise Stop(BAD_USAGE, Sentence("cli.rows_and_boards_together"))
        return model.new_roster(arguments.rows, arguments.boards)
    if arguments.roster is not None:
        roster = store.from_file(arguments.roster)
    else:
        with core_of(arguments) as core:
            roster = core.roster()
    if not roster.boards:
        raise Stop(BAD_USAGE, Sentence("cli.hall_without_boards"))
    return roster


@contextmanager
def mistakes() -> Iterator[None]:
    """Wrong rosters and wirings end the program with their sentences."""
    try:
        yield
    except RosterFault as fault:
        raise Stop(BAD_USAGE, said_by(fault)) from fault
    except SupplyFault as fault:
        raise Stop(BAD_USAGE, fault.sentence) from fault
