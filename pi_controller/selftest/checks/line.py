"""PRT, FTD, LPB, BER and MRG: the serial ports of the table bus, and what the line makes of frames."""

from collections.abc import Collection, Sequence

from pi_controller.bus.values import JobResult, NodePing
from pi_controller.language.words import words
from pi_controller.protocol.probes import LoopbackAsked, MarginAsked, PingAsked
from pi_controller.protocol.tables import NodeView
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, named, not_fitted, skipped

MANY = 3
"""Fewer nodes on a segment do not show that it is the segment that is bad."""


def blame(record: Record, hall: HallUnderTest, bad: Collection[str], *, what: str, node: str) -> None:
    """A finding for each segment whose nodes are all bad, for each row that is bad from a board to its end,
    and for each other bad node. `what` it does, `node`: what to look at there."""
    rest = set(bad)
    for segment in hall.fitted.segments:
        of_segment = {view.uid for view in hall.nodes() if view.segment == segment}
        if len(of_segment) >= MANY and of_segment <= rest:
            rest -= of_segment
            record.fault(
                f"the adapter, the first cable or a terminator of segment {segment}",
                f"Every table of segment {segment} {what}: look at the first cable and both terminators,"
                " then swap the adapter.",
                where=segment,
            )
    for _row, seats in hall.rows():
        uids = [view.uid for _board, view in seats]
        tail = _bad_tail(uids, rest)
        if len(tail) >= 2 and len(tail) < len(uids):
            rest -= set(tail)
            first, before = hall.where(tail[0]), hall.where(uids[len(uids) - len(tail) - 1])
            record.fault(
                f"the cable between {before} and {first}",
                f"From {first} to the end of the row every table {what}: swap the cable between {before}"
                f" and {first}.",
                where=first,
            )
    for uid in sorted(rest, key=hall.where):
        board = hall.where(uid)
        record.fault(f"the node of board {board}", f"Board {board} {what}: look at {node}.", where=board)


def _bad_tail(uids: list[str], bad: set[str]) -> list[str]:
    """The bad ones that reach to the end, in order."""
    first = len(uids)
    while first > 0 and uids[first - 1] in bad:
        first -= 1
    return uids[first:]


def boards(hall: HallUnderTest, uids: Collection[str]) -> str:
    """The boards of these nodes, as they stand in a sentence."""
    return named(sorted(hall.where(uid) for uid in uids))


BEST_TIMER_MS = 1
NO_SEGMENTS = "The settings name no segments: there are no table nodes."


def prt(hall: HallUnderTest) -> Outcome:
    """Every segment's port is there, and nobody else has it open."""
    ports = hall.probes.ports()
    if not ports:
        return not_fitted(NO_SEGMENTS)
    record = Record()
    for port in ports:
        adapter = f"the USB adapter of segment {port.segment}"
        ok = port.present and port.holder is None and port.sentence is None
        record.value(f"segment {port.segment}", port.port, limit="there, and held by nobody else", ok=ok)
        if not port.present:
            record.fault(
                adapter,
                f"Nothing is plugged in at {port.port}: plug the adapter in, or swap it.",
                where=port.segment,
            )
        elif port.holder is not None:
            name = port.holder.name or "a program that may not be named"
            record.fault(
                f"the program {name}",
                f"{name} (process {port.holder.pid}) holds {port.port}: end it, and remove it if it comes"
                " again.",
                where=port.segment,
            )
        elif port.sentence is not None:
            record.fault(adapter, port.sentence, where=port.segment)
    return record.outcome("All ports are there and held by nobody else.")


def ftd(hall: HallUnderTest) -> Outcome:
    """FTDI adapters hand over what they have every millisecond, not every 16."""
    timed = [port for port in hall.probes.ports() if port.latency_timer_ms is not None]
    if not timed:
        return not_fitted("No adapter has a latency timer.")
    record = Record()
    for port in timed:
        ok = port.latency_timer_ms == BEST_TIMER_MS
        record.value(
            f"latency timer of segment {port.segment}", port.latency_timer_ms, "ms", limit="1", ok=ok
        )
        if not ok:
            record.fault(
                f"the udev rule for the USB adapter of segment {port.segment}",
                f"The adapter of segment {port.segment} holds answers back for {port.latency_timer_ms} ms:"
                " install again, which sets it to 1, and plug the adapter in afresh.",
                where=port.segment,
            )
    return record.outcome("All adapters hand over at once.")


FRAMES_IN_THE_FIELD = 200
FRAMES_ON_THE_BENCH = 10_000
AGAIN = 1000
"""Frames to a node that has lost one: a line that loses more than one of these is not healthy."""
MOST_LOST = 1
MOST_LOST_SIMULATED = AGAIN * 15 // 100
"""A simulated table on a busy machine answers some frames too late, which looks like a loss."""
LOOPBACK_FRAMES = 1000
MARGIN_FRAMES = 200
LONGEST_S = 100.0
BITS_A_FRAME = 2 * 24 * 8
"""Pseudo-random bits that travel to the node and back."""
TERMINATOR = (
    "Take the terminator out of the last table's second socket, then answer. Put it back after this check."
)
NO_TABLES = "No table answers."


def lpb(hall: HallUnderTest) -> Outcome:
    """With only terminators on the line the adapter hears what it says."""
    if not hall.fitted.segments:
        return not_fitted("The settings name no segments: there are no table nodes.")
    record, undone = Record(), []
    for result in hall.probes.bus(LoopbackAsked(frames=LOOPBACK_FRAMES)):
        if result.loopback is None or result.sentence is not None:
            undone.append(result)
        else:
            found = result.loopback
            ok = found.echoed == found.sent
            limit = f"{found.sent} of {found.sent}"
            record.value(f"echo on segment {result.segment}", found.echoed, "frames", limit=limit, ok=ok)
            if not ok:
                _no_echo(record, result.segment, found.echoed, found.sent)
    if not record.values:
        return skipped(
            " ".join(
                words(result.sentence) if result.sentence else "Nothing was reported." for result in undone
            )
        )
    return record.outcome("The adapters hear every frame that they send.")


def _no_echo(record: Record, segment: str, echoed: int, sent: int) -> None:
    record.fault(
        f"the USB adapter of segment {segment}, or its terminator",
        f"Segment {segment} returned {echoed} of {sent} frames: look at terminator and plug, then swap the"
        " adapter.",
        where=segment,
    )


def ber(hall: HallUnderTest) -> Outcome:
    """Pseudo-random frames to each node and back; a node that lost one is asked a thousand times more."""
    nodes = hall.nodes()
    if not nodes:
        return not_fitted(NO_TABLES)
    record = Record()
    frames = FRAMES_ON_THE_BENCH if hall.level == "bench" else FRAMES_IN_THE_FIELD
    pings = _pinged(hall, record, [node.uid for node in nodes], frames)
    hall.measured.pings.update(pings)
    silent = [node for node in nodes if node.uid in pings and _mute(pings[node.uid])]
    suspects = [uid for uid, ping in pings.items() if _suspect(hall, ping)]
    if suspects:
        pings.update(_pinged(hall, record, suspects, AGAIN))
    _sums(record, [ping for ping in pings.values() if not _mute(ping)])
    most = MOST_LOST_SIMULATED if hall.fitted.simulated else MOST_LOST
    bad = {uid: pings[uid] for uid in suspects if lost(pings[uid]) > most}
    for uid, ping in bad.items():
        limit = f"{most} of {ping.sent} at most"
        record.value(f"lost at {hall.where(uid)}", lost(ping), "frames", limit=limit, ok=False)
    blame(record, hall, bad, what="loses test frames", node="its plugs, its stub cable, then the node itself")
    _old_firmware(record, hall, silent)
    return record.outcome("No frame was lost.")


def mrg(hall: HallUnderTest) -> Outcome:
    """Twice the rate, and the usual one without terminator: how far the line is from its limits. Never a
    failure."""
    if not hall.nodes():
        return not_fitted(NO_TABLES)
    record = Record()
    _margin(record, hall, hall.probes.bus(MarginAsked(frames=MARGIN_FRAMES)), "at 500,000 Bd")
    if hall.ask(TERMINATOR, picture="cable", answers=("done", "none")).answer == "done":
        asked = PingAsked(uids=[node.uid for node in hall.nodes()], frames=MARGIN_FRAMES, seconds=LONGEST_S)
        _margin(record, hall, hall.probes.bus(asked), "without terminator")
        hall.ask("Put the terminator back, then answer.", picture="cable", answers=("done",))
    return record.outcome("The line has margin: twice the rate goes through as well.")


def lost(ping: NodePing) -> int:
    """Frames that were not answered as they should."""
    return ping.sent - ping.answered


def _suspect(hall: HallUnderTest, ping: NodePing) -> bool:
    few = ping.sent * MOST_LOST_SIMULATED // AGAIN if hall.fitted.simulated else 0
    return lost(ping) > few and not _mute(ping)


def _mute(ping: NodePing) -> bool:
    """It answers polls but no test frame at all, not even a damaged one."""
    return ping.sent > 0 and ping.answered == 0 and ping.bad == 0


def _pinged(hall: HallUnderTest, record: Record, uids: Sequence[str], frames: int) -> dict[str, NodePing]:
    results = hall.probes.bus(PingAsked(uids=list(uids), frames=frames, seconds=LONGEST_S))
    for result in results:
        if result.sentence is not None:
            record.fault(
                f"segment {result.segment}", words(result.sentence), where=result.segment, severity="warning"
            )
    return {ping.uid: ping for result in results for ping in result.nodes}


def _sums(record: Record, pings: Sequence[NodePing]) -> None:
    sent, missing = sum(ping.sent for ping in pings), sum(lost(ping) for ping in pings)
    record.value("test frames", sent)
    record.value("lost or damaged", missing, "frames", limit="see each node")
    if sent and not missing:
        bound = 3 / (sent * BITS_A_FRAME)  # no error in n bits: below 3/n with 95 % confidence
        record.value("bit error rate", f"below {bound:.1e}", limit="below 1e-06 after 3e6 bits")


def _old_firmware(record: Record, hall: HallUnderTest, silent: Sequence[NodeView]) -> None:
    if silent:
        names = [f"{hall.where(node.uid)} ({node.firmware})" for node in silent]
        record.value("know no test frames", named(names), limit="none", ok=False)
        record.fault(
            "the firmware of the node",
            f"{named(names)} cannot be measured: install this controller's firmware there.",
            where=hall.where(silent[0].uid),
            severity="warning",
        )


def _margin(record: Record, hall: HallUnderTest, results: Sequence[JobResult], how: str) -> None:
    chosen = {node.uid for node in hall.nodes()}
    pings = [ping for result in results for ping in result.nodes if ping.uid in chosen]
    sent, missing = sum(ping.sent for ping in pings), sum(lost(ping) for ping in pings)
    few = sent * MOST_LOST_SIMULATED // AGAIN if hall.fitted.simulated else 0
    ok = sent > 0 and missing <= few
    record.value(f"lost {how}", missing if sent else None, "frames", limit=f"{few} of {sent} at most", ok=ok)
    said = " ".join(words(result.sentence) for result in results if result.sentence is not None)
    worst = [hall.where(ping.uid) for ping in pings if lost(ping)]
    if not ok:
        record.fault(
            "the cable, or the terminators at its ends",
            f"{how.capitalize()} frames are lost{' at ' + named(worst) if worst else ''}: the line has"
            " little margin." + (f" {said}" if said else ""),
            where=worst[0] if worst else "",
            severity="warning",
        )
