"""A hall on paper: `pi-controller paper` prints its sheets, `power-budget` reckons its supplies, `fallback`
is paper to go on by hand with at any moment."""

import json
import logging
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import get_args

from pi_controller import __version__
from pi_controller.cli.ask import core_of
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Argument,
    Stop,
    argument,
    columns,
    command,
    flag,
    number,
    state_dir,
    whole_number,
    within,
)
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.witnesses import games
from pi_controller.language.languages import ENGLISH, NAMES
from pi_controller.language.words import all_words, shown, speaking, spoken, words
from pi_controller.paper.document import NO_EVENT, Paper, PaperEvent, png_logo
from pi_controller.paper.hall import (
    LABEL_SHEETS,
    BoardCodes,
    PaperHall,
    add_labels,
    add_map,
    add_seats,
    cable_list,
    network_sheet,
    parts_list,
    supply_sheet,
)
from pi_controller.protocol.messages import AskSeatCodes
from pi_controller.replay.changes import (
    STANDARD_INPUT,
    ReplayedChange,
    changes_of,
    from_folder,
    games_in,
    seed_of,
)
from pi_controller.report.fallback import add_dice, add_sheets, add_state, drawn, due_after
from pi_controller.roster import model, store
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence, listed, separated
from pi_controller.settings.event import LogoFault, read_logo
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import FILE_NAME, load
from pi_controller.supply import report
from pi_controller.supply.zone import AREA_MOHM, AWG_MOHM, Feed, SupplyPlan, SupplyWiring, planned, proposed
from pi_controller.vocabulary import Side
from pi_controller.web.http.connections import last_served
from pi_controller.web.http.tls import CertificateFault, own_files

LOG = logging.getLogger(__name__)

# Which boards, and what the tables are wired with.

HALL = (
    argument("--roster", type=Path, shown="F", meaning=Sentence("help.hall_roster")),
    argument("--rows", type=whole_number, shown="N", meaning=Sentence("help.hall_rows")),
    argument("--boards", type=whole_number, shown="N", meaning=Sentence("help.hall_boards")),
)
"""Without any of the first three the roster of the running controller."""


USUAL = SupplyWiring()


def _measure(name: str, field: str, what: Sentence) -> Argument:
    standard = getattr(USUAL, field)
    meaning = Sentence("help.with_default", what=what, value=standard)
    return argument(name, dest=field, type=number, shown="X", default=standard, meaning=meaning)


WIRING = (
    _measure("--volts", "volts", Sentence("help.wiring_volts")),
    _measure("--watts", "watts", Sentence("help.wiring_watts")),
    _measure("--efficiency", "efficiency", Sentence("help.wiring_efficiency")),
    _measure("--hop", "hop_m", Sentence("help.wiring_hop")),
    _measure("--contact", "contact_mohm", Sentence("help.wiring_contact")),
    _measure("--lead", "lead_m", Sentence("help.wiring_lead")),
    argument(
        "--gauge",
        default=USUAL.gauge,
        shown="G",
        meaning=Sentence("help.wiring_gauge", awg=", ".join(AWG_MOHM), area=", ".join(AREA_MOHM)),
    ),
    argument("--lead-gauge", default=USUAL.lead_gauge, shown="G", meaning=Sentence("help.wiring_lead_gauge")),
    argument(
        "--conductors",
        type=whole_number,
        default=USUAL.conductors,
        shown="N",
        meaning=Sentence("help.wiring_conductors"),
    ),
    argument("--cca", dest="copper_clad_aluminium", action="store_true", meaning=Sentence("help.wiring_cca")),
)
"""Named like the fields of Wiring."""


def _wiring_of(arguments: Namespace) -> SupplyWiring:
    """Raises SupplyFault."""
    return SupplyWiring(**{field.name: getattr(arguments, field.name) for field in fields(SupplyWiring)})


def _hall_of(arguments: Namespace) -> Roster:
    """The boards that the arguments name. Raises RosterFault; Stop where there are none."""
    if arguments.rows is not None or arguments.boards is not None:
        if arguments.rows is None or arguments.boards is None or arguments.roster is not None:
            raise Stop(BAD_USAGE, Sentence("cli.rows_and_boards_together"))
        return model.new_roster(arguments.rows, arguments.boards)
    if arguments.roster is not None:
        roster = store.from_file(arguments.roster)
    else:
        roster = core_of(arguments).roster()
    if not roster.boards:
        raise Stop(BAD_USAGE, Sentence("cli.hall_without_boards"))
    return roster


def event_of(folder: Path) -> PaperEvent:
    """The event whose name and logo stand on printed sheets, as the controller was last set when it started;
    NO_EVENT where it never has. A logo that is no PNG, or cannot be read, is left out: what is printed
    matters more."""
    try:
        event = load(folder / FILE_NAME).event
    except SettingsFault as fault:
        LOG.debug("no event on paper: %s", fault)
        return NO_EVENT
    try:
        logo = read_logo(event.logo)
    except LogoFault as fault:
        LOG.warning("%s", fault)
        logo = None
    return PaperEvent(event.name, None if logo is None or logo.suffix != ".png" else png_logo(logo.body))


# What a hall needs on paper, as one PDF.

ADDRESS = argument("--address", default="", shown="A", meaning=Sentence("help.paper_address"))
HEAD = argument("--head", type=number, shown="X", default=10.0, meaning=Sentence("help.paper_head"))
LABELS = argument(
    "--labels", choices=tuple(LABEL_SHEETS), default="70x37", meaning=Sentence("help.paper_label_size")
)
SEATS = (
    argument("--address", default="", shown="A", meaning=Sentence("help.paper_seat_address")),
    argument("--revoke", shown="B", meaning=Sentence("help.paper_revoke")),
)
SHEETS: dict[str, tuple[Sentence, Sentence, tuple[Argument, ...]]] = {
    "labels": (Sentence("paper.title_labels"), Sentence("help.paper_labels"), (*HALL, *WIRING, HEAD, LABELS)),
    "cables": (Sentence("paper.title_cables"), Sentence("help.paper_cables"), (*HALL, *WIRING, HEAD)),
    "map": (Sentence("paper.title_map"), Sentence("help.paper_map"), (*HALL, *WIRING, HEAD)),
    "network": (Sentence("paper.title_network"), Sentence("help.paper_network"), (ADDRESS,)),
    "seats": (Sentence("paper.title_seats"), Sentence("help.paper_seats"), SEATS),
    "all": (Sentence("paper.title_all"), Sentence("help.paper_all"), (ADDRESS, *HALL, *WIRING, HEAD, LABELS)),
}
"""Title, what is on it, and its arguments."""


def print_sheets(sheet: str, arguments: Namespace) -> None:
    """In the language that is asked for."""
    hall = None if sheet in ("network", "seats") else _paper_hall(arguments)
    title, content, _ = SHEETS[sheet]
    with speaking(arguments.language or spoken()):
        paper = Paper(
            words(title),
            arguments.title,
            foot=f"pi-controller {__version__}",
            event=event_of(state_dir(arguments)),
        )
        if sheet == "seats":
            content = _seats(paper, arguments)
        elif hall is None:
            _network(paper, arguments)
        else:
            _add(paper, sheet, hall, arguments)
        paper.write(arguments.output)
    print(words(Sentence("cli.about", name=str(arguments.output), told=content)), file=sys.stderr)


for _sheet, (_, _content, _arguments) in SHEETS.items():
    command(
        f"paper {_sheet}",
        argument(
            "-o", "--output", type=Path, shown="F", required=True, meaning=Sentence("help.paper_output")
        ),
        argument("--language", choices=tuple(NAMES), shown="L", meaning=Sentence("help.paper_language")),
        argument("--title", default="", shown="T", meaning=Sentence("help.paper_title")),
        *_arguments,
        meaning=_content,
        failed=lambda path, why: Sentence("paper.not_written", path=path, why=why),
    )(partial(print_sheets, _sheet))


def _paper_hall(arguments: Namespace) -> PaperHall:
    roster, wiring = _hall_of(arguments), _wiring_of(arguments)
    addresses = {}
    if arguments.rows is None and arguments.roster is None:
        nodes = core_of(arguments).tables().nodes
        addresses = {node.uid: f"{node.segment} {node.address}" for node in nodes if node.address}
    return PaperHall(roster=roster, wiring=wiring, head_m=arguments.head, addresses=addresses)


def _add(paper: Paper, sheet: str, hall: PaperHall, arguments: Namespace) -> None:
    if sheet in ("map", "all"):
        add_map(paper, hall)
        supply_sheet(paper, hall)
    if sheet == "all":
        paper.new_page()
    if sheet in ("cables", "all"):
        parts_list(paper, hall)
        cable_list(paper, hall)
    if sheet == "all":
        paper.new_page()
        _network(paper, arguments)
    if sheet in ("labels", "all"):
        add_labels(paper, hall, LABEL_SHEETS[arguments.labels])


def _network(paper: Paper, arguments: Namespace) -> None:
    """With address and fingerprint as the pages were last served; before a start, a line to write on and the
    fingerprint of a certificate that is there already."""
    folder, address = state_dir(arguments) / "web", arguments.address
    served = last_served(folder)
    if served is not None:
        if not address and (found := served.hall.from_elsewhere()) is not None:
            address = _taken(found)
        network_sheet(paper, address, served.fingerprint)
        return
    try:
        network_sheet(paper, address, own_files(folder).fingerprint())
    except CertificateFault:  # there is none that can be read
        network_sheet(paper, address, "")


def _seats(paper: Paper, arguments: Namespace) -> Sentence:
    """The seat codes of all boards, asked of the running controller; what is on the sheets. Ends the program
    when it gives none, or phones cannot open its pages: no code is made before their address is known."""
    address = arguments.address
    if not address:
        served = last_served(state_dir(arguments) / "web")
        found = None if served is None else served.claims.from_elsewhere()
        if found is None:
            raise Stop(REFUSED, Sentence("paper.no_address"))
        address = _taken(found)
    sides: dict[str, dict[Side, str]] = {}
    for each in core_of(arguments).ask(AskSeatCodes(revoke=arguments.revoke)).codes:
        sides.setdefault(each.board, {})[each.side] = each.code
    add_seats(paper, [BoardCodes(board, codes) for board, codes in sides.items()], address)
    made = Sentence("paper.seats_of", count=len(sides))
    if arguments.revoke is None:
        return made
    return Sentence("paper.seats_anew", board=arguments.revoke, made=made)


def _taken(address: str) -> str:
    """Tell which one stands on the sheets, since nobody gave it."""
    print(words(Sentence("paper.address_taken", address=address)), file=sys.stderr)
    return address


# What arrives at the last table, and which supplies a hall needs.


@command(
    "power-budget",
    *HALL,
    *WIRING,
    argument("--feed", choices=get_args(Feed), meaning=Sentence("help.budget_feed")),
    argument("--zone", type=whole_number, shown="N", meaning=Sentence("help.budget_zone")),
    flag("--json", Sentence("help.budget_json")),
)
def power_budget(arguments: Namespace) -> int:
    """FAILED when what was asked for does not hold."""
    if arguments.zone is not None and arguments.feed is None:
        raise Stop(BAD_USAGE, Sentence("cli.zone_needs_feed"))
    roster, wiring = _hall_of(arguments), _wiring_of(arguments)
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


def _print(plan: SupplyPlan, names: list[str]) -> None:
    zones = plan.zones
    print(f"{words(report.assumptions(plan))}.")
    table = [tuple(map(shown, row)) for row in (report.HEAD, *report.rows(plan, names))]
    print("\n".join(columns(table)))
    bought = separated(
        [Sentence("supply.pieces", number=number, part=part) for part, number in report.to_buy(plan)]
    )
    load = sum(zone.settled.feed_a * plan.wiring.volts for zone in zones if zone.settled is not None)
    boards = sum(zone.nodes for zone in zones)
    print(words(Sentence("supply.together", count=boards, watts=load, parts=bought)))
    for remark in report.remarks(plan, names):
        print(words(Sentence("supply.note", remark=remark)))


def _say_what_one_feed_does(simple: SupplyPlan, names: list[str]) -> None:
    fallen = [name for name, zones in zip(names, simple.rows, strict=True) if any(z.faults for z in zones)]
    if fallen:
        told = Sentence("supply.end_feed_does_not_do", count=len(fallen), rows=listed(fallen))
        print(words(told))


# Paper to go on by hand with; core need not run.

MOST_ROLLS, MOST_SHEETS = 300, 60


def _up_to(most: int) -> Callable[[str], int]:
    return within(0, most, lambda _: Sentence("cli.number_up_to", most=most))


@command(
    "fallback",
    argument("-o", "--output", type=Path, shown="F", meaning=Sentence("help.report_output")),
    argument(
        "--rolls", type=_up_to(MOST_ROLLS), default=60, shown="N", meaning=Sentence("help.fallback_rolls")
    ),
    argument(
        "--sheets", type=_up_to(MOST_SHEETS), default=6, shown="N", meaning=Sentence("help.fallback_sheets")
    ),
    argument("--only", choices=("state", "dice", "sheets"), meaning=Sentence("help.fallback_only")),
    argument("game", nargs="?", choices=[STANDARD_INPUT], meaning=Sentence("help.fallback_game")),
)
def fallback(arguments: Namespace) -> None:
    """Of the newest game as its journal left it, or of the lines on standard input."""
    only, folder = arguments.only, state_dir(arguments)
    last = _last_of_input() if arguments.game == STANDARD_INPUT else _last_of(folder)
    rules = CONNECT if last is None else last.game.rules
    made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    paper = Paper(words(Sentence("fallback.title")), made, foot=made, event=event_of(folder))
    if only in (None, "state"):
        add_state(paper, rules, last)
    if only in (None, "dice"):
        due = due_after(last, rules)
        add_dice(paper, rules, list(drawn(rules, due, count=arguments.rolls, source=SystemRandom())))
    if only is None and arguments.sheets:
        paper.new_page()
    if only in (None, "sheets"):
        add_sheets(paper, rules, arguments.sheets)
    if arguments.output is None:
        sys.stdout.buffer.write(paper.pdf())
        return
    paper.write(arguments.output)
    path = str(arguments.output)
    told = Sentence("fallback.made", path=path, rolls=arguments.rolls, sheets=arguments.sheets)
    print(words(told), file=sys.stderr)


def _last_of_input() -> ReplayedChange | None:
    lines = sys.stdin.buffer.read()
    return changes_of(games_in(lines.splitlines(keepends=True))[0])[-1] if lines else None


def _last_of(folder: Path) -> ReplayedChange | None:
    known = games(folder)
    if not known:
        return None
    game = known[0].game_id
    return changes_of(from_folder(folder, game), seed_of(folder, game))[-1]
