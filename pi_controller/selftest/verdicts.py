"""What a check finds: a verdict with figures, the parts to swap and what fixes them; and how it is noted."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from msgspec import Struct, field

from pi_controller.language.words import shown, words
from pi_controller.protocol.sentences import SentenceView, sentence, view
from pi_controller.sentence import Sentence, as_told, listed, separated

Severity = Literal["failed", "warning"]
Verdict = Literal["passed", Severity, "not_fitted", "skipped"]
"""not_fitted (the part is not there) and skipped (somebody or something left it out) are no pass."""
VERDICTS: dict[Verdict, Sentence] = {
    "passed": Sentence("selftest.passed"),
    "failed": Sentence("selftest.failed"),
    "warning": Sentence("selftest.warning"),
    "not_fitted": Sentence("selftest.not_fitted"),
    "skipped": Sentence("selftest.verdict_left_out"),
}
"""What each is called."""
Code = Literal[
    "PWR", "TMP", "RTC", "BAT", "SDC", "ROO", "CLK", "JRN", "HWD", "SEC", "PRT", "FTD", "LMP", "HRN", "SND",
    "PSB", "BNC", "CEN", "CLM", "BER", "LAT", "VBS", "SPR", "NTP", "LED", "OLD", "LPB", "MRG", "DRF", "WDG",
    "PUL", "UPS",
]  # fmt: skip
"""In the order in which the checks run; `catalogue.py` says what each is."""
FixAction = Literal["swap_sides", "exchange_boards", "place"]


class Value(Struct, frozen=True, kw_only=True):
    """One figure: of what (`name`), what was found (None: it could not be read), and its limit in words. The
    sentences beside name, value and limit are what they were before, None in reports of older versions."""

    name: str
    value: float | int | str | None
    unit: str = ""
    limit: str = ""
    ok: bool = True
    key: str = ""
    """Of the figure's name, for whoever compares reports; empty in those of older versions."""
    name_key: SentenceView | None = None
    value_key: SentenceView | None = None
    limit_key: SentenceView | None = None


class Fix(Struct, frozen=True, kw_only=True):
    """One action that fixes a finding. swap_sides: the node at `board` stands the other way round;
    exchange_boards: the nodes of `board` and `other` change places in the roster; place: node `uid` stands at
    `board`. `label` is what a button for it says."""

    do: FixAction
    board: str
    label: str
    other: str = ""
    uid: str = ""
    label_key: SentenceView | None = None


def swap_sides(board: str) -> Fix:
    label = Sentence("selftest.exchange_sun_and_moon", board=board)
    return Fix(do="swap_sides", board=board, label=words(label), label_key=view(label))


def exchange_boards(board: str, other: str) -> Fix:
    label = Sentence("selftest.exchange_boards", first=board, second=other)
    return Fix(do="exchange_boards", board=board, other=other, label=words(label), label_key=view(label))


def place(board: str, uid: str) -> Fix:
    label = Sentence("selftest.stands_at_board_now", node=uid, board=board)
    return Fix(do="place", board=board, uid=uid, label=words(label), label_key=view(label))


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is wrong: the part to swap, where it is (a board, a segment, or nothing for the panel),
    and what to do."""

    part: str
    where: str
    sentence: str
    severity: Severity = "failed"
    fix: Fix | None = field(default=None, name="mend")
    mended: bool = False
    part_key: SentenceView | None = None
    """Part and sentence before they were put into words; None in reports of older versions."""
    sentence_key: SentenceView | None = None


class Bar(Struct, frozen=True, kw_only=True):
    """One bar of a plot."""

    label: str
    count: int
    label_key: SentenceView | None = None


class Plot(Struct, frozen=True, kw_only=True):
    """Counts to be drawn as bars, from left to right."""

    title: str
    unit: str
    bars: tuple[Bar, ...]
    title_key: SentenceView | None = None


class CheckResult(Struct, frozen=True, kw_only=True):
    """One check's outcome. `sentence` sums it up; `seconds` is its machine time, without the operator's."""

    code: Code
    title: str
    verdict: Verdict
    sentence: str
    values: tuple[Value, ...] = ()
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot, ...] = ()
    seconds: float = 0.0
    title_key: SentenceView | None = None
    """Title and sentence before they were put into words; None in reports of older versions."""
    sentence_key: SentenceView | None = None


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What a check says; the session makes a Result of it."""

    verdict: Verdict
    sentence: Sentence
    values: tuple[Value, ...] = ()
    findings: tuple[Finding, ...] = ()
    plots: tuple[Plot, ...] = ()


def not_fitted(sentence: Sentence) -> CheckOutcome:
    """The part is not there."""
    return CheckOutcome("not_fitted", sentence)


def skipped(sentence: Sentence) -> CheckOutcome:
    """It could not be looked at; the sentence says why."""
    return CheckOutcome("skipped", sentence)


class Limit(NamedTuple):
    """What a figure is judged by, in words and as a function of the figure."""

    text: Sentence | str
    keeps: Callable[[float], bool]


def below(most: float) -> Limit:
    return Limit(Sentence("selftest.below", limit=most), lambda found: found < most)


def at_most(most: float) -> Limit:
    return Limit(Sentence("selftest.at_most", limit=most), lambda found: found <= most)


def above(least: float) -> Limit:
    return Limit(Sentence("selftest.above", limit=least), lambda found: found > least)


def at_least(least: float) -> Limit:
    return Limit(Sentence("selftest.at_least", limit=least), lambda found: found >= least)


NONE = Limit("0", lambda found: found == 0)
YES, NO = Sentence("selftest.yes"), Sentence("selftest.no")
WHOLE, DAMAGED = Sentence("selftest.whole"), Sentence("selftest.damaged")
SEEN, NOT_SEEN = Sentence("selftest.seen"), Sentence("selftest.not_seen")


class CheckRecord:
    """Values and findings as they come, as the report has them; `outcome` judges them all."""

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self.values = list(values)
        self.findings: list[Finding] = []
        self.plots: list[Plot] = []

    def value(
        self,
        name: Sentence,
        value: float | int | str | Sentence | None,
        unit: str = "",
        *,
        limit: str | Sentence = "",
        ok: bool = True,
    ) -> bool:
        """Note the figure; returns `ok`."""
        if isinstance(value, float):
            value = round(value, 3)
        self.values.append(
            Value(
                name=words(name),
                value=words(value) if isinstance(value, Sentence) else value,
                unit=unit,
                limit=shown(limit),
                ok=ok,
                key=name.key,
                name_key=view(name),
                value_key=view(value) if isinstance(value, Sentence) else None,
                limit_key=view(limit) if isinstance(limit, Sentence) else None,
            )
        )
        return ok

    def figure(self, name: Sentence, value: float | None, unit: str, limit: Limit) -> bool:
        """Note the figure and judge it by its limit; one that was not read (None) is beyond it. Whether it
        keeps it."""
        kept = value is not None and limit.keeps(value)
        return self.value(name, value, unit, limit=limit.text, ok=kept)

    def fact(
        self, name: Sentence, *, holds: bool, wanted: bool = True, word: Sentence = YES, other: Sentence = NO
    ) -> bool:
        """Note whether something holds, by this word or the other; whether that is as wanted."""
        found, limit = (word if it else other for it in (holds, wanted))
        return self.value(name, found, limit=limit, ok=holds == wanted)

    def fault(
        self,
        part: Sentence,
        sentence: Sentence,
        *,
        where: str = "",
        fix: Fix | None = None,
        severity: Severity = "failed",
    ) -> None:
        self.findings.append(
            Finding(
                part=words(part),
                where=where,
                sentence=words(sentence),
                severity=severity,
                fix=fix,
                part_key=view(part),
                sentence_key=view(sentence),
            )
        )

    def accuses(self, part: Sentence) -> bool:
        """Whether something is told of this part already."""
        return any(finding.part_key == view(part) for finding in self.findings)

    def fault_of_node(
        self, board: str, sentence: Sentence, *, fix: Fix | None = None, severity: Severity = "failed"
    ) -> None:
        """Of the node at this board."""
        part = Sentence("selftest.node_of_board", board=board)
        self.fault(part, sentence, where=board, fix=fix, severity=severity)

    def outcome(self, passed: Sentence) -> CheckOutcome:
        """`passed` is said when nothing was found."""
        findings = tuple(self.findings)
        return CheckOutcome(
            verdict_of(findings), summary(findings) or passed, tuple(self.values), findings, tuple(self.plots)
        )


def verdict_of(findings: Sequence[Finding]) -> Verdict:
    """A mended finding is worth a warning: somebody should know that it was there."""
    if any(finding.severity == "failed" and not finding.mended for finding in findings):
        return "failed"
    return "warning" if findings else "passed"


def summary(findings: Sequence[Finding]) -> Sentence | None:
    """The gravest finding's sentence, and how many more there are; None without findings."""
    if not findings:
        return None
    first = said_of(min(findings, key=lambda finding: (finding.mended, finding.severity != "failed")))
    more = len(findings) - 1
    return Sentence("selftest.more_findings_follow", first=first, count=more) if more else first


def said(text: str | None, key: SentenceView | None = None) -> Sentence | None:
    """What core says, by its key where it gives one; None: it says nothing."""
    if key is not None:
        return sentence(key)
    return None if text is None else as_told(text)


def said_of(finding: Finding) -> Sentence:
    """Its sentence, to be put into words anew."""
    return said(finding.sentence, finding.sentence_key) or as_told("")


def named(names: Sequence[Sentence | str], most: int = 8) -> Sentence:
    """Names as they stand in a sentence; more than `most` are only counted. At least one."""
    if len(names) <= most:
        return listed(names)
    return Sentence("selftest.names_and_more", names=separated(names[:most]), count=len(names) - most)
