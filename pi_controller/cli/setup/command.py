"""`pi-controller setup`: questions, the difference, one file written whole. Ctrl-C before changes nothing."""

import difflib
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from pi_controller.cli.access.pin import make_pin
from pi_controller.cli.settings import stamp
from pi_controller.cli.setup.console import Console
from pi_controller.cli.setup.questions import (
    NONE,
    Answers,
    Machine,
    PinChoice,
    SiteCertificate,
    from_file,
    from_settings,
    into_settings,
    questions,
)
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
from pi_controller.journal.store import private_folder
from pi_controller.language.languages import ENGLISH, as_language
from pi_controller.language.system_errors import why
from pi_controller.language.words import spoken, words
from pi_controller.protocol.paths import SOCKET_NAME
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import file_text, from_table, load, replace_file, table_of
from pi_controller.settings.sections import Settings
from pi_controller.web.http.access import PinFile

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
        "--settings",
        type=Path,
        default=UNIT_SETTINGS,
        metavar="F",
        help=words(Sentence("help.setup_settings", path=str(UNIT_SETTINGS))),
    )
    parser.add_argument("--answers", type=Path, metavar="F", help=words(Sentence("help.setup_answers")))
    parser.add_argument("--dry-run", action="store_true", help=words(Sentence("help.setup_dry_run")))
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    path: Path = arguments.settings
    if not arguments.dry_run:
        check_place(path)
    try:
        before = load(path) if path.exists() else _first_settings()
        plan = _unattended(arguments, before) if arguments.answers else _asked(arguments, before)
        _finish(arguments, plan)
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, Sentence("setup.mistakes", problems=str(fault))) from fault
    except JournalError as error:
        raise Stop(REFUSED, Sentence("setup.refused", problem=error.sentence)) from error
    except OSError as error:
        where = str(error.filename or path)
        raise Stop(FAILED, Sentence("setup.failed", path=where, why=why(error))) from error
    return ACCEPTED


def check_place(path: Path) -> None:
    """Raises Stop where a settings file could not be written there."""
    folder = path.parent
    if not folder.is_dir():
        raise Stop(BAD_USAGE, Sentence("setup.no_folder", folder=str(folder)))
    if not os.access(folder, os.W_OK):
        raise Stop(REFUSED, Sentence("setup.may_not_write", path=str(path)))


def _first_settings() -> Settings:
    """Where no file is yet: real hardware and pages for the network on a Pi, simulated elsewhere."""
    is_pi = MACHINE.is_pi()
    answers = Answers(
        language=as_language(spoken()) or ENGLISH,
        panel="real" if is_pi else "simulated",
        reach="network" if is_pi else "this",
        transport="tls" if is_pi else "plain",
        hall=socket.gethostname(),
    )
    return into_settings(answers, Settings())


def _unattended(arguments: Namespace, before: Settings) -> Plan:
    answers = from_file(arguments.answers, from_settings(before))
    problem = _site(arguments).problem(answers)
    if problem is not None:
        raise SettingsFault((problem,))
    return _plan(answers, before)


def _site(arguments: Namespace) -> SiteCertificate:
    return SiteCertificate(state_dir(arguments), datetime.now(UTC))


def _asked(arguments: Namespace, before: Settings) -> Plan:
    """Asks until the answers go together. EOF and Ctrl-C end it."""
    if not sys.stdin.isatty():
        raise Stop(BAD_USAGE, Sentence("setup.needs_terminal"))
    folder = state_dir(arguments)
    console = Console(input, print)
    core_answers = (folder / SOCKET_NAME).exists()
    paired = (folder / pairing.FILE_NAME).exists()
    asked = questions(MACHINE, _site(arguments), paired=paired, core_answers=core_answers)
    pin_is_set = PinFile(folder / "web").is_set()
    first_pin: PinChoice = "display" if core_answers else "terminal"
    answers = replace(from_settings(before), pair=True, pin="keep" if pin_is_set else first_pin)
    print(words(Sentence("setup.enter_and_ctrl_c")))
    try:
        while True:
            answers = console.ask_all(asked, MACHINE.ports(), answers)
            try:
                plan = _plan(answers, before)
            except SettingsFault as fault:
                print("\n" + words(Sentence("setup.do_not_go_together")))
                print(fault)
                continue
            if arguments.dry_run or _confirmed(console, arguments.settings, plan):
                return plan
            raise Stop(ACCEPTED, Sentence("setup.nothing_changed"))
    except EOFError:
        print(file=sys.stderr)
        raise Stop(BAD_USAGE, Sentence("setup.answers_ended")) from None


def _confirmed(console: Console, path: Path, plan: Plan) -> bool:
    show_difference(path, plan.text)
    return console.yes("\n" + words(Sentence("setup.write_it", path=str(path))))


def _plan(answers: Answers, before: Settings) -> Plan:
    """SettingsFault when these would not be settings."""
    settings = into_settings(answers, before)
    text = file_text(settings)
    checked = from_table(table_of(text, Path("settings")), file="settings")
    return Plan(answers, checked, text)


def _finish(arguments: Namespace, plan: Plan) -> None:
    path: Path = arguments.settings
    if arguments.dry_run:
        show_difference(path, plan.text)
        print("\n" + words(Sentence("setup.nothing_changed")))
        return
    if arguments.answers:
        show_difference(path, plan.text)
    folder = state_dir(arguments)
    copy = _make_copy_folder(plan, folder)
    for told in (*copy, *_pair(folder, plan.answers), *write_settings(path, plan.text)):
        print(words(told))
    print(words(Sentence("setup.counts_from_next_start")))
    if plan.answers.pin != "keep":
        print(words(make_pin(folder, on_terminal=plan.answers.pin == "terminal")))


def write_settings(path: Path, text: str) -> Sequence[Sentence]:
    """Put it there, the earlier one beside it; what is to be told. Raises OSError."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return (Sentence("setup.like_this_already", path=str(path)),)
    backup = replace_file(path, text, stamp())
    was = [Sentence("settings.file_as_it_was", path=str(backup))] if backup else []
    return (Sentence("setup.is_written", path=str(path)), *was)


def _pair(folder: Path, answers: Answers) -> Sequence[Sentence]:
    """The settings are not written when the key cannot be made."""
    if not answers.pair or answers.second_copy == NONE or pairing.read_key(folder) is not None:
        return ()
    key = pairing.new_key()
    private_folder(folder)
    pairing.keep_key(folder, key)
    return (Sentence("setup.key_is_made", mark=key.mark), Sentence("setup.key_goes_to_spare"))


def _make_copy_folder(plan: Plan, state: Path) -> Sequence[Sentence]:
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
        return (Sentence("setup.no_owner", folder=str(folder)),)
    finally:
        os.close(handle)
    return ()


def show_difference(path: Path, text: str) -> None:
    """Print what would change in this file."""
    old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    now, then = words(Sentence("setup.now", path=str(path))), words(Sentence("setup.then", path=str(path)))
    lines = list(difflib.unified_diff(old, text.splitlines(), now, then, lineterm=""))
    print("\n" + ("\n".join(lines) or words(Sentence("setup.would_stay", path=str(path)))))
