"""PWR, TMP, HWD, SEC, SDC, JRN, ROO, RTC, BAT, CLK and UPS: the computer's supply, temperature, watchdog,
secrets, storage and clocks, and the mains that fail."""

from datetime import datetime

from pi_controller.bus.values import PingAsked
from pi_controller.hal.roles import ClockFacts, SupplyFacts
from pi_controller.protocol.probes import DiskChecked, DiskProbe, FactsProbe, JournalProbe
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import (
    DAMAGED,
    NONE,
    NOT_SEEN,
    SEEN,
    WHOLE,
    CheckOutcome,
    CheckRecord,
    Limit,
    Value,
    above,
    at_most,
    below,
    named,
    not_fitted,
    said,
    skipped,
)
from pi_controller.sentence import Sentence, as_told

LOAD_S = 0.5
"""All processors are busy for so long before the supply is looked at."""
USB_FRAMES = 20
"""To each table node meanwhile, so that the adapters send too."""
WARM_C = 70.0
HOT_C = 80.0
"""Above it the processor slows down by itself."""
SUPPLY = Sentence("selftest.controllers_power_supply_and_its_cable")
COOLING = Sentence("selftest.controllers_heat_sink_or_fan")


async def pwr(hall: HallUnderTest) -> CheckOutcome:
    """The firmware's alarm bits now, with busy processors and USB adapters, and since boot."""
    before = await hall.probe(FactsProbe())
    if before.supply is None:
        return not_fitted(Sentence("selftest.this_computer_does_not_watch"))
    loaded = await _under_load(hall, before.supply) if hall.level == "field" else before.supply
    record = CheckRecord()
    now = before.supply.under_voltage
    earlier = before.supply.under_voltage_since_boot
    record.fact(Sentence("selftest.under_voltage_now"), holds=now, wanted=False)
    record.fact(Sentence("selftest.under_voltage_while_busy"), holds=loaded.under_voltage, wanted=False)
    record.fact(Sentence("selftest.under_voltage_since_boot"), holds=earlier, wanted=False)
    if now:
        record.fault(SUPPLY, Sentence("selftest.under_voltage"))
    elif loaded.under_voltage:
        record.fault(SUPPLY, Sentence("selftest.under_voltage_under_load"))
    elif earlier:
        record.fault(SUPPLY, Sentence("selftest.controllers_supply_was_too_low"), severity="warning")
    return record.outcome(Sentence("selftest.supply_holds"))


async def tmp(hall: HallUnderTest) -> CheckOutcome:
    """Temperature of the processor, and whether it was slowed down for it."""
    facts = await hall.probe(FactsProbe())
    if facts.temperature_c is None:
        return not_fitted(Sentence("selftest.this_computer_does_not_tell"))
    record = CheckRecord()
    hot = facts.temperature_c
    warm = Limit(Sentence("selftest.below_70_warning_up_to_80"), lambda found: found < WARM_C)
    record.figure(Sentence("selftest.temperature"), hot, "°C", warm)
    slow = facts.supply is not None and facts.supply.throttled and not facts.supply.under_voltage
    record.fact(Sentence("selftest.slowed_down_now"), holds=slow, wanted=False)
    if hot > HOT_C:
        record.fault(COOLING, Sentence("selftest.controller_is_at_c_see", hot=hot))
    elif slow:
        record.fault(COOLING, Sentence("selftest.controller_has_slowed_down_at_c", hot=hot))
    elif hot >= WARM_C:
        record.fault(COOLING, Sentence("selftest.controller_is_warm_c_give", hot=hot), severity="warning")
    return record.outcome(Sentence("selftest.controller_is_cool_enough"))


async def _under_load(hall: HallUnderTest, before: SupplyFacts) -> SupplyFacts:
    """Lamps hang on another supply; processor and USB adapters are what loads the controller's own."""
    async with hall.core.busy_processors():
        await hall.pause(LOAD_S)
        if hall.fitted.segments:
            await hall.bus(PingAsked(frames=USB_FRAMES, seconds=LOAD_S))
        found = (await hall.probe(FactsProbe())).supply
    return found or before


LONGEST_TIMEOUT_S = 15
"""The Pi's watchdog counts no further; a longer setting leaves it unarmed."""


async def hwd(hall: HallUnderTest) -> CheckOutcome:
    """Armed, and biting soon enough."""
    watchdog = (await hall.probe(FactsProbe())).watchdog
    if watchdog is None:
        before = hall.before("HWD")
        if before is None or before.verdict in ("not_fitted", "skipped"):
            return not_fitted(Sentence("selftest.this_computer_has_no_watchdog"))
    record = CheckRecord()
    armed = record.fact(Sentence("selftest.armed"), holds=watchdog is not None and watchdog.armed)
    timeout, limit = None if watchdog is None else watchdog.timeout_s, at_most(LONGEST_TIMEOUT_S)
    soon = timeout is None or limit.keeps(timeout)
    record.value(Sentence("selftest.bites_after"), timeout, "s", limit=limit.text, ok=soon)
    if not armed or not soon:
        record.fault(
            Sentence("selftest.settings_of_the_system_runtimewatchdogsec"),
            Sentence("selftest.computer_would_not_start_afresh"),
        )
    return record.outcome(Sentence("selftest.watchdog_is_armed"))


async def sec(hall: HallUnderTest) -> CheckOutcome:
    """No PIN that is guessed first, and no secret that others can read."""
    secrets = await hall.core.secrets()
    record = CheckRecord()
    open_files = {name: mode for name, mode in secrets.files.items() if mode & 0o077}
    record.value(Sentence("selftest.secret_files"), len(secrets.files))
    record.figure(Sentence("selftest.readable_by_others"), len(open_files), "", NONE)
    for name, mode in open_files.items():
        told = Sentence("selftest.file_can_be_read_by_others", name=name, mode=mode)
        record.fault(Sentence("selftest.the_file", name=name), told)
    pin = {None: Sentence("selftest.none_set"), True: Sentence("selftest.guessable")}.get(
        secrets.pin_guessable, Sentence("selftest.set")
    )
    not_guessable = Sentence("selftest.not_guessable")
    record.value(Sentence("selftest.pin"), pin, limit=not_guessable, ok=not secrets.pin_guessable)
    if secrets.pin_trouble is not None:
        record.fault(Sentence("selftest.pins_file"), as_told(secrets.pin_trouble))
    if secrets.pin_guessable:
        record.fault(Sentence("selftest.the_pin"), Sentence("selftest.pin_is_one_that_everybody_tries"))
    if not secrets.files:
        return record.outcome(Sentence("selftest.no_secret_file_is_kept_yet"))
    return record.outcome(Sentence("selftest.closed_to_others", files=named(list(secrets.files))))


WRITES, SIZE = 64, 4096
WRITES_AT_BOOT = 16
SLOWEST_MS = 200
TRIES, APART_S = 3, 1.0
"""Something else may have been writing; a card that is slow is so each time."""
LEAST_FREE = 1_000_000_000
SLOWEST_LINE_MS = 1000
"""Core's own deadline for a line of the journal is longer; a healthy card needs a tenth of it."""
CARD = Sentence("selftest.memory_card")


async def sdc(hall: HallUnderTest) -> CheckOutcome:
    """Synced writes, read back; free space; what the file system has counted of errors."""
    writes = WRITES_AT_BOOT if hall.level == "boot" else WRITES
    found = await hall.probe(DiskProbe(writes=writes, size=SIZE))
    for _ in range(TRIES - 1):
        if found.p99_ms < SLOWEST_MS or not found.verified:
            break
        await hall.pause(APART_S)
        again = await hall.probe(DiskProbe(writes=writes, size=SIZE))
        found = min(found, again, key=lambda one: (one.verified, one.p99_ms))
    record = CheckRecord()
    _judge_disk(record, found, errors=(await hall.probe(FactsProbe())).disk.errors or found.errors)
    return record.outcome(Sentence("selftest.card_is_quick_enough_and_every"))


def _judge_disk(record: CheckRecord, found: DiskChecked, *, errors: int | None) -> None:
    record.value(Sentence("selftest.synced_write_median"), found.p50_ms, "ms")
    quick = record.figure(Sentence("selftest.synced_write_99_of_100"), found.p99_ms, "ms", below(SLOWEST_MS))
    record.value(Sentence("selftest.synced_write_slowest"), found.worst_ms, "ms")
    record.fact(Sentence("selftest.read_back"), holds=found.verified, word=WHOLE, other=DAMAGED)
    full = found.free_bytes <= LEAST_FREE
    free_gb = round(found.free_bytes / 1e9, 2)
    record.value(Sentence("selftest.free"), free_gb, "GB", limit=above(1).text, ok=not full)
    if errors is not None:
        record.figure(Sentence("selftest.errors_of_the_file_system"), errors, "", NONE)
    if not found.verified:
        record.fault(CARD, Sentence("selftest.what_was_written_was_read_back"))
    if errors:
        record.fault(CARD, Sentence("selftest.file_system_has_counted_errors_swap", count=errors))
    if not quick:
        record.fault(CARD, Sentence("selftest.writing_takes_up_to_ms_swap", ms=found.p99_ms))
    if full:
        record.fault(CARD, Sentence("selftest.only_gb_are_free_export_old", gigabytes=found.free_bytes / 1e9))


async def jrn(hall: HallUnderTest) -> CheckOutcome:
    """A line of the journal is written, and read back from the disk with its hash."""
    found = await hall.probe(JournalProbe())
    record = CheckRecord()
    written = record.figure(
        Sentence("selftest.line_on_the_disk_after"), found.written_ms, "ms", below(SLOWEST_LINE_MS)
    )
    record.fact(Sentence("selftest.read_back"), holds=found.verified, word=WHOLE, other=DAMAGED)
    if found.sentence is not None or not found.verified or not written:
        trouble = said(found.sentence, found.sentence_key) or Sentence("selftest.journal_cannot_keep_up")
        record.fault(CARD, Sentence("selftest.do_not_play_with_this_card", trouble=trouble))
    return record.outcome(Sentence("selftest.journal_writes_and_reads_back"))


async def roo(hall: HallUnderTest) -> CheckOutcome:
    """The root cannot be changed for good; where that was never chosen it is not fitted."""
    root = (await hall.probe(FactsProbe())).disk.root
    record = CheckRecord()
    before = hall.before("ROO")
    was_on = before is not None and before.verdict in ("passed", "failed")
    if root == "writable" and not was_on:
        return not_fitted(Sentence("selftest.root_is_writable_a_power_cut"))
    ok = root != "writable"
    record.value(Sentence("selftest.root"), root, limit=Sentence("selftest.overlay_or_read_only"), ok=ok)
    if not ok:
        record.fault(Sentence("selftest.system_on_the_memory_card"), Sentence("selftest.root_was_read_only"))
    return record.outcome(Sentence("selftest.what_is_written_to_the_root"))


# RTC, BAT and CLK: the clock with a battery, its battery, the system's clock source.


FARTHEST_S = 2.0
FASTEST_PPM = 4
"""What a DS3231 is allowed by its data sheet is 2 ppm at room temperature."""
AHEAD = Sentence("selftest.ahead_of_the_systems_clock")
MODULE = Sentence("selftest.clock_module_with_the_battery")
CELL = Sentence("selftest.coin_cell_of_the_clock_module")
COARSE = ("jiffies", "refined-jiffies")
"""Clock sources that only count the timer's ticks."""


async def rtc(hall: HallUnderTest) -> CheckOutcome:
    """Whether it is there, runs, and agrees with the system's clock."""
    clock = (await hall.probe(FactsProbe())).clock
    before = hall.before("RTC")
    if clock.rtc is None:
        if before is None or before.verdict in ("not_fitted", "skipped"):
            return not_fitted(Sentence("selftest.no_clock_so_the_date_is_wrong"))
        record = CheckRecord()
        gone = Sentence("selftest.clock_with_the_battery_was_there")
        record.fault(MODULE, gone)
        return record.outcome(gone)
    record = CheckRecord()
    _runs(record, clock)
    _agrees(record, clock)
    if hall.previous is not None and before is not None:
        _drift(record, clock, before.values, _since_s(hall.previous.when, hall.now()))
    return record.outcome(Sentence("selftest.clock_runs_and_is_right", clock=clock.rtc))


async def bat(hall: HallUnderTest) -> CheckOutcome:
    """Whether the clock has kept running without mains; the operator says that it was without."""
    clock = (await hall.probe(FactsProbe())).clock
    if clock.rtc is None:
        return not_fitted(Sentence("selftest.no_clock_with_a_battery"))
    record = CheckRecord()
    if _runs(record, clock):
        text = Sentence("selftest.was_the_controller_without_power")
        if (await hall.ask(text, picture="mains", answers=("yes", "no"))).answer == "no":
            return skipped(Sentence("selftest.battery_is_only_tested_after"))
        _agrees(record, clock)
    return record.outcome(Sentence("selftest.battery_has_kept_the_clock_running"))


async def clk(hall: HallUnderTest) -> CheckOutcome:
    """The kernel's clock source is a real counter."""
    source = (await hall.probe(FactsProbe())).clock.source
    if source is None:
        return not_fitted(Sentence("selftest.this_system_does_not_say_what"))
    record = CheckRecord()
    fine, counter = source not in COARSE, Sentence("selftest.hardware_counter")
    if not record.value(Sentence("selftest.clock_source"), source, limit=counter, ok=fine):
        told = Sentence("selftest.kernel_counts_time_by_in_steps", source=source)
        record.fault(Sentence("selftest.system_on_the_memory_card"), told)
    return record.outcome(Sentence("selftest.time_is_counted", source=source))


def _runs(record: CheckRecord, clock: ClockFacts) -> bool:
    if clock.rtc_runs is None:
        return True
    if not record.fact(Sentence("selftest.has_run_since_it_was_set"), holds=clock.rtc_runs):
        record.fault(CELL, Sentence("selftest.clock_with_the_battery_has_stopped"))
    return clock.rtc_runs


def _agrees(record: CheckRecord, clock: ClockFacts) -> None:
    if clock.rtc_ahead_s is None:
        if clock.rtc_runs is not False:
            record.fault(MODULE, Sentence("selftest.clock_with_the_battery_cannot_be"))
        return
    ok = abs(clock.rtc_ahead_s) < FARTHEST_S or clock.rtc_runs is False
    compared = (
        Sentence("selftest.less_than_2_s_either_way")
        if clock.synchronised
        else Sentence("selftest.less_than_2_s_of_a_clock_not_set")
    )
    if not record.value(AHEAD, clock.rtc_ahead_s, "s", limit=compared, ok=ok):
        told = Sentence("selftest.clock_with_the_battery_is_s", seconds=abs(clock.rtc_ahead_s))
        record.fault(MODULE, told)


def _drift(record: CheckRecord, clock: ClockFacts, before: tuple[Value, ...], since_s: float) -> None:
    """What it has gained since the last test; a second of it is how coarsely such a clock is read."""
    then = next((value.value for value in before if _is_ahead(value)), None)
    if clock.rtc_ahead_s is None or not isinstance(then, int | float) or since_s <= 0:
        return
    gained = abs(clock.rtc_ahead_s - then)
    ppm = max(0.0, gained - 1) / since_s * 1e6
    drift = Sentence("selftest.drift_since_the_last_test")
    if not record.figure(drift, ppm, "ppm", below(FASTEST_PPM)):
        told = Sentence("selftest.clock_with_the_battery_drifts", ppm=ppm)
        record.fault(MODULE, told, severity="warning")


def _is_ahead(value: Value) -> bool:
    """In a report of an older version figures have no keys: there it is the only one in seconds."""
    return value.key == AHEAD.key if value.key else value.unit == "s"


def _since_s(then: str, now: str) -> float:
    return (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()


async def ups(hall: HallUnderTest) -> CheckOutcome:
    """The mains are off for half a minute, and the controller goes on."""
    text = Sentence("selftest.has_the_controller_an_uninterruptible_supply")
    if (await hall.ask(text, picture="mains", answers=("yes", "no"))).answer == "no":
        return not_fitted(Sentence("selftest.there_is_no_uninterruptible_supply"))
    session = (await hall.core.client.picture()).session
    await hall.ask(Sentence("selftest.pull_the_mains_plug_for_30"), picture="mains", answers=("done",))
    supply = (await hall.probe(FactsProbe())).supply
    journal = await hall.probe(JournalProbe())
    record = CheckRecord()
    same = (await hall.core.client.picture()).session == session
    low = supply is not None and supply.under_voltage_since_boot
    record.fact(Sentence("selftest.core_ran"), holds=same)
    record.fact(Sentence("selftest.under_voltage_since_boot"), holds=low, wanted=False)
    record.fact(Sentence("selftest.journal"), holds=journal.verified, word=WHOLE, other=DAMAGED)
    alarm = await hall.saw(Sentence("selftest.did_the_uninterruptible_supply_show"), "mains")
    record.fact(Sentence("selftest.alarm"), holds=alarm, word=SEEN, other=NOT_SEEN)
    if not all(value.ok for value in record.values):
        told = Sentence("selftest.uninterruptible_supply_did_not_carry")
        record.fault(Sentence("selftest.uninterruptible_supply_or_its_battery"), told)
    return record.outcome(Sentence("selftest.uninterruptible_supply_carried_the_controller"))
