"""The nodes of one segment: who they are, what they reported last, what follows from it."""

from collections.abc import Iterable
from typing import Final

from pi_controller.bus.claims import Claims
from pi_controller.bus.frame import past
from pi_controller.bus.messages import LANGUAGES_SINCE, OLDEST, ClaimReport, Health, Info
from pi_controller.bus.polling import Polling
from pi_controller.bus.snapshot import Node, grown
from pi_controller.bus.values import (
    NODES_LANGUAGE,
    BusEvent,
    ButtonHeard,
    ClaimHeard,
    ClaimOutcome,
    NodeChanged,
    NodeClaim,
    NodeState,
    Place,
    WithdrawalHeard,
)
from pi_controller.vocabulary import SIDES, Side

DENIALS: Final = 3
"""So often a node may fail to confirm its address, each time after several tries: on a bad line many do."""
LATELY_US: Final = 700_000
MOST_GROWN: Final = 200
"""A counter mod 256 that has grown by more in so short a time has rather gone back."""
MOST_GARBLED: Final = 6
"""Damaged answers of one node without a good one between them: two nodes answer as one."""
CHECK_AGAIN_US: Final = 4_000_000
"""A node is suspected of having a double at most so often."""
DOUBLE_US: Final = 5_000_000
"""So long after its address was taken away a second node that turns up counts as its double."""


class Register:
    """Keeps the nodes and turns their answers into events, which gather in `events`."""

    def __init__(self, *, name: str, epoch: int, baud: int) -> None:
        self.nodes: dict[str, Node] = {}
        self.polling = Polling(baud)
        self.claims = Claims()
        self.events: list[BusEvent] = []
        self.restless = False
        """`taken_doubles` or `taken_doubtful` has something."""
        self._doubles: list[Node] = []
        self._doubtful: list[Node] = []
        self._name = name
        self._epoch = epoch
        self._places: dict[str, Place] = {}
        self._checked_us: dict[str, int] = {}
        self._collided_us = 0
        self._needed = OLDEST
        self._languages: tuple[str, ...] = (NODES_LANGUAGE,)

    def taken_events(self) -> tuple[BusEvent, ...]:
        """What has happened since the last call."""
        if not self.events:
            return ()
        events = tuple(self.events)
        self.events.clear()
        return events

    def taken_doubles(self) -> list[Node]:
        """Nodes whose address has to be taken away, because two seem to have it; each is given once."""
        doubles, self._doubles, self.restless = self._doubles, [], bool(self._doubtful)
        return doubles

    def taken_doubtful(self) -> list[Node]:
        """Nodes that have to say again who they are."""
        doubtful, self._doubtful, self.restless = self._doubtful, [], bool(self._doubles)
        return doubtful

    def has_living(self) -> bool:
        """Whether any node answers polls."""
        return any(node.state in ("good", "suspect") for node in self.nodes.values())

    @property
    def newest(self) -> int:
        """The newest version that any node speaks."""
        return max((node.info.proto_max for node in self.nodes.values()), default=OLDEST)

    def knows(self, version: int) -> bool:
        """Whether there are nodes that may hear something, and all of them speak this version."""
        heard = [node for node in self.nodes.values() if node.state != "lost"]
        return bool(heard) and all(node.info.proto_max >= version for node in heard)

    def outdated(self) -> list[Node]:
        """Nodes that speak no common version and are not polled."""
        return [node for node in self.nodes.values() if node.state == "outdated"]

    def place(self, uid: str) -> Place | None:
        return self._places.get(uid)

    def places(self, places: Iterable[Place]) -> list[Node]:
        """Where nodes belong; the nodes that have to be told something new."""
        self._places = {place.uid: place for place in places}
        return [node for node in self.nodes.values() if self._settled_elsewhere(node)]

    def needs(self, version: int) -> None:
        """What is shown is said in this version: nodes that do not speak it are outdated meanwhile."""
        if version == self._needed:
            return
        self._needed = version
        for node in self.nodes.values():
            outdated = self._is_outdated(node.info)
            if outdated != (node.state == "outdated"):
                self._seat(node, outdated=outdated)
                self._becomes(node, "outdated" if outdated else "good", new=False)

    def speaks(self, languages: tuple[str, ...]) -> None:
        """The hall's languages; a node that lacks words goes on without them."""
        self._languages = languages

    def is_wordless(self, node: Node) -> bool:
        """Whether the node has no words for one of the hall's languages: it says so itself, or it is so old
        that it knows its own language only."""
        if self._languages == (NODES_LANGUAGE,):
            return False
        if node.info.proto_max < LANGUAGES_SINCE:
            return True
        return node.health is not None and node.health.wordless

    def joined(self, info: Info, address: int, now_us: int) -> None:
        """The node has confirmed its address and its place."""
        node = self.nodes.get(info.uid)
        new = node is None
        if node is None:
            node = self.nodes[info.uid] = Node(uid=info.uid, address=address, info=info)
        elif node.info.boots != info.boots:
            node.health = None
        elif node.went_back:
            self._double(node, now_us)
        node.doubtful = node.went_back = False
        node.denials = 0
        node.request = None
        node.info = info
        node.address = address
        node.heard_us = now_us
        node.garbled = 0
        place = self._places.get(info.uid)
        node.board = None if place is None else place.board
        node.swapped = place is not None and place.swapped
        self._seat(node, outdated=self._is_outdated(info))
        self._becomes(node, "outdated" if self._is_outdated(info) else "good", new=new)

    def heard(self, node: Node, health: Health, now_us: int) -> None:
        """The node's answer to a poll."""
        before = node.health
        node.good += 1
        node.garbled = 0
        if (state := self.polling.answered(node)) is not None:
            node.doubtful = True
            self._changed(node, state)
        if before is not None:
            self._count(node, before, health, lately=now_us - node.heard_us < LATELY_US)
        node.heard_us = now_us
        node.health = health
        if node.doubtful:
            self._doubtful.append(node)
            self.restless = True
            return
        self._pressed(node, health)
        self._reported(node, health, now_us, first=before is None)

    def unanswered(self, node: Node, now_us: int, *, garbled: bool) -> None:
        """The poll brought nothing good; `garbled`: it brought something damaged."""
        if (state := self.polling.unanswered(node, now_us)) is not None:
            self._changed(node, state)
        if garbled:
            node.garbled += 1
            if node.garbled >= MOST_GARBLED:
                self._double(node, now_us)

    def not_there(self, uid: str, now_us: int) -> None:
        """The node does not confirm its address. If somebody answers on it nevertheless, it is another."""
        node = self.nodes.get(uid)
        if node is not None and node.doubtful:
            node.denials += 1
            if node.denials >= DENIALS:
                self._double(node, now_us)

    def found(self, info: Info, now_us: int) -> None:
        """A node without address has answered; if one was taken away just now, there were two on it."""
        for uid, at_us in self._checked_us.items():
            if now_us - at_us < DOUBLE_US and info.uid != uid and self._is_newcomer(info.uid, at_us):
                self.events.append(NodeChanged(segment=self._name, uid=info.uid, state="duplicate"))
                self._becomes(self.nodes[uid], "duplicate", new=False)

    def collided(self, now_us: int) -> None:
        """Two nodes spoke in one slot, as they may: what others heard then says nothing of their cable."""
        self._collided_us = now_us

    def outcomes(self, outcomes: Iterable[ClaimOutcome]) -> None:
        """What became of all claims; a node that hears something new is asked at once: the poll tells it."""
        for uid in self.claims.publish(outcomes):
            if (node := self.nodes.get(uid)) is not None:
                self._answer_anew(node)

    def tell_again(self) -> None:
        """All claims that are not over become events once more."""
        for claim, at_us, taking_back in self.claims.told_again():
            node = self.nodes.get(claim.uid)
            board = None if node is None else node.board
            self.events.append(ClaimHeard(claim=claim, board=board, at_us=at_us))
            if taking_back:
                self.events.append(WithdrawalHeard(claim=claim, board=board))

    def forget(self, node: Node) -> None:
        """The node's address is given to another."""
        self.polling.remove(node)
        del self.nodes[node.uid]

    def longest_lost(self) -> Node | None:
        lost = (node for node in self.nodes.values() if node.state == "lost")
        return min(lost, key=lambda node: node.heard_us, default=None)

    def _is_outdated(self, info: Info) -> bool:
        """Requests go in the oldest version; the newer ones have only added to it."""
        return info.proto_min > OLDEST or info.proto_max < self._needed

    def _seat(self, node: Node, *, outdated: bool) -> None:
        if outdated:
            self.polling.remove(node)
            return
        self.polling.add(node)
        self.polling.hurry(node)

    def _settled_elsewhere(self, node: Node) -> bool:
        place = self._places.get(node.uid)
        if place is None:
            return node.board is not None
        return (place.board, place.swapped) != (node.board, node.swapped)

    def _double(self, node: Node, now_us: int) -> None:
        if now_us - self._checked_us.get(node.uid, -CHECK_AGAIN_US) < CHECK_AGAIN_US:
            return
        self._checked_us[node.uid] = now_us
        node.garbled = 0
        self._doubles.append(node)
        self.restless = True

    def _is_newcomer(self, uid: str, since_us: int) -> bool:
        known = self.nodes.get(uid)
        return known is None or (known.state == "lost" and known.heard_us < since_us)

    def _count(self, node: Node, before: Health, health: Health, *, lately: bool) -> None:
        errors = grown(before.crc_errors, health.crc_errors)
        missed = grown(before.missed, health.missed)
        if health.uptime < before.uptime or (lately and max(errors, missed) > MOST_GROWN):
            node.doubtful = node.went_back = True
            return
        if self._collided_us <= node.heard_us:
            node.crc_errors += errors
        node.states_missed += missed

    def _pressed(self, node: Node, health: Health) -> None:
        buttons = (health.sun_button, health.moon_button)
        if buttons == node.buttons:
            return
        for side, before, now in zip(SIDES, node.buttons, buttons, strict=True):
            if now and not before:
                self.events.append(ButtonHeard(uid=node.uid, side=side))
        node.buttons = buttons

    def _reported(self, node: Node, health: Health, now_us: int, *, first: bool) -> None:
        """Claims in another master's time wait until the node has changed over: their moment is unknown."""
        if health.epoch != self._epoch and (health.sun.number or health.moon.number):
            return
        if first or health.sun.number or health.moon.number or node.claiming:
            self._claimed(node, "sun", health.sun, now_us, asked=health.sun_withdraws)
            self._claimed(node, "moon", health.moon, now_us, asked=health.moon_withdraws)
            node.claiming = bool(health.sun.number or health.moon.number)

    def _claimed(self, node: Node, side: Side, report: ClaimReport, now_us: int, *, asked: bool) -> None:
        if not report.number:
            if self.claims.gone(node.uid, side):
                node.request = None
            return
        claim = NodeClaim(uid=node.uid, boots=node.info.boots, side=side, number=report.number)
        if report.at_us:
            at_us = past(report.at_us, now_us)
            if (event := self.claims.heard(claim, at_us, node.board)) is not None:
                self.events.append(event)
                self._answer_anew(node)
        if (withdrawal := self.claims.taking_back(claim, node.board, asked=asked)) is not None:
            self.events.append(withdrawal)

    def _answer_anew(self, node: Node) -> None:
        node.request = None
        self.polling.hurry(node)

    def _becomes(self, node: Node, state: NodeState, *, new: bool) -> None:
        if new or node.state != state:
            node.state = state
            self._changed(node, state)

    def _changed(self, node: Node, state: NodeState) -> None:
        self.events.append(NodeChanged(segment=self._name, uid=node.uid, state=state))
