"""`pi-controller restore FOLDER [GAME]`: a game from its second copy, on another controller, while no core
runs."""

from argparse import Namespace
from pathlib import Path

from pi_controller.cli.setup.command import UNIT_SETTINGS
from pi_controller.cli.usage import (
    ACCEPTED,
    BAD_USAGE,
    FAILED,
    REFUSED,
    Stop,
    add_settings,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.core.game_loop.recovery import choose, take_over
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal.copies import CONTROLLER_NAME, controller_id, list_copy, read_mark
from pi_controller.journal.errors import JournalError
from pi_controller.journal.store import Store, hand_over, is_game_id, private_folder
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.protocol.paths import UNIT_STATE_DIR
from pi_controller.sentence import Sentence, said_by
from pi_controller.settings.fault import SettingsFault
from pi_controller.settings.load import load


def run(name: str, given: list[str]) -> int:
    """0 when the game is in place, 3 with a sentence when it is not; then nothing was changed."""
    parser = parser_for(name)
    parser.add_argument(
        "stick",
        nargs="?",
        type=Path,
        metavar=words(Sentence("metavar.folder")),
        help=words(Sentence("help.restore_stick")),
    )
    parser.add_argument(
        "game",
        nargs="?",
        metavar=words(Sentence("metavar.game")),
        help=words(Sentence("help.restore_game")),
    )
    parser.add_argument("--list", action="store_true", help=words(Sentence("help.restore_list")))
    parser.add_argument(
        "--as-far-as-readable", action="store_true", help=words(Sentence("help.restore_as_far_as_readable"))
    )
    add_settings(parser)
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    folder = state_dir(arguments)
    stick, game = _named(arguments, folder)
    try:
        if arguments.list:
            _list(stick)
            return ACCEPTED
        private_folder(folder)
        with Store(folder).lock():
            hand_over(Store(folder).lock_path)  # core has to open it afterwards
            chosen = choose(folder, stick, game, as_far_as_readable=arguments.as_far_as_readable)
            for told in take_over(chosen, SystemClock()):
                print(words(told))
        print(words(Sentence("restore.start_now")))
    except JournalError as error:
        raise Stop(REFUSED, error.sentence) from error
    except OSError as error:
        where = str(error.filename or folder)
        raise Stop(FAILED, Sentence("restore.broke_off", path=where, why=why(error))) from error
    return ACCEPTED


def _named(arguments: Namespace, folder: Path) -> tuple[Path, str | None]:
    """The folder of the copy and the game, None for the unfinished one. A game may be named alone: then the
    settings name the folder. Raises Stop."""
    stick, game = arguments.stick, arguments.game
    if stick is not None and game is None and is_game_id(str(stick)) and not stick.exists():
        stick, game = None, str(stick)
    if stick is None:
        stick = configured_copy(arguments, folder)
    if stick is None:
        raise Stop(BAD_USAGE, Sentence("restore.no_folder_named"))
    return stick, game


def configured_copy(arguments: Namespace, folder: Path) -> Path | None:
    """Where the settings keep the second copy; None where they keep none. Raises Stop."""
    try:
        named = load(settings_of(arguments, folder)).journal.second_copy
    except SettingsFault as fault:
        raise Stop(BAD_USAGE, said_by(fault)) from fault
    return Path(named) if named else None


def own_copy(arguments: Namespace, folder: Path) -> Path | None:
    """The configured copy where it is there and marked as this state folder's own. Raises Stop, OSError."""
    copy = configured_copy(arguments, folder)
    known = folder / CONTROLLER_NAME
    if copy is None or not copy.is_dir() or not known.exists():
        return None
    mark = read_mark(copy)
    return copy if mark is not None and mark.controller == controller_id(folder) else None


def settings_of(arguments: Namespace, folder: Path) -> Path | None:
    """Those given; of the installed controller those that its units read."""
    installed = arguments.settings is None and folder == UNIT_STATE_DIR and UNIT_SETTINGS.exists()
    return UNIT_SETTINGS if installed else arguments.settings


def _list(stick: Path) -> None:
    folder, listed = list_copy(stick)
    mark = read_mark(folder)
    hall = Sentence("journal.another_controller") if mark is None or not mark.hall else mark.hall
    print(words(Sentence("restore.list", folder=str(folder), hall=hall)))
    for game in listed:
        print(words(game.told))
