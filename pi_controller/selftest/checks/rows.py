"""VBS and NTP: supply and temperature of the nodes, along their rows."""

from collections.abc import Sequence
from itertools import islice, pairwise
from statistics import median

from pi_controller.bus.values import PATTERNS, NodeMeasured, NodeView
from pi_controller.roster.model import Board
from pi_controller.selftest.checks.measuring import measured
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.row_supply import READS, REST_READS, Fall, Hop, alone, hops_of, steps_of
from pi_controller.selftest.verdicts import Outcome, Record, named, not_fitted
from pi_controller.sentence import Sentence
from pi_controller.supply.plan import proposed
from pi_controller.supply.wiring import Wiring

PARTS = 3
"""White displays on one board in three at once: on all, they would be too much for the fuse of a zone."""
SHOWN_S = 10
SETTLE_S = 0.5
SPREAD = 4.0
"""Standard deviations at least between the least and the greatest of 64 readings: 4.7 on the average."""
DISPLAYS_V = 3.3
WHITE_MA = 380.0
"""That two white displays take more than black ones, where the board does not measure it."""
LEAST_V = 15.0
LARGEST_STEP_V = 0.4
WIDE = 0.03
"""A supply that is not calibrated is read so much too high or too low, reference and divider together."""
ROUNDED_V = 0.1
"""A node that does not measure tells its supply in steps of 0.2 V."""
COLDEST_C, HOTTEST_C, OUTLIER_C = 5, 60, 15
PLANNED = Sentence("selftest.planned_for_comparison")
NO_TABLES = Sentence("selftest.no_table_answers")
Seats = list[tuple[Board, NodeView]]


def vbs(hall: HallUnderTest) -> Outcome:
    """Volts of each node, and by how much they fall when displays are white: high enough, and without a hop
    that loses more than the others."""
    if not hall.nodes():
        return not_fitted(NO_TABLES)
    hall.look()
    falls, rest = _loaded(hall)
    record = Record()
    volts = {node.uid: _volts(node, rest.get(node.uid)) for node in hall.nodes()}
    sure = {uid for uid, found in rest.items() if found.calibrated}
    lowest = min(volts, key=lambda uid: volts[uid])
    record.value(
        Sentence("selftest.lowest_supply"),
        volts[lowest],
        "V",
        limit=Sentence("selftest.above", limit=15),
        ok=not _is_low(volts[lowest], sure=lowest in sure),
    )
    low = {uid for uid, found in volts.items() if _is_low(found, sure=uid in sure)}
    for row, seats in hall.rows():
        before = len(record.findings)
        told = tuple(Sentence("tables.one_decimal", value=volts[node.uid]) for _board, node in seats)
        for board, node in seats:
            if node.uid in low:
                _too_low(record, board.name, volts[node.uid])
        _judge_rest(record, [(board, node) for board, node in seats if node.uid not in low], volts, sure)
        record.value(
            Sentence("selftest.row", row=row.name),
            Sentence("list.sentences", sentences=told),
            "V",
            limit=Sentence("selftest.no_step_beyond_what_readings_differ"),
            ok=len(record.findings) == before,
        )
        if hall.level != "bench":
            record.value(
                Sentence("selftest.planned_at_the_lowest_of_row", row=row.name),
                _planned_v(len(seats)),
                "V",
                limit=PLANNED,
            )
    for node in hall.nodes():
        if hall.roster.board_of(node.uid) is None and node.uid in low:
            _too_low(record, node.uid, volts[node.uid])
    _judge_hops(record, hall, falls)
    _not_measured(record, hall, rest)
    return record.outcome(Sentence("selftest.every_node_has_its_voltage"))


def _loaded(hall: HallUnderTest) -> tuple[dict[str, Fall], dict[str, NodeMeasured]]:
    """How far each node's supply falls, part of the load after part; and the readings without it."""
    nodes = hall.nodes()
    _pattern(hall, None, "black")
    hall.pause(SETTLE_S)
    rest = measured(hall, nodes, times=REST_READS)
    parts: list[dict[str, NodeMeasured]] = []
    try:
        for number in range(PARTS if rest else 0):
            chosen = [node for _row, seats in hall.rows() for _board, node in seats[number::PARTS]]
            for node in chosen:
                _pattern(hall, node.uid, "white")
            hall.pause(SETTLE_S)
            parts.append(measured(hall, nodes, times=READS))
            for node in chosen:
                _pattern(hall, node.uid, "black")
    finally:
        hall.probes.identify(None, what="off", seconds=0)
    return {
        uid: _fall(first, [part[uid] for part in parts])
        for uid, first in rest.items()
        if all(uid in part for part in parts)
    }, rest


def _pattern(hall: HallUnderTest, uid: str | None, name: str) -> None:
    hall.probes.identify(uid, what="pattern", seconds=SHOWN_S, number=PATTERNS.index(name))


def _fall(rest: NodeMeasured, loaded: Sequence[NodeMeasured]) -> Fall:
    parts = tuple(rest.supply_v - one.supply_v for one in loaded)
    currents = [one.displays_ma - (rest.displays_ma or 0.0) for one in loaded if one.displays_ma is not None]
    watts = max(currents, default=WHITE_MA) / 1000 * DISPLAYS_V / Wiring().efficiency
    amps = watts / max(1.0, rest.supply_v)
    return Fall(
        rest_v=rest.supply_v,
        volts=sum(parts),
        parts=parts,
        amps=max(amps, 0.0),
        noise_v=rest.spread_v / SPREAD,
    )


def _volts(node: NodeView, found: NodeMeasured | None) -> float:
    return node.supply_v if found is None else found.supply_v


def _is_low(volts: float, *, sure: bool) -> bool:
    return volts <= (LEAST_V if sure else LEAST_V * (1 - WIDE))


def _judge_rest(record: Record, seats: Seats, volts: dict[str, float], sure: set[str]) -> None:
    """Without load: only a step that two readings of good boards cannot make."""
    for at, ((near, first), (far, second)) in enumerate(pairwise(seats)):
        level, drop = volts[first.uid], volts[first.uid] - volts[second.uid]
        most = LARGEST_STEP_V
        if not {first.uid, second.uid} <= sure:
            most += 2 * WIDE * level + 2 * ROUNDED_V
        if drop > most:
            behind = [volts[node.uid] for _board, node in seats[at + 2 : at + 3]]
            _step(record, near.name, far.name, drop, alone=any(one > level - most / 2 for one in behind))


def _judge_hops(record: Record, hall: HallUnderTest, falls: dict[str, Fall]) -> None:
    """Under load: a hop that surely has more resistance than the others."""
    rows = [[(board, node) for board, node in seats if node.uid in falls] for _row, seats in hall.rows()]
    steps = [steps_of([falls[node.uid] for _board, node in seats]) for seats in rows]
    hops = iter(hops_of([step for row in steps for step in row]))
    found = [(seats, list(islice(hops, len(row)))) for seats, row in zip(rows, steps, strict=True)]
    judged = [hop for _seats, row in found for hop in row]
    if not judged:
        return
    record.value(Sentence("selftest.hops_measured"), len(judged))
    record.value(Sentence("selftest.hops_where_one_wire_would_show"), sum(hop.provable for hop in judged))
    worst = max(judged, key=lambda hop: hop.least)
    record.value(
        Sentence("selftest.largest_resistance_of_a_hop"),
        worst.times,
        limit=Sentence("selftest.times_the_usual_one"),
        ok=not worst.bad,
    )
    for seats, row in found:
        for hop in sorted((hop for hop in row if hop.bad), key=lambda hop: -hop.excess_v):
            _bad_hop(record, seats, hop, by_itself=alone(hop, row))


def _bad_hop(record: Record, seats: Seats, hop: Hop, *, by_itself: bool) -> None:
    near, far = seats[hop.near][0].name, seats[hop.far][0].name
    if by_itself:
        record.fault(
            Sentence("selftest.plugs_of_board", board=far),
            Sentence("selftest.plugs_have_resistance", near=near, far=far, volts=hop.excess_v),
            where=far,
        )
        return
    before, first = sorted((near, far), key=[board.name for board, _node in seats].index)
    told = (
        Sentence("selftest.one_of_two_wires_is_broken", near=before, far=first, times=hop.times)
        if hop.one_wire
        else Sentence("selftest.hop_has_times_the_resistance", near=before, far=first, times=hop.times)
    )
    record.fault(
        Sentence("selftest.cable_between", before=before, first=first),
        told,
        where=first,
        severity="warning" if hop.one_wire else "failed",
    )


def _not_measured(record: Record, hall: HallUnderTest, rest: dict[str, NodeMeasured]) -> None:
    coarse = [hall.where(node.uid) for node in hall.nodes() if node.uid not in rest]
    if coarse:
        record.value(
            Sentence("selftest.do_not_measure"), named(coarse), limit=Sentence("selftest.told_to_0_2_v_only")
        )


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
