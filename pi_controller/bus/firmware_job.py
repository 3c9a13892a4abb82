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
from pi_controller.bus.requests import TEST_ANSWER_US, Reply, Request, RunningJob
from pi_controller.bus.snapshot import Node
from pi_controller.bus.values import (
    FirmwareAsked,
    FirmwareEnd,
    FirmwareProgress,
    NodeUpdated,
    UpdateTrouble,
)

MOST_TRIES: Final = 20
"""A node that has never answered is offered it so often."""
RETRY_US: Final = 100_000
"""Who does not answer is asked again so much later: it may be writing."""
ABSENT_TRIES: Final = 5
"""The others wait no longer for one that has not answered so often,"""
SILENT_US: Final = 20_000_000
"""and so long after its last answer it is left out: unpacking, it answers seldom."""
BLOCK_GAP_US: Final = 1_500
"""From block to block the line is silent for so long: nodes need the time (PROTOCOL.md, timing)."""
WRITE_US: Final = 120_000
"""A node that has a part whole writes it, and hears nothing meanwhile: about so long."""
LOOK_US: Final = 500_000
"""From one look at a node that is to run on trial to the next."""
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
    heard_us: int | None = None
    """When it answered last."""
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
        for one in self._all:
            self._look(one, now_us)
        under_way = [one for one in self._all if one.end is None]
        if not under_way:
            self.quiet = False
            self.ends()
        elif self._out or self._blocks:
            return
        elif any(one.fetches for one in under_way):
            self.quiet = True
            self._plan()
        else:
            self.quiet = False
            for one in under_way:
                if one.stage == "whole":
                    one.stage, one.due_us = "trial", now_us

    def next(self, now_us: int) -> Request | None:
        if self._blocks:
            if now_us < self._begin_us:
                return None
            block = self._block(self._blocks.pop())
            return Request(message=block, dst=EVERYBODY, of=None, wait_us=BLOCK_GAP_US)
        one = min((one for one in self._all if one.to_be_asked), key=lambda one: one.due_us, default=None)
        if one is None or now_us < one.due_us:
            return None
        self._out = True
        message = self._message(one)
        one.due_us = now_us + RETRY_US
        if one.stage == "trial":
            one.tried_us = now_us if one.tried_us is None else one.tried_us
            one.polled = one.node.good
            one.node.away_until_us = one.tried_us + BACK_US
        return Request(message=message, dst=one.node.address, of=one, wait_us=TEST_ANSWER_US)

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
        one.heard, one.heard_us = False, answer.at_us
        own = said.offer == one.offer
        match said.state:
            case "trying":
                self._runs_on_trial(one, said.offer, answer.at_us)
            case "kept" if own:
                one.end = "updated"
            case "went_back" if own:
                one.end, one.node.doubtful = "went_back", True
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
        one.stage, one.part, one.due_us = "unpacking", self._parts, now_us + RETRY_US

    def _runs_on_trial(self, one: Receiving, offer: int, now_us: int) -> None:
        """With another offer it does so since before this job began: it is taken over when it runs what is
        wanted, and otherwise goes back soon."""
        if offer != one.offer and one.node.info.firmware != self._asked.firmware:
            one.end = "on_trial"
            return
        one.offer, one.stage = offer, "trial"
        one.tried_us = now_us if one.tried_us is None else one.tried_us
        if one.running is None:
            one.node.doubtful = True  # it has kept its address, and is to say again who it is
        if one.running is None or one.running[0] != one.node.info.boots:
            one.running = one.node.info.boots, one.node.good

    def _plan(self) -> None:
        """When all have said what they miss, the blocks that anybody misses of the earliest part are said."""
        there = [one for one in self._all if one.fetches and one.tries < ABSENT_TRIES]
        fetching = [one for one in there if one.stage == "fetching"]
        offered = any(one.stage == "offered" for one in there)
        if not fetching or offered or not all(one.heard for one in fetching):
            return
        self._part = min(one.part for one in fetching)
        wanting = [one for one in fetching if one.part == self._part]
        self._blocks = sorted(frozenset().union(*(one.missing for one in wanting)), reverse=True)
        for one in wanting:
            one.heard, one.due_us = False, 0

    def _unanswered(self, one: Receiving) -> None:
        one.tries += 1
        if one.stage == "offered" and one.tries >= MOST_TRIES:
            one.end = "lost"

    def _look(self, one: Receiving, now_us: int) -> None:
        """Whether it has been waited for long enough."""
        if one.end is None and one.tried_us is not None:
            late = now_us - one.tried_us >= (BACK_US if one.running is None else TRIAL_US)
        else:
            late = one.end is None and one.heard_us is not None and now_us - one.heard_us >= SILENT_US
            late = late and one.stage != "whole"
        if late:
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
