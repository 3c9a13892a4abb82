"""What the master remembers of each node, and how well the line and the nodes do."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from pi_controller.bus.frame import Frame
from pi_controller.bus.messages import HealthMessage, Info
from pi_controller.bus.values import ButtonsView, DisplaysView, Lately, NodeState, NodeView, RoundTripView

KEPT_TRIPS = 100
"""Round trips of a node from which its percentiles are taken."""


MOVED_US: Final = 20_000_000
"""A node gets another address at most so often."""
Counted = Literal["answered", "unanswered", "garbled", "damaged", "late", "reassigned", "restarts", "claims"]
WINDOW_S: Final = 20
"""Long enough for a node that is asked 2.4 times a second; short enough to forget what has been mended."""
SECOND_US: Final = 1_000_000


class Window:
    """Counts of the last 20 s, second by second. Times never run backwards."""

    def __init__(self) -> None:
        self._seconds: deque[tuple[int, Counter[str]]] = deque()
        self._sum: Counter[str] = Counter()

    def add(self, what: Counted, now_us: int, count: int = 1) -> None:
        second = now_us // SECOND_US
        if not self._seconds or self._seconds[-1][0] != second:
            self._turn(second)
            self._seconds.append((second, Counter()))
        self._seconds[-1][1][what] += count
        self._sum[what] += count

    def lately(self, now_us: int) -> Lately:
        self._turn(now_us // SECOND_US)
        return Lately(**self._sum)

    def _turn(self, second: int) -> None:
        while self._seconds and self._seconds[0][0] <= second - WINDOW_S:
            self._sum.subtract(self._seconds.popleft()[1])


@dataclass(slots=True, kw_only=True)
class Node:
    """One node of the segment, known by the chip's unique id; times in µs of CLOCK_BOOTTIME."""

    uid: str
    address: int
    info: Info
    state: NodeState = "good"
    board: str | None = None
    swapped: bool = False
    health: HealthMessage | None = None
    heard_us: int = 0
    misses: int = 0
    """Polls in a row to which, retry included, nothing came."""
    retrying: bool = False
    due_us: int = 0
    """When a node that does not answer is asked again."""
    good: int = 0
    missed: int = 0
    garbled: int = 0
    """Damaged answers since the last good one."""
    crc_errors: int = 0
    states_missed: int = 0
    trips_us: deque[int] = field(default_factory=lambda: deque(maxlen=KEPT_TRIPS))
    buttons: tuple[bool, bool] = (False, False)
    request: Frame | None = None
    """The poll, kept as long as what it says of claims holds."""
    hurried: int = 0
    """How often it was asked out of turn since its last turn."""
    claiming: bool = False
    """Its last report had a claim in it."""
    went_back: bool = False
    """A counter of it has run backwards: it has restarted, or it is two."""
    denials: int = 0
    """How often it has not confirmed its address while it was doubtful."""
    doubtful: bool = False
    """It may be another node, or have rebooted: what it says of claims waits until it has said who it is."""
    asking: bool = False
    """It has no address, and has been heard so since it last confirmed one."""
    asked_again_us: int | None = None
    """When it last had lost its address without being told to, or having started again."""
    moved_us: int = -MOVED_US
    """When it last got another address."""
    told_to_forget: bool = False
    twin_us: int | None = None
    """Since when it has reported another node's claim as its own."""
    away_until_us: int = 0
    """It was told to start again: until then its silence says nothing."""
    window: Window = field(default_factory=Window)
    absent: int = 0
    """Polls without an answer since the last one that had one."""


BUCKET_US: Final = 1_000_000
BUCKETS: Final = 4
KEPT_SEGMENT_TRIPS: Final = 400
NO_HEALTH: Final = HealthMessage(epoch=0, state_seq=0, sun_display=True, moon_display=True)
"""Of a node that has not reported yet: nothing is known, so nothing is wrong with it."""


class Busy:
    """Part of the time in which the line was in use, over the last four seconds."""

    def __init__(self, *, baud: int) -> None:
        self._byte_us = 10_000_000 / baud
        self._full: deque[int] = deque(maxlen=BUCKETS)
        self._bytes = 0
        self._begun_us = 0

    def add(self, count: int, now_us: int) -> None:
        self._turn(now_us)
        self._bytes += count

    def part(self, now_us: int) -> float:
        """0 to 1."""
        self._turn(now_us)
        if not self._full:
            return 0.0
        return min(1.0, sum(self._full) * self._byte_us / (len(self._full) * BUCKET_US))

    def _turn(self, now_us: int) -> None:
        gone = (now_us - self._begun_us) // BUCKET_US
        if gone <= 0:
            return
        for _ in range(min(gone, BUCKETS)):
            self._full.append(self._bytes)
            self._bytes = 0
        self._begun_us += gone * BUCKET_US


def round_trip(trips_us: Iterable[int]) -> RoundTripView | None:
    """Median and 99th percentile; None when there are none."""
    ordered = sorted(trips_us)
    if not ordered:
        return None
    return RoundTripView(p50=_percentile(ordered, 0.50), p99=_percentile(ordered, 0.99))


def node_snapshot(node: Node, segment: str, now_us: int, *, wordless: bool = False) -> NodeView:
    """All that is known of the node; what only its first health report tells is 0 until then."""
    health = node.health or NO_HEALTH
    major, minor = node.info.firmware
    return NodeView(
        uid=node.uid,
        segment=segment,
        address=node.address,
        state=node.state,
        board=node.board,
        swapped=node.swapped,
        hardware=node.info.hardware,
        firmware=f"{major}.{minor}",
        protocols=(node.info.proto_min, node.info.proto_max),
        boots=node.info.boots,
        age_ms=max(0, now_us - node.heard_us) // 1000,
        uptime_min=health.uptime,
        supply_v=health.vbus / 5,
        temperature_c=health.temperature,
        reset=health.reset,
        safe_mode=health.safe_mode,
        wordless=wordless,
        displays=DisplaysView(sun=health.sun_display, moon=health.moon_display),
        good=node.good,
        missed=node.missed,
        crc_errors=node.crc_errors,
        states_missed=node.states_missed,
        round_trip_ms=round_trip(node.trips_us),
        lately=node.window.lately(now_us),
        stuck=ButtonsView(sun=health.sun_stuck, moon=health.moon_stuck),
        reported=node.health is not None,
    )


def grown(before: int, after: int) -> int:
    """How far a counter mod 256 has run on."""
    return (after - before) % 256


def _percentile(ordered: list[int], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] / 1000
