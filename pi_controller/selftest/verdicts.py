"""What a check finds: a verdict with figures, the parts to swap and what mends them; and how it is noted."""

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check says; the session makes a Result of it."""

    verdict: Verdict
    sentence: str
    values: tuple[Value, ...] = ()
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot, ...] = ()


def not_fitted(sentence: str) -> Outcome:
    """The part is not there."""
    return Outcome("not_fitted", sentence)


def skipped(sentence: str) -> Outcome:
    """It could not be looked at; the sentence says why."""
    return Outcome("skipped", sentence)


class Record:
    """Values and findings as they come; `outcome` judges them all."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.findings: list[Finding] = []
        self.plots: list[Plot] = []

    def value(
        self, name: str, value: float | int | str | None, unit: str = "", *, limit: str = "", ok: bool = True
    ) -> bool:
        """Note the figure; returns `ok`."""
        rounded = round(value, 3) if isinstance(value, float) else value
        self.values.append(Value(name=name, value=rounded, unit=unit, limit=limit, ok=ok))
        return ok

    def fault(
        self,
        part: str,
        sentence: str,
        *,
        where: str = "",
        mend: Mend | None = None,
        severity: Severity = "failed",
    ) -> None:
        self.findings.append(Finding(part=part, where=where, sentence=sentence, mend=mend, severity=severity))

    def outcome(self, passed: str) -> Outcome:
        """`passed` is the sentence when nothing was found."""
        findings = tuple(self.findings)
        return Outcome(
            verdict_of(findings), summary(findings) or passed, tuple(self.values), findings, tuple(self.plots)
        )


def verdict_of(findings: Sequence[Finding]) -> Verdict:
    """A mended finding is worth a warning: somebody should know that it was there."""
    if any(finding.severity == "failed" and not finding.mended for finding in findings):
        return "failed"
    return "warning" if findings else "passed"


def summary(findings: Sequence[Finding]) -> str:
    """The gravest finding's sentence, and how many more there are."""
    if not findings:
        return ""
    first = min(findings, key=lambda finding: (finding.mended, finding.severity != "failed"))
    more = len(findings) - 1
    return first.sentence if not more else f"{first.sentence} {more} more of this check's findings follow."


def named(names: Sequence[str], most: int = 8) -> str:
    """Names as they stand in a sentence; more than `most` are only counted."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
