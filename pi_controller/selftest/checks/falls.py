"""The resistance of each hop of a row, from how far its nodes' supplies fall under a known load. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean, median, median_low
from typing import Literal, get_args

from pi_controller.supply.zone import Feed, SupplyWiring, Zone, zones_of

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


def fed_by(falls: Sequence[Fall]) -> tuple[tuple[Zone, ...], list[SupplyStep]]:
    """The way of feeding that explains the falls, and the steps that can be judged by it; nothing when none
    of the usual ones does, and for rows too short to tell."""
    volts = _levelled(falls)
    found = [(*_explained(falls, volts, zones), zones) for zones in _layouts(len(falls))]
    wrong_v, steps, zones = min(found, key=lambda one: one[0], default=(math.inf, [], ()))
    inner = [abs(step.volts) for step in steps if not step.back]
    explained = wrong_v <= (median(inner) if inner else 0.0) / 2 + WIDE_STEP_V / 4
    return (zones, steps) if steps and (explained or len(falls) < SHORT) else ((), [])


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
