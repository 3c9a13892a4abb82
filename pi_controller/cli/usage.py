"""What all commands share: how one is declared, common arguments, exit statuses, how an error ends it.

A chapter declares each of its commands, and each task of a command, at the function that does it:

    @command("pair import", FILE, FORCE, meaning=Sentence("help.pair_import"))
    def import_(arguments: Namespace) -> None: ...

`run` makes argparse's parser from that, calls the function, and turns what it raises into an exit status
and one sentence. Chapters are imported when their command is given, so that a pause loads nothing that it
does not need; this one stays small, since `run` keeps it in memory beside core and web.
"""

import argparse
import gettext
import math
import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar

from pi_controller.language.languages import of_environment
from pi_controller.language.system_errors import why
from pi_controller.language.words import LOCALES, WordedError, all_words, speak, use_own_words, words
from pi_controller.language.words import shown as worded
from pi_controller.protocol.paths import UNIT_STATE_DIR, find_state_dir
from pi_controller.sentence import SaidError, Sentence, sentence_of

COMMANDS: dict[str, tuple[Sentence, *tuple[str, ...]]] = {
    "run": (Sentence("command.run"), "run"),
    "core": (Sentence("command.core"), "processes"),
    "web": (Sentence("command.web"), "processes"),
    "virtual-tables": (Sentence("command.virtual_tables"), "processes"),
    "status": (Sentence("command.status"), "status"),
    "arm": (Sentence("command.arm"), "game"),
    "contribute": (Sentence("command.contribute"), "game"),
    "start": (Sentence("command.start"), "game"),
    "pause": (Sentence("command.pause"), "game"),
    "resume": (Sentence("command.resume"), "game"),
    "turn": (Sentence("command.turn"), "game"),
    "skip": (Sentence("command.skip"), "game"),
    "undo": (Sentence("command.undo"), "game"),
    "redo": (Sentence("command.redo"), "game"),
    "add-time": (Sentence("command.add_time"), "game"),
    "set-schedule": (Sentence("command.set_schedule"), "game"),
    "set-claims": (Sentence("command.set_claims"), "game"),
    "claim": (Sentence("command.claim"), "game"),
    "withdraw": (Sentence("command.withdraw"), "game"),
    "verdict": (Sentence("command.verdict"), "game"),
    "last-rounds": (Sentence("command.last_rounds"), "game"),
    "end": (Sentence("command.end"), "game"),
    "close": (Sentence("command.close"), "game"),
    "say": (Sentence("command.say"), "game"),
    "cover": (Sentence("command.cover"), "game"),
    "timer": (Sentence("command.timer"), "game"),
    "identify": (Sentence("command.identify"), "game"),
    "voice": (Sentence("command.voice"), "voice"),
    "tables": (Sentence("command.tables"), "tables"),
    "table": (Sentence("command.table"), "tables"),
    "roster": (Sentence("command.roster"), "tables"),
    "paper": (Sentence("command.paper"), "hall"),
    "setup": (Sentence("command.setup"), "setup"),
    "power-budget": (Sentence("command.power_budget"), "hall"),
    "pin": (Sentence("command.pin"), "access"),
    "certificate": (Sentence("command.certificate"), "access"),
    "links": (Sentence("command.links"), "processes", "halls", "access"),
    "broker": (Sentence("command.broker"), "broker"),
    "settings": (Sentence("command.settings"), "setup"),
    "safe-outputs": (Sentence("command.safe_outputs"), "processes"),
    "journal": (Sentence("command.journal"), "games"),
    "fallback": (Sentence("command.fallback"), "hall"),
    "stick": (Sentence("command.stick"), "games"),
    "report": (Sentence("command.report"), "games"),
    "replay": (Sentence("command.replay"), "games"),
    "bundle": (Sentence("command.bundle"), "bundle"),
    "pair": (Sentence("command.pair"), "games"),
    "restore": (Sentence("command.restore"), "games"),
    "selftest": (Sentence("command.selftest"), "selftest"),
    "bench": (Sentence("command.bench"), "bench"),
    "firmware": (Sentence("command.firmware"), "firmware", "firmware_update"),
    "verify": (Sentence("command.verify"), "games"),
    "completion": (Sentence("command.completion"), "completion"),
}
"""In the order of the menu: what it says of each, and the chapters that declare it and its tasks."""

ACCEPTED = 0
FAILED = 1
BAD_USAGE = 2
REFUSED = 3
NO_CORE = 4
NOT_SAVED = 5
"""Done and shown, but not on the disk."""
INTERRUPTED = 130
"""128 + SIGINT, as a shell reports it."""

STATUSES = {
    "NoCore": NO_CORE,
    "Malformed": BAD_USAGE,
    "SocketPathTooLong": BAD_USAGE,
    "CoreTrouble": FAILED,
    "SettingsFault": BAD_USAGE,
    "UnknownGame": BAD_USAGE,
    "ExportRefused": BAD_USAGE,
    "PairingFault": BAD_USAGE,
    "JournalError": FAILED,
    "RosterFault": BAD_USAGE,
    "SupplyFault": BAD_USAGE,
    "KeyFault": FAILED,
    "CertificateFault": FAILED,
    "LinksFault": REFUSED,
    "HardwareMissing": BAD_USAGE,
    "ToolMissing": BAD_USAGE,
    "FlashingError": FAILED,
}
"""Exit statuses of the errors that commands expect, by the name of the class: no command has to load the
libraries of another one for it."""


def speak_as_the_shell() -> None:
    """From now on every text is in the language that the environment names.

    argparse takes its own texts from the domain of `gettext`, which looks at LANGUAGE first: where that names
    another language than LC_ALL does, the texts would be in two.
    """
    language = of_environment(os.environ)
    speak(language)
    os.environ["LANGUAGE"] = language.replace("-", "_")
    gettext.bindtextdomain("argparse", LOCALES)
    gettext.textdomain("argparse")


class Stop(WordedError):  # noqa: N818 - an end, not always an error
    """End the program with this status after this sentence on stderr."""

    def __init__(self, status: int, sentence: Sentence) -> None:
        super().__init__(sentence)
        self.status = status


class Parser(argparse.ArgumentParser):
    """Complains in one sentence, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        raise Stop(BAD_USAGE, Sentence("cli.wrong_usage", program=self.prog, complaint=message))

    def offered(self, typed: Sequence[str]) -> list[str]:
        """What may be typed behind these words, as far as it has a name: tasks, options, values."""
        last = typed[-1] if typed else ""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no other name
                for place, word in enumerate(typed, 1):
                    if word in action.choices:
                        below: Parser = action.choices[word]
                        return below.offered(typed[place:])
            if last in action.option_strings and action.nargs != 0:
                return [str(choice) for choice in action.choices or ()]
        shown = [action for action in self._actions if action.help != argparse.SUPPRESS]
        values = [action.choices or () for action in shown if not action.option_strings]
        options = [name for action in shown for name in action.option_strings]
        return [*(str(one) for each in values for one in each), *options]


# Declarations of commands.

Container: TypeAlias = "argparse._ActionsContainer"  # noqa: SLF001 - what parsers and their groups share
Argument: TypeAlias = Callable[[Container], object]
"""Adds itself to a parser, in the language that is spoken then."""


def argument(
    *names: str,
    meaning: Sentence | None = None,
    shown: Sentence | str | tuple[Sentence, ...] | None = None,
    **how: Any,
) -> Argument:
    """An argument of argparse's by these names; `meaning` is its help, `shown` what stands there for the
    value, or for each of several."""

    def add(parser: Container) -> None:
        if meaning is not None:
            how["help"] = words(meaning)
        if shown is not None:
            how["metavar"] = tuple(all_words(shown)) if isinstance(shown, tuple) else worded(shown)
        parser.add_argument(*names, **how)

    return add


def flag(name: str, meaning: Sentence) -> Argument:
    """An option without a value: False when it is not given."""
    return argument(name, action="store_true", meaning=meaning)


def one_of(*arguments: Argument, required: bool = False) -> Argument:
    """Arguments of which at most one may be given."""

    def add(parser: Container) -> None:
        group = parser.add_mutually_exclusive_group(required=required)
        for each in arguments:
            each(group)

    return add


STATE_DIR = argument("--state-dir", type=Path, shown="D", meaning=Sentence("help.state_dir"))
SETTINGS = argument("--settings", type=Path, shown="F", meaning=Sentence("help.settings"))


@dataclass(frozen=True, slots=True)
class Task:
    """A command, or a task of one: what does it, and its arguments."""

    do: Callable[[Namespace], int | None]
    arguments: tuple[Argument, ...]
    meaning: Sentence | None
    refused: type[Exception] | tuple[type[Exception], ...]
    """Errors that are a refusal here, whatever they are elsewhere."""
    failed: Callable[[str, Sentence], Sentence]
    """What is told when the system does not let it read or write: of which path, and why."""
    is_process: bool
    """Runs until a signal ends it, and tells of its errors itself."""
    in_state_dir: bool
    """Its state folder may be named."""

    def add_to(self, parser: Parser) -> None:
        for add in (*self.arguments, STATE_DIR) if self.in_state_dir else self.arguments:
            add(parser)
        parser.set_defaults(task=self)


TASKS: dict[str, Task] = {}
"""Those of the chapters that are loaded, by what is typed: `pause`, `journal show`."""


def command(
    typed: str,
    *arguments: Argument,
    meaning: Sentence | None = None,
    refused: type[Exception] | tuple[type[Exception], ...] = (),
    failed: Callable[[str, Sentence], Sentence] = lambda path, why: Sentence(
        "cli.of_system", path=path, why=why
    ),
    is_process: bool = False,
    in_state_dir: bool = True,
) -> Callable[[Callable[[Namespace], int | None]], Callable[[Namespace], int | None]]:
    """Declare the function below as what does this. It gives the exit status, None for ACCEPTED. A task,
    which is typed in two words, has its `meaning` in the help; that of a command is the menu's."""

    def register(do: Callable[[Namespace], int | None]) -> Callable[[Namespace], int | None]:
        TASKS[typed] = Task(do, arguments, meaning, refused, failed, is_process, in_state_dir)
        return do

    return register


def load(name: str, *, whole: bool = True) -> None:
    """The chapters of a command; without `whole` the first of them, which declares it without its tasks."""
    _, *chapters = COMMANDS[name]
    for chapter in chapters if whole else chapters[:1]:
        import_module(f"pi_controller.cli.{chapter}")


def parser_of(name: str) -> Parser:
    """That of a command which is loaded, with its tasks."""
    described = words(COMMANDS[name][0])
    parser = Parser(prog=f"pi-controller {name}", description=described, allow_abbrev=False)
    if name in TASKS:
        TASKS[name].add_to(parser)
    tasks = {typed.split()[1]: task for typed, task in TASKS.items() if typed.startswith(f"{name} ")}
    if tasks:
        shown = words(Sentence("metavar.task"))
        below = parser.add_subparsers(dest="task_name", metavar=shown, required=name not in TASKS)
        for word, task in tasks.items():
            told = None if task.meaning is None else words(task.meaning)
            task.add_to(below.add_parser(word, help=told, description=told))
    return parser


def run(name: str, given: Sequence[str]) -> int:
    """Carry out a command that is loaded; its exit status. Raises Stop."""
    arguments = parser_of(name).parse_args(given)
    use_own_words(own_words_folder(arguments))
    chosen: Task = arguments.task
    try:
        return chosen.do(arguments) or ACCEPTED
    except BrokenPipeError:
        raise  # who read the output has gone: `main` ends without a word
    except chosen.refused as error:
        raise Stop(REFUSED, sentence_of(error)) from error
    except (SaidError, OSError, ValueError) as error:
        stop = None if chosen.is_process else _end_of(error, arguments)
        if stop is None:
            raise
        raise stop from error


def _end_of(error: Exception, arguments: Namespace) -> Stop | None:
    """How this error ends a command; None for Stop itself, and for what nobody expects."""
    known = (STATUSES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in STATUSES)
    status = next(known, None)
    if status is not None:
        return Stop(status, sentence_of(error))
    if isinstance(error, OSError):
        path = error.filename or getattr(arguments, "output", None) or state_dir(arguments)
        return Stop(FAILED, arguments.task.failed(str(path), why(error)))
    return None


def state_dir(arguments: Namespace) -> Path:
    """The state folder that the arguments and the environment name."""
    return find_state_dir(getattr(arguments, "state_dir", None), os.environ)


UNIT_SETTINGS = Path("/etc/pi-controller/settings.toml")
"""What the installed units read."""


def settings_of(arguments: Namespace) -> Path | None:
    """The settings file that is given; of the installed controller the one that its units read."""
    given: Path | None = getattr(arguments, "settings", None)
    installed = given is None and state_dir(arguments) == UNIT_STATE_DIR and UNIT_SETTINGS.exists()
    return UNIT_SETTINGS if installed else given


def own_words_folder(arguments: Namespace) -> Path | None:
    """Where a site's own texts are: beside the settings file."""
    found = settings_of(arguments)
    return None if found is None else found.parent / "words"


def of_system(error: OSError, path: Path) -> Sentence:
    """What the system says of a file, by default of this one."""
    return Sentence("cli.of_system", path=str(error.filename or path), why=why(error))


# Kinds of values.


def number(text: str) -> float:
    """A finite number; argparse quotes the complaint."""
    try:
        found = float(text)
    except ValueError as error:
        raise no_argument(Sentence("cli.no_number", text=repr(text))) from error
    if not math.isfinite(found):
        raise no_argument(Sentence("cli.no_finite_number", text=repr(text)))
    return found


def whole_number(text: str) -> int:
    """argparse quotes the complaint."""
    try:
        return int(text)
    except ValueError as error:
        raise no_argument(Sentence("cli.no_whole_number", text=repr(text[:40]))) from error


def within(least: int, most: int | None, wrong: Callable[[str], Sentence]) -> Callable[[str], int]:
    """Reads a whole number in this range; `wrong` is told of another one, with what was typed."""

    def read(text: str) -> int:
        found = whole_number(text)
        if found < least or (most is not None and found > most):
            raise no_argument(wrong(repr(text)))
        return found

    return read


def no_argument(sentence: Sentence) -> argparse.ArgumentTypeError:
    """To be raised where a text is not what an argument takes."""
    return argparse.ArgumentTypeError(words(sentence))


T = TypeVar("T")


def lines_of_table(shape: Mapping[Sentence, Callable[[T], str]], found: Iterable[T]) -> Iterator[str]:
    """Lines of a table: by the headings of its columns, what stands there of each."""
    return columns([tuple(all_words(shape)), *(tuple(cell(one) for cell in shape.values()) for one in found)])


def columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows as lines, with their cells below each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
