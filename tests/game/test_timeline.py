"""The last actions in sentences, and what undoing them would leave."""

import pytest

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    Contribute,
    LastRounds,
    Pause,
    Press,
    Redo,
    Say,
    Sheet,
    Start,
    Timer,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.room import room
from pi_controller.game.timeline import FORESEEN, SHOWN, PastAction, timeline
from pi_controller.language.words import words
from tests.game.hall import Hall

ENOUGH = Sheet(settlements=5, cities=5, foreign_left=True, foreign_right=True)


def done(hall: Hall) -> tuple[PastAction, ...]:
    return timeline(hall.game, hall.now_ns).done


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
