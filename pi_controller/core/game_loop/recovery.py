"""From the journal back to a game, paused at the last known moment; it never continues by itself."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, convert, to_builtins

from pi_controller import __version__
from pi_controller.core.game_loop.opening import read_rules, read_seal
from pi_controller.core.game_loop.pending import KeptAnswers
from pi_controller.core.game_loop.picture import end_of
from pi_controller.core.runtime import LOST, UNSAVED, Health
from pi_controller.game import clockwork
from pi_controller.game.commands import AddTime, Command, Pause, Resume, Start, Turn
from pi_controller.game.dice_terms import NEWEST
from pi_controller.game.events import Event
from pi_controller.game.game import ContradictionError, Game, apply, decide, new_game, tick
from pi_controller.game.rule_sets import NS_PER_MS
from pi_controller.game.state import SEAT_PHASES, ClockState, CountingDown, Frozen, Idle, Running
from pi_controller.hal.roles import Clock
from pi_controller.journal import copies
from pi_controller.journal.copies import Copied
from pi_controller.journal.errors import DamagedLine, JournalError, NewerJournal, NoGame
from pi_controller.journal.files import read_lines, read_regular
from pi_controller.journal.heartbeat import Heartbeat, HeartbeatSnapshot, read_heartbeat
from pi_controller.journal.pairing import SEALED_NAME, read_key
from pi_controller.journal.record import Record, UnknownEventError, decode, decode_event
from pi_controller.journal.recovery import PROGRESS_EVERY, Damage, Progress, Recovered, recover
from pi_controller.journal.store import SEED_NAME, Store, hand_over, newest_first
from pi_controller.journal.witnesses import beat_of, known_ids, look_up, removed
from pi_controller.language.system_errors import why
from pi_controller.language.words import all_words, words
from pi_controller.protocol.picture import HealthLevel
from pi_controller.roster.model import RosterFault
from pi_controller.roster.store import RosterStore, from_file
from pi_controller.sentence import SaidError, Sentence, as_told, sentence_of

# Losses: what a restart could not restore. Counted and reported, again at each later restart of the same
# game.


log = logging.getLogger(__name__)


class RestartLoss(Struct, frozen=True):
    """Lines that were on the disk and are in no chain any more. `commands`: those of them that could be read,
    all later than `since` (wall clock of the last good line). `unreadable`: whole lines that could not."""

    commands: int
    lines: int
    unreadable: int
    since: str


def loss_of(recovered: Recovered, sight: HeartbeatSnapshot | None) -> RestartLoss | None:
    """None if nothing that had been saved is missing."""
    known = len(recovered.records)
    readable: dict[int, Record] = {}
    unreadable = 0
    for damage in recovered.cut:
        for line in () if damage.bridged else _behind(recovered, damage):
            record = _read(line)
            if record is None:
                unreadable += line.endswith(b"\n")
            elif record.seq >= known:
                readable[record.seq] = record
    told_saved = 0 if sight is None else sight.saved - known
    lines = max(recovered.lost, len(readable) + unreadable, told_saved)
    if lines <= 0:
        return None
    commands = sum(_is_command(record) for record in readable.values())
    return RestartLoss(commands, lines, unreadable, recovered.records[known - 1].wall)


class Restart(Struct, frozen=True, kw_only=True):
    """The journal's note of a restart: how long nobody watched the clock, what was cut off, and what could
    not be restored. Across reboots the duration comes from the wall clock, if it is right. Notes of earlier
    releases lack some fields."""

    same_boot: bool = False
    down_ms: int | None = None
    last_wall: str = ""
    wall: str = ""
    cut: list[str] = []
    lost_lines: int = 0
    problems: list[str] = []
    lost: RestartLoss | None = None
    unsaved_lines: int = 0
    as_seen: bool = True
    """True if the state that the hall saw last is known and was reached."""

    def line(self) -> tuple[str, dict[str, object]]:
        return "note", {"recovery": to_builtins(self)}


def unsaved_lines(loss: RestartLoss | None, sight: HeartbeatSnapshot | None, recovered: Recovered) -> int:
    """Number of lines of which the hall saw the effect but that were never saved."""
    missing = 0 if sight is None else sight.lines - len(recovered.records)
    return max(0, missing - (loss.lines if loss is not None else 0))


TOLD = ("last_wall", "lost", "unsaved_lines", "as_seen")
"""Fields of a note that are read again."""


class RestartLossReport:
    """The notes of all restarts of a game, combined for the health."""

    def __init__(self) -> None:
        self.restarted_ns = -1
        """Game time of the newest restart; a heartbeat that is not later belongs to the journal before that
        restart's cut."""
        self._lost: list[RestartLoss] = []
        self._newest = Restart()

    def hear(self, note: Mapping[str, object], at_ns: int) -> None:
        """Take a line of kind `note`, in order, with its game time. Notes of earlier releases report no
        loss."""
        recovery = note.get("recovery")
        if isinstance(recovery, dict):
            self.restarted(
                convert({name: recovery[name] for name in TOLD if name in recovery}, Restart), at_ns
            )

    def restarted(self, restart: Restart, at_ns: int) -> None:
        self._newest, self.restarted_ns = restart, at_ns
        if restart.lost is not None:
            self._lost.append(restart.lost)

    def sentences(self, *, copy_read: bool) -> Iterable[tuple[str, HealthLevel, Sentence]]:
        """Part of the health, level and sentence. `copy_read`: the second copy was there and does not have
        the lost lines."""
        if self._lost:
            lost = self._lost_sentence()
            yield LOST, "fault", lost if copy_read else Sentence("journal.lost_fetch", lost=lost)
        unsaved = self._newest.unsaved_lines
        if unsaved:
            yield UNSAVED, "warning" if self._newest.as_seen else "fault", self._unsaved_sentence(unsaved)

    def _unsaved_sentence(self, lines: int) -> Sentence:
        since = _clock(self._newest.last_wall)
        if self._newest.as_seen:
            return Sentence("journal.unsaved", count=lines, since=since)
        return Sentence("journal.unsaved_not_as_seen", count=lines, since=since)

    def _lost_sentence(self) -> Sentence:
        commands = sum(lost.commands for lost in self._lost)
        lines = sum(lost.lines for lost in self._lost)
        unreadable = sum(lost.unreadable for lost in self._lost)
        return Sentence(
            "journal.lost",
            commands=Sentence("journal.lost_commands", count=commands, since=_clock(self._lost[0].since)),
            lines=Sentence("journal.lost_lines", count=lines)
            if not unreadable
            else Sentence("journal.lost_unreadable", count=lines, unreadable=unreadable),
        )


def _behind(recovered: Recovered, damage: Damage) -> list[bytes]:
    """The lines from the damage on, in whatever file they are now."""
    if damage.aside is not None:
        return _readable(recovered.folder / damage.aside)
    return _readable(recovered.folder / damage.file)[damage.line - 1 :] if damage.size else []


def _readable(path: Path) -> list[bytes]:
    """The file's lines; none if it cannot be read. What is missing is counted by the lines behind it."""
    try:
        return read_lines(path)[0]
    except OSError as error:
        log.warning("what was cut off a journal cannot be counted: %s", error)
        return []


def _is_command(record: Record) -> bool:
    """Whether a person did this; what the system does by itself it does again."""
    action = record.data.get("action", {})
    return record.kind == "corrected" or (
        record.kind in ("did", "contributed") and action.get("source") != "system"
    )


def _read(line: bytes) -> Record | None:
    try:
        return decode(line)
    except (DamagedLine, NewerJournal):
        return None


def _clock(wall: str) -> str:
    """Local time of day; a label that is no time stays as it is."""
    try:
        return datetime.fromisoformat(wall).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return wall


# Sight: what the hall sees at a moment, kept in the heartbeat; and how a game from the journal is brought to
# what the hall saw last although not everything reached the disk. Pure.


_CLOCKS: dict[type[ClockState], str] = {
    Idle: "still",
    Running: "running",
    Frozen: "frozen",
    CountingDown: "counting",
}


def sight_of(game: Game, game_ns: int, *, lines: int, saved: int) -> HeartbeatSnapshot:
    """What the hall sees of this game. `lines` were handed to the journal so far, `saved` are on the disk."""
    state = game.state
    due_round, draw = state.position
    return HeartbeatSnapshot(
        phase=state.phase,
        clock=_CLOCKS[type(state.clock)],
        remaining_ns=state.remaining_ns(game_ns),
        round=state.round,
        side=state.side,
        due_round=due_round,
        draw=draw,
        lines=lines,
        saved=saved,
    )


@dataclass
class GameBeforeRestart:
    """A game being brought from the journal's last line to where it is paused. `now_ns` is game time."""

    game: Game
    now_ns: int
    events: list[Event] = field(default_factory=list)

    def stand_at(self, at_ns: int) -> None:
        """Pause at this game time, with all phase changes until then."""
        self.now_ns = max(self.now_ns, at_ns)
        self._follow(tick(self.game, self.now_ns))
        self._do(Pause("recovery"), self.now_ns)

    def stand_as_seen(self, sight: HeartbeatSnapshot) -> bool:
        """Pause with the roll and remaining time that the hall saw last, never earlier. Returns whether that
        was reached. Lost commands cannot be repeated: only roll and clock are restored."""
        if self.game.state.phase == "ready" and sight.clock != "still":
            self._do(Start(), self.now_ns)
        while self._behind(sight) and self._turn():
            pass
        same_roll = self.game.state.position == sight.position
        if same_roll and self.game.state.in_play and sight.clock != "still":
            self._leave(sight.remaining_ns)
        else:
            self._do(Pause("recovery"), self._before_the_turn(self.now_ns))
        state = self.game.state
        off_ns = abs(state.remaining_ns(self.now_ns) - sight.remaining_ns)
        return (state.phase, state.position) == (sight.phase, sight.position) and off_ns <= 1

    def _behind(self, sight: HeartbeatSnapshot) -> bool:
        """True if a roll that the hall has seen, or the end of the last round, is still ahead."""
        state = self.game.state
        over = sight.phase == "collecting" and state.in_play and state.round == state.last_round
        return state.position < sight.position or over

    def _leave(self, remaining_ns: int) -> None:
        """Pause in this phase with exactly this much left, at least 1 ns, so that no phase ends by itself."""
        clock = self.game.state.clock
        if isinstance(clock, Frozen | CountingDown) and clock.remaining_ns == remaining_ns:
            self._do(Pause("recovery"), self._before_the_turn(self.now_ns))
            return
        if not isinstance(clock, Running):
            self._turn()
            clock = self.game.state.clock
        if not isinstance(clock, Running):
            return
        left_ns = max(1, remaining_ns)
        lacking_ms = -(min(0, clock.deadline_ns - clock.since_ns - left_ns) // NS_PER_MS)
        deadline_ns = clock.deadline_ns + lacking_ms * NS_PER_MS
        if lacking_ms:
            self._do(AddTime(lacking_ms), clock.since_ns)
        self._do(Pause("recovery"), deadline_ns - left_ns)

    def _turn(self) -> bool:
        """Resume, or carry out the next automatic change. Returns False if there is none."""
        if isinstance(self.game.state.clock, Frozen):
            self._do(Resume(override=True), self.now_ns)
        if isinstance(self.game.state.clock, Running) and self.game.state.phase in SEAT_PHASES:
            self._do(Turn(), self.now_ns)
            return True
        due_ns = clockwork.due_ns(self.game.state)
        if due_ns is None:
            return False
        self.now_ns = due_ns
        self._follow(tick(self.game, due_ns))
        return True

    def _before_the_turn(self, at_ns: int) -> int:
        """This moment, or the last one before the next phase change if that is earlier."""
        due_ns = clockwork.due_ns(self.game.state)
        return at_ns if due_ns is None else min(at_ns, due_ns - 1)

    def _do(self, command: Command, at_ns: int) -> None:
        """Apply the command. A refusal is ignored: then it is not needed."""
        self.now_ns = at_ns
        decision = decide(self.game, command, at_ns=at_ns, now_ns=at_ns, source="system")
        self._follow(decision.events)

    def _follow(self, events: tuple[Event, ...]) -> None:
        self.events += events
        for event in events:
            self.game = apply(self.game, event)


class CannotGoOn(SaidError, RuntimeError):  # noqa: N818 - a state of the files, not a bug
    """The journal exists but no game can continue from it; nothing in it has been deleted.

    `found` is the problem; the whole sentence also says what to do.
    """

    def __init__(self, found: Sentence, remedy: Sentence) -> None:
        super().__init__(Sentence("start.cannot_go_on", found=found, remedy=remedy))
        self.found = found


News = tuple[str, HealthLevel, Sentence]
"""Part of the health, level, sentence."""

INSTALL_ITS_VERSION = Sentence("start.install_its_version")


class Restored(Struct, frozen=True):
    """A restored game. `game` is as the journal left it; `events` bring it to its present state.

    `at_ns` is the game time of the last sign of life, from which the game's clock continues.
    """

    game: Game
    answers: KeptAnswers
    events: tuple[Event, ...]
    at_ns: int
    recovered: Recovered
    restart: Restart
    news: tuple[News, ...] = ()
    """What the director must be told."""
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
    """Restore the newest game of the state folder, or this one; None if there is none. `progress` is called
    now and then with the number of lines processed; each line counts twice, when read and when folded.

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
    told = RestartLossReport()
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
    """The game as armed by line 0."""
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
        found = Sentence("start.unknown_rules", game=recovered.game_id, why=sentence_of(error))
        raise CannotGoOn(found, INSTALL_ITS_VERSION) from error
    if game.dice.commitment != header["commitment"]:
        raise CannotGoOn(
            Sentence("start.other_seed", game=recovered.game_id),
            Sentence("start.put_right_seed_back", folder=str(recovered.folder)),
        )
    return game


def passed_over(told: Iterable[Sentence]) -> Iterator[News]:
    """News of folders among the games that contain no game."""
    for number, sentence in enumerate(told, start=1):
        yield f"folder {number}", "warning", sentence


def _derivation(recovered: Recovered) -> int:
    """The version of the dice's derivation in line 0; the first journals had none."""
    version = recovered.records[0].data.get("derivation", 1)
    if type(version) is not int or not 1 <= version <= NEWEST:
        raise CannotGoOn(
            Sentence("start.newer_dice", game=recovered.game_id, derivation=repr(version), newest=NEWEST),
            INSTALL_ITS_VERSION,
        )
    return version


def _seed(store: Store, recovered: Recovered, second_copy: Path | None) -> bytes:
    """The seed in the game's folder, or that of the second copy if it is missing or unreadable."""
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
    """The seed of the second copy, which is also written to the game's folder if possible. None if this
    controller cannot open one."""
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
    """The result of folding all lines; `newest_ns` is the latest game time among them."""

    game: Game
    answers: KeptAnswers
    newest_ns: int


def _fold(game: Game, recovered: Recovered, told: RestartLossReport, progress: Progress) -> _Folded:
    answers = KeptAnswers()
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
                why=sentence_of(error),
            )
            raise CannotGoOn(found, INSTALL_ITS_VERSION) from error
    return _Folded(game, answers, newest_ns)


def _stand_still(
    folded: _Folded, recovered: Recovered, beat: Heartbeat | None, sight: HeartbeatSnapshot | None
) -> tuple[GameBeforeRestart, bool]:
    """The game paused as the hall saw it last, and whether that state is known and was reached.

    A heartbeat that is older than the journal, or of a release without sight, gives only the time.
    """
    standing = GameBeforeRestart(folded.game, folded.newest_ns)
    if sight is not None and sight.lines >= len(recovered.records):
        return standing, standing.stand_as_seen(sight)
    standing.stand_at(max(folded.newest_ns, beat.game_ns if beat else 0))
    return standing, recovered.lost == 0


def _beat(store: Store, game_id: str) -> tuple[Heartbeat | None, tuple[News, ...]]:
    """The game's last heartbeat. If it cannot be read, only the time since the last saved line is lost."""
    try:
        return beat_of(store, game_id), ()
    except OSError as error:
        path = str(store.heartbeat_path)
        return None, (
            ("last heartbeat", "warning", Sentence("start.heartbeat_unread", file=path, why=why(error))),
        )


def _restart(
    recovered: Recovered, sight: HeartbeatSnapshot | None, *, down_ms: int | None, wall: str, as_seen: bool
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
    """For how long nobody watched the clock, in ms; None if the computer was restarted since."""
    last = recovered.records[-1]
    seen_ns = [last.boot_ns] if last.boot_id == boot_id else []
    seen_ns += [beat.boot_ns] if beat is not None and beat.boot_id == boot_id else []
    return max(0, boot_ns - max(seen_ns)) // 1_000_000 if seen_ns else None


# Shortfalls: what a start had to do without. Each is a fault on every page, and begins with a short code for
# the local display (docs/technician.md).


CODES = {"game": "E1", "settings": "E2", "panel": "E3", "system": "E4"}


@dataclass(frozen=True, slots=True)
class Shortfall:
    """`sentence` says what is missing and what to do."""

    of: Literal["game", "settings", "panel", "system"]
    sentence: Sentence

    def told(self) -> Sentence:
        return Sentence("start.shortfall", code=CODES[self.of], missing=self.sentence)


def tell(health: Health, shortfalls: list[Shortfall]) -> None:
    """Report them; they stay until the next start."""
    for number, shortfall in enumerate(shortfalls):
        health.report(f"start {number}", "fault", shortfall.told())


# Which game a start continues: the newest that any witness names. If it cannot continue, a new game stands in
# for it, so that the hall has a clock; a person decides whether to start that one. The damaged game's files
# stay as they are. A line of the new game's journal names it, and until that game begins, each start tries
# the damaged one again.


ENDING = "stands-in"
"""Last part of the id of a game that stands in for another."""

CANNOT_GO_ON = (CannotGoOn, JournalError, OSError)
"""Exceptions of a game that cannot be restored; each has a sentence."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A game that could not continue, with a sentence that says why and what to do."""

    game_id: str
    why: Sentence

    def line(self) -> tuple[str, dict[str, object]]:
        """Line for the journal of the game that stands in; the reason is in English, as in all journals."""
        return "note", {"stands_in_for": {"game": self.game_id, "why": words(self.why)}}

    def told(self) -> Sentence:
        """The health sentence while the stand-in is shown."""
        return Sentence("start.stands_in", game=self.game_id, why=self.why)


@dataclass(frozen=True, slots=True)
class Found:
    """The game that continues, and the damaged one that it stands in for. Without the first a new game must
    be made. `passed_over`: folders among the games that contain none."""

    restored: Restored | None = None
    damaged: Damaged | None = None
    passed_over: tuple[Sentence, ...] = ()

    @property
    def confirmed(self) -> bool:
        """True if no game is damaged, or a person has started the stand-in."""
        return self.damaged is None or (self.restored is not None and _begun(self.restored))


def find(
    store: Store, clock: Clock, *, second_copy: Path | None, progress: Progress = lambda _lines: None
) -> Found:
    """The newest game that any witness names, whether its journal is there or not; never an older one
    instead. `progress` as for `restore`."""
    bring_back = partial(
        _bring_back,
        store,
        second_copy=second_copy,
        boot_ns=clock.boot_ns(),
        boot_id=clock.boot_id,
        wall=clock.wall(),
        progress=progress,
    )
    gone = removed(store.state_dir)
    known = known_ids(store, second_copy)
    store.come_after(known | gone)
    passed_over: list[Sentence] = []
    for game_id in newest_first(known.union(store.game_ids()) - gone):
        try:
            restored = bring_back(game_id)
        except NoGame as junk:
            if game_id in known:
                return Found(None, _lost(store, game_id), tuple(passed_over))
            passed_over.append(junk.sentence)
            continue
        except CANNOT_GO_ON as error:
            return Found(None, Damaged(game_id, sentence_of(error)), tuple(passed_over))
        if restored is not None:
            return Found(*_or_its_original(restored, bring_back, store, gone), tuple(passed_over))
        if game_id in known or _was_on(store, game_id):
            return Found(None, _lost(store, game_id), tuple(passed_over))
    return Found(passed_over=tuple(passed_over))


def _bring_back(store: Store, game_id: str, **given: Any) -> Restored | None:
    """Restore a game; if its folder is missing, make one for what a copy has. Raises CANNOT_GO_ON."""
    store.files.make_folder(store.folder(game_id))
    return restore(store.state_dir, store, game_id, **given)


def _was_on(store: Store, game_id: str) -> bool:
    """Whether a game with a seed but no lines was ever shown. The seed is written first, so a crash in
    between leaves such a folder; the heartbeat then still names the game before."""
    if not (store.folder(game_id) / SEED_NAME).exists():
        return False
    try:
        beat = read_heartbeat(store.heartbeat_path)
    except OSError:
        return True
    return beat is None or beat.game_id == game_id


def _lost(store: Store, game_id: str) -> Damaged:
    folder = str(store.folder(game_id))
    found = Sentence("start.journal_lost", known=look_up(store, game_id).told)
    remedy = Sentence("start.bring_back_or_give_up", folder=folder, game=game_id)
    return Damaged(game_id, CannotGoOn(found, remedy).sentence)


def _or_its_original(
    restored: Restored, bring_back: Callable[[str], Restored | None], store: Store, gone: set[str]
) -> tuple[Restored, Damaged | None]:
    damaged = _stands_in_for(restored)
    if damaged is None or damaged.game_id in gone:
        return restored, None
    if _begun(restored):
        return restored, damaged
    try:
        original = bring_back(damaged.game_id)
    except CANNOT_GO_ON as error:
        return restored, Damaged(damaged.game_id, sentence_of(error))
    return (restored, _lost(store, damaged.game_id)) if original is None else (original, None)


def _begun(restored: Restored) -> bool:
    return any(isinstance(action.command, Start) for action in restored.game.actions)


def _stands_in_for(restored: Restored) -> Damaged | None:
    for record in restored.recovered.records:
        named = record.data.get("stands_in_for") if record.kind == "note" else None
        if named is not None:
            return Damaged(named["game"], as_told(named["why"]))
    return None


# Restoring a game from a second copy, in place of what this controller has: for the command line, and for a
# core that continues it at its next start.


@dataclass(frozen=True, slots=True)
class Chosen:
    """A game of a copy that can continue in `folder`, and the games there that it would replace. Nothing is
    changed yet."""

    folder: Path
    copied: Copied
    aside: tuple[str, ...]
    seed: bytes


def choose(
    folder: Path, stick: Path, game_id: str | None = None, *, as_far_as_readable: bool = False
) -> Chosen:
    """Choose this game of the copy, or its unfinished one. Raises JournalError, OSError."""
    copied = copies.read_copy(stick, game_id, as_far_as_readable=as_far_as_readable)
    return Chosen(folder, copied, copies.check_own(folder, copied), copies.seed_for(folder, copied))


def take_over(chosen: Chosen, clock: Clock, *, roster: bool = True) -> list[Sentence]:
    """Put the game in place, with or without the copy's roster; returns sentences about what was done. No
    core may run on the folder, unless its journal is closed. Raises JournalError (nothing was changed),
    OSError."""
    folder, copied = chosen.folder, chosen.copied
    try:
        draft = copies.make_draft(folder, copied, chosen.seed)
        silent = copies.bring_beat(draft, copied)
        comes_back = _tried(draft, copied, clock)
        moved = copies.take_over(folder, copied, chosen.aside)
    finally:
        copies.drop_draft(folder)
    gave_way = [Sentence("restore.game_gave_way", path=str(path)) for path in moved]
    rosters = _roster(folder, copied.folder) if roster else ()
    return [*copied.notes, *([] if silent is None else [silent]), *rosters, *gave_way, comes_back]


def _roster(folder: Path, copy: Path) -> Iterator[Sentence]:
    """Take over the copy's roster, so that tables keep their places; yields sentences about it."""
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
    """Try core's recovery on a draft; returns a sentence about the result. Raises CannotRestore if core would
    refuse."""
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
        raise copies.CannotRestore(
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
