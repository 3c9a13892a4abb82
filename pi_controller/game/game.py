"""The game as a fold: `decide` answers a command with events, `apply` turns events into the next game."""

from typing import Any

import msgspec
from msgspec.structs import replace

from pi_controller.game import actions, clockwork, phases
from pi_controller.game.actions import NOTHING_TO_REDO, Actions, Undone, undoable
from pi_controller.game.commands import Close, Command, Contribute, Redo, Undo
from pi_controller.game.dice import Basis, DiceBook, NotSeen, SeenDice
from pi_controller.game.dice_terms import NEWEST, ArmedTerms, DiceTerms
from pi_controller.game.events import (
    Action,
    Closed,
    Collecting,
    CommandApplied,
    Corrected,
    Ended,
    Event,
    PhaseBegan,
    Resumed,
    SeatBegan,
)
from pi_controller.game.moves import MoveRefused, written
from pi_controller.game.phases import WORD_TOO_LATE, NotAllowed
from pi_controller.game.rule_sets import RuleSet, step_ms
from pi_controller.game.state import SEAT_PHASES, CountingDown, State
from pi_controller.sentence import Sentence


class ContradictionError(ValueError):
    """A journalled fact contradicts the actions and the dice."""


class Seal(msgspec.Struct, frozen=True):
    """The number of a game's seal in its evening, from 1; the id of the evening's first game; and the hash of
    the first line of the game armed before, None without one."""

    number: int
    of_evening: str
    before: str | None


class Game(msgspec.Struct, frozen=True):
    """One game: its rules and dice, the actions in force, and the state they fold to.

    `furthest` is how far the hall has seen it, including what was undone since. `lot_fallen`: the hall has
    seen who begins, if that is drawn. `published` is the number of the first action after the seed was
    published, 0 before; nothing earlier can be undone. A `rehearsal` is played like any other game and marked
    everywhere. Games of earlier releases have no `seal`.
    """

    game_id: str
    rules: RuleSet
    dice: DiceBook
    state: State
    actions: Actions
    undone: tuple[Undone, ...] = ()
    next_action: int = 1
    furthest: tuple[int, int] = (0, 0)
    lot_fallen: bool = False
    published: int = 0
    rehearsal: bool = False
    seal: Seal | None = None

    @property
    def closed(self) -> bool:
        """True if the seed is published, once that is on the disk."""
        return self.published > 0

    @property
    def basis(self) -> Basis:
        return Basis(self.rules, self.dice)

    @property
    def rolled(self) -> bool:
        """True if the hall has seen a roll or the lot for the first seat, even if undone since."""
        return self.furthest > (0, 0) or self.lot_fallen


class Decision(msgspec.Struct, frozen=True):
    """The answer to a command: refused with reasons, or accepted with events.

    Neither reasons nor events: accepted without effect. `game` is the game after the events, kept because
    applying them again would delay a freeze. `unseen`, only from `foresee`: accepted, and what comes next is
    a roll that the hall has not seen.
    """

    events: tuple[Event, ...] = ()
    reasons: tuple[Sentence, ...] = ()
    game: Game | None = None
    unseen: bool = False


def terms(rules: RuleSet, version: int) -> DiceTerms:
    """Every parameter that the commitment of this version covers."""
    return DiceTerms(
        rule_set=rules.name,
        rule_set_version=rules.version,
        rounds_without_seven=rules.rounds_without_seven,
        allow_consecutive_sevens=rules.allow_consecutive_sevens,
        robber_targets=rules.robber_targets,
        robber_target_draw=rules.robber_target_draw,
        first_side=rules.first_side,
        armed=_armed(rules) if version > 1 else None,
    )


def _armed(rules: RuleSet) -> ArmedTerms:
    return ArmedTerms(
        after_robber=rules.after_robber,
        schedule=tuple((step.from_round, step_ms(step)) for step in rules.schedule),
        robber_ms=rules.robber_ms,
        start_countdown_ms=rules.start_countdown_ms,
        resume_countdown_ms=rules.resume_countdown_ms,
        target_points=rules.target_points,
        claims=rules.claims,
    )


def new_game(
    game_id: str,
    rules: RuleSet,
    seed: bytes,
    *,
    version: int = NEWEST,
    rehearsal: bool = False,
    seal: Seal | None = None,
) -> Game:
    """A game in `ready`; `seed` is 32 random bytes, secret until the end.

    `version` is that of the dice's derivation: a game keeps the one that it was armed with.
    """
    dice = DiceBook(seed=seed, game_id=game_id, terms=terms(rules, version), word=None)
    first = None if rules.by_lot else rules.first_side
    state = State(due_side=first, schedule=rules.schedule, claims_mode=rules.claims)
    return Game(game_id, rules, dice, state, Actions.none(state), rehearsal=rehearsal, seal=seal)


def decide(
    game: Game, command: Command, *, at_ns: int, now_ns: int, source: str, basis: Basis | None = None
) -> Decision:
    """Answer a command caused at `at_ns` and seen at `now_ns` (game time, now ≥ at).

    The clock must have been advanced to `now_ns` before. `basis`: in place of the game's own.
    """
    if isinstance(command, Contribute):
        if game.rolled:
            return Decision(reasons=(WORD_TOO_LATE,))
        try:
            command = Contribute(written(command.text, game.dice.terms.version))
        except MoveRefused as refused:
            return Decision(reasons=(refused.sentence,))
    if isinstance(command, Close):
        return _close(game, command)
    if game.closed and (against := phases.closed_against(game.state, type(command))) is not None:
        return Decision(reasons=(against,))
    action = Action(game.next_action, command, min(at_ns, now_ns), now_ns, source)
    try:
        event, after = _effect(game, action, basis or game.basis)
    except MoveRefused as refused:
        return Decision(reasons=(refused.sentence,))
    if event is None:
        return Decision()
    return Decision((event, *_facts(game.state, after.state, now_ns)), game=after)


def foresee(game: Game, command: Command, *, at_ns: int, now_ns: int, source: str) -> Decision:
    """What `decide` would answer, for previews: it ends at the first roll that the hall has not seen and is
    the same whatever that roll will be."""
    basis = replace(game.basis, seen=SeenDice(game.furthest, game.lot_fallen))
    try:
        return decide(game, command, at_ns=at_ns, now_ns=now_ns, source=source, basis=basis)
    except NotSeen:
        return Decision(unseen=True)


def _close(game: Game, command: Close) -> Decision:
    if not command.confirm:
        return Decision(reasons=(Sentence("game.close_needs_confirm"),))
    if (against := phases.closing_not_allowed(game.state)) is not None:
        return Decision(reasons=against.reasons)
    if game.closed:
        return Decision()
    event = Closed(game.dice.seed.hex())
    return Decision((event,), game=apply(game, event))


def not_allowed(game: Game) -> dict[str, NotAllowed | None]:
    """For `arm` and each command, by name, what stands against every form of it that would change something;
    None: allowed now. `decide` refuses by the same table."""
    found = phases.not_allowed(game.state, game.rules)
    if game.rolled:
        found["contribute"] = NotAllowed((WORD_TOO_LATE,))
    if game.closed:
        found |= phases.not_allowed_when_closed(game.state)
    found["undo"] = actions.undo_not_allowed(_past(game, game.basis))
    found["redo"] = None if game.undone else NotAllowed((NOTHING_TO_REDO,))
    found["arm"] = phases.arming_not_allowed(game.state)
    found["close"] = phases.closing_not_allowed(game.state)
    return found


def _effect(game: Game, action: Action, basis: Basis) -> tuple[CommandApplied | Corrected | None, Game]:
    """The effect of this action on the list of actions (None without effect), and the game after it."""
    match action.command:
        case Undo() as undo:
            undone = actions.undo(_past(game, basis), undo, action.seen_ns)
            return undone.event, _with_correction(game, undone)
        case Redo():
            redone = actions.redo(_past(game, basis), action.seen_ns)
            return redone.event, _with_correction(game, redone)
    state = actions.performed(game.state, action, basis)
    if state == game.state:
        return None, game
    return CommandApplied(action), _with_action(game, action, state)


def _past(game: Game, basis: Basis) -> actions.Past:
    return actions.Past(
        actions=game.actions,
        undone=game.undone,
        state=game.state,
        seen=SeenDice(game.furthest, game.lot_fallen),
        next_action=game.next_action,
        published=game.published,
        basis=basis,
    )


def _facts(before: State, after: State, now_ns: int) -> tuple[Event, ...]:
    facts: list[Event] = []
    if after.phase == "ended":
        if (before.phase, before.winners) != (after.phase, after.winners):
            facts.append(_ended(after, now_ns))
    elif after.phase == "collecting":
        if before.phase != after.phase:
            facts.append(Collecting(after.began_ns))
    else:
        acts = (after.phase, after.acting, after.began_ns)
        if after.phase in SEAT_PHASES and acts != (before.phase, before.acting, before.began_ns):
            facts.append(seat_began(after))
        roll = after.shown_roll
        # Of the present phase; also after the end if the phase began with it.
        seen = before.shown_roll if before.phase in SEAT_PHASES else before.roll
        if roll and (roll, _rolled_ns(after)) != (seen, _rolled_ns(before)):
            facts.append(phase_began(after))
    return tuple(facts)


def _rolled_ns(state: State) -> int | None:
    """When the phase of the last roll began, or in games of turns when it was rolled."""
    return state.began_ns if state.roll is None or state.roll.at_ns is None else state.roll.at_ns


def seat_began(state: State) -> SeatBegan:
    """The event that the present founding or turn began."""
    if state.phase not in SEAT_PHASES:
        raise ValueError(f"no seat acts in {state.phase}")
    return SeatBegan(state.phase, state.round, state.acting, state.began_ns, state.duration_ns)


def phase_began(state: State) -> PhaseBegan:
    """The event that the present phase began."""
    if state.roll is None:
        raise ValueError("no phase has begun yet")
    roll = state.roll
    return PhaseBegan(
        phase=roll.phase,
        round=roll.round,
        due_round=roll.due_round,
        side=roll.side,
        dice=roll.dice,
        draw=roll.draw,
        robber_target=roll.robber_target,
        robber_dice=roll.robber_dice,
        began_ns=state.began_ns if roll.at_ns is None else roll.at_ns,
        duration_ns=state.duration_ns,
    )


def _ended(state: State, at_ns: int) -> Ended:
    if state.ended_by is None:
        raise ValueError("the game has not ended")
    return Ended(at_ns, state.ended_by, state.winners, state.decided_by)


def due_ns(game: Game, now_ns: int) -> int | None:
    """The next moment (game time) at which the picture changes by itself: by the clock, a message or a free
    timer."""
    state = game.state
    moments = [clockwork.due_ns(state)]
    if state.message and state.message.until_ns is not None and state.message.until_ns > now_ns:
        moments.append(state.message.until_ns)
    if state.timer and state.timer.deadline_ns > now_ns:
        moments.append(state.timer.deadline_ns)
    return min((moment for moment in moments if moment is not None), default=None)


def tick(game: Game, now_ns: int) -> tuple[Event, ...]:
    """Events that have happened by themselves up to this moment, in order; to be applied by the caller."""
    events: list[Event] = []
    state = game.state
    while (moment := clockwork.due_ns(state)) is not None and moment <= now_ns:
        after = clockwork.turn(state, game.basis)
        if isinstance(state.clock, CountingDown) and state.in_play:
            events.append(Resumed(moment))
        events.extend(_facts(state, after, moment))
        state = after
    return tuple(events)


def apply(game: Game, event: Event) -> Game:
    """The game after this event.

    Raises `ContradictionError` if a fact differs from what actions and dice lead to.
    """
    match event:
        case CommandApplied(action=action):
            return _with_action(game, action, actions.performed(game.state, action, game.basis))
        case Corrected():
            return _with_correction(game, actions.corrected(game.actions, event, game.basis))
        case PhaseBegan(began_ns=at) | SeatBegan(began_ns=at):
            state = _checked(game, at, event)
        case Collecting(at_ns=at) | Ended(at_ns=at):
            state = _checked(game, at, event)
        case Resumed(at_ns=at):
            state = clockwork.advance(game.state, at, game.basis)
        case Closed():
            return _published(game, event)
    return _seen(game, state)


def _seen(game: Game, state: State, **changes: Any) -> Game:
    """The game, with what the hall has seen once it has seen this state."""
    return replace(
        game,
        state=state,
        furthest=max(game.furthest, state.position),
        lot_fallen=game.lot_fallen or (game.rules.by_lot and state.due_side is not None),
        **changes,
    )


def _published(game: Game, closed: Closed) -> Game:
    if closed.seed != game.dice.seed.hex():
        raise ContradictionError(f"the journal publishes another seed than that of game {game.game_id}")
    return replace(game, published=game.published or game.next_action, undone=())


def _with_action(game: Game, action: Action, state: State) -> Game:
    return _seen(
        game,
        state,
        actions=game.actions.with_one(action, state, game.rules),
        undone=() if undoable(action) else game.undone,
        next_action=action.id + 1,
    )


def _with_correction(game: Game, correction: actions.Correction) -> Game:
    event = correction.event
    if event.what == "undone":
        stack = (*game.undone, Undone(event, game.actions.said(event.index)))
    else:
        stack = game.undone[:-1]
    newest = event.put.id + 1 if event.put else 0
    return _seen(
        game,
        correction.state,
        actions=correction.actions,
        undone=stack,
        next_action=max(game.next_action, newest),
    )


def _checked(game: Game, at_ns: int, fact: PhaseBegan | SeatBegan | Collecting | Ended) -> State:
    state = clockwork.advance(game.state, at_ns, game.basis)
    if isinstance(fact, PhaseBegan):
        agrees = state.roll is not None and phase_began(state) == fact
    elif isinstance(fact, SeatBegan):
        agrees = state.phase in SEAT_PHASES and seat_began(state) == fact
    elif isinstance(fact, Collecting):
        agrees = (state.phase, state.began_ns) == ("collecting", at_ns)
    else:
        agrees = state.phase == "ended" and _ended(state, at_ns) == fact
    if not agrees:
        raise ContradictionError(f"the journal says {fact}, but the game came to {state.roll}")
    return state
