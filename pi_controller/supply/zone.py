"""One stretch of a row on one injector: what arrives at its nodes, its fuse, why it must not be built."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Literal

from pi_controller.sentence import SaidError, Sentence

# Where the voltages of a line come to rest whose nodes take what they take, whatever arrives.


CLOSE_V = 1e-7
MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SupplyArm:
    """Nodes in a chain that starts at the injector, the nearest first."""

    watts: tuple[float, ...]
    """Taken from the line by each."""
    ohms: tuple[float, ...]
    """There and back: both rails of the hop in front of each."""

    def __len__(self) -> int:
        return len(self.watts)


def even_arm(nodes: int, *, node_w: float, hop_ohm: float) -> SupplyArm:
    """Nodes and hops that are all alike."""
    return SupplyArm(watts=(node_w,) * nodes, ohms=(hop_ohm,) * nodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """`volts[arm][node]`, the node nearest to the injector first; `amps[arm]` flow into each arm."""

    feed_v: float
    """At the injector, behind the lead-in."""
    volts: tuple[tuple[float, ...], ...]
    amps: tuple[float, ...]

    @property
    def feed_a(self) -> float:
        return sum(self.amps)

    @property
    def last_v(self) -> float:
        """At the node that gets least."""
        return min((arm[-1] for arm in self.volts if arm), default=self.feed_v)


def settle(
    source_v: float, lead_ohm: float, arms: Sequence[SupplyArm], *, close_v: float = CLOSE_V
) -> Settled | None:
    """Where the line comes to rest after switching on, to about `close_v`; None when it collapses: there is
    no such point.

    Each step takes the currents that the voltages of the last one ask for. From no load on, voltages can only
    fall, and they end at the highest point of rest, the only one at which nodes with a soft start stay. Nodes
    never switch off here; compare with their under-voltage cut-off afterwards.
    """
    if source_v <= 0:
        return None
    feed_v = source_v
    volts = [[source_v] * len(arm) for arm in arms]
    for _ in range(MOST_STEPS):
        currents = [
            [watts / v for watts, v in zip(arm.watts, along, strict=True)]
            for arm, along in zip(arms, volts, strict=True)
        ]
        amps = [sum(taken) for taken in currents]
        new_feed_v = source_v - lead_ohm * sum(amps)
        new = [_along(new_feed_v, arm.ohms, taken) for arm, taken in zip(arms, currents, strict=True)]
        lowest = min([new_feed_v, *(along[-1] for along in new if along)])
        if lowest <= 0:
            return None
        fell = max(
            [feed_v - new_feed_v, *(old[-1] - now[-1] for old, now in zip(volts, new, strict=True) if now)]
        )
        feed_v, volts = new_feed_v, new
        if fell < close_v:
            return Settled(feed_v=feed_v, volts=tuple(map(tuple, volts)), amps=tuple(amps))
    return None


def _along(feed_v: float, ohms: Sequence[float], taken: Sequence[float]) -> list[float]:
    """Voltage at each node when they draw these currents."""
    through = list(accumulate(reversed(taken)))[::-1]
    lost = accumulate(ohm * amps for ohm, amps in zip(ohms, through, strict=True))
    return [feed_v - volts for volts in lost]


# What a row's supply is built of: volts, watts, lengths, and the conductors that can be bought.


class SupplyFault(SaidError):  # noqa: N818 - a finding, told to people
    """A wiring that cannot be meant; `sentence` says what to change."""


AWG_MOHM = {"22": 53.0, "23": 66.8, "24": 93.8, "26": 134.5, "28": 214.0}
"""24 and 26: stranded patch cable, which a row is made of. The others: solid copper of the nominal area."""

AREA_MOHM = {"0.5mm2": 39.0, "0.75mm2": 26.0, "1mm2": 19.5, "1.5mm2": 13.3, "2.5mm2": 7.98}
"""Flexible conductors, IEC 60228 class 5."""

ALUMINIUM = 1.5
"""Copper-clad aluminium against copper of the same gauge."""


def conductor_mohm(size: str, *, copper_clad_aluminium: bool = False) -> float:
    """Of an AWG number or an area such as `0.75mm2`. SupplyFault names the sizes there are."""
    found = {**AWG_MOHM, **AREA_MOHM}.get(size)
    if found is None:
        known = ", ".join([*AWG_MOHM, *AREA_MOHM])
        raise SupplyFault(Sentence("supply.no_such_cable", size=size, known=known))
    return found * (ALUMINIUM if copper_clad_aluminium else 1.0)


MOST_NODES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class SupplyWiring:
    """SupplyFault when a value cannot be meant."""

    volts: float = 24.0
    watts: float = 2.0
    """One node's greatest own need, behind its converter: 2.0 is planned for two 2.42-inch displays, 1.0 for
    smaller or shared ones, until one has been measured."""
    efficiency: float = 0.85
    """Of the node's converter."""
    gauge: str = "26"
    """Of the cable from table to table, see `cables`."""
    hop_m: float = 2.0
    conductors: int = 2
    """In parallel for each rail."""
    contact_mohm: float = 20.0
    """One mated contact; a hop has two in series, a plug at each end."""
    copper_clad_aluminium: bool = False
    lead_m: float = 0.0
    """From the supply to the injector."""
    lead_gauge: str = "0.75mm2"
    """One conductor for each rail."""

    def __post_init__(self) -> None:
        _within(Sentence("supply.voltage"), self.volts, 3, 60, "V")
        _within(Sentence("supply.power_of_a_node"), self.watts, 0.01, 20, "W")
        _within(Sentence("supply.efficiency"), self.efficiency, 0.3, 1, "")
        _within(Sentence("supply.distance"), self.hop_m, 0.1, 50, "m")
        _within(Sentence("supply.number_of_conductors"), self.conductors, 1, 4, "")
        _within(Sentence("supply.resistance_of_a_contact"), self.contact_mohm, 0, 1000, "mΩ")
        _within(Sentence("supply.length_of_the_lead_in"), self.lead_m, 0, 200, "m")
        conductor_mohm(self.gauge)
        conductor_mohm(self.lead_gauge)

    @property
    def node_w(self) -> float:
        """What one node takes from the line."""
        return self.watts / self.efficiency

    @property
    def hop_ohm(self) -> float:
        """There and back."""
        cable = conductor_mohm(self.gauge, copper_clad_aluminium=self.copper_clad_aluminium) * self.hop_m
        return 2 * (cable + 2 * self.contact_mohm) / self.conductors / 1000

    @property
    def lead_ohm(self) -> float:
        """There and back."""
        return 2 * conductor_mohm(self.lead_gauge) * self.lead_m / 1000


def _within(what: Sentence, value: float, least: float, most: float, unit: str) -> None:
    if least <= value <= most:
        return
    if unit:
        raise SupplyFault(
            Sentence("supply.out_of_range", what=what, value=value, least=least, most=most, unit=unit)
        )
    raise SupplyFault(Sentence("supply.number_out_of_range", what=what, value=value, least=least, most=most))


Feed = Literal["end", "middle"]

LEAST_V = 15.0
"""Every node must get more: the self-test's limit (VBS), 3 V above the cut-off of the node's converter."""
MOST_STEP_V = 0.4
"""From one table to the next: more looks like a bad plug to the self-test."""
MOST_CONTACT_A = 0.75
"""Half of what the contacts of an RJ45 plug are rated for."""
MOST_SHIFT_V = 3.0
"""Of 0 V along a zone, which is common mode for the bus."""
SUPPLY_SIZES_W = (15, 30, 60)
"""Up to a limited power source: what hangs on it need not stand in a fire enclosure."""
SUPPLY_LOAD = 0.8
"""Of a supply's rating is used at most."""
FUSES_A = (0.5, 0.63, 0.8, 1.0, 1.25, 1.6, 2.0)
"""Time-lag, at the injector. More than 2 A would not protect the cable."""
FUSE_LOAD = 0.75
"""Of a fuse's rating flows at most."""
SURE_BLOW = 2.1
"""Times its rating blows a time-lag fuse within two minutes, less may take hours (IEC 60127-2, sheet 3)."""
SUPPLY_LIMIT = 1.05
"""Of its rating gives a supply at least before it limits; most limit at 1.05 to 1.5 (makers' data sheets)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A stretch of a row that hangs on one injector. Node numbers count from 1 along the row."""

    first: int
    last: int
    feed: Feed
    short_a: float
    """That would flow into a short at the last node, were the supply without a limit of its own."""
    feed_volts: float
    """Of the supply."""
    settled: Settled | None = None
    """None: it collapses, and the values below say nothing."""
    volts: tuple[float, ...] = ()
    """At each node in the row's order."""
    contact_a: float = 0.0
    """Through the contact that carries most."""
    shift_v: float = 0.0
    """Of 0 V between the injector and the last node."""
    step_v: float = 0.0
    """The largest, from one board to the next."""
    supply_w: int | None = None
    """Size of the supply; None when none of SUPPLY_SIZES_W is enough."""
    fuse_a: float | None = None
    """None when none of FUSES_A is enough."""
    faults: tuple[Sentence, ...] = ()
    """Why this zone must not be built."""
    remarks: tuple[Sentence, ...] = ()

    @property
    def nodes(self) -> int:
        return self.last - self.first + 1

    @property
    def sure_a(self) -> float:
        """What at least flows into that short: the cable or the supply limits it."""
        if self.supply_w is None:
            return self.short_a
        return min(self.short_a, SUPPLY_LIMIT * self.supply_w / self.feed_volts)

    @property
    def supply_limits_first(self) -> bool:
        """The cable lets enough into a short at the last node for the fuse, the supply may not give it."""
        return self.fuse_a is not None and self.sure_a < SURE_BLOW * self.fuse_a <= self.short_a

    @property
    def where(self) -> Sentence:
        if self.first == self.last:
            return Sentence("supply.board", board=self.first)
        return Sentence("supply.boards", first=self.first, last=self.last)

    @property
    def injector_after(self) -> int:
        """The injector sits behind this node of the row; one less than `first`: before the first node."""
        return self.first - 1 if self.feed == "end" else self.first - 1 + self.nodes // 2


def zone(wiring: SupplyWiring, *, first: int, last: int, feed: Feed) -> Zone:
    """Nodes `first` to `last` of a row."""
    nodes = last - first + 1
    before = 0 if feed == "end" else nodes // 2
    arms = [
        even_arm(count, node_w=wiring.node_w, hop_ohm=wiring.hop_ohm)
        for count in (before, nodes - before)
        if count
    ]
    settled = settle(wiring.volts, wiring.lead_ohm, arms)
    short_a = wiring.volts / (wiring.lead_ohm + wiring.hop_ohm * max(len(arm) for arm in arms))
    if settled is None:
        fallen = Zone(first=first, last=last, feed=feed, short_a=short_a, feed_volts=wiring.volts)
        why = Sentence("supply.collapses", where=fallen.where, nodes=nodes, watts=wiring.watts)
        return replace(fallen, faults=(why,))
    return _judged(wiring, first=first, last=last, feed=feed, settled=settled, short_a=short_a)


def _judged(
    wiring: SupplyWiring, *, first: int, last: int, feed: Feed, settled: Settled, short_a: float
) -> Zone:
    arms = settled.volts
    bare = Zone(
        first=first,
        last=last,
        feed=feed,
        short_a=short_a,
        feed_volts=wiring.volts,
        settled=settled,
        volts=arms[0] if len(arms) == 1 else (*arms[0][::-1], *arms[1]),
        contact_a=max(settled.amps) / wiring.conductors,
        shift_v=(settled.feed_v - settled.last_v) / 2,
        step_v=max(settled.feed_v - arm[0] for arm in arms),
        supply_w=next(
            (size for size in SUPPLY_SIZES_W if size * SUPPLY_LOAD >= wiring.volts * settled.feed_a), None
        ),
        fuse_a=next((size for size in FUSES_A if size * FUSE_LOAD >= settled.feed_a), None),
    )
    return replace(
        bare,
        faults=tuple(_faults(bare, settled, wiring.volts * settled.feed_a)),
        remarks=tuple(_remarks(bare)),
    )


def _faults(zone: Zone, settled: Settled, asked_w: float) -> Iterator[Sentence]:
    where = zone.where
    if settled.last_v <= LEAST_V:
        yield Sentence("supply.too_few_volts", where=where, volts=settled.last_v, least=LEAST_V)
    if zone.contact_a > MOST_CONTACT_A:
        yield Sentence(
            "supply.too_much_through_a_contact", where=where, amps=zone.contact_a, most=MOST_CONTACT_A
        )
    if zone.shift_v > MOST_SHIFT_V:
        yield Sentence("supply.zero_shifts", where=where, volts=zone.shift_v, most=MOST_SHIFT_V)
    if zone.step_v >= MOST_STEP_V:
        yield Sentence("supply.step_too_large", where=where, volts=zone.step_v, most=MOST_STEP_V)
    if zone.supply_w is None:
        most_w = SUPPLY_SIZES_W[-1] * SUPPLY_LOAD
        yield Sentence("supply.no_supply_is_enough", where=where, watts=asked_w, most=most_w)
    if zone.fuse_a is None:
        most_a = FUSES_A[-1] * FUSE_LOAD
        yield Sentence(
            "supply.no_fuse_is_enough", where=where, amps=settled.feed_a, fuse=FUSES_A[-1], most=most_a
        )


def _remarks(zone: Zone) -> Iterator[Sentence]:
    if zone.fuse_a is not None and zone.short_a < SURE_BLOW * zone.fuse_a:
        yield Sentence(
            "supply.short_blows_no_fuse",
            where=zone.where,
            amps=zone.short_a,
            fuse=zone.fuse_a,
            sure=SURE_BLOW * zone.fuse_a,
        )


# Volts at each node of a row in zones, whose nodes take what they take, over hops that may be bad.


ROW_CLOSE_V = 1e-5


def row_volts(
    zones: Sequence[Zone],
    *,
    source_v: Sequence[float],
    watts: Sequence[float],
    ohms: Sequence[float],
    back_ohm: float,
) -> list[float]:
    """At each node, the row's first one first; 0.0 V in an arm that collapses: without a lead-in the arms of
    a zone know nothing of each other.

    Of `zones` only the places of their nodes and injectors count; `source_v` is the supply of each. `ohms` of
    a node is the hop, there and back, between it and the node before it. At an injector that stands between
    two nodes this cable leads to the node behind it, and another one of `back_ohm` to the node before it.
    """
    volts = [0.0] * len(watts)
    for zone, supply_v in zip(zones, source_v, strict=True):
        for nodes, hops in _arms(zone, ohms, back_ohm):
            arm = SupplyArm(watts=tuple(watts[node] for node in nodes), ohms=hops)
            settled = settle(supply_v, 0.0, [arm], close_v=ROW_CLOSE_V)
            along = (0.0,) * len(nodes) if settled is None else settled.volts[0]
            for node, at in zip(nodes, along, strict=True):
                volts[node] = at
    return volts


def _arms(
    zone: Zone, ohms: Sequence[float], back_ohm: float
) -> Iterator[tuple[Sequence[int], tuple[float, ...]]]:
    """The places of the nodes on either side of a zone's injector, the nearest first, and the hops in front
    of them."""
    behind = zone.injector_after
    back, ahead = range(behind - 1, zone.first - 2, -1), range(behind, zone.last)
    yield back, (back_ohm, *(ohms[node + 1] for node in back[1:]))[: len(back)]
    yield ahead, tuple(ohms[node] for node in ahead)


# Where supplies, injectors and fuses go in a hall, and what arrives at the last table.


MOST_ZONE_NODES = 20
"""That `proposed` hangs on one injector, so that one fault darkens no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupplyPlan:
    """`rows[row]` are that row's zones."""

    wiring: SupplyWiring
    rows: tuple[tuple[Zone, ...], ...]

    @property
    def zones(self) -> tuple[Zone, ...]:
        return tuple(part for row in self.rows for part in row)

    @property
    def holds(self) -> bool:
        return not any(part.faults for part in self.zones)


def planned(
    wiring: SupplyWiring, rows: Sequence[int], *, feed: Feed, zone_nodes: int | None = None
) -> SupplyPlan:
    """Rows of so many nodes, each cut into even zones of at most `zone_nodes` (None: one zone a row).

    SupplyFault when there is no node, or more than MOST_NODES.
    """
    _check(rows, zone_nodes)
    parts = [1 if zone_nodes is None else -(-nodes // zone_nodes) for nodes in rows]
    made = (zones_of(wiring, nodes, count=count, feed=feed) for nodes, count in zip(rows, parts, strict=True))
    return SupplyPlan(wiring=wiring, rows=tuple(made))


def proposed(wiring: SupplyWiring, rows: Sequence[int]) -> SupplyPlan:
    """The fewest zones that hold, each fed in its middle. A row for which none hold keeps its faults."""
    _check(rows, None)
    return SupplyPlan(wiring=wiring, rows=tuple(_best(wiring, nodes) for nodes in rows))


def _check(rows: Sequence[int], zone_nodes: int | None) -> None:
    if any(nodes < 0 for nodes in rows) or not 1 <= sum(rows) <= MOST_NODES:
        raise SupplyFault(Sentence("supply.hall_of_no_size", count=sum(rows), most=MOST_NODES))
    if zone_nodes is not None and zone_nodes < 1:
        raise SupplyFault(Sentence("supply.zone_without_boards", count=zone_nodes))


def _best(wiring: SupplyWiring, nodes: int) -> tuple[Zone, ...]:
    fewest = -(-nodes // MOST_ZONE_NODES)
    tries = (zones_of(wiring, nodes, count=count, feed="middle") for count in range(fewest, nodes + 1))
    holding = (zones for zones in tries if not any(part.faults for part in zones))
    return next(holding, zones_of(wiring, nodes, count=fewest, feed="middle"))


def zones_of(wiring: SupplyWiring, nodes: int, *, count: int, feed: Feed) -> tuple[Zone, ...]:
    """A row of so many nodes in `count` even zones."""
    if not nodes:
        return ()
    small, larger = divmod(nodes, count)
    ends = list(accumulate(small + (1 if index < larger else 0) for index in range(count)))
    return tuple(zone(wiring, first=start + 1, last=end, feed=feed) for start, end in pairwise([0, *ends]))
