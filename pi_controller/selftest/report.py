"""The record of one self-test: JSON that is kept, and what has changed since the one before."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from pi_controller.language.words import WordedError, words
from pi_controller.protocol.probes import Level
from pi_controller.protocol.sentences import SentenceView, view
from pi_controller.selftest.verdicts import CheckResult, Code, Verdict
from pi_controller.sentence import Sentence


class BadReport(WordedError, ValueError):  # noqa: N818 - one sentence for whoever reads it
    """What was read is no report of this version."""


class NodeBaseline(Struct, frozen=True, kw_only=True):
    """What was measured of one node; None: not measured this time."""

    board: str | None
    segment: str
    firmware: str
    supply_v: float | None = None
    temperature_c: int | None = None
    frames: int | None = None
    bad_frames: int | None = None
    turnaround_p50_ms: float | None = None
    turnaround_p99_ms: float | None = None
    drift_ppm: float | None = None
    acknowledged_ms: float | None = None
    lamps_ma: float | None = None
    """All four together, and what each display takes more when it is white at half contrast."""
    sun_display_ma: float | None = None
    moon_display_ma: float | None = None


class FigureChange(Struct, frozen=True, kw_only=True):
    """A figure of a node that is not as it was; `worse`: enough to look after it."""

    uid: str
    board: str | None
    figure: str
    before: float | str | None
    now: float | str | None
    unit: str
    worse: bool
    figure_key: SentenceView | None = None
    """The figure before it was put into words, and what it was and is, where that is in words too; None in
    reports of older versions."""
    before_key: SentenceView | None = None
    now_key: SentenceView | None = None


class SelfTestReport(Struct, frozen=True, kw_only=True):
    """One self-test as a whole. `when` is ISO 8601 in UTC; `nodes` by unique id; `simulated`: no real
    hardware was tested; `ended` is False when it was stopped by hand; `notes`: sentences about the whole
    run."""

    version: Literal[1] = 1
    when: str
    level: Level
    only: tuple[Code, ...] = ()
    operator: str
    host: str
    software: str
    simulated: bool
    ended: bool
    verdict: Verdict
    seconds: float
    """Machine time; `operator_seconds` is what the operator took for answers."""
    operator_seconds: float
    notes: tuple[str, ...] = ()
    note_keys: tuple[SentenceView, ...] = ()
    """The notes before they were put into words, in the same order; none in reports of older versions."""
    results: tuple[CheckResult, ...]
    nodes: dict[str, NodeBaseline]
    compared_with: str | None = None
    """`when` of the report that `changes` are against."""
    changes: tuple[FigureChange, ...] = ()


def encode(report: SelfTestReport) -> bytes:
    """JSON with a line end."""
    return msgspec.json.encode(report) + b"\n"


msgspec.json.Decoder(SelfTestReport)  # made known before there are threads: docs/decisions/0072


def convert(value: object) -> SelfTestReport:
    """The report in this JSON value; BadReport when it is none of this version."""
    try:
        return msgspec.convert(value, SelfTestReport)
    except msgspec.ValidationError as error:
        raise BadReport(Sentence("selftest.this_is_no_self_test_report", error=str(error))) from error


# What has changed of each node since the report before.


class _Figure(NamedTuple):
    """A change by `worth` is told; one by `worse` in the bad direction (`bad` +1: upwards) is worth looking
    after."""

    name: Sentence
    unit: str
    worth: float
    worse: float
    bad: int


FIGURES: tuple[tuple[str, _Figure], ...] = (
    ("supply_v", _Figure(Sentence("selftest.supply"), "V", 0.35, 0.95, -1)),
    ("temperature_c", _Figure(Sentence("selftest.temperature"), "°C", 5, 15, 1)),
    ("lost", _Figure(Sentence("selftest.lost_of_10000"), "", 1, 10, 1)),
    ("turnaround_p99_ms", _Figure(Sentence("selftest.turnaround_99_of_100"), "ms", 1.0, 3.0, 1)),
    ("acknowledged_ms", _Figure(Sentence("selftest.press_to_acknowledgement"), "ms", 100.0, 200.0, 1)),
    ("drift", _Figure(Sentence("selftest.drift_without_its_sign"), "ppm", 10.0, 30.0, 1)),
)


CURRENTS: tuple[tuple[str, Sentence], ...] = (
    ("lamps_ma", Sentence("selftest.current_of_the_lamps")),
    ("sun_display_ma", Sentence("selftest.current_of_the_sun_display")),
    ("moon_display_ma", Sentence("selftest.current_of_the_moon_display")),
)
CHANGED = 0.3
"""Of a current: less is what a node's readings may differ by (hardware/spice)."""

ANSWERS, YES, NO = Sentence("selftest.answers"), Sentence("selftest.yes"), Sentence("selftest.no")
NAMES = (("board", Sentence("report.board")), ("firmware", Sentence("report.firmware")))
"""What is only compared."""


def trend(nodes: dict[str, NodeBaseline], previous: dict[str, NodeBaseline]) -> Iterator[FigureChange]:
    """What has changed of each node; a node that was there and is not, or has moved, is told too."""
    for uid, before in previous.items():
        now = nodes.get(uid)
        if now is None:
            yield _change(uid, before.board, ANSWERS, YES, NO, worse=True)
            continue
        for field, name in NAMES:
            then, today = getattr(before, field), getattr(now, field)
            if then != today:
                yield _change(uid, now.board, name, then, today)
        for field, kind in FIGURES:
            then, today = _figure(before, field), _figure(now, field)
            if then is not None and today is not None and abs(today - then) >= kind.worth:
                worse = (today - then) * kind.bad >= kind.worse
                was, is_now = round(then, 3), round(today, 3)
                yield _change(uid, now.board, kind.name, was, is_now, unit=kind.unit, worse=worse)
        for field, name in CURRENTS:
            then, today = _figure(before, field), _figure(now, field)
            if then and today is not None and abs(today / then - 1) > CHANGED:
                yield _change(uid, now.board, name, round(then, 1), round(today, 1), unit="mA", worse=True)


def _change(
    uid: str,
    board: str | None,
    figure: Sentence,
    before: float | str | Sentence | None,
    now: float | str | Sentence | None,
    *,
    unit: str = "",
    worse: bool = False,
) -> FigureChange:
    return FigureChange(
        uid=uid,
        board=board,
        figure=words(figure),
        before=words(before) if isinstance(before, Sentence) else before,
        now=words(now) if isinstance(now, Sentence) else now,
        unit=unit,
        worse=worse,
        figure_key=view(figure),
        before_key=view(before) if isinstance(before, Sentence) else None,
        now_key=view(now) if isinstance(now, Sentence) else None,
    )


def _figure(node: NodeBaseline, field: str) -> float | None:
    if field == "lost":
        return None if not node.frames or node.bad_frames is None else node.bad_frames / node.frames * 1e4
    if field == "drift":
        return None if node.drift_ppm is None else abs(node.drift_ppm)
    found: float | None = getattr(node, field)
    return found
