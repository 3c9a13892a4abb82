"""New firmware for nodes of a segment: its image to all of them at once, then each tries it and keeps it.

A node that loses its power or is left alone at any moment comes back by itself, with the old or the new.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pi_controller.bus.frame import EVERYBODY
from pi_controller.bus.messages import (
    BLOCK_BYTES,
    BLOCKS_A_PART,
    UPDATE_SINCE,
    BlockMessage,
    OfferMessage,
    ProgressMessage,
    StepMessage,
)
from pi_controller.bus.requests import Reply, Request, RunningJob
from pi_controller.bus.snapshot import Node
from pi_controller.bus.values import (
    FirmwareAsked,
    FirmwareEnd,
    FirmwareProgress,
    NodeUpdated,
    UpdateTrouble,
)

MOST_TRIES: Final = 20
"""A node that does not answer is asked so often before it is left out,"""
RETRY_US: Final = 50_000
"""so far apart: longer together than a node takes to write a part."""
WRITE_US: Final = 120_000
"""A node that has a part whole writes it, and hears nothing meanwhile: about so long."""
UNPACK_US: Final = 250_000
"""From one look at a node that unpacks to the next."""
LOOK_US: Final = 500_000
"""So it is with one that runs on trial."""
GOOD_POLLS: Final = 20
"""Answers of one start after which a trial is kept."""
BACK_US: Final = 30_000_000
"""From the order to try until the node says that it runs on trial."""
TRIAL_US: Final = 55_000_000
"""And until it is told to keep it: after 60 s it goes back by itself."""
EVERY_BLOCK: Final = frozenset(range(BLOCKS_A_PART))
ENDS: Final[dict[UpdateTrouble, FirmwareEnd]] = {
    "no_maintenance": "stopped",
    "no_key": "no_key",
    "other_key": "other_key",
    "no_room": "no_room",
    "not_proved": "damaged",
    "not_unpacked": "damaged",
    "not_written": "not_written",
    "not_kept": "went_back",
    "not_started": "went_back",
}


@dataclass(slots=True, kw_only=True)
class Receiving:
    """A node that is to have the image."""

    node: Node
    offer: int
    stage: Literal["offered", "fetching", "unpacking", "whole", "trial"] = "offered"
    due_us: int = 0
    """It is not asked before."""
    tries: int = 0
    """Without an answer, in a row."""
    part: int = 0
    missing: frozenset[int] = EVERY_BLOCK
    """Blocks of `part`."""
    heard: bool = False
    """It has told what it misses since blocks were said last."""
    tried_us: int | None = None
    """When it was first told to try."""
    polled: int = -1
    """Its answers to polls when it was asked last in its trial."""
    running: tuple[int, int] | None = None
    """Which start of it runs on trial, and its answers to polls when it first said so."""
    end: FirmwareEnd | None = None

    @property
    def fetches(self) -> bool:
        return self.end is None and self.stage in ("offered", "fetching", "unpacking")

    @property
    def proven(self) -> bool:
        """It runs on trial, and well."""
        boots, polls = self.running or (None, 0)
        return boots == self.node.info.boots and self.node.good - polls >= GOOD_POLLS

    @property
    def to_be_asked(self) -> bool:
        if self.end is not None or self.stage == "whole":
            return False
        if self.stage != "trial":
            return not (self.stage == "fetching" and self.heard)
        again = self.running is None or self.running[0] != self.node.info.boots
        return self.proven or (again and self.node.good != self.polled)


class FirmwareTask(RunningJob):
    """Quiet while the image is on its way. Nodes whose protocol does not know of it are never asked."""

    quiet = True

    def __init__(self, nodes: Iterable[Node], asked: FirmwareAsked) -> None:
        super().__init__()
        self._asked = asked
        blocks = -(-len(asked.image) // BLOCK_BYTES)
        self._parts = -(-blocks // BLOCKS_A_PART)
        self._in_the_last = frozenset(range(blocks - (self._parts - 1) * BLOCKS_A_PART))
        self._all = [Receiving(node=node, offer=asked.offer) for node in nodes]
        self._part = 0
        self._blocks: list[int] = []
        """Of `_part`, still to be said, the first one last."""
        self._begin_us = 0
        """They begin then."""
        self._out = False
        """Somebody is asked."""
        for one in self._all:
            if one.node.info.proto_max < UPDATE_SINCE:
                one.end = "too_old"

    def turn(self, now_us: int) -> None:
        under_way = [one for one in self._all if one.end is None]
        if not under_way:
            self.quiet = False
            self.ends()
        elif self._out or self._blocks:
            return
        elif any(one.fetches for one in under_way):
            self._plan()
        elif self.quiet:
            self.quiet = False
            for one in under_way:
                one.stage, one.due_us = "trial", now_us
        else:
            for one in under_way:
                waited_us = now_us - (now_us if one.tried_us is None else one.tried_us)
                if waited_us >= (BACK_US if one.running is None else TRIAL_US):
                    one.end = "lost"

    def next(self, now_us: int) -> Request | None:
        if self._blocks:
            if now_us < self._begin_us:
                return None
            return Request(message=self._block(self._blocks.pop()), dst=EVERYBODY, of=None)
        one = min((one for one in self._all if one.to_be_asked), key=lambda one: one.due_us, default=None)
        if one is None or now_us < one.due_us:
            return None
        self._out = True
        message = self._message(one)
        one.due_us = now_us + RETRY_US
        if one.stage == "trial":
            one.tried_us = now_us if one.tried_us is None else one.tried_us
            one.polled = one.node.good
        return Request(message=message, dst=one.node.address, of=one)

    def ready_at(self) -> int | None:
        if self._out:
            return None
        if self._blocks:
            return self._begin_us
        return min((one.due_us for one in self._all if one.to_be_asked), default=None)

    def answered(self, request: Request, answer: Reply) -> None:
        one: Receiving = request.of
        said = answer.message
        if not isinstance(said, ProgressMessage) or answer.src != one.node.address:
            self.failed(request, garbled=True)
            return
        self._out = False
        one.heard = False
        own = said.offer == one.offer
        match said.state:
            case "trying":
                self._runs_on_trial(one, said.offer, answer.at_us)
            case "kept" if own:
                one.end = "updated"
            case "went_back" if own:
                one.end = "went_back"
            case "refused" if said.why != "no_maintenance" or one.stage != "offered":
                one.end = "stopped" if said.why is None else ENDS[said.why]
            case "fetching" | "unpacking" | "whole" if own:
                one.tries = 0
                self._fetches(one, said, answer.at_us)
            case _ if one.stage == "trial":
                one.end = "went_back"
            case _:
                one.stage = "offered"
                self._unanswered(one)

    def failed(self, request: Request, *, garbled: bool) -> None:  # noqa: ARG002 - asked again either way
        self._out = False
        self._unanswered(request.of)

    def withdrawn(self, request: Request) -> None:
        self._out = False
        request.of.due_us = 0

    def updated(self) -> tuple[NodeUpdated, ...]:
        return tuple(NodeUpdated(uid=one.node.uid, end=one.end or "stopped") for one in self._all)

    def progress(self) -> FirmwareProgress:
        return FirmwareProgress(
            part=min((one.part for one in self._all if one.fetches), default=self._parts),
            parts=self._parts,
            nodes=len(self._all),
            done=sum(one.end is not None for one in self._all),
        )

    def _fetches(self, one: Receiving, said: ProgressMessage, now_us: int) -> None:
        if said.state == "whole":
            if one.stage == "trial":
                one.due_us = now_us + LOOK_US
            else:
                one.stage = "whole"
            return
        one.stage, one.part, one.heard = "fetching", said.part, True
        one.missing = said.missing & self._blocks_of(said.part)
        if said.state == "fetching" and one.missing:
            return
        if said.state == "fetching" and said.part < self._parts - 1:
            one.part, one.missing = said.part + 1, self._blocks_of(said.part + 1)
            self._begin_us = now_us + WRITE_US
            return
        one.stage, one.part, one.due_us = "unpacking", self._parts, now_us + UNPACK_US

    def _runs_on_trial(self, one: Receiving, offer: int, now_us: int) -> None:
        """With another offer it does so since before this job began: it is taken over when it runs what is
        wanted, and otherwise goes back soon."""
        if offer != one.offer and one.node.info.firmware != self._asked.firmware:
            one.end = "on_trial"
            return
        one.offer, one.stage = offer, "trial"
        one.tried_us = now_us if one.tried_us is None else one.tried_us
        if one.running is None or one.running[0] != one.node.info.boots:
            one.running = one.node.info.boots, one.node.good

    def _plan(self) -> None:
        """When all have said what they miss, the blocks that anybody misses of the earliest part are said."""
        fetching = [one for one in self._all if one.end is None and one.stage == "fetching"]
        offered = any(one.end is None and one.stage == "offered" for one in self._all)
        if not fetching or offered or not all(one.heard for one in fetching):
            return
        self._part = min(one.part for one in fetching)
        wanting = [one for one in fetching if one.part == self._part]
        self._blocks = sorted(frozenset().union(*(one.missing for one in wanting)), reverse=True)
        for one in wanting:
            one.heard, one.due_us = False, 0

    def _unanswered(self, one: Receiving) -> None:
        one.tries += 1
        if one.fetches and one.tries >= MOST_TRIES:
            one.end = "lost"

    def _message(self, one: Receiving) -> OfferMessage | StepMessage:
        asked = self._asked
        if one.stage == "offered":
            return OfferMessage(
                offer=one.offer, size=len(asked.image), firmware=asked.firmware, key=asked.key
            )
        if one.stage == "trial":
            return StepMessage(offer=one.offer, what="keep" if one.proven else "try")
        return StepMessage(offer=one.offer, what="ask")

    def _blocks_of(self, part: int) -> frozenset[int]:
        return self._in_the_last if part >= self._parts - 1 else EVERY_BLOCK

    def _block(self, number: int) -> BlockMessage:
        begin = (self._part * BLOCKS_A_PART + number) * BLOCK_BYTES
        data = self._asked.image[begin : begin + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")
        return BlockMessage(offer=self._asked.offer, part=self._part, block=number, data=data)
