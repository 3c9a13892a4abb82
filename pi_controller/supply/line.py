"""Where the voltages of a line come to rest whose nodes take what they take, whatever arrives."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

CLOSE_V = 1e-7
MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Nodes in a chain that starts at the injector, the nearest first."""

    watts: tuple[float, ...]
    """Taken from the line by each."""
    ohms: tuple[float, ...]
    """There and back: both rails of the hop in front of each."""

    def __len__(self) -> int:
        return len(self.watts)


def even_arm(nodes: int, *, node_w: float, hop_ohm: float) -> Arm:
    """Nodes and hops that are all alike."""
    return Arm(watts=(node_w,) * nodes, ohms=(hop_ohm,) * nodes)


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
    source_v: float, lead_ohm: float, arms: Sequence[Arm], *, close_v: float = CLOSE_V
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
