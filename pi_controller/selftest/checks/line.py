"""LPB, BER and MRG: what the line itself makes of frames."""

from collections.abc import Sequence

from pi_controller.bus.values import JobResult, NodePing
from pi_controller.protocol.bus_jobs import LoopbackAsked, MarginAsked, PingAsked
from pi_controller.protocol.tables import NodeView
from pi_controller.selftest.blame import blame
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, named, not_fitted, skipped

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


def lpb(hall: Hall) -> Outcome:
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
        return skipped(" ".join(result.sentence or "Nothing was reported." for result in undone))
    return record.outcome("The adapters hear every frame that they send.")


def _no_echo(record: Record, segment: str, echoed: int, sent: int) -> None:
    record.fault(
        f"the USB adapter of segment {segment}, or its terminator",
        f"Segment {segment} returned {echoed} of {sent} frames: look at terminator and plug, then swap the"
        " adapter.",
        where=segment,
    )


def ber(hall: Hall) -> Outcome:
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


def mrg(hall: Hall) -> Outcome:
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


def _suspect(hall: Hall, ping: NodePing) -> bool:
    few = ping.sent * MOST_LOST_SIMULATED // AGAIN if hall.fitted.simulated else 0
    return lost(ping) > few and not _mute(ping)


def _mute(ping: NodePing) -> bool:
    """It answers polls but no test frame at all, not even a damaged one."""
    return ping.sent > 0 and ping.answered == 0 and ping.bad == 0


def _pinged(hall: Hall, record: Record, uids: Sequence[str], frames: int) -> dict[str, NodePing]:
    results = hall.probes.bus(PingAsked(uids=list(uids), frames=frames, seconds=LONGEST_S))
    for result in results:
        if result.sentence is not None:
            record.fault(
                f"segment {result.segment}", result.sentence, where=result.segment, severity="warning"
            )
    return {ping.uid: ping for result in results for ping in result.nodes}


def _sums(record: Record, pings: Sequence[NodePing]) -> None:
    sent, missing = sum(ping.sent for ping in pings), sum(lost(ping) for ping in pings)
    record.value("test frames", sent)
    record.value("lost or damaged", missing, "frames", limit="see each node")
    if sent and not missing:
        bound = 3 / (sent * BITS_A_FRAME)  # no error in n bits: below 3/n with 95 % confidence
        record.value("bit error rate", f"below {bound:.1e}", limit="below 1e-06 after 3e6 bits")


def _old_firmware(record: Record, hall: Hall, silent: Sequence[NodeView]) -> None:
    if silent:
        names = [f"{hall.where(node.uid)} ({node.firmware})" for node in silent]
        record.value("know no test frames", named(names), limit="none", ok=False)
        record.fault(
            "the firmware of the node",
            f"{named(names)} cannot be measured: install this controller's firmware there.",
            where=hall.where(silent[0].uid),
            severity="warning",
        )


def _margin(record: Record, hall: Hall, results: Sequence[JobResult], how: str) -> None:
    chosen = {node.uid for node in hall.nodes()}
    pings = [ping for result in results for ping in result.nodes if ping.uid in chosen]
    sent, missing = sum(ping.sent for ping in pings), sum(lost(ping) for ping in pings)
    few = sent * MOST_LOST_SIMULATED // AGAIN if hall.fitted.simulated else 0
    ok = sent > 0 and missing <= few
    record.value(f"lost {how}", missing if sent else None, "frames", limit=f"{few} of {sent} at most", ok=ok)
    said = " ".join(result.sentence for result in results if result.sentence is not None)
    worst = [hall.where(ping.uid) for ping in pings if lost(ping)]
    if not ok:
        record.fault(
            "the cable, or the terminators at its ends",
            f"{how.capitalize()} frames are lost{' at ' + named(worst) if worst else ''}: the line has"
            " little margin." + (f" {said}" if said else ""),
            where=worst[0] if worst else "",
            severity="warning",
        )
