"""How a check writes down what it has found."""

from collections.abc import Sequence
from dataclasses import dataclass

from pi_controller.selftest.verdicts import Finding, Mend, Plot, Severity, Value, Verdict


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
