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
    parser_for,
    state_dir,
)
from pi_controller.language.words import words
from pi_controller.protocol.client import Client
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore, SocketPathTooLong
from pi_controller.protocol.paths import socket_path
from pi_controller.sentence import Sentence
from pi_controller.web.http.pin import PinFile, new_pin
from pi_controller.web.http.tokens import end_all_sessions

SHOWN = "The new PIN stands on the controller's display for one minute."


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    new = tasks.add_parser("new", help="another PIN, shown on the controller's display")
    new.add_argument("--print", action="store_true", help="on this terminal in the place of the display")
    new.add_argument("--end-sessions", action="store_true", help="whoever is logged in must do so again")
    off = tasks.add_parser("off", help="no log-in by PIN; links and tokens stay")
    show = tasks.add_parser("show", help="whether there is a PIN; itself it is kept nowhere")
    for task in (new, off, show):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        TASKS[arguments.task](arguments)
    except OSError as error:
        raise Stop(FAILED, f"{error.filename or state_dir(arguments)}: {error.strerror}") from error
    return ACCEPTED


def make_pin(folder: Path, *, on_terminal: bool) -> str:
    """A new PIN, shown once; the sentence for who asked. It counts only once somebody could read it.

    Raises Stop (NO_CORE or REFUSED, and nothing is changed) when nobody could; OSError.
    """
    pin, shown = new_pin(), SHOWN
    if on_terminal:
        shown = f"The new PIN is {pin}. It is shown this once."
    else:
        _show(folder, pin)
    PinFile(folder / "web").keep(pin)
    return shown


def _show(folder: Path, pin: str) -> None:
    try:
        Client(socket_path(folder)).show_pin(pin)
    except (NoCore, CoreTrouble, Malformed, SocketPathTooLong) as error:
        status = NO_CORE if isinstance(error, NoCore) else REFUSED
        raise Stop(status, words(Sentence("pin.not_made", why=error.sentence))) from error


def _new(arguments: Namespace) -> None:
    folder = state_dir(arguments)
    sentence = make_pin(folder, on_terminal=arguments.print)
    if arguments.end_sessions:
        end_all_sessions(folder / "web")
        sentence += " Whoever was logged in must log in again; links and the scripts' token are new, too."
    print(sentence)


def _off(arguments: Namespace) -> None:
    removed = PinFile(state_dir(arguments) / "web").remove()
    print("Log-in by PIN is off." if removed else "There was no PIN.")


def _show_state(arguments: Namespace) -> None:
    file = PinFile(state_dir(arguments) / "web")
    if not file.is_set():
        print("There is no PIN: `pi-controller pin new` makes one.")
        return
    since = datetime.fromtimestamp(file.path.stat().st_mtime).astimezone()
    print(f"There is a PIN since {since:%Y-%m-%d %H:%M}. Only its hash is kept:")
    print("`pi-controller pin new` shows another one.")


TASKS = {"new": _new, "off": _off, "show": _show_state}
