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

_NO_TURNS = Sentence("game.no_turns")
_NO_LAST_ROUNDS = Sentence("game.no_last_rounds")
_IN_PAUSE = Sentence("game.turn_in_pause")

_NOT_YET = claim_moves.NO_CLAIM_YET
_CLAIM = Guarded(claim_moves.claim, claim_moves.no_claim_now)
_WITHDRAW = Guarded(claim_moves.withdraw, claim_moves.not_open)
_VERDICT = Guarded(claim_moves.verdict, claim_moves.not_to_judge)
_RESUME = Guarded(moves.resume, moves.claims_open, override=True)
_SKIP = Guarded(moves.skip, moves.no_phase)
_ADD_TIME = Guarded(moves.add_time, moves.no_countdown)
_END = Guarded(moves.end, moves.nothing_to_end)
_TIMER = Guarded(moves.timer, moves.in_rounds)
_NOTHING = moves.nothing
_PRESS = claim_moves.press
_RANK = claim_moves.end_of_collecting

Row = tuple[Entry, Entry | tuple[Entry, Entry, Entry], Entry, Entry]
"""One command READY, in the game, COLLECTING and ENDED; three entries for the game are COUNTING, PLAYING and
PAUSED."""

# fmt: off
_ROUNDS: dict[type, Row] = {
    #            READY                the game                    COLLECTING      ENDED
    Contribute:  (moves.contribute,   WORD_TOO_LATE,              WORD_TOO_LATE,  WORD_TOO_LATE),
    Start:       (moves.start,        _UNDER_WAY,                 _UNDER_WAY,     _ENDED),
    Press:       (_NOTHING,           (_PRESS, _PRESS, _NOTHING), _NOTHING,       _NOTHING),
    Turn:        (_NO_TURNS,          _NO_TURNS,                  _NO_TURNS,      _NO_TURNS),
    Pause:       (_NOT_BEGUN,         moves.pause,                _COLLECTING,    _ENDED),
    Resume:      (_NOT_BEGUN,    (_NOTHING, _NOTHING, _RESUME),   _COLLECTING,    _ENDED),
    Skip:        (_NOT_BEGUN,         _SKIP,                      _COLLECTING,    _ENDED),
    AddTime:     (_NOT_BEGUN,         _ADD_TIME,                  _COLLECTING,    _ENDED),
    SetSchedule: (moves.set_schedule, moves.set_schedule,         _COLLECTING,    _ENDED),
    SetClaims:   (moves.set_claims,   moves.set_claims,           _COLLECTING,    _ENDED),
    LastRounds:  (moves.last_rounds,  moves.last_rounds,          _COLLECTING,    _ENDED),
    End:         (_NOT_BEGUN,         _END,                       _RANK,          _NOTHING),
    Claim:       (_NOT_YET,           _CLAIM,                     _CLAIM,         _CLAIM),
    Withdraw:    (_NOT_YET,           _WITHDRAW,                  _WITHDRAW,      _WITHDRAW),
    Verdict:     (_NOT_YET,           _VERDICT,                   _VERDICT,       _VERDICT),
    Say:         (moves.say,          moves.say,                  moves.say,      moves.say),
    Cover:       (moves.cover,        moves.cover,                moves.cover,    moves.cover),
    Timer:       (_TIMER,             _TIMER,                     _TIMER,         _TIMER),
}
_TURNS: dict[type, Row] = {
    **_ROUNDS,  # but the buttons are the seats' (rule K4), and no last round is announced
    Press:       (_NOTHING,        (_NOTHING, moves.turn, _NOTHING),   _NOTHING,        _NOTHING),
    Turn:        (_NOT_BEGUN,      (_IN_PAUSE, moves.turn, _IN_PAUSE), _NOT_BEGUN,      _ENDED),
    LastRounds:  (_NO_LAST_ROUNDS, _NO_LAST_ROUNDS,                    _NO_LAST_ROUNDS, _NO_LAST_ROUNDS),
}
# fmt: on


def _entries(row: Row) -> tuple[Entry, ...]:
    """In the order of Situation."""
    ready, game, collecting, ended = row
    return (ready, *(game if isinstance(game, tuple) else (game, game, game)), collecting, ended)


TABLES: dict[str, dict[Situation, dict[type, Entry]]] = {
    play: {
        where: {kind: _entries(row)[at] for kind, row in rows.items()} for at, where in enumerate(Situation)
    }
    for play, rows in (("rounds", _ROUNDS), ("turns", _TURNS))
}
"""By the rule set's way to play, situation and kind of command."""

_NOT_WHEN_CLOSED = [Claim, Withdraw, Verdict, *(kind for kind, row in _ROUNDS.items() if row[-1] is _ENDED)]

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
