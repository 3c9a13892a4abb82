"""BNC: how long the contacts of the pause button bounce."""

from pi_controller.protocol.probe_results import Edge
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, skipped
from pi_controller.selftest.pressing import PressCount
from pi_controller.selftest.verdicts import Bar, Plot

PRESSES = 20
P95_MS, LONGEST_MS = 5.0, 15.0
APART_NS = 40_000_000
"""Edges of one contact that are further apart belong to two movements of the hand."""
STEPS_MS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0)


def bnc(hall: Hall) -> Outcome:
    """From the first to the last edge of each closing and opening: of the presses before, or of twenty new
    ones."""
    edges = hall.measured.edges
    if not hall.measured.button_rests:
        return skipped("The pause button does not rest as it should: mend what PSB says first.")
    if not edges:
        count = PressCount(hall, PRESSES)
        hall.ask(
            f"Press the pause button {PRESSES} times, firmly, about once a second.",
            picture="pause_button",
            answers=("done",),
            live=count,
            kind="edges",
        )
        count.look()
        edges = count.edges
    trusted = [edge for edge in edges if edge.trusted]
    bounces = sorted(durations_ms(trusted))
    if not bounces:
        return skipped("No edge with a usable time was seen: press the button in PSB first.")
    return _judged(bounces, len(edges) - len(trusted))


def _judged(bounces: list[float], untrusted: int) -> Outcome:
    record = Record()
    p95 = bounces[min(len(bounces) - 1, int(len(bounces) * 0.95))]
    record.value("movements", len(bounces))
    record.value("bounce, 95 of 100", p95, "ms", limit="below 5", ok=p95 < P95_MS)
    record.value("bounce, longest", bounces[-1], "ms", limit="below 15", ok=bounces[-1] < LONGEST_MS)
    if untrusted:
        record.value("edges without a usable time", untrusted, limit="not counted")
    record.plots.append(histogram(bounces))
    if p95 >= P95_MS or bounces[-1] >= LONGEST_MS:
        record.fault(
            "the contacts of the pause button",
            f"The contacts bounce for up to {bounces[-1]:.1f} ms: they are worn, swap the contact blocks.",
        )
    return record.outcome("The contacts settle quickly.")


def durations_ms(edges: list[Edge]) -> list[float]:
    """Of each movement of each contact, from its first to its last edge."""
    found: list[float] = []
    for contact in ("no", "nc"):
        began, last = None, 0
        for at in sorted(edge.at_ns for edge in edges if edge.contact == contact):
            if began is None or at - last > APART_NS:
                found += [] if began is None else [(last - began) / 1e6]
                began = at
            last = at
        found += [] if began is None else [(last - began) / 1e6]
    return found


def histogram(bounces: list[float]) -> Plot:
    """How many movements bounced for how long; each bar up to its label, the last one beyond."""
    counts = [0] * (len(STEPS_MS) + 1)
    for ms in bounces:
        counts[sum(ms > step for step in STEPS_MS)] += 1
    labels = [f"to {step:g}" for step in STEPS_MS] + [f"over {STEPS_MS[-1]:g}"]
    bars = tuple(Bar(label=label, count=count) for label, count in zip(labels, counts, strict=True))
    return Plot(title="bounce of the pause button", unit="ms", bars=bars)
