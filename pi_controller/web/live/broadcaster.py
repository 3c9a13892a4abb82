"""One message to many sockets: framed once; nobody gets a backlog; who does not read is cut off. Phones get a
smaller picture."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

import msgspec
from aiohttp import WSMsgType, web
from msgspec import Raw, Struct

from pi_controller.game.claims import ClaimStatus
from pi_controller.game.room import Dice, Message, SeatView, TimerView, TurnView, WinnerView
from pi_controller.game.rule_sets import DecidedBy, RulesView
from pi_controller.protocol.changes import NewestPicture
from pi_controller.protocol.picture import CaptionView, LinkRole, LinkState
from pi_controller.protocol.question import CoreLine
from pi_controller.software import Software, known
from pi_controller.vocabulary import PauseReason, Phase, Target
from pi_controller.web.http.connections import (
    POLICY_VIOLATION,
    SERVICE_RESTART,
    TRY_AGAIN_LATER,
    closing_frame,
    count_apart,
    limit_input,
    new_socket,
    no_place,
    tell_flow,
    text_frame,
)
from pi_controller.web.http.limits import Places, TokenBucket
from pi_controller.web.http.routes import KEY

MOST_STRANGERS = 480
MOST_KEYED = 512
"""Places of this machine itself and of those who have shown a key: a full hall never shuts out its screens
or its director."""
MOST_PER_ADDRESS = 256
"""About half of the strangers' places: a whole audience may sit behind one address of a venue's router, and
yet one address alone never takes every place."""
STALLED_LIMIT_S = 5.0
"""So long nothing left for a listener: it is cut off."""
FRAMES_A_S = 4
FRAMES = 32
"""At once, of any kind, from a listener; how many bytes they may have the limiter of connections says."""
LONGEST_FROM_LISTENER = 4096


class Listener:
    """One socket of a feed. It gets nothing before it has begun; `behind`: the newest picture is due."""

    def __init__(
        self, socket: web.WebSocketResponse, transport: asyncio.Transport, edition: str = ""
    ) -> None:
        """`edition` of the feed, where it has several."""
        self.socket = socket
        self.transport = transport
        self.edition = edition
        self.ready = False
        """A message would leave at once: it has begun, nothing waits for it, and it is not being closed."""
        self.behind = True
        self.has_seen = 0
        """How far it has got, for a broadcaster that counts what it sends."""
        self.stalled_since_s: float | None = None
        """Since when something waits for it."""
        self._begun = False

    def begin(self) -> None:
        self._begun = True
        self._look()

    def flow(self, stalled_since_s: float | None) -> None:
        """Something waits for it since then; None: all has left."""
        self.stalled_since_s = stalled_since_s
        self._look()

    @property
    def open(self) -> bool:
        return self._begun and not self.socket.closed and not self.transport.is_closing()

    async def close(self, code: int, reason: bytes = b"") -> None:
        self.ready = False
        await self.socket.close(code=code, message=reason)

    def close_at_once(self, code: int) -> None:
        """Not waiting for the other end."""
        self.ready = False
        self.transport.write(closing_frame(code))
        self.transport.close()

    def end(self) -> None:
        """Its place is somebody else's now."""
        self.ready = False
        self.transport.abort()

    def _look(self) -> None:
        self.ready = self.stalled_since_s is None and self.open


class Broadcaster:
    """The listeners of one feed and the newest picture that each of them must have."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        self._boot_s = boot_s
        self._listeners: dict[Listener, None] = {}
        self._places = self._make_places()
        self._newest: bytes | None = None
        """The newest picture, framed."""
        self._joined: Callable[[], None] | None = None
        self.cut = 0
        """Listeners cut off since the start because they did not read."""

    def __len__(self) -> int:
        return len(self._listeners)

    @property
    def has_picture(self) -> bool:
        return self._newest is not None

    def frames(self) -> TokenBucket:
        """How many a listener may send."""
        return TokenBucket(per_s=FRAMES_A_S, at_once=FRAMES, boot_s=self._boot_s)

    def _make_places(self) -> Places[Listener]:
        return Places(
            strangers=MOST_STRANGERS, per_address=MOST_PER_ADDRESS, keyed=MOST_KEYED, end=Listener.end
        )

    def welcome(self, listener: Listener) -> None:
        """Its socket is open."""
        limit_input(listener.transport)
        tell_flow(listener.transport, partial(self._flow, listener))

    def when_joined(self, call: Callable[[], None]) -> None:
        """Called from now on with each listener that comes."""
        self._joined = call

    def join(self, listener: Listener, address: str, key: Hashable | None) -> None:
        """Raise a Refusal (503) when there is no place left for this address and key."""
        if not self._places.take(listener, address, key):
            raise no_place()
        self._listeners[listener] = None
        if self._joined is not None:
            self._joined()

    def leave(self, listener: Listener) -> None:
        del self._listeners[listener]
        self._places.give_back(listener)

    def keep(self, picture: bytes | None) -> None:
        """What a newcomer gets first: the same picture seen later, or None while nothing is known."""
        self._newest = None if picture is None else text_frame(picture)

    def publish(self, picture: bytes) -> None:
        """The newest picture, to everybody."""
        self.keep(picture)
        self._send_to_all()

    def begin(self, listener: Listener) -> None:
        """From now on it gets everything, beginning with the newest picture if there is one."""
        listener.begin()
        self.catch_up(listener)

    def catch_up(self, listener: Listener) -> None:
        """It gets the newest picture, as soon as it can."""
        listener.behind = True
        if listener.ready and self.has_picture:
            listener.behind = False
            frame = self._frame_for(listener)
            if frame is not None:
                listener.transport.write(frame)

    def sweep(self) -> None:
        """Cut off who has not read for too long; to be called about once a second."""
        too_long_s = self._boot_s() - STALLED_LIMIT_S
        for listener in self._listeners:
            if listener.stalled_since_s is not None and listener.stalled_since_s <= too_long_s:
                self.cut += 1
                listener.end()

    def dismiss(self) -> None:
        """Close the sockets that were shown something: it is not known any more, and no beat would tell."""
        if not self.has_picture:
            return
        self.keep(None)
        for listener in self._listeners:
            if listener.open:
                listener.close_at_once(SERVICE_RESTART)

    async def close(self) -> None:
        """Close all sockets, because the web side ends."""
        ended = [each.socket.close(code=1001, drain=False) for each in self._listeners if each.open]
        await asyncio.gather(*ended)

    def _send_to_all(self) -> None:
        for listener in self._listeners:
            self.catch_up(listener)

    def _frame_for(self, _listener: Listener) -> bytes | None:
        """What brings this listener up to date; None when it knows everything."""
        return self._newest

    def _flow(self, listener: Listener, takes_more: bool) -> None:  # noqa: FBT001 - of the connection
        listener.flow(None if takes_more else self._boot_s())
        if listener.ready and listener.behind:
            self.catch_up(listener)


Hear = Callable[[Listener, str], bool]
"""Takes a text of a listener; False: it says nothing that this feed understands."""


async def listen(
    request: web.Request,
    broadcaster: Broadcaster,
    *,
    edition: str = "",
    refresh: Callable[[], Awaitable[bool]] | None = None,
    hear: Hear = lambda _listener, _text: False,
    most: int = LONGEST_FROM_LISTENER,
) -> web.StreamResponse:
    """Serve one listener until it goes. `refresh` brings what carries a time up to date for the newcomer;
    texts of `most` bytes go to `hear`."""
    socket, transport = new_socket(request, most=most, autoclose=False)
    listener = Listener(socket, transport, edition)
    broadcaster.join(listener, request.remote or "", request[KEY])
    try:
        await socket.prepare(request)
        broadcaster.welcome(listener)
        if refresh is None or await refresh():
            broadcaster.begin(listener)
            await _until_gone(listener, broadcaster.frames(), hear)
        else:
            await socket.close(code=TRY_AGAIN_LATER)
    finally:
        broadcaster.leave(listener)
        _let_go(socket)
    return socket


def _let_go(socket: web.WebSocketResponse) -> None:
    """The library keeps what ended the socket, and its traceback leads back to the socket: such a ring stays
    in memory until the garbage collector finds it, which for thousands of them holds up everybody."""
    problem = socket.exception()
    while problem is not None:
        before = problem.__context__
        problem.__traceback__ = problem.__context__ = None
        problem = before


async def _until_gone(listener: Listener, frames: TokenBucket, hear: Hear) -> None:
    """Pings are answered while nothing waits; too many frames, and what nobody understands, end the
    connection."""
    async for message in listener.socket:
        if not frames.take(1):
            await listener.close(POLICY_VIOLATION, b"These are too many frames.")
        elif message.type is WSMsgType.PING:
            if listener.ready:
                await listener.socket.pong(message.data)
        elif message.type is WSMsgType.TEXT and hear(listener, message.data):
            continue
        elif message.type is not WSMsgType.PONG:
            await listener.close(POLICY_VIOLATION, b"This feed accepts nothing of the kind.")
    listener.ready = False
    await listener.socket.close()


# The picture's feeds: in several editions, of which each is encoded once for all who take it. They are
# written to in portions, so that nobody else waits for all of them.

PORTION = 100
"""Listeners that are written to in one turn of the loop, about 1 ms: a command waits no longer."""
ASK_PICTURE = '{"ask":"picture"}'
"""Said by a listener that lacks the picture on which a change rests."""


@dataclass(frozen=True, slots=True)
class Edition:
    """`whole` makes the message with a picture, `change` that with a line of core's and the fields in it
    which are new; empty: these listeners need not know. `asks`: they may ask for the whole picture."""

    whole: Callable[[NewestPicture], bytes]
    change: Callable[[NewestPicture, CoreLine, dict[str, Raw]], bytes]
    asks: bool = True


class PictureBroadcaster(Broadcaster):
    """Of core's picture, in these editions by their names."""

    def __init__(self, boot_s: Callable[[], float], editions: Mapping[str, Edition]) -> None:
        super().__init__(boot_s)
        self._editions = editions
        self._picture: NewestPicture | None = None
        self._wholes: dict[str, bytes] = {}
        """Frames of the newest picture, each made for the first who needs it."""
        self._left: deque[Listener] = deque()
        """Who has not been looked at in this round."""
        self._frames: dict[str, bytes] | None = None
        """What the round brings to those who have the picture before it; None: `_beat`."""
        self._beat = b""
        self._going = False

    @property
    def has_picture(self) -> bool:
        return self._picture is not None

    def renew(self, picture: NewestPicture | None) -> None:
        """What a newcomer gets first: the same picture seen later, or None while nothing is known."""
        self._picture = picture
        self._wholes = {}

    def tell(self, picture: NewestPicture, line: CoreLine, new: dict[str, Raw]) -> None:
        """Core has said this line, by which these fields of the picture are new."""
        self.renew(picture)
        wanted = {listener.edition for listener in self._listeners}
        frames = {name: self._change_frame(name, line, new) for name in wanted}
        if any(frames.values()):
            self._begin_round(frames)

    def takes(self, edition: str) -> bool:
        """Whether somebody takes this one."""
        return any(listener.edition == edition for listener in self._listeners)

    def tell_again(self, edition: str) -> None:
        """The same picture, to all who take this edition."""
        for listener in self._listeners:
            if listener.edition == edition:
                self.catch_up(listener)

    def beat(self, beat: bytes) -> None:
        """A sign of life, never kept for later."""
        self._beat = text_frame(beat)
        if not self._going:  # otherwise all hear something newer in this moment
            self._begin_round(None)

    def hear(self, listener: Listener, text: str) -> bool:
        """A listener asks for the whole picture."""
        if text != ASK_PICTURE or not self._editions[listener.edition].asks:
            return False
        self.catch_up(listener)
        return True

    def _change_frame(self, edition: str, line: CoreLine, new: dict[str, Raw]) -> bytes:
        if line.picture:
            return self._whole_frame(edition)
        picture = cast(NewestPicture, self._picture)
        message = self._editions[edition].change(picture, line, new)
        return text_frame(message) if message else b""

    def _whole_frame(self, edition: str) -> bytes:
        frame = self._wholes.get(edition)
        if frame is None:
            picture = cast(NewestPicture, self._picture)
            frame = self._wholes[edition] = text_frame(self._editions[edition].whole(picture))
        return frame

    def _frame_for(self, listener: Listener) -> bytes | None:
        return self._whole_frame(listener.edition)

    def _begin_round(self, frames: dict[str, bytes] | None) -> None:
        if self._frames is not None:
            for listener in self._left:  # they miss a change
                listener.behind = True
        self._frames = frames
        self._left = deque(self._listeners)
        if not self._going:
            self._portion()

    def _portion(self) -> None:
        left, frames, beat, known = self._left, self._frames, self._beat, self.has_picture
        for _ in range(min(PORTION, len(left))):
            listener = left.popleft()
            if not listener.ready:
                listener.behind = listener.behind or frames is not None
            elif listener.behind:
                if known:
                    self.catch_up(listener)
            elif frame := beat if frames is None else frames.get(listener.edition):
                listener.transport.write(frame)
        self._going = bool(left)
        if self._going:
            asyncio.get_running_loop().call_soon(self._portion)
        else:
            self._frames = None


def version_1(whole: Callable[[NewestPicture], bytes]) -> Edition:
    """Whole pictures at each change; what is only on the disk is none."""
    return Edition(
        whole=whole,
        change=lambda picture, _line, new: whole(picture) if "seq" in new else b"",
        asks=False,
    )


FEED: Mapping[str, Edition] = {
    "1": version_1(NewestPicture.encoded),
    "2": Edition(
        whole=lambda picture: b'{"picture":%b}' % picture.encoded(allowed=False),
        change=lambda _picture, line, _new: b'{"on":%d,"change":%b}' % (line.on, line.change),
    ),
    "desk": Edition(
        whole=lambda picture: b'{"picture":%b}' % picture.encoded(),
        change=lambda _picture, line, _new: b'{"on":%d,"change":%b}' % (line.on, _with_allowed(line)),
    ),
}
"""Of the feed: whole pictures; changes without what is allowed; changes with it, for those who may
command."""


def _with_allowed(line: CoreLine) -> bytes:
    """A change has at least one field besides."""
    return (
        b'%b,"allowed":%b}' % (bytes(line.change)[:-1], line.allowed) if line.allowed else bytes(line.change)
    )


# What phones in the hall get: a smaller picture and its beats, for a whole audience at once. A phone's places
# are its own: however many there are, they take none of the feed's.

MOST_PHONES = 1000
"""All of them may have one address, as long as no other one wants some: a whole audience sits behind one
router."""
PHONES_KEYED = 600
"""Phones that show the code of a seat have places of their own."""
MOST_CLAIMS = 6
"""Open ones in a phone's picture."""


STOOD_STILL = "health.stood_still_paused"


class PhoneClaim(Struct, kw_only=True):
    id: str
    board: str | None
    side: str | None
    status: ClaimStatus


class HealthKey(Struct):
    key: str


class PhoneHealth(Struct, kw_only=True):
    lost: bool = False
    items: list[HealthKey] = []
    """Only what tells why play is paused."""


class PhoneLink(Struct, kw_only=True):
    role: LinkRole
    state: LinkState
    heard_ms: int | None
    lost_ms: int | None
    frozen: bool
    stopped: bool


class PhonePicture(Struct, kw_only=True):
    """The fields of the picture that a phone shows, under their names; of the claims the open ones."""

    version: Literal[1]
    session: str
    seq: int
    as_of_ms: int
    rate: float
    phase: Phase
    paused: bool
    pause_reasons: list[PauseReason]
    running: bool
    resume_in_ms: int | None
    round: int
    side: str | None
    seats: list[SeatView]
    seat: int | None
    next_seat: int | None
    rehearsal: bool
    dice: Dice | None
    sum: int | None
    robber_target: Target | None
    duration_ms: int
    remaining_ms: int
    last_round: int | None
    claims: list[PhoneClaim]
    winners: list[WinnerView]
    decided_by: DecidedBy | None
    notices: list[str]
    message: Message | None
    timer: TimerView | None
    caption: CaptionView | None = None
    language: str
    rules: RulesView
    turn: TurnView | None
    health: PhoneHealth
    link: PhoneLink | None = None
    software: Software = msgspec.field(default_factory=known)
    """Of this process, which serves the page."""


PHONE_FIELDS = frozenset(PhonePicture.__struct_fields__)
_PARTS: Mapping[str, Any] = {"claims": list[PhoneClaim], "health": PhoneHealth, "link": PhoneLink | None}
"""Fields of which a phone shows a part."""


def phone_picture(picture: NewestPicture) -> bytes:
    """A phone's part of this picture."""
    shown = _shown_on_phones(picture.fields) | {"software": known()}
    return msgspec.json.encode(shown)


def _shown_on_phones(fields: Mapping[str, Raw]) -> dict[str, object]:
    """Of these fields of a picture those that phones show."""
    shown: dict[str, object] = {name: value for name, value in fields.items() if name in PHONE_FIELDS}
    for name in _PARTS.keys() & shown.keys():
        part: Any = msgspec.json.decode(fields[name], type=_PARTS[name])
        shown[name] = part
        if name == "claims":
            shown[name] = [claim for claim in part if claim.status == "open"][:MOST_CLAIMS]
        elif name == "health":
            part.items = [item for item in part.items if item.key == STOOD_STILL]
    return shown


def _phone_change(line: CoreLine, new: dict[str, Raw]) -> bytes:
    """What is only on the disk no phone shows."""
    shown = _shown_on_phones(new)
    return msgspec.json.encode({"on": line.on, "change": shown}) if shown else b""


PHONE: Mapping[str, Edition] = {
    "1": version_1(phone_picture),
    "2": Edition(
        whole=lambda picture: b'{"picture":%b}' % phone_picture(picture),
        change=lambda _picture, line, new: _phone_change(line, new),
    ),
}


class PhoneBroadcaster(PictureBroadcaster):
    """Its listeners have places of their own."""

    def _make_places(self) -> Places[Listener]:
        return Places(strangers=MOST_PHONES, per_address=MOST_PHONES, keyed=PHONES_KEYED, end=Listener.end)

    def welcome(self, listener: Listener) -> None:
        super().welcome(listener)
        count_apart(listener.transport)
