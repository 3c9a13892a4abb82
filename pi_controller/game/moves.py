"""Moves: what commands do to the state. A move returns the new state or refuses with a sentence. Also the
rules for the public word."""

import unicodedata
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from pi_controller.game import clockwork
from pi_controller.game.claims import Claims, named, no_such_seat
from pi_controller.game.commands import (
    AddTime,
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
    Timer,
    Turn,
)
from pi_controller.game.dice import Basis
from pi_controller.game.rule_sets import NS_PER_MS, NS_PER_S, RuleSet
from pi_controller.game.state import (
    CountingDown,
    DirectorMessage,
    FreeTimer,
    Frozen,
    Idle,
    Running,
    State,
    end_game,
)
from pi_controller.game.turn_order import Seat
from pi_controller.sentence import SaidError, Sentence, listed
from pi_controller.vocabulary import PauseReason

UNOWNED_KEPT = 3
"""Presses of the big button without an owner that stay in the list of claims."""


class MoveRefused(SaidError, ValueError):  # noqa: N818 - a refusal is an answer, not an error
    """The command may not be done now; the sentence is for the person who asked."""


class MoveContext(msgspec.Struct, frozen=True):
    """When a command was caused and seen, and the game's rules and dice.

    `action_id` is the action's number in the game; claims are named after it.
    """

    action_id: int
    at_ns: int
    seen_ns: int
    basis: Basis

    @property
    def rules(self) -> RuleSet:
        return self.basis.rules


Move = Callable[[State, Any, MoveContext], State]
"""A move takes the kind of command that its entry in the table is for."""

Guard = Callable[[State, Any, RuleSet], Sentence | None]
"""The sentence against a command in this state, or None. Called with None in place of a command, it gives
what stands against every form of it that would change something."""


def freeze(state: State, at_ns: int, reason: PauseReason) -> State:
    """Stop the clock with the time that was left at this moment. If it is frozen already, add the reason.

    A press counts at its contact's moment. If a phase has begun since, that phase is frozen at its beginning:
    what the hall has seen is never taken back.
    """
    match state.clock:
        case Running(since_ns=since, deadline_ns=deadline):
            at = min(max(at_ns, since), deadline)
            return replace(state, clock=Frozen(at, deadline - at, (reason,)))
        case CountingDown(remaining_ns=remaining):
            return replace(state, clock=Frozen(at_ns, remaining, (reason,)))
        case Frozen(reasons=reasons) as frozen if reason not in reasons:
            return replace(state, clock=replace(frozen, reasons=(*reasons, reason)))
        case _:
            return state


def go_on(state: State, seen_ns: int, rules: RuleSet) -> State:
    """Start the 3-2-1, after which exactly the time left runs on (rule C14a)."""
    left = state.clock.remaining_ns if isinstance(state.clock, Frozen) else 0
    ms = rules.resume_countdown_ms if state.in_play else rules.start_countdown_ms
    timer = None if state.in_play else state.timer
    return replace(state, clock=CountingDown(seen_ns + ms * NS_PER_MS, left), timer=timer)


def clear_reason(state: State, reason: PauseReason, moment: MoveContext) -> State:
    """Remove one reason; after the last one play goes on."""
    if not isinstance(state.clock, Frozen) or reason not in state.clock.reasons:
        return state
    rest = tuple(other for other in state.clock.reasons if other != reason)
    if rest:
        return replace(state, clock=replace(state.clock, reasons=rest))
    return go_on(state, moment.seen_ns, moment.rules)


def contribute(state: State, command: Contribute, _moment: MoveContext) -> State:
    return replace(state, word=command.text)


def start(state: State, _command: Command, moment: MoveContext) -> State:
    """Start the game. The lot for the first seat is drawn here, with the public word as it is now."""
    if state.due_side is None:
        state = replace(state, due_side=moment.basis.first_seat(state.word))
    return go_on(state, moment.seen_ns, moment.rules)


def pause(state: State, command: Pause, moment: MoveContext) -> State:
    return freeze(state, moment.at_ns, command.reason)


def claims_open(state: State, _command: Resume | None, rules: RuleSet) -> Sentence | None:
    """Play does not go on over a claim that nobody has judged."""
    waiting = state.claims.waiting
    if not waiting:
        return None
    return Sentence("claim.open", claims=listed([named(claim, rules) for claim in waiting]))


def resume(state: State, _command: Resume, moment: MoveContext) -> State:
    claims = _unowned_dropped(state.claims)
    if moment.rules.claims_are_passed:
        for claim in claims.waiting:
            claims = claims.put(replace(claim, passed=True))
    presses = state.presses if claims.open else ()
    return go_on(replace(state, claims=claims, presses=presses), moment.seen_ns, moment.rules)


def _unowned_dropped(claims: Claims) -> Claims:
    """Withdraw presses without an owner; the older of them leave the list."""
    unowned = [
        claim for claim in claims.standing if claim.anonymous and claim.status in ("open", "withdrawn")
    ]
    claims = claims.without(unowned[:-UNOWNED_KEPT])
    for claim in unowned[-UNOWNED_KEPT:]:
        if claim.status == "open":
            claims = claims.put(replace(claim, status="withdrawn"))
    return claims


def no_phase(state: State, _command: Command | None, _rules: RuleSet) -> Sentence | None:
    return None if state.in_play else Sentence("game.no_phase_to_skip")


def skip(state: State, _command: Command, moment: MoveContext) -> State:
    return clockwork.next_phase(state, moment.seen_ns, moment.basis)


def turn(state: State, command: Press | Turn, moment: MoveContext) -> State:
    """A press of a turn's button, at its contact's moment. A press from before the present step, or before a
    pause in it, is ignored: somebody else or the clock was first."""
    seat = command.seat if isinstance(command, Turn) else None
    if seat is not None and seat not in moment.rules.seats:
        raise MoveRefused(no_such_seat(seat, moment.rules))
    if moment.at_ns < state.step_began_ns:
        return state
    acting = state.acting or state.due_side
    if acting is not None and seat not in (None, acting):
        raise MoveRefused(Sentence("game.not_its_turn", seat=moment.rules.side_name(acting)))
    return clockwork.next_phase(state, moment.at_ns, moment.basis)


def no_countdown(state: State, _command: Command | None, _rules: RuleSet) -> Sentence | None:
    return None if state.in_play and not state.untimed else Sentence("game.no_countdown_to_change")


def add_time(state: State, command: AddTime, moment: MoveContext) -> State:
    now = moment.seen_ns
    before = state.remaining_ns(now)
    after = max(0, before + command.ms * NS_PER_MS)
    duration_ns = max(0, state.duration_ns + after - before)
    changed = replace(state, duration_ns=duration_ns, gained=_gained(state, after - before))
    match state.clock:
        case Running(since_ns=since):
            ran = replace(changed, clock=Running(since, now + after))
            return clockwork.advance(ran, now, moment.basis)
        case Frozen() as frozen:
            return replace(changed, clock=replace(frozen, remaining_ns=after))
        case CountingDown(go_ns=go):
            return replace(changed, clock=CountingDown(go, after))
        case Idle():
            raise ValueError("in play the clock never stands still")


def _gained(state: State, ns: int) -> tuple[tuple[Seat, int], ...]:
    """What each seat has gained if its present round lasts `ns` longer."""
    if state.side is None:
        return state.gained
    gained = dict(state.gained)
    gained[state.side] = gained.get(state.side, 0) + ns
    return tuple([(seat, so_far) for seat, so_far in gained.items() if so_far])


def set_schedule(state: State, command: SetSchedule, _moment: MoveContext) -> State:
    return replace(state, schedule=command.steps)


def set_claims(state: State, command: SetClaims, _moment: MoveContext) -> State:
    return replace(state, claims_mode=command.mode)


def last_rounds(state: State, command: LastRounds, _moment: MoveContext) -> State:
    last = state.round + command.count
    if last < 1:
        raise MoveRefused(Sentence("game.at_least_one_round"))
    return replace(state, last_round=last)


def nothing_to_end(state: State, _command: End | None, _rules: RuleSet) -> Sentence | None:
    return Sentence("game.nothing_to_end") if state.phase == "ready" else None


def end(state: State, command: End, moment: MoveContext) -> State:
    if not command.confirm:
        raise MoveRefused(Sentence("game.end_needs_confirm"))
    return end_game(state, moment.seen_ns, "director")


def say(state: State, command: Say, moment: MoveContext) -> State:
    if not command.text and command.line is None:
        return replace(state, message=None)
    until = None if command.seconds is None else moment.seen_ns + round(command.seconds * NS_PER_S)
    return replace(state, message=DirectorMessage(command.text or "", until, command.line, command.tables))


def cover(state: State, command: Cover, _moment: MoveContext) -> State:
    return replace(state, cover=command.kind)


def in_rounds(state: State, command: Timer | None, rules: RuleSet) -> Sentence | None:
    """Stopping is always possible: while the clock runs there is no free timer, and it changes nothing."""
    if not state.in_play or isinstance(state.clock, Frozen) or (command is not None and command.stop):
        return None
    if rules.play == "turns":
        return Sentence("game.timer_while_a_turn_runs")
    return Sentence("game.timer_while_the_clock_runs")


def timer(state: State, command: Timer, moment: MoveContext) -> State:
    if command.seconds is None:
        return replace(state, timer=None)
    deadline_ns = moment.seen_ns + round(command.seconds * NS_PER_S)
    return replace(state, timer=FreeTimer(command.label, deadline_ns, command.prepared))


def nothing(state: State, _command: Command, _moment: MoveContext) -> State:
    """A repeat without effect: accepted, nothing changes."""
    return state


# The public word: one spelling only, so that nobody can choose rolls by varying it. `docs/dice.md` states the
# rule for other implementations. Verifiers take the journalled text as it is, so that later versions of
# Unicode change nothing.


LONGEST = 60
"""Most characters of the word, which is shown beside the seal on every screen."""

SIGNS = "'-.,!?"
MARKS_OF_LENGTH = "\u30fc\u3005"
"""Long vowel and repetition in Japanese: the only modifier letters, for no word does without them."""

BLANK = "\u115f\u1160\u3164\uffa0\U00013441\U00013442"
"""Characters that are letters by category but invisible."""

_LETTERS_AND_DIGITS = ("Lu", "Ll", "Lt", "Lo", "Nd")
_ONE_SIGN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2013": "-", "\u2212": "-", "\u0130": "i"}
)
"""Variants of apostrophe and hyphen; and the Turkish capital i with dot."""


def written(text: str, version: int) -> str:
    """The word as games of this version of the dice write it.

    Raises `MoveRefused` with what cannot be accepted. Version 1 takes any printable text unchanged.
    """
    if version == 1:
        if not text.isprintable():
            raise MoveRefused(Sentence("word.not_printable"))
        return text
    word = normalised(text)
    for sign in word:
        if not _allowed(sign):
            raise MoveRefused(Sentence("word.sign_not_allowed", sign=_named(sign), signs=" ".join(SIGNS)))
    if not any(sign.isalnum() for sign in word):
        raise MoveRefused(Sentence("word.without_letter"))
    if len(word) > LONGEST:
        raise MoveRefused(Sentence("word.too_long", most=LONGEST, length=len(word)))
    return word


def normalised(text: str) -> str:
    """NFKC and casefold until nothing changes; one sign for all its forms; spaces collapsed and trimmed."""
    before = None
    while text != before:
        before = text
        text = unicodedata.normalize("NFKC", text.translate(_ONE_SIGN)).casefold()
        text = " ".join(unicodedata.normalize("NFKC", text).split())
    return text


def _allowed(sign: str) -> bool:
    if sign in BLANK:
        return False
    return sign in f" {SIGNS}{MARKS_OF_LENGTH}" or unicodedata.category(sign) in _LETTERS_AND_DIGITS


def _named(sign: str) -> str:
    return f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".rstrip()
