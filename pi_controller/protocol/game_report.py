"""A game's report, field by field, as it goes over HTTP. Times `at_ms` count from the game's first line.

All times are of the game's clock, which ran `rate` times as fast as that of the wall; only what a press took
until it was seen is of the wall's.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from pi_controller.game.claims import ClaimStatus
from pi_controller.game.room import Dice, DiceSum, PositiveOrZero, Sha256
from pi_controller.protocol.sentences import SentenceView
from pi_controller.vocabulary import PauseReason, Phase, RollKind, Target

REPORT_VERSION: Literal[1] = 1


class ReportedRoll(Struct, kw_only=True):
    """A roll that the hall saw; one that came again after an undo counts once."""

    at_ms: PositiveOrZero
    kind: RollKind
    round: PositiveOrZero
    side: str | None
    dice: Dice
    sum: DiceSum
    robber_target: Target | None
    duration_ms: PositiveOrZero
    """0: without a limit."""


class SumCount(Struct, kw_only=True):
    """How often a sum came, and how often it comes on average in as many rolls by the same rules."""

    sum: DiceSum
    count: PositiveOrZero
    expected: Annotated[float, Meta(ge=0)]


class ReportedPause(Struct, kw_only=True):
    at_ms: PositiveOrZero
    length_ms: PositiveOrZero | None
    """To the moment at which play went on or ended; None: it still stands."""
    reasons: list[PauseReason]
    round: PositiveOrZero


class ReportedClaim(Struct, kw_only=True):
    """A claim as it stood last."""

    id: str
    at_ms: PositiveOrZero
    board: str | None
    side: str | None
    round: PositiveOrZero
    pressed_ms_before_end: int
    """0 in a game without limits."""
    status: ClaimStatus
    points: int | None
    verdict_ms: PositiveOrZero | None
    """From the press to the last verdict; None without one."""


class ReportedCommand(Struct, kw_only=True):
    """A command that had an effect; `phase`, `round`, `paused` and `remaining_ms` are those after it."""

    at_ms: PositiveOrZero
    """When it took effect."""
    source: str
    name: str
    body: Mapping[str, Any]
    """Without texts, which may hold names, unless these were asked for."""
    press_to_seen_ms: Annotated[float, Meta(ge=0)]
    """From its cause, such as the first contact of a button, to the moment at which the game took it in."""
    undone: bool
    phase: Phase
    round: PositiveOrZero
    paused: bool
    remaining_ms: PositiveOrZero


class Latencies(Struct, kw_only=True):
    """Of the presses of one source, from the first contact to the moment at which the game took it in."""

    source: str
    count: PositiveOrZero
    p50_ms: float
    p99_ms: float
    worst_ms: float


class ReportedNote(Struct, kw_only=True):
    """What the controller noted of itself: restarts, links, the computer. `about` is the note's JSON, `text`
    and `said` what it says to people."""

    at_ms: PositiveOrZero
    what: str
    about: str
    text: str
    said: SentenceView


class ReportedGame(Struct, kw_only=True):
    """A further game of the same evening."""

    game_id: str
    armed_at: str
    rounds: PositiveOrZero
    ended: bool
    seal: int | None = None
    """The number of its seal in its evening; None: an earlier release has armed it."""


class ReportedTurn(Struct, kw_only=True):
    """A seat's turn; pauses are not counted."""

    at_ms: PositiveOrZero
    side: str
    round: PositiveOrZero
    length_ms: PositiveOrZero


class ReportedSeat(Struct, kw_only=True):
    """What a seat took for all its turns; `name` only where names were asked for."""

    side: str
    name: str | None
    turns: PositiveOrZero
    total_ms: PositiveOrZero
    mean_ms: PositiveOrZero


class ReportedWinner(Struct, kw_only=True):
    board: str | None
    side: str | None
    points: int | None


class GameReport(Struct, kw_only=True):
    """Everything that the journal tells of a game. `names`: it holds names of people and free texts."""

    version: Literal[1] = REPORT_VERSION
    names: bool
    game_id: str
    rule_set: str
    software: str
    armed_at: str
    """ISO 8601, by the clock of the wall; only a label."""
    rate: Annotated[float, Meta(gt=0)] = 1
    """1 in production; of several, as after a restart of a simulation, the one farthest from it."""
    commitment: Sha256
    journal_head: Sha256
    lines: PositiveOrZero
    phase: Phase
    closed: bool
    ended_by: str | None
    decided_by: str | None
    winners: list[ReportedWinner]
    rounds: PositiveOrZero
    robber_phases: PositiveOrZero
    length_ms: PositiveOrZero
    """From the first roll to the end, or to the last line."""
    played_ms: PositiveOrZero
    """Of it, so long the countdown ran."""
    rolls: list[ReportedRoll]
    distribution: list[SumCount]
    pauses: list[ReportedPause]
    claims: list[ReportedClaim]
    commands: list[ReportedCommand]
    latencies: list[Latencies]
    restarts: PositiveOrZero
    notes: list[ReportedNote]
    games: list[ReportedGame]
    """The other games of the evening, in their order."""
    seal: int | None = None
    """The number of its seal in its evening; None: an earlier release has armed it."""
    rehearsal: bool = False
    turns: list[ReportedTurn] = []
    """Of a game that is played in turns, otherwise empty, as `seats`."""
    seats: list[ReportedSeat] = []
    longest_turn: ReportedTurn | None = None
