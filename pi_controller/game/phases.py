"""The one table of allowed moves: situation × command. Nothing about what is allowed stands anywhere else
but in a move's own refusal, and a command without an entry is refused by name."""

from enum import Enum

from pi_controller.game import claim_moves, moves
from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    Contribute,
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
    Verdict,
    Withdraw,
)
from pi_controller.game.moves import Moment, Move, Refused
from pi_controller.game.state import Counting, Frozen, Running, State


class Situation(Enum):
    """What the clock is doing, as far as commands care."""

    READY = "before the start"
    COUNTING = "in the 3-2-1"
    PLAYING = "while the clock runs"
    PAUSED = "while play is paused"
    ENDED = "after the end"


def situation(state: State) -> Situation:
    """The row of the table that this state stands in."""
    match state.clock:
        case Running():
            return Situation.PLAYING
        case Frozen():
            return Situation.PAUSED
        case Counting():
            return Situation.COUNTING
        case _:
            return Situation.ENDED if state.phase == "ended" else Situation.READY


_NOT_BEGUN = "The game has not begun: start it first."
_UNDER_WAY = "The game is already under way."
WORD_TOO_LATE = "The public word comes before the start: it would change rolls now."
_ENDED = "The game has ended: undo the end, or arm a new game."

_ANYTIME: dict[type, Move | str] = {
    Say: moves.say,
    SetSchedule: moves.set_schedule,
    SetClaims: moves.set_claims,
    Timer: moves.timer,
}
_CLAIMS: dict[type, Move | str] = {
    Claim: claim_moves.claim,
    Withdraw: claim_moves.withdraw,
    Verdict: claim_moves.verdict,
}
_IN_GAME: dict[type, Move | str] = {
    **_ANYTIME,
    **_CLAIMS,
    Contribute: WORD_TOO_LATE,
    Start: _UNDER_WAY,
    Press: claim_moves.press,
    Pause: moves.pause,
    Skip: moves.skip,
    AddTime: moves.add_time,
    LastRounds: moves.last_rounds,
    End: moves.end,
}

TABLE: dict[Situation, dict[type, Move | str]] = {
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
    Situation.PAUSED: {**_IN_GAME, Press: moves.nothing, Resume: moves.resume},
    Situation.ENDED: {
        **_CLAIMS,
        Say: moves.say,
        Timer: moves.timer,
        End: moves.nothing,
        Press: moves.nothing,
        Pause: _ENDED,
        Resume: _ENDED,
        Skip: _ENDED,
        AddTime: _ENDED,
        SetSchedule: _ENDED,
        SetClaims: _ENDED,
        LastRounds: _ENDED,
        Start: _ENDED,
        Contribute: WORD_TOO_LATE,
    },
}


def perform(state: State, command: Command, moment: Moment) -> State:
    """Do the command in this state; the same state again means an effectless repeat.

    Raises `Refused` with the sentence for the person who asked; the state is untouched then.
    """
    move = TABLE[situation(state)][type(command)]
    if isinstance(move, str):
        raise Refused(move)
    return move(state, command, moment)
