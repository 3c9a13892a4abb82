"""A report on paper: the verdict first, then what to do, then every figure."""

from collections.abc import Sequence

from pi_controller.paper.document import Paper, Tone
from pi_controller.paper.picture import bars
from pi_controller.selftest.report import Change, NodeBaseline, Report
from pi_controller.selftest.verdicts import Result, Value, Verdict

WORDS: dict[Verdict, str] = {
    "passed": "passed",
    "failed": "FAILED",
    "warning": "warning",
    "not_fitted": "not fitted",
    "skipped": "left out",
}
TONES: dict[Verdict, Tone] = {
    "passed": "good",
    "failed": "bad",
    "warning": "warn",
    "not_fitted": "",
    "skipped": "warn",
}
OVERALL: dict[Verdict, str] = {
    "passed": "Passed: everything that is fitted and was tested is in order.",
    "failed": "Failed: mend what stands below before you open the doors.",
    "warning": "Nothing failed, with warnings: look at what stands below.",
    "not_fitted": "Nothing was tested: no part is fitted.",
    "skipped": "Not passed: it was stopped, or nothing was tested.",
}


def print_report(report: Report) -> bytes:
    """The PDF's bytes: the same for the same report."""
    paper = Paper(
        f"Self-test, {report.level} level",
        f"{report.when} · {report.host} · {report.operator}",
        foot=f"pi-controller {report.software} · report of {report.when}",
    )
    paper.paragraph(OVERALL[report.verdict], tone=TONES[report.verdict])
    for note in report.notes:
        paper.paragraph(note, tone="warn")
    _what_to_do(paper, report.results)
    _results(paper, report.results)
    _figures(paper, report.results)
    _plots(paper, report.results)
    _changes(paper, report)
    _nodes(paper, report.nodes)
    paper.key_values(
        [
            ("machine time", f"{report.seconds:.1f} s"),
            ("operator's time", f"{report.operator_seconds:.0f} s"),
            ("checks", " ".join(report.only) or "all of the level"),
        ]
    )
    return paper.pdf()


def _what_to_do(paper: Paper, results: Sequence[Result]) -> None:
    rows = [
        (result.code, finding.where or "panel", finding.part, finding.sentence)
        for result in results
        for finding in result.findings
    ]
    if rows:
        tones: list[Tone] = [
            "warn" if finding.mended or finding.severity == "warning" else "bad"
            for result in results
            for finding in result.findings
        ]
        paper.heading("What to do")
        paper.table(("code", "where", "part", "what"), rows, tones=tones, widths=(0.08, 0.12, 0.28, 0.52))


def _results(paper: Paper, results: Sequence[Result]) -> None:
    paper.heading("All checks")
    paper.table(
        ("code", "check", "verdict", "in a sentence"),
        [(result.code, result.title, WORDS[result.verdict], result.sentence) for result in results],
        tones=[TONES[result.verdict] for result in results],
        widths=(0.08, 0.25, 0.12, 0.55),
    )


def _figures(paper: Paper, results: Sequence[Result]) -> None:
    rows = [
        (result.code, value.name, said(value), value.limit, "" if value.ok else "outside")
        for result in results
        for value in result.values
    ]
    if rows:
        paper.heading("Figures and limits")
        paper.table(("code", "figure", "found", "limit", ""), rows, widths=(0.08, 0.35, 0.25, 0.22, 0.1))


def said(value: Value) -> str:
    """A figure with its unit."""
    if value.value is None:
        return "not read"
    return f"{value.value} {value.unit}".strip()


def _plots(paper: Paper, results: Sequence[Result]) -> None:
    for plot in (plot for result in results for plot in result.plots):
        paper.heading(plot.title, level=2)
        labels = [bar.label for bar in plot.bars]
        paper.picture(bars([bar.count for bar in plot.bars], labels=labels, unit=f"count, by {plot.unit}"))


def _changes(paper: Paper, report: Report) -> None:
    if report.compared_with is None:
        return
    paper.heading(f"Changes since {report.compared_with}")
    if not report.changes:
        paper.paragraph("No node is noticeably other than it was.")
        return
    paper.table(
        ("board", "node", "figure", "before", "now"),
        [_change(change) for change in report.changes],
        tones=["bad" if change.worse else "" for change in report.changes],
    )


def _change(change: Change) -> tuple[str, ...]:
    before, now = (f"{value} {change.unit}".strip() for value in (change.before, change.now))
    return (change.board or "–", change.uid, change.figure, before, now)


def _nodes(paper: Paper, nodes: dict[str, NodeBaseline]) -> None:
    if not nodes:
        return
    paper.heading("Nodes")
    paper.table(
        ("board", "node", "firmware", "V", "°C", "lost", "p50 ms", "p99 ms", "drift ppm"),
        [
            (
                node.board or "–",
                uid,
                node.firmware,
                _number(node.supply_v),
                _number(node.temperature_c),
                "" if node.frames is None else f"{node.bad_frames}/{node.frames}",
                _number(node.turnaround_p50_ms),
                _number(node.turnaround_p99_ms),
                _number(node.drift_ppm),
            )
            for uid, node in nodes.items()
        ],
        right=(3, 4, 5, 6, 7, 8),
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
