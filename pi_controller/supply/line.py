"""Voltages along lines whose nodes take constant power: the lower the voltage, the more current they draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

CLOSE_V = 1e-7
MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Nodes in a chain that starts at the injector, one hop of cable before each."""

    nodes: int
    node_w: float
    """Taken from the line by each."""
    hop_ohm: float
    """There and back: both rails of one hop."""


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


def settle(source_v: float, lead_ohm: float, arms: Sequence[Arm]) -> Settled | None:
    """Where the line comes to rest after switching on; None when it collapses: there is no such point.

    Each step takes the currents that the voltages of the last one ask for. From no load on, voltages can only
    fall, and they end at the highest point of rest, the only one at which nodes with a soft start stay. Nodes
    never switch off here; compare with their under-voltage cut-off afterwards.
    """
    feed_v = source_v
    volts = [[source_v] * arm.nodes for arm in arms]
    for _ in range(MOST_STEPS):
        currents = [[arm.node_w / v for v in along] for arm, along in zip(arms, volts, strict=True)]
        amps = [sum(taken) for taken in currents]
        new_feed_v = source_v - lead_ohm * sum(amps)
        new = [_along(new_feed_v, arm.hop_ohm, taken) for arm, taken in zip(arms, currents, strict=True)]
        lowest = min([new_feed_v, *(arm[-1] for arm in new if arm)])
        if lowest <= 0:
            return None
        fell = max(
            [feed_v - new_feed_v, *(old[-1] - now[-1] for old, now in zip(volts, new, strict=True) if now)]
        )
        feed_v, volts = new_feed_v, new
        if fell < CLOSE_V:
            return Settled(feed_v=feed_v, volts=tuple(map(tuple, volts)), amps=tuple(amps))
    return None


def _along(feed_v: float, hop_ohm: float, taken: Sequence[float]) -> list[float]:
    """Voltage at each node when they draw these currents."""
    beyond = list(accumulate(reversed(taken)))[::-1]
    return [feed_v - hop_ohm * passed for passed in accumulate(beyond)]
