"""From results to the report that core keeps, with what has changed of each node since the one before."""

import platform
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from pi_controller import __version__
from pi_controller.language.words import all_words, words
from pi_controller.protocol.sentences import view, views
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.probes import DoesNotAnswer
from pi_controller.selftest.report import Change, NodeBaseline, Report, encode
from pi_controller.selftest.verdicts import Code, Result, Verdict
from pi_controller.sentence import Sentence


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


def trend(report: Report, previous: Report) -> tuple[Change, ...]:
    """What has changed of each node; a node that was there and is not, or has moved, is told too."""
    return tuple(_changes(report, previous))


def _changes(report: Report, previous: Report) -> Iterator[Change]:
    for uid, before in previous.nodes.items():
        now = report.nodes.get(uid)
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
) -> Change:
    return Change(
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


SIMULATED = Sentence("selftest.hardware_is_simulated_this_says_nothing")


def write(
    hall: HallUnderTest,
    *,
    results: Sequence[Result],
    when: str,
    who: str,
    only: tuple[Code, ...],
    ended: bool,
    notes: tuple[Sentence, ...],
    took_s: float,
) -> Report:
    """The report, kept by core; when its disk cannot, one of the report's notes says so."""
    told = (*notes, *_notes(hall, results, ended=ended))
    report = Report(
        when=when,
        level=hall.level,
        only=only,
        operator=who,
        host=platform.node(),
        software=__version__,
        simulated=hall.fitted.simulated,
        ended=ended,
        verdict=overall(results, ended=ended),
        seconds=round(took_s - hall.seconds.operator, 3),
        operator_seconds=round(hall.seconds.operator, 3),
        notes=tuple(all_words(told)),
        note_keys=tuple(views(told)),
        results=tuple(results),
        nodes=_baselines(hall) if hall.fitted.segments else {},
    )
    if hall.previous is not None:
        report = report.compared(hall.previous.when, trend(report, hall.previous))
    try:
        hall.probes.keep_report(hall.level, encode(report).decode())
    except DoesNotAnswer as trouble:
        not_kept = Sentence("selftest.report_not_kept", why=trouble.sentence)
        return msgspec.structs.replace(
            report,
            notes=(words(not_kept), *report.notes),
            note_keys=(view(not_kept), *report.note_keys),
        )
    return report


def overall(results: Sequence[Result], *, ended: bool) -> Verdict:
    """failed: something has failed. skipped: nothing was tested, or it was stopped, so that nothing is
    proved."""
    verdicts = {result.verdict for result in results}
    if "failed" in verdicts:
        return "failed"
    if not ended or not verdicts & {"passed", "warning"}:
        return "skipped"
    return "warning" if verdicts & {"warning", "skipped"} else "passed"


def _notes(hall: HallUnderTest, results: Sequence[Result], *, ended: bool) -> list[Sentence]:
    notes = [SIMULATED] if hall.fitted.simulated else []
    if not ended:
        notes.append(Sentence("selftest.stopped_by_hand"))
    skipped = [result.code for result in results if result.verdict == "skipped"]
    if skipped:
        notes.append(Sentence("selftest.left_out", codes=", ".join(skipped)))
    not_fitted = [result.code for result in results if result.verdict == "not_fitted"]
    if not_fitted:
        notes.append(Sentence("selftest.not_fitted_so_not_tested", codes=", ".join(not_fitted)))
    return notes


def _baselines(hall: HallUnderTest) -> dict[str, NodeBaseline]:
    found = {}
    measured = hall.measured
    for node in hall.nodes():
        ping = measured.pings.get(node.uid)
        board = hall.roster.board_of(node.uid)
        found[node.uid] = NodeBaseline(
            board=None if board is None else board.name,
            segment=node.segment,
            firmware=node.firmware,
            supply_v=node.supply_v,
            temperature_c=node.temperature_c,
            frames=None if ping is None else ping.sent,
            bad_frames=None if ping is None else ping.sent - ping.answered,
            turnaround_p50_ms=None if ping is None else ping.p50_ms,
            turnaround_p99_ms=None if ping is None else ping.p99_ms,
            drift_ppm=measured.drift_ppm.get(node.uid),
            acknowledged_ms=measured.acknowledged_ms.get(node.uid),
            lamps_ma=measured.lamps_ma.get(node.uid),
            sun_display_ma=measured.displays_ma.get(node.uid, {}).get("sun"),
            moon_display_ma=measured.displays_ma.get(node.uid, {}).get("moon"),
        )
    return found
