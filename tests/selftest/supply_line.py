"""Volts at each node of a row whose nodes take what they take, over hops that may be bad."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

CLOSE_V = 1e-6
MOST_STEPS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A zone of a row: nodes `first` to `last`, counted from 0; the injector sits behind node `behind`
    (`first` - 1: before the first)."""

    first: int
    last: int
    behind: int


def volts_along(
    source_v: float,
    feeds: Sequence[Feed],
    *,
    watts: Sequence[float],
    ohms: Sequence[float],
    lead_ohm: float,
) -> list[float]:
    """At each node; 0.0 V in an arm that collapses. `ohms[i]` is the hop, there and back, between node i and
    the one before it; `lead_ohm` the cable from an injector back to the node before it in the row."""
    volts = [source_v] * len(watts)
    for feed in feeds:
        back = list(range(feed.behind, feed.first - 1, -1))
        ahead = list(range(feed.behind + 1, feed.last + 1))
        back_ohms = [lead_ohm, *(ohms[node + 1] for node in back[1:])]
        for arm, hops in ((back, back_ohms), (ahead, [ohms[node] for node in ahead])):
            settled = _settled(source_v, [watts[node] for node in arm], hops[: len(arm)])
            for node, at in zip(arm, settled, strict=True):
                volts[node] = at
    return volts


def _settled(source_v: float, watts: Sequence[float], hops: Sequence[float]) -> list[float]:
    """Along one arm, the node nearest to the injector first."""
    volts = [source_v] * len(watts)
    for _ in range(MOST_STEPS):
        taken = [power / at for power, at in zip(watts, volts, strict=True)]
        beyond = list(accumulate(reversed(taken)))[::-1]
        new = [
            source_v - lost for lost in accumulate(amps * ohm for amps, ohm in zip(beyond, hops, strict=True))
        ]
        if new and min(new) <= 0:
            return [0.0] * len(watts)
        if max((old - now for old, now in zip(volts, new, strict=True)), default=0.0) < CLOSE_V:
            return new
        volts = new
    return volts
