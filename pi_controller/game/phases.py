"""The table of allowed moves: situation × command. `perform` carries out a command by it, `not_allowed` tells
from it beforehand what is refused. Other refusals are only in moves and depend on the command's fields."""

from enum import Enum

import msgspec
from msgspec.structs import replace

from pi_controller.game import moves
from pi_controller.game.claims import (
    ClaimRecord,
    ClaimSource,
    ClaimStatus,
    TimedPress,
    board_key,
    named,
    no_such_seat,
    sheet_faults,
    sheet_points,
    winners,
)
from pi_controller.game.commands import (
    LONGEST_BOARD,
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
    Sheet,
    Skip,
    Start,
    Timer,
    Turn,
    Verdict,
    Withdraw,
)
from pi_controller.game.moves import Guard, Move, MoveContext, MoveRefused, clear_reason, end, freeze
from pi_controller.game.rule_sets import DecidedBy, RuleSet
from pi_controller.game.state import CountingDown, Frozen, Running, State, end_game
from pi_controller.game.turn_order import Seat
from pi_controller.sentence import Sentence

# Moves about claims: made with a button or by the director, withdrawn, judged; and the end that they may
# bring.

NO_CLAIM_YET = Sentence("claim.nothing_yet")
RANKED = Sentence("claim.ranked")
NOBODY_ACTS = Sentence("claim.nobody_acts")
PRESSES_KEPT = 8
"""Most presses kept in one pause or while a claim is open; more are no claimants."""


def press(state: State, _command: Command, moment: MoveContext) -> State:
    """The big button: freeze play, and open a claim that keeps the moment of the press (rule C14). While a
    claim is open the press opens no other, and its moment is kept for one that is entered later."""
    frozen = freeze(state, moment.at_ns, "button")
    if not state.in_play:
        return frozen
    if moment.rules.winners_have_boards and state.claims.waiting:
        return _with_press(frozen, state, moment)
    if any(claim.anonymous for claim in state.claims.open):
        return frozen
    return _with_claim(frozen, replace(_record(state, None, None, moment), source="button"))


def _with_press(frozen: State, state: State, moment: MoveContext) -> State:
    round_no, active, left = _moment_of_contact(state, moment.at_ns)
    made = TimedPress(f"p{moment.action_id}", moment.at_ns, round_no, active, left)
    return replace(frozen, presses=(*state.presses, made)[-PRESSES_KEPT:])


def no_claim_now(state: State, command: Claim | None, _rules: RuleSet) -> Sentence | None:
    if state.phase in ("ready", "founding"):
        return NO_CLAIM_YET
    if state.building and command is None:
        return NOBODY_ACTS
    if state.ended_by == "verdict":
        return Sentence("claim.game_won")
    return RANKED if state.ended_by == "ranking" else None


def claim(state: State, command: Claim, moment: MoveContext) -> State:
    if moment.rules.play == "turns" and command.side is None:
        command = replace(command, side=_acted(state, moment))
    if command.board is None and command.side is None:
        return press(state, command, moment) if not state.played else _no_claim_after_end(moment.rules)
    _check_seat(command.side, moment.rules)
    command = replace(command, board=_spelled(state, command.board, moment.rules))
    if state.phase == "ended" or (state.phase == "collecting" and moment.at_ns >= state.began_ns):
        return _claim_for_ranking(state, command, moment)
    pressed = next((other for other in state.claims.open if other.anonymous), None)
    names_it = command.press is None and pressed is not None and command.side in (None, pressed.active_side)
    known = moment.rules.winners_have_boards and _standing(state, command) is not None
    if pressed is not None and names_it and not known:
        return _put_claim(state, replace(pressed, board=command.board, side=command.side))
    return _claim_of_its_own(state, command, moment)


def _acted(state: State, moment: MoveContext) -> Seat | None:
    """The seat that acted when the claim was made."""
    if state.played:
        return None
    acted = _moment_of_contact(state, moment.at_ns)[1]
    if acted is None:
        raise MoveRefused(NOBODY_ACTS)
    return acted


def _standing(state: State, command: Claim) -> ClaimRecord | None:
    """The open claim of this board and side that is not passed."""
    seat = command.board, command.side
    return next((claim for claim in state.claims.waiting if (claim.board, claim.side) == seat), None)


def _without_passed(state: State, made: ClaimRecord | None = None) -> State:
    """The state with passed claims withdrawn: all of them, or those of the board and side that claims
    anew."""
    claims = state.claims
    for claim in claims.open:
        if claim.passed and (made is None or (claim.board, claim.side) == (made.board, made.side)):
            claims = claims.put(replace(claim, status="withdrawn"))
    return replace(state, claims=claims)


def _claim_of_its_own(state: State, command: Claim, moment: MoveContext) -> State:
    """A new claim that completes no open press."""
    if command.press is None:
        _check_known(state, moment.at_ns, moment.rules)
        made = replace(
            _record(state, command.board, command.side, moment),
            source=_source(command),
            press_error_ms=command.press_error_ms,
        )
    else:
        made = _from_press(state, command, _claim_id(moment))
    standing = _standing(state, command)
    if standing is not None:
        counted = replace(standing, count=standing.count + 1)
        return state if command.button is None else _put_claim(state, counted)
    _check_active(made, moment.rules)
    pauses = state.claims_mode == "pause" and command.button != "faulty"
    paused = freeze(state, moment.at_ns, "claim") if pauses else state
    paused = _without_passed(paused, made)
    paused = replace(paused, presses=tuple([p for p in paused.presses if p.id != command.press]))
    return _with_claim(paused, made) if command.button is None else _claim_again(paused, made)


def _source(command: Claim) -> ClaimSource:
    if command.press_error_ms is not None:
        return "seat"
    return "desk" if command.button is None else "table"


def _check_seat(side: Seat | None, rules: RuleSet) -> None:
    if side is not None and side not in rules.seats:
        raise MoveRefused(no_such_seat(side, rules))


def _spelled(state: State, board: str | None, rules: RuleSet) -> str | None:
    """The board as spelled in an earlier claim that was not rejected."""
    if board is None or not rules.winners_have_boards:
        return board
    if not board.strip():
        raise MoveRefused(Sentence("range.printable", name="board", least=1, most=LONGEST_BOARD))
    known = {board_key(claim.board): claim.board for claim in reversed(state.claims.standing) if claim.board}
    return known.get(board_key(board), board.strip())


def _from_press(state: State, command: Claim, claim_id: str) -> ClaimRecord:
    press = next((press for press in state.presses if press.id == command.press), None)
    if press is None:
        raise MoveRefused(Sentence("claim.no_such_press"))
    return ClaimRecord(
        claim_id,
        command.board,
        command.side,
        press.at_ns,
        press.round,
        press.active_side,
        press.before_end_ns,
    )


def _no_claim_after_end(rules: RuleSet) -> State:
    if rules.play == "turns":
        raise MoveRefused(Sentence("claim.ranking_needs_a_seat"))
    raise MoveRefused(Sentence("claim.ranking_needs_board_and_side"))


def _check_known(state: State, at_ns: int, rules: RuleSet) -> None:
    """A claim must not slip into a round other than that of its first contact, however late it is read."""
    if at_ns < (state.before[-1].began_ns if state.before else state.began_ns):
        if rules.play == "turns":
            raise MoveRefused(Sentence("claim.too_long_ago_in_turns"))
        raise MoveRefused(Sentence("claim.too_long_ago"))


def _check_active(made: ClaimRecord, rules: RuleSet) -> None:
    if made.active_side is None:
        by_turns = rules.play == "turns"
        raise MoveRefused(NOBODY_ACTS if by_turns else Sentence("claim.in_robber_phase"))
    if not made.on_active_side and made.side is not None:
        if rules.play == "turns":
            raise MoveRefused(Sentence("claim.not_its_turn", seat=rules.side_name(made.side)))
        raise MoveRefused(Sentence("claim.not_its_round", side=rules.side_name(made.side)))


def _claim_for_ranking(state: State, command: Claim, moment: MoveContext) -> State:
    """A claim after the last round, when sheets of both sides are ranked (rule C20), one for each board and
    side."""
    place = _place(command, moment.rules)
    if any(_place(claim, moment.rules) == place for claim in state.claims.waiting):
        return state
    if moment.rules.one_sheet_each:
        _check_for_ranking(state, command, moment.rules)
    made = ClaimRecord(
        _claim_id(moment), command.board, command.side, moment.at_ns, state.round, command.side, 0
    )
    return _with_claim(_without_passed(state, made), made)


def _check_for_ranking(state: State, command: Claim, rules: RuleSet) -> None:
    if command.button is not None and rules.play == "rounds":
        raise MoveRefused(Sentence("claim.rounds_over"))
    if command.side is None or (command.board is None and rules.play == "rounds"):
        _no_claim_after_end(rules)
    place = _place(command, rules)
    for claim in state.claims.confirmed:
        if _place(claim, rules) == place:
            raise MoveRefused(Sentence("claim.has_a_sheet", claim=named(claim, rules)))


def _place(claim: Claim | ClaimRecord, rules: RuleSet) -> tuple[str | None, Seat | None]:
    """Who has one sheet in a ranking: a side of a board; in games of turns a seat, whatever board it
    claimed."""
    return None if rules.play == "turns" else claim.board, claim.side


def _record(state: State, board: str | None, side: Seat | None, moment: MoveContext) -> ClaimRecord:
    round_no, active, left = _moment_of_contact(state, moment.at_ns)
    return ClaimRecord(_claim_id(moment), board, side, moment.at_ns, round_no, active, left)


def _moment_of_contact(state: State, at_ns: int) -> tuple[int, Seat | None, int]:
    """Round, active side and time left at the contact's moment, even if phases have changed since; 0 left
    without a time limit."""
    for span in state.before:
        if span.began_ns <= at_ns < span.ended_ns:
            return span.round, span.side, span.ended_ns - at_ns
    match state.clock:
        case _ if state.untimed:
            left = 0
        case Running(since_ns=since, deadline_ns=deadline):
            left = deadline - min(max(at_ns, since), deadline)
        case Frozen(at_ns=frozen, remaining_ns=remaining):
            left = remaining + max(0, frozen - max(at_ns, state.began_ns))
        case _:
            left = state.remaining_ns(at_ns)
    return state.round, state.side, left


def _claim_id(moment: MoveContext) -> str:
    return f"c{moment.action_id}"


def _claim_again(state: State, made: ClaimRecord) -> State:
    """The new claim, which counts the withdrawn ones of this board and side: repeated claiming and
    withdrawing has one line in the list."""
    taken_back = [
        claim
        for claim in state.claims.standing
        if (claim.board, claim.side, claim.status) == (made.board, made.side, "withdrawn")
    ]
    counted = replace(made, count=made.count + sum(claim.count for claim in taken_back))
    return replace(state, claims=state.claims.without(taken_back).with_one(counted))


def _with_claim(state: State, made: ClaimRecord) -> State:
    return replace(state, claims=state.claims.with_one(made))


def _put_claim(state: State, changed: ClaimRecord) -> State:
    return replace(state, claims=state.claims.put(changed))


def not_open(state: State, command: Withdraw | Verdict | None, rules: RuleSet) -> Sentence | None:
    """Only an open claim can be judged or withdrawn."""
    if state.ended_by == "ranking":
        return RANKED
    if command is None:
        return None if state.claims.open else Sentence("claim.none_open")
    record = state.claims.find(command.claim)
    if record is None:
        return Sentence("claim.unknown", claim=command.claim)
    match record.status:
        case "withdrawn":
            return Sentence("claim.already_withdrawn", claim=named(record, rules))
        case "rejected":
            return Sentence("claim.already_rejected", claim=named(record, rules))
        case "confirmed":
            return Sentence("claim.already_confirmed", claim=named(record, rules))
        case "open":
            return None


def not_to_judge(state: State, command: Verdict | None, rules: RuleSet) -> Sentence | None:
    """While sheets are collected, a claim that was confirmed can be judged again: a sheet was wrong."""
    again = state.claims.confirmed if state.phase == "collecting" else ()
    if any(command is None or claim.id == command.claim for claim in again):
        return None
    return not_open(state, command, rules)


def withdraw(state: State, command: Withdraw, moment: MoveContext) -> State:
    record = _guarded(state, command.claim)
    return _after_closing(_put_claim(state, replace(record, status="withdrawn")), moment)


def verdict(state: State, command: Verdict, moment: MoveContext) -> State:
    record = _named(state, _guarded(state, command.claim), command, moment.rules)
    if command.sheet is not None:
        judged = _counted(state, record, command.sheet, moment.rules)
    elif command.confirmed:
        judged = _believed(state, record, moment.rules)
    else:
        judged = replace(record, status="rejected")
    if judged.status == "confirmed":
        _check_may_win(state, record, moment.rules)
    held = freeze(state, moment.seen_ns, "director") if command.hold else state
    return _after_closing(_put_claim(held, judged), moment)


def _check_may_win(state: State, record: ClaimRecord, rules: RuleSet) -> None:
    if not state.played and record.active_side is None:
        raise MoveRefused(Sentence("claim.no_side_was_active", claim=named(record, rules)))
    if rules.play == "turns" and record.side is None:
        raise MoveRefused(Sentence("claim.needs_seat", claim=named(record, rules)))
    if rules.winners_have_boards and None in (record.board, record.side):
        raise MoveRefused(Sentence("claim.needs_board_and_side", claim=named(record, rules)))
    if not state.played and record.side is not None and not record.on_active_side:
        side = rules.side_name(record.side)
        raise MoveRefused(Sentence("claim.side_was_not_active", claim=named(record, rules), side=side))


def _named(state: State, record: ClaimRecord, command: Verdict, rules: RuleSet) -> ClaimRecord:
    """The claim with board and side of the verdict, where it has none."""
    if command.board is None and command.side is None:
        return record
    _check_seat(command.side, rules)
    board = _spelled(state, command.board, rules) or record.board
    side = command.side or record.side
    if record.board not in (None, board) or record.side not in (None, side):
        raise MoveRefused(Sentence("claim.named_already", claim=named(record, rules)))
    rivals = [c for c in state.claims.standing if c.id != record.id and c.status in ("open", "confirmed")]
    for rival in rivals:
        if (rival.board, rival.side) == (board, side):
            raise MoveRefused(Sentence("claim.named_twice", claim=named(rival, rules)))
    return replace(record, board=board, side=side)


def _guarded(state: State, claim_id: str) -> ClaimRecord:
    """The claim that `not_open` has let through."""
    return next(claim for claim in state.claims.standing if claim.id == claim_id)


def _counted(state: State, record: ClaimRecord, sheet: Sheet, rules: RuleSet) -> ClaimRecord:
    faults = sheet_faults(sheet, record, state.claims.standing, rules=rules)
    if faults:
        raise MoveRefused(Sentence("claim.sheet_refused", faults=faults))
    points = sheet_points(sheet, rules)
    enough = points >= rules.target_points or state.played
    status: ClaimStatus = "confirmed" if enough else "rejected"
    return replace(record, status=status, points=points, sheet=sheet)


def _believed(state: State, record: ClaimRecord, rules: RuleSet) -> ClaimRecord:
    rivals = [c for c in (*state.claims.waiting, *state.claims.confirmed) if c.id != record.id]
    if state.played:
        raise MoveRefused(Sentence("claim.ranking_needs_a_sheet", claim=named(record, rules)))
    if rivals:
        raise MoveRefused(Sentence("claim.each_needs_a_sheet", claim=named(record, rules)))
    return replace(record, status="confirmed")


def _after_closing(state: State, moment: MoveContext) -> State:
    """After a claim was closed: the game may end, or go on if nothing else holds it. Neither happens while
    sheets are collected."""
    confirmed = state.claims.confirmed
    if state.phase == "collecting":
        return state
    if state.phase == "ended":
        return _with_winners(state, confirmed, moment.rules, "ranking") if confirmed else state
    if state.claims.waiting:
        return state
    if not confirmed:
        return clear_reason(state, "claim", moment)
    ended = end_game(_without_passed(state), moment.seen_ns, "verdict")
    return _with_winners(ended, ended.compared, moment.rules, None)


def end_of_collecting(state: State, command: End, moment: MoveContext) -> State:
    """The first of the ranking wins, several where they are equal in everything (rule C20)."""
    ended = replace(end(state, command, moment), ended_by="ranking")
    return _with_winners(ended, ended.compared, moment.rules, "ranking") if ended.compared else ended


def _with_winners(
    state: State, claims: tuple[ClaimRecord, ...], rules: RuleSet, decided_by: DecidedBy | None
) -> State:
    best, step = winners(claims, rules)
    return replace(state, winners=tuple(claim.id for claim in best), decided_by=decided_by or step)


# The table of allowed moves.


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

_NOT_YET = NO_CLAIM_YET
_CLAIM = Guarded(claim, no_claim_now)
_WITHDRAW = Guarded(withdraw, not_open)
_VERDICT = Guarded(verdict, not_to_judge)
_RESUME = Guarded(moves.resume, moves.claims_open, override=True)
_SKIP = Guarded(moves.skip, moves.no_phase)
_ADD_TIME = Guarded(moves.add_time, moves.no_countdown)
_END = Guarded(moves.end, moves.nothing_to_end)
_TIMER = Guarded(moves.timer, moves.in_rounds)
_NOTHING = moves.nothing
_PRESS = press
_RANK = end_of_collecting

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
