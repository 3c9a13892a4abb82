"""A report on paper: the verdict first, then what to do, then every figure."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from pi_controller.language.words import all_words, number_text, words
from pi_controller.paper.document import Paper, Tone
from pi_controller.paper.picture import bars
from pi_controller.protocol.probes import Level
from pi_controller.protocol.sentences import SentenceView, told
from pi_controller.selftest.report import FigureChange, NodeBaseline, SelfTestReport
from pi_controller.selftest.verdicts import VERDICTS, CheckResult, Verdict
from pi_controller.sentence import Sentence

TONES: dict[Verdict, Tone] = {
    "passed": "good",
    "failed": "bad",
    "warning": "warn",
    "not_fitted": "",
    "skipped": "warn",
}
OVERALL: dict[Verdict, Sentence] = {
    "passed": Sentence("report.passed"),
    "failed": Sentence("report.failed"),
    "warning": Sentence("report.warnings"),
    "not_fitted": Sentence("report.nothing_fitted"),
    "skipped": Sentence("report.not_passed"),
}

LEVELS: Mapping[Level, Sentence] = {
    "boot": Sentence("report.level_boot"),
    "field": Sentence("report.level_field"),
    "bench": Sentence("report.level_bench"),
}


def print_report(report: SelfTestReport) -> bytes:
    """The PDF's bytes: the same for the same report."""
    paper = Paper(
        words(Sentence("report.title", level=LEVELS[report.level])),
        f"{report.when} · {report.host} · {report.operator}",
        foot=words(Sentence("report.foot", software=report.software, when=report.when)),
    )
    paper.paragraph(words(OVERALL[report.verdict]), tone=TONES[report.verdict])
    for note, key in zip_longest(report.notes, report.note_keys):
        paper.paragraph(_read(note, key), tone="warn")
    _what_to_do(paper, report.results)
    _results(paper, report.results)
    _figures(paper, report.results)
    _plots(paper, report.results)
    _changes(paper, report)
    _nodes(paper, report.nodes)
    paper.key_values(
        [
            (words(Sentence("report.machine_time")), f"{number_text(report.seconds, '.1f')} s"),
            (words(Sentence("report.operators_time")), f"{report.operator_seconds:.0f} s"),
            (
                words(Sentence("report.checks")),
                " ".join(report.only) or words(Sentence("report.all_of_the_level")),
            ),
        ]
    )
    return paper.pdf()


def _what_to_do(paper: Paper, results: Sequence[CheckResult]) -> None:
    found = [(result.code, finding) for result in results for finding in result.findings]
    if not found:
        return
    paper.heading(words(Sentence("report.what_to_do")))
    part, what = Sentence("report.part"), Sentence("report.what")
    paper.table(
        all_words([Sentence("report.code"), Sentence("report.where"), part, what]),
        [
            (
                code,
                one.where or words(Sentence("report.panel")),
                _read(one.part, one.part_key),
                _read(one.sentence, one.sentence_key),
            )
            for code, one in found
        ],
        tones=["warn" if one.mended or one.severity == "warning" else "bad" for _code, one in found],
        widths=(0.08, 0.12, 0.28, 0.52),
    )


def _results(paper: Paper, results: Sequence[CheckResult]) -> None:
    paper.heading(words(Sentence("report.all_checks")))
    title, verdict = Sentence("report.check"), Sentence("report.verdict")
    head = [Sentence("report.code"), title, verdict, Sentence("report.in_a_sentence")]
    paper.table(
        all_words(head),
        [
            (
                result.code,
                _read(result.title, result.title_key),
                words(VERDICTS[result.verdict]),
                _read(result.sentence, result.sentence_key),
            )
            for result in results
        ],
        tones=[TONES[result.verdict] for result in results],
        widths=(0.08, 0.25, 0.12, 0.55),
    )


def _figures(paper: Paper, results: Sequence[CheckResult]) -> None:
    outside = words(Sentence("report.outside"))
    rows = [
        (
            result.code,
            _read(value.name, value.name_key),
            _figure(value.value, value.value_key, value.unit),
            _read(value.limit, value.limit_key),
            "" if value.ok else outside,
        )
        for result in results
        for value in result.values
    ]
    if rows:
        paper.heading(words(Sentence("report.figures_and_limits")))
        figure, found = Sentence("report.figure"), Sentence("report.found")
        head = all_words([Sentence("report.code"), figure, found, Sentence("report.limit")])
        paper.table((*head, ""), rows, widths=(0.08, 0.35, 0.25, 0.22, 0.1))


def _figure(value: float | int | str | None, key: SentenceView | None, unit: str) -> str:
    if value is None:
        return words(Sentence("report.not_read"))
    return f"{_read(value, key) if isinstance(value, str) else number_text(value)} {unit}".strip()


def _read(text: str, key: SentenceView | None) -> str:
    """In the language of whoever reads; as it was written in reports of older versions."""
    return words(told(text, key))


def _plots(paper: Paper, results: Sequence[CheckResult]) -> None:
    for plot in (plot for result in results for plot in result.plots):
        paper.heading(_read(plot.title, plot.title_key), level=2)
        counts = [bar.count for bar in plot.bars]
        labels = [_read(bar.label, bar.label_key) for bar in plot.bars]
        paper.picture(bars(counts, labels=labels, unit=words(Sentence("report.count_by", unit=plot.unit))))


def _changes(paper: Paper, report: SelfTestReport) -> None:
    if report.compared_with is None:
        return
    paper.heading(words(Sentence("report.changes_since", when=report.compared_with)))
    node = (Sentence("report.board"), Sentence("report.node"))
    if not report.changes:
        paper.paragraph(words(Sentence("report.no_node_has_changed")))
        return
    paper.table(
        all_words([*node, Sentence("report.figure"), Sentence("report.before"), Sentence("report.now")]),
        [_change(change) for change in report.changes],
        tones=["bad" if change.worse else "" for change in report.changes],
    )


def _change(change: FigureChange) -> tuple[str, ...]:
    before, now = (
        "–" if value is None else _figure(value, key, change.unit)
        for value, key in ((change.before, change.before_key), (change.now, change.now_key))
    )
    return (change.board or "–", change.uid, _read(change.figure, change.figure_key), before, now)


def _nodes(paper: Paper, nodes: dict[str, NodeBaseline]) -> None:
    if not nodes:
        return
    paper.heading(words(Sentence("report.nodes")))
    paper.table(
        (
            words(Sentence("report.board")),
            words(Sentence("report.node")),
            words(Sentence("report.firmware")),
            "V",
            "°C",
            words(Sentence("report.lost")),
            "p50 ms",
            "p99 ms",
            words(Sentence("report.drift_ppm")),
        ),
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
    return "" if value is None else number_text(value, ".4g")
