"""Topics and payloads of the broker (`docs/mqtt.md`). Each payload is one JSON object."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from pi_controller import __version__
from pi_controller.protocol.halls import BoardName, HallName, Key, LinkRole, Uplink
from pi_controller.protocol.picture import Beat, HealthView, Picture
from pi_controller.protocol.sentences import SentenceView
from pi_controller.protocol.tables import TablesSnapshot

ROOT = "controller"
OF_HALLS = ("status", "health", "tables", "ask", "pause", "press", "claim", "withdraw")
"""What each hall writes, below its own name."""
OF_LEADERS = ("picture", "beat", "lease", "answer/+", "result/+")
"""What a hall writes besides that may lead; answers and results carry the name of the hall that has asked."""
RETAINED = ("status", "health", "picture")
"""What the broker keeps of a hall, until it is withdrawn."""
VERSION: Literal[1] = 1
LARGEST = 1024 * 1024
"""Bytes of a payload that is read."""

LIVES_US = 2_000_000
"""A core that has told something within this time lives: it does so once a second."""

Microseconds = Annotated[int, Meta(ge=0)]
"""Of CLOCK_BOOTTIME, in the computer that tells it."""

RunId = Annotated[str, Meta(min_length=1, max_length=40)]


class Status(Struct, kw_only=True, frozen=True):
    """Of a hall, retained; when its links process is gone the broker itself tells that it is offline."""

    version: Literal[1] = VERSION
    state: Literal["online", "offline"]
    hall: HallName
    role: LinkRole
    term: Annotated[int, Meta(ge=0)]
    """A leader's own; a follower's: of the leader that it follows."""
    since_ms: Annotated[int, Meta(ge=0)]
    """When it began, in milliseconds since 1970 (UTC)."""
    id: RunId
    """Of this run of its links process."""
    software: Annotated[str, Meta(max_length=40)] = __version__
    boards: list[BoardName] = []


class Ask(Struct, kw_only=True, frozen=True):
    """From a follower: what time is it? And how much of the leader's second copy it has, as bytes by file."""

    sent_us: Microseconds
    have: dict[str, int] | None = None


class Part(Struct, kw_only=True, frozen=True):
    """A part of a file of the leader's second copy. `whole`: it takes the place of what the follower had."""

    file: Annotated[str, Meta(max_length=200)]
    offset: Annotated[int, Meta(ge=0)]
    data: bytes
    """In JSON as base64."""
    whole: bool = False


class Answer(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """To `Ask`: when the leader had it, and when this went out."""

    sent_us: Microseconds
    received_us: Microseconds
    answered_us: Microseconds
    hall: HallName
    term: Annotated[int, Meta(ge=0)]
    core_us: Microseconds | None = None
    """When the leader's core told something last."""
    parts: list[Part] = []


class Result(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What the leader made of a claim or a press."""

    key: Key
    accepted: bool
    reasons: list[SentenceView] = []


class Check(Struct, kw_only=True, frozen=True):
    """From a leader to itself: what was retained has all been read."""

    id: RunId
    """Of the run that sent it."""


PAYLOADS: dict[str, type[Struct]] = {
    "picture": Picture,
    "beat": Beat,
    "health": HealthView,
    "tables": TablesSnapshot,
    "status": Status,
    "ask": Ask,
    "answer": Answer,
    "claim": Uplink,
    "press": Uplink,
    "result": Result,
    "check": Check,
}
"""By the last part of the topic; the first four are those of `docs/api.md`."""


def topic(hall: str, name: str) -> str:
    return f"{ROOT}/{hall}/{name}"


def hall_of(name: str) -> str:
    """The hall of a topic of this kind."""
    return name.split("/")[1]


def read(payload: bytes, kind: type[msgspec.Struct]) -> msgspec.Struct | None:
    """None for what is not understood: anybody may publish there whom the broker lets."""
    try:
        return msgspec.json.decode(payload, type=kind) if len(payload) <= LARGEST else None
    except msgspec.DecodeError:
        return None
