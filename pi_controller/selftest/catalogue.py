"""The table of checks: what each looks at, what it rests on and needs, on which levels, and how long."""

from collections.abc import Callable
from typing import get_args

from msgspec import Struct

from pi_controller.protocol.probes import Level
from pi_controller.selftest.checks.button import bnc, psb
from pi_controller.selftest.checks.census import cen
from pi_controller.selftest.checks.computer import bat, clk, hwd, jrn, pwr, roo, rtc, sdc, sec, tmp
from pi_controller.selftest.checks.line import ber, drf, ftd, lat, lpb, mrg, prt
from pi_controller.selftest.checks.looks import led, old
from pi_controller.selftest.checks.panel import hrn, lmp, snd
from pi_controller.selftest.checks.provoked import pul, ups, wdg
from pi_controller.selftest.checks.rows import ntp, spr, vbs
from pi_controller.selftest.checks.walk import clm
from pi_controller.selftest.hall import NO_SEGMENTS, NO_TABLES, HallUnderTest
from pi_controller.selftest.verdicts import Code, Outcome
from pi_controller.sentence import Sentence


class Check(Struct, frozen=True, kw_only=True):
    """One check. `run` measures, judges and says what it found, unless `needs` says what is not fitted.
    `rests_on`: earlier checks whose findings or measurements it goes on from. `seconds` of machine time, and
    so many more for each board; `guided` by an operator; `of_a_node`: on the bench about the one node."""

    title: Sentence
    run: Callable[[HallUnderTest], Outcome]
    levels: tuple[Level, ...]
    needs: Callable[[HallUnderTest], Sentence | None] | None = None
    rests_on: tuple[Code, ...] = ()
    guided: bool = False
    of_a_node: bool = False
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
    return None if hall.nodes() else NO_TABLES


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
    "PWR": Check(title=Sentence("selftest.supply_of_the_controller"), run=pwr, levels=ALL, seconds=0.6),
    "TMP": Check(title=Sentence("selftest.temperature_of_the_controller"), run=tmp, levels=ALL),
    "RTC": Check(title=Sentence("selftest.clock_with_a_battery"), run=rtc, levels=SILENT),
    "BAT": Check(
        title=Sentence("selftest.battery_of_that_clock"),
        run=bat,
        rests_on=("RTC",),
        levels=BENCH,
        guided=True,
    ),
    "SDC": Check(title=Sentence("selftest.storage"), run=sdc, levels=SILENT, seconds=1.0),
    "ROO": Check(title=Sentence("selftest.read_only_root"), run=roo, levels=SILENT),
    "CLK": Check(title=Sentence("selftest.systems_clock_source"), run=clk, levels=SILENT),
    "JRN": Check(title=Sentence("selftest.journal_round_trip"), run=jrn, levels=SILENT),
    "HWD": Check(title=Sentence("selftest.hardware_watchdog_armed"), run=hwd, levels=SILENT),
    "SEC": Check(title=Sentence("selftest.log_in_secrets"), run=sec, levels=SILENT, seconds=0.5),
    "PRT": Check(title=Sentence("selftest.ports_of_the_table_bus"), run=prt, levels=ALL),
    "FTD": Check(
        title=Sentence("selftest.latency_timer_of_the_adapters"), run=ftd, rests_on=("PRT",), levels=ALL
    ),
    "LMP": Check(title=Sentence("selftest.lamps"), run=lmp, levels=FIELD, guided=True),
    "HRN": Check(
        title=Sentence("selftest.buzzer"), run=hrn, needs=a_buzzer, levels=FIELD, guided=True, seconds=0.6
    ),
    "SND": Check(
        title=Sentence("selftest.sound"), run=snd, needs=sound, levels=FIELD, guided=True, seconds=0.8
    ),
    "PSB": Check(
        title=Sentence("selftest.pause_button"), run=psb, rests_on=("LMP",), levels=SILENT, guided=True
    ),
    "BNC": Check(
        title=Sentence("selftest.bounce_of_the_pause_button"), run=bnc, rests_on=("PSB",), levels=FIELD
    ),
    "CEN": Check(
        title=Sentence("selftest.census_of_the_table_nodes"),
        run=cen,
        needs=a_segment,
        levels=HALL,
        of_a_node=True,
        seconds=3.1,
    ),
    "BER": Check(
        title=Sentence("selftest.error_rate_of_the_table_bus"),
        run=ber,
        needs=a_table,
        rests_on=("CEN",),
        levels=HALL,
        of_a_node=True,
        seconds=1.0,
        seconds_a_board=0.9,
        seconds_on_the_bench=40.0,
    ),
    "LAT": Check(
        title=Sentence("selftest.turnaround_of_the_table_nodes"),
        run=lat,
        needs=a_table,
        rests_on=("BER",),
        levels=HALL,
        of_a_node=True,
    ),
    "VBS": Check(
        title=Sentence("selftest.supply_along_the_rows"),
        run=vbs,
        needs=a_table,
        rests_on=("CEN",),
        levels=HALL,
        of_a_node=True,
        seconds=6.0,
    ),
    "SPR": Check(
        title=Sentence("selftest.spare_wire_and_terminators"),
        run=spr,
        needs=a_table,
        rests_on=("CEN",),
        levels=HALL,
        of_a_node=True,
    ),
    "NTP": Check(
        title=Sentence("selftest.temperature_of_the_table_nodes"),
        run=ntp,
        needs=a_table,
        rests_on=("CEN",),
        levels=HALL,
        of_a_node=True,
    ),
    "CLM": Check(
        title=Sentence("selftest.claim_buttons_walked"),
        run=clm,
        rests_on=("CEN",),
        levels=HALL,
        guided=True,
        of_a_node=True,
    ),
    "LED": Check(
        title=Sentence("selftest.lamps_of_the_tables"),
        run=led,
        rests_on=("CLM",),
        levels=HALL,
        guided=True,
        of_a_node=True,
        seconds=4.0,
    ),
    "OLD": Check(
        title=Sentence("selftest.displays"),
        run=old,
        rests_on=("CLM",),
        levels=HALL,
        guided=True,
        of_a_node=True,
        seconds=3.0,
    ),
    "LPB": Check(
        title=Sentence("selftest.loop_back_of_the_adapters"),
        run=lpb,
        needs=a_segment,
        levels=BENCH,
        seconds=10.0,
    ),
    "MRG": Check(
        title=Sentence("selftest.margin_of_the_line"),
        run=mrg,
        needs=a_table,
        rests_on=("BER",),
        levels=HALL,
        guided=True,
        of_a_node=True,
        seconds=5.0,
        seconds_a_board=0.4,
    ),
    "DRF": Check(
        title=Sentence("selftest.drift_of_the_nodes_clocks"),
        run=drf,
        needs=a_table,
        rests_on=("CEN",),
        levels=BENCH,
        of_a_node=True,
        seconds=62.0,
    ),
    "WDG": Check(
        title=Sentence("selftest.watchdog_of_the_nodes"),
        run=wdg,
        needs=a_table,
        rests_on=("CEN",),
        levels=BENCH,
        of_a_node=True,
        seconds=4.0,
    ),
    "PUL": Check(
        title=Sentence("selftest.cable_pulled_in_the_middle"),
        run=pul,
        needs=any_table,
        rests_on=("CEN",),
        levels=BENCH,
        guided=True,
    ),
    "UPS": Check(title=Sentence("selftest.mains_failure"), run=ups, levels=BENCH, guided=True),
}
"""In the order in which they run: what needs nobody first, so that a dead bus is known before the walk; the
walk before the looks, so that a node that stands the other way round is mended when its lamps are looked
at."""


def codes_of(level: Level) -> tuple[Code, ...]:
    """The checks of this level in their order."""
    return tuple(code for code, check in CHECKS.items() if level in check.levels)
