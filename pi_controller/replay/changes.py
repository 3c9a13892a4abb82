"""A game's journal as the changes that were made to the game, each with what it left behind. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from pi_controller.core.game_loop.opening import read_rules, read_seal
from pi_controller.core.game_loop.picture import FINEST_RATE, GameTime
from pi_controller.game.dice import SEED_BYTES, DiceBook, Roll, Target
from pi_controller.game.dice_terms import NEWEST, DiceTerms
from pi_controller.game.events import Closed, Event, PhaseBegan, SeatBegan
from pi_controller.game.game import ContradictionError, Game, apply, new_game
from pi_controller.game.turn_order import DRAWN, HIGHEST, Seat, TurnOrder
from pi_controller.journal.errors import DamagedLine, JournalError
from pi_controller.journal.exports import export_lines
from pi_controller.journal.record import FIRST_PREV, Record, UnknownEventError, decode, decode_event
from pi_controller.journal.store import Store
from pi_controller.sentence import Sentence, sentence_of

# The dice of a game whose seed is still secret: the rolls that its journal says the hall saw. Pure.


Rolls = Mapping[tuple[int, int], PhaseBegan]
"""What each roll brought, by the round that it was due for and its draw."""


@dataclass(frozen=True, slots=True)
class RecordedDice(DiceBook):
    """Knows no roll that nobody saw: asking for one is a ValueError."""

    rolls: Rolls = field(default_factory=dict, compare=False)
    first: Seat | None = None
    committed: str = ""

    @classmethod
    def of(
        cls, game_id: str, terms: DiceTerms, *, commitment: str, began: Sequence[PhaseBegan | SeatBegan]
    ) -> "RecordedDice":
        """The dice of a game in which these phases began."""
        phases = [phase for phase in began if isinstance(phase, PhaseBegan)]
        rolls = {(phase.due_round, phase.draw): phase for phase in phases}
        acted = [one.seat for one in began if isinstance(one, SeatBegan)]
        acted += [phase.side for phase in phases if phase.due_round == 1 and phase.side]
        first = next(iter(acted), None)
        return cls(bytes(SEED_BYTES), game_id, terms, rolls=rolls, first=first, committed=commitment)

    @property
    def commitment(self) -> str:
        """As it was published."""
        return self.committed

    def first_seat(self, order: TurnOrder) -> Seat:
        """A drawn one, or one that was rolled for, is who acted first; as long as nobody has, the first in
        order."""
        drawn = self.terms.first_side in (DRAWN, HIGHEST)
        return (self.first or order.seats[0]) if drawn else self.terms.first_side

    def opening_rolls(self, order: TurnOrder) -> list[list[tuple[Seat, tuple[int, int]]]]:  # noqa: ARG002
        """None: they are in no line."""
        return []

    def round_roll(self, round_no: int, draw: int) -> Roll:
        """The first roll of this round from this draw on that the hall saw."""
        draws = [one for due_round, one in self.rolls if due_round == round_no and one >= draw]
        if not draws:
            raise ValueError(f"nobody saw a roll of round {round_no} from draw {draw} on")
        return Roll(self.rolls[round_no, min(draws)].dice, min(draws))

    def robber_target(self, round_no: int, draw: int) -> Target:
        """The target that the hall saw."""
        phase = self.rolls[round_no, draw]
        if phase.robber_target is None:
            raise ValueError(f"nobody saw a robber target in round {round_no}, draw {draw}")
        return Target(phase.robber_target, phase.robber_dice)


NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ReplayedChange:
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


def changes_of(records: Sequence[Record], seed: bytes | None = None) -> list[ReplayedChange]:
    """All changes of this journal, in their order; `seed` where somebody has it who may.

    JournalError: this version cannot read it, or its lines are none that a game has written.
    """
    groups = list(_groups(records))
    game = _armed(records, seed)
    found: list[ReplayedChange] = []
    since_ns, rates = 0, _rates(groups)
    for number, group in enumerate(groups):
        first = group[0]
        if number > 0:
            since_ns += _passed_ns(groups[number - 1][-1], first)
            game = _after(game, group)
        time = GameTime(first.boot_ns, first.game_ns, rates[number])
        found.append(ReplayedChange(group, game, time, since_ns, restarted=_restarted(group)))
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
        raise JournalError(Sentence("replay.unknown_rules", why=sentence_of(error))) from error
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
    return JournalError(Sentence("replay.line_does_not_fit", line=record.seq + 1, why=sentence_of(error)))


# The lines of games from where they come: the state folder, or an exported game on standard input.


STANDARD_INPUT = "-"
"""In place of a game's id."""


def from_folder(state_dir: Path, game_id: str) -> list[Record]:
    """The game's good lines. UnknownGame, JournalError, OSError."""
    return [decode(line) for line in export_lines(state_dir, game_id)]


def games_in(lines: Iterable[bytes]) -> list[list[Record]]:
    """The games whose lines follow each other, each whole. JournalError: lines that do not chain."""
    games: list[list[Record]] = []
    for number, line in enumerate(lines, start=1):
        try:
            record = decode(line)
        except DamagedLine as damage:
            raise _unusable(number, damage.sentence) from damage
        if record.seq == 0:
            games.append([])
        before = games[-1] if games else []
        if (record.seq, record.prev) != (len(before), before[-1].hash if before else FIRST_PREV):
            raise _unusable(number, Sentence("journal.line_does_not_continue"))
        before.append(record)
    if not games:
        raise _unusable(1, Sentence("journal.begins_no_game"))
    return games


def _unusable(line: int, why: Sentence) -> JournalError:
    return JournalError(Sentence("replay.no_journal", line=line, why=why))


def seed_of(state_dir: Path, game_id: str) -> bytes | None:
    """The game's own seed, for who may read it: without it the rolls in the journal stand for the dice."""
    try:
        return Store(state_dir).read_seed(game_id)
    except (JournalError, OSError):
        return None
