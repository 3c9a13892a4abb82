"""Who may log in: `pi-controller pin`, the log-in links of `links list`, `make` and `revoke`; and
`certificate`, the controller's own for the staff's pages."""

import sys
from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pi_controller.cli.usage import (
    BAD_USAGE,
    NO_CORE,
    REFUSED,
    SETTINGS,
    Stop,
    argument,
    command,
    flag,
    lines_of_table,
    state_dir,
)
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.sentence import Sentence
from pi_controller.settings.load import load
from pi_controller.web.http.access import (
    LINK_LASTS_S,
    LONGEST_NAME,
    LinkBook,
    LogInLink,
    PinFile,
    Tokens,
    end_all_sessions,
    is_name,
    login_path,
    machine_clocks,
    new_pin,
)
from pi_controller.web.http.addresses import own_names, staff_address
from pi_controller.web.http.connections import last_served
from pi_controller.web.http.routes import ROLES
from pi_controller.web.http.tls import own_files

# The six digits that let a phone into the director's and the technician's page.


@command(
    "pin new",
    flag("--print", Sentence("help.pin_print")),
    flag("--end-sessions", Sentence("help.pin_end_sessions")),
    meaning=Sentence("help.pin_new"),
)
def new(arguments: Namespace) -> None:
    """On the controller's display, or here."""
    folder = state_dir(arguments)
    told = [make_pin(folder, on_terminal=arguments.print)]
    if arguments.end_sessions:
        end_all_sessions(folder / "web")
        told.append(Sentence("pin.sessions_ended"))
    print(words(Sentence("list.sentences", sentences=tuple(told))))


def make_pin(folder: Path, *, on_terminal: bool) -> Sentence:
    """A new PIN, shown once; the sentence for who asked. It counts only once somebody could read it.

    Raises Stop (NO_CORE or REFUSED, and nothing is changed) when nobody could; OSError.
    """
    pin, told = new_pin(), Sentence("pin.shown_on_display")
    if on_terminal:
        told = Sentence("pin.shown_here", pin=pin)
    else:
        try:
            Client(socket_path(folder)).show_pin(pin)
        except (NoCore, CoreTrouble, Malformed, SocketPathTooLong) as error:
            status = NO_CORE if isinstance(error, NoCore) else REFUSED
            raise Stop(status, Sentence("pin.not_made", why=error.sentence)) from error
    PinFile(folder / "web").keep(pin)
    return told


@command("pin off", meaning=Sentence("help.pin_off"))
def off(arguments: Namespace) -> None:
    """No phone gets in by a PIN any more."""
    removed = PinFile(state_dir(arguments) / "web").remove()
    print(words(Sentence("pin.is_off") if removed else Sentence("pin.there_was_none")))


@command("pin show", meaning=Sentence("help.pin_show"))
def show(arguments: Namespace) -> None:
    """Since when there is one; nobody can read it any more."""
    file = PinFile(state_dir(arguments) / "web")
    if not file.is_set():
        print(words(Sentence("pin.there_is_none")))
        return
    since = datetime.fromtimestamp(file.path.stat().st_mtime).astimezone()
    print(words(Sentence("pin.since", when=f"{since:%Y-%m-%d %H:%M}")))


# Log-in links for one device each.


def _book(arguments: Namespace) -> LinkBook:
    """Raises KeyFault, OSError."""
    return Tokens(state_dir(arguments) / "web", machine_clocks()).links


@command("links list", meaning=Sentence("help.links_list"))
def list_links(arguments: Namespace) -> None:
    """Those that still count."""
    links = _book(arguments)

    def ends(link: LogInLink) -> str:
        return f"{datetime.now().astimezone() + timedelta(seconds=links.left_s(link)):%Y-%m-%d %H:%M}"

    in_use, unused = Sentence("links.in_use"), Sentence("links.unused")
    shape: dict[Sentence, Callable[[LogInLink], str]] = {
        Sentence("links.column_id"): lambda link: link.id,
        Sentence("links.column_role"): lambda link: link.role,
        Sentence("links.column_name"): lambda link: link.name or "-",
        Sentence("links.column_state"): lambda link: words(in_use if link.used else unused),
        Sentence("links.column_ends"): ends,
    }
    found = links.all()
    print("\n".join(lines_of_table(shape, found)) if found else words(Sentence("links.none")))


@command(
    "links make",
    argument("role", choices=ROLES, meaning=Sentence("help.links_role")),
    argument(
        "name", nargs="?", default="", shown=Sentence("metavar.name"), meaning=Sentence("help.links_name")
    ),
    SETTINGS,
    meaning=Sentence("help.links_make"),
)
def make_link(arguments: Namespace) -> None:
    """With the address at which the pages were last served, or which these settings give them."""
    links, name = _book(arguments), arguments.name.strip()
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


@command(
    "links revoke",
    argument("id", shown=Sentence("links.column_id"), meaning=Sentence("help.links_id")),
    meaning=Sentence("help.links_revoke"),
)
def revoke_link(arguments: Namespace) -> None:
    """Who came by it is logged out."""
    if not _book(arguments).revoke(arguments.id):
        raise Stop(REFUSED, Sentence("web.no_such_link"))
    print(words(Sentence("links.revoked")))


# The controller's own certificate.


@command("certificate make", meaning=Sentence("help.certificate_make"))
def make_certificate(arguments: Namespace) -> None:
    """A new one, for all names and addresses of this machine."""
    from pi_controller.web.http.own_certificate import make_own  # noqa: PLC0415 - its library takes 8 MiB

    make_own(state_dir(arguments) / "web", own_names(), datetime.now(UTC))
    print(words(Sentence("certificate.made")))
    show_certificate(arguments)


@command("certificate show", meaning=Sentence("help.certificate_show"))
def show_certificate(arguments: Namespace) -> None:
    """Its fingerprint, which staff compare, and its dates."""
    files, now = own_files(state_dir(arguments) / "web"), datetime.now(UTC)
    print(words(Sentence("certificate.fingerprint", fingerprint=files.fingerprint())))
    validity = files.validity()
    first, last = f"{validity.first:%Y-%m-%d}", f"{validity.last:%Y-%m-%d}"
    print(words(Sentence("certificate.valid", first=first, last=last)))
    if (doubt := validity.doubt(now)) is not None:
        print(words(doubt), file=sys.stderr)
