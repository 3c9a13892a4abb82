"""`pi-controller journal` and `verify`: earlier games and checks of exported ones; core need not run."""

import sys
from argparse import Namespace
from pathlib import Path

import msgspec

from pi_controller.cli.usage import ACCEPTED, BAD_USAGE, FAILED, Stop, add_state_dir, parser_for, state_dir
from pi_controller.journal.errors import ExportRefused, JournalError, UnknownGame
from pi_controller.journal.export_files import games
from pi_controller.journal.exports import export_game, export_lines
from pi_controller.journal.verify import verify_file


def run(name: str, given: list[str]) -> int:
    return _verify(name, given) if name == "verify" else _games(name, given)


def _games(name: str, given: list[str]) -> int:
    parser = parser_for(name, "Earlier games, as JSON lines.")
    tasks = parser.add_subparsers(dest="task", metavar="TASK", required=True)
    listing = tasks.add_parser("list", help="one line for each game, newest first")
    show = tasks.add_parser("show", help="the lines of a game's journal")
    export = tasks.add_parser("export", help="write a game into a file that `verify` checks")
    for task in (show, export):
        task.add_argument("game", metavar="GAME", help="the game's id, as `journal list` shows it")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="F")
    export.add_argument("--force", action="store_true", help="replace F when it exists")
    for task in (listing, show, export):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        TASKS[arguments.task](arguments)
    except (UnknownGame, ExportRefused) as error:
        raise Stop(BAD_USAGE, str(error)) from error
    except JournalError as error:
        raise Stop(FAILED, str(error)) from error
    except BrokenPipeError:
        raise  # who read the lines has gone; `main` ends quietly
    except OSError as error:
        raise Stop(FAILED, f"{error.filename or state_dir(arguments)}: {error.strerror}") from error
    return ACCEPTED


def _list(arguments: Namespace) -> None:
    for game in games(state_dir(arguments)):
        print(msgspec.json.encode(game).decode())


def _show(arguments: Namespace) -> None:
    for line in export_lines(state_dir(arguments), arguments.game):
        print(line.decode().rstrip("\n"))


def _export(arguments: Namespace) -> None:
    lines = export_game(state_dir(arguments), arguments.game, arguments.output, force=arguments.force)
    print(f"{arguments.output}: {lines} lines of game {arguments.game}", file=sys.stderr)


TASKS = {"list": _list, "show": _show, "export": _export}


def _verify(name: str, given: list[str]) -> int:
    """0 when every roll is proved, 1 when not."""
    parser = parser_for(name)
    parser.add_argument("export", type=Path, metavar="F", help="written by `journal export`")
    parser.add_argument(
        "--commitment", metavar="HEX", help="the commitment that the hall saw, 16 digits or more"
    )
    parser.add_argument(
        "--head", metavar="HEX", help="the journal's head that the hall saw, 8 digits or more"
    )
    parser.add_argument(
        "--word", metavar="TEXT", help="the public word that the hall heard; empty when none was spoken"
    )
    arguments = parser.parse_args(given)
    try:
        report = verify_file(
            arguments.export, commitment=arguments.commitment, head=arguments.head, word=arguments.word
        )
    except OSError as error:
        raise Stop(FAILED, f"{arguments.export}: {error.strerror}") from error
    except ValueError as error:
        raise Stop(BAD_USAGE, str(error)) from error
    for sentence in report.told:
        print(sentence)
    return report.exit_status
