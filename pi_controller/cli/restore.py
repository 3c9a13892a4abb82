"""`pi-controller restore STICK`: a game from its second copy, on another controller, while no core runs."""

from collections.abc import Iterator
from pathlib import Path

from pi_controller import __version__
from pi_controller.cli.usage import (
    ACCEPTED,
    FAILED,
    REFUSED,
    Stop,
    add_state_dir,
    parser_for,
    state_dir,
)
from pi_controller.core.game_loop.recovery import CannotGoOn, Restored, restore
from pi_controller.game.game import apply
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal import spare
from pi_controller.journal.errors import JournalError
from pi_controller.journal.private import hand_over, private_folder
from pi_controller.journal.spare import Copied
from pi_controller.journal.store import Store
from pi_controller.language.system_errors import why
from pi_controller.language.words import words
from pi_controller.roster.model import RosterFault
from pi_controller.roster.store import RosterStore, from_file
from pi_controller.sentence import Sentence


def run(name: str, given: list[str]) -> int:
    """0 when the game is in place, 3 with a sentence when it is not; then nothing was changed."""
    parser = parser_for(name)
    parser.add_argument(
        "stick",
        type=Path,
        metavar=words(Sentence("metavar.stick")),
        help=words(Sentence("help.restore_stick")),
    )
    parser.add_argument(
        "--as-far-as-readable", action="store_true", help=words(Sentence("help.restore_as_far_as_readable"))
    )
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    folder = state_dir(arguments)
    try:
        private_folder(folder)
        with Store(folder).lock():
            hand_over(Store(folder).lock_path)  # core has to open it afterwards
            restore_copy(folder, arguments.stick, as_far_as_readable=arguments.as_far_as_readable)
        print(words(Sentence("restore.start_now")))
    except JournalError as error:
        raise Stop(REFUSED, error.sentence) from error
    except OSError as error:
        where = str(error.filename or folder)
        raise Stop(FAILED, Sentence("restore.broke_off", path=where, why=why(error))) from error
    return ACCEPTED


def restore_copy(folder: Path, stick: Path, *, as_far_as_readable: bool = False, roster: bool = True) -> None:
    """Put the copy's newest game in place, with the copy's roster or without, and say what was done.
    JournalError, and nothing was changed; OSError."""
    copied = spare.read_copy(stick, as_far_as_readable=as_far_as_readable)
    aside = spare.check_own(folder, copied)
    seed = spare.seed_for(folder, copied)
    try:
        comes_back = _tried(spare.make_draft(folder, copied, seed), copied)
        moved = spare.take_over(folder, copied, aside)
    finally:
        spare.drop_draft(folder)
    gave_way = [Sentence("restore.game_gave_way", path=str(path)) for path in moved]
    for told in (*copied.notes, *(_roster(folder, copied.folder) if roster else ()), *gave_way, comes_back):
        print(words(told))


def _roster(folder: Path, copy: Path) -> Iterator[Sentence]:
    """Take the copy's roster over, so that the tables stand where they stood; sentences about it."""
    theirs, own = RosterStore(copy), RosterStore(folder)
    if not theirs.path.exists():
        return
    try:
        roster = from_file(theirs.path)
    except RosterFault:
        yield Sentence("restore.roster_damaged")
        return
    if own.path.exists() and own.path.read_bytes() == theirs.path.read_bytes():
        return
    if own.path.exists():
        before = own.path.with_name("roster.before-restore.json")
        own.path.replace(before)
        yield Sentence("restore.roster_gave_way", path=str(before))
    own.save(roster)
    hand_over(own.path)
    yield Sentence("restore.roster_in_force", count=len(roster.boards))


def _tried(draft: Path, copied: Copied) -> Sentence:
    """What core will make of it, in one sentence; CannotRestore when it would refuse."""
    clock = SystemClock()
    try:
        restored = restore(
            draft,
            Store(draft),
            second_copy=None,
            boot_ns=clock.boot_ns(),
            boot_id=clock.boot_id,
            wall=clock.wall(),
        )
    except CannotGoOn as error:
        writer = copied.recovered.records[0].data.get("software")
        raise spare.CannotRestore(
            Sentence("restore.cannot_go_on", game=copied.game_id, why=error.found)
            if writer == __version__
            else Sentence(
                "restore.other_version",
                game=copied.game_id,
                writer=str(writer),
                own=__version__,
                why=error.found,
            )
        ) from error
    if restored is None:
        raise RuntimeError("a draft with a game in it holds none")
    return _sentence(restored)


def _sentence(restored: Restored) -> Sentence:
    game = restored.game
    for event in restored.events:
        game = apply(game, event)
    state = game.state
    left_s = state.remaining_ns(restored.at_ns) / 1e9
    if state.phase == "ready":
        return Sentence("restore.comes_back_ready", game=game.game_id)
    if state.phase == "ended":
        return Sentence("restore.comes_back_ended", game=game.game_id)
    if state.phase == "collecting":
        return Sentence("restore.comes_back_collecting", game=game.game_id, round=state.round)
    if state.phase == "robber":
        return Sentence("restore.comes_back_robber", game=game.game_id, round=state.round, left_s=left_s)
    return Sentence("restore.comes_back_round", game=game.game_id, round=state.round, left_s=left_s)
