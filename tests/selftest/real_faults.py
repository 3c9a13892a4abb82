"""Faults of a real core and of tables that run the real firmware; each is seeded, found, and mended again."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from pi_controller.protocol.probes import Level
from pi_controller.roster import model
from pi_controller.selftest.verdicts import Code, Verdict
from pi_controller.vocabulary import Side
from tests.selftest.real_hall import RealHall

TableActionName = Callable[[RealHall], Any]


@dataclass(frozen=True)
class RealFault:
    """Of a whole test of its level `part` and `where` are in the one finding; `also`: parts that others rightly
    name besides."""

    code: Code
    name: str
    seed: TableActionName
    fix: TableActionName
    part: str
    where: str = ""
    verdict: Verdict = "failed"
    level: Level = "field"
    also: tuple[str, ...] = ()


def sim(
    code: Code, name: str, do: str, mended_by: str, part: str, *, where: str = "", **more: Any
) -> RealFault:
    """Done to the panel, and undone by another action."""
    return RealFault(
        code,
        name,
        lambda hall: hall.sim(do, **more),
        lambda hall: hall.sim(mended_by, **_lamp(more)),
        part,
        where,
    )


def fact(code: Code, name: str, facts: dict[str, tuple[Any, Any]], part: str, **how: Any) -> RealFault:
    """What the computer says, and what it said before."""

    def say(hall: RealHall, which: int) -> None:
        for key, values in facts.items():
            hall.fact(key, values[which])

    return RealFault(code, name, lambda hall: say(hall, 0), lambda hall: say(hall, 1), part, **how)


def table(code: Code, label: str, do: str, part: str, *, mended_by: str = "mended", **how: Any) -> RealFault:
    """Done to a table; `value` and `side` go with the action."""
    more = {key: how.pop(key) for key in ("value", "side") if key in how}
    name = " ".join([do, label, *map(str, more.values())])
    where = how.pop("where", label)

    def fix(hall: RealHall) -> None:
        hall.table_action(mended_by, label)

    return RealFault(code, name, lambda hall: hall.table_action(do, label, **more), fix, part, where, **how)


def _lamp(more: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in more.items() if key == "lamp"}


def lost(hall: RealHall, *labels: str) -> None:
    """Until core counts these tables as lost."""
    hall.wait_for_tables(lambda nodes: all(nodes[hall.uids[label]].state == "lost" for label in labels))


def halt(hall: RealHall) -> None:
    hall.table_action("halt", "A2")
    lost(hall, "A2")


def cut(hall: RealHall) -> None:
    hall.table_action("cut", "A4")
    lost(hall, "A4", "A5", "A6")


def other_firmware(hall: RealHall) -> None:
    hall.table_action("firmware", "A3", value=1.0)
    hall.wait_for_tables(
        lambda nodes: (
            nodes[hall.uids["A3"]].firmware.startswith("1.0") and nodes[hall.uids["A3"]].state == "good"
        )
    )


def own_firmware(hall: RealHall) -> None:
    hall.table_action("mended", "A3")
    hall.wait_for_tables(
        lambda nodes: (
            not nodes[hall.uids["A3"]].firmware.startswith("1.0") and nodes[hall.uids["A3"]].state == "good"
        )
    )


def stuck(hall: RealHall) -> None:
    hall.table_action("stuck", "A5", side="moon")
    hall.wait_for_tables(lambda nodes: nodes[hall.uids["A5"]].stuck.moon)


def roster_without(hall: RealHall) -> None:
    """The node of A4 was put in the place of another, and nobody told the roster."""
    hall.client.set_roster(msgspec.to_builtins(model.clear(hall.first_roster, "A4")))


def exchanged(hall: RealHall) -> None:
    roster = model.clear(hall.first_roster, "A5")
    roster = model.place(roster, "A2", hall.uids["A5"])
    hall.client.set_roster(msgspec.to_builtins(model.place(roster, "A5", hall.uids["A2"])))


def as_before(hall: RealHall) -> None:
    hall.all_well()


def open_token(hall: RealHall) -> None:
    folder = hall.state_dir / "web"
    folder.mkdir(exist_ok=True)
    (folder / "token").write_text("not secret any more\n")
    (folder / "token").chmod(0o644)


def closed_token(hall: RealHall) -> None:
    (hall.state_dir / "web" / "token").chmod(0o600)


def dead_button(label: str, place: Side) -> RealFault:
    return RealFault(
        "CLM", f"dead button {label} {place}",
        lambda hall: hall.dead_buttons.add((label, place)),
        lambda hall: hall.dead_buttons.discard((label, place)),
        f"{place.capitalize()} claim button of board {label}", label,
    )  # fmt: skip


def mains(hall: RealHall) -> None:
    hall.when_mains_fail = lambda: hall.fact("supply.under_voltage_since_boot", value=True)


def mains_again(hall: RealHall) -> None:
    hall.when_mains_fail = lambda: None
    hall.fact("supply.under_voltage_since_boot", value=False)


def no_terminator(hall: RealHall) -> None:
    """Only the adapter is on the line, and its echo is damaged now and then."""
    for label in hall.seats:
        hall.table_action("halt", label)
    lost(hall, *hall.seats)
    hall.table_action("echo", "A1", value=1)
    hall.table_action("loss", "A1", value=0.1)


def whole_line(hall: RealHall) -> None:
    hall.table_action("loss", "A1", value=0)
    hall.table_action("echo", "A1", value=0)
    for label in hall.seats:
        hall.table_action("revive", label)


def no_watchdog(hall: RealHall) -> None:
    """Once the node hangs, it stays so."""

    def bury() -> None:
        hall.wait_for_tables(lambda nodes: nodes[hall.uids["A1"]].state != "good")
        hall.table_action("halt", "A1")

    threading.Thread(target=bury, daemon=True).start()


def stays_dead(hall: RealHall) -> None:
    hall.stays_dead = "A5"


def lives_again(hall: RealHall) -> None:
    hall.stays_dead = None
    hall.table_action("revive", "A5")


CARD, SUPPLY, COOLING, CLOCK = "memory card", "power supply", "heat sink", "clock module"
SYSTEM = "the system on the memory card"
FAULTS = (
    fact("PWR", "too little now", {"supply.under_voltage": (True, False)}, SUPPLY),
    fact("PWR", "too little since boot", {"supply.under_voltage_since_boot": (True, False)}, SUPPLY, verdict="warning"),
    fact("TMP", "too hot", {"temperature_c": (86.0, 48.0)}, COOLING),
    fact("TMP", "warm", {"temperature_c": (73.0, 48.0)}, COOLING, verdict="warning"),
    fact("TMP", "slowed down", {"supply.throttled": (True, False)}, COOLING),
    fact("RTC", "stopped", {"clock.rtc_runs": (False, True), "clock.rtc_ahead_s": (None, 0.0)}, "coin cell"),
    fact("RTC", "a minute off", {"clock.rtc_ahead_s": (61.0, 0.0)}, CLOCK),
    fact("RTC", "gone", {"clock.rtc": (None, "rtc-simulated")}, CLOCK),
    fact("BAT", "empty", {"clock.rtc_runs": (False, True), "clock.rtc_ahead_s": (None, 0.0)}, "coin cell", level="bench"),
    sim("SDC", "slow card", "disk_slow", "disk_mend", CARD),
    sim("SDC", "damaged card", "disk_damaged", "disk_mend", CARD),
    fact("SDC", "errors counted", {"disk.errors": (4, 0)}, CARD),
    fact("ROO", "writable again", {"disk.root": ("writable", "overlay")}, SYSTEM),
    fact("CLK", "coarse", {"clock.source": ("jiffies", "arch_sys_counter")}, SYSTEM),
    sim("JRN", "damaged journal", "journal_damaged", "disk_mend", CARD),
    fact("HWD", "not armed", {"watchdog.armed": (False, True)}, "RuntimeWatchdogSec"),
    fact("HWD", "counts too long", {"watchdog.timeout_s": (60, 14)}, "RuntimeWatchdogSec"),
    RealFault("SEC", "readable key", open_token, closed_token, "web/token"),
    sim("PRT", "held by another", "port_held", "port_free", "minicom", where="A"),
    sim("FTD", "16 ms", "latency_long", "latency_mend", "udev rule", where="A"),
    sim("LMP", "dead Sun lamp", "lamp_dead", "lamp_mend", "Sun lamp", lamp="sun"),
    sim("LMP", "dead Moon lamp", "lamp_dead", "lamp_mend", "Moon lamp", lamp="moon"),
    sim("PSB", "dead pause lamp", "lamp_dead", "lamp_mend", "pause lamp", lamp="pause"),
    sim("LMP", "crossed lamps", "lamps_crossed", "lamps_mend", "wires of Sun lamp and Moon lamp"),
    sim("HRN", "dead buzzer", "buzzer_dead", "buzzer_mend", "buzzer"),
    sim("SND", "no sound", "sound_dead", "sound_mend", "sound device"),
    sim("PSB", "NC wire broken", "break_wire", "mend_wire", "NC contact", contact="nc"),
    sim("PSB", "NO wire broken", "break_wire", "mend_wire", "NO contact", contact="no"),
    sim("PSB", "stuck", "button_stuck", "release", "pause button"),
    sim("BNC", "worn", "button_worn", "button_mend", "contacts of the pause button"),
    sim("OLD", "panel's display off", "display_off", "display_on", "panel's display", where="panel"),
    table("OLD", "A2", "dark", "display of A2 Sun", side="sun"),
    table("OLD", "A6", "dark", "display of A6 Moon", side="moon"),
    table("LED", "A3", "dead_lamp", "lamps of A3 Sun", side="sun"),
    table("LED", "A1", "dead_lamp", "lamps of A1 Moon", side="moon", value=1),
    table("BER", "A4", "noise", "node of board A4", value=0.001),
    table("BER", "A1", "noise", "node of board A1", value=0.001, level="bench"),
    RealFault("CEN", "halted node", halt, lambda hall: hall.table_action("revive", "A2"), "node of board A2", "A2"),
    RealFault("CEN", "cable cut", cut, lambda hall: hall.table_action("mend", "A4"), "cable between A3 and A4", "A4"),
    RealFault("CEN", "swapped node", roster_without, as_before, "node of board A4", "A4", verdict="warning"),
    RealFault("CEN", "other firmware", other_firmware, own_firmware, "firmware of board A3", "A3", verdict="warning"),
    table("VBS", "A6", "supply", "supply of board A6", value=14.0),
    table("VBS", "A5", "plug", "plugs of board A5", value=5.0),
    table("VBS", "A3", "contact", "cable between A2 and A3", value=2.0, mended_by="mend"),
    table("SPR", "A4", "spare", "cable between A3 and A4", value=1, mended_by="mend"),
    RealFault(
        "SPR", "no terminator",
        lambda hall: hall.take_terminator(), lambda hall: hall.put_terminator(),
        "terminator of segment A", "A",
    ),
    table("NTP", "A5", "temperature", "node of board A5", value=75),
    table("NTP", "A1", "temperature", "node of board A1", value=50),
    table("DRF", "A1", "drift", "crystal of the node", value=400, level="bench"),
    table("CLM", "A2", "crossed", "node of board A2", verdict="warning"),
    RealFault("CLM", "boards exchanged", exchanged, as_before, "boards A2 and A5", "A2", verdict="warning"),
    dead_button("A4", "sun"),
    RealFault("CLM", "stuck button", stuck, lambda hall: hall.table_action("mended", "A5"), "Moon claim button of board A5", "A5"),
    RealFault("LPB", "no terminator", no_terminator, whole_line, "terminator", "A", level="bench", also=("the adapter or the first cable of segment A", "the node, its cable or its supply")),
    RealFault(
        "WDG", "does not bite", no_watchdog, lambda hall: hall.table_action("revive", "A1"), "node of board A1", "A1",
        level="bench",
    ),
    RealFault("PUL", "does not come back", stays_dead, lives_again, "cable before board A5", "A5", level="bench"),
    RealFault("UPS", "does not hold", mains, mains_again, "uninterruptible supply", level="bench"),
)  # fmt: skip
