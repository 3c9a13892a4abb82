"""All checks by their codes: what is looked at, on which level, and how long it takes."""

from msgspec import Struct

from pi_controller.selftest.verdicts import Code, Level


class Check(Struct, frozen=True, kw_only=True):
    """`seconds` of machine time, and so many more for each board; `guided` by an operator."""

    title: str
    levels: tuple[Level, ...]
    guided: bool = False
    seconds: float = 0.1
    seconds_a_board: float = 0.0


ALL: tuple[Level, ...] = ("boot", "field", "bench")
HALL: tuple[Level, ...] = ("field", "bench")
SILENT: tuple[Level, ...] = ("boot", "field")
FIELD: tuple[Level, ...] = ("field",)
BENCH: tuple[Level, ...] = ("bench",)

CHECKS: dict[Code, Check] = {
    "PWR": Check(title="supply of the controller", levels=ALL),
    "TMP": Check(title="temperature of the controller", levels=ALL),
    "RTC": Check(title="clock with a battery", levels=SILENT),
    "BAT": Check(title="battery of that clock", levels=BENCH, guided=True),
    "SDC": Check(title="storage", levels=SILENT, seconds=1.0),
    "ROO": Check(title="read-only root", levels=SILENT),
    "CLK": Check(title="the system's clock source", levels=SILENT),
    "JRN": Check(title="journal round trip", levels=SILENT, seconds=0.3),
    "HWD": Check(title="hardware watchdog armed", levels=SILENT),
    "SEC": Check(title="log-in secrets", levels=SILENT, seconds=0.5),
    "PRT": Check(title="ports of the table bus", levels=ALL),
    "FTD": Check(title="latency timer of the adapters", levels=ALL),
    "LMP": Check(title="lamps", levels=FIELD, guided=True, seconds=3.0),
    "HRN": Check(title="buzzer", levels=FIELD, guided=True, seconds=1.0),
    "SND": Check(title="sound", levels=FIELD, guided=True, seconds=1.0),
    "PSB": Check(title="pause button", levels=FIELD, guided=True),
    "BNC": Check(title="bounce of the pause button", levels=FIELD),
    "CEN": Check(title="census of the table nodes", levels=HALL, seconds=5.0),
    "BER": Check(title="error rate of the table bus", levels=HALL, seconds=2.0, seconds_a_board=1.0),
    "LAT": Check(title="turnaround of the table nodes", levels=HALL),
    "VBS": Check(title="supply along the rows", levels=HALL, seconds=4.0),
    "NTP": Check(title="temperature of the table nodes", levels=HALL),
    "LED": Check(title="lamps of the tables", levels=HALL, guided=True, seconds=2.0),
    "OLD": Check(title="displays", levels=HALL, guided=True, seconds=2.0),
    "CLM": Check(title="claim buttons, walked", levels=HALL, guided=True, seconds=2.0),
    "LPB": Check(title="loop-back of the adapters", levels=BENCH, seconds=10.0),
    "MRG": Check(title="margin of the line", levels=BENCH, guided=True, seconds=10.0),
    "DRF": Check(title="drift of the nodes' clocks", levels=BENCH, seconds=65.0),
    "WDG": Check(title="watchdog of the nodes", levels=BENCH, seconds=15.0),
    "PUL": Check(title="cable pulled in the middle of a row", levels=BENCH, guided=True),
    "UPS": Check(title="mains failure", levels=BENCH, guided=True),
}
"""In the order in which they run: what needs nobody first, so that a dead bus is known before the walk."""


def codes_of(level: Level) -> tuple[Code, ...]:
    """The checks of this level in their order."""
    return tuple(code for code, check in CHECKS.items() if level in check.levels)
