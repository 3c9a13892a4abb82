"""Halls whose parts are drawn anew, and electrical faults to be seeded there."""

from collections.abc import Callable

from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.verdicts import Code
from tests.selftest.faults import panel, table
from tests.selftest.small_hall import SmallHall

CABLE_FAULTS = ("bad crimp of 2 Ohm",)
AFTER_AN_ARMS_END = (2, 12)
"""Of a row of twenty in two zones, each fed in its middle: the second boards of the arms that run back."""
ElectricalFault = tuple[str, Code, str, Callable[[SmallHall], object]]
"""Name, the check that must tell it, where, and what is wrong."""


def unlike_passed(report: SelfTestReport) -> list[tuple[str, str]]:
    return [(found.code, found.sentence) for found in report.results if found.verdict != "passed"]


def electrical_fault(number: int) -> ElectricalFault:
    """One after the other, at boards in turn. The places of broken single wires are those where they can be
    proved: at the injectors."""
    board = f"{'AB'[number // 7 % 2]}{2 + number % 18}"
    at_injector = ("A6", "A16", "B6", "B16")[number // len(KINDS) % 4]
    name, code, where, act = KINDS[number % len(KINDS)]
    place = {"board": board, "injector": at_injector}.get(where, where)
    return name, code, _told_at(name, place), lambda hall: act(hall, place)


def _told_at(name: str, place: str) -> str:
    """The last cable of an arm is told at its last board: no current tells it from that board's plugs."""
    row, number = place[:1], place[1:]
    last = name in CABLE_FAULTS and int(number) in AFTER_AN_ARMS_END
    return f"{row}{int(number) - 1}" if last else place


def _at_last(hall: SmallHall, _place: str) -> None:
    hall.tables_there["B11"].stub_ohm = 5.0


def _set(**changes: object) -> Callable[[SmallHall, str], None]:
    return lambda hall, place: table(place, **changes)(hall)


def _panel(**changes: object) -> Callable[[SmallHall, str], None]:
    return lambda hall, _place: panel(**changes)(hall)


KINDS: tuple[tuple[str, Code, str, Callable[[SmallHall, str], object]], ...] = (
    ("bad crimp of 2 Ohm", "VBS", "board", lambda hall, at: hall.power.extra_ohm.update({at: 2.0})),
    ("bad crimp of 1 Ohm at the injector", "VBS", "injector", lambda hall, at: hall.power.extra_ohm.update({at: 1.0})),
    ("one wire of two broken", "VBS", "injector", lambda hall, at: hall.power.broken_wires.add(at)),
    ("plugs with 5 Ohm", "VBS", "board", _set(stub_ohm=5.0)),
    ("starved board", "VBS", "board", _set(supply_v=14.0)),
    ("spare wire broken", "SPR", "board", lambda hall, at: hall.spare_broken.add(at)),
    ("no terminator", "SPR", "A", lambda hall, _at: setattr(hall, "terminator", False)),
    ("open lamp circuit", "LMP", "", _panel(open_lamps={"moon"})),
    ("short in a lamp's wires", "LMP", "", _panel(shorted="sun")),
    ("a driver conducts", "LMP", "", _panel(leak_a=0.25)),
    ("no 24 V at the panel", "LMP", "", _panel(volts=1.0)),
    ("panel's supply sags", "LMP", "", _panel(inner_ohm=8.0)),
    ("silent buzzer", "HRN", "", _panel(buzzer_dead=True)),
    ("controller's supply dips", "PWR", "", _panel(dips_under_load=True)),
    ("no margin at twice the rate", "MRG", "A1", lambda hall, _at: setattr(hall, "margin_loss", 0.05)),
    ("hot node", "NTP", "board", _set(temperature_c=70)),
    ("plugs of an arm's last board with 5 Ohm", "VBS", "B11", _at_last),
    ("a node feels no loop", "SPR", "board", _set(deaf_to_loop=True)),
    ("Sun display missing", "OLD", "board", _set(dark={"sun"})),
    ("Moon display dead", "OLD", "board", _set(dark={"moon"})),
    ("short in a display", "OLD", "board", _set(displays_shorted=True)),
    ("a display with a fifth of its picture", "OLD", "board", lambda hall, at: hall.tables_there[at].display_ma.update(sun=0.2)),
    ("dead Sun lamp", "LED", "board", _set(dead_lamps={0})),
    ("dead lamp in a button", "LED", "board", _set(dead_lamps={3})),
    ("shorted LED", "LED", "board", _set(shorted_lamps={1})),
    ("driver of a table's lamp conducts", "LED", "board", _set(burning_lamps={2})),
    ("fuse of the pause button blown", "PSB", "", _panel(pause_fuse_blown=True)),
    ("open circuit of the pause lamp", "PSB", "", _panel(open_lamps={"pause"})),
    ("short in the pause lamp's wires", "PSB", "", _panel(shorted="pause")),
    ("short in the buzzer", "HRN", "", _panel(buzzer_a=2.5)),
    ("27 V at the panel", "LMP", "", _panel(volts=27.0)),
    ("NC wire broken", "PSB", "", _panel(nc_broken=True)),
)  # fmt: skip
