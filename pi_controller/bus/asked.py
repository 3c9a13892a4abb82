"""What the master hands to the port, and the request it waits on."""

from dataclasses import dataclass
from typing import Literal

from pi_controller.bus.errands import ANSWER_US, Errand
from pi_controller.bus.frame import Frame
from pi_controller.bus.nodes import Node
from pi_controller.bus.task import Request, Task

What = Literal["poll", "assign", "order", "discover", "job"]


@dataclass(frozen=True, slots=True)
class Send:
    """Write these bytes now."""

    data: bytes
    expects_answer: bool


@dataclass(frozen=True, slots=True)
class Tune:
    """Let the port run at this rate from now on; nothing is on the line."""

    baud: int


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing to write before then, unless bytes arrive or there is something new to show or to do."""

    until_us: int


@dataclass(slots=True, kw_only=True)
class Asked:
    """A request on the line; `what` says which of the fields below it holds."""

    what: What
    node: Node | None = None
    uid: str = ""
    errand: Errand | None = None
    task: Task | None = None
    request: Request | None = None
    frame: Frame | None = None
    """What was said."""
    wait_us: int = ANSWER_US
    seq: int = 0
    sent_us: int = 0
    """When its last bit is on the wire."""
    until_us: int = 0
    garbled: bool = False
    """Something damaged came back."""
