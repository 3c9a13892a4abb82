"""Paper to go on by hand with: last state, what to say, dice, claim sheets. In the language spoken."""

from collections.abc import Sequence

from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.turn_order import Due
from pi_controller.language.words import all_words, number_text, words
from pi_controller.paper.document import Paper
from pi_controller.replay.changes import Change
from pi_controller.report.paper_dice import PaperRoll
from pi_controller.sentence import Sentence

SHEETS_A_PAGE = 3
COUNTS = (
    Sentence("page.settlements"),
    Sentence("page.cities"),
    Sentence("page.foreign_left"),
    Sentence("page.foreign_right"),
    Sentence("page.victory_cards"),
    Sentence("page.largest_army"),
    Sentence("page.longest_route"),
)
RESOURCES = (
    Sentence("page.grain"),
    Sentence("page.ore"),
    Sentence("page.brick"),
    Sentence("page.lumber"),
    Sentence("page.wool"),
)
BLANK = " "


def due_after(last: Change | None, rules: RuleSet) -> Due:
    """What is rolled for next by hand."""
    if last is None:
        return Due(1, 0, rules.seats[0])
    state = last.game.state
    return Due(state.round + 1, state.next_draw, state.due_side)


def add_state(paper: Paper, rules: RuleSet, last: Change | None) -> None:
    """Where the game stood (`last` None: before the first), and what is said from then on."""
    _state(paper, rules, last)
    _say(paper, rules)


def add_sheets(paper: Paper, sheets: int) -> None:
    """So many blank claim sheets, the first where the paper is."""
    for number in range(sheets):
        if number and number % SHEETS_A_PAGE == 0:
            paper.new_page()
        _sheet(paper)


def _state(paper: Paper, rules: RuleSet, last: Change | None) -> None:
    paper.heading(words(Sentence("fallback.state")))
    schedule = rules.schedule if last is None else last.game.state.schedule
    rows = [] if last is None else _stood(last)
    rows += [
        (
            Sentence("fallback.from_round", round=step.from_round),
            Sentence("fallback.seconds", seconds=step.seconds),
        )
        for step in schedule
    ]
    rows.append(
        (Sentence("fallback.robber_phase"), Sentence("fallback.seconds", seconds=rules.robber_ms / 1000))
    )
    paper.key_values([(words(name), words(value)) for name, value in rows])


def _stood(last: Change) -> list[tuple[Sentence, Sentence]]:
    game, state = last.game, last.game.state
    left_s = state.remaining_ns(last.time.anchor_game_ns) / 1e9
    stood = Sentence("page.report_then_ready")
    if state.phase == "ended":
        stood = Sentence("page.report_then_over")
    elif state.in_play:
        stood = Sentence("page.report_then_round", round=state.round, seconds=left_s)
    acting = game.rules.side_name(state.side) if state.side else Sentence("fallback.nobody")
    return [
        (Sentence("page.report_game"), Sentence("told.as_it_is", text=game.game_id)),
        (Sentence("fallback.stood"), stood),
        (Sentence("fallback.acting"), acting),
        (Sentence("fallback.next"), game.rules.side_name(state.due_side)),
    ]


def _say(paper: Paper, rules: RuleSet) -> None:
    paper.heading(words(Sentence("fallback.say")))
    paper.bullets(
        all_words(
            (
                Sentence("fallback.say_round"),
                Sentence("fallback.say_stop", said=Sentence("page.speak_stop")),
                Sentence("fallback.say_robber"),
                Sentence("page.robber_help_half"),
                Sentence("page.robber_help_nobody"),
                Sentence("page.speak_target", points=rules.target_points),
                Sentence("fallback.say_claim"),
            )
        )
    )


def add_dice(paper: Paper, rules: RuleSet, rolls: Sequence[PaperRoll]) -> None:
    """A list to tick off."""
    paper.heading(words(Sentence("fallback.dice")))
    paper.paragraph(words(Sentence("fallback.other_dice")), tone="warn")
    head = (
        Sentence("page.report_round"),
        Sentence("page.report_side"),
        Sentence("page.report_dice"),
        Sentence("page.report_sum"),
        Sentence("page.report_target"),
    )
    paper.table(["□", *all_words(head)], [("□", *_row(rules, roll)) for roll in rolls], right=[4])


def _row(rules: RuleSet, roll: PaperRoll) -> tuple[str, ...]:
    seat, target = roll.coming.seat, roll.target
    return (
        f"{roll.coming.round}",
        words(Sentence("page.robber") if seat is None else rules.side_name(seat)),
        f"{roll.dice[0]} + {roll.dice[1]}",
        number_text(sum(roll.dice)),
        words(Sentence("page.desert")) if target == "desert" else str(target or ""),
    )


def _sheet(paper: Paper) -> None:
    paper.heading(words(Sentence("fallback.sheet")), room_mm=70)
    where = (
        Sentence("page.report_board"),
        Sentence("page.report_side"),
        Sentence("page.report_round"),
        Sentence("page.report_before_end"),
        Sentence("page.report_verdict"),
    )
    for heads in (where, COUNTS, RESOURCES):
        paper.table(all_words(heads), [[BLANK] * len(heads)], widths=[1] * len(heads))
