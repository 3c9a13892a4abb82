"""One fault of the hall a line: what is wrong, and which check must say so, about which part and where, and
nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from pi_controller.bus.values import Loopback
from pi_controller.hal.serial.port import Holder
from pi_controller.protocol.probes import JournalChecked, Level, Sounded
from pi_controller.roster import model
from pi_controller.selftest.core import Secrets
from pi_controller.selftest.verdicts import Code, Verdict
from tests.selftest.small_hall import SmallHall
from tests.selftest.small_panel import CHECKED_DISK, MS

Seed = Callable[[SmallHall], Any]


@dataclass(frozen=True)
class Fault:
    """Of a whole test of its level `part` and `where` are in the one finding, or, with `also`, in the first of
    several; `after`: a test of the healthy hall comes first, to compare with."""

    code: Code
    name: str
    seed: Seed
    part: str
    where: str = ""
    verdict: Verdict = "failed"
    level: Level = "field"
    after: bool = False
    also: tuple[tuple[Code, str, str], ...] = ()
    """Check, part and place of what rightly is told besides."""
    boards: int | None = None
    """In its one row; None: a hall of two short rows."""


def setting(of: Callable[[SmallHall], Any]) -> Callable[..., Seed]:
    """Seeds that set attributes of this part of the hall."""

    def changed(**changes: object) -> Seed:
        def seed(there: SmallHall) -> None:
            for name, value in changes.items():
                setattr(of(there), name, value)

        return seed

    return changed


def replaced(name: str) -> Callable[..., Seed]:
    """Seeds that change fields of this fact of the computer."""

    def changed(**changes: object) -> Seed:
        def seed(there: SmallHall) -> None:
            known = there.panel.facts
            there.panel.facts = replace(known, **{name: replace(getattr(known, name), **changes)})

        return seed

    return changed


hall = setting(lambda there: there)
panel = setting(lambda there: there.panel)
port = setting(lambda there: there.panel.ports[0])
watchdog = replaced("watchdog")
writable_root = replaced("disk")(root="writable")


def table(label: str, **changes: object) -> Seed:
    return setting(lambda there: there.tables_there[label])(**changes)


def tables(*labels: str, **changes: object) -> Seed:
    def seed(hall: SmallHall) -> None:
        for label in labels:
            table(label, **changes)(hall)

    return seed


def without_sensor(**changes: object) -> Seed:
    """A panel of revision 1."""

    def seed(hall: SmallHall) -> None:
        hall.panel.fitted.panel_current = False
        panel(**changes)(hall)

    return seed


def supply(**changes: bool) -> Seed:
    return lambda hall: hall.panel.change_supply(**changes)


def clock(**changes: object) -> Seed:
    return lambda hall: hall.panel.change_clock(**changes)


def facts(**changes: object) -> Seed:
    def seed(hall: SmallHall) -> None:
        hall.panel.facts = replace(hall.panel.facts, **changes)  # type: ignore[arg-type]

    return seed


def disk(**changes: object) -> Seed:
    return panel(disk=[structs.replace(CHECKED_DISK, **changes)])


def volts(*found: float) -> Seed:
    """So many volts at the tables of row A."""

    def seed(hall: SmallHall) -> None:
        for number, supply_v in enumerate(found, 1):
            table(f"A{number}", supply_v=supply_v)(hall)

    return seed


def secret(**changes: object) -> Seed:
    def seed(hall: SmallHall) -> None:
        hall.secret = Secrets(**{"pin_guessable": False, "files": {}, **changes})  # type: ignore[arg-type]

    return seed


def torn_cable(there: SmallHall) -> None:
    """All its wires are broken, the spare one too."""
    tables("A3", "A4", answers=False)(there)
    there.spare_broken = {"A3"}


def cable_out(there: SmallHall) -> None:
    """In front of A3: of what lies behind nothing is heard, nor is the terminator felt."""
    tables("A3", "A4", "B1", "B2", "B3", answers=False)(there)
    there.spare_broken = {"A3"}


def bare_line(found: Loopback) -> Seed:
    """Nothing but the adapter and terminators."""

    def seed(there: SmallHall) -> None:
        there.loopback, there.kept_roster = found, model.Roster()
        there.tables_there.clear()

    return seed


def swapped_node(there: SmallHall) -> None:
    there.tables_there["A3"].uid = "00000000000000ff"


def unknown_node(there: SmallHall) -> None:
    there.tables_there["C9"] = type(there.tables_there["A1"])("C9", "00000000000000ee")


def empty_board(there: SmallHall) -> None:
    there.kept_roster = model.clear(there.kept_roster, "B3")
    del there.tables_there["B3"]


def vanished_clock(there: SmallHall) -> None:
    clock(rtc=None, rtc_runs=None, rtc_ahead_s=None)(there)


def bench(*, tables_left: int = 1, loss_at_twice: float = 0.0, **changes: object) -> Seed:
    """Only so many nodes are on the bench; the first of them is changed."""

    def seed(there: SmallHall) -> None:
        there.margin_loss = loss_at_twice
        for label in list(there.tables_there)[tables_left:]:
            del there.tables_there[label]
        there.kept_roster = model.new_roster(1, tables_left)
        for label in list(there.tables_there):
            there.kept_roster = model.place(there.kept_roster, label, there.tables_there[label].uid)
        table("A1", **changes)(there)

    return seed


CARD, SUPPLY, COOLING = "memory card", "power supply", "heat sink"
FAULTS = (
    Fault("PWR", "too little voltage now", supply(under_voltage=True, under_voltage_since_boot=True), SUPPLY),
    Fault("PWR", "too little under load", panel(dips_under_load=True), SUPPLY),
    Fault("PWR", "too little since boot", supply(under_voltage_since_boot=True), SUPPLY, verdict="warning"),
    Fault("TMP", "too hot", facts(temperature_c=84.0), COOLING),
    Fault("TMP", "warm", facts(temperature_c=74.0), COOLING, verdict="warning"),
    Fault("TMP", "slowed down", supply(throttled=True), COOLING),
    Fault("RTC", "stopped", clock(rtc_runs=False, rtc_ahead_s=None), "coin cell"),
    Fault("RTC", "half a minute off", clock(rtc_ahead_s=-31.0), "clock module"),
    Fault("RTC", "not readable", clock(rtc_ahead_s=None), "clock module"),
    Fault("RTC", "gone since the last test", vanished_clock, "clock module", after=True),
    Fault("BAT", "empty cell", clock(rtc_runs=False, rtc_ahead_s=None), "coin cell", level="bench"),
    Fault("SDC", "slow card", disk(p99_ms=310.0), CARD),
    Fault("SDC", "damaged on the way", disk(verified=False), CARD),
    Fault("SDC", "full", disk(free_bytes=400_000_000), CARD),
    Fault("SDC", "errors counted", disk(errors=3), CARD),
    Fault("ROO", "writable again", writable_root, "system", after=True),
    Fault("CLK", "coarse clock source", clock(source="jiffies"), "system"),
    Fault("JRN", "read back damaged", panel(journal=JournalChecked(written_ms=9.0, verified=False, sentence="The line came back damaged.")), CARD),
    Fault("JRN", "does not get there", panel(journal=JournalChecked(written_ms=None, verified=False, sentence="It was not written.")), CARD),
    Fault("HWD", "not armed", watchdog(armed=False), "RuntimeWatchdogSec"),
    Fault("HWD", "counts too long", watchdog(timeout_s=60), "RuntimeWatchdogSec"),
    Fault("HWD", "gone since the last test", facts(watchdog=None), "RuntimeWatchdogSec", after=True),
    Fault("SEC", "readable key", secret(files={"web/token": 0o644}), "web/token"),
    Fault("SEC", "PIN 123456", secret(pin_guessable=True), "PIN"),
    Fault("PRT", "adapter unplugged", port(present=False), "USB adapter of segment A", "A"),
    Fault("PRT", "held by another", port(holder=Holder(pid=321, name="ModemManager")), "ModemManager", "A"),
    Fault("PRT", "does not open", port(sentence="The port may not be opened."), "USB adapter of segment A", "A"),
    Fault("FTD", "16 ms", port(latency_timer_ms=16), "udev rule", "A"),
    Fault("LMP", "dead Sun lamp", panel(dead_lamps={"sun"}), "Sun lamp"),
    Fault("LMP", "dead Moon lamp", panel(dead_lamps={"moon"}), "Moon lamp"),
    Fault("LMP", "dead pause lamp", panel(dead_lamps={"pause"}), "pause lamp"),
    Fault("LMP", "Moon never goes out", panel(burning_lamps={"moon"}), "driver of the Moon lamp"),
    Fault("LMP", "crossed wires", panel(crossed=True), "wires of Sun lamp and Moon lamp"),
    Fault("LMP", "open circuit of the Sun lamp", panel(open_lamps={"sun"}), "fuse, the wires or the Sun lamp"),
    Fault("PSB", "open circuit of the pause lamp", panel(open_lamps={"pause"}), "wires or the pause lamp"),
    Fault("PSB", "fuse of the pause button blown", panel(pause_fuse_blown=True), "fuse F6"),
    Fault("PSB", "short in the pause lamp's wires", panel(shorted="pause"), "wires of the pause lamp"),
    Fault("LMP", "the Sun lamp takes half of what it took", panel(weak_lamps={"sun"}), "Sun lamp", verdict="warning", after=True),
    Fault("PSB", "the pause lamp takes half of what it took", panel(weak_lamps={"pause"}), "pause lamp", verdict="warning", after=True),
    Fault("HRN", "the buzzer takes half of what it took", panel(buzzer_a=0.025), "the buzzer", verdict="warning", after=True),
    Fault("LMP", "short in the Moon lamp's wires", panel(shorted="moon"), "wires of the Moon lamp"),
    Fault("LMP", "a driver conducts", panel(leak_a=0.25), "driver of an output"),
    Fault("LMP", "no 24 V", panel(volts=0.4), "24 V supply of the panel"),
    Fault("LMP", "supply sags", panel(inner_ohm=8.0), "24 V supply of the panel"),
    Fault("HRN", "silent buzzer", panel(buzzer_dead=True), "buzzer"),
    Fault("HRN", "silent buzzer of a panel without sensor", without_sensor(buzzer_dead=True), "buzzer"),
    Fault("LMP", "dead Sun lamp of a panel without sensor", without_sensor(dead_lamps={"sun"}), "its fuse or its driver"),
    Fault("SND", "no device", panel(sounded=Sounded(played=False, sentence="The sound device is not there.")), "sound device"),
    Fault("SND", "silent loudspeakers", panel(loudspeakers=False), "loudspeakers"),
    Fault("PSB", "NC wire broken", panel(nc_broken=True), "NC contact"),
    Fault("PSB", "NO wire broken", panel(no_broken=True), "NO contact"),
    Fault("PSB", "held down", panel(held_down=True), "pause button"),
    Fault("PSB", "welded", panel(no_welded=True), "pause button"),
    Fault("PSB", "presses are not felt", panel(felt=False), "pause button"),
    Fault("PSB", "lamp answers late", panel(lamp_after_ns=140 * MS), "the controller"),
    Fault("BNC", "worn contacts", panel(bounce_ns=20 * MS), "contacts of the pause button"),
    Fault("OLD", "panel's display silent", panel(display_trouble="The display does not answer."), "panel's display", "panel"),
    Fault("OLD", "panel's display torn", panel(torn_display=True), "display of the panel", "panel"),
    Fault("OLD", "dark Sun display", table("A2", dark={"sun"}), "display of A2 Sun", "A2"),
    Fault("OLD", "dark Sun display of a table that does not measure", table("A2", dark={"sun"}, measures=False), "display of A2 Sun", "A2"),
    Fault("OLD", "dark Moon display of old firmware", table("A3", dark={"moon"}, measures=False, protocol=5), "display of A3 Moon", "A3", also=(("CEN", "firmware of board A3", "A3"),)),
    Fault("OLD", "torn Moon display", table("B2", torn={"moon"}), "display of B2 Moon", "B2"),
    Fault("OLD", "shorted display", table("B3", displays_shorted=True), "displays of board B3", "B3"),
    Fault("OLD", "Moon display takes nothing", table("B1", silent_displays={"moon"}), "display of B1 Moon", "B1"),
    Fault("OLD", "both displays take no picture", table("B1", silent_displays={"sun", "moon"}), "displays of board B1", "B1"),
    Fault("OLD", "both displays of a table are dark", table("B1", dark={"sun", "moon"}), "displays of board B1", "B1"),
    Fault("OLD", "both displays of a table that does not measure", table("B1", dark={"sun", "moon"}, measures=False), "displays of board B1", "B1"),
    Fault("LED", "all four lamps of a table are dead", table("A4", dead_lamps={0, 1, 2, 3}), "node of board A4", "A4"),
    Fault("LED", "lamps of both sides of a table that does not measure", table("A4", dead_lamps={0, 3}, measures=False), "node of board A4", "A4"),
    Fault("LED", "dead Sun lamp at a table", table("A4", dead_lamps={0}), "lamps of A4 Sun", "A4"),
    Fault("LED", "dead lamp of Moon's button", table("B2", dead_lamps={3}), "lamps of B2 Moon", "B2"),
    Fault("LED", "a lamp never goes out", table("A1", burning_lamps={1}), "lamp drivers of A1 Moon", "A1"),
    Fault("LED", "a shorted lamp", table("B3", shorted_lamps={0}), "lamps of B3 Sun", "B3"),
    Fault("LED", "dead lamp of a table that does not measure", table("A4", dead_lamps={2}, measures=False), "lamps of A4 Sun", "A4"),
    Fault("LED", "a lamp of old firmware never goes out", table("A1", burning_lamps={1}, measures=False, protocol=5), "lamp drivers of A1 Moon", "A1", also=(("CEN", "firmware of board A1", "A1"),)),
    Fault("LPB", "no terminator", bare_line(Loopback(sent=1000, echoed=870, damaged=130)), "terminator", "A", level="bench"),
    Fault("BER", "bad stub of one node", table("A3", loss=0.02), "node of board A3", "A3"),
    Fault("BER", "bad cable in a row", tables("A3", "A4", loss=0.02), "cable between A2 and A3", "A3"),
    Fault("BER", "bad segment", tables("A1", "A2", "A3", "A4", "B1", "B2", "B3", loss=0.02), "segment A", "A"),
    Fault("BER", "deaf to test frames", table("A2", loss=1.0), "firmware", "A2", verdict="warning"),
    Fault("MRG", "no margin in the hall", hall(margin_loss=0.05), "cable, or the terminators", "A1", verdict="warning"),
    Fault("MRG", "no margin at twice the rate", bench(loss_at_twice=0.05), "cable, or the terminators", "A1", level="bench", verdict="warning"),
    Fault("CEN", "silent node", table("B2", answers=False), "node of board B2", "B2"),
    Fault("CEN", "cable out in a row", cable_out, "cable between A2 and A3", "A3"),
    Fault("CEN", "cable torn", torn_cable, "cable between A2 and A3", "A3", boards=4),
    Fault("CEN", "swapped node", swapped_node, "node of board A3", "A3", verdict="warning"),
    Fault("CEN", "unknown node", unknown_node, "roster", "00000000000000ee"),
    Fault("CEN", "board without a node", empty_board, "node of board B3", "B3"),
    Fault("CEN", "address twice", table("A2", address_twice=True), "node of board A2", "A2"),
    Fault("CEN", "other firmware", table("B3", firmware="1.3"), "firmware of board B3", "B3", verdict="warning"),
    Fault("CEN", "other protocol", table("B3", outdated=True, firmware="9.0"), "firmware of board B3", "B3"),
    Fault("CEN", "safe mode", table("A1", safe_mode=True), "node of board A1", "A1"),
    Fault("CEN", "segment closed", hall(links={"A": ("closed", "Segment A: the port has gone.")}), "segment A", "A"),
    Fault("VBS", "starved node", table("B3", supply_v=14.2), "supply of board B3", "B3"),
    Fault("VBS", "bad crimp before the last board", lambda there: there.power.extra_ohm.update(A2=2.0), "cable between A1 and A2, or the plugs of board A1", "A1"),
    Fault("VBS", "bad plug of the last board", table("A1", stub_ohm=5.0), "cable between A1 and A2, or the plugs of board A1", "A1"),
    Fault("VBS", "bad crimp in an arm", lambda there: there.power.extra_ohm.update(A8=2.0), "cable between A7 and A8", "A8", boards=10),
    Fault("VBS", "bad crimp behind the injector", lambda there: there.power.extra_ohm.update(A3=2.0), "cable between A2 and A3", "A3"),
    Fault("VBS", "bad plug", table("A2", stub_ohm=5.0), "plugs of board A2", "A2"),
    Fault("VBS", "fuse of a board with resistance", table("B2", stub_ohm=8.0), "plugs of board B2", "B2"),
    Fault("VBS", "one broken wire of two", lambda there: there.power.broken_wires.add("A6"), "cable between A5 and A6", "A6", verdict="warning", boards=10),
    Fault("VBS", "a stretch with 3 V less", tables("A3", "A4", supply_v=20.8), "cable between A2 and A3", "A3"),
    Fault("SPR", "no terminator", hall(terminator=False), "terminator of segment A", "A"),
    Fault("SPR", "spare wire broken", hall(spare_broken={"A3"}), "cable between A2 and A3", "A3"),
    Fault("SPR", "one node feels no loop", table("A3", deaf_to_loop=True), "node of board A3", "A3", verdict="warning"),
    Fault("NTP", "hot node", table("A2", temperature_c=67), "node of board A2", "A2"),
    Fault("NTP", "warmer than its row", table("B1", temperature_c=44), "node of board B1", "B1"),
    Fault("DRF", "bad crystal", bench(drift_us=9000), "crystal of the node", "A1", level="bench"),
    Fault("DRF", "knows no time", bench(drift_us=None), "firmware", "A1", level="bench", verdict="warning"),
    Fault("LAT", "slow node", table("A2", p99_ms=31.0), "node of board A2", "A2"),
    Fault("LAT", "slow segment", tables("A1", "A2", "A3", "A4", "B1", "B2", "B3", p50_ms=17.0), "segment A", "A"),
    Fault("CLM", "dead button", table("A2", dead_buttons={"moon"}), "Moon claim button of board A2", "A2"),
    Fault("CLM", "stuck button", table("B1", stuck={"sun"}), "Sun claim button of board B1", "B1"),
    Fault("LAT", "late acknowledgement", table("B2", acknowledged_ms=900.0), "line to board B2", "B2"),
    Fault("LAT", "no acknowledgement", table("B2", acknowledged_ms=None), "line to board B2", "B2"),
    Fault("CLM", "Sun and Moon exchanged", table("A3", crossed=True), "node of board A3", "A3", verdict="warning"),
    Fault("CLM", "boards exchanged", lambda there: there.exchange("A2", "A4"), "boards A2 and A4", "A2", verdict="warning"),
    Fault("WDG", "does not bite", bench(watchdog=False), "node of board A1", "A1", level="bench"),
    Fault("PUL", "does not say that it has no link", hall(shows_no_link=False), "firmware of the nodes", level="bench"),
    Fault("UPS", "empty battery", hall(ups_holds=False), "uninterruptible supply", level="bench"),
    Fault("UPS", "no alarm", hall(ups_alarm=False), "uninterruptible supply", level="bench"),
)  # fmt: skip
