"""All checks by their codes: what is looked at, on which level, and how long it takes."""

from typing import get_args

from msgspec import Struct

from pi_controller.protocol.probes import Level
from pi_controller.selftest.verdicts import Code
from pi_controller.sentence import Sentence


class Check(Struct, frozen=True, kw_only=True):
    """`seconds` of machine time, and so many more for each board; `guided` by an operator; `of_a_node`: on
    the bench it is about the one node."""

    title: Sentence
    levels: tuple[Level, ...]
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


ALL: tuple[Level, ...] = get_args(Level)
HALL: tuple[Level, ...] = ("field", "bench")
SILENT: tuple[Level, ...] = ("boot", "field")
FIELD: tuple[Level, ...] = ("field",)
BENCH: tuple[Level, ...] = ("bench",)

CHECKS: dict[Code, Check] = {
    "PWR": Check(title=Sentence("selftest.supply_of_the_controller"), levels=ALL, seconds=0.6),
    "TMP": Check(title=Sentence("selftest.temperature_of_the_controller"), levels=ALL),
    "RTC": Check(title=Sentence("selftest.clock_with_a_battery"), levels=SILENT),
    "BAT": Check(title=Sentence("selftest.battery_of_that_clock"), levels=BENCH, guided=True),
    "SDC": Check(title=Sentence("selftest.storage"), levels=SILENT, seconds=1.0),
    "ROO": Check(title=Sentence("selftest.read_only_root"), levels=SILENT),
    "CLK": Check(title=Sentence("selftest.systems_clock_source"), levels=SILENT),
    "JRN": Check(title=Sentence("selftest.journal_round_trip"), levels=SILENT),
    "HWD": Check(title=Sentence("selftest.hardware_watchdog_armed"), levels=SILENT),
    "SEC": Check(title=Sentence("selftest.log_in_secrets"), levels=SILENT, seconds=0.5),
    "PRT": Check(title=Sentence("selftest.ports_of_the_table_bus"), levels=ALL),
    "FTD": Check(title=Sentence("selftest.latency_timer_of_the_adapters"), levels=ALL),
    "LMP": Check(title=Sentence("selftest.lamps"), levels=FIELD, guided=True),
    "HRN": Check(title=Sentence("selftest.buzzer"), levels=FIELD, guided=True, seconds=0.6),
    "SND": Check(title=Sentence("selftest.sound"), levels=FIELD, guided=True, seconds=0.8),
    "PSB": Check(title=Sentence("selftest.pause_button"), levels=SILENT, guided=True),
    "BNC": Check(title=Sentence("selftest.bounce_of_the_pause_button"), levels=FIELD),
    "CEN": Check(
        title=Sentence("selftest.census_of_the_table_nodes"), levels=HALL, of_a_node=True, seconds=3.1
    ),
    "BER": Check(
        title=Sentence("selftest.error_rate_of_the_table_bus"),
        levels=HALL,
        of_a_node=True,
        seconds=1.0,
        seconds_a_board=0.9,
        seconds_on_the_bench=40.0,
    ),
    "LAT": Check(title=Sentence("selftest.turnaround_of_the_table_nodes"), levels=HALL, of_a_node=True),
    "VBS": Check(title=Sentence("selftest.supply_along_the_rows"), levels=HALL, of_a_node=True, seconds=6.0),
    "SPR": Check(title=Sentence("selftest.spare_wire_and_terminators"), levels=HALL, of_a_node=True),
    "NTP": Check(title=Sentence("selftest.temperature_of_the_table_nodes"), levels=HALL, of_a_node=True),
    "CLM": Check(title=Sentence("selftest.claim_buttons_walked"), levels=HALL, guided=True, of_a_node=True),
    "LED": Check(
        title=Sentence("selftest.lamps_of_the_tables"), levels=HALL, guided=True, of_a_node=True, seconds=4.0
    ),
    "OLD": Check(title=Sentence("selftest.displays"), levels=HALL, guided=True, of_a_node=True, seconds=3.0),
    "LPB": Check(title=Sentence("selftest.loop_back_of_the_adapters"), levels=BENCH, seconds=10.0),
    "MRG": Check(
        title=Sentence("selftest.margin_of_the_line"),
        levels=HALL,
        guided=True,
        of_a_node=True,
        seconds=5.0,
        seconds_a_board=0.4,
    ),
    "DRF": Check(
        title=Sentence("selftest.drift_of_the_nodes_clocks"), levels=BENCH, of_a_node=True, seconds=62.0
    ),
    "WDG": Check(title=Sentence("selftest.watchdog_of_the_nodes"), levels=BENCH, of_a_node=True, seconds=4.0),
    "PUL": Check(title=Sentence("selftest.cable_pulled_in_the_middle"), levels=BENCH, guided=True),
    "UPS": Check(title=Sentence("selftest.mains_failure"), levels=BENCH, guided=True),
}
"""In the order in which they run: what needs nobody first, so that a dead bus is known before the walk; the
walk before the looks, so that a node that stands the other way round is mended when its lamps are looked
at."""


def codes_of(level: Level) -> tuple[Code, ...]:
    """The checks of this level in their order."""
    return tuple(code for code, check in CHECKS.items() if level in check.levels)
