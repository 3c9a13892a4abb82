"""`pi-controller report`: what a game was like, from its journal alone."""

import sys
import time
from argparse import Namespace
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Stop,
    add_state_dir,
    of_system,
    parser_for,
    state_dir,
)
from pi_controller.journal.errors import JournalError, UnknownGame
from pi_controller.journal.seals import one_evening
from pi_controller.journal.witnesses import games, summary_of
from pi_controller.language.words import spoken, words
from pi_controller.protocol.game_report import GameReport
from pi_controller.replay.changes import STANDARD_INPUT, changes_of, from_folder, games_in, seed_of
from pi_controller.report.figures import report_of
from pi_controller.report.table import csv_of
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import People

FORMATS = ("json", "csv", "pdf")


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    game = words(Sentence("metavar.game"))
    parser.add_argument("game", metavar=game, help=words(Sentence("help.replay_game")))
    parser.add_argument("--format", choices=FORMATS, help=words(Sentence("help.report_format")))
    parser.add_argument("-o", "--output", type=Path, metavar="F", help=words(Sentence("help.report_output")))
    parser.add_argument("--names", action="store_true", help=words(Sentence("help.report_names")))
    parser.add_argument(
        "--table", choices=("plain", "locale"), default="plain", help=words(Sentence("help.report_table"))
    )
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    try:
        report = _report(arguments)
        report = with_names(report, state_dir(arguments)) if arguments.names else report
        content = _written(report, arguments)
        if arguments.output is None:
            sys.stdout.buffer.write(content)
        else:
            arguments.output.write_bytes(content)
    except UnknownGame as error:
        raise Stop(BAD_USAGE, error.sentence) from error
    except JournalError as error:
        raise Stop(FAILED, error.sentence) from error
    except BrokenPipeError:
        raise  # who read it has gone; `main` ends quietly
    except OSError as error:
        raise Stop(FAILED, of_system(error, arguments.output or state_dir(arguments))) from error
    return ACCEPTED


def _format(arguments: Namespace) -> str:
    if arguments.format is not None:
        return str(arguments.format)
    ending = "" if arguments.output is None else arguments.output.suffix.removeprefix(".")
    return ending if ending in FORMATS else FORMATS[0]


def _report(arguments: Namespace) -> GameReport:
    """On standard input the further games of the evening follow the one that is asked for."""
    if arguments.game == STANDARD_INPUT:
        first, *rest = games_in(sys.stdin.buffer)
        return report_of(changes_of(first), names=arguments.names, others=[summary_of(one) for one in rest])
    folder = state_dir(arguments)
    changes = changes_of(from_folder(folder, arguments.game), seed_of(folder, arguments.game))
    armed = changes[0].records[0].wall
    others = [other for other in reversed(games(folder)) if one_evening(other, armed)]
    return report_of(changes, names=arguments.names, others=others)


def with_names(report: GameReport, folder: Path) -> GameReport:
    """With the names of people, as this state folder knows them, in place of the journal's numbers."""
    sources = People(folder / "web", time.time).sources()
    named = [replace(one, source=sources.get(one.source, one.source)) for one in report.commands]
    return replace(report, commands=named)


def _written(report: GameReport, arguments: Namespace) -> bytes:
    kind = _format(arguments)
    if kind == "csv":
        return csv_of(report, spoken() if arguments.table == "locale" else None)
    if kind == "pdf":
        # Imported here: the libraries behind it take their time.
        from pi_controller.cli.event import event_of  # noqa: PLC0415
        from pi_controller.report.printed import print_report  # noqa: PLC0415

        return print_report(report, event_of(state_dir(arguments)))
    return msgspec.json.encode(report) + b"\n"
