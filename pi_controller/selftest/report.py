"""The record of one self-test: JSON that is kept, and what has changed since the one before."""

from typing import Literal, Self

import msgspec
from msgspec import Struct

from pi_controller.language.words import WordedError
from pi_controller.protocol.probes import Level
from pi_controller.protocol.sentences import SentenceView
from pi_controller.selftest.verdicts import Code, Result, Verdict
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


class Change(Struct, frozen=True, kw_only=True):
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


class Report(Struct, frozen=True, kw_only=True):
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
    results: tuple[Result, ...]
    nodes: dict[str, NodeBaseline]
    compared_with: str | None = None
    """`when` of the report that `changes` are against."""
    changes: tuple[Change, ...] = ()

    def compared(self, when: str, changes: tuple[Change, ...]) -> Self:
        """The same, held against the report of that time."""
        return msgspec.structs.replace(self, compared_with=when, changes=changes)


def encode(report: Report) -> bytes:
    """JSON with a line end."""
    return msgspec.json.encode(report) + b"\n"


def decode(text: bytes) -> Report:
    """BadReport when it is no report of this version."""
    try:
        return msgspec.json.decode(text, type=Report)
    except msgspec.DecodeError as error:
        raise BadReport(Sentence("selftest.this_is_no_self_test_report", error=str(error))) from error


msgspec.json.Decoder(Report)  # made known before there are threads: docs/decisions/0072


def convert(value: object) -> Report:
    """The report in this JSON value; BadReport as above."""
    try:
        return msgspec.convert(value, Report)
    except msgspec.ValidationError as error:
        raise BadReport(Sentence("selftest.this_is_no_self_test_report", error=str(error))) from error
