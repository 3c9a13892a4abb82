"""When a game will probably end."""

from statistics import quantiles

from pi_controller.game.commands import LastRounds, Pause, SetSchedule, Step
from pi_controller.game.room import USUAL_ROUNDS, Forecast, forecast
from tests.game.hall import SECOND, Hall


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
