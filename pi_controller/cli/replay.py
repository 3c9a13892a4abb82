"""`pi-controller replay`: the pictures of an earlier game again, at once or in time."""

import sys
import time
from pathlib import Path

import msgspec

from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    Stop,
    add_settings,
    add_state_dir,
    no_argument,
    number,
    of_system,
    parser_for,
    state_dir,
)
from pi_controller.journal.errors import JournalError, UnknownGame
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import words
from pi_controller.replay.changes import STANDARD_INPUT, Change, changes_of, from_folder, games_in, seed_of
from pi_controller.replay.pictures import Replay, lines_of
from pi_controller.replay.tables import TablesShown, tables_of
from pi_controller.roster.model import Roster, RosterFault
from pi_controller.roster.store import RosterStore, from_file
from pi_controller.sentence import Sentence
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load

NS_PER_S = 1_000_000_000
FASTEST = 1000.0


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    game = words(Sentence("metavar.game"))
    parser.add_argument("game", metavar=game, help=words(Sentence("help.replay_game")))
    parser.add_argument("--speed", type=_speed, metavar="N", help=words(Sentence("help.replay_speed")))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--lamps", action="store_true", help=words(Sentence("help.replay_lamps")))
    what.add_argument("--tables", action="store_true", help=words(Sentence("help.replay_tables")))
    spoken = words(Sentence("help.replay_languages"))
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, metavar="L", help=spoken)
    add_settings(parser)
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    try:
        settings = load(arguments.settings)
        changes = _changes(arguments.game, state_dir(arguments))
    except SettingsFault as fault:
        print(fault, file=sys.stderr)
        return BAD_USAGE
    except UnknownGame as error:
        raise Stop(BAD_USAGE, error.sentence) from error
    except JournalError as error:
        raise Stop(FAILED, error.sentence) from error
    except OSError as error:
        raise Stop(FAILED, of_system(error, state_dir(arguments))) from error
    replay = Replay(changes, tuple(arguments.languages or settings.hall.languages))
    if arguments.tables:
        print(msgspec.json.encode(_tables(replay, state_dir(arguments))).decode())
    elif arguments.lamps:
        for line in lines_of(replay.pictures()):
            print(msgspec.json.encode(line).decode())
    else:
        _print(replay, arguments.speed)
    return ACCEPTED


def _speed(text: str) -> float:
    speed = number(text)
    if not 0 < speed <= FASTEST:
        raise no_argument(Sentence("cli.replay_speed", most=FASTEST))
    return speed


def _changes(game: str, folder: Path) -> list[Change]:
    """Raises JournalError, OSError."""
    if game == STANDARD_INPUT:
        return changes_of(games_in(sys.stdin.buffer)[0])
    return changes_of(from_folder(folder, game), seed_of(folder, game))


def _tables(replay: Replay, folder: Path) -> TablesShown:
    """At the boards of the roster that is kept now: the journal has those of claims alone."""
    path = RosterStore(folder).path
    try:
        roster = from_file(path) if path.exists() else Roster()
    except RosterFault:
        roster = Roster()
    return tables_of(replay, boards=[board.name for board in roster.boards], board_of=roster.name_of)


def _print(replay: Replay, speed: float | None) -> None:
    """One picture a line; with `speed` each when so much of the time since the first has passed."""
    began_s = time.monotonic()
    for since_ns, picture in replay.pictures():
        if speed is not None:
            sys.stdout.flush()
            time.sleep(max(0.0, since_ns / NS_PER_S / speed - (time.monotonic() - began_s)))
        print(msgspec.json.encode(picture).decode())
