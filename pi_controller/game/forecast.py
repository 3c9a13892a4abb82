"""When a game will probably end. Pure."""

from functools import lru_cache
from math import sqrt
from typing import Literal

import msgspec

from pi_controller.game.commands import Step
from pi_controller.game.rule_sets import NS_PER_MS, RuleSet, round_ns
from pi_controller.game.state import State

ForecastBasis = Literal["last_round", "usual"]

USUAL_ROUNDS = (30, 50)
"""A game takes about 30 minutes (rule C19). At the usual times of 35 s and 45 s these are 40 rounds: with
10 · 35 s + 30 · 45 s and 30 · 0.2 robber phases of 12 s a game lasts 29.5 minutes. A quarter less, and a
quarter more."""

SEVEN = 1 / 6
"""How likely the sum of two dice is 7."""


class Forecast(msgspec.Struct, frozen=True):
    """The end lies between these moments, nanoseconds of game time from now."""

    earliest_ns: int
    latest_ns: int
    basis: ForecastBasis


def forecast(state: State, rules: RuleSet, now_ns: int) -> Forecast | None:
    """When the last round will be over; None where that is not to be foreseen: after the end, without a clock
    for all, and without an announced last round behind the usual ones.

    With r the time that is left in the present phase and d(n) the length of round n by the schedule in force,
    the rounds up to round N end after r + Σ d(n) + robber phases, over the rounds n from the next one to N.
    Before each of these rounds from the first with a 7 on come robber phases. Their number before one round
    has, with p = 1/6, the mean p / (1 - p) and the variance p / (1 - p)² where a 7 may follow a 7, otherwise
    p and p (1 - p). With m such rounds the range is m · mean ± 2 · √(m · variance) of them, never fewer than
    0: about 95 of 100 games lie within.

    N is the announced last round; without one the range reaches from the earlier end of the first of
    `USUAL_ROUNDS` to the later end of the second. Pauses, and a victory before the announced end, are not
    foreseen.
    """
    if rules.play == "turns" or state.phase not in ("ready", "round", "robber"):
        return None
    left_ns = state.remaining_ns(now_ns) if state.in_play else 0
    if state.last_round is not None:
        earliest_ns, latest_ns = _range(state, rules, state.last_round)
        return Forecast(left_ns + earliest_ns, left_ns + latest_ns, "last_round")
    if state.round > USUAL_ROUNDS[1]:
        return None
    (earliest_ns, _), (_, latest_ns) = (_range(state, rules, last) for last in USUAL_ROUNDS)
    return Forecast(left_ns + earliest_ns, left_ns + latest_ns, "usual")


def _range(state: State, rules: RuleSet, last: int) -> tuple[int, int]:
    return _length(
        state.schedule,
        state.round,
        last,
        quiet=rules.rounds_without_seven,
        consecutive=rules.allow_consecutive_sevens,
        robber_ms=rules.robber_ms,
    )


@lru_cache(maxsize=64)
def _length(
    schedule: tuple[Step, ...], now: int, last: int, *, quiet: int, consecutive: bool, robber_ms: int
) -> tuple[int, int]:
    """How long the rounds after the present one up to the last take at least and at most. Kept, because every
    picture of a round asks for the same."""
    coming = range(now + 1, last + 1)
    rounds_ns = sum(round_ns(schedule, number) for number in coming)
    with_sevens = sum(number > quiet for number in coming)
    if consecutive:
        mean, variance = SEVEN / (1 - SEVEN), SEVEN / (1 - SEVEN) ** 2
    else:
        mean, variance = SEVEN, SEVEN * (1 - SEVEN)
    expected, spread = with_sevens * mean, 2 * sqrt(with_sevens * variance)
    robber_ns = robber_ms * NS_PER_MS
    return (
        rounds_ns + round(max(0.0, expected - spread) * robber_ns),
        rounds_ns + round((expected + spread) * robber_ns),
    )
