"""`pi-controller restore STICK`: a game from its second copy, on another controller, while no core runs."""

from collections.abc import Iterator
from pathlib import Path

from pi_controller import __version__
from pi_controller.cli.usage import ACCEPTED, FAILED, REFUSED, Stop, add_state_dir, parser_for, state_dir
from pi_controller.core.game_loop.recovery import CannotGoOn, Restored, restore
from pi_controller.game.game import apply
from pi_controller.hal.system.kernel import SystemClock
from pi_controller.journal import spare
from pi_controller.journal.errors import JournalError
from pi_controller.journal.private import hand_over, private_folder
from pi_controller.journal.spare import Copied
from pi_controller.journal.store import Store
from pi_controller.language.words import all_words
from pi_controller.roster.model import RosterFault
from pi_controller.roster.store import RosterStore, from_file
from pi_controller.sentence import Sentence


def run(name: str, given: list[str]) -> int:
    """0 when the game is in place, 3 with a sentence when it is not; then nothing was changed."""
    parser = parser_for(name)
    parser.add_argument(
        "stick", type=Path, metavar="STICK", help="the stick, or the folder of the copy on it"
    )
    parser.add_argument(
        "--as-far-as-readable", action="store_true", help="go on at the last good line of a damaged copy"
    )
    add_state_dir(parser)
    arguments = parser.parse_args(given)
    folder = state_dir(arguments)
    try:
        private_folder(folder)
        with Store(folder).lock():
            hand_over(Store(folder).lock_path)  # core has to open it afterwards
            _restore(folder, arguments.stick, as_far_as_readable=arguments.as_far_as_readable)
    except JournalError as error:
        raise Stop(REFUSED, str(error)) from error
    except OSError as error:
        raise Stop(FAILED, f"{error.filename or folder}: {error.strerror}; nothing was restored.") from error
    return ACCEPTED


def _restore(folder: Path, stick: Path, *, as_far_as_readable: bool) -> None:
    copied = spare.read_copy(stick, as_far_as_readable=as_far_as_readable)
    aside = spare.check_own(folder, copied)
    seed = spare.seed_for(folder, copied)
    try:
        comes_back = _tried(spare.make_draft(folder, copied, seed), copied)
        moved = spare.take_over(folder, copied, aside)
    finally:
        spare.drop_draft(folder)
    for note in (*all_words(copied.notes), *_roster(folder, copied.folder)):
        print(note)
    for path in moved:
        print(f"A game that was here gave way and lies in {path}.")
    print(comes_back)
    print("Start the controller now: `sudo systemctl start pi-controller-core`, or `pi-controller run`.")


def _roster(folder: Path, copy: Path) -> Iterator[str]:
    """Take the copy's roster over, so that the tables stand where they stood; sentences about it."""
    theirs, own = RosterStore(copy), RosterStore(folder)
    if not theirs.path.exists():
        return
    try:
        roster = from_file(theirs.path)
    except RosterFault:
        yield "The roster on the stick is damaged and not taken over: bring one with `roster import`."
        return
    if own.path.exists() and own.path.read_bytes() == theirs.path.read_bytes():
        return
    if own.path.exists():
        before = own.path.with_name("roster.before-restore.json")
        own.path.replace(before)
        yield f"The roster that was here gave way and lies in {before}."
    own.save(roster)
    hand_over(own.path)
    yield f"The roster of the first controller is in force: {len(roster.boards)} boards."


def _tried(draft: Path, copied: Copied) -> str:
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


def _sentence(restored: Restored) -> str:
    game = restored.game
    for event in restored.events:
        game = apply(game, event)
    state = game.state
    left_s = state.remaining_ns(restored.at_ns) / 1e9
    where = {"ready": "before its start", "ended": "at its end"}.get(state.phase)
    if where is None:
        phase = "in the robber phase after round" if state.phase == "robber" else "in round"
        where = f"{phase} {state.round} with {left_s:.1f} s left, paused"
    return f"Game {game.game_id} comes back {where}."
