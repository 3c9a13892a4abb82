"""VBS and NTP: supply and temperature of the nodes, along their rows."""

from itertools import pairwise
from statistics import median

from pi_controller.bus.values import PATTERNS, NodeView
from pi_controller.roster.model import Board
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import Outcome, Record, not_fitted
from pi_controller.sentence import Sentence
from pi_controller.supply.plan import proposed
from pi_controller.supply.wiring import Wiring

WHITE_S = 10
SETTLE_S = 3.0
"""Until every node has been asked again with its displays white."""
LEAST_V = 15.0
LARGEST_STEP_V = 0.4
ROUNDED_V = 0.05
"""A node tells its supply in steps of 0.2 V: two of them are 0.4 V, whatever binary fractions make of it."""
COLDEST_C, HOTTEST_C, OUTLIER_C = 5, 60, 15
PLANNED = Sentence("selftest.planned_for_comparison")
NO_TABLES = Sentence("selftest.no_table_answers")
Seats = list[tuple[Board, NodeView]]


def vbs(hall: HallUnderTest) -> Outcome:
    """Volts of each node while all displays are white: high enough, and without a step between neighbours."""
    if not hall.nodes():
        return not_fitted(NO_TABLES)
    hall.probes.identify(None, what="pattern", seconds=WHITE_S, number=PATTERNS.index("white"))
    hall.pause(SETTLE_S)
    hall.look()
    hall.probes.identify(None, what="off", seconds=0)
    record = Record()
    lowest = min(hall.nodes(), key=lambda node: node.supply_v)
    record.value(
        Sentence("selftest.lowest_supply"),
        lowest.supply_v,
        "V",
        limit=Sentence("selftest.above", limit=15),
        ok=lowest.supply_v > LEAST_V,
    )
    for row, seats in hall.rows():
        volts = tuple(Sentence("tables.one_decimal", value=node.supply_v) for _board, node in seats)
        record.value(
            Sentence("selftest.row", row=row.name),
            Sentence("list.sentences", sentences=volts),
            "V",
            limit=Sentence("selftest.step_below_0_4"),
            ok=not _judge_row(record, seats),
        )
        if hall.level != "bench":
            record.value(
                Sentence("selftest.planned_at_the_lowest_of_row", row=row.name),
                _planned_v(len(seats)),
                "V",
                limit=PLANNED,
            )
    for node in hall.nodes():
        if hall.roster.board_of(node.uid) is None and node.supply_v <= LEAST_V:
            _too_low(record, node.uid, node.supply_v)
    return record.outcome(Sentence("selftest.every_node_has_its_voltage"))


def ntp(hall: HallUnderTest) -> Outcome:
    """Temperatures of the nodes, also against their row's median."""
    nodes = hall.nodes()
    if not nodes:
        return not_fitted(NO_TABLES)
    record = Record()
    coldest, hottest = min(node.temperature_c for node in nodes), max(node.temperature_c for node in nodes)
    record.value(
        Sentence("selftest.coldest"),
        coldest,
        "°C",
        limit=Sentence("selftest.at_least", limit=5),
        ok=coldest >= COLDEST_C,
    )
    record.value(
        Sentence("selftest.hottest"),
        hottest,
        "°C",
        limit=Sentence("selftest.at_most", limit=60),
        ok=hottest <= HOTTEST_C,
    )
    middles = {
        node.uid: median(other.temperature_c for _board, other in seats)
        for _row, seats in hall.rows()
        for _board, node in seats
    }
    for node in nodes:
        _judge_heat(record, hall.where(node.uid), node, middles.get(node.uid, node.temperature_c))
    return record.outcome(Sentence("selftest.all_nodes_are_as_warm"))


def _planned_v(boards: int) -> float | None:
    """The lowest voltage of a row as `supply` proposes to feed it; None where no plan holds."""
    zones = proposed(Wiring(), [boards]).rows[0]
    return min((min(zone.volts, default=0.0) for zone in zones), default=None)


def _judge_heat(record: Record, board: str, node: NodeView, middle: float) -> None:
    found = node.temperature_c
    limits = COLDEST_C <= found <= HOTTEST_C
    if limits and abs(found - middle) <= OUTLIER_C:
        return
    record.value(
        Sentence("selftest.at_board", board=board),
        found,
        "°C",
        limit=Sentence("selftest.5_to_60_within_15", middle=middle),
        ok=False,
    )
    sentence = (
        Sentence("selftest.node_unlike_its_row", board=board, degrees=found, middle=middle)
        if limits
        else Sentence("selftest.node_too_hot_or_cold", board=board, degrees=found)
    )
    record.fault(Sentence("selftest.node_of_board", board=board), sentence, where=board)


def _judge_row(record: Record, seats: Seats) -> bool:
    """Whether something is wrong with this row."""
    before = len(record.findings)
    for board, node in seats:
        if node.supply_v <= LEAST_V:
            _too_low(record, board.name, node.supply_v)
    low = {node.uid for _board, node in seats if node.supply_v <= LEAST_V}
    for at, ((near, first), (far, second)) in enumerate(pairwise(seats)):
        drop = first.supply_v - second.supply_v
        if drop > LARGEST_STEP_V - ROUNDED_V and not {first.uid, second.uid} & low:
            _step(record, near.name, far.name, drop, alone=_recovers(seats, at, first.supply_v))
    return len(record.findings) > before


def _recovers(seats: Seats, at: int, level: float) -> bool:
    """Whether the table behind the step has the voltage of before it again: only the one between is low."""
    return at + 2 < len(seats) and seats[at + 2][1].supply_v > level - LARGEST_STEP_V + ROUNDED_V


def _step(record: Record, near: str, far: str, drop: float, *, alone: bool) -> None:
    if alone:
        record.fault(
            Sentence("selftest.plugs_of_board", board=far),
            Sentence("selftest.volts_are_lost_in_plugs", volts=drop, near=near, far=far),
            where=far,
        )
    else:
        record.fault(
            Sentence("selftest.cable_between", before=near, first=far),
            Sentence("selftest.volts_are_lost_in_the_cable", volts=drop, near=near, far=far),
            where=far,
        )


def _too_low(record: Record, board: str, volts: float) -> None:
    record.fault(
        Sentence("selftest.supply_of_board", board=board),
        Sentence("selftest.board_has_only_v_look", board=board, volts=volts),
        where=board,
    )
