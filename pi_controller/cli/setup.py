"""The settings file: `pi-controller settings` shows what is in force and every mistake of a file at once, and
brings a file to the newest form; `setup` asks at the terminal and writes it."""

import contextlib
import difflib
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pi_controller.cli.access import make_pin
from pi_controller.cli.questions import (
    NO,
    NONE,
    YES,
    NoAnswer,
    PinChoice,
    SetupAnswers,
    SetupMachine,
    SetupQuestion,
    SiteCertificate,
    convert,
    from_file,
    from_settings,
    into_settings,
    questions,
)
from pi_controller.cli.typed import plain
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    REFUSED,
    SETTINGS,
    UNIT_SETTINGS,
    Stop,
    argument,
    command,
    flag,
    settings_of,
    state_dir,
)
from pi_controller.core.monitoring import judge_time
from pi_controller.journal import pairing
from pi_controller.journal.errors import JournalError
from pi_controller.journal.recovery import recover
from pi_controller.journal.store import private_folder
from pi_controller.language.languages import ENGLISH, NAMES, UNPROOFED, as_language
from pi_controller.language.words import own_words, speak, spoken, words
from pi_controller.protocol.paths import SOCKET_NAME
from pi_controller.sentence import Sentence, as_told, listed
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import (
    diff,
    file_text,
    from_table,
    load,
    read_text,
    replace_file,
    show,
    table_of,
    upgrade,
)
from pi_controller.settings.overlay import layered
from pi_controller.settings.sections import Settings
from pi_controller.web.http.access import PinFile
from pi_controller.web.http.tls import CertificateFault, served_files

FILE = argument("settings", type=Path, shown="F")


@command(
    "settings show",
    SETTINGS,
    flag("--diff", Sentence("help.settings_diff")),
    meaning=Sentence("help.settings_show"),
)
def show_settings(arguments: Namespace) -> None:
    """Those in force and where each comes from, or what is not as it would be without a file."""
    layers, left_out = layered(load(settings_of(arguments)), state_dir(arguments))
    for problem in (*left_out, *_own_words()):
        print(words(problem), file=sys.stderr)
    told = diff if arguments.diff else show
    print(told(layers.settings, lambda row: SOURCES[layers.source(row)]).rstrip("\n"))


SOURCES = {
    "default": Sentence("settings.from_default"),
    "file": Sentence("settings.from_file"),
    "page": Sentence("settings.from_page"),
}


@command("settings check", FILE, meaning=Sentence("help.settings_check"))
def check(arguments: Namespace) -> None:
    """Mistakes are bad usage; doubts are told beside."""
    settings = load(arguments.settings)
    print(words(Sentence("settings.no_mistakes", path=str(arguments.settings))))
    for told in (*_own_words(), *_doubts(settings, state_dir(arguments))):
        print(words(told), file=sys.stderr)


def _own_words() -> Iterator[Sentence]:
    """Of each of the site's own files, how many of its texts are in force, and which are not."""
    for own in own_words():
        yield Sentence("settings.words_in_force", file=own.file, count=len(own.texts))
        yield from own.left_out()


def _doubts(settings: Settings, folder: Path) -> Iterator[Sentence]:
    """What is no mistake of the settings, and yet to be put right: the certificate's dates, the clock. What
    this account may not read is passed over."""
    for language in settings.hall.languages:
        if language in UNPROOFED:
            yield Sentence("settings.unproofed_language", language=NAMES[language])
    web, now = settings.web, datetime.now(UTC)
    if web.staff_tls and web.staff_port:
        files = served_files(folder, staff_certificate=web.staff_certificate, staff_key=web.staff_key)
        if files.certificate.exists() or web.staff_certificate:
            try:
                doubt = files.validity().doubt(now)
            except CertificateFault as fault:
                doubt = fault.sentence
            if doubt is not None:
                yield doubt
    with contextlib.suppress(OSError, JournalError):
        newest = recover(folder, mend=False)
        last = newest.records[-1].wall if newest is not None and newest.records else ""
        if (judged := judge_time(now.isoformat(), last)) is not None:
            yield judged[1]


@command(
    "settings upgrade",
    FILE,
    meaning=Sentence("help.settings_upgrade"),
    failed=lambda path, why: Sentence("settings.not_changed", path=path, why=why),
    in_state_dir=False,
)
def upgrade_file(arguments: Namespace) -> None:
    """Raises SettingsFault when the newest form would not be settings; then nothing is written."""
    path: Path = arguments.settings
    text = read_text(path)
    newest = upgrade(text, table_of(text, path), str(path))
    if not newest.changes:
        print(words(Sentence("settings.newest_form", path=str(path))))
        return
    from_table(table_of(newest.text, path), file=str(path))
    backup = replace_file(path, newest.text, _stamp())
    for change in newest.changes:
        print(words(Sentence("cli.about", name=str(path), told=change)))
    print(words(Sentence("settings.file_as_it_was", path=str(backup))))


def _stamp() -> str:
    """What a backup's name ends in."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def write_settings(path: Path, text: str) -> Sequence[Sentence]:
    """Put it there, the earlier one beside it; what is to be told. Raises OSError."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return (Sentence("setup.like_this_already", path=str(path)),)
    backup = replace_file(path, text, _stamp())
    was = [Sentence("settings.file_as_it_was", path=str(backup))] if backup else []
    return (Sentence("setup.is_written", path=str(path)), *was)


def show_difference(path: Path, text: str) -> None:
    """Print what would change in this file."""
    old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    now, then = words(Sentence("setup.now", path=str(path))), words(Sentence("setup.then", path=str(path)))
    lines = list(difflib.unified_diff(old, text.splitlines(), now, then, lineterm=""))
    print("\n" + ("\n".join(lines) or words(Sentence("setup.would_stay", path=str(path)))))


def check_place(path: Path) -> None:
    """Raises Stop where a settings file could not be written there."""
    folder = path.parent
    if not folder.is_dir():
        raise Stop(BAD_USAGE, Sentence("setup.no_folder", folder=str(folder)))
    if not os.access(folder, os.W_OK):
        raise Stop(REFUSED, Sentence("setup.may_not_write", path=str(path)))


# Asks at the terminal. Enter takes the answer in brackets; a wrong one is told and asked again.

SEGMENTS_AFTER = "sound"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ENGLISH_WORDS = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}
"""Understood in every language, besides its own words and their first letters."""


class SetupConsole:
    """`read` takes a prompt and gives a line; it raises EOFError when there are no more."""

    def __init__(self, read: Callable[[str], str], say: Callable[[str], None]) -> None:
        self._read = read
        self._say = say

    def ask_all(
        self, questions: Iterable[SetupQuestion], ports: tuple[str, ...], before: SetupAnswers
    ) -> SetupAnswers:
        """Every question that applies; `before` are the answers that stand in brackets."""
        answers = before
        for question in questions:
            if question.applies(answers):
                answers = self._answered(question, answers)
            if question.name == "language":
                speak(answers.language)
            if question.name == SEGMENTS_AFTER:
                answers = replace(answers, segments=self._ask_segments(ports, answers.segments))
        return answers

    def _answered(self, question: SetupQuestion, answers: SetupAnswers) -> SetupAnswers:
        """With an answer that has no problem beside the others."""
        while True:
            value = self._ask(question, getattr(answers, question.name))
            answered = replace(answers, **{question.name: value})
            try:
                question.check(answered)
            except NoAnswer as problem:
                self._say(f"  {problem}")
            else:
                return answered

    def yes(self, text: str) -> bool:
        """Whether the answer is yes, which Enter means, too."""
        while True:
            said = plain(self._read(f"{text} [{words(YES)}]: "))
            if not said or said in _yes_and_no():
                return _yes_and_no().get(said, True)
            self._say(f"  {words(Sentence('setup.yes_or_no', yes=YES, no=NO))}")

    def _ask(self, question: SetupQuestion, default: Any) -> Any:
        options = question.options
        if options and default not in options and question.free:
            options = {**options, default: Sentence("setup.as_it_is_now")}
        elif options and default not in options:
            default = next(iter(options))
        self._say(f"\n{words(question.text)}")
        for number, (value, label) in enumerate(options.items(), 1):
            self._say(f"  {number}  {_shown(value, words(label))}")
        while True:
            said = self._read(f"  [{_default(options, default)}]: ").strip()
            if not said:
                return default
            try:
                return _chosen(question, options, said)
            except NoAnswer as problem:
                self._say(f"  {problem}")

    def _ask_segments(self, ports: tuple[str, ...], before: Mapping[str, str]) -> dict[str, str]:
        """A letter for each port that is there or was named before."""
        self._say(f"\n{words(Sentence('setup.segments'))}")
        named = {port: letter for letter, port in before.items()}
        offered = [*ports, *(port for port in named if port not in ports)]
        if not offered:
            self._say(f"  {words(Sentence('setup.no_adapter'))}")
        found: dict[str, str] = {}
        for port in offered:
            told = as_told(port) if port in ports else Sentence("setup.not_plugged_in", port=port)
            letter = self._ask_letter(f"  {words(told)}", named.get(port) or _next(found, before), found)
            if letter is not None:
                found[letter] = port
        return found

    def _ask_letter(self, text: str, default: str, taken: Mapping[str, str]) -> str | None:
        while True:
            said = self._read(f"{text} [{default}]: ").strip().upper() or default
            if said == "-":
                return None
            if len(said) == 1 and said in LETTERS and said not in taken:
                return said
            self._say(f"  {words(_wanted_letter(taken))}")


def _shown(value: Any, label: str) -> str:
    plain = isinstance(value, bool) or value == NONE or len(str(value)) <= len("simulated")
    return label if plain else f"{value}  ({label})"


def _default(options: Mapping[Any, Sentence], default: Any) -> str:
    """Its number, where it is offered."""
    return str([*options].index(default) + 1 if default in options else default)


def _chosen(question: SetupQuestion, options: Mapping[Any, Sentence], said: str) -> Any:
    """The value that a number, a word or a text stands for; NoAnswer when it stands for none."""
    if said.isdigit() and 1 <= int(said) <= len(options):
        return [*options][int(said) - 1]
    if options and not question.free:
        for value, label in options.items():
            if plain(said) in {plain(str(value)), plain(words(label))}:
                return value
        if True in options and plain(said) in _yes_and_no():
            return _yes_and_no()[plain(said)]
    if options and (said.isdigit() or not question.free):
        raise NoAnswer(Sentence("setup.type_a_number", most=len(options)))
    if said == "-" and not options:
        return ""
    return convert(question.name, int(said) if question.name == "port" and said.isdigit() else said)


def _next(found: Mapping[str, str], before: Mapping[str, str]) -> str:
    return next((letter for letter in LETTERS if letter not in found and letter not in before), "-")


def _wanted_letter(taken: Mapping[str, str]) -> Sentence:
    if not taken:
        return Sentence("setup.type_a_letter")
    return Sentence("setup.type_another_letter", count=len(taken), taken=listed(sorted(taken)))


def _yes_and_no() -> Mapping[str, bool]:
    yes, no = plain(words(YES)), plain(words(NO))
    return {yes[0]: True, no[0]: False, yes: True, no: False} | ENGLISH_WORDS


# Questions, the difference, one file written whole. Ctrl-C before changes nothing.

MACHINE = SetupMachine()
OWN_SETTINGS = argument(
    "--settings",
    type=Path,
    default=UNIT_SETTINGS,
    shown="F",
    meaning=Sentence("help.setup_settings", path=str(UNIT_SETTINGS)),
)


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """What is to be written: checked settings as text."""

    answers: SetupAnswers
    settings: Settings
    text: str


@command(
    "setup",
    OWN_SETTINGS,
    argument("--answers", type=Path, shown="F", meaning=Sentence("help.setup_answers")),
    flag("--dry-run", Sentence("help.setup_dry_run")),
    failed=lambda path, why: Sentence("setup.failed", path=path, why=why),
)
def setup(arguments: Namespace) -> None:
    """BAD_USAGE for wrong answers, REFUSED where it may not write; in both cases nothing is changed."""
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


def _first_settings() -> Settings:
    """Where no file is yet: real hardware and pages for the network on a Pi, simulated elsewhere."""
    is_pi = MACHINE.is_pi()
    answers = SetupAnswers(
        language=as_language(spoken()) or ENGLISH,
        panel="real" if is_pi else "simulated",
        reach="network" if is_pi else "this",
        transport="tls" if is_pi else "plain",
        hall=socket.gethostname(),
    )
    return into_settings(answers, Settings())


def _unattended(arguments: Namespace, before: Settings) -> SetupPlan:
    answers = from_file(arguments.answers, from_settings(before))
    problem = _site(arguments).problem(answers)
    if problem is not None:
        raise SettingsFault((problem,))
    return _plan(answers, before)


def _site(arguments: Namespace) -> SiteCertificate:
    return SiteCertificate(state_dir(arguments), datetime.now(UTC))


def _asked(arguments: Namespace, before: Settings) -> SetupPlan:
    """Asks until the answers go together. EOF and Ctrl-C end it."""
    if not sys.stdin.isatty():
        raise Stop(BAD_USAGE, Sentence("setup.needs_terminal"))
    folder = state_dir(arguments)
    console = SetupConsole(input, print)
    core_answers = (folder / SOCKET_NAME).exists()
    paired = (folder / pairing.FILE_NAME).exists()
    asked = questions(
        MACHINE, _site(arguments), before.hall.languages, paired=paired, core_answers=core_answers
    )
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


def _confirmed(console: SetupConsole, path: Path, plan: SetupPlan) -> bool:
    show_difference(path, plan.text)
    return console.yes("\n" + words(Sentence("setup.write_it", path=str(path))))


def _plan(answers: SetupAnswers, before: Settings) -> SetupPlan:
    """SettingsFault when these would not be settings."""
    settings = into_settings(answers, before)
    text = file_text(settings)
    checked = from_table(table_of(text, Path("settings")), file="settings")
    return SetupPlan(answers, checked, text)


def _finish(arguments: Namespace, plan: SetupPlan) -> None:
    path: Path = arguments.settings
    if arguments.dry_run:
        show_difference(path, plan.text)
        print("\n" + words(Sentence("setup.nothing_changed")))
        return
    if arguments.answers:
        show_difference(path, plan.text)
    folder = state_dir(arguments)
    copy = _make_copy_folder(plan, folder)
    said = (*copy, *_pair(folder, plan.answers), *write_settings(path, plan.text))
    for told in (*said, *_hidden(plan.settings, folder)):
        print(words(told))
    print(words(Sentence("setup.counts_from_next_start")))
    if plan.answers.pin != "keep":
        print(words(make_pin(folder, on_terminal=plan.answers.pin == "terminal")))


def _hidden(settings: Settings, folder: Path) -> Sequence[Sentence]:
    """What the file says in vain, because pages have changed it."""
    layers, left_out = layered(settings, folder)
    keys = ", ".join(sorted(layers.pages))
    return (*left_out, Sentence("setup.pages_go_before", keys=keys)) if keys else left_out


def _pair(folder: Path, answers: SetupAnswers) -> Sequence[Sentence]:
    """The settings are not written when the key cannot be made."""
    if not answers.pair or answers.second_copy == NONE or pairing.read_key(folder) is not None:
        return ()
    key = pairing.new_key()
    private_folder(folder)
    pairing.keep_key(folder, key)
    return (Sentence("setup.key_is_made", mark=key.mark), Sentence("setup.key_goes_to_spare"))


def _make_copy_folder(plan: SetupPlan, state: Path) -> Sequence[Sentence]:
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
