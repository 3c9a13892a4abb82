"""PRT, FTD, LPB, BER, MRG, LAT and DRF: the ports of the table bus, what its line makes of frames, and how
soon nodes answer and keep time."""

from collections.abc import Collection, Sequence

from pi_controller.bus.values import (
    JobResult,
    LoopbackAsked,
    MarginAsked,
    NodePing,
    NodeView,
    PingAsked,
    SilenceAsked,
)
from pi_controller.protocol.probes import PortsProbe
from pi_controller.protocol.sentences import told
from pi_controller.selftest.hall import NO_SEGMENTS, HallUnderTest
from pi_controller.selftest.verdicts import (
    CheckOutcome,
    CheckRecord,
    Limit,
    below,
    named,
    not_fitted,
    skipped,
)
from pi_controller.sentence import Sentence

MANY = 3
"""Fewer nodes on a segment do not show that it is the segment that is bad."""


def blame(
    record: CheckRecord, hall: HallUnderTest, bad: Collection[str], *, what: Sentence, node: Sentence
) -> None:
    """A finding for each segment whose nodes are all bad, for each row that is bad from a board to its end,
    and for each other bad node. `what` it does, `node`: what to look at there."""
    rest = set(bad)
    for segment in hall.fitted.segments:
        of_segment = {view.uid for view in hall.nodes() if view.segment == segment}
        if len(of_segment) >= MANY and of_segment <= rest:
            rest -= of_segment
            told = Sentence("selftest.every_table_of_segment", segment=segment, what=what)
            record.fault(Sentence("selftest.adapter_the_first_cable", segment=segment), told, where=segment)
    for _row, seats in hall.rows():
        uids = [view.uid for _board, view in seats]
        tail = bad_tail(uids, rest)
        if len(tail) >= 2 and len(tail) < len(uids):
            rest -= set(tail)
            first, before = hall.where(tail[0]), hall.where(uids[len(uids) - len(tail) - 1])
            told = Sentence("selftest.every_table_from_here_on", first=first, what=what, before=before)
            record.fault(Sentence("selftest.cable_between", before=before, first=first), told, where=first)
    for uid in sorted(rest, key=hall.where):
        board = hall.where(uid)
        record.fault_of_node(
            board, Sentence("selftest.board_does_it_look_there", board=board, what=what, node=node)
        )


def bad_tail(uids: list[str], bad: Collection[str]) -> list[str]:
    """The bad ones that reach to the end, in order."""
    first = len(uids)
    while first > 0 and uids[first - 1] in bad:
        first -= 1
    return uids[first:]


BEST_TIMER_MS = 1


async def prt(hall: HallUnderTest) -> CheckOutcome:
    """Every segment's port is there, and nobody else has it open."""
    ports = (await hall.probe(PortsProbe())).ports
    if not ports:
        return not_fitted(NO_SEGMENTS)
    record = CheckRecord()
    for port in ports:
        adapter = Sentence("selftest.usb_adapter_of_segment", segment=port.segment)
        ok = port.present and port.holder is None and port.sentence is None
        limit = Sentence("selftest.there_and_held_by_nobody_else")
        if not record.value(
            Sentence("selftest.segment", segment=port.segment), port.port, limit=limit, ok=ok
        ):
            hall.dead_segments.add(port.segment)
        if not port.present:
            said = Sentence("selftest.nothing_is_plugged_in_at_plug", port=port.port)
            record.fault(adapter, said, where=port.segment)
        elif port.holder is not None:
            name, pid = port.holder.name or Sentence("selftest.program_without_a_name"), port.holder.pid
            said = Sentence("selftest.program_holds_the_port", name=name, pid=pid, port=port.port)
            record.fault(Sentence("selftest.the_program", name=name), said, where=port.segment)
        elif port.sentence is not None:
            record.fault(adapter, told(port.sentence, port.sentence_key), where=port.segment)
    return record.outcome(Sentence("selftest.all_ports_are_there_and_held"))


async def ftd(hall: HallUnderTest) -> CheckOutcome:
    """FTDI adapters hand over what they have every millisecond, not every 16."""
    timed = [
        (port.segment, port.latency_timer_ms)
        for port in (await hall.probe(PortsProbe())).ports
        if port.latency_timer_ms is not None
    ]
    if not timed:
        return not_fitted(Sentence("selftest.no_adapter_has_a_latency_timer"))
    record = CheckRecord()
    for segment, timer_ms in timed:
        timer = Sentence("selftest.latency_timer_of_segment", segment=segment)
        if not record.value(timer, timer_ms, "ms", limit="1", ok=timer_ms == BEST_TIMER_MS):
            rule = Sentence("selftest.udev_rule_for_the_usb_adapter", segment=segment)
            said = Sentence("selftest.adapter_holds_answers_back", segment=segment, timer_ms=timer_ms)
            record.fault(rule, said, where=segment)
    return record.outcome(Sentence("selftest.all_adapters_hand_over_at_once"))


FRAMES_IN_THE_FIELD = 200
FRAMES_ON_THE_BENCH = 10_000
AGAIN = 1000
"""Frames to a node that has lost one: a line that loses more than one of these is not healthy."""
MOST_LOST = 1
MOST_LOST_SIMULATED = AGAIN * 15 // 100
"""A simulated table on a busy machine answers some frames too late, which looks like a loss."""
LOOPBACK_FRAMES = 1000
MARGIN_FRAMES = 200
MARGIN_FRAMES_IN_THE_FIELD = 40
LONGEST_S = 100.0
BITS_A_FRAME = 2 * 24 * 8
"""Pseudo-random bits that travel to the node and back."""
TERMINATOR = Sentence("selftest.take_the_terminator_out")


async def lpb(hall: HallUnderTest) -> CheckOutcome:
    """With only terminators on the line the adapter hears what it says."""
    record, undone = CheckRecord(), []
    for result in await hall.bus(LoopbackAsked(frames=LOOPBACK_FRAMES)):
        if result.loopback is None or result.sentence is not None:
            undone.append(result)
        else:
            segment, sent, echoed = result.segment, result.loopback.sent, result.loopback.echoed
            echo = Sentence("selftest.echo_on_segment", segment=segment)
            limit = Sentence("selftest.all_of", sent=sent)
            if not record.value(echo, echoed, "frames", limit=limit, ok=echoed == sent):
                adapter = Sentence("selftest.usb_adapter_of_segment", segment=segment)
                said = Sentence(
                    "selftest.segment_returned_of_frames_look", segment=segment, echoed=echoed, sent=sent
                )
                record.fault(adapter, said, where=segment)
    if not record.values:
        nothing = Sentence("selftest.nothing_was_reported")
        reasons = tuple(result.sentence or nothing for result in undone)
        return skipped(Sentence("list.sentences", sentences=reasons))
    return record.outcome(Sentence("selftest.adapters_hear_every_frame_that_they"))


async def ber(hall: HallUnderTest) -> CheckOutcome:
    """Pseudo-random frames to each node and back; a node that lost one is asked a thousand times more."""
    nodes = hall.nodes()
    record = CheckRecord()
    frames = FRAMES_ON_THE_BENCH if hall.level == "bench" else FRAMES_IN_THE_FIELD
    pings = await _pinged(hall, [node.uid for node in nodes], frames, record)
    hall.measured.pings.update(pings)
    silent = [node for node in nodes if node.uid in pings and _mute(pings[node.uid])]
    for mute_one in silent:
        hall.lacks[mute_one.uid].add("tests")
    suspects = [uid for uid, ping in pings.items() if _suspect(hall, ping)]
    if suspects:
        pings.update(await _pinged(hall, suspects, AGAIN, record))
    _sums(record, [ping for ping in pings.values() if not _mute(ping)])
    most = MOST_LOST_SIMULATED if hall.fitted.simulated else MOST_LOST
    bad = {uid: pings[uid] for uid in suspects if lost(pings[uid]) > most}
    for uid, ping in bad.items():
        hall.lacks[uid].add("line")
        limit = Sentence("selftest.so_many_of_all_at_most", few=most, sent=ping.sent)
        record.value(
            Sentence("selftest.lost_at", board=hall.where(uid)), lost(ping), "frames", limit=limit, ok=False
        )
    what, node = Sentence("selftest.loses_test_frames"), Sentence("selftest.its_plugs_and_stub_cable")
    blame(record, hall, bad, what=what, node=node)
    know_no_tests(record, hall, silent)
    return record.outcome(Sentence("selftest.no_frame_was_lost"))


async def mrg(hall: HallUnderTest) -> CheckOutcome:
    """Twice the rate and, on the bench, the usual one without terminator: how far the line is from its
    limits. Never a failure."""
    record = CheckRecord()
    frames = MARGIN_FRAMES if hall.level == "bench" else MARGIN_FRAMES_IN_THE_FIELD
    results = await hall.bus(MarginAsked(frames=frames))
    lost_at_twice = Sentence("selftest.lost_at_twice_the_rate")
    _margin(record, hall, results, name=lost_at_twice, how=Sentence("selftest.at_twice_the_rate"))
    if (
        hall.level == "bench"
        and (await hall.ask(TERMINATOR, picture="cable", answers=("done", "none"))).answer == "done"
    ):
        asked = PingAsked(
            uids=tuple(node.uid for node in hall.nodes()), frames=MARGIN_FRAMES, seconds=LONGEST_S
        )
        name, how = Sentence("selftest.lost_without_terminator"), Sentence("selftest.without_terminator")
        _margin(record, hall, await hall.bus(asked), name=name, how=how)
        await hall.ask(
            Sentence("selftest.put_the_terminator_back_then_answer"), picture="cable", answers=("done",)
        )
    return record.outcome(Sentence("selftest.line_has_margin_twice_the_rate"))


def lost(ping: NodePing) -> int:
    """Frames that were not answered as they should."""
    return ping.sent - ping.answered


def _suspect(hall: HallUnderTest, ping: NodePing) -> bool:
    few = ping.sent * MOST_LOST_SIMULATED // AGAIN if hall.fitted.simulated else 0
    return lost(ping) > few and not _mute(ping)


def _mute(ping: NodePing) -> bool:
    """It answers polls but no test frame at all, not even a damaged one."""
    return ping.sent > 0 and ping.answered == 0 and ping.bad == 0


async def _pinged(
    hall: HallUnderTest, uids: Sequence[str], frames: int, record: CheckRecord | None = None
) -> dict[str, NodePing]:
    """With a warning in `record` of each segment that did not do it as wanted."""
    results = await hall.bus(PingAsked(uids=tuple(uids), frames=frames, seconds=LONGEST_S))
    if record is not None:
        _warn_of_segments(record, results)
    return {ping.uid: ping for result in results for ping in result.nodes}


def _warn_of_segments(record: CheckRecord, results: Sequence[JobResult]) -> None:
    """Of those that did not do the job as wanted."""
    for result in results:
        if result.sentence is not None:
            segment = Sentence("selftest.segment", segment=result.segment)
            record.fault(segment, result.sentence, where=result.segment, severity="warning")


def _sums(record: CheckRecord, pings: Sequence[NodePing]) -> None:
    sent, missing = sum(ping.sent for ping in pings), sum(lost(ping) for ping in pings)
    record.value(Sentence("selftest.test_frames"), sent)
    record.value(
        Sentence("selftest.lost_or_damaged"), missing, "frames", limit=Sentence("selftest.see_each_node")
    )
    if sent and not missing:
        bound = 3 / (sent * BITS_A_FRAME)  # no error in n bits: below 3/n with 95 % confidence
        record.value(
            Sentence("selftest.bit_error_rate"),
            Sentence("selftest.below_bound", bound=bound),
            limit=Sentence("selftest.below_1e_06_after_3e6_bits"),
        )


def know_no_tests(record: CheckRecord, hall: HallUnderTest, silent: Sequence[NodeView]) -> None:
    """Told of these nodes together."""
    if silent:
        names = [f"{hall.where(node.uid)} ({node.firmware})" for node in silent]
        none = Sentence("selftest.none")
        record.value(Sentence("selftest.know_no_test_frames"), named(names), limit=none, ok=False)
        told = Sentence("selftest.cannot_be_measured", names=named(names))
        where = hall.where(silent[0].uid)
        record.fault(Sentence("selftest.firmware_of_the_node"), told, where=where, severity="warning")


def _margin(
    record: CheckRecord, hall: HallUnderTest, results: Sequence[JobResult], *, name: Sentence, how: Sentence
) -> None:
    """`name` is the figure's, `how` the line was tried."""
    chosen = {node.uid for node in hall.nodes()}
    pings = [ping for result in results for ping in result.nodes if ping.uid in chosen]
    sent, missing = sum(ping.sent for ping in pings), sum(lost(ping) for ping in pings)
    few = sent * MOST_LOST_SIMULATED // AGAIN if hall.fitted.simulated else 0
    ok = sent > 0 and missing <= few
    record.value(
        name,
        missing if sent else None,
        "frames",
        limit=Sentence("selftest.so_many_of_all_at_most", few=few, sent=sent),
        ok=ok,
    )
    worst = [hall.where(ping.uid) for ping in pings if lost(ping)]
    if not ok:
        reasons = [result.sentence for result in results if result.sentence is not None]
        told = (
            Sentence("selftest.frames_are_lost_at", how=how, boards=named(worst))
            if worst
            else Sentence("selftest.frames_are_lost", how=how)
        )
        record.fault(
            Sentence("selftest.cable_or_the_terminators"),
            Sentence("list.sentences", sentences=(told, *reasons)),
            where=worst[0] if worst else "",
            severity="warning",
        )


# LAT and DRF: how soon the nodes answer, and how well they keep time alone.


LAT_FRAMES = 200
P50_MS, P99_MS = 7.0, 12.0
"""Of a round trip: an emulated Pico begins after 2 to 4 ms, the answer takes 1.6 ms, an adapter 2 ms."""
SIMULATED_TIMES = 25.0
SILENCE_S = 60.0
FARTHEST_US = 6000


async def lat(hall: HallUnderTest) -> CheckOutcome:
    """Turnaround of at least 200 test frames each, those of BER where it has run; a slow node is asked
    again."""
    nodes = hall.nodes()
    pings = {node.uid: hall.measured.pings[node.uid] for node in nodes if node.uid in hall.measured.pings}
    if not pings:
        pings = await _pinged(hall, [node.uid for node in nodes], LAT_FRAMES)
    times = hall.times(SIMULATED_TIMES)
    slow = [uid for uid, ping in pings.items() if _slow(ping, times)]
    if slow:
        pings.update(await _pinged(hall, slow, LAT_FRAMES))
        slow = [uid for uid in slow if _slow(pings[uid], times)]
    hall.measured.pings.update(pings)
    record = CheckRecord()
    late_presses(record, hall, but=slow)
    p50 = [ping.p50_ms for ping in pings.values() if ping.p50_ms is not None]
    p99 = [ping.p99_ms for ping in pings.values() if ping.p99_ms is not None]
    if not p50:
        return not_fitted(Sentence("selftest.no_table_knows_test_frames_install"))
    record.figure(Sentence("selftest.turnaround_slowest_median"), max(p50), "ms", _below(P50_MS, times))
    record.figure(Sentence("selftest.turnaround_slowest_99_of_100"), max(p99), "ms", _below(P99_MS, times))
    for uid in slow:
        name, limit = Sentence("selftest.99_of_100", board=hall.where(uid)), below(P99_MS * times).text
        record.value(name, pings[uid].p99_ms, "ms", limit=limit, ok=False)
    what, node = Sentence("selftest.answers_too_late"), Sentence("selftest.its_firmware")
    blame(record, hall, slow, what=what, node=node)
    return record.outcome(Sentence("selftest.all_nodes_answer_in_time"))


def late_presses(record: CheckRecord, hall: HallUnderTest, but: Collection[str] = ()) -> None:
    """Boards, but for these, whose presses CLM has seen acknowledged too late."""
    for node in hall.nodes():
        if node.uid in hall.measured.late and node.uid not in but:
            board = hall.where(node.uid)
            told = Sentence("selftest.press_at_board_was_acknowledged_too", board=board)
            record.fault(Sentence("selftest.line_to_board", board=board), told, where=board)


async def drf(hall: HallUnderTest) -> CheckOutcome:
    """A minute without the controller's time: what each node has gained or lost."""
    nodes = hall.nodes()
    chosen = {node.uid for node in nodes}
    results = await hall.bus(SilenceAsked(seconds=SILENCE_S))
    drifts = {
        ping.uid: ping.drift_us
        for result in results
        for ping in result.nodes
        if ping.uid in chosen and ping.drift_us is not None
    }
    record = CheckRecord()
    _warn_of_segments(record, results)
    _judge_drifts(record, hall, drifts)
    unknown = chosen - drifts.keys()
    if unknown:
        told = Sentence("selftest.could_not_be_measured", boards=named(sorted(map(hall.where, unknown))))
        firmware = Sentence("selftest.firmware_of_the_node")
        record.fault(firmware, told, where=hall.where(min(unknown)), severity="warning")
    return record.outcome(Sentence("selftest.all_nodes_keep_time_by_themselves"))


def _judge_drifts(record: CheckRecord, hall: HallUnderTest, drifts: dict[str, int]) -> None:
    worst = max(map(abs, drifts.values()), default=0)
    limit = below(FARTHEST_US // 1000)
    record.figure(Sentence("selftest.drift_in_60_s_worst"), worst / 1000, "ms", limit)
    for uid, drift in drifts.items():
        board = hall.where(uid)
        hall.measured.drift_ppm[uid] = drift / SILENCE_S
        if abs(drift) >= FARTHEST_US:
            either_way = Sentence("selftest.below_6_either_way")
            name = Sentence("selftest.drift_of_in_60_s", board=board)
            record.value(name, drift / 1000, "ms", limit=either_way, ok=False)
            crystal = Sentence("selftest.crystal_of_the_node_of_board", board=board)
            off = Sentence("selftest.clock_of_board_is_off", board=board, ms=abs(drift) / 1000)
            record.fault(crystal, off, where=board)


def _slow(ping: NodePing, times: float) -> bool:
    return (ping.p50_ms or 0.0) >= P50_MS * times or (ping.p99_ms or 0.0) >= P99_MS * times


def _below(ms: float, times: float) -> Limit:
    limit = below(ms * times)
    if times == 1.0:
        return limit
    return limit._replace(text=Sentence("selftest.below_for_simulated_tables", limit=ms * times))
