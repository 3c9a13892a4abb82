"""Topics and payloads of the broker (`docs/mqtt.md`). Each payload is one JSON object; the broker is a
stranger, and so is whoever publishes there."""

import asyncio
import json
import logging
import re
from collections import deque
from collections.abc import Callable
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct
from paho.mqtt.client import MQTTMessage

from pi_controller.defects import broken_off
from pi_controller.language.words import words
from pi_controller.links.lease import Identity, LeaseClaim, Version
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.picture import (
    HALL,
    Beat,
    BoardName,
    ClaimUplink,
    HallName,
    HealthView,
    Key,
    LinkRole,
    PauseUplink,
    Picture,
    PressUplink,
    Unread,
    WithdrawUplink,
)
from pi_controller.protocol.schema import DIALECT, portable
from pi_controller.protocol.sentences import SentenceView
from pi_controller.protocol.strict_json import decode, read_as
from pi_controller.protocol.tables import TablesSnapshot
from pi_controller.sentence import Sentence, as_told
from pi_controller.software import Software, known

LOG = logging.getLogger(__name__)

ROOT = "controller"
OF_HALLS = ("status", "health", "tables", "ask", "pause", "press", "claim", "withdraw")
"""What each hall writes, below its own name."""
OF_LEADERS = ("picture", "beat", "lease", "answer/+", "result/+")
"""What a hall writes besides that may lead; answers and results carry the name of the hall that has asked."""
RETAINED = ("status", "health", "picture")
"""What the broker keeps of a hall, until it is withdrawn."""
LARGEST = 1024 * 1024
"""Bytes of a payload that is read."""
TOLD_US = 60_000_000
"""For so long a payload is told that was not understood."""
MOST_HALLS = 1000
"""Of which a hall takes notice."""
MOST_UNREAD = 8
"""Topics that are told at a time."""

LIVES_US = 2_000_000
"""A core that has told something within this time lives: it does so once a second."""

Microseconds = Annotated[int, Meta(ge=0)]
"""Of CLOCK_BOOTTIME, in the computer that tells it."""


class Status(Struct, kw_only=True, frozen=True):
    """Of a hall, retained; when its links process is gone the broker itself tells that it is offline."""

    version: Version = 2
    state: Literal["online", "offline"]
    hall: HallName
    role: LinkRole
    leads: bool
    """Its picture is that of the halls."""
    term: Annotated[int, Meta(ge=0)]
    """A leader's own; a follower's: of the leader that it follows."""
    controller: Identity
    id: Identity
    """Of this run of its links process."""
    software: Software = msgspec.field(default_factory=known)
    boards: Annotated[list[BoardName], Meta(max_length=1000)] = []


class Have(Struct, kw_only=True, frozen=True):
    """How much of a file of the leader's second copy a follower has."""

    file: Annotated[str, Meta(max_length=200)]
    size: Annotated[int, Meta(ge=0)]


class ClockQuestion(Struct, kw_only=True, frozen=True):
    """From a follower: what time is it? And how much of the leader's second copy it has; None: keep it."""

    sent_us: Microseconds
    controller: Identity
    """Who asks: two halls may have been given one name."""
    to: Identity
    """The run of the leader's links process that is asked."""
    have: Annotated[list[Have], Meta(max_length=1000)] | None = None


class CopyPart(Struct, kw_only=True, frozen=True):
    """A part of a file of the leader's second copy. `whole`: it takes the place of what the follower had."""

    file: Annotated[str, Meta(max_length=200)]
    offset: Annotated[int, Meta(ge=0)]
    data: bytes
    """In JSON as base64."""
    whole: bool = False


class ClockAnswer(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """To `ClockQuestion`: when the leader had it, and when this went out."""

    sent_us: Microseconds
    received_us: Microseconds
    answered_us: Microseconds
    run: Identity
    """Of the leader's links process."""
    core_us: Microseconds | None = None
    """When the leader's core told something last."""
    parts: Annotated[list[CopyPart], Meta(max_length=8)] = []


class UplinkResult(Struct, kw_only=True, frozen=True, omit_defaults=True):
    """What the leader made of a pause, a press, a claim or a withdrawal."""

    key: Key
    run: Identity
    accepted: bool
    reasons: Annotated[list[SentenceView], Meta(max_length=16)] = []


PAYLOADS: dict[str, type[Struct]] = {
    "picture": Picture,
    "beat": Beat,
    "health": HealthView,
    "tables": TablesSnapshot,
    "status": Status,
    "lease": LeaseClaim,
    "ask": ClockQuestion,
    "answer": ClockAnswer,
    "pause": PauseUplink,
    "press": PressUplink,
    "claim": ClaimUplink,
    "withdraw": WithdrawUplink,
    "result": UplinkResult,
}
"""By the part of the topic behind the hall; the first four are those of `docs/api.md`."""

Payload = TypeVar("Payload", bound=Struct)
_TOPIC = re.compile(rf"{ROOT}/({HALL})/([a-z]+)(?:/{HALL})?\Z")


def schema_text() -> str:
    """docs/mqtt.schema.json: a reader of `controller/HALL/NAME` takes `#/$defs/NAME`."""
    found, components = msgspec.json.schema_components(PAYLOADS.values(), ref_template="#/$defs/{name}")
    document = {
        "$schema": DIALECT,
        "title": f"pi-controller: what halls publish at {ROOT}/{{hall}}/{{name}}, version 1",
        "$defs": portable(dict(zip(PAYLOADS, found, strict=True)) | components),
    }
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def topic(hall: str, name: str, to: str = "") -> str:
    return f"{ROOT}/{hall}/{name}/{to}" if to else f"{ROOT}/{hall}/{name}"


def hall_and_name(topic: str) -> tuple[str, str] | None:
    """Whose topic it is and what stands there; None for one that is not of this form."""
    found = _TOPIC.match(topic)
    return None if found is None else (found[1], found[2])


def read(payload: bytes, kind: type[Payload]) -> Payload:
    """Malformed for what is not of this kind, with what is wrong with it. A picture, for which a hall waits,
    is read into its type only: core looks at its numbers, texts and levels as at those of any request."""
    if len(payload) > LARGEST:
        raise Malformed(Sentence("request.too_long", most=LARGEST, length=len(payload)))
    found: Payload
    try:
        found = msgspec.json.decode(payload, type=kind) if kind is Picture else read_as(decode(payload), kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(as_told(str(error))) from error
    return found


class Reader:
    """Reads payloads, and counts those that are not what they should be, by topic."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._unread: deque[tuple[int, Unread]] = deque()

    def take(self, message: MQTTMessage) -> tuple[str, Struct | None] | None:
        """Whose topic it is, and what it says; None there: what was retained is withdrawn. None for what may
        not stand at its topic, or says something of now and was kept by the broker: it is counted."""
        of, payload = hall_and_name(message.topic), bytes(message.payload)
        kind = None if of is None else PAYLOADS.get(of[1])
        if of is None or kind is None:
            self.refuse(message.topic, Sentence("link.no_such_topic"))
            return None
        if message.retain and of[1] not in RETAINED:
            self.refuse(message.topic, Sentence("link.kept_by_the_broker"))
            return None
        if not payload and of[1] in RETAINED:
            return of[0], None
        try:
            said = read(payload, kind)
        except Malformed as error:
            self.refuse(message.topic, error.sentence)
            return None
        if getattr(said, "hall", of[0]) != of[0]:
            self.refuse(message.topic, Sentence("link.of_another_hall"))
            return None
        return of[0], said

    def refuse(self, topic: str, why: Sentence) -> None:
        """What came there is of no use."""
        shown = topic if hall_and_name(topic) is not None else f"{ROOT}/?"
        before = next((one for one in self._unread if one[1].topic == shown), None)
        if before is not None:
            self._unread.remove(before)
        elif len(self._unread) >= MOST_UNREAD:
            self._unread.popleft()
        count = 1 if before is None else before[1].count + 1
        self._unread.append((self._now_us(), Unread(topic=shown, count=count)))
        if count == 1:
            LOG.warning("what came at %s is left out: %s", shown, words(why))

    def broke(self, topic: str, error: Exception) -> None:
        """A mistake of this program, at what came there."""
        asyncio.get_running_loop().call_exception_handler({"message": topic, "exception": error})
        self.refuse(topic, broken_off(error))

    def unread(self) -> list[Unread]:
        """What was not understood lately."""
        while self._unread and self._now_us() - self._unread[0][0] >= TOLD_US:
            self._unread.popleft()
        return [one for _, one in self._unread]
