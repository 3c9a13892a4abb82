"""`pi-controller links`: log-in links for one device each, listed, made and revoked."""

import sys
from argparse import Namespace
from datetime import datetime, timedelta

from pi_controller.cli.hall.tables import columns
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    add_settings,
    add_state_dir,
    of_system,
    parser_for,
    state_dir,
)
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load
from pi_controller.web.http.access import (
    LINK_LASTS_S,
    LONGEST_NAME,
    KeyFault,
    Link,
    LinkBook,
    Tokens,
    is_name,
    login_path,
    machine_clocks,
)
from pi_controller.web.http.addresses import staff_address
from pi_controller.web.http.connections import last_served
from pi_controller.web.http.routes import ROLES

HEAD = (
    Sentence("links.column_id"),
    Sentence("links.column_role"),
    Sentence("links.column_name"),
    Sentence("links.column_state"),
    Sentence("links.column_ends"),
)


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    listed = tasks.add_parser("list", help=words(Sentence("help.links_list")))
    make = tasks.add_parser("make", help=words(Sentence("help.links_make")))
    make.add_argument("role", choices=ROLES, help=words(Sentence("help.links_role")))
    make.add_argument(
        "name",
        nargs="?",
        default="",
        metavar=words(Sentence("metavar.name")),
        help=words(Sentence("help.links_name")),
    )
    add_settings(make)
    revoke = tasks.add_parser("revoke", help=words(Sentence("help.links_revoke")))
    revoke.add_argument(
        "id", metavar=words(Sentence("links.column_id")), help=words(Sentence("help.links_id"))
    )
    for task in (listed, make, revoke):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        links = Tokens(state_dir(arguments) / "web", machine_clocks()).links
        TASKS[arguments.task](links, arguments)
    except OSError as error:
        raise Stop(FAILED, of_system(error, state_dir(arguments))) from error
    except KeyFault as fault:
        raise Stop(FAILED, fault.sentence) from fault
    except SettingsFault as fault:
        print(fault, file=sys.stderr)
        return BAD_USAGE
    return ACCEPTED


def _list(links: LinkBook, _arguments: Namespace) -> None:
    found = links.all()
    rows = [tuple(map(words, HEAD)), *(_row(links, link) for link in found)]
    print("\n".join(columns(rows)) if found else words(Sentence("links.none")))


def _row(links: LinkBook, link: Link) -> tuple[str, ...]:
    ends = datetime.now().astimezone() + timedelta(seconds=links.left_s(link))
    state = Sentence("links.in_use") if link.used else Sentence("links.unused")
    return link.id, link.role, link.name or "-", words(state), f"{ends:%Y-%m-%d %H:%M}"


def _make(links: LinkBook, arguments: Namespace) -> None:
    name = arguments.name.strip()
    if not is_name(name):
        raise Stop(BAD_USAGE, Sentence("web.link_name", most=LONGEST_NAME))
    served = last_served(state_dir(arguments) / "web")
    if served is not None and arguments.settings is None:
        address = served.staff
    else:
        address = staff_address(load(arguments.settings).web)
    link, token = links.make(arguments.role, name, "link")
    print(link.id, address.printed() + login_path(token))
    print(words(Sentence("links.made", hours=round(LINK_LASTS_S / 3600))))


def _revoke(links: LinkBook, arguments: Namespace) -> None:
    if not links.revoke(arguments.id):
        raise Stop(REFUSED, Sentence("web.no_such_link"))
    print(words(Sentence("links.revoked")))


TASKS = {"list": _list, "make": _make, "revoke": _revoke}
