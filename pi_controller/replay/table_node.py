"""A table node as far as its displays are concerned: the firmware's own modules for what is heard and shown,
without cable, crystal and buttons. Moments are microseconds since the game's first line."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pi_controller.bus.broadcast import NEW_BESIDE_US, Broadcast
from pi_controller.bus.frame import EVERYBODY, MASTER
from pi_controller.bus.messages import NEWEST, STATUSES, Message, SayMessage, SeatMessage, to_frame
from pi_controller.bus.values import TableState
from pi_controller.replay.node_claims import Place, ToldClaim
from pi_controller.vocabulary import SIDES
from table_node import messages as m
from table_node import scene
from table_node.care import Care
from table_node.claim import SAID_US, Claim
from table_node.countdown import Countdown
from table_node.languages import Languages
from table_node.said import PAGE_SECONDS, Said
from table_node.view import CONFIRMED, NO_CLAIM, View

EPOCH = 1
PAGE_US = PAGE_SECONDS * 1_000_000
NEVER_US = 1 << 62
OTHERS = ""
"""In place of a board: all places of a side at which nobody has claimed."""


class _Ticks:
    """What a claim asks its circuit board."""

    @staticmethod
    def ticks_diff(end: int, start: int) -> int:
        return end - start


class _Point:
    """A place's button, which nobody touches here, and its claim."""

    def __init__(self) -> None:
        self.claim = Claim(_Ticks, 0)
        self.fill = 0
        self.key = ""
        self.said_until_us = 0

    def tell(self, told: ToldClaim, now_us: int) -> None:
        """What the master says of the claim from now on."""
        if told.key != self.key:
            self.key = told.key
            self.claim.make(1, now_us)
        if self.claim.answered(self.claim.number, STATUSES.index(told.status), now_us):
            self.said_until_us = now_us + SAID_US


class TableNode:
    """Any of the hall's nodes: all hear the same, and differ in their claims and their boards' names, which
    are left out here. The picture stands where it has not wandered yet (`Care`)."""

    def __init__(self) -> None:
        self._broadcast = Broadcast(epoch=EPOCH, chance=lambda: 0)
        self._broadcast.heard_by(NEWEST)
        self._points = {(OTHERS, side): _Point() for side in SIDES}
        self._views: dict[Place, Any] = {place: View() for place in self._points}
        self._said_since_us = 0
        # What the firmware's `scene` asks of its node.
        self.state = m.State()
        self.seats = scene.Seats()
        self.said = Said()
        self.languages = Languages()
        self.countdown = Countdown()
        self.notice = scene.Notice()
        self.care = Care()
        self.board_name = ""
        self.outdated = False
        self.safe = SimpleNamespace(on=False)
        self.link = SimpleNamespace(alive=True)
        self.address = SimpleNamespace(number=0)
        self.vitals = SimpleNamespace(minutes=lambda: 0)

    def show(self, state: TableState, told: Mapping[Place, ToldClaim], now_us: int) -> None:
        """The hall's state from now on, and what is told of claims."""
        self._broadcast.show(state)
        text = self.said.text
        while (due_us := self._broadcast.beside_due_us()) is not None and due_us <= now_us + NEW_BESIDE_US:
            self._hear_beside(self._broadcast.beside(now_us))
        if self.said.text != text:
            self._said_since_us = now_us
        for place, one in told.items():
            self._points.setdefault(place, _Point()).tell(one, now_us)
            self._views.setdefault(place, View())

    def look(self, now_us: int) -> dict[Place, Any]:
        """The firmware's views at this moment: of `OTHERS` on both sides, and of the places at which more is
        shown."""
        self._hear_state(now_us)
        while self.said.text and (now_us - self._said_since_us) // PAGE_US > self.said.page:
            self.said.second()
        for point in self._points.values():
            point.claim.watch(now_us)
        shown = {
            place: view
            for place, view in self._views.items()
            if place[0] == OTHERS or self._points[place].claim.shown != NO_CLAIM
        }
        views = list(shown.values())
        for place, view in shown.items():
            scene.take_state(view, self.state)
            scene.take_node(view, self)
            scene.take_claim(view, self._points[place], SIDES.index(place[1]))
        scene.take_words(views, self.state, self.languages)
        scene.take_seats(views, self.state, self.seats)
        scene.take_time(views, self, now_us)
        return shown

    def next_us(self, now_us: int) -> int:
        """After the newest `look`: when something else may be shown, if nothing happens before."""
        moments = [NEVER_US]
        if self.state.flags & (m.RUNNING | m.COUNTING_IN):
            moments.append(now_us + self.countdown.to_flip(now_us))
        if self.said.text:
            moments.append(self._said_since_us + PAGE_US * (self.said.page + 1))
        moments += [point.said_until_us for point in self._points.values() if _passes(point.claim)]
        return max(now_us + 1, min(moments))

    def _hear_state(self, now_us: int) -> None:
        self.state.read(_payload(self._broadcast.message(now_us)))
        flags = self.state.flags
        running, counting_in = bool(flags & m.RUNNING), bool(flags & m.COUNTING_IN)
        self.countdown.take(self.state, running=running, counting_in=counting_in)

    def _hear_beside(self, message: Message) -> None:
        frame: Any = to_frame(message, dst=EVERYBODY, src=MASTER, seq=0)
        heard = SimpleNamespace(version=frame.version, size=len(frame.payload), payload=frame.payload)
        match message:
            case SeatMessage():
                self.seats.hear(heard, EPOCH)
            case SayMessage():
                self.said.hear(heard, EPOCH)
            case _:
                self.languages.hear(heard, EPOCH)
                while self.languages.unread:
                    self.languages.load()


def _payload(message: Message) -> bytes:
    return to_frame(message, dst=EVERYBODY, src=MASTER, seq=0).payload


def _passes(claim: Any) -> bool:
    """Whether its end is shown, which lasts for a while only."""
    return not (claim.shown in (NO_CLAIM, CONFIRMED) or claim.stands())
