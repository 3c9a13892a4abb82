"""The last actions of a game in sentences, and what undoing and redoing them would leave. Pure."""

import msgspec

from pi_controller.game.actions import undoable
from pi_controller.game.claims import ClaimRecord
from pi_controller.game.commands import (
    PREPARED_LINES,
    PREPARED_TIMERS,
    AddTime,
    Claim,
    Command,
    Contribute,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Skip,
    Start,
    Timer,
    Turn,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.events import Action
from pi_controller.game.game import Game, foresee
from pi_controller.game.scoring import sheet_points
from pi_controller.sentence import Sentence

SHOWN = 24
"""So many actions are told."""
FORESEEN = 6
"""So many successive undos are worked out beforehand; each folds the game anew."""

_PLAIN: dict[type, Sentence] = {
    Press: Sentence("action.pressed"),
    Turn: Sentence("action.turned"),
    Resume: Sentence("action.resumed"),
    Skip: Sentence("action.skipped"),
    SetSchedule: Sentence("action.schedule_changed"),
    End: Sentence("action.ended"),
}
_PAUSED = {
    "fault": Sentence("action.paused_by_fault"),
    "recovery": Sentence("action.paused_by_restart"),
}


class Outcome(msgspec.Struct, frozen=True):
    """What undoing or redoing would come to: the game after it, the sentences that refuse it, or `unseen`: a
    roll that the hall has not seen."""

    game: Game | None
    against: tuple[Sentence, ...] = ()
    unseen: bool = False


class PastAction(msgspec.Struct, frozen=True):
    """One action as it is told. `steps`: the undo that takes it back is so many undos away, None where none
    does, or it lies too deep to be foreseen; `outcome` is what is left then."""

    id: int
    at_ns: int
    source: str
    said: Sentence
    steps: int | None = None
    outcome: Outcome | None = None


class Timeline(msgspec.Struct, frozen=True):
    """The newest actions in force, and those that were undone in the order in which redo brings them back;
    with `steps` and `outcome` of that redo."""

    done: tuple[PastAction, ...]
    undone: tuple[PastAction, ...]


def timeline(game: Game, now_ns: int) -> Timeline:
    """Newest first."""
    done, left, steps = [], Outcome(game), 0
    for action, _ in zip(reversed(game.actions), range(SHOWN), strict=False):
        if undoable(action) and left.game is not None and steps < FORESEEN:
            steps += 1
            left = outcome(left.game, Undo(), now_ns)
            done.append(_told(game, action, steps, left))
        else:
            done.append(_told(game, action))
    undone, back = [], Outcome(game)
    for steps, event in enumerate(reversed(game.undone[-FORESEEN:]), start=1):
        if back.game is None:
            break
        back = outcome(back.game, Redo(), now_ns)
        if event.removed is not None:
            undone.append(_told(game, event.removed, steps, back))
    return Timeline(tuple(done), tuple(undone))


def outcome(game: Game, correction: Undo | Redo, now_ns: int) -> Outcome:
    """What this would come to now; nothing is done."""
    decision = foresee(game, correction, at_ns=now_ns, now_ns=now_ns, source="web")
    return Outcome(decision.game, decision.reasons, decision.unseen)


def _told(game: Game, action: Action, steps: int | None = None, left: Outcome | None = None) -> PastAction:
    return PastAction(action.id, action.at_ns, action.source, said_of(game, action.command), steps, left)


def said_of(game: Game, command: Command) -> Sentence:
    """What was done, in a short sentence."""
    match command:
        case Start():
            return _said_of_start(command)
        case Pause(reason=reason):
            return _PAUSED.get(reason, Sentence("action.paused"))
        case AddTime(ms=ms) if ms < 0:
            return Sentence("action.time_taken", seconds=-ms / 1000)
        case AddTime(ms=ms):
            return Sentence("action.time_added", seconds=ms / 1000)
        case Turn(seat=str(seat)):
            return Sentence("action.seat_turned", seat=game.rules.side_name(seat))
        case Press() if game.rules.play == "turns":
            return _PLAIN[Turn]
        case SetClaims(mode=mode):
            return Sentence("action.claims_pause") if mode == "pause" else Sentence("action.claims_ask")
        case Claim() | Withdraw() | Verdict():
            return _said_of_claim(game, command)
        case _:
            return _PLAIN.get(type(command)) or _said_with_text(command)


def _said_of_start(command: Start) -> Sentence:
    if not command.override:
        return Sentence("action.started")
    if command.reason is None:
        return Sentence("action.started_in_spite")
    return Sentence("action.started_because", reason=command.reason)


def _said_with_text(command: Command) -> Sentence:
    match command:
        case LastRounds(count=count):
            return Sentence("action.last_rounds", count=count)
        case Contribute(text=text):
            return Sentence("action.word", text=text)
        case Say(line=line) if line is not None:
            return Sentence("action.said", text=PREPARED_LINES[line])
        case Say(text=str(text)) if text:
            return Sentence("action.said", text=text)
        case Say():
            return Sentence("action.unsaid")
        case Timer(stop=True):
            return Sentence("action.timer_stopped")
        case Timer(prepared=prepared) if prepared is not None:
            return Sentence("action.timer", label=PREPARED_TIMERS[prepared])
        case Timer(label=label) if label:
            return Sentence("action.timer", label=label)
        case _:
            return Sentence("action.timer_unnamed")


def _said_of_claim(game: Game, command: Claim | Withdraw | Verdict) -> Sentence:
    match command:
        case Claim(board=str(board), side=str(side)):
            return Sentence("action.claimed", board=board, side=game.rules.side_name(side))
        case Claim(side=str(side)):
            return Sentence("action.seat_claimed", seat=game.rules.side_name(side))
        case Claim():
            return Sentence("action.claimed_by_button")
    claim = next((one for one in game.state.claims if one.id == command.claim), None)
    if isinstance(command, Verdict):
        return _said_of_verdict(game, command, claim)
    if claim is None or claim.board is None:
        return Sentence("action.withdrawn")
    return Sentence("action.board_withdrawn", board=claim.board)


def _said_of_verdict(game: Game, command: Verdict, claim: ClaimRecord | None) -> Sentence:
    if claim is None or claim.board is None:
        return Sentence("action.confirmed") if command.confirmed else Sentence("action.rejected")
    board = claim.board
    if command.sheet is None:
        if command.confirmed:
            return Sentence("action.board_confirmed", board=board)
        return Sentence("action.board_rejected", board=board)
    points = sheet_points(command.sheet, game.rules)
    if claim.status == "confirmed":
        return Sentence("action.board_confirmed_points", board=board, count=points)
    return Sentence("action.board_rejected_points", board=board, count=points)
