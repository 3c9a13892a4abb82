"""`pi-controller pin`: the six digits that let a phone into the director's and the technician's page."""

from argparse import Namespace
from datetime import datetime
from pathlib import Path

from pi_controller.cli.usage import (
    ACCEPTED,
    FAILED,
    NO_CORE,
    REFUSED,
    Stop,
    add_state_dir,
    of_system,
    parser_for,
    state_dir,
)
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import PinFile, end_all_sessions, new_pin


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    new = tasks.add_parser("new", help=words(Sentence("help.pin_new")))
    new.add_argument("--print", action="store_true", help=words(Sentence("help.pin_print")))
    new.add_argument("--end-sessions", action="store_true", help=words(Sentence("help.pin_end_sessions")))
    off = tasks.add_parser("off", help=words(Sentence("help.pin_off")))
    show = tasks.add_parser("show", help=words(Sentence("help.pin_show")))
    for task in (new, off, show):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        TASKS[arguments.task](arguments)
    except OSError as error:
        raise Stop(FAILED, of_system(error, state_dir(arguments))) from error
    return ACCEPTED


def make_pin(folder: Path, *, on_terminal: bool) -> Sentence:
    """A new PIN, shown once; the sentence for who asked. It counts only once somebody could read it.

    Raises Stop (NO_CORE or REFUSED, and nothing is changed) when nobody could; OSError.
    """
    pin, told = new_pin(), Sentence("pin.shown_on_display")
    if on_terminal:
        told = Sentence("pin.shown_here", pin=pin)
    else:
        _show(folder, pin)
    PinFile(folder / "web").keep(pin)
    return told


def _show(folder: Path, pin: str) -> None:
    try:
        Client(socket_path(folder)).show_pin(pin)
    except (NoCore, CoreTrouble, Malformed, SocketPathTooLong) as error:
        status = NO_CORE if isinstance(error, NoCore) else REFUSED
        raise Stop(status, Sentence("pin.not_made", why=error.sentence)) from error


def _new(arguments: Namespace) -> None:
    folder = state_dir(arguments)
    told = [make_pin(folder, on_terminal=arguments.print)]
    if arguments.end_sessions:
        end_all_sessions(folder / "web")
        told.append(Sentence("pin.sessions_ended"))
    print(words(Sentence("list.sentences", sentences=tuple(told))))


def _off(arguments: Namespace) -> None:
    removed = PinFile(state_dir(arguments) / "web").remove()
    print(words(Sentence("pin.is_off") if removed else Sentence("pin.there_was_none")))


def _show_state(arguments: Namespace) -> None:
    file = PinFile(state_dir(arguments) / "web")
    if not file.is_set():
        print(words(Sentence("pin.there_is_none")))
        return
    since = datetime.fromtimestamp(file.path.stat().st_mtime).astimezone()
    print(words(Sentence("pin.since", when=f"{since:%Y-%m-%d %H:%M}")))


TASKS = {"new": _new, "off": _off, "show": _show_state}
