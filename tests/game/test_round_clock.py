"""Rounds, pauses and robber phases at the moments the rules name (C3 to C14a)."""

from dataclasses import replace
from itertools import pairwise

import pytest

from pi_controller.game.commands import LastRounds, Pause, Press, Resume, Skip, Start, Timer
from pi_controller.game.rule_sets import CONNECT
from tests.game.hall import Hall


def test_a_fresh_game_is_ready_and_still():
    picture = Hall().picture
    assert (picture.phase, picture.round, picture.running, picture.next_side) == ("ready", 0, False, "sun")
    assert picture.seed is None
    assert len(picture.commitment) == 64


@pytest.mark.parametrize(
    ("after_robber", "sides"),
    [
        ("due_side", "1 sun, 2 moon, 3 sun, 4 moon, robber, 5 sun, 6 moon, robber, 7 sun, 8 moon, 9 sun"),
        ("other_side", "1 sun, 2 moon, 3 sun, 4 moon, robber, 5 moon, 6 sun, robber, 7 sun, 8 moon, 9 sun"),
    ],
)
def test_the_side_after_each_robber_phase_of_a_game(after_robber, sides):
    hall = Hall(replace(CONNECT, after_robber=after_robber, rounds_without_seven=0)).started()
    seen = []
    for _ in range(11):
        picture = hall.picture
        seen.append("robber" if picture.phase == "robber" else f"{picture.round} {picture.side}")
        hall.wait(picture.remaining_ms / 1000)
    assert ", ".join(seen) == sides


def test_without_consecutive_sevens_a_round_follows_every_robber_phase():
    hall = Hall(replace(CONNECT, allow_consecutive_sevens=False, rounds_without_seven=0))
    hall.started()
    kinds = []
    for _ in range(300):
        kinds.append(hall.picture.phase)
        hall.wait(hall.picture.remaining_ms / 1000)
    assert kinds.count("robber") > 20
    assert ("robber", "robber") not in list(pairwise(kinds))


def test_the_robber_notice_stands_through_round_eleven():
    hall = Hall().in_round(10)
    assert hall.picture.notices == []
    assert hall.in_round(11).picture.notices == ["robber_possible"]
    assert hall.in_round(12).picture.notices == []


def test_the_announced_last_round_is_the_last():
    hall = Hall().in_round(3).do(LastRounds(1))
    assert hall.picture.last_round == 4
    assert hall.wait(35).picture.phase == "round"
    picture = hall.wait(35).picture
    assert (picture.phase, picture.running, picture.winners) == ("collecting", False, [])
    assert (picture.closed, picture.seed) == (False, None)


def test_last_rounds_counts_the_rounds_after_this_one():
    assert Hall().in_round(3).do(LastRounds(0)).wait(35).picture.phase == "collecting"
    sentence = "at least one round"
    assert sentence in Hall().refused(LastRounds(0))


def test_zero_countdowns_begin_at_once():
    hall = Hall(replace(CONNECT, start_countdown_ms=0, resume_countdown_ms=0)).do(Start())
    assert hall.picture.round == 1
    assert hall.wait(1).do(Pause()).do(Resume()).wait(1).picture.remaining_ms == 33_000


@pytest.mark.parametrize("command", [Start(), Press(), Resume()])
def test_repeats_without_effect_are_accepted(command):
    hall = Hall().started() if isinstance(command, Resume) else Hall()
    if isinstance(command, Start):
        assert "under way" in hall.started().refused(command)
        return
    before = hall.game
    assert not hall.ask(command).events
    assert hall.game is before


def test_a_free_timer_runs_in_a_pause_until_play_goes_on():
    hall = Hall().started().do(Pause()).do(Timer(prepared="break", seconds=60)).wait(10)
    timer = hall.picture.timer
    assert timer is not None
    assert (timer.prepared, timer.remaining_ms) == ("break", 50_000)
    assert hall.do(Skip()).picture.timer == timer
    assert hall.do(Resume()).picture.timer is None
