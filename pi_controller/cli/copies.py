"""A game on another device: `pi-controller restore` from its second copy, `pair` for the key that lets a
spare controller do so, `stick` for the whole evening on a memory stick."""

import errno
import os
import shutil
import sys
from argparse import Namespace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import msgspec

from pi_controller.cli.usage import (
    BAD_USAGE,
    FAILED,
    REFUSED,
    SETTINGS,
    Stop,
    argument,
    command,
    flag,
    of_system,
    settings_of,
    state_dir,
)
from pi_controller.core.game_loop.recovery import choose, take_over
from pi_controller.hal.system.kernel import SystemClock, take_lowest_priority
from pi_controller.journal import pairing
from pi_controller.journal.copies import CONTROLLER_NAME, controller_id, list_copy, read_mark
from pi_controller.journal.errors import FileUnusable, JournalError
from pi_controller.journal.exports import export_lines
from pi_controller.journal.files import DiskFiles, write_new
from pi_controller.journal.pairing import PairingKey
from pi_controller.journal.record import decode
from pi_controller.journal.seals import one_evening
from pi_controller.journal.store import Store, hand_over, is_game_id, private_folder, write_private
from pi_controller.journal.witnesses import GameSummary, games
from pi_controller.language.words import words
from pi_controller.protocol.messages import StickFile, StickLine
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence, sentence_of
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load

# A game from its second copy, on another controller, while no core runs.


@command(
    "restore",
    argument(
        "stick",
        nargs="?",
        type=Path,
        shown=Sentence("metavar.folder"),
        meaning=Sentence("help.restore_stick"),
    ),
    argument("game", nargs="?", shown=Sentence("metavar.game"), meaning=Sentence("help.restore_game")),
    flag("--list", Sentence("help.restore_list")),
    flag("--as-far-as-readable", Sentence("help.restore_as_far_as_readable")),
    SETTINGS,
    refused=JournalError,
    failed=lambda path, why: Sentence("restore.broke_off", path=path, why=why),
)
def restore(arguments: Namespace) -> None:
    """When it is refused, nothing was changed. A game may be named alone: then the settings name the folder
    of the copy. Without a game it is the unfinished one."""
    stick, game, folder = arguments.stick, arguments.game, state_dir(arguments)
    if stick is not None and game is None and is_game_id(str(stick)) and not stick.exists():
        stick, game = None, str(stick)
    stick = stick or _configured_copy(arguments)
    if stick is None:
        raise Stop(BAD_USAGE, Sentence("restore.no_folder_named"))
    if arguments.list:
        _list(stick)
        return
    private_folder(folder)
    with Store(folder).lock():
        hand_over(Store(folder).lock_path)  # core has to open it afterwards
        chosen = choose(folder, stick, game, as_far_as_readable=arguments.as_far_as_readable)
        for told in take_over(chosen, SystemClock()):
            print(words(told))
    print(words(Sentence("restore.start_now")))


def _configured_copy(arguments: Namespace) -> Path | None:
    """Where the settings keep the second copy; None where they keep none. Raises Stop."""
    try:
        named = load(settings_of(arguments)).journal.second_copy
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, sentence_of(fault)) from fault
    return Path(named) if named else None


def own_copy(arguments: Namespace) -> Path | None:
    """The configured copy where it is there and marked as this state folder's own. Raises Stop, OSError."""
    copy, folder = _configured_copy(arguments), state_dir(arguments)
    if copy is None or not copy.is_dir() or not (folder / CONTROLLER_NAME).exists():
        return None
    mark = read_mark(copy)
    return copy if mark is not None and mark.controller == controller_id(folder) else None


def _list(stick: Path) -> None:
    folder, listed = list_copy(stick)
    mark = read_mark(folder)
    hall = Sentence("journal.another_controller") if mark is None or not mark.hall else mark.hall
    print(words(Sentence("restore.list", folder=str(folder), hall=hall)))
    for game in listed:
        print(words(game.told))


# The key of a pair of controllers.

LONGEST_FILE = 4096
FORCE = flag("--force", Sentence("help.pair_force"))


@command("pair new", FORCE, meaning=Sentence("help.pair_new"))
def new_key(arguments: Namespace) -> None:
    """Make one and keep it."""
    _keep(arguments, pairing.new_key())


@command(
    "pair export",
    argument("-o", "--output", type=Path, shown="F", meaning=Sentence("help.pair_output")),
    meaning=Sentence("help.pair_export"),
)
def export_key(arguments: Namespace) -> None:
    """Into a file that nobody else can read, or on standard output."""
    key = _own_key(arguments)
    if arguments.output is None:
        print(key.text())
        return
    if arguments.output.exists():
        raise Stop(REFUSED, Sentence("pair.file_exists", path=str(arguments.output)))
    write_private(arguments.output, f"{key.text()}\n".encode("ascii"))
    print(words(Sentence("pair.exported", path=str(arguments.output), mark=key.mark)), file=sys.stderr)


@command(
    "pair import",
    argument("file", shown="F", meaning=Sentence("help.pair_file")),
    FORCE,
    meaning=Sentence("help.pair_import"),
)
def import_key(arguments: Namespace) -> None:
    """From a file, or typed."""
    if arguments.file == "-":
        print(words(Sentence("pair.type_the_key")), file=sys.stderr, flush=True)
        text = sys.stdin.readline(LONGEST_FILE)
    else:
        with Path(arguments.file).open(encoding="ascii", errors="replace") as file:
            text = file.read(LONGEST_FILE)
    _keep(arguments, pairing.key_from_text(text))


@command("pair show", meaning=Sentence("help.pair_show"))
def show_key(arguments: Namespace) -> None:
    """Its mark alone, by which two controllers are compared."""
    print(words(Sentence("pair.mark", mark=_own_key(arguments).mark)))


def _keep(arguments: Namespace, key: PairingKey) -> None:
    folder = state_dir(arguments)
    before = pairing.read_key(folder)
    if before is not None and before.mark != key.mark and not arguments.force:
        raise Stop(REFUSED, Sentence("pair.paired_already", mark=before.mark))
    private_folder(folder)
    pairing.keep_key(folder, key)
    print(words(Sentence("pair.paired", mark=key.mark)))


def _own_key(arguments: Namespace) -> PairingKey:
    key = pairing.read_key(state_dir(arguments))
    if key is None:
        raise Stop(REFUSED, Sentence("pair.not_paired"))
    return key


# All games and reports of the evening, read back from the stick.

MOST_GAMES = 50
KEPT_FREE_BYTES = 1024 * 1024
VERIFIER = "verify_game.py"
FULL = {errno.ENOSPC, errno.EDQUOT}
ONLY_READ = {errno.EROFS, errno.EACCES, errno.EPERM}
GONE = {errno.EIO, errno.ENODEV, errno.ENXIO, errno.ENOENT, errno.ESTALE, errno.ENOTCONN}

Files = list[tuple[str, bytes]]


@command(
    "stick",
    argument("folder", type=Path, shown=Sentence("metavar.folder"), meaning=Sentence("help.stick_folder")),
    flag("--names", Sentence("help.report_names")),
    flag("--lines", Sentence("help.stick_lines")),
)
def stick(arguments: Namespace) -> int | None:
    """For a person; with `--lines` for core, which reads how far it is and has a game to go on with."""
    if not arguments.lines:
        target, files = _saved(arguments)
        for file, content in files:
            print(f"{len(content):>10}  {file}")
        kib = sum(len(content) for _, content in files) // 1024 + 1
        print(words(Sentence("stick.written", folder=str(target), count=len(files), kib=kib)))
        return None
    take_lowest_priority()
    try:
        target, files = _saved(arguments)
    except Stop as stop:
        _tell(StickLine(reason=view(stop.sentence)))
        return stop.status
    _tell(StickLine(folder=target.name, files=[StickFile(file, len(content)) for file, content in files]))
    return None


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
        _write_files(target, files, device=device, told=arguments.lines)
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
    # Imported here: a game that is restored needs no report.
    from pi_controller.cli.games import with_names  # noqa: PLC0415
    from pi_controller.replay.changes import changes_of, seed_of  # noqa: PLC0415
    from pi_controller.report.figures import report_of  # noqa: PLC0415
    from pi_controller.report.printed import print_report  # noqa: PLC0415
    from pi_controller.report.table import csv_of  # noqa: PLC0415

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


def _write_files(target: Path, files: Files, *, device: int, told: bool) -> None:
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
