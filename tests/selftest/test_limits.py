"""Each limit of heat, clocks and presses, from both sides: the figures stand here once more, as numbers."""

import asyncio
from dataclasses import dataclass

import pytest
from msgspec import structs

from pi_controller.protocol.probes import Level
from pi_controller.selftest.operator import OperatorReply
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import Code, Verdict
from tests.selftest.faults import Seed, bench, clock, facts, panel, table, volts, watchdog
from tests.selftest.small_hall import SmallHall
from tests.selftest.small_panel import CHECKED_DISK, MS
from tests.selftest.somebody import Somebody
from tests.selftest.somebody import run as run_session


@dataclass(frozen=True)
class Limit:
    """With `inside` the check passes, with `beyond` it does not."""

    code: Code
    name: str
    inside: Seed
    beyond: Seed
    verdict: Verdict = "failed"
    level: Level = "field"
    inside_is: Verdict = "passed"


SLOW = structs.replace(CHECKED_DISK, p99_ms=400.0)
LIMITS = (
    Limit("TMP", "70 °C is warm", facts(temperature_c=69.9), facts(temperature_c=70.0), "warning"),
    Limit("TMP", "above 80 °C is too hot", facts(temperature_c=80.0), facts(temperature_c=80.1), inside_is="warning"),
    Limit("NTP", "60 °C at most", bench(temperature_c=60), bench(temperature_c=61), level="bench"),
    Limit("NTP", "5 °C at least", bench(temperature_c=5), bench(temperature_c=4), "warning", level="bench"),
    Limit("NTP", "17 degrees above the row", table("B1", temperature_c=42), table("B1", temperature_c=43)),
    Limit("NTP", "17 degrees below the row", table("B1", temperature_c=8), table("B1", temperature_c=7)),
    Limit("RTC", "2 s ahead", clock(rtc_ahead_s=1.99), clock(rtc_ahead_s=2.0)),
    Limit("RTC", "2 s behind", clock(rtc_ahead_s=-1.99), clock(rtc_ahead_s=-2.0)),
    Limit("BAT", "2 s ahead", clock(rtc_ahead_s=1.99), clock(rtc_ahead_s=2.0), level="bench"),
    Limit("CLK", "no source that counts ticks", clock(source="tsc"), clock(source="refined-jiffies")),
    Limit("HWD", "15 s", watchdog(timeout_s=15), watchdog(timeout_s=16)),
    Limit("DRF", "6 ms in a minute, fast", bench(drift_us=5999), bench(drift_us=6000), level="bench"),
    Limit("DRF", "6 ms in a minute, slow", bench(drift_us=-5999), bench(drift_us=-6000), level="bench"),
    Limit("PSB", "100 ms from press to lamp", panel(lamp_after_ns=int(99.9 * MS)), panel(lamp_after_ns=100 * MS)),
    Limit("PSB", "100 ms without a contact",
          panel(bounce_ns=0, travel_ns=100 * MS), panel(bounce_ns=0, travel_ns=int(100.1 * MS))),
    Limit("BNC", "95 of 100 below 5 ms", panel(bounce_ns=int(4.99 * MS)), panel(bounce_ns=5 * MS)),
    Limit("SDC", "disturbed once", panel(disk=[SLOW, CHECKED_DISK]), panel(disk=[SLOW] * 3)),
    Limit("BER", "one frame of a thousand", table("A2", loss=0.001), table("A2", loss=0.005)),
    Limit("VBS", "what two good readings differ at rest", volts(24.0, 23.8, 23.6, 21.6), volts(24.0, 23.8, 23.6, 21.5)),
    Limit("CLM", "half a second to the acknowledgement",
          table("B2", acknowledged_ms=499.0), table("B2", acknowledged_ms=500.0)),
)  # fmt: skip


def run(
    seed: Seed, code: Code, level: Level = "field", operator_of: type[Somebody] = Somebody
) -> SelfTestReport:
    hall = SmallHall()
    seed(hall)
    uid = hall.tables_there["A1"].uid if level == "bench" else None
    return run_session(hall, operator_of(hall), code, level=level, uid=uid)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{limit.code} {limit.name}")
def test_just_inside_passes_and_just_beyond_does_not(limit: Limit) -> None:
    inside = run(limit.inside, limit.code, limit.level).results[0]
    beyond = run(limit.beyond, limit.code, limit.level).results[0]
    assert (inside.verdict, beyond.verdict) == (limit.inside_is, limit.verdict)
    told = [value for value in beyond.values if not value.ok]
    assert told, "the figure beyond its limit is marked"
    assert all(value.limit for value in told)


class TenPresses(Somebody):
    """Presses as often as asked and not once more."""

    async def _press(self, live: object) -> None:
        for _ in range(10):
            self.world.press_button()


def test_ten_presses_are_enough_and_nine_are_not() -> None:
    assert run(panel(), "PSB", operator_of=TenPresses).results[0].verdict == "passed"
    (result,) = run(panel(deaf=1), "PSB", operator_of=TenPresses).results
    assert (result.verdict, result.sentence) == (
        "failed", "Only 9 of 10 presses were registered: check its plug, or swap it.",
    )  # fmt: skip


def test_one_long_bounce_is_worn_however_short_the_others_are() -> None:
    """Of 40 movements one may bounce for more than 5 ms, none for 15."""

    class OneLong(Somebody):
        def __init__(self, hall: SmallHall, longest_ns: int) -> None:
            super().__init__(hall)
            self.hall, self.longest_ns = hall, longest_ns

        async def _press(self, live: object) -> None:
            for number in range(30):
                self.hall.panel.bounce_ns = self.longest_ns if number == 7 else MS
                self.hall.press_button()

    def verdict(longest_ns: int) -> str:
        hall = SmallHall()
        operator = OneLong(hall, longest_ns)
        operator.instead["lamp"] = OperatorReply(answer="saw")
        return run_session(hall, operator, "BNC").results[0].verdict

    assert (verdict(int(14.9 * MS)), verdict(15 * MS)) == ("passed", "failed")


def test_a_clock_that_drifts_by_four_millionths_is_told() -> None:
    """It has gained 3 s, of which one is how coarsely it is read: 2 s in 500,000 are 4 ppm."""

    def verdict(then: str) -> str:
        hall = SmallHall()
        hall.panel.change_clock(rtc_ahead_s=-1.5)
        run_session(hall, None, "RTC")
        hall.panel.change_clock(rtc_ahead_s=1.5)
        hall.now = lambda: then  # type: ignore[method-assign]
        return run_session(hall, None, "RTC").results[0].verdict

    assert verdict("2026-11-27T12:53:21+00:00") == "passed"
    assert verdict("2026-11-27T12:53:20+00:00") == "warning"


OLDER = """{"version":1,"when":"2026-11-21T18:00:00+00:00","level":"field","only":["RTC"],"operator":"Ada",
"host":"hall","software":"0.1","simulated":false,"ended":true,"verdict":"passed","seconds":0.1,
"operator_seconds":0.0,"notes":[],"results":[{"code":"RTC","title":"Clock with a battery","verdict":"passed",
"sentence":"The clock rtc0 runs and is right.","values":[
{"name":"has run since it was set","value":"yes","unit":"","limit":"yes","ok":true},
{"name":"ahead of the system's clock","value":-1.5,"unit":"s","limit":"less than 2 s either way","ok":true},
{"name":"drift since the last test","value":0.0,"unit":"ppm","limit":"below 4","ok":true}],
"findings":[],"plots":[],"seconds":0.1}],"nodes":{},"compared_with":null,"changes":[]}
"""
"""As kept before figures had keys."""


def test_a_drift_is_told_against_a_report_of_an_older_version() -> None:
    hall = SmallHall()
    hall.panel.change_clock(rtc_ahead_s=1.5)
    hall.now = lambda: "2026-11-27T12:53:20+00:00"  # type: ignore[method-assign]
    asyncio.run(hall.keep_report("field", OLDER))
    (result,) = run_session(hall, None, "RTC").results
    assert (result.verdict, result.values[-1].value) == ("warning", 4.0)
