"""`pi-controller fallback`: paper to go on by hand with, at any moment; core need not run."""

import sys
from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom

from pi_controller.cli.event import event_of
from pi_controller.cli.usage import (
    ACCEPTED,
    FAILED,
    Stop,
    add_state_dir,
    no_argument,
    of_system,
    parser_for,
    state_dir,
    whole_number,
)
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.errors import JournalError
from pi_controller.journal.witnesses import games
from pi_controller.language.words import words
from pi_controller.paper.document import Paper
from pi_controller.replay.changes import STANDARD_INPUT, Change, changes_of, from_folder, games_in, seed_of
from pi_controller.report.fallback import add_dice, add_sheets, add_state, drawn, due_after
from pi_controller.sentence import Sentence

MOST_ROLLS = 300
MOST_SHEETS = 60
PARTS = ("state", "dice", "sheets")


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    parser.add_argument("-o", "--output", type=Path, metavar="F", help=words(Sentence("help.report_output")))
    parser.add_argument(
        "--rolls", type=_rolls, default=60, metavar="N", help=words(Sentence("help.fallback_rolls"))
    )
    parser.add_argument(
        "--sheets", type=_sheets, default=6, metavar="N", help=words(Sentence("help.fallback_sheets"))
    )
    parser.add_argument("--only", choices=PARTS, help=words(Sentence("help.fallback_only")))
    parser.add_argument(
        "game", nargs="?", choices=[STANDARD_INPUT], help=words(Sentence("help.fallback_game"))
    )
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    try:
        paper = _made(arguments)
        if arguments.output is None:
            sys.stdout.buffer.write(paper.pdf())
            return ACCEPTED
        paper.write(arguments.output)
    except JournalError as error:
        raise Stop(FAILED, error.sentence) from error
    except BrokenPipeError:
        raise  # who read it has gone; `main` ends quietly
    except OSError as error:
        raise Stop(FAILED, of_system(error, arguments.output or state_dir(arguments))) from error
    path = str(arguments.output)
    print(
        words(Sentence("fallback.made", path=path, rolls=arguments.rolls, sheets=arguments.sheets)),
        file=sys.stderr,
    )
    return ACCEPTED


def _rolls(text: str) -> int:
    return _within(whole_number(text), MOST_ROLLS)


def _sheets(text: str) -> int:
    return _within(whole_number(text), MOST_SHEETS)


def _within(number: int, most: int) -> int:
    if not 0 <= number <= most:
        raise no_argument(Sentence("cli.number_up_to", most=most))
    return number


def _made(arguments: Namespace) -> Paper:
    """Raises JournalError, OSError."""
    last = _last(state_dir(arguments)) if arguments.game is None else _copied(sys.stdin.buffer.read())
    rules = CONNECT if last is None else last.game.rules
    made = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    paper = Paper(words(Sentence("fallback.title")), made, foot=made, event=event_of(state_dir(arguments)))
    only = arguments.only
    if only in (None, "state"):
        add_state(paper, rules, last)
    if only in (None, "dice"):
        due = due_after(last, rules)
        add_dice(paper, rules, list(drawn(rules, due, count=arguments.rolls, source=SystemRandom())))
    if only is None and arguments.sheets:
        paper.new_page()
    if only in (None, "sheets"):
        add_sheets(paper, rules, arguments.sheets)
    return paper


def _copied(lines: bytes) -> Change | None:
    """The game of these lines as they left it; None without a line. Raises JournalError."""
    return changes_of(games_in(lines.splitlines(keepends=True))[0])[-1] if lines else None


def _last(folder: Path) -> Change | None:
    """The newest game as its journal left it; None without one. Raises JournalError, OSError."""
    known = games(folder)
    if not known:
        return None
    game = known[0].game_id
    return changes_of(from_folder(folder, game), seed_of(folder, game))[-1]
