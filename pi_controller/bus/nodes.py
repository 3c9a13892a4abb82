"""What the master remembers of one node."""

from collections import deque
from dataclasses import dataclass, field

from pi_controller.bus.frame import Frame
from pi_controller.bus.messages import Health, Info
from pi_controller.bus.values import NodeState

KEPT_TRIPS = 100
"""Round trips of a node from which its percentiles are taken."""


@dataclass(slots=True, kw_only=True)
class Node:
    """One node of the segment, known by the chip's unique id; times in µs of CLOCK_BOOTTIME."""

    uid: str
    address: int
    info: Info
    state: NodeState = "good"
    board: str | None = None
    swapped: bool = False
    health: Health | None = None
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
