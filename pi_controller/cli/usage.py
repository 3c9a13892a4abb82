"""How the command line talks: its language, exit statuses, one-sentence complaints, arguments that many
commands share."""

import argparse
import gettext
import math
import os
from pathlib import Path
from typing import NoReturn

from pi_controller.cli.catalogue import COMMANDS
from pi_controller.language.languages import of_environment
from pi_controller.language.system_errors import why
from pi_controller.language.words import LOCALES, WordedError, speak, words
from pi_controller.protocol.paths import find_state_dir
from pi_controller.sentence import Sentence

ACCEPTED = 0
FAILED = 1
BAD_USAGE = 2
REFUSED = 3
NO_CORE = 4
NOT_SAVED = 5
"""Done and shown, but not on the disk."""
INTERRUPTED = 130
"""128 + SIGINT, as a shell reports it."""


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


def parser_for(name: str, description: Sentence | None = None) -> Parser:
    """An empty parser for the arguments behind this command; its description is the menu's by default."""
    return Parser(
        prog=f"pi-controller {name}",
        description=words(description or COMMANDS[name].summary),
        allow_abbrev=False,
    )


def add_state_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state-dir", type=Path, metavar="D", help=words(Sentence("help.state_dir")))


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="F", help=words(Sentence("help.settings")))


def state_dir(arguments: argparse.Namespace) -> Path:
    """The state folder that the arguments and the environment name."""
    return find_state_dir(arguments.state_dir, os.environ)


def of_system(error: OSError, path: Path) -> Sentence:
    """What the system says of a file, by default of this one."""
    return Sentence("cli.of_system", path=str(error.filename or path), why=why(error))


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


def no_argument(sentence: Sentence) -> argparse.ArgumentTypeError:
    """To be raised where a text is not what an argument takes."""
    return argparse.ArgumentTypeError(words(sentence))
