"""The picture's announcements and history."""

import pytest

from pi_controller.game.commands import (
    Claim,
    Contribute,
    Cover,
    End,
    Pause,
    Press,
    Say,
    SetSchedule,
    Sheet,
    Start,
    Step,
    Timer,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.room import Message, ScheduleStep, TimerView
from pi_controller.game.rule_sets import CONNECT
from tests.game.hall import Hall
from tests.game.three_seats import THREE
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
