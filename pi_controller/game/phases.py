"""The table of allowed moves: situation × command. `perform` carries out a command by it, `not_allowed` tells
from it beforehand what is refused. Other refusals are only in moves and depend on the command's fields."""

from enum import Enum

import msgspec

from pi_controller.game import claim_moves, moves
from pi_controller.game.commands import (
    NAMES,
    AddTime,
    Claim,
    Command,
    Contribute,
    Cover,
    End,
    LastRounds,
    Pause,
    Press,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Skip,
    Start,
    Timer,
    Turn,
    Verdict,
    Withdraw,
)
from pi_controller.game.moves import Guard, Move, MoveContext, MoveRefused
from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.state import CountingDown, Frozen, Running, State
from pi_controller.sentence import Sentence


class Situation(Enum):
    """The clock's situation, as far as commands depend on it."""

    READY = "before the start"
    COUNTING = "in the 3-2-1"
    PLAYING = "while the clock runs"
    PAUSED = "while play is paused"
    COLLECTING = "while sheets are collected"
    ENDED = "after the end"


_STILL = {"collecting": Situation.COLLECTING, "ended": Situation.ENDED}


def situation(state: State) -> Situation:
    """The row of the table for this state."""
    match state.clock:
        case Running():
            return Situation.PLAYING
        case Frozen():
            return Situation.PAUSED
        case CountingDown():
            return Situation.COUNTING
        case _:
            return _STILL.get(state.phase, Situation.READY)


class NotAllowed(msgspec.Struct, frozen=True):
    """Why a command is refused now; `override`: it would be accepted with override."""

    reasons: tuple[Sentence, ...]
    override: bool = False


class Guarded(msgspec.Struct, frozen=True):
    """A move with a guard; `override`: the command's own override passes it."""

    move: Move
    against: Guard
    override: bool = False


Entry = Move | Guarded | Sentence
"""A sentence refuses every form of the command."""

_NOT_BEGUN = Sentence("game.not_begun")
_UNDER_WAY = Sentence("game.already_under_way")
WORD_TOO_LATE = Sentence("word.too_late")
_ENDED = Sentence("game.ended")
_COLLECTING = Sentence("game.collecting")
_END_IT_FIRST = Sentence("game.end_it_first")
_NOT_ENDED = Sentence("game.close_only_when_ended")
_CLOSED = Sentence("game.closed")

_ANYTIME: dict[type, Entry] = {
    Say: moves.say,
    Cover: moves.cover,
    SetSchedule: moves.set_schedule,
    SetClaims: moves.set_claims,
    Timer: Guarded(moves.timer, moves.in_rounds),
}
_CLAIMS: dict[type, Entry] = {
    Claim: Guarded(claim_moves.claim, claim_moves.no_claim_now),
    Withdraw: Guarded(claim_moves.withdraw, claim_moves.not_open),
    Verdict: Guarded(claim_moves.verdict, claim_moves.not_to_judge),
}
_IN_GAME: dict[type, Entry] = {
    **_ANYTIME,
    **_CLAIMS,
    Contribute: WORD_TOO_LATE,
    Start: _UNDER_WAY,
    Press: claim_moves.press,
    Pause: moves.pause,
    Skip: Guarded(moves.skip, moves.no_phase),
    AddTime: Guarded(moves.add_time, moves.no_countdown),
    LastRounds: moves.last_rounds,
    End: Guarded(moves.end, moves.nothing_to_end),
}
_AFTER_PLAY: dict[type, Entry] = {
    **_CLAIMS,
    Say: moves.say,
    Cover: moves.cover,
    Timer: Guarded(moves.timer, moves.in_rounds),
    Press: moves.nothing,
    Contribute: WORD_TOO_LATE,
}

TABLE: dict[Situation, dict[type, Entry]] = {
    Situation.READY: {
        **_ANYTIME,
        Contribute: moves.contribute,
        Start: moves.start,
        LastRounds: moves.last_rounds,
        Press: moves.nothing,
        Pause: _NOT_BEGUN,
        Resume: _NOT_BEGUN,
        Skip: _NOT_BEGUN,
        AddTime: _NOT_BEGUN,
        End: _NOT_BEGUN,
        Claim: claim_moves.NO_CLAIM_YET,
        Withdraw: claim_moves.NO_CLAIM_YET,
        Verdict: claim_moves.NO_CLAIM_YET,
    },
    Situation.COUNTING: {**_IN_GAME, Resume: moves.nothing},
    Situation.PLAYING: {**_IN_GAME, Resume: moves.nothing},
    Situation.PAUSED: {
        **_IN_GAME,
        Press: moves.nothing,
        Resume: Guarded(moves.resume, moves.claims_open, override=True),
    },
    Situation.COLLECTING: {
        **_AFTER_PLAY,
        End: claim_moves.end_of_collecting,
        Pause: _COLLECTING,
        Resume: _COLLECTING,
        Skip: _COLLECTING,
        AddTime: _COLLECTING,
        SetSchedule: _COLLECTING,
        SetClaims: _COLLECTING,
        LastRounds: _COLLECTING,
        Start: _UNDER_WAY,
    },
    Situation.ENDED: {
        **_AFTER_PLAY,
        End: moves.nothing,
        Pause: _ENDED,
        Resume: _ENDED,
        Skip: _ENDED,
        AddTime: _ENDED,
        SetSchedule: _ENDED,
        SetClaims: _ENDED,
        LastRounds: _ENDED,
        Start: _ENDED,
    },
}


_NO_TURNS = Sentence("game.no_turns")
_NO_LAST_ROUNDS = Sentence("game.no_last_rounds")
for _row in TABLE.values():
    _row[Turn] = _NO_TURNS

TURNS: dict[Situation, dict[type, Entry]] = {
    where: {**row, Press: moves.nothing, Turn: _NOT_BEGUN, LastRounds: _NO_LAST_ROUNDS}
    for where, row in TABLE.items()
}
"""The table of rule sets that are played in turns: the buttons are the seats' (rule K4)."""
TURNS[Situation.PLAYING] |= {Press: moves.turn, Turn: moves.turn}
TURNS[Situation.PAUSED][Turn] = TURNS[Situation.COUNTING][Turn] = Sentence("game.turn_in_pause")
TURNS[Situation.ENDED][Turn] = _ENDED

TABLES = {"rounds": TABLE, "turns": TURNS}

_NOT_WHEN_CLOSED = [
    kind for kind, entry in TABLE[Situation.ENDED].items() if kind in _CLAIMS or entry is _ENDED
]

_ALWAYS = {
    (play, where): {
        NAMES[kind]: NotAllowed((entry,)) if isinstance(entry, Sentence) else None
        for kind, entry in row.items()
        if kind is not Press
    }
    for play, table in TABLES.items()
    for where, row in table.items()
}
"""What the table says of each command independent of the rest of the state, computed once because every
picture needs it. A press comes from the big button only."""

_GUARDED = {
    (play, where): [(NAMES[kind], entry) for kind, entry in row.items() if isinstance(entry, Guarded)]
    for play, table in TABLES.items()
    for where, row in table.items()
}


def not_allowed(state: State, rules: RuleSet) -> dict[str, NotAllowed | None]:
    """For each command of the table, by name, what stands against every form of it that would change
    something in this state; None: it may be given."""
    where = rules.play, situation(state)
    found = _ALWAYS[where].copy()
    for name, entry in _GUARDED[where]:
        reason = entry.against(state, None, rules)
        if reason is not None:
            found[name] = NotAllowed((reason,), entry.override)
    return found


def arming_not_allowed(state: State) -> NotAllowed | None:
    """What stands against arming another game in place of the one in this state."""
    return None if situation(state) in (Situation.READY, Situation.ENDED) else NotAllowed((_END_IT_FIRST,))


def closing_not_allowed(state: State) -> NotAllowed | None:
    """What stands against closing the game in this state."""
    return None if situation(state) is Situation.ENDED else NotAllowed((_NOT_ENDED,))


def closed_against(state: State, command: type) -> Sentence | None:
    """What stands against a command of this kind after the seed is published: no sheet changes the winners of
    a closed game, and its end is not undone."""
    return _CLOSED if situation(state) is Situation.ENDED and command in _NOT_WHEN_CLOSED else None


def not_allowed_when_closed(state: State) -> dict[str, NotAllowed]:
    """The same for each command, by name, that something stands against."""
    found = {NAMES[kind]: closed_against(state, kind) for kind in _NOT_WHEN_CLOSED}
    return {name: NotAllowed((reason,)) for name, reason in found.items() if reason is not None}


def perform(state: State, command: Command, moment: MoveContext) -> State:
    """Do the command in this state; the same state again means an effectless repeat.

    Raises `MoveRefused` with the sentence for the person who asked; the state is untouched then.
    """
    entry = TABLES[moment.rules.play][situation(state)][type(command)]
    if isinstance(entry, Sentence):
        raise MoveRefused(entry)
    if not isinstance(entry, Guarded):
        return entry(state, command, moment)
    reason = entry.against(state, command, moment.rules)
    if reason is not None and not (entry.override and getattr(command, "override", False)):
        raise MoveRefused(reason)
    return entry.move(state, command, moment)
