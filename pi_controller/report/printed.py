"""A report on paper, in the language that the thread speaks."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from pi_controller.game.rule_sets import SIDE_NAMES, seat_word
from pi_controller.language.words import all_words, number_text, words
from pi_controller.paper.document import NO_EVENT, Paper, PaperEvent
from pi_controller.paper.picture import bars
from pi_controller.protocol.game_report import (
    GameReport,
    Latencies,
    ReportedClaim,
    ReportedCommand,
    ReportedGame,
    ReportedPause,
    ReportedRoll,
    ReportedSeat,
)
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import PauseReason

DECIDED: Mapping[str, Sentence] = {
    "points": Sentence("page.decided_points"),
    "resources": Sentence("page.decided_resources"),
    "grain": Sentence("page.decided_grain"),
    "ore": Sentence("page.decided_ore"),
    "brick": Sentence("page.decided_brick"),
    "lumber": Sentence("page.decided_lumber"),
    "wool": Sentence("page.decided_wool"),
    "shared": Sentence("page.decided_shared"),
    "ranking": Sentence("page.decided_ranking"),
}
REASONS: Mapping[PauseReason, Sentence] = {
    "button": Sentence("page.reason_button"),
    "director": Sentence("page.reason_director"),
    "claim": Sentence("page.reason_claim"),
    "fault": Sentence("page.reason_fault"),
    "recovery": Sentence("page.reason_recovery"),
}
STATUS: Mapping[str, Sentence] = {
    "open": Sentence("page.claim_open"),
    "withdrawn": Sentence("page.claim_withdrawn"),
    "rejected": Sentence("page.claim_rejected"),
    "confirmed": Sentence("page.claim_confirmed"),
}
SOURCES: Mapping[str, Sentence] = {
    "button": Sentence("page.by_button"),
    "cli": Sentence("page.by_cli"),
    "hall": Sentence("page.by_hall"),
    "seat": Sentence("page.by_seat"),
    "system": Sentence("page.by_system"),
    "table": Sentence("page.by_table"),
    "web": Sentence("page.by_web"),
}
ROLES: Mapping[str, Sentence] = {
    "director": Sentence("page.role_director"),
    "judge": Sentence("page.role_judge"),
    "moderator": Sentence("page.role_moderator"),
    "technician": Sentence("page.role_technician"),
    "screen": Sentence("page.role_screen"),
}
COMMANDS: Mapping[str, Sentence] = {
    "add_time": Sentence("page.command_add_time"),
    "claim": Sentence("page.command_claim"),
    "close": Sentence("page.command_close"),
    "contribute": Sentence("page.command_contribute"),
    "cover": Sentence("page.command_cover"),
    "end": Sentence("page.command_end"),
    "last_rounds": Sentence("page.command_last_rounds"),
    "pause": Sentence("page.command_pause"),
    "press": Sentence("page.by_button"),
    "redo": Sentence("page.command_redo"),
    "resume": Sentence("page.command_resume"),
    "say": Sentence("page.command_say"),
    "set_claims": Sentence("page.command_set_claims"),
    "set_schedule": Sentence("page.command_set_schedule"),
    "skip": Sentence("page.command_skip"),
    "start": Sentence("page.command_start"),
    "timer": Sentence("page.command_timer"),
    "turn": Sentence("page.command_turn"),
    "undo": Sentence("page.command_undo"),
    "verdict": Sentence("page.command_verdict"),
    "withdraw": Sentence("page.command_withdraw"),
}
RULES: Mapping[str, Sentence] = {
    "classic": Sentence("page.rule_classic"),
    "connect": Sentence("page.rule_connect"),
}
AT, ROUND, SIDE = Sentence("page.report_at"), Sentence("page.report_round"), Sentence("page.report_side")
Line = TypeVar("Line")
_Column: TypeAlias = tuple[Sentence, Callable[[Line], str]]
"""Its head, and what stands under it for each line."""
_Columns: TypeAlias = Sequence[_Column[Line]]


def print_report(report: GameReport, event: PaperEvent = NO_EVENT) -> bytes:
    """The PDF's bytes: the same for the same report, language and event."""
    lead = Sentence(
        "page.report_lead",
        game=report.game_id,
        rules=_rules(report.rule_set),
        when=report.armed_at[:16].replace("T", " "),
    )
    paper = Paper(
        words(Sentence("page.report_title")), words(lead), foot=report.journal_head[:16], event=event
    )
    names = Sentence("page.report_names") if report.names else Sentence("page.report_no_names")
    paper.paragraph(words(names), tone="warn" if report.names else "")
    if report.rate != 1:
        paper.paragraph(words(Sentence("page.report_rate", rate=report.rate)), tone="warn")
    _summary(paper, report)
    _sums(paper, report)
    if report.seats:
        _seats(paper, report)
    _pauses(paper, report)
    _claims(paper, report)
    _latencies(paper, report)
    _rolls(paper, report)
    _commands(paper, report)
    _games(paper, report)
    return paper.pdf()


def _summary(paper: Paper, report: GameReport) -> None:
    winners = [_place(report, winner.board, winner.side) for winner in report.winners]
    facts = [
        (Sentence("page.report_winners"), ", ".join(winners) or words(Sentence("page.report_no_winner"))),
        *_length(report),
        (Sentence("page.report_length"), clock(report.length_ms)),
        (Sentence("page.report_played"), clock(report.played_ms)),
        (Sentence("page.report_restarts"), f"{report.restarts}"),
        (_seal(report), report.commitment),
        (Sentence("page.report_head"), report.journal_head),
    ]
    if report.decided_by is not None:
        facts.insert(1, (Sentence("page.report_decided"), words(DECIDED[report.decided_by])))
    paper.heading(words(Sentence("page.report_short")))
    paper.key_values([(words(name), value) for name, value in facts])


def _rules(rule_set: str) -> str:
    word = RULES.get(rule_set)
    return rule_set if word is None else words(word)


def _seal(report: GameReport) -> Sentence:
    if report.seal is None:
        return Sentence("page.report_seal")
    return Sentence("page.report_seal_of", number=report.seal)


def _length(report: GameReport) -> list[tuple[Sentence, str]]:
    """In rounds, or in turns with the longest."""
    longest = report.longest_turn
    if longest is None:
        robbers = Sentence("page.report_robber_phases")
        return [(Sentence("page.report_rounds"), f"{report.rounds}"), (robbers, f"{report.robber_phases}")]
    side, time = _seat(report, longest.side), clock(longest.length_ms)
    told = Sentence("page.report_turn_of", side=side, round=longest.round, time=time)
    turns = (Sentence("page.report_turns"), f"{report.rounds}")
    return [turns, (Sentence("page.report_longest_turn"), words(told))]


def _seats(paper: Paper, report: GameReport) -> None:
    columns: _Columns[ReportedSeat] = (
        (Sentence("page.turn_seat"), lambda one: _seat(report, one.side)),
        (Sentence("page.report_turns"), lambda one: f"{one.turns}"),
        (Sentence("page.report_in_all"), lambda one: clock(one.total_ms)),
        (Sentence("page.report_mean"), lambda one: f"{number_text(one.mean_ms / 1000, '.1f')} s"),
    )
    _table(paper, Sentence("page.report_seats"), columns, report.seats)


def _sums(paper: Paper, report: GameReport) -> None:
    sums = report.distribution
    paper.heading(words(Sentence("page.report_sums")), room_mm=70)
    paper.picture(
        bars(
            [one.count for one in sums],
            labels=[str(one.sum) for one in sums],
            unit=words(Sentence("page.report_came")),
        )
    )
    head = all_words(
        (Sentence("page.report_sum"), Sentence("page.report_came"), Sentence("page.report_expected"))
    )
    rows = [(f"{one.sum}", f"{one.count}", number_text(one.expected, ".1f")) for one in sums]
    paper.table(head, rows, right=[0, 1, 2], widths=[1, 1, 1])


def _pauses(paper: Paper, report: GameReport) -> None:
    still = words(Sentence("page.report_still"))
    columns: _Columns[ReportedPause] = (
        (AT, lambda pause: clock(pause.at_ms)),
        (_round(report), lambda pause: f"{pause.round}"),
        (Sentence("page.report_lasted"), lambda pause: _time(pause.length_ms, still)),
        (Sentence("page.report_why"), lambda pause: "; ".join(words(REASONS[why]) for why in pause.reasons)),
    )
    _table(paper, Sentence("page.report_pauses"), columns, report.pauses, widths=[2, 1.5, 2, 9])


def _claims(paper: Paper, report: GameReport) -> None:
    before_end: _Column[ReportedClaim] = (
        Sentence("page.report_before_end"),
        lambda claim: f"{number_text(claim.pressed_ms_before_end / 1000, '.3f')} s",
    )
    columns: _Columns[ReportedClaim] = (
        (AT, lambda claim: clock(claim.at_ms)),
        (
            _who(report) if report.seats else Sentence("page.report_board"),
            lambda claim: _place(report, claim.board, claim.side),
        ),
        (_round(report), lambda claim: f"{claim.round}"),
        *(() if report.seats else (before_end,)),
        (Sentence("page.report_verdict"), lambda claim: words(STATUS[claim.status])),
        (Sentence("page.report_points"), lambda claim: "" if claim.points is None else f"{claim.points}"),
        (Sentence("page.report_after"), lambda claim: _time(claim.verdict_ms)),
    )
    _table(paper, Sentence("page.report_claims"), columns, report.claims)


def _latencies(paper: Paper, report: GameReport) -> None:
    columns: _Columns[Latencies] = (
        (Sentence("page.report_source"), lambda one: source_text(one.source)),
        (Sentence("page.report_count"), lambda one: f"{one.count}"),
        (Sentence("page.report_median"), lambda one: _ms(one.p50_ms)),
        (Sentence("page.report_p99"), lambda one: _ms(one.p99_ms)),
        (Sentence("page.report_worst"), lambda one: _ms(one.worst_ms)),
    )
    _table(paper, Sentence("page.report_latencies"), columns, report.latencies)


def _rolls(paper: Paper, report: GameReport) -> None:
    columns: _Columns[ReportedRoll] = (
        (AT, lambda roll: clock(roll.at_ms)),
        (_round(report), lambda roll: f"{roll.round}"),
        (_who(report), lambda roll: _seat(report, roll.side)),
        (Sentence("page.report_dice"), lambda roll: f"{roll.dice[0]} + {roll.dice[1]}"),
        (Sentence("page.report_sum"), lambda roll: f"{roll.sum}"),
        *(() if report.seats else ((Sentence("page.report_target"), _target),)),
    )
    _table(paper, Sentence("page.report_rolls"), columns, report.rolls)


def _target(roll: ReportedRoll) -> str:
    return words(Sentence("page.desert")) if roll.robber_target == "desert" else str(roll.robber_target or "")


def _commands(paper: Paper, report: GameReport) -> None:
    columns: _Columns[ReportedCommand] = (
        (AT, lambda one: clock(one.at_ms)),
        (Sentence("page.report_source"), lambda one: source_text(one.source)),
        (Sentence("page.report_command"), lambda one: words(COMMANDS[one.name])),
        (Sentence("page.report_then"), lambda one: words(effect(one))),
        (Sentence("page.report_after"), lambda one: _ms(one.press_to_seen_ms)),
    )
    _table(paper, Sentence("page.report_commands"), columns, report.commands)


def _games(paper: Paper, report: GameReport) -> None:
    columns: _Columns[ReportedGame] = (
        (Sentence("page.report_game"), lambda game: game.game_id),
        (Sentence("page.report_seal_number"), lambda game: "" if game.seal is None else f"{game.seal}"),
        (_round(report), lambda game: f"{game.rounds}"),
    )
    _table(paper, Sentence("page.report_games"), columns, report.games)


def effect(command: ReportedCommand) -> Sentence:
    """What stood after it."""
    seconds = command.remaining_ms / 1000
    if command.undone:
        return Sentence("page.report_taken_back")
    if command.phase == "ready":
        return Sentence("page.report_then_ready")
    if command.phase == "ended":
        return Sentence("page.report_then_over")
    if command.phase == "collecting":
        return Sentence("page.report_then_collecting")
    if command.phase == "founding":
        return Sentence("page.report_then_founding")
    if command.phase == "turn":
        return Sentence("page.turn_number", round=command.round)
    if command.paused:
        return Sentence("page.report_then_paused", round=command.round, seconds=seconds)
    if command.phase == "robber":
        return Sentence("page.report_then_robber", seconds=seconds)
    return Sentence("page.report_then_round", round=command.round, seconds=seconds)


def clock(ms: int) -> str:
    """Minutes and seconds, from an hour on with hours."""
    minutes, seconds = divmod(ms // 1000, 60)
    hours, rest = divmod(minutes, 60)
    return f"{hours}:{rest:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _table(
    paper: Paper,
    title: Sentence,
    columns: _Columns[Line],
    lines: Sequence[Line],
    *,
    widths: Sequence[float] | None = None,
) -> None:
    paper.heading(words(title))
    if lines:
        rows = [[cell(line) for _, cell in columns] for line in lines]
        paper.table(all_words(head for head, _ in columns), rows, widths=widths)
    else:
        paper.paragraph(words(Sentence("page.report_none")))


def _round(report: GameReport) -> Sentence:
    """The head of the column of rounds or turns; `_who` that of those who acted."""
    return Sentence("page.report_turn") if report.seats else ROUND


def _who(report: GameReport) -> Sentence:
    return Sentence("page.turn_seat") if report.seats else SIDE


def _place(report: GameReport, board: str | None, side: str | None) -> str:
    """A table with seats has no boards."""
    return f"{board or ('' if report.seats else '?')} {_seat(report, side)}".strip()


def _seat(report: GameReport, side: str | None) -> str:
    given = next((one.name for one in report.seats if one.side == side), None)
    word = seat_word(side or "", given) if given else SIDE_NAMES.get(side or "")
    return side or "" if word is None else words(word)


def _time(ms: int | None, otherwise: str = "") -> str:
    return otherwise if ms is None else clock(ms)


def _ms(ms: float) -> str:
    return f"{number_text(ms, '.1f')} ms"


def source_text(source: str) -> str:
    """`web:Bea` is a director by name, `web:judge:Anna` another role; a name that is left out is empty."""
    if source in SOURCES:
        return words(SOURCES[source])
    role, _, name = source.removeprefix("web:").partition(":")
    if role not in ROLES:
        return source.removeprefix("web:")
    if name in ("", "0"):
        return words(ROLES[role])
    return words(Sentence("page.link_of", name=name, role=ROLES[role]))
