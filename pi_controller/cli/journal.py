"""`pi-controller journal` and `verify`: earlier games and checks of exported ones; core need not run."""

import sys
from argparse import Namespace
from pathlib import Path

import msgspec

from pi_controller.cli.restore import own_copy
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Stop,
    add_settings,
    add_state_dir,
    of_system,
    parser_for,
    state_dir,
)
from pi_controller.journal.errors import ExportRefused, JournalError, UnknownGame
from pi_controller.journal.exports import export_game, export_lines
from pi_controller.journal.store import Store, hand_over
from pi_controller.journal.verify import verify_evening, verify_file
from pi_controller.journal.witnesses import games, give_up
from pi_controller.language.words import words
from pi_controller.sentence import Sentence, said_by


def run(name: str, given: list[str]) -> int:
    return _verify(name, given) if name == "verify" else _games(name, given)


def _games(name: str, given: list[str]) -> int:
    parser = parser_for(name, Sentence("cli.journal_description"))
    tasks = parser.add_subparsers(dest="task", metavar=words(Sentence("metavar.task")), required=True)
    listing = tasks.add_parser("list", help=words(Sentence("help.journal_list")))
    remove = tasks.add_parser("remove", help=words(Sentence("help.journal_remove")))
    show = tasks.add_parser("show", help=words(Sentence("help.journal_show")))
    export = tasks.add_parser("export", help=words(Sentence("help.journal_export")))
    for task in (show, export, remove):
        game = words(Sentence("metavar.game"))
        task.add_argument("game", metavar=game, help=words(Sentence("help.journal_game")))
    export.add_argument("-o", "--output", type=Path, required=True, metavar="F")
    export.add_argument("--force", action="store_true", help=words(Sentence("help.replace_file")))
    add_settings(listing)
    for task in (listing, show, export, remove):
        add_state_dir(task)
    arguments = parser.parse_args(given)
    try:
        TASKS[arguments.task](arguments)
    except (UnknownGame, ExportRefused) as error:
        raise Stop(BAD_USAGE, error.sentence) from error
    except JournalError as error:
        raise Stop(FAILED, error.sentence) from error
    except BrokenPipeError:
        raise  # who read the lines has gone; `main` ends quietly
    except OSError as error:
        raise Stop(FAILED, of_system(error, state_dir(arguments))) from error
    return ACCEPTED


def _list(arguments: Namespace) -> None:
    folder = state_dir(arguments)
    try:
        copy = own_copy(arguments, folder)
    except Stop as stop:  # the settings are wrong: the list is no less needed for that
        print(words(stop.sentence), file=sys.stderr)
        copy = None
    for game in games(folder, copy):
        print(msgspec.json.encode(game).decode())


def _show(arguments: Namespace) -> None:
    for line in export_lines(state_dir(arguments), arguments.game):
        print(line.decode().rstrip("\n"))


def _export(arguments: Namespace) -> None:
    lines = export_game(state_dir(arguments), arguments.game, arguments.output, force=arguments.force)
    path = str(arguments.output)
    told = Sentence("journal.lines_exported", path=path, count=lines, game=arguments.game)
    print(words(told), file=sys.stderr)


def _remove(arguments: Namespace) -> None:
    """A game that nobody is to miss any more; what there is of it lies aside afterwards."""
    store = Store(state_dir(arguments))
    game = arguments.game
    if not any(known.game_id == game for known in games(store.state_dir)):
        raise UnknownGame(Sentence("journal.unknown_game", game=repr(game), folder=str(store.state_dir)))
    with store.lock():
        hand_over(store.lock_path)  # core has to open it afterwards
        aside = give_up(store, game)
    print(words(Sentence("journal.removed", game=game)))
    if aside is not None:
        print(words(Sentence("restore.game_gave_way", path=str(aside))))


TASKS = {"list": _list, "show": _show, "export": _export, "remove": _remove}


def _verify(name: str, given: list[str]) -> int:
    """0 when every roll is proved, as far as the head reaches that was given, and of several games no seal is
    missing between them; 1 when not. Among several those that never began have nothing to prove."""
    parser = parser_for(name)
    parser.add_argument(
        "exports", type=Path, nargs="+", metavar="F", help=words(Sentence("help.verify_file"))
    )
    parser.add_argument("--commitment", metavar="HEX", help=words(Sentence("help.verify_commitment")))
    parser.add_argument("--head", metavar="HEX", help=words(Sentence("help.verify_head")))
    parser.add_argument(
        "--word", metavar=words(Sentence("metavar.text")), help=words(Sentence("help.verify_word"))
    )
    arguments = parser.parse_args(given)
    seen = {"commitment": arguments.commitment, "head": arguments.head, "word": arguments.word}
    several = len(arguments.exports) > 1
    if several and any(one is not None for one in seen.values()):
        raise Stop(BAD_USAGE, Sentence("verify.what_was_seen_is_of_one_game"))
    reports = []
    for export in arguments.exports:
        try:
            report = verify_file(export, **seen)
        except OSError as error:
            raise Stop(FAILED, of_system(error, export)) from error
        except ValueError as error:
            raise Stop(BAD_USAGE, said_by(error)) from error
        print(*([f"{export}:"] if several else []), *report.told, sep="\n")
        reports.append(report)
    in_order, found = verify_evening(reports) if several else (True, ())
    for sentence in found:
        print(words(sentence))
    checked = [report for report in reports if report.begun or report.verdict == "refused" or not several]
    return int(not in_order or not all(report.ok for report in checked))
