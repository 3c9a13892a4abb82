"""LAT and DRF: how soon the nodes answer, and how well they keep time alone."""

from pi_controller.bus.values import NodePing, PingAsked, SilenceAsked
from pi_controller.selftest.checks.line import blame, boards
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, not_fitted
from pi_controller.sentence import Sentence

FRAMES = 200
LONGEST_S = 100.0
P50_MS, P99_MS = 7.0, 12.0
"""Of a round trip: an emulated Pico begins after 2 to 4 ms, the answer takes 1.6 ms, an adapter 2 ms."""
SIMULATED_TIMES = 25.0
SILENCE_S = 60.0
FARTHEST_US = 6000


def lat(hall: HallUnderTest) -> Outcome:
    """Turnaround of at least 200 test frames each, those of BER where it has run; a slow node is asked
    again."""
    nodes = hall.nodes()
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
    chosen = {node.uid for node in nodes}
    results = hall.bus(SilenceAsked(seconds=SILENCE_S))
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
                Sentence("selftest.segment", segment=result.segment),
                result.sentence,
                where=result.segment,
                severity="warning",
            )
    _judge_drifts(record, hall, drifts)
    unknown = chosen - drifts.keys()
    if unknown:
        record.fault(
            Sentence("selftest.firmware_of_the_node"),
            Sentence("selftest.could_not_be_measured", boards=boards(hall, unknown)),
            where=hall.where(min(unknown)),
            severity="warning",
        )
    return record.outcome(Sentence("selftest.all_nodes_keep_time_by_themselves"))


def _judge_drifts(record: Record, hall: HallUnderTest, drifts: dict[str, int]) -> None:
    worst = max(map(abs, drifts.values()), default=0)
    record.value(
        Sentence("selftest.drift_in_60_s_worst"),
        worst / 1000,
        "ms",
        limit=Sentence("selftest.below", limit=6),
        ok=worst < FARTHEST_US,
    )
    for uid, drift in drifts.items():
        board = hall.where(uid)
        hall.measured.drift_ppm[uid] = drift / SILENCE_S
        if abs(drift) >= FARTHEST_US:
            record.value(
                Sentence("selftest.drift_of_in_60_s", board=board),
                drift / 1000,
                "ms",
                limit=Sentence("selftest.below_6_either_way"),
                ok=False,
            )
            record.fault(
                Sentence("selftest.crystal_of_the_node_of_board", board=board),
                Sentence("selftest.clock_of_board_is_off", board=board, ms=abs(drift) / 1000),
                where=board,
            )


def _pinged(hall: HallUnderTest, uids: list[str]) -> dict[str, NodePing]:
    results = hall.bus(PingAsked(uids=tuple(uids), frames=FRAMES, seconds=LONGEST_S))
    return {ping.uid: ping for result in results for ping in result.nodes}


def _slow(ping: NodePing, times: float) -> bool:
    return (ping.p50_ms or 0.0) >= P50_MS * times or (ping.p99_ms or 0.0) >= P99_MS * times


def _judged(hall: HallUnderTest, pings: dict[str, NodePing], slow: list[str], times: float) -> Outcome:
    record = Record()
    p50 = [ping.p50_ms for ping in pings.values() if ping.p50_ms is not None]
    p99 = [ping.p99_ms for ping in pings.values() if ping.p99_ms is not None]
    if not p50:
        return not_fitted(Sentence("selftest.no_table_knows_test_frames_install"))
    record.value(
        Sentence("selftest.turnaround_slowest_median"),
        max(p50),
        "ms",
        limit=_below(P50_MS, times),
        ok=max(p50) < P50_MS * times,
    )
    record.value(
        Sentence("selftest.turnaround_slowest_99_of_100"),
        max(p99),
        "ms",
        limit=_below(P99_MS, times),
        ok=max(p99) < P99_MS * times,
    )
    for uid in slow:
        record.value(
            Sentence("selftest.99_of_100", board=hall.where(uid)),
            pings[uid].p99_ms,
            "ms",
            limit=Sentence("selftest.below", limit=P99_MS * times),
            ok=False,
        )
    what, node = Sentence("selftest.answers_too_late"), Sentence("selftest.its_firmware")
    blame(record, hall, slow, what=what, node=node)
    return record.outcome(Sentence("selftest.all_nodes_answer_in_time"))


def _below(ms: float, times: float) -> Sentence:
    if times == 1.0:
        return Sentence("selftest.below", limit=ms)
    return Sentence("selftest.below_for_simulated_tables", limit=ms * times)
