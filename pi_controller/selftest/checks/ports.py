"""PRT and FTD: the serial ports of the table bus."""

from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, not_fitted

BEST_TIMER_MS = 1
NO_SEGMENTS = "The settings name no segments: there are no table nodes."


def prt(hall: Hall) -> Outcome:
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


def ftd(hall: Hall) -> Outcome:
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
