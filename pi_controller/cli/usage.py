"""How the command line talks: exit statuses, one-sentence complaints, arguments that many commands share."""

import argparse
import math
import os
from pathlib import Path
from typing import NoReturn

from pi_controller.cli.catalogue import COMMANDS
from pi_controller.protocol.paths import find_state_dir

ACCEPTED = 0
FAILED = 1
BAD_USAGE = 2
REFUSED = 3
NO_CORE = 4
NOT_SAVED = 5
"""Done and shown, but not on the disk."""
INTERRUPTED = 130
"""128 + SIGINT, as a shell reports it."""


class Stop(Exception):  # noqa: N818 - an end, not always an error
    """End the program with this status after this sentence on stderr."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Parser(argparse.ArgumentParser):
    """Complains in one sentence, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        raise Stop(BAD_USAGE, f"{self.prog}: {message}; `{self.prog} --help` shows the usage")


def parser_for(name: str, description: str = "") -> Parser:
    """An empty parser for the arguments behind this command; its description is the menu's by default."""
    return Parser(
        prog=f"pi-controller {name}", description=description or COMMANDS[name].summary, allow_abbrev=False
    )


def add_state_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--state-dir",
        type=Path,
        metavar="D",
        help="journal and control socket lie there (default: $PI_CONTROLLER_STATE_DIR, the installed unit's,"
        " or a folder in your state home)",
    )


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="F", help="settings file (default: the defaults)")


def state_dir(arguments: argparse.Namespace) -> Path:
    """The state folder that the arguments and the environment name."""
    return find_state_dir(arguments.state_dir, os.environ)


def number(text: str) -> float:
    """A finite number; argparse quotes the complaint."""
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return found


def whole_number(text: str) -> int:
    """argparse quotes the complaint."""
    try:
        return int(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number") from error
