"""From a session's results to its report, which core keeps."""

import platform
from collections.abc import Sequence

import msgspec

from pi_controller import __version__
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.probes import DoesNotAnswer
from pi_controller.selftest.report import NodeBaseline, Report, encode
from pi_controller.selftest.trend import trend
from pi_controller.selftest.verdicts import Code, Result, Verdict

NOT_KEPT = "This report was not kept on the controller: note down now what you need of it."
SIMULATED = "The hardware is simulated: this says nothing about any panel, cable or table."


def write(
    hall: Hall,
    *,
    results: Sequence[Result],
    when: str,
    who: str,
    only: tuple[Code, ...],
    ended: bool,
    notes: tuple[str, ...],
    took_s: float,
) -> Report:
    """The report, kept by core; when its disk cannot, one of the report's notes says so."""
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
        notes=(*notes, *_notes(hall, results, ended=ended)),
        results=tuple(results),
        nodes=_baselines(hall) if hall.fitted.segments else {},
    )
    if hall.previous is not None:
        report = report.compared(hall.previous.when, trend(report, hall.previous))
    try:
        hall.probes.keep_report(hall.level, encode(report).decode())
    except DoesNotAnswer as trouble:
        return msgspec.structs.replace(report, notes=(f"{NOT_KEPT} {trouble}", *report.notes))
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


def _notes(hall: Hall, results: Sequence[Result], *, ended: bool) -> list[str]:
    notes = [SIMULATED] if hall.fitted.simulated else []
    if not ended:
        notes.append("The self-test was stopped by hand: what follows was not tested.")
    for verdict, words in (("skipped", "Left out"), ("not_fitted", "Not fitted, so not tested")):
        codes = [result.code for result in results if result.verdict == verdict]
        if codes:
            notes.append(f"{words}: {', '.join(codes)}. This is no pass.")
    return notes


def _baselines(hall: Hall) -> dict[str, NodeBaseline]:
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
        )
    return found
