"""From the journal back to a game: paused, at the last moment that is known of it. Never runs on by
itself."""

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from pi_controller.core.game_loop.answers import Answers
from pi_controller.core.game_loop.closing_time import end_of
from pi_controller.core.game_loop.losses import Restart, Told, loss_of, unsaved_lines
from pi_controller.core.game_loop.opening import read_rules, read_seal
from pi_controller.core.game_loop.sight import Standing
from pi_controller.game.dice_terms import NEWEST
from pi_controller.game.events import Event
from pi_controller.game.game import ContradictionError, Game, apply, new_game
from pi_controller.journal.beat import Heartbeat, Sight
from pi_controller.journal.errors import JournalError
from pi_controller.journal.files import read_regular
from pi_controller.journal.pairing import SEALED_NAME, read_key
from pi_controller.journal.reading import PROGRESS_EVERY, Progress
from pi_controller.journal.record import UnknownEventError, decode_event
from pi_controller.journal.recovery import Recovered, recover
from pi_controller.journal.store import Store
from pi_controller.journal.witnesses import beat_of
from pi_controller.language.system_errors import why
from pi_controller.language.words import all_words, words
from pi_controller.protocol.picture import HealthLevel
from pi_controller.sentence import SaidError, Sentence, said_by

log = logging.getLogger(__name__)


class CannotGoOn(SaidError, RuntimeError):  # noqa: N818 - a state of the files, not a bug
    """The journal is there but does not make a game that can go on; nothing in it has been thrown away.

    `found` is what is the matter; the whole sentence says also what to do about it.
    """

    def __init__(self, found: Sentence, remedy: Sentence) -> None:
        super().__init__(Sentence("start.cannot_go_on", found=found, remedy=remedy))
        self.found = found


News = tuple[str, HealthLevel, Sentence]
"""Part of the health, level, sentence."""

INSTALL_ITS_VERSION = Sentence("start.install_its_version")


class Restored(Struct, frozen=True):
    """A game as it comes back. `game` is as the journal left it; `events` bring it to where it stands now.

    `at_ns` is the game time of the last sign of life; from there the game's clock goes on.
    """

    game: Game
    answers: Answers
    events: tuple[Event, ...]
    at_ns: int
    recovered: Recovered
    restart: Restart
    news: tuple[News, ...] = ()
    """What the director must be told of it."""
    ended_ns: int | None = None
    """CLOCK_BOOTTIME of its last end."""


def restore(
    state_dir: Path,
    store: Store,
    game_id: str | None = None,
    *,
    second_copy: Path | None,
    boot_ns: int,
    boot_id: str,
    wall: str,
    progress: Progress = lambda _lines: None,
) -> Restored | None:
    """The newest game of the state folder, or this one; None when there is none. `progress` is told now and
    then how many lines have been worked through; all are twice, read and folded.

    Raises CannotGoOn, and what `journal.recover` and `Store.read_seed` raise.
    """
    recovered = recover(
        state_dir, game_id, second_copy=second_copy, mend=True, files=store.files, progress=progress
    )
    if recovered is None:
        return None
    if not recovered.records:
        raise CannotGoOn(
            Sentence("start.first_line_lost", game=recovered.game_id),
            Sentence("start.bring_folder_back", folder=str(recovered.folder)),
        )
    game = _armed(recovered, _seed(store, recovered, second_copy))
    told = Told()
    folded = _fold(game, recovered, told, progress)
    beat, silent = _beat(store, recovered.game_id)
    sight = beat.sight if beat is not None and beat.game_ns > told.restarted_ns else None
    standing, as_seen = _stand_still(folded, recovered, beat, sight)
    at_ns = max(standing.now_ns, folded.newest_ns, beat.game_ns if beat else 0)
    down_ms = _down_ms(recovered, beat, boot_ns=boot_ns, boot_id=boot_id)
    restart = _restart(recovered, sight, down_ms=down_ms, wall=wall, as_seen=as_seen)
    told.restarted(restart, at_ns)
    copy_read = second_copy is not None and (second_copy / "games" / recovered.game_id).is_dir()
    news = (*told.sentences(copy_read=copy_read), *passed_over(recovered.passed_over), *silent)
    return Restored(
        folded.game,
        folded.answers,
        tuple(standing.events),
        at_ns,
        recovered,
        restart,
        news,
        ended_ns=end_of(recovered.records, boot_ns=boot_ns, boot_id=boot_id, wall=wall),
    )


def _armed(recovered: Recovered, seed: bytes) -> Game:
    """The game as line 0 says that it was armed."""
    header = recovered.records[0].data
    try:
        game = new_game(
            recovered.game_id,
            read_rules(header["rules"]),
            seed,
            version=_derivation(recovered),
            rehearsal=header.get("rehearsal") is True,
            seal=read_seal(header),
        )
    except (KeyError, ValueError) as error:
        found = Sentence("start.unknown_rules", game=recovered.game_id, why=said_by(error))
        raise CannotGoOn(found, INSTALL_ITS_VERSION) from error
    if game.dice.commitment != header["commitment"]:
        raise CannotGoOn(
            Sentence("start.other_seed", game=recovered.game_id),
            Sentence("start.put_right_seed_back", folder=str(recovered.folder)),
        )
    return game


def passed_over(told: Iterable[Sentence]) -> Iterator[News]:
    """Of folders among the games that hold none."""
    for number, sentence in enumerate(told, start=1):
        yield f"folder {number}", "warning", sentence


def _derivation(recovered: Recovered) -> int:
    """The version of the dice that line 0 names; the first journals named none."""
    version = recovered.records[0].data.get("derivation", 1)
    if type(version) is not int or not 1 <= version <= NEWEST:
        raise CannotGoOn(
            Sentence("start.newer_dice", game=recovered.game_id, derivation=repr(version), newest=NEWEST),
            INSTALL_ITS_VERSION,
        )
    return version


def _seed(store: Store, recovered: Recovered, second_copy: Path | None) -> bytes:
    """The seed in the game's folder; where there is none that can be read, that of the second copy."""
    try:
        return store.read_seed(recovered.game_id)
    except (OSError, JournalError) as own:
        copied = None if second_copy is None else _copied_seed(store, recovered.game_id, second_copy)
        if copied is not None:
            return copied
        if not isinstance(own, FileNotFoundError):
            raise
        raise CannotGoOn(
            Sentence("start.seed_missing", game=recovered.game_id),
            Sentence("start.put_seed_back", file=str(own.filename)),
        ) from own


def _copied_seed(store: Store, game_id: str, second_copy: Path) -> bytes | None:
    """That of the second copy, in the game's folder from now on if that takes it. None without one that this
    controller can open."""
    sealed = second_copy / "games" / game_id / SEALED_NAME
    try:
        key = read_key(store.state_dir)
        if key is None or not sealed.exists():
            return None
        seed = key.open(game_id, read_regular(sealed))
    except (OSError, JournalError) as error:
        log.warning("the seed in the second copy is of no use: %s", error)
        return None
    try:
        store.create_game(game_id, seed)
    except OSError as error:
        log.warning("the seed of the second copy could not be put into the game's folder: %s", error)
    return seed


class _Folded(Struct, frozen=True):
    """What all lines come to; `newest_ns` is the latest game time among them."""

    game: Game
    answers: Answers
    newest_ns: int


def _fold(game: Game, recovered: Recovered, told: Told, progress: Progress) -> _Folded:
    answers = Answers()
    newest_ns = recovered.records[0].game_ns
    for record in recovered.records[1:]:
        if record.seq % PROGRESS_EVERY == 0:
            progress(len(recovered.records) + record.seq)
        newest_ns = max(newest_ns, record.game_ns)
        if record.kind == "answered":
            answers.restore(record.data)
            continue
        if record.kind == "note":
            told.hear(record.data, record.game_ns)
            continue
        try:
            event = decode_event(record.kind, record.data)
            game = apply(game, event) if event is not None else game
        except (UnknownEventError, ContradictionError, ValueError) as error:
            found = Sentence(
                "start.line_does_not_fit",
                line=record.seq + 1,
                game=recovered.game_id,
                why=said_by(error),
            )
            raise CannotGoOn(found, INSTALL_ITS_VERSION) from error
    return _Folded(game, answers, newest_ns)


def _stand_still(
    folded: _Folded, recovered: Recovered, beat: Heartbeat | None, sight: Sight | None
) -> tuple[Standing, bool]:
    """The pause where the hall saw the game last; and whether that place is known and was reached.

    A heartbeat that is older than the journal, or of a release that did not say what the hall saw, gives the
    time alone.
    """
    standing = Standing(folded.game, folded.newest_ns)
    if sight is not None and sight.lines >= len(recovered.records):
        return standing, standing.stand_as_seen(sight)
    standing.stand_at(max(folded.newest_ns, beat.game_ns if beat else 0))
    return standing, recovered.lost == 0


def _beat(store: Store, game_id: str) -> tuple[Heartbeat | None, tuple[News, ...]]:
    """The game's last heartbeat. One that cannot be read costs the time since the last saved line alone."""
    try:
        return beat_of(store, game_id), ()
    except OSError as error:
        path = str(store.heartbeat_path)
        return None, (
            ("last heartbeat", "warning", Sentence("start.heartbeat_unread", file=path, why=why(error))),
        )


def _restart(
    recovered: Recovered, sight: Sight | None, *, down_ms: int | None, wall: str, as_seen: bool
) -> Restart:
    loss = loss_of(recovered, sight)
    return Restart(
        same_boot=down_ms is not None,
        down_ms=down_ms,
        last_wall=recovered.records[-1].wall,
        wall=wall,
        cut=[words(damage.sentence) for damage in recovered.cut],
        lost_lines=recovered.lost,
        problems=all_words(recovered.problems),
        lost=loss,
        unsaved_lines=unsaved_lines(loss, sight, recovered),
        as_seen=as_seen,
    )


def _down_ms(recovered: Recovered, beat: Heartbeat | None, *, boot_ns: int, boot_id: str) -> int | None:
    """For how long nobody watched the clock; None: the computer has been started since."""
    last = recovered.records[-1]
    seen_ns = [last.boot_ns] if last.boot_id == boot_id else []
    seen_ns += [beat.boot_ns] if beat is not None and beat.boot_id == boot_id else []
    return max(0, boot_ns - max(seen_ns)) // 1_000_000 if seen_ns else None
