"""A game's journal as the changes that were made to the game, each with what it left behind. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import pairwise

from msgspec.structs import replace

from pi_controller.core.game_loop.game_time import FINEST_RATE, GameTime
from pi_controller.core.game_loop.opening import read_rules, read_seal
from pi_controller.game.dice import SEED_BYTES
from pi_controller.game.dice_terms import NEWEST
from pi_controller.game.events import Closed, Event, PhaseBegan, SeatBegan
from pi_controller.game.game import ContradictionError, Game, apply, new_game
from pi_controller.journal.errors import JournalError
from pi_controller.journal.record import Record, UnknownEventError, decode_event
from pi_controller.replay.recorded_dice import RecordedDice
from pi_controller.sentence import Sentence, said_by

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """One change: the lines that were written for it, and the game after it.

    `since_ns` counts from the game's first line on the clock of the wall; over a start of the computer it is
    as right as that clock. `restarted`: with this change core took the game up again.
    """

    records: tuple[Record, ...]
    game: Game
    time: GameTime
    since_ns: int
    restarted: bool

    @property
    def boot_ns(self) -> int:
        """CLOCK_BOOTTIME of its moment."""
        return self.records[-1].boot_ns

    @property
    def head(self) -> str:
        """Hash of its last line."""
        return self.records[-1].hash


def changes_of(records: Sequence[Record], seed: bytes | None = None) -> list[Change]:
    """All changes of this journal, in their order; `seed` where somebody has it who may.

    JournalError: this version cannot read it, or its lines are none that a game has written.
    """
    groups = list(_groups(records))
    game = _armed(records, seed)
    found: list[Change] = []
    since_ns, rates = 0, _rates(groups)
    for number, group in enumerate(groups):
        first = group[0]
        if number > 0:
            since_ns += _passed_ns(groups[number - 1][-1], first)
            game = _after(game, group)
        time = GameTime(first.boot_ns, first.game_ns, rates[number])
        found.append(Change(group, game, time, since_ns, restarted=_restarted(group)))
    return found


def _groups(records: Iterable[Record]) -> Iterator[tuple[Record, ...]]:
    """The lines of one change have its moment in common; the events of one stand before its other lines."""
    group: list[Record] = []
    for record in records:
        if group and (_moment(record) != _moment(group[-1]) or _is_event(record) > _is_event(group[-1])):
            yield tuple(group)
            group = []
        group.append(record)
    if group:
        yield tuple(group)


def _moment(record: Record) -> tuple[str, int]:
    return record.boot_id, record.boot_ns


def _is_event(record: Record) -> bool:
    return record.kind not in ("game", "note", "answered")


def _restarted(group: tuple[Record, ...]) -> bool:
    return any(record.kind == "note" and "recovery" in record.data for record in group)


def _rates(groups: Sequence[tuple[Record, ...]]) -> list[float]:
    """How fast game time passed at each change: from one start of core to the next it is the same."""
    starts = [0, *(number for number, group in enumerate(groups) if number and _restarted(group))]
    rates = []
    for begin, end in pairwise([*starts, len(groups)]):
        first, last = groups[begin][0], groups[end - 1][0]
        passed_ns = last.boot_ns - first.boot_ns
        rate = Fraction(last.game_ns - first.game_ns, passed_ns) if passed_ns > 0 else Fraction(1)
        rates += [float(rate.limit_denominator(FINEST_RATE))] * (end - begin)
    return rates


def _passed_ns(before: Record, after: Record) -> int:
    if before.boot_id == after.boot_id:
        return max(0, after.boot_ns - before.boot_ns)
    passed = datetime.fromisoformat(after.wall) - datetime.fromisoformat(before.wall)
    return max(0, round(passed.total_seconds() * NS_PER_S))


def _armed(records: Sequence[Record], seed: bytes | None) -> Game:
    """The game of line 0, with the seed, or with the rolls that are in the journal."""
    if not records or records[0].kind != "game":
        raise JournalError(Sentence("replay.no_journal", line=1, why=Sentence("journal.begins_no_game")))
    header = records[0].data
    version = header.get("derivation", 1)
    if type(version) is not int or not 1 <= version <= NEWEST:
        raise JournalError(Sentence("replay.newer_dice", derivation=repr(version), newest=NEWEST))
    try:
        rules = read_rules(header["rules"])
        game = new_game(
            header["game_id"],
            rules,
            seed or _published(records),
            version=version,
            rehearsal=header.get("rehearsal") is True,
            seal=read_seal(header),
        )
        recorded = RecordedDice.of(
            game.game_id, game.dice.terms, commitment=header["commitment"], began=list(_began(records))
        )
    except (KeyError, ValueError) as error:
        raise JournalError(Sentence("replay.unknown_rules", why=said_by(error))) from error
    if game.dice.commitment == recorded.commitment:
        return game
    return replace(game, dice=recorded)


def _published(records: Sequence[Record]) -> bytes:
    """The seed that the journal itself publishes; zeros without one."""
    found = next((record for record in records if record.kind == "seed"), None)
    return bytes(SEED_BYTES) if found is None else bytes.fromhex(found.data["seed"])


def _began(records: Iterable[Record]) -> Iterator[PhaseBegan | SeatBegan]:
    for record in records:
        event = _event(record) if record.kind in ("turned", "acts") else None
        if isinstance(event, PhaseBegan | SeatBegan):
            yield event


def _after(game: Game, group: tuple[Record, ...]) -> Game:
    for record in group:
        event = _event(record)
        if event is None or (isinstance(event, Closed) and isinstance(game.dice, RecordedDice)):
            continue
        try:
            game = apply(game, event)
        except (ContradictionError, KeyError, ValueError) as error:
            raise _does_not_fit(record, error) from error
    return game


def _event(record: Record) -> Event | None:
    try:
        return decode_event(record.kind, record.data)
    except UnknownEventError as error:
        raise _does_not_fit(record, error) from error


def _does_not_fit(record: Record, error: Exception) -> JournalError:
    return JournalError(Sentence("replay.line_does_not_fit", line=record.seq + 1, why=said_by(error)))
