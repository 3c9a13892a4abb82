"""What the tables' displays showed all along a game. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

from msgspec import Struct

from pi_controller.bus.broadcast import NEW_BESIDE_US, Broadcast
from pi_controller.bus.frame import EVERYBODY, MASTER
from pi_controller.bus.messages import NEWEST, STATUSES, Message, SayMessage, SeatMessage, to_frame
from pi_controller.bus.values import NodeClaimStatus, TableState
from pi_controller.core.tables.claims import (
    BEFORE_GAME,
    PREFIX,
    UNKNOWN_TIME,
    claim_of,
    refused_as,
    status_of,
)
from pi_controller.core.tables.state import table_state
from pi_controller.game import commands
from pi_controller.game.events import CommandApplied
from pi_controller.game.room import Room, room
from pi_controller.journal.record import Record, decode_event
from pi_controller.language.words import words
from pi_controller.protocol.picture import Picture
from pi_controller.replay.changes import ReplayedChange
from pi_controller.replay.pictures import Replay
from pi_controller.virtual_hall.table import HEIGHT, ROW, VirtualDisplay
from pi_controller.vocabulary import SIDES, Side
from table_node import messages as m
from table_node import scene
from table_node.care import Care
from table_node.claim import SAID_US, Claim
from table_node.countdown import Countdown
from table_node.face import Face, standing
from table_node.languages import Languages
from table_node.layout_parts import says
from table_node.said import PAGE_SECONDS, Said
from table_node.view import CONFIRMED, FOUNDING, NO_CLAIM, View

# What nodes were told of the claims made on them, at each change of a game. Pure.

Place = tuple[str, Side]
"""A board, and the side of it at which a player sits."""
BoardOf = Callable[[str], str]
"""The board at which the node with this unique id stood."""
NEVER = tuple(words(sentence) for sentence in (BEFORE_GAME, UNKNOWN_TIME))
"""Answers to what was not even put to the game, in English as every journal has them."""
WITHDRAWAL = "/withdraw"


@dataclass(frozen=True, slots=True)
class ToldClaim:
    """A node's newest claim, and what it is told of it."""

    key: str
    status: NodeClaimStatus


@dataclass(frozen=True, slots=True)
class _Heard:
    """The newest claim of a place; `record` is its id in the game, without one it was `refused`."""

    key: str
    record: str | None = None
    refused: NodeClaimStatus = "wait"


def told_at(changes: Sequence[ReplayedChange], board_of: BoardOf) -> Iterator[Mapping[Place, ToldClaim]]:
    """For each change what stands at the places where somebody has claimed. Where a claim was refused the
    journal does not say at which board: `board_of` does."""
    heard: dict[Place, _Heard] = {}
    for change in changes:
        for record in change.records:
            if record.kind == "answered" and _is_claim(record.data["key"]):
                place, newest = _heard(record, change, board_of)
                heard[place] = newest
        shown = _room(change) if heard else None
        yield (
            {}
            if shown is None
            else {place: ToldClaim(one.key, _status(one, shown)) for place, one in heard.items()}
        )


def _is_claim(key: str) -> bool:
    return key.startswith(PREFIX) and not key.endswith(WITHDRAWAL)


def _heard(answered: Record, change: ReplayedChange, board_of: BoardOf) -> tuple[Place, _Heard]:
    key, shown = answered.data["key"], _room(change)
    _, uid, _, name, *_ = key.split("/")
    index = next((place for place, side in enumerate(SIDES) if side == name), 0)
    if not answered.data["accepted"]:
        never = any(reason in NEVER for reason in answered.data["reasons"])
        return (board_of(uid), SIDES[index]), _Heard(key, refused=refused_as(shown, never=never))
    board = next(_claimed(change.records), board_of(uid))
    record = claim_of(shown, board, change.game.rules.seats[index])
    return (board, SIDES[index]), _Heard(key, None if record is None else record.id, "withdrawn")


def _room(change: ReplayedChange) -> Room:
    return room(change.game, change.time.game_ns(change.boot_ns))


def _claimed(records: Sequence[Record]) -> Iterator[str]:
    """The boards of the claims among these lines of one change."""
    for record in records:
        event = decode_event(record.kind, record.data)
        if isinstance(event, CommandApplied) and isinstance(event.action.command, commands.Claim):
            yield event.action.command.board or ""


def _status(heard: _Heard, shown: Room) -> NodeClaimStatus:
    if heard.record is None:
        return heard.refused
    return status_of(next((one for one in shown.claims if one.id == heard.record), None), shown)


# A node as far as its displays are concerned: the firmware's own modules for what is heard and shown, without
# cable, crystal and buttons. Moments are microseconds since the game's first line.


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
        self.update: Any = None
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


# Pictures of the tables' displays, drawn by the firmware: each half of one is kept once, and a board's name
# is kept beside the pictures in which it stands.


HALF_ROW = ROW // 2
NAMELESS = -1
LONGEST_FLUSH_US = 1_000_000


class ReplayedDisplay(NamedTuple):
    """A display's picture: its halves, and where in it the board's name stands: an index of
    `Pictures.names`."""

    left: int
    right: int
    names: int = NAMELESS


class Pictures:
    """`halves` are 64 × 64 pixels, a bit each in rows from the top, the leftmost first: left ones from column
    0, right ones from column 64. `names` has the boards' names for each way in which they are written: the
    halves by which the picture without a name then differs, bit by bit."""

    def __init__(self, boards: Sequence[str]) -> None:
        self.halves: list[bytes] = []
        self.names: list[dict[str, tuple[int, int]]] = []
        self._boards = boards
        self._known: dict[bytes, int] = {}
        self._drawn: dict[tuple[object, ...], ReplayedDisplay] = {}
        self._ways: dict[tuple[object, ...], int] = {}
        self._display = VirtualDisplay()
        self._face: Any = Face(self._display)
        self._look = 0

    def of(self, view: Any) -> ReplayedDisplay:
        """What stands on a display with this view of the firmware's, in which the board has no name."""
        key = (*standing(view), view.seconds, view.hold)
        if key not in self._drawn:
            left, right = halved(self._draw(view))
            self._drawn[key] = ReplayedDisplay(
                self._kept(left), self._kept(right), self._names_in(view, left, right)
            )
        return self._drawn[key]

    def _draw(self, view: Any) -> bytes:
        """Every step of it, until it is on the glass."""
        self._look += 1
        view.look = self._look
        while self._face.draw(view) is not True:
            pass
        self._display.flush(LONGEST_FLUSH_US)
        return self._display.rows()

    def _kept(self, half: bytes) -> int:
        place = self._known.setdefault(half, len(self.halves))
        if place == len(self.halves):
            self.halves.append(half)
        return place

    def _names_in(self, view: Any, left: bytes, right: bytes) -> int:
        """A name is written alike whatever else stands in that kind of picture."""
        if not _has_name(view) or not self._boards:
            return NAMELESS
        way = (view.kind, says(view), view.words)
        if way not in self._ways:
            self._ways[way] = len(self.names)
            self.names.append({board: self._name(view, board, left, right) for board in self._boards})
        return self._ways[way]

    def _name(self, view: Any, board: str, left: bytes, right: bytes) -> tuple[int, int]:
        view.board = board
        named_left, named_right = halved(self._draw(view))
        view.board = ""
        return self._kept(_differing(named_left, left)), self._kept(_differing(named_right, right))


def halved(rows: bytes) -> tuple[bytes, bytes]:
    """A display's rows as its left and its right half."""
    starts = range(0, HEIGHT * ROW, ROW)
    return (
        b"".join(rows[start : start + HALF_ROW] for start in starts),
        b"".join(rows[start + HALF_ROW : start + ROW] for start in starts),
    )


def _has_name(view: Any) -> bool:
    return view.kind == "ready" or (view.kind == "round" and view.phase == FOUNDING and not says(view))


def _differing(one: bytes, other: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(one, other, strict=True))


NS_PER_US = 1_000
US_PER_MS = 1_000
BRIGHTNESS = 255
AS_THE_OTHERS = -1
"""In place of halves: from here on a claimant's display shows what the others of its side show."""

ShownFrom = tuple[int, int, int, int]
"""Since when in ms, left half, right half, and the names in it: indices of `halves` and `names`, or -1."""


class PlaceShown(Struct, kw_only=True):
    """A display's pictures one after the other. Without a board: those of all places of this side, as far as
    none of their own is shown there."""

    board: str
    side: Side
    shown: list[ShownFrom]


class TablesShown(Struct, kw_only=True):
    """All tables' displays during a game; `halves` and `names` are those of `Pictures`. What only a node knew
    is left out: a hold that fills, frames on their way, a lost link, and how far its picture had wandered."""

    boards: list[str]
    halves: list[bytes]
    names: list[dict[str, tuple[int, int]]]
    places: list[PlaceShown]


def tables_of(replay: Replay, *, boards: Sequence[str] = (), board_of: BoardOf) -> TablesShown:
    """`boards` are the hall's, as far as somebody knows them; those of claims come behind them."""
    node = TableNode()
    told = list(told_at(replay.changes, board_of))
    claimed = (board for places in told for board, _ in places)
    known = list(dict.fromkeys([*boards, *claimed]))
    pictures = Pictures(known)
    shown: dict[Place, list[ShownFrom]] = {}
    for now_us, views in _looks(node, replay, told):
        for place in shown.keys() - views.keys():
            _add(shown[place], (now_us // US_PER_MS, AS_THE_OTHERS, AS_THE_OTHERS, NAMELESS))
        for place, view in views.items():
            _add(shown.setdefault(place, []), (now_us // US_PER_MS, *pictures.of(view)))
    places = [PlaceShown(board=board, side=side, shown=of) for (board, side), of in shown.items()]
    return TablesShown(boards=known, halves=pictures.halves, names=pictures.names, places=places)


def _looks(
    node: TableNode, replay: Replay, told: Sequence[Mapping[Place, ToldClaim]]
) -> Iterator[tuple[int, dict[Place, Any]]]:
    """What the node is to show, at every moment at which that may be something else."""
    moments = [(number, since_ns // NS_PER_US, picture) for number, since_ns, picture in replay.moments()]
    until = [*(since_us for _, since_us, _ in moments[1:]), 0]
    for (number, since_us, picture), until_us in zip(moments, until, strict=True):
        node.show(_state(picture, since_us, replay.languages), told[number], since_us)
        now_us = since_us
        while now_us < until_us or now_us == since_us:
            yield now_us, node.look(now_us)
            now_us = node.next_us(now_us)


def _state(picture: Picture, since_us: int, languages: tuple[str, ...]) -> Any:
    offset_us = since_us - picture.as_of_us
    return table_state(picture, offset_us=offset_us, brightness=BRIGHTNESS, languages=languages)


def _add(shown: list[ShownFrom], newest: ShownFrom) -> None:
    """Unless it is shown already; of two in one millisecond the later stays."""
    if shown and shown[-1][0] == newest[0]:
        shown.pop()
    if not shown or shown[-1][1:] != newest[1:]:
        shown.append(newest)
