"""`pi-controller stick`: all games and reports of the evening on a memory stick, read back from it."""

import errno
import os
import shutil
import sys
from argparse import Namespace
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
from pi_controller.hal.system.kernel import take_lowest_priority
from pi_controller.journal.errors import FileUnusable, JournalError
from pi_controller.journal.exports import export_lines
from pi_controller.journal.files import DiskFiles, write_new
from pi_controller.journal.record import decode
from pi_controller.journal.seals import one_evening
from pi_controller.journal.witnesses import GameSummary, games
from pi_controller.language.words import words
from pi_controller.protocol.messages import StickFile, StickLine
from pi_controller.protocol.sentences import view
from pi_controller.replay.changes import changes_of, seed_of
from pi_controller.report.figures import report_of
from pi_controller.report.printed import print_report
from pi_controller.report.table import csv_of
from pi_controller.sentence import Sentence

MOST_GAMES = 50
KEPT_FREE_BYTES = 1024 * 1024
VERIFIER = "verify_game.py"
FULL = {errno.ENOSPC, errno.EDQUOT}
ONLY_READ = {errno.EROFS, errno.EACCES, errno.EPERM}
GONE = {errno.EIO, errno.ENODEV, errno.ENXIO, errno.ENOENT, errno.ESTALE, errno.ENOTCONN}

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
    parser.add_argument("--lines", action="store_true", help=words(Sentence("help.stick_lines")))
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    if not arguments.lines:
        target, files = _saved(arguments)
        for file, content in files:
            print(f"{len(content):>10}  {file}")
        kib = sum(len(content) for _, content in files) // 1024 + 1
        print(words(Sentence("stick.written", folder=str(target), count=len(files), kib=kib)))
        return ACCEPTED
    take_lowest_priority()
    try:
        target, files = _saved(arguments)
    except Stop as stop:
        _tell(StickLine(reason=view(stop.sentence)))
        return stop.status
    _tell(StickLine(folder=target.name, files=[StickFile(file, len(content)) for file, content in files]))
    return ACCEPTED


def _tell(line: StickLine) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


def _saved(arguments: Namespace) -> tuple[Path, Files]:
    """The new folder, and what is in it. Raises Stop."""
    stick: Path = arguments.folder
    # For core it is a stick that was there just now; anybody else may name any folder.
    if arguments.lines and not os.path.ismount(stick):
        raise Stop(REFUSED, Sentence("stick.not_there", folder=str(stick)))
    if not stick.is_dir():
        raise Stop(REFUSED, Sentence("stick.no_folder", folder=str(stick)))
    device = stick.stat().st_dev
    try:
        files = _files(arguments)
    except JournalError as error:
        raise Stop(FAILED, error.sentence) from error
    except OSError as error:
        raise Stop(FAILED, of_system(error, state_dir(arguments))) from error
    target = stick / f"pi-controller-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    try:
        _write(target, files, device=device, told=arguments.lines)
    except OSError as error:
        # Half an evening would pass for a whole one.
        shutil.rmtree(target, ignore_errors=True)
        raise Stop(FAILED, _of_stick(error, stick)) from error
    return target, files


def _files(arguments: Namespace) -> Files:
    """Name and content of each file. Raises Stop without a game, JournalError, OSError."""
    folder = state_dir(arguments)
    known = [game for game in games(folder) if game.armed_at]
    if not known:
        raise Stop(REFUSED, Sentence("stick.no_game", folder=str(folder)))
    evening = [one for one in known if one is known[0] or one_evening(one, known[0].armed_at)][:MOST_GAMES]
    found: Files = []
    for number, game in enumerate(evening):
        if arguments.lines:
            _tell(StickLine(step="reports", done=number, of=len(evening)))
        found += _of_game(folder, game, evening, names=arguments.names)
    return [*found, (VERIFIER, resources.files("pi_controller.journal").joinpath(VERIFIER).read_bytes())]


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


def _write(target: Path, files: Files, *, device: int, told: bool) -> None:
    """A new folder with these files, each read back from the device. Raises Stop, OSError."""
    disk, stick = DiskFiles(), target.parent
    needed = sum(len(content) for _, content in files) + KEPT_FREE_BYTES
    if disk.free_bytes(stick) < needed:
        raise Stop(REFUSED, Sentence("stick.no_room", folder=str(stick), kib=needed // 1024))
    _check_device(stick, device)
    disk.make_folder(target)
    for number, (name, content) in enumerate(files):
        write_new(disk, target / name, content)
        if told:
            _tell(StickLine(step="writing", done=number + 1, of=len(files)))
    disk.sync_folder(target)
    disk.sync_folder(stick)
    for name, content in files:
        if disk.read_back(target / name) != content:
            raise Stop(FAILED, Sentence("stick.not_as_written", file=str(target / name)))
    _check_device(stick, device)


def _check_device(stick: Path, device: int) -> None:
    """Raises OSError when another disk shows in the stick's place: it was pulled out meanwhile."""
    if stick.stat().st_dev != device:
        raise FileUnusable(errno.ENODEV, Sentence("stick.gone", folder=str(stick)))


def _of_stick(error: OSError, stick: Path) -> Sentence:
    """What became of the stick, in one sentence."""
    folder = str(stick)
    if error.errno in FULL:
        return Sentence("stick.full", folder=folder)
    if error.errno in ONLY_READ:
        return Sentence("stick.only_read", folder=folder)
    if error.errno in GONE:
        return Sentence("stick.gone", folder=folder)
    return of_system(error, stick)
