"""VBS, SPR and NTP: supply, spare wire and temperature of the nodes, along their rows."""

import asyncio
import math
from collections.abc import Sequence
from itertools import groupby, islice, pairwise
from statistics import fmean, median
from typing import NamedTuple

import msgspec

from pi_controller.bus.diagnosis import LEAST_SUPPLY_V, MOST_SUPPLY_V
from pi_controller.bus.messages import MEASURE_SINCE
from pi_controller.bus.values import PATTERNS, MeasureAsked, NodeMeasured, NodeView
from pi_controller.protocol.probes import IdentifyProbe
from pi_controller.roster.model import Board
from pi_controller.selftest.checks.falls import (
    MORE_READS,
    READS,
    REST,
    SHORT,
    SIGMAS,
    Fall,
    Hop,
    blamed,
    fed_by,
    hops_of,
)
from pi_controller.selftest.hall import HallUnderTest
from pi_controller.selftest.verdicts import (
    CheckOutcome,
    CheckRecord,
    Severity,
    above,
    at_least,
    at_most,
    named,
    not_fitted,
)
from pi_controller.sentence import Sentence
from pi_controller.supply.zone import SupplyWiring, Zone, proposed

# What nodes measure of themselves: supply, currents, loop.


def able(nodes: Sequence[NodeView]) -> list[NodeView]:
    """Those whose firmware can measure."""
    return [node for node in nodes if node.protocols[1] >= MEASURE_SINCE]


async def measured(
    hall: HallUnderTest, nodes: Sequence[NodeView], *, times: int = 1
) -> dict[str, NodeMeasured]:
    """By unique id, of those of these nodes that are able; no other is asked. The supply is the
    mean of so many answers."""
    uids = tuple(node.uid for node in able(nodes))
    if not uids:
        return {}
    found: dict[str, list[NodeMeasured]] = {}
    for _ in range(times):
        for result in await hall.bus(MeasureAsked(uids=uids)):
            for one in result.measured:
                found.setdefault(one.uid, []).append(one)
    return {
        uid: msgspec.structs.replace(every[-1], supply_v=fmean(one.supply_v for one in every))
        for uid, every in found.items()
        if len(every) == times
    }


# How far the supply of nodes falls when their displays are white, a third of each row at a time.


PARTS = 3
"""White displays on one board in three at once: on all, they would be too much for the fuse of a zone."""
SHOWN_S = 30
SETTLE_S = 0.5
SPREAD = 4.0
"""Standard deviations at least between the least and the greatest of 64 readings: 4.7 on the average."""
RAIL_V = 5.0
"""Of the node's converter: the displays' 3.3 V come out of it through a linear regulator."""
WHITE_MA = 300.0
"""That two white displays take more than black ones, where the board does not measure it."""
PICO_W = 0.25
"""Of the Pico alone, behind the converter."""


async def loaded(
    hall: HallUnderTest, nodes: Sequence[NodeView], *, reads: int
) -> tuple[dict[str, Fall], dict[str, NodeMeasured]]:
    """The falls of these nodes under the load of all, from so many `reads` in each part; and what they read
    without it. By unique id, of those that can measure."""
    await _pattern(hall, None, "black")
    await hall.pause(SETTLE_S)
    rest = await measured(hall, nodes, times=REST * reads)
    parts: list[dict[str, NodeMeasured]] = []
    try:
        for number in range(PARTS if rest else 0):
            chosen = [node for _row, seats in hall.rows() for _board, node in seats[number::PARTS]]
            for node in chosen:
                await _pattern(hall, node.uid, "white")
            await hall.pause(SETTLE_S)
            parts.append(await measured(hall, nodes, times=reads))
            for node in chosen:
                await _pattern(hall, node.uid, "black")
    finally:
        await hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    return {
        uid: _fall(first, [part[uid] for part in parts], reads)
        for uid, first in rest.items()
        if all(uid in part for part in parts)
    }, rest


async def _pattern(hall: HallUnderTest, uid: str | None, name: str) -> None:
    await hall.probe(IdentifyProbe(uid=uid, what="pattern", seconds=SHOWN_S, number=PATTERNS.index(name)))


def _fall(rest: NodeMeasured, parts: Sequence[NodeMeasured], reads: int) -> Fall:
    currents = [one.displays_ma - (rest.displays_ma or 0.0) for one in parts if one.displays_ma is not None]
    return Fall(
        reads=reads,
        rest_v=rest.supply_v,
        parts=tuple(rest.supply_v - one.supply_v for one in parts),
        rest_amps=_amps(PICO_W + (rest.displays_ma or 0.0) / 1000 * RAIL_V, rest),
        amps=max(_amps(max(currents, default=WHITE_MA) / 1000 * RAIL_V, rest), 0.0),
        noise_v=rest.spread_v / SPREAD,
        calibrated=rest.calibrated,
    )


def _amps(watts: float, rest: NodeMeasured) -> float:
    """From the line, for so much behind the node's converter."""
    return watts / SupplyWiring().efficiency / max(1.0, rest.supply_v)


# VBS and NTP.


LEAST_V = 15
LARGEST_STEP_V = 0.4
WIDE = 0.03
"""A supply that is not calibrated is read so much too high or too low, reference and divider together."""
ROUNDED_V = 0.1
"""A node that does not measure tells its supply in steps of 0.2 V."""
COLDEST_C, HOTTEST_C, OUTLIER_C = 5, 60, 17
"""Sensors of good chips tell up to 7 °C too much or too little: 4 by the reference, 3 by the diode. The rest
is for the places of a hall."""
MOST_COLD = 0.25
"""Of all nodes: so many tell less than COLDEST_C by their sensors in a hall that is some degrees warmer."""
NO_STEP = Sentence("selftest.no_step_beyond_what_readings_differ")
PLANNED = Sentence("selftest.planned_for_comparison")
Seats = list[tuple[Board, NodeView]]


class FedRow(NamedTuple):
    """A row's boards, the zones that feed them, where that is known, and the hops between them that can be
    judged."""

    boards: Sequence[Board]
    zones: Sequence[Zone]
    hops: Sequence[Hop]

    def zoned(self) -> list[list[Board]]:
        """Zone by zone; all together where these are not known."""
        zones = [list(self.boards[zone.first - 1 : zone.last]) for zone in self.zones]
        return zones or [list(self.boards)]


async def vbs(hall: HallUnderTest) -> CheckOutcome:
    """Volts of each node, and by how much they fall when displays are white: of supplies of 24 V that are not
    joined, high enough, and without a hop that loses more than the others."""
    await hall.look()
    falls, rest = await loaded(hall, hall.nodes(), reads=READS)
    record = CheckRecord()
    volts = {node.uid: node.supply_v for node in hall.nodes()}
    volts |= {uid: found.supply_v for uid, found in rest.items() if uid in volts}
    sure = {uid for uid, found in rest.items() if found.calibrated}
    rows = await asyncio.to_thread(_fed, hall, falls)
    told = _not_24_v(record, rows, volts)
    least = {uid: LEAST_V if uid in sure else LEAST_V * (1 - WIDE) for uid in volts}
    low = {uid for uid, found in volts.items() if found <= least[uid]} - told
    if low:  # what such a board reads says nothing of the cables beside it
        falls = {uid: fall for uid, fall in falls.items() if uid not in low}
        rows = await asyncio.to_thread(_fed, hall, falls)
    _judge_volts(record, hall, rows, VoltsAtRest({uid: volts[uid] for uid in volts.keys() - told}, low, sure))
    joints = await _joined(hall, rows, rest)
    for before, first in joints:
        cable = Sentence("selftest.cable_between", before=before.name, first=first.name)
        why = Sentence("selftest.table_cable_joins_two_supplies", before=before.name, first=first.name)
        record.fault(cable, why, where=first.name)
    if not joints:
        _judge_hops(record, await _surer(hall, falls, rows))
    _not_measured(record, hall, rest)
    return record.outcome(Sentence("selftest.every_node_has_its_voltage"))


def _not_24_v(record: CheckRecord, rows: Sequence[FedRow], volts: dict[str, float]) -> set[str]:
    """The supply of a zone, as the boards next to its injector read it; that of all zones is told once. The
    nodes whose volts that explains."""
    zones = [zone for row in rows for zone in row.zoned()]
    read = [[volts[board.node] for board in zone if board.node in volts] for zone in zones]
    too_little = [at for at, found in enumerate(read) if len(found) > 1 and max(found) < LEAST_SUPPLY_V]
    too_much = [at for at, found in enumerate(read) if len(found) > 1 and median(found) > MOST_SUPPLY_V]
    for wrong in (too_little, too_much):
        everywhere = 0 < len(wrong) == len(zones)
        for places in [wrong] if everywhere else [[at] for at in wrong]:
            first, last = zones[places[0]][0].name, zones[places[-1]][-1].name
            most = max(max(read[at]) for at in places)
            told = (
                Sentence("selftest.supply_gives_too_little", first=first, last=last, volts=most)
                if wrong is too_little
                else Sentence("selftest.supply_gives_too_much", first=first, last=last, volts=most)
            )
            part = Sentence("selftest.supply_of_boards", first=first, last=last)
            record.fault(part, told, where="" if everywhere else first)
    return {board.node or "" for at in (*too_little, *too_much) for board in zones[at]}


class VoltsAtRest(NamedTuple):
    """Of the nodes that no zone's supply explains, by unique id; the `low` ones have too little, the `sure`
    ones are calibrated."""

    volts: dict[str, float]
    low: set[str]
    sure: set[str]


def _judge_volts(record: CheckRecord, hall: HallUnderTest, rows: Sequence[FedRow], rest: VoltsAtRest) -> None:
    """Of each node by itself, and from one to the next within a zone."""
    volts, low, sure = rest
    if volts:
        lowest = min(volts, key=lambda uid: volts[uid])
        limit = above(LEAST_V).text
        record.value(
            Sentence("selftest.lowest_supply"), volts[lowest], "V", limit=limit, ok=lowest not in low
        )
    for (row, seats), fed in zip(hall.rows(), rows, strict=True):
        before = len(record.findings)
        there = [(board, node) for board, node in seats if node.uid in volts]
        for board, node in there:
            if node.uid in low:
                _too_low(record, board.name, volts[node.uid])
        for zone in fed.zoned():
            of_zone = [seat for seat in there if seat[0] in zone and seat[1].uid not in low]
            _judge_rest(record, of_zone, volts, sure)
        told = tuple(Sentence("tables.one_decimal", value=volts[node.uid]) for _board, node in there)
        along, ok = Sentence("list.sentences", sentences=told), len(record.findings) == before
        record.value(Sentence("selftest.row", row=row.name), along, "V", limit=NO_STEP, ok=ok)
        if hall.level != "bench":
            planned = Sentence("selftest.planned_at_the_lowest_of_row", row=row.name)
            record.value(planned, _planned_v(len(seats)), "V", limit=PLANNED)
    for node in hall.nodes():
        if hall.roster.board_of(node.uid) is None and node.uid in low:
            _too_low(record, node.uid, volts[node.uid])


def _judge_rest(record: CheckRecord, seats: Seats, volts: dict[str, float], sure: set[str]) -> None:
    """Without load: only a step that two readings of good boards cannot make."""
    for at, ((near, first), (far, second)) in enumerate(pairwise(seats)):
        level, drop = volts[first.uid], volts[first.uid] - volts[second.uid]
        most = LARGEST_STEP_V
        if not {first.uid, second.uid} <= sure:
            most += 2 * WIDE * level + 2 * ROUNDED_V
        if drop > most:
            behind = [volts[node.uid] for _board, node in seats[at + 2 : at + 3]]
            _step(record, near.name, far.name, drop, alone=any(one > level - most / 2 for one in behind))


def _fed(hall: HallUnderTest, falls: dict[str, Fall]) -> list[FedRow]:
    """Of each row. A board that does not measure has its load, where it shows what it is told; one that is
    silent is a place that the cable passes."""
    amps = median([fall.amps for fall in falls.values()] or [0.0])
    white = {node.uid for node in hall.nodes() if "tests" not in hall.lacks.get(node.uid, ())}
    rows = [row.boards for row, _seats in hall.rows()]
    fed = [
        fed_by(
            [
                falls.get(board.node or "") or Fall.unknown(amps if board.node in white else 0.0)
                for board in boards
            ]
        )
        for boards in rows
    ]
    hops = iter(hops_of([step for _zones, steps in fed for step in steps]))
    return [
        FedRow(boards, zones, list(islice(hops, len(steps))))
        for boards, (zones, steps) in zip(rows, fed, strict=True)
    ]


async def _surer(hall: HallUnderTest, falls: dict[str, Fall], rows: list[FedRow]) -> list[FedRow]:
    """The same, with many more readings at both ends of each hop that is doubtful."""
    doubtful = {
        row.boards[place].node
        for row in rows
        for hop in row.hops
        if hop.doubtful
        for place in (hop.near, hop.far)
    }
    if not doubtful:
        return rows
    nodes = [node for node in hall.nodes() if node.uid in doubtful]
    more = (await loaded(hall, nodes, reads=MORE_READS))[0]
    return await asyncio.to_thread(_fed, hall, falls | more)


def _judge_hops(record: CheckRecord, rows: Sequence[FedRow]) -> None:
    """Under load: a hop that surely has more resistance than the others."""
    judged = [hop for row in rows for hop in row.hops]
    if not judged:
        return
    record.value(Sentence("selftest.hops_measured"), len(judged))
    record.value(Sentence("selftest.hops_where_one_wire_would_show"), sum(hop.provable for hop in judged))
    worst = max(judged, key=lambda hop: hop.least)
    largest = Sentence("selftest.largest_resistance_of_a_hop")
    limit = Sentence("selftest.times_the_usual_one")
    record.value(largest, worst.times, limit=limit, ok=not worst.bad)
    for row in rows:
        for hop in sorted((hop for hop in row.hops if hop.bad), key=lambda hop: -hop.excess_v):
            _bad_hop(record, row.boards, hop, row.hops)


# A table cable where two zones meet joins their supplies: then the boards of the one fall with the load of
# the other, and more so next to it than next to their own injector.


ENDS = 6
"""White is, at either end of each other zone, so small a part of it, and at least a board."""
JOINED = 0.2
"""Of the fall at the loaded side: where the cable is a zone cable it is 0, otherwise a third or more."""


async def _joined(
    hall: HallUnderTest, rows: Sequence[FedRow], rest: dict[str, NodeMeasured]
) -> list[tuple[Board, Board]]:
    """Between which boards."""
    meeting = _meetings(hall, rows)
    if not meeting or not rest:
        return []
    await _pattern(hall, None, "black")
    try:
        for zone in {id(one.loaded): one.loaded for one in meeting}.values():
            share = -(-len(zone) // ENDS)
            for board in [*zone[:share], *zone[-share:]]:
                if board.node in rest:
                    await _pattern(hall, board.node, "white")
        await hall.pause(SETTLE_S)
        shown = await measured(hall, hall.nodes(), times=READS)
    finally:
        await hall.probe(IdentifyProbe(uid=None, what="off", seconds=0))
    falls = {uid: _fall(rest[uid], [shown[uid]], READS) for uid in shown if uid in rest}
    return [(one.before, one.first) for one in meeting if one.joined(falls)]


class Meeting(NamedTuple):
    """Where two zones meet: between boards `before` and `first`. Boards of the `loaded` zone are white;
    `loaded_arm` and `other_arm` lie between there and the injectors, the nearest first."""

    before: Board
    first: Board
    loaded: list[Board]
    loaded_arm: list[Board]
    other_arm: list[Board]

    def joined(self, falls: dict[str, Fall]) -> bool:
        """Whether current flows along the arm of the zone that is not loaded."""
        near, far = (
            [falls[board.node or ""] for board in arm if board.node in falls]
            for arm in (self.loaded_arm, self.other_arm)
        )
        still = [fall for fall in far if not fall.wide_v]
        if not near or len(still) < 2:
            return False
        more = still[0].volts - still[-1].volts
        unsure = SIGMAS * math.hypot(still[0].sigma_v, still[-1].sigma_v)
        return more > max(unsure, JOINED * near[0].volts)


def _meetings(hall: HallUnderTest, rows: Sequence[FedRow]) -> list[Meeting]:
    """Along each segment's cable, between rows that are long enough to be sure of their zones; every other
    zone is loaded."""
    zones = {
        board.name: (boards, zone.injector_after - zone.first + 1)
        for row in rows
        if len(row.boards) >= SHORT and row.zones
        for zone, boards in zip(row.zones, row.zoned(), strict=True)
        for board in boards
    }
    found = []
    for chain in hall.chains().values():
        along = (zones.get(board.name) for board in chain)
        parts = [next(group) for _, group in groupby(along, lambda zone: id(zone and zone[0]))]
        for at, (one, other) in enumerate(pairwise(parts)):
            if one is None or other is None:
                continue
            (near, split), (far, behind) = one, other
            arms = near[split:][::-1], far[:behind]
            loaded, arms = (near, arms) if at % 2 == 0 else (far, arms[::-1])
            found.append(Meeting(near[-1], far[0], loaded, *arms))
    return found


def _bad_hop(record: CheckRecord, boards: Sequence[Board], hop: Hop, row: Sequence[Hop]) -> None:
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


def _not_measured(record: CheckRecord, hall: HallUnderTest, rest: dict[str, NodeMeasured]) -> None:
    coarse = [hall.where(node.uid) for node in hall.nodes() if node.uid not in rest]
    if coarse:
        limit = Sentence("selftest.told_to_0_2_v_only")
        record.value(Sentence("selftest.do_not_measure"), named(coarse), limit=limit)


async def ntp(hall: HallUnderTest) -> CheckOutcome:
    """Temperatures of the nodes, also against their row's median. A cold hall is told once, and explains
    every node that is as cold as its row."""
    nodes = hall.nodes()
    record = CheckRecord()
    coldest, hottest = min(node.temperature_c for node in nodes), max(node.temperature_c for node in nodes)
    record.figure(Sentence("selftest.coldest"), coldest, "°C", at_least(COLDEST_C))
    record.figure(Sentence("selftest.hottest"), hottest, "°C", at_most(HOTTEST_C))
    cold = sum(node.temperature_c < COLDEST_C for node in nodes)
    if cold > MOST_COLD * len(nodes):
        told = Sentence(
            "selftest.hall_is_cold", cold=cold, nodes=len(nodes), least=COLDEST_C, degrees=coldest
        )
        record.fault(Sentence("selftest.the_hall"), told, severity="warning")
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
    zones = proposed(SupplyWiring(), [boards]).rows[0]
    return min((min(zone.volts, default=0.0) for zone in zones), default=None)


def _judge_heat(record: CheckRecord, board: str, node: NodeView, middle: float) -> None:
    found = node.temperature_c
    alike = abs(found - middle) <= OUTLIER_C
    if alike and found <= HOTTEST_C:
        return
    limit = Sentence("selftest.5_to_60_within_17", middle=middle)
    record.value(Sentence("selftest.at_board", board=board), found, "°C", limit=limit, ok=False)
    sentence = (
        Sentence("selftest.node_unlike_its_row", board=board, degrees=found, middle=middle)
        if not alike
        else Sentence("selftest.node_too_hot", board=board, degrees=found)
    )
    record.fault_of_node(board, sentence)


def _step(record: CheckRecord, near: str, far: str, drop: float, *, alone: bool) -> None:
    if alone:
        part = Sentence("selftest.plugs_of_board", board=far)
        told = Sentence("selftest.volts_are_lost_in_plugs", volts=drop, near=near, far=far)
    else:
        part = Sentence("selftest.cable_between", before=near, first=far)
        told = Sentence("selftest.volts_are_lost_in_the_cable", volts=drop, near=near, far=far)
    record.fault(part, told, where=far)


def _too_low(record: CheckRecord, board: str, volts: float) -> None:
    told = Sentence("selftest.board_has_only_v_look", board=board, volts=volts)
    record.fault(Sentence("selftest.supply_of_board", board=board), told, where=board)


# SPR: the spare wire of the table cables, which the terminator closes to a loop.


Loop = tuple[str, bool]
"""A board by its name, and whether the wire is whole from there to the terminator."""


async def spr(hall: HallUnderTest) -> CheckOutcome:
    """Whether each segment has its terminator, and where the spare wire is broken."""
    nodes = hall.nodes()
    found = await measured(hall, nodes)
    segments = sorted({node.segment for node in nodes})
    loops = {segment: along for segment in segments if (along := _along(hall, segment, found))}
    if not loops:
        return not_fitted(Sentence("selftest.no_node_feels_the_spare_wire"))
    record = CheckRecord()
    silent: list[Sentence] = []
    for segment, along in loops.items():
        whole = _count(record, segment, along)
        board = None if whole else _silent_behind(hall, segment)
        if board is not None:
            silent.append(Sentence("selftest.wire_ends_at_a_silent_board", segment=segment, board=board))
        elif whole < len(along):
            _blame(record, segment, along)
    if silent and not record.findings:
        why = Sentence("list.sentences", sentences=tuple(silent))
        return CheckOutcome("skipped", why, tuple(record.values))
    return record.outcome(Sentence("selftest.spare_wire_is_whole"))


def _silent_behind(hall: HallUnderTest, segment: str) -> str | None:
    """The board behind the segment's last node, when its own node does not answer: whether the terminator or
    the cable to that board opens the loop cannot be told, and CEN tells of the board."""
    segments = {node.uid: node.segment for node in hall.nodes()}
    boards = hall.roster.boards
    last = max((at for at, one in enumerate(boards) if segments.get(one.node or "") == segment), default=None)
    if last is None or last + 1 == len(boards):
        return None
    behind = boards[last + 1]
    return None if behind.node is None or behind.node in segments else behind.name


def _along(hall: HallUnderTest, segment: str, found: dict[str, NodeMeasured]) -> list[Loop]:
    """Of a segment's nodes that feel the wire, in the roster's order."""
    seats: list[NodeView] = [node for _row, row in hall.rows() for _board, node in row]
    placed = {node.uid for node in seats}
    nodes = seats + [node for node in hall.nodes() if node.uid not in placed]
    return [
        (hall.where(node.uid), loop)
        for node in nodes
        if node.segment == segment and node.uid in found and (loop := found[node.uid].loop) is not None
    ]


def _count(record: CheckRecord, segment: str, along: list[Loop]) -> int:
    """How many have a loop, noted."""
    whole = sum(loop for _board, loop in along)
    name = Sentence("selftest.boards_with_a_loop_on_segment", segment=segment)
    record.value(name, whole, limit=str(len(along)), ok=whole == len(along))
    return whole


def _blame(record: CheckRecord, segment: str, along: list[Loop]) -> None:
    """What opens the loop of at least one."""
    if not any(loop for _board, loop in along):
        told = Sentence("selftest.no_board_has_a_loop", segment=segment)
        record.fault(Sentence("selftest.terminator_of_segment", segment=segment), told, where=segment)
        return
    breaks = [(near, far) for (near, one), (far, other) in pairwise(along) if one != other]
    if len(breaks) == 1:
        ((near, far),) = breaks
        told = Sentence("selftest.spare_wire_is_broken_between", before=near, first=far)
        record.fault(Sentence("selftest.cable_between", before=near, first=far), told, where=far)
        return
    for board, loop in along:
        if not loop:
            told = Sentence("selftest.board_alone_has_no_loop", board=board)
            record.fault_of_node(board, told, severity="warning")
