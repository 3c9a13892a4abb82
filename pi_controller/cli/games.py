"""Earlier games, from their journals alone; core need not run: `pi-controller journal`, `verify`, `report`
and `replay`."""

import sys
import time
from argparse import Namespace
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pi_controller.cli.copies import own_copy
from pi_controller.cli.usage import (
    BAD_USAGE,
    FAILED,
    SETTINGS,
    Stop,
    argument,
    command,
    flag,
    no_argument,
    number,
    of_system,
    one_of,
    state_dir,
)
from pi_controller.journal.errors import UnknownGame
from pi_controller.journal.exports import export_game, export_lines
from pi_controller.journal.seals import one_evening
from pi_controller.journal.store import Store, hand_over
from pi_controller.journal.verify import verify_evening, verify_file
from pi_controller.journal.witnesses import games, give_up, summary_of
from pi_controller.language.languages import LANGUAGES
from pi_controller.language.words import spoken, words
from pi_controller.protocol.game_report import GameReport
from pi_controller.replay.changes import STANDARD_INPUT, changes_of, from_folder, games_in, seed_of
from pi_controller.replay.pictures import Replay, lines_of
from pi_controller.replay.tables import TablesShown, tables_of
from pi_controller.report.figures import report_of
from pi_controller.report.table import csv_of
from pi_controller.roster.model import Roster, RosterFault
from pi_controller.roster.store import RosterStore, from_file
from pi_controller.sentence import Sentence, sentence_of
from pi_controller.settings.load import load
from pi_controller.web.http.access import People

GAME = argument("game", shown=Sentence("metavar.game"), meaning=Sentence("help.journal_game"))
GAME_OR_INPUT = argument("game", shown=Sentence("metavar.game"), meaning=Sentence("help.replay_game"))


@command("journal list", SETTINGS, meaning=Sentence("help.journal_list"))
def list_games(arguments: Namespace) -> None:
    """Each game that the state folder or its second copy knows, as a line of JSON."""
    try:
        copy = own_copy(arguments)
    except Stop as stop:  # the settings are wrong: the list is no less needed for that
        print(stop, file=sys.stderr)
        copy = None
    for game in games(state_dir(arguments), copy):
        print(msgspec.json.encode(game).decode())


@command("journal remove", GAME, meaning=Sentence("help.journal_remove"))
def remove(arguments: Namespace) -> None:
    """A game that nobody is to miss any more; what there is of it lies aside afterwards."""
    store, game = Store(state_dir(arguments)), arguments.game
    if not any(known.game_id == game for known in games(store.state_dir)):
        raise UnknownGame(Sentence("journal.unknown_game", game=repr(game), folder=str(store.state_dir)))
    with store.lock():
        hand_over(store.lock_path)  # core has to open it afterwards
        aside = give_up(store, game)
    print(words(Sentence("journal.removed", game=game)))
    if aside is not None:
        print(words(Sentence("restore.game_gave_way", path=str(aside))))


@command("journal show", GAME, meaning=Sentence("help.journal_show"))
def show(arguments: Namespace) -> None:
    """The game's lines, without what is still secret."""
    for line in export_lines(state_dir(arguments), arguments.game):
        print(line.decode().rstrip("\n"))


@command(
    "journal export",
    GAME,
    argument("-o", "--output", type=Path, required=True, shown="F"),
    flag("--force", Sentence("help.replace_file")),
    meaning=Sentence("help.journal_export"),
)
def export(arguments: Namespace) -> None:
    """The same into a file."""
    lines = export_game(state_dir(arguments), arguments.game, arguments.output, force=arguments.force)
    path = str(arguments.output)
    exported = Sentence("journal.lines_exported", path=path, count=lines, game=arguments.game)
    print(words(exported), file=sys.stderr)


@command(
    "verify",
    argument("exports", type=Path, nargs="+", shown="F", meaning=Sentence("help.verify_file")),
    argument("--commitment", shown="HEX", meaning=Sentence("help.verify_commitment")),
    argument("--head", shown="HEX", meaning=Sentence("help.verify_head")),
    argument("--word", shown=Sentence("metavar.text"), meaning=Sentence("help.verify_word")),
    in_state_dir=False,
)
def verify(arguments: Namespace) -> int:
    """0 when every roll is proved, as far as the head reaches that was given, and of several games no seal is
    missing between them; 1 when not. Among several those that never began have nothing to prove."""
    seen = {"commitment": arguments.commitment, "head": arguments.head, "word": arguments.word}
    several = len(arguments.exports) > 1
    if several and any(one is not None for one in seen.values()):
        raise Stop(BAD_USAGE, Sentence("verify.what_was_seen_is_of_one_game"))
    reports = []
    for exported in arguments.exports:
        try:
            report = verify_file(exported, **seen)
        except OSError as error:
            raise Stop(FAILED, of_system(error, exported)) from error
        except ValueError as error:
            raise Stop(BAD_USAGE, sentence_of(error)) from error
        print(*([f"{exported}:"] if several else []), *report.told, sep="\n")
        reports.append(report)
    in_order, found = verify_evening(reports) if several else (True, ())
    for sentence in found:
        print(words(sentence))
    checked = [report for report in reports if report.begun or report.verdict == "refused" or not several]
    return int(not in_order or not all(report.ok for report in checked))


# What a game was like.

FORMATS = ("json", "csv", "pdf")


@command(
    "report",
    GAME_OR_INPUT,
    argument("--format", choices=FORMATS, meaning=Sentence("help.report_format")),
    argument("-o", "--output", type=Path, shown="F", meaning=Sentence("help.report_output")),
    flag("--names", Sentence("help.report_names")),
    argument("--table", choices=("plain", "locale"), default="plain", meaning=Sentence("help.report_table")),
)
def report(arguments: Namespace) -> None:
    """In the format that is named, by default as the file's ending says."""
    output, folder = arguments.output, state_dir(arguments)
    found = _report(arguments.game, folder, names=arguments.names)
    ending = "" if output is None else output.suffix.removeprefix(".")
    kind = arguments.format or (ending if ending in FORMATS else FORMATS[0])
    if kind == "csv":
        content = csv_of(found, spoken() if arguments.table == "locale" else None)
    elif kind == "pdf":
        # Imported here: the libraries behind it take their time.
        from pi_controller.cli.hall import event_of  # noqa: PLC0415
        from pi_controller.report.printed import print_report  # noqa: PLC0415

        content = print_report(found, event_of(folder))
    else:
        content = msgspec.json.encode(found) + b"\n"
    if output is None:
        sys.stdout.buffer.write(content)
    else:
        output.write_bytes(content)


def _report(game: str, folder: Path, *, names: bool) -> GameReport:
    """On standard input the further games of the evening follow the one that is asked for."""
    if game == STANDARD_INPUT:
        first, *rest = games_in(sys.stdin.buffer)
        changes, others = changes_of(first), [summary_of(one) for one in rest]
    else:
        changes = changes_of(from_folder(folder, game), seed_of(folder, game))
        armed = changes[0].records[0].wall
        others = [other for other in reversed(games(folder)) if one_evening(other, armed)]
    made = report_of(changes, names=names, others=others)
    return with_names(made, folder) if names else made


def with_names(made: GameReport, folder: Path) -> GameReport:
    """With the names of people, as this state folder knows them, in place of the journal's numbers."""
    sources = People(folder / "web", time.time).sources()
    named = [replace(one, source=sources.get(one.source, one.source)) for one in made.commands]
    return replace(made, commands=named)


# The pictures of a game again, at once or in time.

NS_PER_S = 1_000_000_000
FASTEST = 1000.0


def _speed(text: str) -> float:
    speed = number(text)
    if not 0 < speed <= FASTEST:
        raise no_argument(Sentence("cli.replay_speed", most=FASTEST))
    return speed


@command(
    "replay",
    GAME_OR_INPUT,
    argument("--speed", type=_speed, shown="N", meaning=Sentence("help.replay_speed")),
    one_of(flag("--lamps", Sentence("help.replay_lamps")), flag("--tables", Sentence("help.replay_tables"))),
    argument(
        "--languages", nargs="+", choices=LANGUAGES, shown="L", meaning=Sentence("help.replay_languages")
    ),
    SETTINGS,
)
def replay(arguments: Namespace) -> None:
    """Lines of JSON: the pictures, or what the lamps or the tables' displays showed."""
    settings, folder = load(arguments.settings), state_dir(arguments)
    if arguments.game == STANDARD_INPUT:
        changes = changes_of(games_in(sys.stdin.buffer)[0])
    else:
        changes = changes_of(from_folder(folder, arguments.game), seed_of(folder, arguments.game))
    again = Replay(changes, tuple(arguments.languages or settings.hall.languages))
    if arguments.tables:
        print(msgspec.json.encode(_tables(again, folder)).decode())
    elif arguments.lamps:
        for line in lines_of(again.pictures()):
            print(msgspec.json.encode(line).decode())
    else:
        _print(again, arguments.speed)


def _tables(again: Replay, folder: Path) -> TablesShown:
    """At the boards of the roster that is kept now: the journal has those of claims alone."""
    path = RosterStore(folder).path
    try:
        roster = from_file(path) if path.exists() else Roster()
    except RosterFault:
        roster = Roster()
    return tables_of(again, boards=[board.name for board in roster.boards], board_of=roster.name_of)


def _print(again: Replay, speed: float | None) -> None:
    """One picture a line; with `speed` each when so much of the time since the first has passed."""
    began_s = time.monotonic()
    for since_ns, picture in again.pictures():
        if speed is not None:
            sys.stdout.flush()
            time.sleep(max(0.0, since_ns / NS_PER_S / speed - (time.monotonic() - began_s)))
        print(msgspec.json.encode(picture).decode())
