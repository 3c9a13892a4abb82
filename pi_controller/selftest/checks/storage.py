"""SDC, JRN and ROO: the memory card, the journal on it, the read-only root."""

from pi_controller.protocol.probe_results import DiskChecked
from pi_controller.selftest.hall import Hall
from pi_controller.selftest.outcome import Outcome, Record, not_fitted

WRITES, SIZE = 64, 4096
WRITES_AT_BOOT = 16
SLOWEST_MS = 200.0
TRIES, APART_S = 3, 1.0
"""Something else may have been writing; a card that is slow is so each time."""
LEAST_FREE = 1_000_000_000
SLOWEST_LINE_MS = 1000.0
"""Core's own deadline for a line of the journal is longer; a healthy card needs a tenth of it."""
CARD = "the memory card"


def sdc(hall: Hall) -> Outcome:
    """Synced writes, read back; free space; what the file system has counted of errors."""
    writes = WRITES_AT_BOOT if hall.level == "boot" else WRITES
    found = hall.probes.disk(writes=writes, size=SIZE)
    for _ in range(TRIES - 1):
        if found.p99_ms < SLOWEST_MS or not found.verified:
            break
        hall.pause(APART_S)
        again = hall.probes.disk(writes=writes, size=SIZE)
        found = min(found, again, key=lambda one: (one.verified, one.p99_ms))
    record = Record()
    _judge_disk(record, found, errors=hall.probes.facts().disk.errors or found.errors)
    return record.outcome("The card is quick enough, and every write was read back.")


def _judge_disk(record: Record, found: DiskChecked, *, errors: int | None) -> None:
    record.value("synced write, median", found.p50_ms, "ms")
    slow = found.p99_ms >= SLOWEST_MS
    record.value("synced write, 99 of 100", found.p99_ms, "ms", limit="below 200", ok=not slow)
    record.value("synced write, slowest", found.worst_ms, "ms")
    record.value("read back", "whole" if found.verified else "damaged", limit="whole", ok=found.verified)
    full = found.free_bytes <= LEAST_FREE
    record.value("free", round(found.free_bytes / 1e9, 2), "GB", limit="above 1", ok=not full)
    if errors is not None:
        record.value("errors of the file system", errors, limit="0", ok=not errors)
    if not found.verified:
        record.fault(CARD, "What was written was read back damaged: swap the memory card before the event.")
    if errors:
        record.fault(CARD, f"The file system has counted {errors} errors: swap the memory card.")
    if slow:
        record.fault(CARD, f"Writing takes up to {found.p99_ms:.0f} ms: swap the card for one of class A2.")
    if full:
        record.fault(
            CARD, f"Only {found.free_bytes / 1e9:.2f} GB are free: export old games and delete them."
        )


def jrn(hall: Hall) -> Outcome:
    """A line of the journal is written, and read back from the disk with its hash."""
    found = hall.probes.journal()
    record = Record()
    written = found.written_ms is not None and found.written_ms < SLOWEST_LINE_MS
    record.value("line on the disk after", found.written_ms, "ms", limit="below 1000", ok=written)
    record.value("read back", "whole" if found.verified else "damaged", limit="whole", ok=found.verified)
    if found.sentence is not None or not found.verified or not written:
        said = found.sentence or "The journal cannot keep up, or came back damaged."
        record.fault(CARD, f"{said} Do not play with this card: swap it.")
    return record.outcome("The journal writes and reads back.")


def roo(hall: Hall) -> Outcome:
    """The root cannot be changed for good; where that was never chosen it is not fitted."""
    root = hall.probes.facts().disk.root
    record = Record()
    before = hall.before("ROO")
    was_on = before is not None and before.verdict in ("passed", "failed")
    if root == "writable" and not was_on:
        return not_fitted(
            "The root is writable: a power cut may damage the system; the read-only root is an option."
        )
    ok = root != "writable"
    record.value("root", root, limit="overlay or read_only", ok=ok)
    if not ok:
        record.fault(
            "the system on the memory card",
            "The root was read-only at the last test and is writable now: switch it on again and restart.",
        )
    return record.outcome("What is written to the root is gone at the next start.")
