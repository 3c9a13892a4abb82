"""Paper to go on by hand with: last state, what to say, dice, claim sheets. In the language spoken."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.turn_order import Due, NextPhase
from pi_controller.language.words import all_words, number_text, words
from pi_controller.paper.document import Paper
from pi_controller.replay.changes import ReplayedChange
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import Target

# Rolls for a hall without electricity: other dice than those of the game. Pure but for their source.


@dataclass(frozen=True, slots=True)
class PaperRoll:
    """A line of the list: what it begins, and in a robber phase where the robber goes."""

    coming: NextPhase
    dice: tuple[int, int]
    target: Target | None


def drawn(rules: RuleSet, due: Due, *, count: int, source: Random) -> Iterator[PaperRoll]:
    """So many lines by the rules of the game, from what is due next on; `source` rolls them."""
    for _ in range(count):
        again = due.draw > 0 and not rules.allow_consecutive_sevens
        dice = _dice(source)
        while sum(dice) == 7 and (due.round <= rules.rounds_without_seven or again):
            dice = _dice(source)
        coming = rules.order.next_phase(due, dice, due.draw)
        yield PaperRoll(coming, dice, _target(rules, source) if coming.phase == "robber" else None)
        due = coming.after


def _dice(source: Random) -> tuple[int, int]:
    return source.randint(1, 6), source.randint(1, 6)


def _target(rules: RuleSet, source: Random) -> Target:
    if rules.robber_target_draw == "uniform":
        return source.choice(rules.robber_targets)
    while True:
        total = sum(_dice(source))
        target: Target = "desert" if total == 7 else total
        if target in rules.robber_targets:
            return target


SHEETS_A_PAGE = 3
BUILT = (Sentence("page.settlements"), Sentence("page.cities"))
FOREIGN = (Sentence("page.foreign_left"), Sentence("page.foreign_right"))
COUNTS = (
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


def due_after(last: ReplayedChange | None, rules: RuleSet) -> Due:
    """What is rolled for next by hand."""
    if last is None:
        return Due(1, 0, rules.seats[0])
    game, state = last.game, last.game.state
    if state.phase == "founding":
        return Due(1, 0, game.dice.with_word(state.word).first_seat(rules.order))
    if state.to_roll and state.acting is not None:
        return Due(state.round, 0, state.acting)
    return Due(state.round + 1, state.next_draw, state.due_side or rules.seats[0])


def add_state(paper: Paper, rules: RuleSet, last: ReplayedChange | None) -> None:
    """Where the game stood (`last` None: before the first), and what is said from then on."""
    _state(paper, rules, last)
    _say(paper, rules)


def add_sheets(paper: Paper, rules: RuleSet, sheets: int) -> None:
    """So many blank claim sheets, the first where the paper is."""
    for number in range(sheets):
        if number and number % SHEETS_A_PAGE == 0:
            paper.new_page()
        _sheet(paper, rules)


def _state(paper: Paper, rules: RuleSet, last: ReplayedChange | None) -> None:
    paper.heading(words(Sentence("fallback.state")))
    schedule = rules.schedule if last is None else last.game.state.schedule
    rows = [] if last is None else _stood(last)
    if rules.play == "turns":
        timed = [Sentence("page.turn_times", seconds=f"{step.seconds:g}") for step in schedule]
        rows += [(Sentence("fallback.time"), limit) for limit in timed or [Sentence("page.turn_untimed")]]
    else:
        steps = [(Sentence("fallback.from_round", round=step.from_round), step.seconds) for step in schedule]
        steps.append((Sentence("fallback.robber_phase"), rules.robber_ms / 1000))
        rows += [(name, Sentence("fallback.seconds", seconds=seconds)) for name, seconds in steps]
    paper.key_values([(words(name), words(value)) for name, value in rows])


def _stood(last: ReplayedChange) -> list[tuple[Sentence, Sentence]]:
    game, state = last.game, last.game.state
    left_s = state.remaining_ns(last.time.anchor_game_ns) / 1e9
    turns = game.rules.play == "turns"
    stood = Sentence("page.report_then_ready")
    if state.phase == "ended":
        stood = Sentence("page.report_then_over")
    elif state.phase == "collecting":
        stood = Sentence("page.report_then_collecting")
    elif state.phase == "founding":
        stood = Sentence("page.report_then_founding")
    elif state.in_play and turns:
        stood = Sentence("page.turn_number", round=state.round)
    elif state.in_play:
        stood = Sentence("page.report_then_round", round=state.round, seconds=left_s)
    acting = game.rules.side_name(state.side) if state.side else Sentence("fallback.nobody")
    due = state.due_side
    following = Sentence("page.side_drawn") if due is None else game.rules.side_name(due)
    return [
        (Sentence("page.report_game"), Sentence("told.as_it_is", text=game.game_id)),
        (Sentence("fallback.stood"), stood),
        (Sentence("fallback.acting_seat") if turns else Sentence("fallback.acting"), acting),
        (Sentence("fallback.next_seat") if turns else Sentence("fallback.next"), following),
    ]


def _say(paper: Paper, rules: RuleSet) -> None:
    paper.heading(words(Sentence("fallback.say")))
    said: tuple[Sentence, ...] = (
        Sentence("fallback.say_round"),
        Sentence("fallback.say_stop", said=Sentence("page.speak_stop")),
        Sentence("fallback.say_robber"),
        Sentence("page.robber_help_half"),
        Sentence("page.robber_help_nobody"),
        Sentence("page.speak_target", points=rules.target_points),
        Sentence("fallback.say_claim"),
    )
    if rules.play == "turns":
        said = (
            Sentence("fallback.say_turn"),
            Sentence("fallback.say_seven"),
            Sentence("page.turn_help_half"),
            Sentence("fallback.say_points", points=rules.target_points),
        )
    paper.bullets(all_words(said))


def _numbered(rules: RuleSet) -> tuple[Sentence, Sentence]:
    """The heads of the columns of rounds or turns and of those who act."""
    if rules.play == "turns":
        return Sentence("page.report_turn"), Sentence("page.turn_seat")
    return Sentence("page.report_round"), Sentence("page.report_side")


def add_dice(paper: Paper, rules: RuleSet, rolls: Sequence[PaperRoll]) -> None:
    """A list to tick off."""
    paper.heading(words(Sentence("fallback.dice")))
    paper.paragraph(words(Sentence("fallback.other_dice")), tone="warn")
    head = [*_numbered(rules), Sentence("page.report_dice"), Sentence("page.report_sum")]
    if rules.play == "rounds":
        head.append(Sentence("page.report_target"))
    rows = [("□", *_row(rules, roll)[: len(head)]) for roll in rolls]
    paper.table(["□", *all_words(head)], rows, right=[4])


def _row(rules: RuleSet, roll: PaperRoll) -> tuple[str, ...]:
    seat, target = roll.coming.seat, roll.target
    return (
        f"{roll.coming.round}",
        words(Sentence("page.robber") if seat is None else rules.side_name(seat)),
        f"{roll.dice[0]} + {roll.dice[1]}",
        number_text(sum(roll.dice)),
        words(Sentence("page.desert")) if target == "desert" else str(target or ""),
    )


def _sheet(paper: Paper, rules: RuleSet) -> None:
    paper.heading(words(Sentence("fallback.sheet")), room_mm=70)
    number, who = _numbered(rules)
    verdict = Sentence("page.report_verdict")
    tables = [(who, number, verdict), (*BUILT, *COUNTS)]
    if rules.play == "rounds":
        where = (Sentence("page.report_board"), who, number, Sentence("page.report_before_end"), verdict)
        tables = [where, (*BUILT, *FOREIGN, *COUNTS), RESOURCES]
    for heads in tables:
        paper.table(all_words(heads), [[BLANK] * len(heads)], widths=[1] * len(heads))
