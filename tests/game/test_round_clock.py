"""Rounds, pauses and robber phases at the moments the rules name (C3 to C14a)."""

from dataclasses import replace
from itertools import pairwise

import pytest

from pi_controller.game.commands import (
    AddTime,
    LastRounds,
    Pause,
    Press,
    Resume,
    SetSchedule,
    Skip,
    Start,
    Step,
    Timer,
    Undo,
)
from pi_controller.game.rule_sets import CONNECT
from tests.game.hall import Hall


def test_a_fresh_game_is_ready_and_still():
    picture = Hall().picture
    assert (picture.phase, picture.round, picture.running, picture.next_side) == (
        "ready",
        0,
        False,
        "sun",
    )
    assert picture.seed is None
    assert len(picture.commitment) == 64


def test_start_counts_three_then_round_one_runs_for_the_sun():
    hall = Hall().do(Start()).wait(1.5)
    assert (hall.picture.phase, hall.picture.resume_in_ms) == ("ready", 1500)
    picture = hall.wait(1.5).picture
    assert (picture.phase, picture.round, picture.side) == ("round", 1, "sun")
    assert (picture.running, picture.remaining_ms, picture.duration_ms) == (True, 35_000, 35_000)
    assert sum(picture.dice) == picture.sum != 7


def test_deadlines_follow_from_one_another_however_late_the_clock_is_read():
    hall = Hall().started().wait(35 + 35 + 34.999)
    assert (hall.picture.round, hall.picture.remaining_ms) == (3, 1)


def test_rounds_are_longer_from_the_eleventh_on():
    hall = Hall().in_round(10)
    assert hall.picture.duration_ms == 35_000
    assert hall.in_round(11).picture.duration_ms == 45_000


def test_the_robber_phase_lasts_twelve_seconds_and_counts_as_no_round():
    hall = Hall().in_robber_phase()
    picture = hall.picture
    assert (picture.side, picture.sum, picture.duration_ms) == (None, 7, 12_000)
    assert picture.round >= 10
    assert picture.robber_target in (*range(2, 7), *range(8, 13), "desert")
    due = picture.next_side
    after = hall.wait(12)
    while after.picture.phase == "robber":
        after.wait(12)
    assert (after.picture.round, after.picture.side) == (picture.round + 1, due)


def test_the_other_side_may_follow_a_robber_phase_by_setting():
    hall = Hall(replace(CONNECT, after_robber="other_side", allow_consecutive_sevens=False)).in_robber_phase()
    last_side = next(roll.side for roll in hall.picture.history if roll.kind == "round")
    assert hall.wait(12).picture.side == last_side


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


def test_a_pause_keeps_exactly_what_was_left():
    hall = Hall().started().wait(10.123).do(Pause()).wait(600)
    picture = hall.picture
    assert (picture.paused, picture.running, picture.pause_reasons) == (True, False, ["director"])
    assert picture.remaining_ms == 24_877
    hall.do(Resume()).wait(2)
    assert (hall.picture.paused, hall.picture.resume_in_ms, hall.picture.remaining_ms) == (
        True,
        1000,
        24_877,
    )
    assert hall.wait(2).picture.remaining_ms == 23_877


def test_a_press_counts_from_first_contact():
    hall = Hall().started().wait(10).do(Press(), ago=0.004)
    assert hall.picture.remaining_ms == 25_004


def test_a_press_read_after_the_clock_turned_freezes_the_phase_that_is_on():
    hall = Hall().started().wait(35.003).do(Press(), ago=0.004)
    picture = hall.picture
    assert (picture.round, picture.side, picture.remaining_ms) == (2, "moon", 35_000)
    claim = picture.claims[0]
    assert (claim.round, claim.pressed_ms_before_end, claim.on_active_side) == (1, 1, True)


def test_a_press_before_play_went_on_again_takes_nothing():
    hall = Hall().started().wait(10).do(Pause()).do(Resume()).wait(3.002).do(Press(), ago=0.004)
    assert hall.picture.remaining_ms == 25_000


def test_a_press_in_the_last_millisecond_pauses_with_one_left():
    hall = Hall().started().wait(34.999).do(Press())
    assert (hall.picture.round, hall.picture.remaining_ms) == (1, 1)


def test_a_press_in_the_countdown_freezes_again():
    hall = Hall().started().wait(5).do(Pause()).do(Resume()).wait(1).do(Press())
    assert hall.picture.pause_reasons == ["button"]
    assert hall.wait(60).picture.remaining_ms == 30_000


def test_a_press_in_the_first_countdown_holds_the_start():
    hall = Hall().do(Start()).wait(1).do(Press()).wait(60)
    assert (hall.picture.phase, hall.picture.paused, hall.picture.claims) == ("ready", True, [])
    assert hall.do(Resume()).wait(3).picture.round == 1


def test_pausing_twice_is_accepted_and_each_reason_is_kept_once():
    hall = Hall().started().do(Pause()).do(Pause()).do(Pause("recovery"), source="system")
    assert hall.picture.pause_reasons == ["director", "recovery"]


def test_added_time_can_be_taken_away_down_to_nothing():
    hall = Hall().started().wait(5).do(AddTime(10_000))
    assert (hall.picture.remaining_ms, hall.picture.duration_ms) == (40_000, 45_000)
    hall.do(Pause()).do(AddTime(-99_000))
    assert (hall.picture.remaining_ms, hall.picture.round) == (0, 1)
    assert hall.do(Resume()).wait(3).picture.round == 2


def test_taking_all_time_of_a_running_round_ends_it_at_once():
    hall = Hall().started().wait(5).do(AddTime(-99_000))
    assert (hall.picture.round, hall.picture.remaining_ms) == (2, 35_000)


def test_added_time_counts_in_the_resume_countdown():
    hall = Hall().started().wait(5).do(Pause()).do(Resume()).do(AddTime(-1000)).wait(4)
    assert hall.picture.remaining_ms == 28_000


def test_a_new_schedule_counts_from_the_next_round():
    hall = Hall().started().do(SetSchedule((Step(1, 20),)))
    assert hall.picture.remaining_ms == 35_000
    assert hall.wait(35).picture.duration_ms == 20_000


def test_skip_ends_the_phase_now():
    hall = Hall().started().wait(5).do(Skip())
    assert (hall.picture.round, hall.picture.side, hall.picture.remaining_ms) == (2, "moon", 35_000)


def test_skip_while_paused_stays_paused():
    hall = Hall().started().wait(5).do(Pause()).do(Skip()).wait(50)
    assert (hall.picture.round, hall.picture.paused, hall.picture.remaining_ms) == (2, True, 35_000)


def test_skip_in_the_countdown_keeps_the_countdown():
    hall = Hall().started().wait(5).do(Pause()).do(Resume()).wait(1).do(Skip())
    assert (hall.picture.round, hall.picture.resume_in_ms) == (2, 2000)
    assert hall.wait(3).picture.remaining_ms == 34_000


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


def test_time_that_only_one_side_has_gained_is_told():
    hall = Hall().started().do(AddTime(15_000)).do(AddTime(-5_000))
    assert hall.picture.gained_ms == {"sun": 10_000}
    hall.do(Undo())
    assert hall.picture.gained_ms == {"sun": 15_000}
    hall.in_round(2).do(AddTime(15_000))
    assert hall.picture.gained_ms == {"sun": 15_000, "moon": 15_000}


def test_a_free_timer_runs_in_a_pause_until_play_goes_on():
    hall = Hall().started().do(Pause()).do(Timer(prepared="break", seconds=60)).wait(10)
    timer = hall.picture.timer
    assert timer is not None
    assert (timer.prepared, timer.remaining_ms) == ("break", 50_000)
    assert hall.do(Skip()).picture.timer == timer
    assert hall.do(Resume()).picture.timer is None
