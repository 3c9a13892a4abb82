"""PWR, TMP, HWD, SEC, SDC, JRN and ROO: the computer's supply, temperature, watchdog, secrets and storage."""

from typing import get_args

from pi_controller.hal.facts import SupplyFacts
from pi_controller.hal.names import LampName
from pi_controller.protocol.probe_results import DiskChecked
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, named, not_fitted

LOAD_S = 0.5
"""All lamps burn for so long while the supply is looked at."""
LAMPS: tuple[LampName, ...] = get_args(LampName)
WARM_C = 70.0
HOT_C = 80.0
"""Above it the processor slows down by itself."""
SUPPLY = "the controller's power supply and its cable"
COOLING = "the controller's heat sink or fan"


def pwr(hall: HallUnderTest) -> Outcome:
    """The firmware's alarm bits now, under the load of the lamps, and since boot."""
    before = hall.probes.facts()
    if before.supply is None:
        return not_fitted("This computer does not watch its own supply.")
    loaded = _under_load(hall, before.supply) if hall.level == "field" else before.supply
    record = Record()
    now = before.supply.under_voltage
    record.value("under-voltage now", _yes(now), limit="no", ok=not now)
    record.value(
        "under-voltage with all lamps lit",
        _yes(loaded.under_voltage),
        limit="no",
        ok=not loaded.under_voltage,
    )
    earlier = before.supply.under_voltage_since_boot
    record.value("under-voltage since boot", _yes(earlier), limit="no", ok=not earlier)
    if now or loaded.under_voltage:
        when = "" if now else " as soon as the lamps are lit"
        record.fault(
            SUPPLY,
            f"The controller gets less than 4.63 V{when}: use a power supply of its maker, with its own"
            " short cable.",
        )
    elif earlier:
        record.fault(
            SUPPLY,
            "The controller's supply was too low at some time since it was switched on: look at plug and"
            " cable.",
            severity="warning",
        )
    return record.outcome("The supply holds.")


def tmp(hall: HallUnderTest) -> Outcome:
    """Temperature of the processor, and whether it was slowed down for it."""
    facts = hall.probes.facts()
    if facts.temperature_c is None:
        return not_fitted("This computer does not tell its temperature.")
    record = Record()
    hot = facts.temperature_c
    record.value("temperature", hot, "°C", limit="below 70, warning up to 80", ok=hot < WARM_C)
    slow = facts.supply is not None and facts.supply.throttled and not facts.supply.under_voltage
    record.value("slowed down now", _yes(slow), limit="no", ok=not slow)
    if hot > HOT_C:
        record.fault(COOLING, f"The controller is at {hot:.0f} °C: see to its heat sink, fan and air slots.")
    elif slow:
        record.fault(
            COOLING, f"The controller has slowed down, at {hot:.0f} °C: see to its heat sink and fan."
        )
    elif hot >= WARM_C:
        record.fault(
            COOLING,
            f"The controller is warm, {hot:.0f} °C: give it air before the hall is full.",
            severity="warning",
        )
    return record.outcome("The controller is cool enough.")


def _under_load(hall: HallUnderTest, before: SupplyFacts) -> SupplyFacts:
    for lamp in LAMPS:
        hall.probes.lamp(lamp, lit=True)
    hall.pause(LOAD_S)
    found = hall.probes.facts().supply
    for lamp in LAMPS:
        hall.probes.lamp(lamp, lit=False)
    return found or before


def _yes(bit: bool) -> str:  # noqa: FBT001 - a word for it
    return "yes" if bit else "no"


LONGEST_TIMEOUT_S = 15
"""The Pi's watchdog counts no further; a longer setting leaves it unarmed."""


def hwd(hall: HallUnderTest) -> Outcome:
    """Armed, and biting soon enough."""
    watchdog = hall.probes.facts().watchdog
    if watchdog is None:
        before = hall.before("HWD")
        if before is None or before.verdict in ("not_fitted", "skipped"):
            return not_fitted("This computer has no watchdog.")
    record = Record()
    armed = watchdog is not None and watchdog.armed
    record.value("armed", "yes" if armed else "no", limit="yes", ok=armed)
    timeout = None if watchdog is None else watchdog.timeout_s
    soon = timeout is None or timeout <= LONGEST_TIMEOUT_S
    record.value("bites after", timeout, "s", limit="15 at most", ok=soon)
    if not armed or not soon:
        record.fault(
            "the settings of the system (RuntimeWatchdogSec)",
            "The computer would not start afresh by itself after a hang: install again, which arms its"
            " watchdog.",
        )
    return record.outcome("The watchdog is armed.")


def sec(hall: HallUnderTest) -> Outcome:
    """No PIN that is guessed first, and no secret that others can read."""
    secrets = hall.probes.secrets()
    record = Record()
    open_files = [f"{file.name} ({file.mode:o})" for file in secrets.files if file.mode & 0o077]
    record.value("secret files", len(secrets.files))
    record.value("readable by others", len(open_files), limit="0", ok=not open_files)
    for file in secrets.files:
        if file.mode & 0o077:
            record.fault(
                f"the file {file.name}",
                f"{file.name} can be read by others (mode {file.mode:o}): make it 0600, then change what is"
                " in it.",
            )
    if secrets.pin_guessable is None:
        record.value("PIN", "none set", limit="not guessable")
    else:
        record.value(
            "PIN",
            "guessable" if secrets.pin_guessable else "set",
            limit="not guessable",
            ok=not secrets.pin_guessable,
        )
    if secrets.pin_trouble is not None:
        record.fault("the PIN's file", secrets.pin_trouble)
    if secrets.pin_guessable:
        record.fault(
            "the PIN",
            "The PIN is one that everybody tries first: make a new one with `pi-controller pin new`.",
        )
    kept = named([file.name for file in secrets.files])
    return record.outcome(f"Closed to others: {kept}." if kept else "No secret file is kept yet.")


WRITES, SIZE = 64, 4096
WRITES_AT_BOOT = 16
SLOWEST_MS = 200.0
TRIES, APART_S = 3, 1.0
"""Something else may have been writing; a card that is slow is so each time."""
LEAST_FREE = 1_000_000_000
SLOWEST_LINE_MS = 1000.0
"""Core's own deadline for a line of the journal is longer; a healthy card needs a tenth of it."""
CARD = "the memory card"


def sdc(hall: HallUnderTest) -> Outcome:
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


def jrn(hall: HallUnderTest) -> Outcome:
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


def roo(hall: HallUnderTest) -> Outcome:
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
