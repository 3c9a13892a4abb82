"""What a check finds: a verdict with figures, the parts to swap, and deeds that mend it."""

from typing import Literal

from msgspec import Struct

Severity = Literal["failed", "warning"]
Verdict = Literal["passed", Severity, "not_fitted", "skipped"]
"""not_fitted (the part is not there) and skipped (somebody or something left it out) are no pass."""
Code = Literal[
    "PWR", "TMP", "RTC", "BAT", "SDC", "LMP", "HRN", "PSB", "BNC", "OLD", "LED", "LPB", "BER", "MRG", "CEN",
    "VBS", "NTP", "DRF", "LAT", "CLM", "WDG", "PUL", "UPS", "ROO", "CLK", "JRN", "SND", "PRT", "FTD", "HWD",
    "SEC",
]  # fmt: skip
MendDeed = Literal["swap_sides", "exchange_boards", "place"]


class Value(Struct, frozen=True, kw_only=True):
    """One figure: of what (`name`), what was found (None: it could not be read), and its limit in words."""

    name: str
    value: float | int | str | None
    unit: str = ""
    limit: str = ""
    ok: bool = True


class Mend(Struct, frozen=True, kw_only=True):
    """One action that mends a finding. swap_sides: the node at `board` stands the other way round;
    exchange_boards: the nodes of `board` and `other` change places in the roster; place: node `uid` stands at
    `board`. `label` is what a button for it says."""

    do: MendDeed
    board: str
    label: str
    other: str = ""
    uid: str = ""


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is wrong: the part to swap, where it is (a board, a segment, or nothing for the panel),
    and what to do."""

    part: str
    where: str
    sentence: str
    severity: Severity = "failed"
    mend: Mend | None = None
    mended: bool = False


class Bar(Struct, frozen=True, kw_only=True):
    """One bar of a plot."""

    label: str
    count: int


class Plot(Struct, frozen=True, kw_only=True):
    """Counts to be drawn as bars, from left to right."""

    title: str
    unit: str
    bars: tuple[Bar, ...]


class Result(Struct, frozen=True, kw_only=True):
    """One check's outcome. `sentence` sums it up; `seconds` is its machine time, without the operator's."""

    code: Code
    title: str
    verdict: Verdict
    sentence: str
    values: tuple[Value, ...] = ()
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot, ...] = ()
    seconds: float = 0.0
