"""The game's part of the room picture, derived from the game and the moment. Pure."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import sqrt
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from pi_controller.game.actions import undoable
from pi_controller.game.claims import (
    ClaimRecord,
    ClaimSource,
    ClaimStatus,
    TimedPress,
    board_key,
    ranked,
    winners,
)
from pi_controller.game.clockwork import opening_rolls
from pi_controller.game.commands import ClaimsMode, CoverKind, PreparedLine, PreparedTimer, Redo, Step, Undo
from pi_controller.game.events import Action
from pi_controller.game.game import Game, foresee
from pi_controller.game.rule_sets import NS_PER_MS, DecidedBy, LadderStep, RuleSet, RulesView, round_ns
from pi_controller.game.state import (
    SEAT_PHASES,
    CountingDown,
    DirectorMessage,
    FreeTimer,
    Frozen,
    Running,
    Shown,
    State,
)
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import PauseReason, Phase, RollKind, Target

# Forecast: when a game will probably end. Pure.


ForecastBasis = Literal["last_round", "usual"]

USUAL_ROUNDS = (30, 50)
"""A game takes about 30 minutes (rule C19). At the usual times of 35 s and 45 s these are 40 rounds: with
10 · 35 s + 30 · 45 s and 30 · 0.2 robber phases of 12 s a game lasts 29.5 minutes. A quarter less, and a
quarter more."""

SEVEN = 1 / 6
"""Probability of a 7 with two dice."""


class Forecast(msgspec.Struct, frozen=True):
    """The end lies between these moments, nanoseconds of game time from now."""

    earliest_ns: int
    latest_ns: int
    basis: ForecastBasis


def forecast(state: State, rules: RuleSet, now_ns: int) -> Forecast | None:
    """When the last round will be over; None where that is not to be foreseen: after the end, without a clock
    for all, and without an announced last round behind the usual ones.

    With r the time that is left in the present phase and d(n) the length of round n by the schedule in force,
    the rounds up to round N end after r + Σ d(n) + robber phases, over the rounds n from the next one to N.
    Before each of these rounds from the first with a 7 on come robber phases. Their number before one round
    has, with p = 1/6, the mean p / (1 - p) and the variance p / (1 - p)² where a 7 may follow a 7, otherwise
    p and p (1 - p). With m such rounds the range is m · mean ± 2 · √(m · variance) of them, never fewer than
    0: about 95 of 100 games lie within.

    N is the announced last round; without one the range reaches from the earlier end of the first of
    `USUAL_ROUNDS` to the later end of the second. Pauses, and a victory before the announced end, are not
    foreseen.
    """
    if rules.play == "turns" or state.phase not in ("ready", "round", "robber"):
        return None
    left_ns = state.remaining_ns(now_ns) if state.in_play else 0
    if state.last_round is not None:
        earliest_ns, latest_ns = _range(state, rules, state.last_round)
        return Forecast(left_ns + earliest_ns, left_ns + latest_ns, "last_round")
    if state.round > USUAL_ROUNDS[1]:
        return None
    (earliest_ns, _), (_, latest_ns) = (_range(state, rules, last) for last in USUAL_ROUNDS)
    return Forecast(left_ns + earliest_ns, left_ns + latest_ns, "usual")


def _range(state: State, rules: RuleSet, last: int) -> tuple[int, int]:
    return _length(
        state.schedule,
        state.round,
        last,
        quiet=rules.rounds_without_seven,
        consecutive=rules.allow_consecutive_sevens,
        robber_ms=rules.robber_ms,
    )


@lru_cache(maxsize=64)
def _length(
    schedule: tuple[Step, ...], now: int, last: int, *, quiet: int, consecutive: bool, robber_ms: int
) -> tuple[int, int]:
    """Least and greatest duration of the rounds after the present one up to the last. Cached, because every
    picture of a round asks for the same."""
    coming = range(now + 1, last + 1)
    rounds_ns = sum(round_ns(schedule, number) for number in coming)
    with_sevens = sum(number > quiet for number in coming)
    if consecutive:
        mean, variance = SEVEN / (1 - SEVEN), SEVEN / (1 - SEVEN) ** 2
    else:
        mean, variance = SEVEN, SEVEN * (1 - SEVEN)
    expected, spread = with_sevens * mean, 2 * sqrt(with_sevens * variance)
    robber_ns = robber_ms * NS_PER_MS
    return (
        rounds_ns + round(max(0.0, expected - spread) * robber_ns),
        rounds_ns + round((expected + spread) * robber_ns),
    )


NS_PER_US = 1_000

PositiveOrZero = Annotated[int, Meta(ge=0)]
Die = Annotated[int, Meta(ge=1, le=6)]
Dice = tuple[Die, Die]
DiceSum = Annotated[int, Meta(ge=2, le=12)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class ScheduleStep(Struct, kw_only=True):
    """From this round on a round lasts so long, until the next step."""

    from_round: Annotated[int, Meta(ge=1)]
    seconds: Annotated[float, Meta(gt=0)]


class ClaimView(Struct, kw_only=True):
    """A claim, in press order."""

    id: str
    board: str | None
    """None: the big button."""
    side: str | None
    round: int
    pressed_ms_before_end: int
    on_active_side: bool
    status: ClaimStatus
    points: int | None
    count: Annotated[int, Meta(ge=1)] = 1
    """How often this board and side has claimed since its last verdict."""
    passed: bool = False
    """Play has gone on over it: it holds nothing up any more, and can still be judged."""
    rejected_before: PositiveOrZero = 0
    """How many earlier claims of this board and side were rejected in this game."""
    source: ClaimSource = "desk"
    press_error_ms: PositiveOrZero | None = None
    """Of a phone with a seat code: its press lies within so many milliseconds of the moment that counts."""


class SealView(Struct, kw_only=True):
    """Which seal of its evening the commitment is."""

    number: Annotated[int, Meta(ge=1)]
    of_evening: str
    """The game that the evening began with."""
    rehearsal: bool


class PressView(Struct, kw_only=True):
    """A press of the big button while a claim was open: a claim that is entered later may take its moment."""

    id: str
    round: int
    side: str | None
    """The side that was active."""
    pressed_ms_before_end: int


class WinnerView(Struct, kw_only=True):
    claim: str
    board: str | None
    side: str | None
    points: int | None


class RankedView(WinnerView, kw_only=True):
    """A line of the ranking. `decided_by` is the first step of the tie-break that puts it before the next
    one; the last says what puts it behind the one before. `shared`: equal in everything to a neighbour."""

    place: Annotated[int, Meta(ge=1)]
    """Those that are equal in everything have the same."""
    decided_by: LadderStep


class SeatView(Struct, kw_only=True):
    """Somebody who acts in turn: a side of all boards, or a player."""

    id: str
    name: str
    sign: str
    colour: str


class PastRoll(Struct, kw_only=True):
    kind: RollKind
    round: int
    side: str | None
    dice: Dice
    sum: DiceSum
    robber_target: Target | None


class Message(Struct, kw_only=True):
    """The director's line. `until_ms`, None until dismissed: milliseconds of game time from now, and in the
    published picture a moment of core's clock. Of a prepared `line` the published picture has the `text` in
    the first language of the hall."""

    text: str
    until_ms: int | None
    line: PreparedLine | None = None
    tables: bool = True
    """On the tables' displays too."""


class TimerView(Struct, kw_only=True):
    """The free countdown. Of a `prepared` one the published picture has the `label` in the first language of
    the hall."""

    label: str
    remaining_ms: PositiveOrZero
    running: bool
    prepared: PreparedTimer | None = None


class ForecastView(Struct, kw_only=True):
    """When the game will probably end: after so many milliseconds of game time from now, pauses not counted.
    `basis`: by the announced last round, or as games usually go."""

    earliest_ms: PositiveOrZero
    latest_ms: PositiveOrZero
    basis: ForecastBasis


class OpeningRoll(Struct, kw_only=True):
    """What a seat rolled for the first turn (rule K1)."""

    side: str
    dice: Dice


class TurnView(Struct, kw_only=True):
    """Of a game that is played in turns, while one is on; `elapsed_ms`, without pauses, counts on where the
    picture is `running`. `timed`: there is a limit, of which `remaining_ms` is left; otherwise that is 0."""

    to_roll: bool
    """The next press of the seat's button rolls the dice, otherwise it ends the turn."""
    building: bool
    """All others may build; nobody acts."""
    timed: bool
    elapsed_ms: PositiveOrZero
    placed: PositiveOrZero
    """How often somebody has founded."""
    opening: list[list[OpeningRoll]]
    """While founding: who rolled what for the first turn, the highest first; again among those that were
    equal. Empty where it was not rolled for."""


class Room(Struct, kw_only=True):
    """What the game alone knows. Remaining times are game time, rounded up: 0 is shown only when nothing is
    left."""

    game_id: str
    rule_set: str
    phase: Phase
    paused: bool
    pause_reasons: list[PauseReason]
    running: bool
    resume_in_ms: PositiveOrZero | None
    round: PositiveOrZero
    side: str | None
    next_side: str | None
    seats: Annotated[list[SeatView], Meta(min_length=2)]
    """Who acts, in their order."""
    seat: PositiveOrZero | None
    """Index of `side` in `seats`; `next_seat` that of `next_side`."""
    next_seat: PositiveOrZero | None
    dice: Dice | None
    sum: DiceSum | None
    robber_target: Target | None
    robber_dice: Dice | None
    duration_ms: PositiveOrZero
    remaining_ms: PositiveOrZero
    remaining_us: PositiveOrZero
    """The same in microseconds."""
    target_points: int
    last_round: int | None
    schedule: list[ScheduleStep]
    """Empty: turns without a limit."""
    claims_mode: ClaimsMode
    """What a claim from a table does: tell the director, or pause at once."""
    claims: list[ClaimView]
    presses: list[PressView]
    """Of the big button while a claim was open, until play goes on without an open claim."""
    winners: list[WinnerView]
    decided_by: DecidedBy | None
    ranking: list[RankedView]
    """The confirmed claims, the best first, live while sheets are collected; of a game that a verdict has
    ended those that were compared. Empty in `ready` and in play."""
    would_win: list[WinnerView]
    """In play, who wins as soon as no claim is open: the best of the confirmed ones. Empty otherwise."""
    history: Annotated[list[PastRoll], Meta(max_length=12)]
    notices: list[str]
    """Keys of the standing notices. `by_lot` stands before the first round where who begins is drawn or
    rolled for: `next_side` is null until the lot has fallen, at the start. `robber_possible` stands from the
    last round without a 7 through the next (rule C8); `seed_published` warns that the rolls of a game can be
    computed by anybody which an earlier release reopened after it had published the seed."""
    message: Message | None
    timer: TimerView | None
    cover: CoverKind
    """What stands on the screens of the hall in place of the game, which goes on under it."""
    commitment: Sha256
    seal: SealView | None
    """None: of a game that an earlier release has armed."""
    public_word: str | None
    closed: bool
    """The seed is published, and nothing before it can be undone any more."""
    seed: str | None
    rehearsal: bool
    """It counts for nothing, and each page says so."""
    gained_ms: dict[str, int]
    """By how much the rounds of each seat, by its id, were made longer in all, or shorter."""
    forecast: ForecastView | None
    rules: RulesView
    turn: TurnView | None


def room(game: Game, now_ns: int) -> Room:
    """The game's part of the picture at this moment of game time."""
    state, seats, clock = game.state, game.rules.seats, game.state.clock
    following = None if state.played else state.due_side
    roll = state.shown_roll
    timed = state.in_play and not state.untimed
    remaining_ns = state.remaining_ns(now_ns) if timed else 0
    coming, seal = forecast(state, game.rules, now_ns), game.seal
    return Room(
        game_id=game.game_id,
        rule_set=game.rules.name,
        phase=state.phase,
        paused=isinstance(clock, (Frozen, CountingDown)),
        pause_reasons=list(clock.reasons) if isinstance(clock, Frozen) else [],
        running=isinstance(clock, Running),
        resume_in_ms=ms_left(max(0, clock.go_ns - now_ns)) if isinstance(clock, CountingDown) else None,
        round=state.round,
        side=state.side,
        next_side=following,
        seats=[
            SeatView(id=seat, name=sign.name, sign=sign.symbol, colour=sign.colour)
            for seat, sign in game.rules.sides
        ],
        seat=None if state.side is None else seats.index(state.side),
        next_seat=None if following is None else seats.index(following),
        dice=roll.dice if roll else None,
        sum=sum(roll.dice) if roll else None,
        robber_target=roll.robber_target if roll else None,
        robber_dice=roll.robber_dice or None if roll else None,
        duration_ms=ms_left(state.duration_ns) if timed else 0,
        remaining_ms=ms_left(remaining_ns),
        remaining_us=-(-remaining_ns // NS_PER_US),
        target_points=game.rules.target_points,
        last_round=state.last_round,
        schedule=[
            ScheduleStep(from_round=step.from_round, seconds=float(step.seconds)) for step in state.schedule
        ],
        claims_mode=state.claims_mode,
        claims=_claims(state.claims),
        presses=[_press(press) for press in state.presses],
        winners=[_winner(claim) for claim in state.claims if claim.id in state.winners],
        decided_by=state.decided_by,
        ranking=_ranking(game) if state.played else [],
        would_win=_would_win(game) if state.in_play and state.claims else [],
        history=[_shown(shown) for shown in state.history],
        notices=_notices(game),
        message=None if state.message is None else _message(state.message, now_ns),
        timer=None if state.timer is None else _timer(state.timer, now_ns),
        cover=state.cover,
        commitment=game.dice.commitment,
        seal=None
        if seal is None
        else SealView(number=seal.number, of_evening=seal.of_evening, rehearsal=game.rehearsal),
        public_word=state.word,
        closed=game.closed,
        seed=game.dice.seed.hex() if game.closed else None,
        rehearsal=game.rehearsal,
        gained_ms={seat: round(ns / NS_PER_MS) for seat, ns in state.gained},
        forecast=None
        if coming is None
        else ForecastView(
            earliest_ms=ms_left(coming.earliest_ns), latest_ms=ms_left(coming.latest_ns), basis=coming.basis
        ),
        rules=game.rules.view,
        turn=_turn(game, now_ns) if state.phase in SEAT_PHASES else None,
    )


def _turn(game: Game, now_ns: int) -> TurnView:
    state = game.state
    return TurnView(
        to_roll=state.to_roll,
        building=state.building,
        timed=not state.untimed,
        elapsed_ms=(state.duration_ns - state.remaining_ns(now_ns)) // NS_PER_MS,
        placed=state.placed,
        opening=[
            [OpeningRoll(side=seat, dice=dice) for seat, dice in rolls]
            for rolls in opening_rolls(game.basis, state)
        ],
    )


def _notices(game: Game) -> list[str]:
    state, quiet = game.state, game.rules.rounds_without_seven
    keys = ["by_lot"] if state.phase == "ready" and game.rules.by_lot else []
    if (state.phase, state.round) in (("robber", quiet), ("round", quiet + 1)):
        keys.append("robber_possible")
    if game.closed and state.phase != "ended":
        keys.append("seed_published")
    return keys


def _claims(claims: Iterable[ClaimRecord]) -> list[ClaimView]:
    """The claims, each with how often its board and side was rejected before."""
    found, rejected = [], Counter[tuple[str, str | None]]()
    for claim in claims:
        seat = board_key(claim.board or ""), claim.side
        found.append(_claim(claim, rejected[seat] if claim.board is not None else 0))
        rejected[seat] += claim.status == "rejected"
    return found


def _claim(claim: ClaimRecord, rejected_before: int) -> ClaimView:
    return ClaimView(
        id=claim.id,
        board=claim.board,
        side=claim.side,
        round=claim.round,
        pressed_ms_before_end=ms_left(claim.before_end_ns),
        on_active_side=claim.on_active_side,
        status=claim.status,
        points=claim.points,
        count=claim.count,
        passed=claim.passed,
        rejected_before=rejected_before,
        source=claim.source,
        press_error_ms=claim.press_error_ms,
    )


def _press(press: TimedPress) -> PressView:
    return PressView(
        id=press.id,
        round=press.round,
        side=press.active_side,
        pressed_ms_before_end=ms_left(press.before_end_ns),
    )


def _winner(claim: ClaimRecord) -> WinnerView:
    return WinnerView(claim=claim.id, board=claim.board, side=claim.side, points=claim.points)


def _would_win(game: Game) -> list[WinnerView]:
    compared = game.state.compared_by_verdict
    return [_winner(claim) for claim in winners(compared, game.rules)[0]] if compared else []


def _ranking(game: Game) -> list[RankedView]:
    claims = game.state.compared
    order = ranked(claims, game.rules) if claims else ()
    return [
        RankedView(place=one.place, decided_by=one.decided_by, **asdict(_winner(one.claim))) for one in order
    ]


def _shown(shown: Shown) -> PastRoll:
    return PastRoll(
        kind=shown.phase,
        round=shown.round,
        side=shown.side,
        dice=shown.dice,
        sum=sum(shown.dice),
        robber_target=shown.robber_target,
    )


def _message(message: DirectorMessage, now_ns: int) -> Message | None:
    if message.until_ns is not None and message.until_ns <= now_ns:
        return None
    until_ms = None if message.until_ns is None else ms_left(message.until_ns - now_ns)
    return Message(text=message.text, until_ms=until_ms, line=message.line, tables=message.tables)


def _timer(timer: FreeTimer, now_ns: int) -> TimerView:
    left_ns = timer.deadline_ns - now_ns
    return TimerView(
        label=timer.label, remaining_ms=ms_left(max(0, left_ns)), running=left_ns > 0, prepared=timer.prepared
    )


def ms_left(ns: int) -> int:
    """Remaining time in ms, rounded up, so that 0 is the end."""
    return -(-ns // NS_PER_MS)


# Timeline: the last actions of a game in sentences, and what undo and redo of them would leave. Pure.


SHOWN = 24
"""Number of actions told."""
FORESEEN = 6
"""Number of successive undos computed beforehand; each folds the game again."""


class UndoOutcome(msgspec.Struct, frozen=True):
    """The result of an undo or redo: the game after it, the sentences that refuse it, or `unseen`: a roll
    that the hall has not seen."""

    game: Game | None
    against: tuple[Sentence, ...] = ()
    unseen: bool = False


class PastAction(msgspec.Struct, frozen=True):
    """One action of the timeline. `steps`: after how many undos it is taken back; None if never, or if too
    many to compute. `outcome` is the result then."""

    id: int
    at_ns: int
    source: str
    said: Sentence
    steps: int | None = None
    outcome: UndoOutcome | None = None


class Timeline(msgspec.Struct, frozen=True):
    """The newest actions in force, and undone ones in the order in which redo restores them, with `steps` and
    `outcome` of that redo."""

    done: tuple[PastAction, ...]
    undone: tuple[PastAction, ...]


def timeline(game: Game, now_ns: int) -> Timeline:
    """Newest first."""
    done, left, steps = [], UndoOutcome(game), 0
    for action, place in zip(reversed(game.actions), _places(game), strict=False):
        said = game.actions.said(place)
        if undoable(action) and left.game is not None and steps < FORESEEN:
            steps += 1
            left = outcome(left.game, Undo(), now_ns)
            done.append(_told(action, said, steps, left))
        else:
            done.append(_told(action, said))
    undone, back = [], UndoOutcome(game)
    for steps, one in enumerate(reversed(game.undone[-FORESEEN:]), start=1):
        if back.game is None:
            break
        back = outcome(back.game, Redo(), now_ns)
        if one.event.removed is not None:
            undone.append(_told(one.event.removed, one.said, steps, back))
    return Timeline(tuple(done), tuple(undone))


def outcome(game: Game, correction: Undo | Redo, now_ns: int) -> UndoOutcome:
    """The result of this correction now; nothing is done."""
    decision = foresee(game, correction, at_ns=now_ns, now_ns=now_ns, source="web")
    return UndoOutcome(decision.game, decision.reasons, decision.unseen)


def _places(game: Game) -> range:
    """Places of the told actions, the last one first."""
    return range(len(game.actions) - 1, max(-1, len(game.actions) - 1 - SHOWN), -1)


def _told(
    action: Action, said: Sentence, steps: int | None = None, left: UndoOutcome | None = None
) -> PastAction:
    return PastAction(action.id, action.at_ns, action.source, said, steps, left)
