"""RTC, BAT and CLK: the clock with a battery, its battery, the system's clock source."""

from datetime import datetime

from pi_controller.hal.roles import ClockFacts
from pi_controller.protocol.probes import FactsProbe
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, Value, not_fitted, skipped
from pi_controller.sentence import Sentence

FARTHEST_S = 2.0
FASTEST_PPM = 4.0
"""What a DS3231 is allowed by its data sheet is 2 ppm at room temperature."""
AHEAD = Sentence("selftest.ahead_of_the_systems_clock")
MODULE = Sentence("selftest.clock_module_with_the_battery")
CELL = Sentence("selftest.coin_cell_of_the_clock_module")
COARSE = ("jiffies", "refined-jiffies")
"""Clock sources that only count the timer's ticks."""


def rtc(hall: HallUnderTest) -> Outcome:
    """Whether it is there, runs, and agrees with the system's clock."""
    clock = hall.probe(FactsProbe()).clock
    before = hall.before("RTC")
    if clock.rtc is None:
        if before is None or before.verdict in ("not_fitted", "skipped"):
            return not_fitted(Sentence("selftest.no_clock_so_the_date_is_wrong"))
        record = Record()
        gone = Sentence("selftest.clock_with_the_battery_was_there")
        record.fault(MODULE, gone)
        return record.outcome(gone)
    record = Record()
    _runs(record, clock)
    _agrees(record, clock)
    if hall.previous is not None and before is not None:
        _drift(record, clock, before.values, _since_s(hall.previous.when, hall.now()))
    return record.outcome(Sentence("selftest.clock_runs_and_is_right", clock=clock.rtc))


def bat(hall: HallUnderTest) -> Outcome:
    """Whether the clock has kept running without mains; the operator says that it was without."""
    clock = hall.probe(FactsProbe()).clock
    if clock.rtc is None:
        return not_fitted(Sentence("selftest.no_clock_with_a_battery"))
    record = Record()
    if _runs(record, clock):
        text = Sentence("selftest.was_the_controller_without_power")
        if hall.ask(text, picture="mains", answers=("yes", "no")).answer == "no":
            return skipped(Sentence("selftest.battery_is_only_tested_after"))
        _agrees(record, clock)
    return record.outcome(Sentence("selftest.battery_has_kept_the_clock_running"))


def clk(hall: HallUnderTest) -> Outcome:
    """The kernel's clock source is a real counter."""
    source = hall.probe(FactsProbe()).clock.source
    if source is None:
        return not_fitted(Sentence("selftest.this_system_does_not_say_what"))
    record = Record()
    coarse = source in COARSE
    record.value(
        Sentence("selftest.clock_source"), source, limit=Sentence("selftest.hardware_counter"), ok=not coarse
    )
    if coarse:
        record.fault(
            Sentence("selftest.system_on_the_memory_card"),
            Sentence("selftest.kernel_counts_time_by_in_steps", source=source),
        )
    return record.outcome(Sentence("selftest.time_is_counted", source=source))


def _runs(record: Record, clock: ClockFacts) -> bool:
    if clock.rtc_runs is None:
        return True
    record.value(
        Sentence("selftest.has_run_since_it_was_set"),
        Sentence("selftest.yes") if clock.rtc_runs else Sentence("selftest.no"),
        limit=Sentence("selftest.yes"),
        ok=clock.rtc_runs,
    )
    if not clock.rtc_runs:
        record.fault(CELL, Sentence("selftest.clock_with_the_battery_has_stopped"))
    return clock.rtc_runs


def _agrees(record: Record, clock: ClockFacts) -> None:
    if clock.rtc_ahead_s is None:
        if clock.rtc_runs is not False:
            record.fault(MODULE, Sentence("selftest.clock_with_the_battery_cannot_be"))
        return
    ok = abs(clock.rtc_ahead_s) < FARTHEST_S or clock.rtc_runs is False
    compared = (
        Sentence("selftest.less_than_2_s_either_way")
        if clock.synchronised
        else Sentence("selftest.less_than_2_s_of_a_clock_not_set")
    )
    record.value(AHEAD, clock.rtc_ahead_s, "s", limit=compared, ok=ok)
    if not ok:
        record.fault(
            MODULE,
            Sentence("selftest.clock_with_the_battery_is_s", seconds=abs(clock.rtc_ahead_s)),
        )


def _drift(record: Record, clock: ClockFacts, before: tuple[Value, ...], since_s: float) -> None:
    """What it has gained since the last test; a second of it is how coarsely such a clock is read."""
    then = next((value.value for value in before if _is_ahead(value)), None)
    if clock.rtc_ahead_s is None or not isinstance(then, int | float) or since_s <= 0:
        return
    gained = abs(clock.rtc_ahead_s - then)
    ppm = max(0.0, gained - 1) / since_s * 1e6
    ok = ppm < FASTEST_PPM
    record.value(
        Sentence("selftest.drift_since_the_last_test"),
        ppm,
        "ppm",
        limit=Sentence("selftest.below", limit=4),
        ok=ok,
    )
    if not ok:
        record.fault(
            MODULE,
            Sentence("selftest.clock_with_the_battery_drifts", ppm=ppm),
            severity="warning",
        )


def _is_ahead(value: Value) -> bool:
    """In a report of an older version figures have no keys: there it is the only one in seconds."""
    return value.key == AHEAD.key if value.key else value.unit == "s"


def _since_s(then: str, now: str) -> float:
    return (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()
