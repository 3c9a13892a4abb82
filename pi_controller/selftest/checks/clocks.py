"""RTC, BAT and CLK: the clock with a battery, its battery, the system's clock source."""

from datetime import datetime

from pi_controller.hal.facts import ClockFacts
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, Value, not_fitted, skipped

FARTHEST_S = 2.0
FASTEST_PPM = 4.0
"""What a DS3231 is allowed by its data sheet is 2 ppm at room temperature."""
AHEAD = "ahead of the system's clock"
MODULE = "the clock module with the battery"
CELL = "the coin cell of the clock module"
COARSE = ("jiffies", "refined-jiffies")
"""Clock sources that only count the timer's ticks."""


def rtc(hall: HallUnderTest) -> Outcome:
    """Whether it is there, runs, and agrees with the system's clock."""
    clock = hall.probes.facts().clock
    before = hall.before("RTC")
    if clock.rtc is None:
        if before is None or before.verdict in ("not_fitted", "skipped"):
            return not_fitted(
                "There is no clock with a battery: after a power cut the date is wrong, the game is not."
            )
        record = Record()
        record.fault(
            MODULE,
            "The clock with the battery was there at the last test and does not answer now: press it on.",
        )
        return record.outcome("")
    record = Record()
    _runs(record, clock)
    _agrees(record, clock)
    if hall.previous is not None and before is not None:
        _drift(record, clock, before.values, _since_s(hall.previous.when, hall.now()))
    return record.outcome(f"The clock {clock.rtc} runs and is right.")


def bat(hall: HallUnderTest) -> Outcome:
    """Whether the clock has kept running without mains; the operator says that it was without."""
    clock = hall.probes.facts().clock
    if clock.rtc is None:
        return not_fitted("There is no clock with a battery.")
    record = Record()
    if _runs(record, clock):
        text = (
            "Was the controller without power for at least a minute before it was switched on for this test?"
            " If not, skip this check, switch off for a minute, and begin again."
        )
        if hall.ask(text, picture="mains", answers=("yes", "no")).answer == "no":
            return skipped("The battery is only tested after a minute without power.")
        _agrees(record, clock)
    return record.outcome("The battery has kept the clock running.")


def clk(hall: HallUnderTest) -> Outcome:
    """The kernel's clock source is a real counter."""
    source = hall.probes.facts().clock.source
    if source is None:
        return not_fitted("This system does not say what its clock counts.")
    record = Record()
    coarse = source in COARSE
    record.value("clock source", source, limit="a hardware counter", ok=not coarse)
    if coarse:
        record.fault(
            "the system on the memory card",
            f"The kernel counts time by {source}, in steps of milliseconds: install an unchanged Raspberry"
            " Pi OS.",
        )
    return record.outcome(f"Time is counted by {source}.")


def _runs(record: Record, clock: ClockFacts) -> bool:
    if clock.rtc_runs is None:
        return True
    record.value(
        "has run since it was set", "yes" if clock.rtc_runs else "no", limit="yes", ok=clock.rtc_runs
    )
    if not clock.rtc_runs:
        record.fault(
            CELL, "The clock with the battery has stopped while the power was off: put a new cell in."
        )
    return clock.rtc_runs


def _agrees(record: Record, clock: ClockFacts) -> None:
    if clock.rtc_ahead_s is None:
        if clock.rtc_runs is not False:
            record.fault(
                MODULE, "The clock with the battery cannot be read: press it onto its pins, or swap it."
            )
        return
    ok = abs(clock.rtc_ahead_s) < FARTHEST_S or clock.rtc_runs is False
    compared = (
        "less than 2 s either way"
        if clock.synchronised
        else "less than 2 s; the system's clock is not set from a network"
    )
    record.value(AHEAD, clock.rtc_ahead_s, "s", limit=compared, ok=ok)
    if not ok:
        record.fault(
            MODULE,
            f"The clock with the battery is {abs(clock.rtc_ahead_s):.0f} s off: set it, and swap it if it"
            " is off again.",
        )


def _drift(record: Record, clock: ClockFacts, before: tuple[Value, ...], since_s: float) -> None:
    """What it has gained since the last test; a second of it is how coarsely such a clock is read."""
    then = next((value.value for value in before if value.name == AHEAD), None)
    if clock.rtc_ahead_s is None or not isinstance(then, int | float) or since_s <= 0:
        return
    gained = abs(clock.rtc_ahead_s - then)
    ppm = max(0.0, gained - 1) / since_s * 1e6
    ok = ppm < FASTEST_PPM
    record.value("drift since the last test", ppm, "ppm", limit="below 4", ok=ok)
    if not ok:
        record.fault(
            MODULE,
            f"The clock with the battery drifts by {ppm:.0f} ppm: swap it when it goes on.",
            severity="warning",
        )


def _since_s(then: str, now: str) -> float:
    return (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()
