"""All checks by their codes: what is looked at, on which level, and how long it takes."""

from typing import get_args

from msgspec import Struct

from pi_controller.protocol.probes import Level
from pi_controller.selftest.verdicts import Code


class Check(Struct, frozen=True, kw_only=True):
    """`seconds` of machine time, and so many more for each board; `guided` by an operator; `of_a_node`: on
    the bench it is about the one node."""

    title: str
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
    "PWR": Check(title="supply of the controller", levels=ALL, seconds=0.6),
    "TMP": Check(title="temperature of the controller", levels=ALL),
    "RTC": Check(title="clock with a battery", levels=SILENT),
    "BAT": Check(title="battery of that clock", levels=BENCH, guided=True),
    "SDC": Check(title="storage", levels=SILENT, seconds=1.0),
    "ROO": Check(title="read-only root", levels=SILENT),
    "CLK": Check(title="the system's clock source", levels=SILENT),
    "JRN": Check(title="journal round trip", levels=SILENT),
    "HWD": Check(title="hardware watchdog armed", levels=SILENT),
    "SEC": Check(title="log-in secrets", levels=SILENT, seconds=0.5),
    "PRT": Check(title="ports of the table bus", levels=ALL),
    "FTD": Check(title="latency timer of the adapters", levels=ALL),
    "LMP": Check(title="lamps", levels=FIELD, guided=True),
    "HRN": Check(title="buzzer", levels=FIELD, guided=True, seconds=0.6),
    "SND": Check(title="sound", levels=FIELD, guided=True, seconds=0.8),
    "PSB": Check(title="pause button", levels=SILENT, guided=True),
    "BNC": Check(title="bounce of the pause button", levels=FIELD),
    "CEN": Check(title="census of the table nodes", levels=HALL, of_a_node=True, seconds=3.1),
    "BER": Check(
        title="error rate of the table bus",
        levels=HALL,
        of_a_node=True,
        seconds=1.0,
        seconds_a_board=0.9,
        seconds_on_the_bench=40.0,
    ),
    "LAT": Check(title="turnaround of the table nodes", levels=HALL, of_a_node=True),
    "VBS": Check(title="supply along the rows", levels=HALL, of_a_node=True, seconds=3.1),
    "NTP": Check(title="temperature of the table nodes", levels=HALL, of_a_node=True),
    "CLM": Check(title="claim buttons, walked", levels=HALL, guided=True, of_a_node=True),
    "LED": Check(title="lamps of the tables", levels=HALL, guided=True, of_a_node=True, seconds=0.2),
    "OLD": Check(title="displays", levels=HALL, guided=True, of_a_node=True, seconds=0.5),
    "LPB": Check(title="loop-back of the adapters", levels=BENCH, seconds=10.0),
    "MRG": Check(title="margin of the line", levels=BENCH, guided=True, of_a_node=True, seconds=5.0),
    "DRF": Check(title="drift of the nodes' clocks", levels=BENCH, of_a_node=True, seconds=62.0),
    "WDG": Check(title="watchdog of the nodes", levels=BENCH, of_a_node=True, seconds=4.0),
    "PUL": Check(title="cable pulled in the middle of a row", levels=BENCH, guided=True),
    "UPS": Check(title="mains failure", levels=BENCH, guided=True),
}
"""In the order in which they run: what needs nobody first, so that a dead bus is known before the walk; the
walk before the looks, so that a node that stands the other way round is mended when its lamps are looked
at."""


def codes_of(level: Level) -> tuple[Code, ...]:
    """The checks of this level in their order."""
    return tuple(code for code, check in CHECKS.items() if level in check.levels)
