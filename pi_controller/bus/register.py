"""The nodes of one segment: who they are, what they reported last, what follows from it."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pi_controller.bus.discovery import SLOW_BAUD
from pi_controller.bus.frame import past
from pi_controller.bus.messages import LANGUAGES_SINCE, OLDEST, ClaimAnswer, ClaimReport, HealthMessage, Info
from pi_controller.bus.snapshot import MOVED_US, Node, grown
from pi_controller.bus.values import (
    NODES_LANGUAGE,
    BusEvent,
    ButtonHeard,
    ClaimHeard,
    ClaimOutcome,
    NodeChanged,
    NodeClaim,
    NodeClaimStatus,
    NodeState,
    Place,
    WithdrawalHeard,
)
from pi_controller.vocabulary import SIDES, Side

# Claims made on nodes: each is told once, answered at once, and said again only when asked for.
#
# What became of a claim is not remembered with it: it stands in the outcomes that were published last.


OVER: Final = frozenset({"rejected", "withdrawn", "confirmed", "wait"})
NO_ANSWER: Final = ClaimAnswer()
SAME_CONTACT_US: Final = 1_000_000
"""A claim that its node has dropped is another one when its first contact is later by more: a hold alone
takes 0.6 s, and nodes correct their time by less."""


@dataclass(slots=True)
class HeldClaim:
    """The newest claim of one side of one node."""

    claim: NodeClaim
    at_us: int
    taking_back: bool = False
    gone: bool = False
    """Its node has reported since that it has no claim."""

    def is_later(self, at_us: int) -> bool:
        """A contact of this moment is another claim, whatever its number: the node has dropped this one."""
        return self.gone and at_us > self.at_us + SAME_CONTACT_US


class NodeClaims:
    """The newest claim of each side of each node of one segment. A side has one claim at a time, and numbers
    come round: so (uid, boots, side, number) is compared with the side's newest claim only."""

    def __init__(self) -> None:
        self._standing: dict[tuple[str, Side], HeldClaim] = {}
        self._outcomes: dict[tuple[str, Side], ClaimOutcome] = {}

    def publish(self, outcomes: Iterable[ClaimOutcome]) -> list[str]:
        """What became of each side's newest claim, in place of what was published before; the nodes that have
        to be told something new."""
        before = self._outcomes
        self._outcomes = {(one.claim.uid, one.claim.side): one for one in outcomes}
        return [uid for uid, side in self._outcomes if before.get((uid, side)) != self._outcomes[uid, side]]

    def heard(self, claim: NodeClaim, at_us: int, board: str | None) -> ClaimHeard | None:
        """A node reports this claim; the event when it has not been told yet. A claim that is older than
        the side's known one is none: numbers begin anew at a restart of the node, moments do not."""
        known = self._standing.get((claim.uid, claim.side))
        if known is not None and known.claim == claim and not known.is_later(at_us):
            known.gone = False
            return None
        if known is not None and at_us <= known.at_us:
            return None
        standing = self._standing[claim.uid, claim.side] = HeldClaim(claim, at_us)
        if self._outcome(standing) is not None:
            return None
        return ClaimHeard(claim=claim, board=board, at_us=at_us)

    def holder(self, claim: NodeClaim, at_us: int) -> str | None:
        """The other node that has made a claim of this side, number and moment; None: there is none."""
        for (uid, side), standing in self._standing.items():
            same = (side, standing.claim.number, standing.at_us) == (claim.side, claim.number, at_us)
            if same and uid != claim.uid:
                return uid
        return None

    def gone(self, uid: str, side: Side) -> bool:
        """The node has no claim: what it had is over for it, as when a new game has begun or when it has
        started again. True when its next poll has something else to say."""
        standing = self._standing.get((uid, side))
        if standing is None or standing.gone:
            return False
        standing.gone = True
        return self._status(standing) in OVER

    def taking_back(self, claim: NodeClaim, board: str | None, *, asked: bool) -> WithdrawalHeard | None:
        """A node reports whether its player takes the claim back; the event when that is new."""
        standing = self._standing.get((claim.uid, claim.side))
        if standing is None or standing.claim != claim or standing.taking_back == asked:
            return None
        standing.taking_back = asked
        if not asked or self._status(standing) in OVER:
            return None
        return WithdrawalHeard(claim=claim, board=board)

    def answer(self, uid: str, side: Side) -> ClaimAnswer:
        """What the poll says of the side's newest claim; nothing of one that is over for its node too, lest
        another claim of the same number takes it for its own verdict."""
        standing = self._standing.get((uid, side))
        if standing is None:
            outcome = self._outcomes.get((uid, side))
            return NO_ANSWER if outcome is None else ClaimAnswer(outcome.claim.number, outcome.status)
        status = self._status(standing)
        return NO_ANSWER if standing.gone and status in OVER else ClaimAnswer(standing.claim.number, status)

    def told_again(self) -> list[tuple[NodeClaim, int, bool]]:
        """Claims that are not over: identity, time of first contact, whether it is being taken back."""
        return [
            (standing.claim, standing.at_us, standing.taking_back)
            for standing in self._standing.values()
            if self._status(standing) not in OVER and not standing.gone
        ]

    def _outcome(self, standing: HeldClaim) -> ClaimOutcome | None:
        """Nothing when the published one is of another claim, one whose number has come round included."""
        outcome = self._outcomes.get((standing.claim.uid, standing.claim.side))
        if outcome is None or outcome.claim != standing.claim:
            return None
        return None if standing.at_us > outcome.at_us + SAME_CONTACT_US else outcome

    def _status(self, standing: HeldClaim) -> NodeClaimStatus:
        outcome = self._outcome(standing)
        return "received" if outcome is None else outcome.status


# Who is asked when: one poll about every 13 ms, whatever the number of nodes, so that a pause waits as long
# at one table as in a large hall. Who does not answer is asked less and less often.


PERIOD_US: Final = 13_100
"""From poll to poll: 32 nodes are each asked 2.4 times a second. Longer than an unanswered poll (12 ms and
its own bytes), and no divisor of the 200 ms between two state frames."""
SLOW_PERIOD_US: Final = 14_500
"""The same at the fallback rate. There a poll takes so long that of eight segments one would nearly always be
busy, and a pause waits for the last of them. So polls are due at the multiples of this on the clock of the
computer, which all segments have in common: most of the time all lines are free."""
SUSPECT_MISSES: Final = 3
LOST_MISSES: Final = 10
SUSPECT_US: Final = 1_000_000
LOST_US: Final = 2_000_000
MOST_HURRIED: Final = 2
"""So often a node is asked at once between two of its turns: to acknowledge its claim and to tell what became
of it. A node that claims without end must not take the line from the others."""


class Polling:
    """The order in which nodes are asked. A node stands in it from `add` to `remove`."""

    def __init__(self, baud: int) -> None:
        self._on_beat = baud < SLOW_BAUD
        self._ring: deque[Node] = deque()
        self._slow: list[Node] = []
        self._again: deque[Node] = deque()
        self._urgent: deque[Node] = deque()
        self._slot_us = 0
        self._slow_last = False

    def add(self, node: Node) -> None:
        self.remove(node)
        node.misses = 0
        node.retrying = False
        self._ring.append(node)

    def remove(self, node: Node) -> None:
        for queue in (self._ring, self._slow, self._again, self._urgent):
            if node in queue:
                queue.remove(node)

    @property
    def hurried(self) -> bool:
        """Somebody has to be asked at once."""
        return bool(self._urgent)

    def hurry(self, node: Node) -> None:
        """Ask this node next, between two slots: there is something to acknowledge. When that has been done
        often enough, it waits for its turn."""
        if node.hurried < MOST_HURRIED and node not in self._urgent and self._has(node):
            node.hurried += 1
            self._urgent.append(node)

    def ready_at(self) -> int | None:
        """When the next poll is due; None: nobody is there to be asked."""
        if self._urgent:
            return 0
        if self._ring or self._again:
            return self._slot_us
        if self._slow:
            return max(self._slot_us, min(node.due_us for node in self._slow))
        return None

    def next(self, now_us: int) -> Node | None:
        """The node to ask now; None: not yet."""
        if self._urgent:
            return self._urgent.popleft()
        if now_us < self._slot_us:
            return None
        node = self._chosen(now_us)
        if node is not None:
            node.hurried = 0
            self._slot_us = self._slot_after(now_us)
        return node

    def _slot_after(self, now_us: int) -> int:
        if self._on_beat:
            return now_us - now_us % SLOW_PERIOD_US + SLOW_PERIOD_US
        on_time = now_us - self._slot_us < PERIOD_US
        return (self._slot_us if on_time else now_us) + PERIOD_US

    def _has(self, node: Node) -> bool:
        return node in self._ring or node in self._slow

    def _chosen(self, now_us: int) -> Node | None:
        if self._again:
            return self._again.popleft()
        if self._slow and not (self._slow_last and self._ring):
            for node in self._slow:
                if node.due_us <= now_us:
                    self._slow_last = True
                    return node
        self._slow_last = False
        if not self._ring:
            return None
        node = self._ring.popleft()
        self._ring.append(node)
        return node

    def answered(self, node: Node) -> NodeState | None:
        """The node is there; its new state when it was another."""
        node.misses = 0
        node.retrying = False
        if node.state == "good":
            return None
        node.state = "good"
        self.remove(node)
        self._ring.append(node)
        return "good"

    def abandoned(self, node: Node) -> None:
        """The poll was broken off for something urgent: no miss, it comes first in the next slot."""
        if node in self._ring:
            self._again.append(node)

    def unanswered(self, node: Node, now_us: int) -> NodeState | None:
        """Nothing good came; its new state when that has changed. A good node is asked once more at once."""
        node.missed += 1
        asked_often = node.state not in ("suspect", "lost")
        if asked_often and not node.retrying:
            node.retrying = True
            self._again.append(node)
            return None
        node.retrying = False
        node.misses += 1
        if asked_often and node.misses >= SUSPECT_MISSES:
            self.remove(node)
            self._slow.append(node)
            node.state = "suspect"
            node.due_us = now_us + SUSPECT_US
            return "suspect"
        if node.state == "suspect" and node.misses >= LOST_MISSES:
            node.state = "lost"
            node.due_us = now_us + LOST_US
            return "lost"
        node.due_us = now_us + (LOST_US if node.state == "lost" else SUSPECT_US)
        return None


DENIALS: Final = 3
"""So often a node may fail to confirm its address, each time after several tries: on a bad line many do."""
LATELY_US: Final = 700_000
MOST_GROWN: Final = 200
"""A counter mod 256 that has grown by more in so short a time has rather gone back."""
MOST_GARBLED: Final = 6
"""Damaged answers of one node without a good one between them: two nodes answer as one."""
CHECK_AGAIN_US: Final = 4_000_000
"""A node is suspected of having a double at most so often."""
MOST_REASSIGNED: Final = 3
"""So often within 20 s a node that is there may ask for its address; then it gets another one."""
STOLEN_US: Final = 3_000_000
"""So long after it has asked again its claims wait: somebody else may have answered in its place. Longer than
it takes to be found once more."""
MOST_ABSENT: Final = 2
"""Of the polls between two answers so many count as unanswered: a longer absence is told by the state."""
DOUBLE_US: Final = 5_000_000
"""So long after its address was taken away a second node that turns up counts as its double."""


class Register:
    """Keeps the nodes and turns their answers into events, which gather in `events`."""

    def __init__(self, *, name: str, epoch: int, baud: int) -> None:
        self.nodes: dict[str, Node] = {}
        self.polling = Polling(baud)
        self.claims = NodeClaims()
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
        node.doubtful = node.went_back = node.asking = False
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

    def heard(self, node: Node, health: HealthMessage, now_us: int) -> None:
        """The node's answer to a poll."""
        before = node.health
        node.good += 1
        node.garbled = 0
        node.window.add("answered", now_us)
        if node.absent:
            node.window.add("unanswered", now_us, min(node.absent, MOST_ABSENT))
            node.absent = 0
        if (state := self.polling.answered(node)) is not None:
            node.doubtful = True
            self._changed(node, state)
        if before is not None:
            self._count(node, before, health, now_us)
        node.heard_us = now_us
        node.health = health
        if node.doubtful:
            self._doubtful.append(node)
            self.restless = True
            return
        if node.asked_again_us is not None and now_us - node.asked_again_us < STOLEN_US:
            return
        self._pressed(node, health)
        self._reported(node, health, now_us, first=before is None)

    def unanswered(self, node: Node, now_us: int, *, garbled: bool) -> None:
        """The poll brought nothing good; `garbled`: it brought something damaged."""
        if now_us < node.away_until_us:
            return
        if (state := self.polling.unanswered(node, now_us)) is not None:
            self._changed(node, state)
        node.absent += 1
        if garbled:
            node.window.add("garbled", now_us)
            node.garbled += 1
            if node.garbled >= MOST_GARBLED:
                self._double(node, now_us)

    def late(self, address: int, now_us: int) -> None:
        """A whole frame came from there that nobody waits for any more."""
        for node in self.nodes.values():
            if node.address == address:
                node.window.add("late", now_us)

    def not_there(self, uid: str, now_us: int) -> None:
        """The node does not confirm its address. If somebody answers on it nevertheless, it is another."""
        node = self.nodes.get(uid)
        if node is not None and node.doubtful:
            node.denials += 1
            if node.denials >= DENIALS:
                self._double(node, now_us)

    def found(self, info: Info, now_us: int) -> bool:
        """A node without address has answered; if one was taken away just now, there were two on it. True
        when it has lost its address so often that it needs another one: somebody answers in its place."""
        for uid, at_us in self._checked_us.items():
            if now_us - at_us < DOUBLE_US and info.uid != uid and self._is_newcomer(info.uid, at_us):
                self.events.append(NodeChanged(segment=self._name, uid=info.uid, state="duplicate"))
                self._becomes(self.nodes[uid], "duplicate", new=False)
        node = self.nodes.get(info.uid)
        return node is not None and self._asks_again(node, info, now_us)

    def _asks_again(self, node: Node, info: Info, now_us: int) -> bool:
        if node.asking:
            return False
        node.asking = True
        forgotten, node.told_to_forget = node.told_to_forget, False
        if node.info.boots != info.boots:
            if now_us >= node.away_until_us:
                node.window.add("restarts", now_us)
            return False
        if forgotten or node.state == "lost":
            return False
        node.window.add("reassigned", now_us)
        node.asked_again_us = now_us
        if now_us < node.moved_us + MOVED_US or node.window.lately(now_us).reassigned < MOST_REASSIGNED:
            return False
        node.moved_us = now_us
        return True

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
        node.told_to_forget = True
        node.garbled = 0
        self._doubles.append(node)
        self.restless = True

    def _is_newcomer(self, uid: str, since_us: int) -> bool:
        known = self.nodes.get(uid)
        return known is None or (known.state == "lost" and known.heard_us < since_us)

    def _count(self, node: Node, before: HealthMessage, health: HealthMessage, now_us: int) -> None:
        lately = now_us - node.heard_us < LATELY_US
        errors = grown(before.crc_errors, health.crc_errors)
        missed = grown(before.missed, health.missed)
        if health.uptime < before.uptime or (lately and max(errors, missed) > MOST_GROWN):
            node.doubtful = node.went_back = True
            return
        if self._collided_us <= node.heard_us:
            node.crc_errors += errors
            if errors:
                node.window.add("damaged", now_us, errors)
        node.states_missed += missed

    def _pressed(self, node: Node, health: HealthMessage) -> None:
        buttons = (health.sun_button, health.moon_button)
        if buttons == node.buttons:
            return
        for side, before, now in zip(SIDES, node.buttons, buttons, strict=True):
            if now and not before:
                self.events.append(ButtonHeard(uid=node.uid, side=side))
        node.buttons = buttons

    def _reported(self, node: Node, health: HealthMessage, now_us: int, *, first: bool) -> None:
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
            if self._is_stolen(node, claim, at_us, now_us):
                return
            if (event := self.claims.heard(claim, at_us, node.board)) is not None:
                self.events.append(event)
                node.window.add("claims", now_us)
                self._answer_anew(node)
        if (withdrawal := self.claims.taking_back(claim, node.board, asked=asked)) is not None:
            self.events.append(withdrawal)

    def _is_stolen(self, node: Node, claim: NodeClaim, at_us: int, now_us: int) -> bool:
        """Another node has made this very claim: one of them may be answered for by the other. It waits until
        that would have shown."""
        holder = self.nodes.get(self.claims.holder(claim, at_us) or "")
        if holder is None:
            node.twin_us = None
            return False
        if node.twin_us is None:
            node.twin_us = now_us
        asked_again = any(one.window.lately(now_us).reassigned for one in (holder, node))
        return asked_again or now_us - node.twin_us < STOLEN_US

    def _answer_anew(self, node: Node) -> None:
        node.request = None
        self.polling.hurry(node)

    def _becomes(self, node: Node, state: NodeState, *, new: bool) -> None:
        if new or node.state != state:
            node.state = state
            self._changed(node, state)

    def _changed(self, node: Node, state: NodeState) -> None:
        self.events.append(NodeChanged(segment=self._name, uid=node.uid, state=state))
