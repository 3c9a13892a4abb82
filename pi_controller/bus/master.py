"""The master of one segment: who speaks next, and what the answers mean. Bytes and times in, values out."""

from collections.abc import Callable
from typing import Final

from pi_controller.bus.broadcast import Broadcast
from pi_controller.bus.conversation import Conversation
from pi_controller.bus.discovery import Discovery, GivingWay
from pi_controller.bus.frame import (
    EVERYBODY,
    FIRST_NODE,
    LAST_NODE,
    MOST_NODES,
    OVERHEAD,
    UNASSIGNED,
    Frame,
    wire_us,
)
from pi_controller.bus.jobs import Jobs
from pi_controller.bus.messages import (
    PAUSE_SINCE,
    Assign,
    HealthMessage,
    IdentifyMessage,
    Info,
    Message,
    Order,
    Poll,
)
from pi_controller.bus.register import Register
from pi_controller.bus.requests import Asked, PendingOrder, PendingOrders, Rest, Send, Tune
from pi_controller.bus.snapshot import Node, node_snapshot, round_trip
from pi_controller.bus.values import (
    BusEvent,
    ClaimOutcome,
    IdentifyWhat,
    JobResult,
    OrderName,
    Place,
    SegmentChanged,
    SegmentJob,
    SegmentSnapshot,
    TableState,
)
from pi_controller.sentence import Sentence

JUDGE_US: Final = 100_000
"""How often the line as a whole is judged, and the longest rest."""
FORGOTTEN_US: Final = 30_000
"""From taking an address away, said twice, to asking who is there."""
OUTDATED_US: Final = 5_000_000
"""How often a node that cannot be polled is asked whether it is there."""
SWEEP_US: Final = 8_000
"""So long an address is listened on that probably nobody has."""
LATE_US: Final = 8_000
"""After the request a node that has not begun its answer must stay silent (PROTOCOL.md, timing)."""
LAST_SLOT_US: Final = 4_000
"""An answer in the last slot of a round may end so much later."""


class SegmentMaster:
    """Pure: it neither reads a clock nor waits. All times are µs of CLOCK_BOOTTIME and never run backwards.

    Whoever drives it calls `next` and does what it says, hands over what arrives with `received`, and calls
    `next` again after either, after a rest, and after `show`, `outcomes`, `identify`, `order`, `places` or
    `measure`.
    `epoch` is any number that the last run of the master did not have; `salt` any source of chance.
    """

    def __init__(self, *, name: str, epoch: int, salt: Callable[[], int], baud: int) -> None:
        self._name = name
        self._epoch = epoch & 0xFFFF
        self._baud = baud
        self._conversation = Conversation(name=name, baud=baud)
        self._broadcast = Broadcast(epoch=self._epoch, chance=salt)
        self._discovery = Discovery(salt=salt, baud=baud)
        self._register = Register(name=name, epoch=self._epoch, baud=baud)
        self._orders = PendingOrders()
        self._jobs = Jobs(
            name=name,
            conversation=self._conversation,
            known=lambda: list(self._register.nodes.values()),
            chance=salt,
            baud=baud,
        )
        self._giving_way = GivingWay(chance=salt, has_nodes=self._register.has_living)
        self._sweep = list(range(LAST_NODE, FIRST_NODE - 1, -1))
        self._judged_us = 0
        self._sentence: Sentence | None = None

    def show(self, state: TableState) -> None:
        """The newest state; it goes out at once, three times, when more than the running time has changed."""
        self._broadcast.show(state)
        self._register.needs(self._broadcast.version)
        self._register.speaks(self._broadcast.languages)

    def places(self, places: tuple[Place, ...]) -> None:
        """Where nodes belong, those of other segments too; a node whose place has changed is told."""
        for node in self._register.places(places):
            self._discovery.reassign(node.info)

    def outcomes(self, outcomes: tuple[ClaimOutcome, ...]) -> None:
        """What became of each side's newest claim, those of other segments too; a node for which that has
        changed is told at once."""
        self._register.outcomes(outcomes)

    def ask_again(self) -> None:
        """All claims that are not over come out of `events` once more."""
        self._register.tell_again()

    def identify(self, uid: str | None, *, what: IdentifyWhat, seconds: int, number: int) -> None:
        """A node, or with None all of the segment, show who they are; 0 to 255 seconds, a 16-bit number."""
        message = IdentifyMessage(what=what, seconds=seconds, number=number)
        self._orders.add(PendingOrder(message, uid=uid))

    def order(self, uid: str, what: OrderName, argument: int = 0) -> None:
        """An order to one node, said until it is answered, three times at most."""
        self._orders.add(PendingOrder(Order(what=what, argument=argument), uid=uid))

    def measure(self, job: SegmentJob) -> None:
        """A job that `jobs.check` has nothing against; it ends the one before."""
        self._jobs.add(job)

    def give_up(self, sentence: Sentence, now_us: int) -> None:
        """The port has gone: so have the jobs."""
        self._jobs.give_up(sentence, now_us)

    def taken_results(self) -> tuple[JobResult, ...]:
        """Of jobs that have ended, in the order in which they were given."""
        return self._jobs.taken_results()

    def next(self, now_us: int) -> Send | Rest | Tune:
        """What to do now."""
        if now_us - self._judged_us >= JUDGE_US:
            self._judge(now_us)
        self._jobs.turn(now_us)
        if (silent_us := self._giving_way.silent_until(now_us)) is not None:
            self._break_off(now_us)
            return Rest(min(silent_us, now_us + JUDGE_US))
        conversation = self._conversation
        free_us = conversation.line.free_at(now_us)
        if free_us > now_us:
            return Rest(max(free_us, self._idle_until(now_us)))
        if self._broadcast.urgent:
            return self._say_state(now_us, broke_in=self._break_off(now_us))
        if (asked := conversation.asked) is not None:
            if self._jobs.is_back(asked):
                conversation.broken_off()
            elif now_us < asked.until_us:
                return Rest(asked.until_us)
            else:
                conversation.overdue(now_us)
                self._expired(asked, now_us)
            self._jobs.turn(now_us)
        if (tune := self._jobs.tune()) is not None:
            self._register.collided(now_us)
            return tune
        state_us = self._state_due()
        if state_us is not None and state_us <= now_us:
            return self._say_state(now_us)
        return self._request(now_us) or self._rest(now_us)

    def received(self, data: bytes, now_us: int) -> tuple[BusEvent, ...]:
        """Bytes that arrived until now; what they, and the time, brought."""
        if data:
            foreign = self._conversation.echo.foreigners
            for asked, frame, message in self._conversation.hear(data, now_us):
                self._answered(asked, frame, message, now_us)
            for address in self._conversation.taken_late():
                self._register.late(address, now_us)
            if self._conversation.echo.foreigners != foreign:
                self._giving_way.foreign(now_us)
        return self.events(now_us)

    def events(self, now_us: int) -> tuple[BusEvent, ...]:
        """What has happened since the last call, also by time alone: nodes that fell silent, a held line."""
        if now_us - self._judged_us >= JUDGE_US:
            self._judge(now_us)
        return self._register.taken_events()

    def reopened(self, now_us: int) -> None:
        """The port is new, maybe the device too: half frames are forgotten, everybody is looked for."""
        self._break_off(now_us)
        self._conversation.reopened()
        self._giving_way.reopened()
        self._jobs.reopened()
        self._discovery.again(now_us)

    def snapshot(self, now_us: int) -> SegmentSnapshot:
        """What is known. Port and reopenings are not: "" and 0; the link is "open" or "wrong_device"."""
        talk = self._conversation
        nodes = sorted(self._register.nodes.values(), key=lambda node: node.address)
        return SegmentSnapshot(
            name=self._name,
            port="",
            link="wrong_device" if talk.guard.wrong_device else "open",
            sentence=self._sentence,
            baud=self._baud,
            good=talk.receiver.good,
            crc_errors=talk.receiver.damaged + talk.tally.cut - talk.tally.collided,
            missed=talk.tally.missed,
            echoes=talk.echo.echoes,
            collisions=talk.echo.collisions,
            reopened=0,
            busy=talk.busy.part(now_us),
            round_trip=round_trip(talk.tally.trips_us),
            lately=talk.window.lately(now_us),
            firmware=self._jobs.progress(),
            nodes=tuple(
                node_snapshot(node, self._name, now_us, wordless=self._register.is_wordless(node))
                for node in nodes
            ),
        )

    def _request(self, now_us: int) -> Send | None:
        """The most pressing request that is due."""
        register, discovery = self._register, self._discovery
        if self._listens_until(now_us) is not None:
            return None
        if self._jobs.quiet:
            return self._jobs.ask(now_us)
        if (beside_us := self._broadcast.beside_due_us()) is not None and beside_us <= now_us:
            return self._conversation.say(self._broadcast.beside(now_us), EVERYBODY, now_us)
        if register.restless:
            self._calm(now_us)
        if register.polling.hurried and (node := register.polling.next(now_us)):
            return self._poll(node, now_us)
        if (order := self._orders.next(now_us)) and (said := self._run(order, now_us)):
            return said
        if (pair := discovery.to_assign()) is not None:
            return self._assign(*pair, now_us)
        if self._sweep and (order := self._next_of_sweep()):
            return self._run(order, now_us)
        if discovery.round_at() <= now_us and not self._broadcast.repeating:
            return self._discover(now_us)
        node = register.polling.next(now_us)
        return self._jobs.ask(now_us) if node is None else self._poll(node, now_us)

    def _state_due(self) -> int | None:
        if self._jobs.silent and not self._broadcast.repeating:
            return None
        return self._broadcast.due_us()

    def _idle_until(self, now_us: int) -> int:
        """How long a free line would be of no use: whoever drives the master need not wake for it."""
        asked = self._conversation.asked
        if self._broadcast.urgent:
            return now_us
        return self._rest(now_us).until_us if asked is None else asked.until_us

    def _rest(self, now_us: int) -> Rest:
        moments = [self._state_due(), self._jobs.ready_at()]
        if (listens_us := self._listens_until(now_us)) is not None:
            moments = [self._state_due(), listens_us]
        elif not self._jobs.quiet:
            polled_us = self._register.polling.ready_at()
            beside_us = self._broadcast.beside_due_us()
            moments += [self._orders.ready_at(), self._discovery.round_at(), polled_us, beside_us]
        until_us = min((moment for moment in moments if moment is not None), default=now_us + JUDGE_US)
        return Rest(max(now_us + 1, min(until_us, now_us + JUDGE_US)))

    def _listens_until(self, now_us: int) -> int | None:
        return self._giving_way.listens_until(now_us) or self._conversation.line.gap_until(now_us)

    def _calm(self, now_us: int) -> None:
        """What the register found suspicious is looked into."""
        for node in self._register.taken_doubles():
            self._orders.add(PendingOrder(Order(what="forget"), address=node.address, left=2))
            self._discovery.again(now_us + FORGOTTEN_US)
        for node in self._register.taken_doubtful():
            self._discovery.reassign(node.info)

    def _say_state(self, now_us: int, *, broke_in: bool = False) -> Send:
        if self._broadcast.urgent:
            self._jobs.changed(now_us)
        talk = self._conversation
        short, disturbed = self._register.knows(PAUSE_SINCE), talk.echo.other_master(now_us)
        message = self._broadcast.say(now_us, short=short, broke_in=broke_in, disturbed=disturbed)
        return talk.say(message, EVERYBODY, now_us)

    def _poll(self, node: Node, now_us: int) -> Send:
        talk = self._conversation
        if node.request is None:
            claims = self._register.claims
            message = Poll(
                epoch=self._epoch, sun=claims.answer(node.uid, "sun"), moon=claims.answer(node.uid, "moon")
            )
            node.request = talk.request(message, node.address)
            return talk.ask(node.request, Asked(what="poll", node=node), now_us)
        return talk.ask(talk.repeat(node.request), Asked(what="poll", node=node), now_us)

    def _run(self, order: PendingOrder, now_us: int) -> Send | None:
        dst = self._destination(order)
        if dst is None:
            self._orders.done(order)
            return None
        talk = self._conversation
        if not order.expects_answer:
            return talk.say(order.message, dst, now_us)
        asked = Asked(what="order", order=order, wait_us=order.wait_us)
        return talk.ask(talk.request(order.message, dst), asked, now_us)

    def _next_of_sweep(self) -> PendingOrder | None:
        """Nodes keep an address that an earlier run of the master gave, or that they have not confirmed, and
        would not answer discovery."""
        taken = {node.address for node in self._register.nodes.values()}
        while self._sweep:
            address = self._sweep.pop()
            if address not in taken:
                return PendingOrder(Order(what="forget"), address=address, wait_us=SWEEP_US)
        return None

    def _destination(self, order: PendingOrder) -> int | None:
        if order.address is not None:
            return order.address
        if order.uid is None:
            return EVERYBODY
        node = self._register.nodes.get(order.uid)
        return None if node is None else node.address

    def _assign(self, info: Info, address: int, now_us: int) -> Send:
        place = self._register.place(info.uid)
        message = Assign(
            uid=info.uid,
            address=address,
            swap=place is not None and place.swapped,
            board="" if place is None else place.board,
            brightness=self._broadcast.brightness,
        )
        talk = self._conversation
        return talk.ask(talk.request(message, UNASSIGNED), Asked(what="assign", uid=info.uid), now_us)

    def _discover(self, now_us: int) -> Send:
        talk = self._conversation
        message, slots_us = self._discovery.begin()
        asked = Asked(what="discover", wait_us=slots_us + LAST_SLOT_US)
        return talk.ask(talk.request(message, UNASSIGNED), asked, now_us)

    def _answered(self, asked: Asked, frame: Frame, message: Message, now_us: int) -> None:
        if asked.what == "job":
            self._jobs.answered(asked, message, src=frame.src, now_us=now_us)
        elif (
            asked.node is not None and isinstance(message, HealthMessage) and frame.src == asked.node.address
        ):
            trip_us = now_us - asked.sent_us
            asked.node.trips_us.append(trip_us)
            if trip_us - wire_us(len(frame.payload) + OVERHEAD, self._baud) > LATE_US:
                asked.node.window.add("late", now_us)
            self._register.heard(asked.node, message, now_us)
        elif asked.order is not None and isinstance(message, HealthMessage):
            self._orders.done(asked.order)
        elif asked.what == "assign" and isinstance(message, Info) and self._confirms(asked, message, frame):
            self._discovery.assigned(message.uid)
            self._register.joined(message, frame.src, now_us)
            self._broadcast.heard_by(self._register.newest)
        elif asked.what == "discover" and isinstance(message, Info):
            self._found(message, now_us)
        else:
            self._expired(asked, now_us)

    def _confirms(self, asked: Asked, info: Info, frame: Frame) -> bool:
        return info.uid == asked.uid and frame.src == self._discovery.address(info.uid)

    def _found(self, info: Info, now_us: int) -> None:
        if self._register.found(info, now_us):
            self._discovery.move(info.uid)
        self._discovery.found(info)
        if self._discovery.address(info.uid) is None and (lost := self._register.longest_lost()) is not None:
            self._register.forget(lost)
            self._discovery.release(lost.uid)

    def _expired(self, asked: Asked, now_us: int) -> None:
        """The request brought no good answer."""
        if asked.what == "job":
            self._jobs.failed(asked)
        elif asked.what == "discover":
            if asked.garbled:
                self._discovery.garbled()
                self._register.collided(now_us)
            self._discovery.end(now_us)
            self._sweep = self._sweep or self._discovery.given_to_others(self._register.nodes)
        elif asked.node is not None:
            self._register.unanswered(asked.node, now_us, garbled=asked.garbled)
            if asked.node.state == "suspect":
                self._discovery.soon(now_us)
        elif asked.what == "assign" and not self._discovery.not_assigned(asked.uid):
            self._not_confirmed(asked.uid, now_us)

    def _not_confirmed(self, uid: str, now_us: int) -> None:
        """The node may have taken its address all the same; then it would never answer discovery again."""
        self._register.not_there(uid, now_us)
        self._sweep = self._discovery.given_to_others(self._register.nodes)

    def _break_off(self, now_us: int) -> bool:
        """Gives up what is asked; True when there was something."""
        asked = self._conversation.broken_off()
        if asked is None:
            return False
        if asked.what == "job":
            self._jobs.withdrawn(asked)
        elif asked.what == "discover":
            self._discovery.broken_off(now_us)
        elif asked.node is not None:
            self._register.polling.abandoned(asked.node)
        return True

    def _judge(self, now_us: int) -> None:
        self._judged_us = now_us
        for node in self._register.outdated():
            if now_us >= node.due_us:
                node.due_us = now_us + OUTDATED_US
                self._discovery.reassign(node.info)
        sentence = self._line_sentence(now_us)
        if sentence != self._sentence:
            self._sentence = sentence
            self._register.events.append(SegmentChanged(segment=self._name, sentence=sentence))

    def _line_sentence(self, now_us: int) -> Sentence | None:
        if self._giving_way.silent_until(now_us) is not None:
            return Sentence("bus.another_controller_drives", segment=self._name)
        if self._conversation.echo.other_master(now_us):
            return Sentence("bus.another_controller_speaks", segment=self._name)
        sentence = self._conversation.guard.sentence(now_us)
        if sentence is None and self._discovery.crowded:
            return Sentence("bus.too_many_tables", segment=self._name, most=MOST_NODES)
        return sentence
