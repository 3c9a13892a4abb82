"""The picture: announcements, history, forecast, and the last actions in sentences."""

from collections.abc import Callable, Iterator
from statistics import quantiles
from typing import get_args

import pytest

from pi_controller.game.actions import COVERED, PAUSED, SAID, undoable
from pi_controller.game.commands import (
    COMMANDS,
    AddTime,
    Claim,
    Close,
    Command,
    Contribute,
    Cover,
    CoverKind,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Sheet,
    Skip,
    Start,
    Step,
    Timer,
    Turn,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.events import CommandApplied, Event
from pi_controller.game.game import apply, decide, new_game, tick
from pi_controller.game.phases import Situation
from pi_controller.game.room import (
    FORESEEN,
    SHOWN,
    USUAL_ROUNDS,
    Forecast,
    Message,
    PastAction,
    ScheduleStep,
    TimerView,
    forecast,
    room,
    timeline,
)
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.record import decode_event, encode_event
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import HoldReason
from tests.game.hall import SECOND, Hall
from tests.game.test_phases import HALLS, TURNS
from tests.game.three_seats import THREE
from tests.language.test_catalogue import texts
from tests.told import told


def test_a_message_stands_for_its_seconds_or_until_dismissed():
    hall = Hall().started().do(Say("Pizza is here", 10)).wait(4)
    assert hall.picture.message == Message(text="Pizza is here", until_ms=6000)
    assert hall.wait(6).picture.message is None
    hall.do(Say("Stay seated")).wait(500)
    assert hall.picture.message == Message(text="Stay seated", until_ms=None)
    assert hall.do(Say("")).picture.message is None


def test_screens_stay_covered_while_the_game_goes_on_under_it():
    hall = Hall().do(Cover("test")).do(Cover("black")).started()
    assert (hall.picture.cover, hall.picture.running) == ("black", True)
    hall.do(Press()).do(Claim("7", "sun"))
    assert (hall.picture.cover, hall.picture.pause_reasons) == ("black", ["button"])
    assert hall.do(Undo()).picture.cover == "black"
    assert hall.do(End(confirm=True)).do(Cover("none")).picture.cover == "none"


def test_a_prepared_line_goes_by_its_name():
    hall = Hall().started().do(Say(line="break"))
    assert hall.picture.message == Message(text="", until_ms=None, line="break")
    assert hall.do(Say("")).picture.message is None


def test_a_free_timer_runs_outside_rounds_and_goes_with_the_start():
    hall = Hall().do(Timer("Doors open", 60)).wait(15)
    assert hall.picture.timer == TimerView(label="Doors open", remaining_ms=45_000, running=True)
    assert hall.wait(60).picture.timer == TimerView(label="Doors open", remaining_ms=0, running=False)
    assert hall.do(Start()).wait(3).picture.timer is None
    assert Hall().do(Timer("Doors", 60)).do(Timer(stop=True)).picture.timer is None


def test_the_last_twelve_rolls_stand_newest_first():
    hall = Hall().in_round(14)
    history = hall.picture.history
    assert len(history) == 12
    assert (history[0].round, history[0].dice) == (14, hall.picture.dice)
    rounds = [roll.round for roll in history]
    assert rounds == sorted(rounds, reverse=True)


def test_the_word_is_shown_and_changes_the_rolls():
    plain = [roll.dice for roll in Hall().in_round(9).picture.history]
    hall = Hall().do(Contribute("lantern"))
    assert hall.picture.public_word == "lantern"
    assert [roll.dice for roll in hall.in_round(9).picture.history] != plain


def test_the_round_times_in_force_are_shown():
    hall = Hall()
    assert hall.picture.schedule == [
        ScheduleStep(from_round=1, seconds=35),
        ScheduleStep(from_round=11, seconds=45),
    ]
    hall.started().do(SetSchedule((Step(1, 20.5),)))
    assert hall.picture.schedule == [ScheduleStep(from_round=1, seconds=20.5)]
    assert hall.do(Undo()).picture.schedule[0].seconds == 35


def test_remaining_time_is_rounded_up_so_that_zero_means_over():
    hall = Hall().started().wait(34.9999).do(Pause())
    assert hall.picture.remaining_ms == 1


def test_sides_have_word_symbol_and_colour():
    assert [told(CONNECT.side_name("sun")), told(CONNECT.side_name("moon"))] == ["Sun", "Moon"]
    assert told(THREE.side_name("star")) == "Star"
    assert len({sign.symbol for _, sign in CONNECT.sides}) == 2


@pytest.mark.parametrize("close", [lambda claim: Verdict(claim, confirmed=False), Withdraw])
def test_who_would_win_wins_when_the_last_open_claim_is_closed(close):
    hall = Hall().started().do(Claim("A2", "sun")).do(Claim("B3", "sun"))
    first, second = (claim.id for claim in hall.picture.claims)
    assert hall.picture.would_win == []
    hall.do(Verdict(first, sheet=Sheet(5, 5, foreign_left=True, foreign_right=True)))
    told = hall.picture.would_win
    assert [(one.board, one.points) for one in told] == [("A2", 19)]
    hall.do(close(second))
    assert hall.picture.phase == "ended"
    assert (hall.picture.winners, hall.picture.would_win) == (told, [])


# When a game will probably end.


def foreseen(hall: Hall) -> Forecast:
    found = forecast(hall.game.state, hall.game.rules, hall.now_ns)
    assert found is not None
    return found


def test_rounds_without_a_seven_end_to_the_second():
    hall = Hall().started().wait(5).do(LastRounds(9))
    found = foreseen(hall)
    assert (found.earliest_ns, found.latest_ns) == (345 * SECOND, 345 * SECOND)
    assert found.basis == "last_round"
    assert foreseen(hall.do(Pause()).wait(100)) == found


def test_the_schedule_in_force_counts():
    hall = Hall().do(LastRounds(4)).do(SetSchedule((Step(1, 10), Step(3, 100))))
    assert foreseen(hall).earliest_ns == 220 * SECOND


def test_robber_phases_make_it_a_range():
    hall = Hall().in_round(10).do(LastRounds(20))
    found = foreseen(hall)
    rounds_ns = 35 * SECOND + 20 * 45 * SECOND
    assert rounds_ns <= found.earliest_ns < found.latest_ns
    # 20 rounds: 4 robber phases of 12 s expected, two deviations of 2.19 around them
    assert abs(found.latest_ns - rounds_ns - (4 + 4.38) * 12 * SECOND) < SECOND


def test_nearly_all_games_end_within_the_range():
    took: list[float] = []
    for number in range(20):
        hall = Hall(seed=number.to_bytes(32, "big")).started().do(LastRounds(29))
        while hall.picture.phase != "collecting":
            hall.wait(hall.picture.remaining_ms / 1000)
        took.append((hall.now - 3) * SECOND)
    found = foreseen(Hall().started().do(LastRounds(29)))
    cuts = quantiles(took, n=10)
    assert found.earliest_ns <= cuts[0] <= cuts[-1] <= found.latest_ns


def test_without_an_announced_end_it_is_as_games_usually_go():
    ready, played = foreseen(Hall()), foreseen(Hall().in_round(20))
    assert ready.basis == "usual"
    assert 20 * 60 * SECOND < ready.earliest_ns < 30 * 60 * SECOND < ready.latest_ns < 42 * 60 * SECOND
    assert played.earliest_ns < ready.earliest_ns
    late = Hall().in_round(USUAL_ROUNDS[0] + 1)
    assert foreseen(late).earliest_ns == 45 * SECOND


def test_behind_the_usual_rounds_and_after_the_end_nothing_is_foreseen():
    hall = Hall().in_round(USUAL_ROUNDS[1] + 1)
    assert hall.picture.forecast is None
    hall.do(LastRounds(0))
    assert hall.picture.forecast is not None
    assert hall.wait(45).picture.forecast is None


# The last actions in sentences, and what undoing them would leave.

SHEET_OF_18 = Sheet(settlements=4, cities=5, foreign_left=True, foreign_right=True)
ENOUGH = Sheet(settlements=5, cities=5, foreign_left=True, foreign_right=True)


def done(hall: Hall) -> tuple[PastAction, ...]:
    return timeline(hall.game, hall.now_ns).done


def undone(hall: Hall) -> tuple[PastAction, ...]:
    return timeline(hall.game, hall.now_ns).undone


def said_of(hall: Hall) -> str:
    """The newest action in words."""
    return words(done(hall)[0].said)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (Pause(), "Paused"),
        (Press(), "Pause button pressed"),
        (AddTime(15_000), "15 s added"),
        (AddTime(-2_500), "2.5 s removed"),
        (LastRounds(1), "Announced: 1 more round"),
        (Claim("A5", "sun"), "Board A5, Sun: claim"),
        (Say("Welcome"), "On all screens: Welcome"),
        (Say(line="seats"), "On all screens: Please take your seats"),
    ],
)
def test_an_action_is_told_in_words(command: Command, said: str):
    assert said_of(Hall().started().do(command)) == said


def test_actions_outside_play_are_told_in_words():
    assert said_of(Hall().do(Contribute("lighthouse"))) == "Word of the hall: lighthouse"
    assert said_of(Hall().do(Start())) == "Started"
    spite = Hall().do(Start(override=True, reason="the spare fan is on"))
    assert said_of(spite).endswith("despite warnings: the spare fan is on")
    assert said_of(Hall().do(Timer(prepared="doors", seconds=60))) == "Timer: Doors open"
    assert said_of(Hall().do(Timer("Tea", seconds=60))) == "Timer: Tea"


def test_a_verdict_names_board_and_points():
    hall = Hall().started().do(Claim("A5", "sun"))
    claim = hall.picture.claims[0].id
    assert said_of(hall.do(Verdict(claim, sheet=ENOUGH))) == "Board A5 confirmed, 19 points"
    hall.do(Undo()).do(Verdict(claim, confirmed=False))
    assert said_of(hall) == "Board A5 rejected"
    hall.do(Undo()).do(Withdraw(claim))
    assert said_of(hall) == "Claim of board A5 withdrawn"


def test_what_is_foreseen_is_what_successive_undos_do():
    hall = Hall().started().wait(1).do(AddTime(5_000)).wait(1).do(LastRounds(3)).wait(2).do(Pause())
    foreseen = done(hall)
    assert [action.steps for action in foreseen] == [1, 2, 3, 4]
    for action in foreseen[:3]:
        assert action.outcome is not None
        assert action.outcome.game is not None
        hall.do(Undo())
        assert room(action.outcome.game, hall.now_ns) == hall.picture


def test_what_nobody_may_undo_has_no_step_and_hides_none_behind_it():
    hall = Hall().started().do(AddTime(1_000)).do(Claim("A5", "sun"), source="table").do(Say("Welcome"))
    assert [action.steps for action in done(hall)] == [None, None, 1, 2]


def test_a_refusal_ends_what_is_foreseen():
    hall = Hall().started().do(AddTime(60_000)).do(AddTime(1_000)).wait(40)
    first, second, third = done(hall)
    assert (first.steps, second.steps, third.steps) == (1, 2, None)
    assert first.outcome is not None
    assert second.outcome is not None
    assert second.outcome.game is None
    assert "undone" in words(second.outcome.against[0]) or second.outcome.against


def test_what_was_undone_stands_in_the_order_of_redo():
    hall = Hall().started().do(AddTime(1_000)).do(AddTime(2_000)).do(Undo()).do(Undo())
    undone = timeline(hall.game, hall.now_ns).undone
    assert [(action.steps, words(action.said)) for action in undone] == [(1, "1 s added"), (2, "2 s added")]
    last = undone[-1].outcome
    assert last is not None
    assert last.game is not None
    hall.do(Redo()).do(Redo())
    assert room(last.game, hall.now_ns) == hall.picture


def test_only_the_newest_are_told():
    hall = Hall().started()
    for _ in range(SHOWN + 5):
        hall.do(AddTime(1_000))
    shown = done(hall)
    assert len(shown) == SHOWN
    assert [action.steps for action in shown[: FORESEEN + 1]] == [*range(1, FORESEEN + 1), None]


def test_a_verdict_is_called_what_it_was_also_after_an_undo():
    hall = Hall().started().do(Claim("A2", "sun")).do(Verdict("c2", sheet=SHEET_OF_18)).do(Undo())
    assert [words(one.said) for one in undone(hall)] == ["Board A2 confirmed, 18 points"]
    assert said_of(hall.do(Redo())) == "Board A2 confirmed, 18 points"


def test_a_corrected_verdict_keeps_its_name_among_what_was_undone():
    hall = Hall().started().do(Claim("A2", "sun")).do(Verdict("c2", sheet=SHEET_OF_18))
    hall.do(Undo(replace=Verdict("c2", confirmed=False), claim="c2"))
    assert said_of(hall) == "Board A2 rejected"
    assert [words(one.said) for one in undone(hall)] == ["Board A2 confirmed, 18 points"]


def test_a_claim_that_is_judged_again_keeps_both_verdicts_apart():
    hall = HALLS[Situation.COLLECTING]().do(Claim("A2", "sun"))
    claim = hall.picture.claims[0].id
    hall.do(Verdict(claim, sheet=ENOUGH)).do(Verdict(claim, sheet=SHEET_OF_18))
    said = [words(one.said) for one in done(hall)]
    assert said[:2] == ["Board A2 confirmed, 18 points", "Board A2 confirmed, 19 points"]


def test_a_sheet_at_one_table_is_told_by_its_verdict():
    table = TURNS[Situation.PLAYING]()
    table.do(Claim(side=table.picture.side))
    claim = table.picture.claims[0].id
    assert said_of(table.do(Verdict(claim, sheet=Sheet(settlements=2, cities=4)))) == "Claim confirmed"


def through_journal(event: Event) -> Event:
    """As it is read back."""
    kept = decode_event(*encode_event(event))
    assert kept is not None
    return kept


def test_the_fold_of_a_journal_makes_the_same_names():
    """No line holds a sentence, so those of earlier releases are told as today's are."""
    live = again = new_game("test-game", CONNECT, b"s" * 32)
    commands = [Start(), Claim("A2", "sun"), Verdict("c2", sheet=SHEET_OF_18), Undo(), Cover("black")]
    for second, command in zip(range(4, 40, 4), commands, strict=False):
        now_ns = second * SECOND
        for event in tick(live, now_ns):
            live, again = apply(live, event), apply(again, through_journal(event))
        for event in decide(live, command, at_ns=now_ns, now_ns=now_ns, source="web").events:
            live, again = apply(live, event), apply(again, through_journal(event))
    assert timeline(again, now_ns) == timeline(live, now_ns)
    assert [words(one.said) for one in timeline(again, now_ns).undone] == ["Board A2 confirmed, 18 points"]


def _claim(hall: Hall) -> str:
    """An open claim of whoever may claim, where somebody may."""
    if hall.game.rules.play == "turns":
        hall.ask(Claim(side=hall.picture.side or "red"))
    else:
        hall.ask(Claim("A2", "sun"))
    return next((one.id for one in hall.picture.claims if one.status == "open"), "c0")


def _press(hall: Hall) -> str:
    """The same of nobody."""
    hall.ask(Press())
    return next((one.id for one in hall.picture.claims if one.status == "open"), "c0")


FORMS: list[tuple[str, Command | Callable[[Hall], Command]]] = [
    ("action.word", Contribute("lantern")),
    ("action.started", Start()),
    ("action.started_in_spite", Start(override=True)),
    ("action.started_because", Start(override=True, reason="the fan")),
    ("action.paused", Pause()),
    ("action.paused_by_fault", Pause("fault")),
    ("action.paused_by_restart", Pause("recovery")),
    ("action.pressed", Press()),
    ("action.turned", Turn()),
    ("action.seat_turned", lambda hall: Turn(hall.picture.side)),
    ("action.resumed", Resume()),
    ("action.resumed", Resume(override=True)),
    ("action.skipped", Skip()),
    ("action.time_added", AddTime(5_000)),
    ("action.time_taken", AddTime(-5_000)),
    ("action.schedule_changed", SetSchedule((Step(1, 30),))),
    ("action.claims_pause", SetClaims("pause")),
    ("action.claims_ask", lambda hall: hall.ask(SetClaims("pause")) and SetClaims("ask")),
    ("action.claimed", Claim("A2", "sun")),
    ("action.claimed_by_button", Claim()),
    ("action.seat_claimed", lambda hall: Claim(side=hall.picture.side or "red")),
    ("action.withdrawn", lambda hall: Withdraw(_press(hall))),
    ("action.board_withdrawn", lambda hall: Withdraw(_claim(hall))),
    ("action.rejected", lambda hall: Verdict(_press(hall), confirmed=False)),
    ("action.board_rejected", lambda hall: Verdict(_claim(hall), confirmed=False)),
    ("action.board_confirmed", lambda hall: Verdict(_claim(hall), confirmed=True)),
    ("action.board_rejected_points", lambda hall: Verdict(_claim(hall), sheet=Sheet(2, 1))),
    ("action.board_confirmed_points", lambda hall: Verdict(_claim(hall), sheet=ENOUGH)),
    ("action.last_rounds", LastRounds(3)),
    ("action.ended", End(confirm=True)),
    ("action.said", Say("Hello")),
    ("action.said", Say(line="seats")),
    ("action.unsaid", lambda hall: hall.ask(Say("Hello")) and Say("")),
    ("action.covered_black", Cover("black")),
    ("action.covered_test", Cover("test")),
    ("action.uncovered", lambda hall: hall.ask(Cover("test")) and Cover("none")),
    ("action.timer", Timer("Tea", 60)),
    ("action.timer", Timer(prepared="doors", seconds=60)),
    ("action.timer_unnamed", Timer(seconds=60)),
    ("action.timer_stopped", lambda hall: hall.ask(Timer("Tea", 60)) and Timer(stop=True)),
]
"""Every form of a command that has a sentence of its own."""
AT_ONE_TABLE = {
    "action.pressed": "action.turned",
    "action.board_withdrawn": "action.withdrawn",
    "action.board_rejected": "action.rejected",
    "action.board_confirmed": "action.confirmed",
    "action.board_rejected_points": "action.rejected",
    "action.board_confirmed_points": "action.confirmed",
    "action.claimed": "action.seat_claimed",
}
"""A table with seats has no boards, and its button is that of a turn."""


def expected(key: str, play: str, where: Situation) -> str:
    """After the last round each sheet counts for the ranking, whatever its points."""
    if key == "action.board_rejected_points" and where in (Situation.COLLECTING, Situation.ENDED):
        key = "action.board_confirmed_points"
    return AT_ONE_TABLE.get(key, key) if play == "turns" else key


def _listings(hall: Hall, command: Command) -> Iterator[tuple[str, Sentence]]:
    """Where this command is named once it was done, and how."""
    action = next((e.action for e in hall.ask(command).events if isinstance(e, CommandApplied)), None)
    if action is None:
        return

    def in_log() -> Sentence:
        return next(one.said for one in done(hall) if one.id == action.id)

    yield "log", in_log()
    if not undoable(action) or hall.ask(Undo()).reasons:
        return
    yield "undo", undone(hall)[0].said
    hall.do(Redo())
    yield "redo", in_log()


@pytest.mark.parametrize("play", ["rounds", "turns"])
def test_every_command_has_its_name_in_log_undo_and_redo_in_every_situation(play):
    named: set[tuple[type, Situation, str]] = set()
    for where, make in {"rounds": HALLS, "turns": TURNS}[play].items():
        for key, form in FORMS:
            hall = make()
            command = form(hall) if callable(form) else form
            for place, said in _listings(hall, command):
                assert said.key == expected(key, play, where), (where, place)
                named.add((type(command), where, place))
    performed = {kind for kind, _, _ in named}
    never = {Undo, Redo, Close, *({Turn} if play == "rounds" else {LastRounds})}
    assert performed == set(COMMANDS.values()) - never


def test_every_form_of_an_action_has_its_sentence():
    keys = {said for said, _ in FORMS} | set(AT_ONE_TABLE.values())
    assert {key for key in texts() if key.startswith("action.")} == keys


def test_what_becomes_an_action_has_a_sentence():
    assert set(SAID) == set(COMMANDS.values()) - {Undo, Redo, Close}
    assert set(PAUSED) == set(get_args(HoldReason))
    assert set(COVERED) == set(get_args(CoverKind))
