"""One stretch of a row on one injector: what arrives at its nodes, its fuse, why it must not be built."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pi_controller.sentence import Sentence
from pi_controller.supply.line import Settled, even_arm, settle
from pi_controller.supply.wiring import Wiring

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


def zone(wiring: Wiring, *, first: int, last: int, feed: Feed) -> Zone:
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


def _judged(wiring: Wiring, *, first: int, last: int, feed: Feed, settled: Settled, short_a: float) -> Zone:
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
