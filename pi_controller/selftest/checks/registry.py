"""The check behind each code."""

from collections.abc import Callable

from pi_controller.selftest.checks.bounce import bnc
from pi_controller.selftest.checks.button import psb
from pi_controller.selftest.checks.census import cen
from pi_controller.selftest.checks.clocks import bat, clk, rtc
from pi_controller.selftest.checks.computer import hwd, sec
from pi_controller.selftest.checks.line import ber, lpb, mrg
from pi_controller.selftest.checks.looks import led, old
from pi_controller.selftest.checks.panel import hrn, lmp, snd
from pi_controller.selftest.checks.ports import ftd, prt
from pi_controller.selftest.checks.provoked import pul, ups, wdg
from pi_controller.selftest.checks.rows import ntp, vbs
from pi_controller.selftest.checks.storage import jrn, roo, sdc
from pi_controller.selftest.checks.supply import pwr, tmp
from pi_controller.selftest.checks.timing import drf, lat
from pi_controller.selftest.checks.walk import clm
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome
from pi_controller.selftest.verdicts import Code

RUN: dict[Code, Callable[[Hall], Outcome]] = {
    "PWR": pwr, "TMP": tmp, "RTC": rtc, "BAT": bat, "SDC": sdc, "ROO": roo, "CLK": clk, "JRN": jrn,
    "HWD": hwd, "SEC": sec, "PRT": prt, "FTD": ftd, "LMP": lmp, "HRN": hrn, "SND": snd, "PSB": psb,
    "BNC": bnc, "CEN": cen, "BER": ber, "LAT": lat, "VBS": vbs, "NTP": ntp, "LED": led, "OLD": old,
    "CLM": clm, "LPB": lpb, "MRG": mrg, "DRF": drf, "WDG": wdg, "PUL": pul, "UPS": ups,
}  # fmt: skip
