"""A game from its second copy, in place of what this controller has: for the command line, and for a core
that goes on with it at its next start."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_controller import __version__
from pi_controller.core.game_loop.recovery import CannotGoOn, Restored, restore
from pi_controller.game.game import apply
from pi_controller.hal.roles import Clock
from pi_controller.journal import spare
from pi_controller.journal.private import hand_over
from pi_controller.journal.spare import Copied
from pi_controller.journal.store import Store
from pi_controller.roster.model import RosterFault
from pi_controller.roster.store import RosterStore, from_file
from pi_controller.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Chosen:
    """A game of a copy that can go on in `folder`, where games have to give way to it. Nothing is changed."""

    folder: Path
    copied: Copied
    aside: tuple[str, ...]
    seed: bytes


def choose(
    folder: Path, stick: Path, game_id: str | None = None, *, as_far_as_readable: bool = False
) -> Chosen:
    """This game of the copy, or its unfinished one. JournalError, OSError."""
    copied = spare.read_copy(stick, game_id, as_far_as_readable=as_far_as_readable)
    return Chosen(folder, copied, spare.check_own(folder, copied), spare.seed_for(folder, copied))


def take_over(chosen: Chosen, clock: Clock, *, roster: bool = True) -> list[Sentence]:
    """Put the game in place, with the copy's roster or without; what was done. No core may run on the folder,
    or one whose journal is closed. JournalError, and nothing was changed; OSError."""
    folder, copied = chosen.folder, chosen.copied
    try:
        draft = spare.make_draft(folder, copied, chosen.seed)
        silent = spare.bring_beat(draft, copied)
        comes_back = _tried(draft, copied, clock)
        moved = spare.take_over(folder, copied, chosen.aside)
    finally:
        spare.drop_draft(folder)
    gave_way = [Sentence("restore.game_gave_way", path=str(path)) for path in moved]
    rosters = _roster(folder, copied.folder) if roster else ()
    return [*copied.notes, *([] if silent is None else [silent]), *rosters, *gave_way, comes_back]


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


def _tried(draft: Path, copied: Copied, clock: Clock) -> Sentence:
    """What core will make of it, in one sentence; CannotRestore when it would refuse."""
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
