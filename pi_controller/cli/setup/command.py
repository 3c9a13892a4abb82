"""`pi-controller setup`: questions, the difference, one file written whole. Ctrl-C before changes nothing."""

import difflib
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from pi_controller.cli.pin import make_pin
from pi_controller.cli.settings import stamp
from pi_controller.cli.setup.answers import NONE, Answers, PinChoice, from_file, from_settings, into_settings
from pi_controller.cli.setup.console import Console
from pi_controller.cli.setup.questions import Machine, questions
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.journal import pairing
from pi_controller.journal.errors import JournalError
from pi_controller.journal.private import private_folder
from pi_controller.protocol.paths import SOCKET_NAME
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import from_table, load, table_of
from pi_controller.settings.report import file_text
from pi_controller.settings.sections import Settings
from pi_controller.settings.versions import replace_file
from pi_controller.web.http.pin import PinFile

UNIT_SETTINGS = Path("/etc/pi-controller/settings.toml")
"""What the installed units read."""
MACHINE = Machine()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be written: checked settings as text."""

    answers: Answers
    settings: Settings
    text: str


def run(name: str, given: list[str]) -> int:
    """0 written, or nothing to write; 2 wrong answers; 3 may not write; in both cases nothing is changed."""
    parser = parser_for(name)
    parser.add_argument(
        "--settings", type=Path, default=UNIT_SETTINGS, metavar="F", help=f"default: {UNIT_SETTINGS}"
    )
    parser.add_argument(
        "--answers", type=Path, metavar="F", help="answers as TOML, in the place of questions"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be written, and end")
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    path: Path = arguments.settings
    if not arguments.dry_run:
        _check_place(path)
    try:
        before = load(path) if path.exists() else _first_settings()
        plan = _unattended(arguments, before) if arguments.answers else _asked(arguments, before)
        _finish(arguments, plan)
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, f"{fault}\nNothing was changed.") from fault
    except JournalError as error:
        raise Stop(REFUSED, f"{error} Nothing was changed.") from error
    except OSError as error:
        raise Stop(FAILED, f"{error.filename or path}: {error.strerror}.") from error
    return ACCEPTED


def _check_place(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise Stop(
            BAD_USAGE,
            f"The folder {folder} is not there: install the controller first, or name another file with"
            " --settings F.",
        )
    if not os.access(folder, os.W_OK):
        raise Stop(
            REFUSED, f"This user may not write {path}: run it with sudo, or name another --settings F."
        )


def _first_settings() -> Settings:
    """Where no file is yet: real hardware and pages for the network on a Pi, simulated elsewhere."""
    is_pi = MACHINE.is_pi()
    answers = Answers(
        panel="real" if is_pi else "simulated",
        reach="network" if is_pi else "this",
        hall=socket.gethostname(),
    )
    return into_settings(answers, Settings())


def _unattended(arguments: Namespace, before: Settings) -> Plan:
    return _plan(from_file(arguments.answers, from_settings(before)), before)


def _asked(arguments: Namespace, before: Settings) -> Plan:
    """Asks until the answers go together. EOF and Ctrl-C end it."""
    if not sys.stdin.isatty():
        raise Stop(BAD_USAGE, "The questions need a terminal: give --answers F, with the answers as TOML.")
    folder = state_dir(arguments)
    console = Console(input, print)
    core_answers = (folder / SOCKET_NAME).exists()
    asked = questions(MACHINE, paired=(folder / pairing.FILE_NAME).exists(), core_answers=core_answers)
    pin_is_set = PinFile(folder / "web").is_set()
    first_pin: PinChoice = "display" if core_answers else "terminal"
    answers = replace(from_settings(before), pair=True, pin="keep" if pin_is_set else first_pin)
    print("Enter takes the answer in brackets; Ctrl-C ends without a change.")
    try:
        while True:
            answers = console.ask_all(asked, MACHINE.ports(), answers)
            try:
                plan = _plan(answers, before)
            except SettingsFault as fault:
                print("\nThese answers do not go together; please go through them once more:")
                print(fault)
                continue
            if arguments.dry_run or _confirmed(console, arguments.settings, plan):
                return plan
            raise Stop(ACCEPTED, "Nothing was changed.")
    except EOFError:
        raise Stop(BAD_USAGE, "\nThe answers ended before the questions: nothing was changed.") from None


def _confirmed(console: Console, path: Path, plan: Plan) -> bool:
    _show_difference(path, plan.text)
    return console.yes(f"\nWrite {path}?")


def _plan(answers: Answers, before: Settings) -> Plan:
    """SettingsFault when these would not be settings."""
    settings = into_settings(answers, before)
    text = file_text(settings)
    checked = from_table(table_of(text, Path("settings")), file="settings")
    return Plan(answers, checked, text)


def _finish(arguments: Namespace, plan: Plan) -> None:
    path: Path = arguments.settings
    if arguments.dry_run:
        _show_difference(path, plan.text)
        print("\nNothing was changed.")
        return
    if arguments.answers:
        _show_difference(path, plan.text)
    folder = state_dir(arguments)
    copy = _make_copy_folder(plan, folder)
    for sentence in (*copy, *_pair(folder, plan.answers), *_write(path, plan.text)):
        print(sentence)
    print("It counts from the next start: `sudo systemctl restart pi-controller-core pi-controller-web`.")
    if plan.answers.pin != "keep":
        print(make_pin(folder, on_terminal=plan.answers.pin == "terminal"))


def _write(path: Path, text: str) -> Sequence[str]:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return (f"{path} is like this already.",)
    backup = replace_file(path, text, stamp())
    return (f"{path} is written.", *([f"The file as it was: {backup}."] if backup else []))


def _pair(folder: Path, answers: Answers) -> Sequence[str]:
    """The settings are not written when the key cannot be made."""
    if not answers.pair or answers.second_copy == NONE or pairing.read_key(folder) is not None:
        return ()
    key = pairing.new_key()
    private_folder(folder)
    pairing.keep_key(folder, key)
    return (
        f"A pairing key is made, mark {key.mark}.",
        "It goes to the spare: `pi-controller pair export` here, `pi-controller pair import` there.",
    )


def _make_copy_folder(plan: Plan, state: Path) -> Sequence[str]:
    """On a stick that is plugged in; without one the copy begins when it is there."""
    copy = plan.settings.journal.second_copy
    folder = Path(copy)
    if not copy or not folder.parent.is_mount() or folder.exists():
        return ()
    folder.mkdir(mode=0o700)
    if os.geteuid() != 0 or not state.is_dir():
        return ()
    owner = state.stat()
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        os.fchown(handle, owner.st_uid, owner.st_gid)
    except PermissionError:  # FAT knows no owners; they come with the mounting
        return (
            f"{folder} has no owner of its own: mount the stick so that the controller's user may write.",
        )
    finally:
        os.close(handle)
    return ()


def _show_difference(path: Path, text: str) -> None:
    old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    lines = list(difflib.unified_diff(old, text.splitlines(), f"{path} now", f"{path} then", lineterm=""))
    print("\n" + ("\n".join(lines) if lines else f"{path} would stay as it is."))
