"""The last actions in sentences, and what undoing them would leave."""

from collections.abc import Callable, Iterator
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
from pi_controller.game.room import FORESEEN, SHOWN, PastAction, room, timeline
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.record import decode_event, encode_event
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import HoldReason
from tests.game.hall import SECOND, Hall
from tests.game.test_phases import HALLS, TURNS
from tests.language.test_catalogue import texts

SHEET_OF_18 = Sheet(settlements=4, cities=5, foreign_left=True, foreign_right=True)
ENOUGH = Sheet(settlements=5, cities=5, foreign_left=True, foreign_right=True)


def done(hall: Hall) -> tuple[PastAction, ...]:
    return timeline(hall.game, hall.now_ns).done


def undone(hall: Hall) -> tuple[PastAction, ...]:
    return timeline(hall.game, hall.now_ns).undone


def told(hall: Hall) -> str:
    """The newest action in words."""
    return words(done(hall)[0].said)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (Pause(), "Paused"),
        (Press(), "Pause button pressed"),
        (AddTime(15_000), "15 s added"),
        (AddTime(-2_500), "2.5 s taken away"),
        (LastRounds(1), "Announced: 1 more round"),
        (Claim("A5", "sun"), "Board A5, Sun: claim"),
        (Say("Welcome"), "On all screens: Welcome"),
        (Say(line="seats"), "On all screens: Please take your seats"),
    ],
)
def test_an_action_is_told_in_words(command: Command, said: str):
    assert told(Hall().started().do(command)) == said


def test_actions_outside_play_are_told_in_words():
    assert told(Hall().do(Contribute("lighthouse"))) == "Word of the hall: lighthouse"
    assert told(Hall().do(Start())) == "Started"
    spite = Hall().do(Start(override=True, reason="the spare fan is on"))
    assert told(spite).endswith("stood against it: the spare fan is on")
    assert told(Hall().do(Timer(prepared="doors", seconds=60))) == "Timer: Doors open"
    assert told(Hall().do(Timer("Tea", seconds=60))) == "Timer: Tea"


def test_a_verdict_names_board_and_points():
    hall = Hall().started().do(Claim("A5", "sun"))
    claim = hall.picture.claims[0].id
    assert told(hall.do(Verdict(claim, sheet=ENOUGH))) == "Board A5 confirmed, 19 points"
    hall.do(Undo()).do(Verdict(claim, confirmed=False))
    assert told(hall) == "Board A5 rejected"
    hall.do(Undo()).do(Withdraw(claim))
    assert told(hall) == "Claim of board A5 withdrawn"


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
    assert told(hall.do(Redo())) == "Board A2 confirmed, 18 points"


def test_a_corrected_verdict_keeps_its_name_among_what_was_undone():
    hall = Hall().started().do(Claim("A2", "sun")).do(Verdict("c2", sheet=SHEET_OF_18))
    hall.do(Undo(replace=Verdict("c2", confirmed=False), claim="c2"))
    assert told(hall) == "Board A2 rejected"
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
    assert told(table.do(Verdict(claim, sheet=Sheet(settlements=2, cities=4)))) == "Claim confirmed"


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
