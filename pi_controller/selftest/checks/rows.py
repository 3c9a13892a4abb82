"""VBS, SPR and NTP: supply, spare wire and temperature of the nodes, along their rows."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from statistics import fmean, median, median_low
from typing import Literal, get_args

import msgspec

from pi_controller.bus.values import PATTERNS, MeasureAsked, NodeMeasured, NodeView
from pi_controller.protocol.probes import IdentifyProbe
from pi_controller.roster.model import Board
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
from pi_controller.supply.zone import Feed, SupplyWiring, Zone, proposed, zones_of

# The resistance of each hop of a row, from how far its nodes' supplies fall under a known load.

GAIN = 0.0025
"""Of a node's gain, standard deviation, as its reading without load tells it: ten of the converter's codes of
zero and half of a wide step, in 24 V."""
MOST_GAIN = 0.035
"""A node whose reading is off by more is not there by its gain: reference 1.5 %, divider 1.8 %."""
READS = 4
"""Answers of which a reading under load is the mean, each of 64 readings of the converter."""
MORE_READS = 32
"""Where a hop is doubtful."""
REST = 3
"""Times as many without load, since that reading counts in each part's difference."""
LEAST_SIGMA_V = 0.0025
"""No converter is so still that two of its readings are nearer to each other than this."""
SIGMAS = 4
WIDE_STEPS_V = (4.54, 13.61, 22.69, 31.76)
"""Readings at which the RP2040's converter skips some codes (RP2040-E11): a fall across one is wrong by
WIDE_STEP_V."""
WIDE_STEP_V = 0.08
"""The widest; a Pico 2 has none."""
MOST_ZONES = 6
ONE_WIRE_OF_TWO = 0.5
"""One of a rail's two parallel wires is broken: the rail has twice its resistance, the hop half as much
again."""
SURE = 0.2
"""A hop is bad that has surely so much more than the others: good ones differ by 10 %."""
ENOUGH = 3
"""Hops that tell something, so that one bad one is not the usual one."""
SHORT = 6
"""Boards in a row, below which one fault spoils the picture of its feeding, and is told nevertheless."""
ALONE = 0.5
"""Of the excess is gone again at the next node: it was in this node's own plugs."""


Blamed = Literal["cable", "plugs", "either"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """Of one node: `parts` by which its supply falls under each part of the load, each from so many `reads`.
    `rest_v` and `rest_amps` without it; `amps` of the load at this node."""

    reads: int
    rest_v: float
    parts: tuple[float, ...]
    rest_amps: float
    amps: float
    noise_v: float
    """Of one reading of the converter, root mean square, as the node tells it."""
    calibrated: bool = False
    """The readings are not those of the converter itself."""
    known: bool = True
    """False: nothing was read at this place of the row; its load may be there."""

    @classmethod
    def unknown(cls, amps: float) -> "Fall":
        """Of a node that cannot measure, or of a place whose node is silent."""
        return cls(reads=1, rest_v=0.0, parts=(), rest_amps=0.0, amps=amps, noise_v=0.0, known=False)

    @property
    def volts(self) -> float:
        """Of all parts together; a wide step in between makes some of them too large."""
        return sum(self.parts) - self.wide_v

    @property
    def sigma_v(self) -> float:
        """Standard deviation of the fall."""
        return self.sigma_of(self.reads)

    def sigma_of(self, reads: int) -> float:
        """As it would be after so many."""
        parts = len(self.parts)
        noise_v = self.noise_v * ((parts + parts**2 / REST) / (64 * reads)) ** 0.5
        return math.hypot(self.volts * GAIN, noise_v, LEAST_SIGMA_V)

    @property
    def wide_v(self) -> float:
        """By which the converter's wide steps may falsify `volts` either way."""
        return WIDE_STEP_V / 2 * sum(map(self._crosses, self.parts))

    def _crosses(self, part: float) -> bool:
        """The converter's reading says on which side of a wide step it was, but for the step's own width."""
        band = WIDE_STEP_V + (self.rest_v * MOST_GAIN if self.calibrated else 0.0)
        return any(self.rest_v - part - band <= at <= self.rest_v + band for at in WIDE_STEPS_V)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupplyStep:
    """From node `near` to node `far` of a row, by their places: by how much more the far one's supply falls,
    and the load that flows. Across an injector `back` is what flows into the near node's arm instead, and
    `amps` what flows into the far one's."""

    near: int
    far: int
    volts: float
    amps: float
    back: float = 0.0
    unsure_v: float
    least_unsure_v: float
    """After MORE_READS."""

    @property
    def ohm(self) -> float:
        return self.volts / self.amps


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """The cable from place `near` to place `far`. It has `times` the resistance of the usual hop, surely at
    least `least` times; `provable`: one broken wire of two would show here, after MORE_READS."""

    near: int
    far: int
    excess_v: float
    times: float
    least: float
    provable: bool

    @property
    def bad(self) -> bool:
        return self.least > 1 + SURE

    @property
    def doubtful(self) -> bool:
        """More readings will tell."""
        return self.provable and not self.bad and self.times > 1 + SURE

    @property
    def one_wire(self) -> bool:
        """As one broken wire of two would make it, not worse."""
        return self.bad and self.times < 1 + 2 * ONE_WIRE_OF_TWO


def steps_of(falls: Sequence[Fall]) -> list[SupplyStep]:
    """Those that can be judged, by the way of feeding that explains the falls; empty when none of the usual
    ones does, and for rows too short to tell."""
    volts = _levelled(falls)
    found = [_explained(falls, volts, zones) for zones in _layouts(len(falls))]
    wrong_v, steps = min(found, key=lambda one: one[0], default=(float("inf"), []))
    inner = [abs(step.volts) for step in steps if not step.back]
    explained = wrong_v <= (median(inner) if inner else 0.0) / 2 + WIDE_STEP_V / 4
    return steps if explained or len(falls) < SHORT else []


def hops_of(steps: Sequence[SupplyStep]) -> list[Hop]:
    """One for each of `steps`, which are those of all rows whose cables are alike: each is judged by the
    middle one of those that tell most or, where the load is too small for that, by the cable of the power
    budget."""
    inner = [step for step in steps if not step.back]
    strong = [step.ohm for step in inner if step.unsure_v < step.volts / 2]
    usual = median(strong) if len(strong) >= ENOUGH else SupplyWiring().hop_ohm
    return [_judged(step, usual) for step in steps]


def blamed(hop: Hop, hops: Sequence[Hop]) -> Blamed:
    """The plugs of the far node, where it is low and what lies beyond is not; the cable, where that is low as
    well; either, where nothing lies beyond: no current tells them apart there."""
    beyond = [
        other.excess_v if other.near == hop.far else -other.excess_v
        for other in hops
        if other is not hop and hop.far in (other.near, other.far)
    ]
    if not beyond:
        return "either"
    return "plugs" if any(excess < -ALONE * hop.excess_v for excess in beyond) else "cable"


def _levelled(falls: Sequence[Fall]) -> list[float]:
    """The falls in volts that are the same for all nodes, whatever their gains. What the rest's own currents
    make fall is no gain: it goes with the falls, as these currents with the load."""
    read = [fall for fall in falls if fall.known]
    amps = sum(fall.amps for fall in read)
    share = sum(fall.rest_amps for fall in read) / amps if amps > 0 else 0.0
    level = median([fall.rest_v + share * fall.volts for fall in read] or [0.0])
    return [fall.volts * _gain(level - share * fall.volts, fall.rest_v) for fall in falls]


def _gain(volts: float, read: float) -> float:
    """Of a node that reads so much of `volts`, the other way round."""
    return min(max(volts / max(read, 1.0), 1 - MOST_GAIN), 1 + MOST_GAIN)


def _layouts(nodes: int) -> list[tuple[Zone, ...]]:
    if nodes < 2:
        return []
    counts = range(1, min(MOST_ZONES, nodes // 2) + 1)
    return [
        zones_of(SupplyWiring(), nodes, count=count, feed=feed) for count in counts for feed in get_args(Feed)
    ]


def _explained(
    falls: Sequence[Fall], volts: Sequence[float], zones: Sequence[Zone]
) -> tuple[float, list[SupplyStep]]:
    """By how many volts this way of feeding explains the row's steps wrongly, and the steps to be judged."""
    pairs = [_arms(zone) for zone in zones]
    steps = [
        step for arms in pairs for arm in arms for step in _steps_along(falls, volts, arm) if step.amps > 0
    ]
    if not steps:
        return float("inf"), []
    ohm = max(0.0, median_low(step.ohm for step in steps))
    expected = [0.0] * len(falls)
    for arm in (arm for arms in pairs for arm in arms):
        for node, amps in zip(arm, accumulate(_flowing(falls, arm)), strict=True):
            expected[node] = ohm * amps
    wrong = [
        abs(volts[far] - volts[near] - expected[far] + expected[near])
        for near, far in pairwise(range(len(falls)))
        if falls[near].known and falls[far].known
    ]
    across = [
        _across(falls, volts, *arms)
        for arms in pairs
        if all(arms) and all(falls[arm[0]].known and falls[arm[0]].amps > 0 for arm in arms)
    ]
    return median(wrong) + fmean(min(one, WIDE_STEP_V) for one in wrong), steps + across


def _arms(zone: Zone) -> tuple[list[int], list[int]]:
    """The places of a zone's nodes on either side of its injector, the nearest first."""
    behind = zone.injector_after
    return list(range(behind - 1, zone.first - 2, -1)), list(range(behind, zone.last))


def _flowing(falls: Sequence[Fall], arm: Sequence[int]) -> list[float]:
    """The load through the cable in front of each node of an arm."""
    return list(accumulate(falls[node].amps for node in reversed(arm)))[::-1]


def _steps_along(falls: Sequence[Fall], volts: Sequence[float], arm: Sequence[int]) -> list[SupplyStep]:
    flowing = _flowing(falls, arm)
    return [
        _supply_step(falls, volts, near, far, amps=amps)
        for near, far, amps in zip(arm, arm[1:], flowing[1:], strict=False)
        if falls[near].known and falls[far].known
    ]


def _across(
    falls: Sequence[Fall], volts: Sequence[float], before: Sequence[int], behind: Sequence[int]
) -> SupplyStep:
    """From the one arm's first node over the injector to the other's."""
    back, amps = _flowing(falls, before)[0], _flowing(falls, behind)[0]
    return _supply_step(falls, volts, before[0], behind[0], amps=amps, back=back)


def _supply_step(
    falls: Sequence[Fall], volts: Sequence[float], near: int, far: int, *, amps: float, back: float = 0.0
) -> SupplyStep:
    first, second = falls[near], falls[far]
    wide_v = first.wide_v + second.wide_v
    return SupplyStep(
        near=near,
        far=far,
        volts=volts[far] - volts[near],
        amps=amps,
        back=back,
        unsure_v=SIGMAS * math.hypot(first.sigma_v, second.sigma_v) + wide_v,
        least_unsure_v=SIGMAS * math.hypot(*(one.sigma_of(MORE_READS) for one in (first, second))) + wide_v,
    )


def _judged(step: SupplyStep, usual: float) -> Hop:
    """Across an injector the excess tells by its sign in whose arm it is."""
    excess = step.volts - usual * (step.amps - step.back)
    turned = step.back > 0 and excess < 0
    usual_v = usual * (step.back if turned else step.amps)
    over = -excess if turned else excess
    return Hop(
        near=step.far if turned else step.near,
        far=step.near if turned else step.far,
        excess_v=over,
        times=1 + over / usual_v,
        least=1 + (over - step.unsure_v) / usual_v,
        provable=ONE_WIRE_OF_TWO * usual_v > step.least_unsure_v + SURE * usual_v,
    )


# What nodes measure of themselves: supply, currents, loop.


MEASURES = 6
"""The protocol that has MEASURE."""


def able(nodes: Sequence[NodeView]) -> list[NodeView]:
    """Those whose firmware can measure."""
    return [node for node in nodes if node.protocols[1] >= MEASURES]


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
NO_STEP = Sentence("selftest.no_step_beyond_what_readings_differ")
PLANNED = Sentence("selftest.planned_for_comparison")
Seats = list[tuple[Board, NodeView]]


async def vbs(hall: HallUnderTest) -> CheckOutcome:
    """Volts of each node, and by how much they fall when displays are white: high enough, and without a hop
    that loses more than the others."""
    await hall.look()
    falls, rest = await loaded(hall, hall.nodes(), reads=READS)
    record = CheckRecord()
    volts = {node.uid: node.supply_v for node in hall.nodes()}
    volts |= {uid: found.supply_v for uid, found in rest.items() if uid in volts}
    sure = {uid for uid, found in rest.items() if found.calibrated}
    lowest = min(volts, key=lambda uid: volts[uid])
    low = {uid for uid, found in volts.items() if found <= (LEAST_V if uid in sure else LEAST_V * (1 - WIDE))}
    limit = above(LEAST_V).text
    record.value(Sentence("selftest.lowest_supply"), volts[lowest], "V", limit=limit, ok=lowest not in low)
    for row, seats in hall.rows():
        before = len(record.findings)
        told = tuple(Sentence("tables.one_decimal", value=volts[node.uid]) for _board, node in seats)
        for board, node in seats:
            if node.uid in low:
                _too_low(record, board.name, volts[node.uid])
        _judge_rest(record, [(board, node) for board, node in seats if node.uid not in low], volts, sure)
        along, ok = Sentence("list.sentences", sentences=told), len(record.findings) == before
        record.value(Sentence("selftest.row", row=row.name), along, "V", limit=NO_STEP, ok=ok)
        if hall.level != "bench":
            planned = Sentence("selftest.planned_at_the_lowest_of_row", row=row.name)
            record.value(planned, _planned_v(len(seats)), "V", limit=PLANNED)
    for node in hall.nodes():
        if hall.roster.board_of(node.uid) is None and node.uid in low:
            _too_low(record, node.uid, volts[node.uid])
    await _judge_hops(record, hall, await _surer(hall, falls))
    _not_measured(record, hall, rest)
    return record.outcome(Sentence("selftest.every_node_has_its_voltage"))


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


async def _surer(hall: HallUnderTest, falls: dict[str, Fall]) -> dict[str, Fall]:
    """The same, with many more readings at both ends of each hop that is doubtful."""
    doubtful = {
        boards[place].node
        for boards, row in await asyncio.to_thread(_hops, hall, falls)
        for hop in row
        if hop.doubtful
        for place in (hop.near, hop.far)
    }
    if not doubtful:
        return falls
    nodes = [node for node in hall.nodes() if node.uid in doubtful]
    return falls | (await loaded(hall, nodes, reads=MORE_READS))[0]


async def _judge_hops(record: CheckRecord, hall: HallUnderTest, falls: dict[str, Fall]) -> None:
    """Under load: a hop that surely has more resistance than the others."""
    found = await asyncio.to_thread(_hops, hall, falls)
    judged = [hop for _boards, row in found for hop in row]
    if not judged:
        return
    record.value(Sentence("selftest.hops_measured"), len(judged))
    record.value(Sentence("selftest.hops_where_one_wire_would_show"), sum(hop.provable for hop in judged))
    worst = max(judged, key=lambda hop: hop.least)
    largest = Sentence("selftest.largest_resistance_of_a_hop")
    limit = Sentence("selftest.times_the_usual_one")
    record.value(largest, worst.times, limit=limit, ok=not worst.bad)
    for boards, row in found:
        for hop in sorted((hop for hop in row if hop.bad), key=lambda hop: -hop.excess_v):
            _bad_hop(record, boards, hop, row)


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
    """Temperatures of the nodes, also against their row's median."""
    nodes = hall.nodes()
    record = CheckRecord()
    coldest, hottest = min(node.temperature_c for node in nodes), max(node.temperature_c for node in nodes)
    record.figure(Sentence("selftest.coldest"), coldest, "°C", at_least(COLDEST_C))
    record.figure(Sentence("selftest.hottest"), hottest, "°C", at_most(HOTTEST_C))
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
    limits = COLDEST_C <= found <= HOTTEST_C
    if limits and abs(found - middle) <= OUTLIER_C:
        return
    limit = Sentence("selftest.5_to_60_within_17", middle=middle)
    record.value(Sentence("selftest.at_board", board=board), found, "°C", limit=limit, ok=False)
    sentence = (
        Sentence("selftest.node_unlike_its_row", board=board, degrees=found, middle=middle)
        if limits
        else Sentence("selftest.node_too_hot_or_cold", board=board, degrees=found)
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
