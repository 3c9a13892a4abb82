"""Earlier games, from their journals alone; core need not run: `pi-controller journal`, `verify`, `report`
and `replay`."""

import errno
import os
import shutil
import sys
import time
from argparse import Namespace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pi_controller.cli.usage import (
    BAD_USAGE,
    FAILED,
    REFUSED,
    SETTINGS,
    Stop,
    argument,
    command,
    flag,
    no_argument,
    number,
    of_system,
    one_of,
    settings_of,
    state_dir,
)
from pi_controller.core.game_loop.recovery import choose, take_over
from pi_controller.hal.system.kernel import SystemClock, take_lowest_priority
from pi_controller.journal import pairing
from pi_controller.journal.copies import CONTROLLER_NAME, controller_id, list_copy, read_mark
from pi_controller.journal.errors import FileUnusable, JournalError, UnknownGame
from pi_controller.journal.exports import export_game, export_lines
from pi_controller.journal.files import DiskFiles, write_new
from pi_controller.journal.pairing import PairingKey
from pi_controller.journal.record import decode
from pi_controller.journal.seals import one_evening
from pi_controller.journal.store import Store, hand_over, is_game_id, private_folder, write_private
from pi_controller.journal.verify import verify_evening, verify_file
from pi_controller.journal.witnesses import GameSummary, games, give_up, summary_of
from pi_controller.language.languages import EVERY
from pi_controller.language.words import spoken, words
from pi_controller.protocol.game_report import GameReport
from pi_controller.protocol.messages import StickFile, StickLine
from pi_controller.protocol.sentences import view
from pi_controller.replay.changes import STANDARD_INPUT, changes_of, from_folder, games_in, seed_of
from pi_controller.replay.pictures import Replay, lines_of
from pi_controller.replay.tables import TablesShown, tables_of
from pi_controller.report.figures import report_of
from pi_controller.report.table import csv_of
from pi_controller.roster.model import Roster, RosterFault
from pi_controller.roster.store import RosterStore, from_file
from pi_controller.sentence import Sentence, sentence_of
from pi_controller.settings.fault import SettingsFault
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
    argument("--languages", nargs="+", choices=EVERY, shown="L", meaning=Sentence("help.replay_languages")),
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


# A game on another device: `pi-controller restore` from its second copy, `pair` for the key that lets a
# spare controller do so, `stick` for the whole evening on a memory stick.


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
    for done, game in enumerate(evening):
        if arguments.lines:
            _tell(StickLine(step="reports", done=done, of=len(evening)))
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
    for done, (name, content) in enumerate(files, 1):
        write_new(disk, target / name, content)
        if told:
            _tell(StickLine(step="writing", done=done, of=len(files)))
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
