"""What has changed of each node since the report before."""

from collections.abc import Iterator
from typing import NamedTuple

from pi_controller.selftest.report import Change, NodeBaseline, Report


class _Figure(NamedTuple):
    """A change by `worth` is told; one by `worse` in the bad direction (`bad` +1: upwards) is worth looking
    after."""

    name: str
    unit: str
    worth: float
    worse: float
    bad: int


FIGURES: tuple[tuple[str, _Figure], ...] = (
    ("supply_v", _Figure("supply", "V", 0.35, 0.95, -1)),
    ("temperature_c", _Figure("temperature", "°C", 5, 15, 1)),
    ("lost", _Figure("lost of 10,000 test frames", "", 1, 10, 1)),
    ("turnaround_p99_ms", _Figure("turnaround, 99 of 100", "ms", 1.0, 3.0, 1)),
    ("acknowledged_ms", _Figure("press to acknowledgement", "ms", 100.0, 200.0, 1)),
    ("drift", _Figure("drift, without its sign", "ppm", 10.0, 30.0, 1)),
)


def trend(report: Report, previous: Report) -> tuple[Change, ...]:
    """What has changed of each node; a node that was there and is not, or has moved, is told too."""
    return tuple(_changes(report, previous))


def _changes(report: Report, previous: Report) -> Iterator[Change]:
    for uid, before in previous.nodes.items():
        now = report.nodes.get(uid)
        if now is None:
            yield Change(
                uid=uid, board=before.board, figure="answers", before="yes", now="no", unit="", worse=True
            )
            continue
        for figure in ("board", "firmware"):
            then, today = getattr(before, figure), getattr(now, figure)
            if then != today:
                yield Change(
                    uid=uid, board=now.board, figure=figure, before=then, now=today, unit="", worse=False
                )
        for field, kind in FIGURES:
            then, today = _figure(before, field), _figure(now, field)
            if then is not None and today is not None and abs(today - then) >= kind.worth:
                yield Change(
                    uid=uid,
                    board=now.board,
                    figure=kind.name,
                    before=round(then, 3),
                    now=round(today, 3),
                    unit=kind.unit,
                    worse=(today - then) * kind.bad >= kind.worse,
                )


def _figure(node: NodeBaseline, field: str) -> float | None:
    if field == "lost":
        return None if not node.frames or node.bad_frames is None else node.bad_frames / node.frames * 1e4
    if field == "drift":
        return None if node.drift_ppm is None else abs(node.drift_ppm)
    found: float | None = getattr(node, field)
    return found
