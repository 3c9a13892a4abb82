"""The table of checks: what each looks at, what it rests on and needs, on which levels, and how long."""

from collections.abc import Awaitable, Callable
from typing import get_args

from msgspec import Struct

from pi_controller.protocol.probes import Level
from pi_controller.selftest.checks.computer import bat, clk, hwd, jrn, pwr, roo, rtc, sdc, sec, tmp, ups
from pi_controller.selftest.checks.line import ber, drf, ftd, lat, lpb, mrg, prt
from pi_controller.selftest.checks.looks import led, old
from pi_controller.selftest.checks.nodes import cen, pul, wdg
from pi_controller.selftest.checks.panel import bnc, hrn, lmp, psb, snd
from pi_controller.selftest.checks.rows import ntp, spr, vbs
from pi_controller.selftest.checks.walk import clm
from pi_controller.selftest.hall import NO_SEGMENTS, NO_TABLES, Ability, HallUnderTest
from pi_controller.selftest.verdicts import CheckOutcome, Code
from pi_controller.sentence import Sentence


class Check(Struct, frozen=True):
    """One check. `run` measures, judges and says what it found, unless `needs` says what is not fitted.
    `rests_on`: earlier checks whose findings or measurements it goes on from. `seconds` of machine time, and
    so many more for each board; `guided` by an operator. `of_a_node`: what it needs of a node, of which it
    says nothing otherwise; None: it is about no node. What is about nodes is on the bench about one."""

    title: Sentence
    run: Callable[[HallUnderTest], Awaitable[CheckOutcome]]
    levels: tuple[Level, ...]
    needs: Callable[[HallUnderTest], Sentence | None] | None = None
    rests_on: tuple[Code, ...] = ()
    guided: bool = False
    of_a_node: tuple[Ability, ...] | None = None
    seconds: float = 0.1
    seconds_a_board: float = 0.0
    seconds_on_the_bench: float | None = None

    def expected_s(self, level: Level, boards: int) -> float:
        """Machine time that it will take, roughly."""
        if level == "bench" and self.seconds_on_the_bench is not None:
            return self.seconds_on_the_bench
        return self.seconds + self.seconds_a_board * boards


# What a check needs: a sentence when it is not fitted.


def a_table(hall: HallUnderTest) -> Sentence | None:
    return None if hall.nodes() else hall.no_tables()


def any_table(hall: HallUnderTest) -> Sentence | None:
    return None if hall.answering() else NO_TABLES


def a_segment(hall: HallUnderTest) -> Sentence | None:
    return None if hall.fitted.segments else NO_SEGMENTS


def a_buzzer(hall: HallUnderTest) -> Sentence | None:
    return None if hall.fitted.buzzer else Sentence("selftest.buzzer_is_switched_off")


def sound(hall: HallUnderTest) -> Sentence | None:
    return None if hall.fitted.sound is not None else Sentence("selftest.no_sound_is_set")


ALL: tuple[Level, ...] = get_args(Level)
HALL: tuple[Level, ...] = ("field", "bench")
SILENT: tuple[Level, ...] = ("boot", "field")
FIELD: tuple[Level, ...] = ("field",)
BENCH: tuple[Level, ...] = ("bench",)

CHECKS: dict[Code, Check] = {
    "PWR": Check(Sentence("selftest.supply_of_the_controller"), pwr, ALL, seconds=0.6),
    "TMP": Check(Sentence("selftest.temperature_of_the_controller"), tmp, ALL),
    "RTC": Check(Sentence("selftest.clock_with_a_battery"), rtc, SILENT),
    "BAT": Check(Sentence("selftest.battery_of_that_clock"), bat, BENCH, rests_on=("RTC",), guided=True),
    "SDC": Check(Sentence("selftest.storage"), sdc, SILENT, seconds=1.0),
    "ROO": Check(Sentence("selftest.read_only_root"), roo, SILENT),
    "CLK": Check(Sentence("selftest.systems_clock_source"), clk, SILENT),
    "JRN": Check(Sentence("selftest.journal_round_trip"), jrn, SILENT),
    "HWD": Check(Sentence("selftest.hardware_watchdog_armed"), hwd, SILENT),
    "SEC": Check(Sentence("selftest.log_in_secrets"), sec, SILENT, seconds=0.5),
    "PRT": Check(Sentence("selftest.ports_of_the_table_bus"), prt, ALL),
    "FTD": Check(Sentence("selftest.latency_timer_of_the_adapters"), ftd, ALL, rests_on=("PRT",)),
    "LMP": Check(Sentence("selftest.lamps"), lmp, FIELD, guided=True),
    "HRN": Check(Sentence("selftest.buzzer"), hrn, FIELD, needs=a_buzzer, guided=True, seconds=0.6),
    "SND": Check(Sentence("selftest.sound"), snd, FIELD, needs=sound, guided=True, seconds=0.8),
    "PSB": Check(Sentence("selftest.pause_button"), psb, SILENT, rests_on=("LMP",), guided=True),
    "BNC": Check(Sentence("selftest.bounce_of_the_pause_button"), bnc, FIELD, rests_on=("PSB",)),
    "CEN": Check(
        Sentence("selftest.census_of_the_table_nodes"),
        cen,
        HALL,
        needs=a_segment,
        of_a_node=(),
        seconds=3.1,
    ),
    "CLM": Check(
        Sentence("selftest.claim_buttons_walked"),
        clm,
        HALL,
        rests_on=("CEN",),
        guided=True,
        of_a_node=("steady",),
    ),
    "BER": Check(
        Sentence("selftest.error_rate_of_the_table_bus"),
        ber,
        HALL,
        needs=a_table,
        rests_on=("CEN", "CLM"),
        of_a_node=("steady", "tests"),
        seconds=1.0,
        seconds_a_board=0.9,
        seconds_on_the_bench=40.0,
    ),
    "LAT": Check(
        Sentence("selftest.turnaround_of_the_table_nodes"),
        lat,
        HALL,
        needs=a_table,
        rests_on=("CLM", "BER"),
        of_a_node=("steady", "tests", "line"),
    ),
    "VBS": Check(
        Sentence("selftest.supply_along_the_rows"),
        vbs,
        HALL,
        needs=a_table,
        rests_on=("CEN", "CLM"),
        of_a_node=("steady", "supply"),
        seconds=6.0,
    ),
    "SPR": Check(
        Sentence("selftest.spare_wire_and_terminators"),
        spr,
        HALL,
        needs=a_table,
        rests_on=("CEN", "CLM"),
        of_a_node=("steady", "supply"),
    ),
    "NTP": Check(
        Sentence("selftest.temperature_of_the_table_nodes"),
        ntp,
        HALL,
        needs=a_table,
        rests_on=("CEN",),
        of_a_node=("steady",),
    ),
    "LED": Check(
        Sentence("selftest.lamps_of_the_tables"),
        led,
        HALL,
        rests_on=("CLM",),
        guided=True,
        of_a_node=("steady", "tests", "supply"),
        seconds=4.0,
    ),
    "OLD": Check(
        Sentence("selftest.displays"),
        old,
        HALL,
        rests_on=("CLM",),
        guided=True,
        of_a_node=("steady", "tests"),
        seconds=3.0,
    ),
    "LPB": Check(Sentence("selftest.loop_back_of_the_adapters"), lpb, BENCH, needs=a_segment, seconds=10.0),
    "MRG": Check(
        Sentence("selftest.margin_of_the_line"),
        mrg,
        HALL,
        needs=a_table,
        rests_on=("BER",),
        guided=True,
        of_a_node=("steady", "tests", "line"),
        seconds=5.0,
        seconds_a_board=0.4,
    ),
    "DRF": Check(
        Sentence("selftest.drift_of_the_nodes_clocks"),
        drf,
        BENCH,
        needs=a_table,
        rests_on=("CEN",),
        of_a_node=("steady", "tests"),
        seconds=62.0,
    ),
    "WDG": Check(
        Sentence("selftest.watchdog_of_the_nodes"),
        wdg,
        BENCH,
        needs=a_table,
        rests_on=("CEN",),
        of_a_node=("steady", "tests"),
        seconds=4.0,
    ),
    "PUL": Check(
        Sentence("selftest.cable_pulled_in_the_middle"),
        pul,
        BENCH,
        needs=any_table,
        rests_on=("CEN",),
        guided=True,
    ),
    "UPS": Check(Sentence("selftest.mains_failure"), ups, BENCH, guided=True),
}
"""In the order in which they run, by what they rest on: first who is there, then, by the walk, which node
stands where and how; only then what lies between them."""


def codes_of(level: Level) -> tuple[Code, ...]:
    """The checks of this level in their order."""
    return tuple(code for code, check in CHECKS.items() if level in check.levels)
