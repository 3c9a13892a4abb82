"""A game's report from the changes of its journal. Pure."""

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import log
from typing import Any

import msgspec
from msgspec.structs import replace

from pi_controller.bus.values import NodeState
from pi_controller.core.game_loop.recovery import Restart
from pi_controller.game.commands import NAMES, Claim, Close, Press
from pi_controller.game.events import Action, Closed, CommandApplied, Corrected, PhaseBegan
from pi_controller.game.room import ms_left
from pi_controller.game.rule_sets import UNTIMED_NS, RuleSet
from pi_controller.game.state import CountingDown, Frozen, Running, State
from pi_controller.journal.record import decode_event
from pi_controller.journal.witnesses import GameSummary
from pi_controller.language.words import words
from pi_controller.protocol.game_report import (
    GameReport,
    Latencies,
    ReportedClaim,
    ReportedCommand,
    ReportedGame,
    ReportedNote,
    ReportedPause,
    ReportedRoll,
    ReportedSeat,
    ReportedTurn,
    ReportedWinner,
    SumCount,
)
from pi_controller.protocol.sentences import view
from pi_controller.replay.changes import ReplayedChange
from pi_controller.sentence import Sentence, as_told
from pi_controller.vocabulary import PauseReason

# Every command of a game with its source, its press and its effect. Pure.


NS_PER_MS = 1_000_000
FREE_TEXTS = ("text", "label", "reason", "note")
"""Fields of commands in which people write what they like."""
_KIND = re.compile(r"[a-z_]*(?::(?:judge|moderator|technician|screen)(?=:))?")
"""What a source begins with, such as `web` or `web:judge`; the person's number stands behind it, in older
games the name."""


def commands_of(changes: Sequence[ReplayedChange], *, names: bool) -> list[ReportedCommand]:
    """In their order; without `names` nothing of who it was but the role, and no free text."""
    actions = changes[-1].game.actions
    in_force = {actions[place].id for place in range(len(actions))}
    return [one for change in changes for one in _of(change, in_force, names=names)]


def latencies_of(changes: Sequence[ReplayedChange]) -> list[Latencies]:
    """Of all presses, by the kind of their source."""
    pressed = sorted(
        (kind_of(action.source), _late_ms(change, action))
        for change, action in _actions(changes)
        if isinstance(action.command, Press | Claim)
    )
    return [
        _latencies(source, [late_ms for _, late_ms in found])
        for source, found in groupby(pressed, key=lambda one: one[0])
    ]


def _latencies(source: str, late_ms: Sequence[float]) -> Latencies:
    """Of at least one, in ascending order."""
    count = len(late_ms)
    return Latencies(
        source=source,
        count=count,
        p50_ms=late_ms[(count - 1) // 2],
        p99_ms=late_ms[(count - 1) * 99 // 100],
        worst_ms=late_ms[-1],
    )


def _actions(changes: Sequence[ReplayedChange]) -> Iterator[tuple[ReplayedChange, Action]]:
    for change in changes:
        for record in change.records:
            event = decode_event(record.kind, record.data)
            if isinstance(event, CommandApplied):
                yield change, event.action


def _of(change: ReplayedChange, in_force: set[int], *, names: bool) -> Iterator[ReportedCommand]:
    for record in change.records:
        match decode_event(record.kind, record.data):
            case CommandApplied(action=action):
                body = msgspec.to_builtins(action.command)
                yield _command(change, action, body, names=names, undone=action.id not in in_force)
            case Corrected(what=what, removed=removed, put=put):
                told = {
                    "took_back": None if removed is None else NAMES[type(removed.command)],
                    "put": None if put is None else NAMES[type(put.command)],
                }
                found = _command(change, _unnamed(change), told, names=names, undone=False)
                yield msgspec.structs.replace(found, name="undo" if what == "undone" else "redo")
            case Closed():
                yield _command(change, _unnamed(change), {}, names=names, undone=False)


def _unnamed(change: ReplayedChange) -> Action:
    """Of a correction and of a close the journal does not say whose they are."""
    moment = change.time.anchor_game_ns
    return Action(0, Close(confirm=True), moment, moment, "")


def _command(
    change: ReplayedChange, action: Action, body: Mapping[str, object], *, names: bool, undone: bool
) -> ReportedCommand:
    state = change.game.state
    kept = {name: value for name, value in body.items() if names or name not in FREE_TEXTS}
    return ReportedCommand(
        at_ms=change.since_ns // NS_PER_MS,
        source=action.source if names else kind_of(action.source),
        name=NAMES[type(action.command)],
        body={name: value for name, value in kept.items() if value not in (None, False)},
        press_to_seen_ms=_late_ms(change, action),
        undone=undone,
        phase=state.phase,
        round=state.round,
        paused=isinstance(state.clock, Frozen | CountingDown),
        remaining_ms=0 if state.untimed else ms_left(state.remaining_ns(change.time.anchor_game_ns)),
    )


def kind_of(source: str) -> str:
    """The source without the person."""
    found = _KIND.match(source)
    return found[0] if found else ""


def _late_ms(change: ReplayedChange, action: Action) -> float:
    """What the machine took, by the clock on the wall."""
    return round((action.seen_ns - action.at_ns) / NS_PER_MS / change.time.rate, 3)


# How often each sum came, beside how often it is to be expected by the rules of the game. Pure.


SUMS = range(2, 13)
WAYS: Mapping[int, int] = {total: 6 - abs(7 - total) for total in SUMS}
"""Of 36."""


def distribution(rolls: Iterable[PhaseBegan], rules: RuleSet) -> list[SumCount]:
    """Of these rolls; where a 7 is drawn again (rule C7) the other sums keep their proportions."""
    seen = list(rolls)
    counts = Counter(sum(roll.dice) for roll in seen)
    return [
        SumCount(
            sum=total,
            count=counts[total],
            expected=round(float(sum(_chance(total, roll, rules) for roll in seen)), 3),
        )
        for total in SUMS
    ]


def _chance(total: int, roll: PhaseBegan, rules: RuleSet) -> Fraction:
    again = roll.draw > 0 and not rules.allow_consecutive_sevens
    if roll.due_round > rules.rounds_without_seven and not again:
        return Fraction(WAYS[total], 36)
    return Fraction(0 if total == 7 else WAYS[total], 36 - WAYS[7])


# The pauses of a game: when, how long, why. Pure.


def pauses_of(changes: Sequence[ReplayedChange]) -> list[ReportedPause]:
    """Each with all reasons that it had; the 3-2-1 belongs to it. The 3-2-1 of the start is none."""
    found: list[ReportedPause] = []
    still = False
    for change, after in pairwise([*changes, None]):
        if change is None or not _paused(change.game.state):
            still = False
            continue
        at_ms, clock = change.since_ns // NS_PER_MS, change.game.state.clock
        reasons = clock.reasons if isinstance(clock, Frozen) else ()
        if not still:
            found.append(
                ReportedPause(at_ms=at_ms, length_ms=None, reasons=[], round=change.game.state.round)
            )
        still = True
        newest = found[-1]
        length_ms = None if after is None else after.since_ns // NS_PER_MS - newest.at_ms
        found[-1] = replace(newest, length_ms=length_ms, reasons=_all(newest.reasons, reasons))
    return found


def _paused(state: State) -> bool:
    return state.in_play and isinstance(state.clock, Frozen | CountingDown)


def _all(before: Iterable[PauseReason], more: Iterable[PauseReason]) -> list[PauseReason]:
    return list(dict.fromkeys((*before, *more)))


# How long the turns took, and each seat in all; pauses and the others' building not counted. Pure.


def turns_of(changes: Sequence[ReplayedChange]) -> list[ReportedTurn]:
    """Each turn in its order; time that an undo took back was taken all the same. Empty where no seat has
    turns."""
    began: dict[tuple[int, str], int] = {}
    taken: dict[tuple[int, str], int] = {}
    for before, after in pairwise(changes):
        state = before.game.state
        if state.phase != "turn" or state.acting is None or not isinstance(state.clock, Running):
            continue
        turn = state.round, state.acting
        began.setdefault(turn, before.since_ns)
        passed_ns = after.time.anchor_game_ns - before.time.anchor_game_ns
        taken[turn] = taken.get(turn, 0) + passed_ns
    return [
        ReportedTurn(round=turn[0], side=turn[1], at_ms=began[turn] // NS_PER_MS, length_ms=ns // NS_PER_MS)
        for turn, ns in sorted(taken.items())
    ]


def seats_of(turns: Sequence[ReportedTurn], rules: RuleSet, *, names: bool) -> list[ReportedSeat]:
    """What each seat took, in the order of the seats; with `names` those that were given to them."""
    found = []
    for seat, sign in rules.sides if turns else ():
        lengths = [turn.length_ms for turn in turns if turn.side == seat]
        total_ms = sum(lengths)
        found.append(
            ReportedSeat(
                side=seat,
                name=sign.name if names else None,
                turns=len(lengths),
                total_ms=total_ms,
                mean_ms=total_ms // max(1, len(lengths)),
            )
        )
    return found


def report_of(
    changes: Sequence[ReplayedChange], *, names: bool = False, others: Iterable[GameSummary] = ()
) -> GameReport:
    """The report of this game; with `names` also the names of people and free texts. `others` are the further
    games of the evening."""
    changes = in_game_time(changes)
    game, first, last = changes[-1].game, changes[0].records[0], changes[-1]
    began, turns = _began(changes), turns_of(changes)
    rolls = [phase for _, phase in began]
    start_ns = began[0][0] if began else last.since_ns
    ended_ns = next((one.since_ns for one in changes if one.game.state.phase == "ended"), last.since_ns)
    return GameReport(
        names=names,
        game_id=game.game_id,
        rule_set=game.rules.name,
        software=str(first.data.get("software", "")),
        armed_at=first.wall,
        rate=max((one.time.rate for one in changes), key=lambda rate: abs(log(rate))),
        commitment=game.dice.commitment,
        seal=None if game.seal is None else game.seal.number,
        rehearsal=game.rehearsal,
        journal_head=last.head,
        lines=last.records[-1].seq + 1,
        phase=game.state.phase,
        closed=game.closed,
        ended_by=game.state.ended_by,
        decided_by=game.state.decided_by,
        winners=[
            ReportedWinner(board=claim.board, side=claim.side, points=claim.points)
            for claim in game.state.claims
            if claim.id in game.state.winners
        ],
        rounds=game.state.round,
        robber_phases=sum(phase.phase == "robber" for phase in rolls),
        length_ms=max(0, ended_ns - start_ns) // NS_PER_MS,
        played_ms=_played_ns(changes) // NS_PER_MS,
        rolls=[_roll(at_ns, phase) for at_ns, phase in began],
        distribution=distribution(rolls, game.rules),
        pauses=pauses_of(changes),
        claims=_claims(changes),
        commands=commands_of(changes, names=names),
        latencies=latencies_of(changes),
        restarts=sum(change.restarted for change in changes),
        notes=list(_notes(changes)),
        turns=turns,
        seats=seats_of(turns, game.rules, names=names),
        longest_turn=max(turns, key=lambda turn: turn.length_ms, default=None),
        games=[_game(other) for other in others if other.game_id != game.game_id],
    )


def in_game_time(changes: Sequence[ReplayedChange]) -> list[ReplayedChange]:
    """The same with `since_ns` on the game's clock, which at the usual speed is that of the wall. What nobody
    watched over a restart counts as it passed on the wall."""
    since_ns, found = 0, []
    for before, change in pairwise([changes[0], *changes]):
        passed_ns = change.time.anchor_game_ns - before.time.anchor_game_ns
        since_ns += change.since_ns - before.since_ns if change.restarted else passed_ns
        found.append(dataclasses.replace(change, since_ns=since_ns))
    return found


def _began(changes: Sequence[ReplayedChange]) -> list[tuple[int, PhaseBegan]]:
    """The phases that the hall saw, each once, with the nanoseconds since the first line."""
    found: dict[tuple[int, int], tuple[int, PhaseBegan]] = {}
    for change in changes:
        for record in change.records:
            event = decode_event(record.kind, record.data) if record.kind == "turned" else None
            if isinstance(event, PhaseBegan):
                found.setdefault((event.due_round, event.draw), (change.since_ns, event))
    return list(found.values())


def _roll(at_ns: int, phase: PhaseBegan) -> ReportedRoll:
    return ReportedRoll(
        at_ms=at_ns // NS_PER_MS,
        kind=phase.phase,
        round=phase.round,
        side=phase.side,
        dice=phase.dice,
        sum=sum(phase.dice),
        robber_target=phase.robber_target,
        duration_ms=0 if phase.duration_ns >= UNTIMED_NS else phase.duration_ns // NS_PER_MS,
    )


def _played_ns(changes: Sequence[ReplayedChange]) -> int:
    """How long the countdown ran, in game time."""
    return sum(
        after.time.anchor_game_ns - before.time.anchor_game_ns
        for before, after in pairwise(changes)
        if isinstance(before.game.state.clock, Running)
    )


def _claims(changes: Sequence[ReplayedChange]) -> list[ReportedClaim]:
    """As they stood last; what an undo has taken away counts as withdrawn."""
    found: dict[str, ReportedClaim] = {}
    for change in changes:
        for claim in change.game.state.claims:
            at_ms = change.since_ns // NS_PER_MS
            before = found.get(claim.id)
            verdict_ms = None if before is None else before.verdict_ms
            if before is not None and claim.status not in (before.status, "open"):
                verdict_ms = at_ms - before.at_ms
            found[claim.id] = ReportedClaim(
                id=claim.id,
                at_ms=at_ms if before is None else before.at_ms,
                board=claim.board,
                side=claim.side,
                round=claim.round,
                pressed_ms_before_end=ms_left(claim.before_end_ns) if change.game.state.schedule else 0,
                status=claim.status,
                points=claim.points,
                verdict_ms=verdict_ms,
            )
    kept = {claim.id for claim in changes[-1].game.state.claims}
    return [one if one.id in kept else replace(one, status="withdrawn") for one in found.values()]


def _notes(changes: Sequence[ReplayedChange]) -> Iterator[ReportedNote]:
    for change in changes:
        for record in change.records:
            what = next((name for name in NOTED if name in record.data), None)
            if record.kind == "note" and what is not None:
                said = note_said(what, record.data)
                yield ReportedNote(
                    at_ms=change.since_ns // NS_PER_MS,
                    what=what,
                    about=msgspec.json.encode(record.data).decode(),
                    text=words(said),
                    said=view(said),
                )


def note_said(what: str, data: Mapping[str, Any]) -> Sentence:
    """What a note tells, for people; `what` is the one of `NOTED` that it holds."""
    try:
        return NOTED[what](data)
    except (msgspec.ValidationError, KeyError, TypeError):
        return Sentence("report.note_of_another_release", what=what)


def _restarted(data: Mapping[str, Any]) -> Sentence:
    restart = msgspec.convert(data["recovery"], Restart)
    said = Sentence("report.restarted")
    if restart.down_ms is not None:
        said = Sentence("report.restarted_after", seconds=restart.down_ms / 1000)
    missing = restart.unsaved_lines + (0 if restart.lost is None else restart.lost.lines)
    return Sentence("report.restarted_lines_missing", restarted=said, count=missing) if missing else said


def _of_segment(data: Mapping[str, Any]) -> Sentence:
    if data["condition"] is None:
        return Sentence("report.segment_well", segment=str(data["segment"]))
    return as_told(str(data["condition"]))


def _of_computer(data: Mapping[str, Any]) -> Sentence:
    return PARTS[data["computer"]] if data["condition"] is None else as_told(str(data["condition"]))


def _of_power(data: Mapping[str, Any]) -> Sentence:
    if data["power_off"] == "asked for":
        return Sentence("report.switch_off")
    return Sentence("report.not_switched_off", why=as_told(str(data["power_off"])))


NODES: Mapping[NodeState, Callable[[str], Sentence]] = {
    "good": lambda name: Sentence("report.node_good", name=name),
    "suspect": lambda name: Sentence("report.node_suspect", name=name),
    "lost": lambda name: Sentence("report.node_lost", name=name),
    "outdated": lambda name: Sentence("report.node_outdated", name=name),
    "duplicate": lambda name: Sentence("report.node_duplicate", name=name),
}
PARTS = {
    "supply": Sentence("report.supply_well"),
    "heat": Sentence("report.heat_well"),
    "disk": Sentence("report.disk_well"),
    "battery clock": Sentence("report.clock_well"),
}
NOTED: Mapping[str, Callable[[Mapping[str, Any]], Sentence]] = {
    "recovery": _restarted,
    "stood_still_ms": lambda data: Sentence("health.stood_still", seconds=data["stood_still_ms"] / 1000),
    "segment": _of_segment,
    "node": lambda data: NODES[data["state"]](str(data["name"])),
    "computer": _of_computer,
    "power_off": _of_power,
    "forgotten": lambda data: Sentence("report.removed", games=", ".join(map(str, data["forgotten"]))),
}
"""Notes that tell of the controller, by the first of their fields that says what; and what they say."""


def _game(other: GameSummary) -> ReportedGame:
    return ReportedGame(
        game_id=other.game_id,
        armed_at=other.armed_at,
        rounds=other.rounds,
        ended=other.ended,
        seal=other.seal,
    )
