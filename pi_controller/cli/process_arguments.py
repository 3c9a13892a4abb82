"""The arguments of core and web, for those two and for `run`, which hands them on."""

import argparse
import re
from pathlib import Path
from typing import get_args

from pi_controller.cli.usage import BAD_USAGE, Parser, Stop, no_argument, number, state_dir, whole_number
from pi_controller.language.words import words
from pi_controller.protocol.errors import SocketPathTooLong
from pi_controller.protocol.paths import MOST_VIRTUAL_TABLES, socket_path
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import FEWEST_SEATS, MOST_SEATS, RuleSetName

FASTEST = 1000.0
"""Game time this many times as fast is the limit: a 3-2-1 then lasts 3 ms."""
_SEED = re.compile(r"[0-9a-fA-F]{64}")


def add_core_arguments(parser: Parser) -> None:
    parser.add_argument("--hardware", choices=("sim", "pi", "none"), help=words(Sentence("help.hardware")))
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="X",
        help=words(Sentence("help.speed")),
    )
    parser.add_argument("--rule-set", choices=get_args(RuleSetName), help=words(Sentence("help.rule_set")))
    players = range(FEWEST_SEATS, MOST_SEATS + 1)
    parser.add_argument(
        "--players", type=whole_number, choices=players, metavar="N", help=words(Sentence("help.players"))
    )
    parser.add_argument("--seed-hex", type=_seed, metavar="H", help=words(Sentence("help.seed_hex")))


def add_unattended(parser: Parser) -> None:
    parser.add_argument(
        "--unattended",
        action="store_true",
        help=words(Sentence("help.unattended")),
    )


def add_tables_argument(parser: Parser, flag: str, *, required: bool = False) -> None:
    """How many virtual tables; the value is called `tables`, 0 when it is not given."""
    parser.add_argument(
        flag,
        dest="tables",
        type=_tables,
        default=0,
        required=required,
        metavar="N",
        help=words(Sentence("help.virtual_tables", most=MOST_VIRTUAL_TABLES)),
    )


def add_parts_seed(parser: Parser) -> None:
    parser.add_argument(
        "--parts-seed", type=_parts_seed, default=1, metavar="N", help=words(Sentence("help.parts_seed"))
    )


AFTER_INPUT = "--after-input"


def add_web_arguments(parser: Parser) -> None:
    parser.add_argument("--host", metavar="H", help=words(Sentence("help.host")))
    parser.add_argument("--port", type=_port, metavar="P", help=words(Sentence("help.port")))


def add_after_input(parser: Parser) -> None:
    """For `run` alone, which has this process load its program while core starts."""
    parser.add_argument(AFTER_INPUT, action="store_true", help=argparse.SUPPRESS)


def check_simulation(arguments: argparse.Namespace, tables_flag: str) -> None:
    """Refuse what would falsify a real game; when the settings choose the hardware, core itself refuses."""
    if arguments.hardware not in ("pi", "none"):
        return
    simulations = {
        "--speed": arguments.speed != 1,
        "--seed-hex": arguments.seed_hex is not None,
        tables_flag: arguments.tables > 0,
    }
    for flag, used in simulations.items():
        if used:
            raise Stop(BAD_USAGE, Sentence("options.simulated_only", flag=flag))


def check_socket_path(arguments: argparse.Namespace) -> Path:
    """Where the control socket will lie; ends the program when that cannot be bound."""
    try:
        return socket_path(state_dir(arguments))
    except SocketPathTooLong as error:
        raise Stop(BAD_USAGE, error.sentence) from error


def _speed(text: str) -> float:
    found = number(text)
    if not 0 < found <= FASTEST:
        raise no_argument(Sentence("options.no_speed", text=repr(text), most=FASTEST))
    return found


def _seed(text: str) -> str:
    if not _SEED.fullmatch(text):
        raise no_argument(Sentence("options.no_seed", text=repr(text[:80])))
    return text.lower()


def _tables(text: str) -> int:
    found = whole_number(text)
    if not 1 <= found <= MOST_VIRTUAL_TABLES:
        raise no_argument(Sentence("options.no_tables", text=repr(text), most=MOST_VIRTUAL_TABLES))
    return found


def _parts_seed(text: str) -> int:
    found = whole_number(text)
    if found < 0:
        raise no_argument(Sentence("options.no_parts_seed", text=repr(text)))
    return found


def _port(text: str) -> int:
    found = whole_number(text)
    if not 0 <= found <= 65535:
        raise no_argument(Sentence("options.no_port", text=repr(text)))
    return found
