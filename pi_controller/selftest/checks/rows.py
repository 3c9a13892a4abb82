"""VBS and NTP: supply and temperature of the nodes, along their rows."""

from collections.abc import Sequence
from itertools import islice, pairwise
from statistics import median

from pi_controller.bus.values import NodeMeasured, NodeView
from pi_controller.roster.model import Board
from pi_controller.selftest.checks.loading import loaded
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.row_supply import MORE_READS, READS, Fall, Hop, blamed, hops_of, steps_of
from pi_controller.selftest.verdicts import Outcome, Record, Severity, named
from pi_controller.sentence import Sentence
from pi_controller.supply.zone import Wiring, proposed

LEAST_V = 15.0
LARGEST_STEP_V = 0.4
WIDE = 0.03
"""A supply that is not calibrated is read so much too high or too low, reference and divider together."""
ROUNDED_V = 0.1
"""A node that does not measure tells its supply in steps of 0.2 V."""
COLDEST_C, HOTTEST_C, OUTLIER_C = 5, 60, 17
"""Sensors of good chips tell up to 7 °C too much or too little: 4 by the reference, 3 by the diode. The rest
is for the places of a hall."""
PLANNED = Sentence("selftest.planned_for_comparison")
Seats = list[tuple[Board, NodeView]]


def vbs(hall: HallUnderTest) -> Outcome:
    """Volts of each node, and by how much they fall when displays are white: high enough, and without a hop
    that loses more than the others."""
    hall.look()
    falls, rest = loaded(hall, hall.nodes(), reads=READS)
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
    _judge_hops(record, hall, _surer(hall, falls))
    _not_measured(record, hall, rest)
    return record.outcome(Sentence("selftest.every_node_has_its_voltage"))


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


def _hops(hall: HallUnderTest, falls: dict[str, Fall]) -> list[tuple[Sequence[Board], list[Hop]]]:
    """Of each row, with its boards, between which they lie. A board that does not measure has its load; one
    that is silent is a place that the cable passes."""
    amps = median([fall.amps for fall in falls.values()] or [0.0])
    there = {node.uid for node in hall.nodes()}
    rows = [row.boards for row, _seats in hall.rows()]
    steps = [
        steps_of(
            [
                falls.get(board.node or "") or Fall.unknown(amps if board.node in there else 0.0)
                for board in boards
            ]
        )
        for boards in rows
    ]
    hops = iter(hops_of([step for row in steps for step in row]))
    return [(boards, list(islice(hops, len(row)))) for boards, row in zip(rows, steps, strict=True)]


def _surer(hall: HallUnderTest, falls: dict[str, Fall]) -> dict[str, Fall]:
    """The same, with many more readings at both ends of each hop that is doubtful."""
    doubtful = {
        boards[place].node
        for boards, row in _hops(hall, falls)
        for hop in row
        if hop.doubtful
        for place in (hop.near, hop.far)
    }
    if not doubtful:
        return falls
    nodes = [node for node in hall.nodes() if node.uid in doubtful]
    return falls | loaded(hall, nodes, reads=MORE_READS)[0]


def _judge_hops(record: Record, hall: HallUnderTest, falls: dict[str, Fall]) -> None:
    """Under load: a hop that surely has more resistance than the others."""
    found = _hops(hall, falls)
    judged = [hop for _boards, row in found for hop in row]
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
    for boards, row in found:
        for hop in sorted((hop for hop in row if hop.bad), key=lambda hop: -hop.excess_v):
            _bad_hop(record, boards, hop, row)


def _bad_hop(record: Record, boards: Sequence[Board], hop: Hop, row: Sequence[Hop]) -> None:
    near, far = boards[hop.near].name, boards[hop.far].name
    before, first = (boards[place].name for place in sorted((hop.near, hop.far)))
    blame = blamed(hop, row)
    severity: Severity = "warning" if hop.one_wire and blame == "cable" else "failed"
    if blame == "plugs":
        part = Sentence("selftest.plugs_of_board", board=far)
        told = Sentence("selftest.plugs_have_resistance", near=near, far=far, volts=hop.excess_v)
    elif blame == "either":
        part = Sentence("selftest.cable_or_plugs", before=before, first=first, board=far)
        told = Sentence(
            "selftest.last_hop_has_resistance", before=before, first=first, board=far, times=hop.times
        )
    else:
        part = Sentence("selftest.cable_between", before=before, first=first)
        told = (
            Sentence("selftest.one_of_two_wires_is_broken", near=before, far=first, times=hop.times)
            if hop.one_wire
            else Sentence("selftest.hop_has_times_the_resistance", near=before, far=first, times=hop.times)
        )
    record.fault(part, told, where=first if blame == "cable" else far, severity=severity)


def _not_measured(record: Record, hall: HallUnderTest, rest: dict[str, NodeMeasured]) -> None:
    coarse = [hall.where(node.uid) for node in hall.nodes() if node.uid not in rest]
    if coarse:
        record.value(
            Sentence("selftest.do_not_measure"), named(coarse), limit=Sentence("selftest.told_to_0_2_v_only")
        )


def ntp(hall: HallUnderTest) -> Outcome:
    """Temperatures of the nodes, also against their row's median."""
    nodes = hall.nodes()
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
        limit=Sentence("selftest.5_to_60_within_17", middle=middle),
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
