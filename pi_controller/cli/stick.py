"""`pi-controller stick`: all games and reports of the evening on a memory stick, read back from it."""

from argparse import Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import msgspec

from pi_controller.cli.report import with_names
from pi_controller.cli.usage import (
    ACCEPTED,
    FAILED,
    REFUSED,
    Stop,
    add_state_dir,
    of_system,
    parser_for,
    state_dir,
)
from pi_controller.journal.errors import JournalError
from pi_controller.journal.export_files import GameSummary, games
from pi_controller.journal.exports import export_lines
from pi_controller.journal.files import DiskFiles, write_new
from pi_controller.journal.record import decode
from pi_controller.language.words import words
from pi_controller.replay.changes import changes_of
from pi_controller.replay.reading import seed_of
from pi_controller.report.evening import one_evening
from pi_controller.report.figures import report_of
from pi_controller.report.printed import print_report
from pi_controller.report.table import csv_of
from pi_controller.sentence import Sentence

MOST_GAMES = 50
KEPT_FREE_BYTES = 1024 * 1024
VERIFIER = "verify_game.py"

Files = list[tuple[str, bytes]]


def run(name: str, given: list[str]) -> int:
    parser = parser_for(name)
    parser.add_argument(
        "folder",
        type=Path,
        metavar=words(Sentence("metavar.folder")),
        help=words(Sentence("help.stick_folder")),
    )
    parser.add_argument("--names", action="store_true", help=words(Sentence("help.report_names")))
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    if not arguments.folder.is_dir():
        raise Stop(REFUSED, Sentence("stick.no_folder", folder=str(arguments.folder)))
    try:
        files = list(_files(arguments))
        target = _written(arguments.folder, files)
    except JournalError as error:
        raise Stop(FAILED, error.sentence) from error
    except OSError as error:
        raise Stop(FAILED, of_system(error, arguments.folder)) from error
    for file, content in files:
        print(f"{len(content):>10}  {file}")
    kib = sum(len(content) for _, content in files) // 1024 + 1
    print(words(Sentence("stick.written", folder=str(target), count=len(files), kib=kib)))
    return ACCEPTED


def _files(arguments: Namespace) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file. Raises Stop without a game, JournalError, OSError."""
    folder = state_dir(arguments)
    known = games(folder)
    if not known:
        raise Stop(REFUSED, Sentence("stick.no_game", folder=str(folder)))
    evening = [one for one in known if one is known[0] or one_evening(one, known[0].armed_at)][:MOST_GAMES]
    for game in evening:
        yield from _of_game(folder, game, evening, names=arguments.names)
    yield VERIFIER, resources.files("pi_controller.journal").joinpath(VERIFIER).read_bytes()


def _of_game(folder: Path, game: GameSummary, evening: list[GameSummary], *, names: bool) -> Files:
    name = game.game_id
    lines = list(export_lines(folder, name))
    changes = changes_of([decode(line) for line in lines], seed_of(folder, name))
    report = report_of(changes, names=names, others=evening)
    report = with_names(report, folder) if names else report
    return [
        (f"{name}.jsonl", b"".join(lines)),
        (f"{name}.report.json", msgspec.json.encode(report)),
        (f"{name}.report.csv", csv_of(report)),
        (f"{name}.report.pdf", print_report(report)),
    ]


def _written(folder: Path, files: Files) -> Path:
    """The new folder with these files, each read back from the device. Raises Stop, OSError."""
    disk = DiskFiles()
    needed = sum(len(content) for _, content in files) + KEPT_FREE_BYTES
    if disk.free_bytes(folder) < needed:
        raise Stop(REFUSED, Sentence("stick.no_room", folder=str(folder), kib=needed // 1024))
    target = folder / f"pi-controller-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    disk.make_folder(target)
    for name, content in files:
        write_new(disk, target / name, content)
    disk.sync_folder(target)
    for name, content in files:
        if disk.read_back(target / name) != content:
            raise Stop(FAILED, Sentence("stick.not_as_written", file=str(target / name)))
    return target
