"""LAT and DRF: how soon the nodes answer, and how well they keep time alone."""

from pi_controller.bus.values import NodePing
from pi_controller.language.words import words
from pi_controller.protocol.probes import PingAsked, SilenceAsked
from pi_controller.selftest.checks.line import blame, boards
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, not_fitted

FRAMES = 200
LONGEST_S = 100.0
P50_MS, P99_MS = 7.0, 12.0
"""Of a round trip: an emulated Pico begins after 2 to 4 ms, the answer takes 1.6 ms, an adapter 2 ms."""
SIMULATED_TIMES = 25.0
SILENCE_S = 60.0
FARTHEST_US = 6000
NO_TABLES = "No table answers."


def lat(hall: HallUnderTest) -> Outcome:
    """Turnaround of at least 200 test frames each, those of BER where it has run; a slow node is asked
    again."""
    nodes = hall.nodes()
    if not nodes:
        return not_fitted(NO_TABLES)
    pings = {node.uid: hall.measured.pings[node.uid] for node in nodes if node.uid in hall.measured.pings}
    if not pings:
        pings = _pinged(hall, [node.uid for node in nodes])
    times = hall.times(SIMULATED_TIMES)
    slow = [uid for uid, ping in pings.items() if _slow(ping, times)]
    if slow:
        pings.update(_pinged(hall, slow))
        slow = [uid for uid in slow if _slow(pings[uid], times)]
    hall.measured.pings.update(pings)
    return _judged(hall, pings, slow, times)


def drf(hall: HallUnderTest) -> Outcome:
    """A minute without the controller's time: what each node has gained or lost."""
    nodes = hall.nodes()
    if not nodes:
        return not_fitted(NO_TABLES)
    chosen = {node.uid for node in nodes}
    results = hall.probes.bus(SilenceAsked(seconds=SILENCE_S))
    drifts = {
        ping.uid: ping.drift_us
        for result in results
        for ping in result.nodes
        if ping.uid in chosen and ping.drift_us is not None
    }
    record = Record()
    for result in results:
        if result.sentence is not None:
            record.fault(
                f"segment {result.segment}", words(result.sentence), where=result.segment, severity="warning"
            )
    _judge_drifts(record, hall, drifts)
    unknown = chosen - drifts.keys()
    if unknown:
        record.fault(
            "the firmware of the node",
            f"{boards(hall, unknown)} could not be measured: install this controller's firmware there.",
            where=hall.where(min(unknown)),
            severity="warning",
        )
    return record.outcome("All nodes keep time by themselves.")


def _judge_drifts(record: Record, hall: HallUnderTest, drifts: dict[str, int]) -> None:
    worst = max(map(abs, drifts.values()), default=0)
    record.value("drift in 60 s, worst", worst / 1000, "ms", limit="below 6", ok=worst < FARTHEST_US)
    for uid, drift in drifts.items():
        board = hall.where(uid)
        hall.measured.drift_ppm[uid] = drift / SILENCE_S
        if abs(drift) >= FARTHEST_US:
            record.value(
                f"drift of {board} in 60 s", drift / 1000, "ms", limit="below 6 either way", ok=False
            )
            record.fault(
                f"the crystal of the node of board {board}",
                f"The clock of board {board} is off by {abs(drift) / 1000:.1f} ms in 60 s: swap its Pico.",
                where=board,
            )


def _pinged(hall: HallUnderTest, uids: list[str]) -> dict[str, NodePing]:
    results = hall.probes.bus(PingAsked(uids=uids, frames=FRAMES, seconds=LONGEST_S))
    return {ping.uid: ping for result in results for ping in result.nodes}


def _slow(ping: NodePing, times: float) -> bool:
    return (ping.p50_ms or 0.0) >= P50_MS * times or (ping.p99_ms or 0.0) >= P99_MS * times


def _judged(hall: HallUnderTest, pings: dict[str, NodePing], slow: list[str], times: float) -> Outcome:
    record = Record()
    note = "; simulated tables" if times != 1.0 else ""
    p50 = [ping.p50_ms for ping in pings.values() if ping.p50_ms is not None]
    p99 = [ping.p99_ms for ping in pings.values() if ping.p99_ms is not None]
    if not p50:
        return not_fitted("No table knows test frames: install this controller's firmware there.")
    record.value(
        "turnaround, slowest median",
        max(p50),
        "ms",
        limit=f"below {P50_MS * times:g}{note}",
        ok=max(p50) < P50_MS * times,
    )
    record.value(
        "turnaround, slowest 99 of 100",
        max(p99),
        "ms",
        limit=f"below {P99_MS * times:g}{note}",
        ok=max(p99) < P99_MS * times,
    )
    for uid in slow:
        record.value(
            f"99 of 100 at {hall.where(uid)}",
            pings[uid].p99_ms,
            "ms",
            limit=f"below {P99_MS * times:g}",
            ok=False,
        )
    blame(record, hall, slow, what="answers too late", node="its firmware, then swap the node")
    return record.outcome("All nodes answer in time.")
