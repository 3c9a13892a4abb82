"""One message to many sockets: framed once; nobody gets a backlog; who does not read is cut off. Phones get a
smaller picture."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Literal

import msgspec
from aiohttp import WSMsgType, web
from msgspec import Struct

from pi_controller.game.claims import ClaimStatus
from pi_controller.game.room import Dice, Message, SeatView, TimerView, TurnView, WinnerView
from pi_controller.game.rule_sets import DecidedBy, RulesView
from pi_controller.protocol.picture import CaptionView, LinkRole, LinkState
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
BACKLOG_LIMIT = 64 * 1024
"""Bytes that may wait for one listener; reached only by one that does not read."""
STALLED_LIMIT_S = 5.0
"""So long nothing left for a listener: it is cut off."""
FRAMES_A_S = 4
FRAMES = 32
"""At once, of any kind, from a listener; how many bytes they may have the limiter of connections says."""
LONGEST_FROM_LISTENER = 4096


class Listener:
    """One socket. It gets nothing before it has `begun`; `behind` means that the newest picture is due."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport) -> None:
        self.socket = socket
        self.transport = transport
        self.begun = False
        self.behind = True
        self.has_seen = 0
        """How far it has got, for a broadcaster that counts what it sends."""
        self.stalled_since_s: float | None = None

    @property
    def open(self) -> bool:
        return self.begun and not self.socket.closed and not self.transport.is_closing()

    def end(self) -> None:
        """Its place is somebody else's now."""
        self.transport.abort()

    @property
    def backlog(self) -> int:
        """Bytes that the machine has not been able to hand to the network."""
        return self.transport.get_write_buffer_size()


class Broadcaster:
    """The listeners of one feed and the newest picture that each of them must have."""

    def __init__(self, boot_s: Callable[[], float], *, backlog_limit: int = BACKLOG_LIMIT) -> None:
        """`backlog_limit` must hold at least one of its messages."""
        self._boot_s = boot_s
        self._backlog_limit = backlog_limit
        self._listeners: dict[Listener, None] = {}
        self._places = self._make_places()
        self._newest: bytes | None = None
        """The newest picture."""
        self._frame: bytes | None = None
        """What listeners get of it, made for the first of them."""
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

    def welcome(self, transport: asyncio.Transport) -> None:
        """The socket of a listener is open."""
        limit_input(transport)

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
        self._newest, self._frame = picture, None

    def publish(self, picture: bytes) -> None:
        """The newest picture, to everybody."""
        self.keep(picture)
        self._send_to_all()

    def begin(self, listener: Listener) -> None:
        """From now on it gets everything, beginning with the newest picture if there is one."""
        listener.begun = True
        self._catch_up(listener)

    def beat(self, beat: bytes) -> None:
        """A sign of life, never kept for later; who is behind gets the newest picture before it."""
        frame = text_frame(beat)
        for listener in self._listeners:
            if listener.behind:
                self._catch_up(listener)
            if not listener.behind and self._ready(listener):
                listener.transport.write(frame)

    def sweep(self) -> None:
        """Send to those whose picture could not be sent; cut off who has not read for too long; to be called
        about once a second."""
        for listener in self._listeners:
            if self._ready(listener) and listener.behind:
                self._catch_up(listener)

    def dismiss(self) -> None:
        """Close the sockets that were shown something: it is not known any more, and no beat would tell."""
        if not self.has_picture:
            return
        self.keep(None)
        for listener in self._listeners:
            if listener.open:
                listener.transport.write(closing_frame(SERVICE_RESTART))
                listener.transport.close()

    async def close(self) -> None:
        """Close all sockets, because the web side ends."""
        ended = [each.socket.close(code=1001, drain=False) for each in self._listeners if each.open]
        await asyncio.gather(*ended)

    def _send_to_all(self) -> None:
        there_is_one = self.has_picture
        for listener in self._listeners:
            listener.behind = True
            if there_is_one and self._ready(listener):
                self._bring_up_to_date(listener)

    def _catch_up(self, listener: Listener) -> None:
        if self.has_picture and self._ready(listener):
            self._bring_up_to_date(listener)

    def _bring_up_to_date(self, listener: Listener) -> None:
        frame = self._frame_for(listener)
        listener.behind = False
        if frame is not None:
            listener.transport.write(frame)

    def _frame_for(self, _listener: Listener) -> bytes | None:
        """What brings this listener up to date; None when it knows everything."""
        if self._frame is None and self._newest is not None:
            self._frame = text_frame(self._shown(self._newest))
        return self._frame

    def _shown(self, picture: bytes) -> bytes:
        """What listeners are shown of a picture."""
        return picture

    def _ready(self, listener: Listener) -> bool:
        """Whether a message would leave at once. Asked a thousand times for each change: no more calls than
        needed."""
        transport = listener.transport
        if not listener.begun or listener.socket.closed or transport.is_closing():
            return False
        backlog = transport.get_write_buffer_size()
        if backlog:
            self._cut_if_stalled(listener, backlog)
            return False
        listener.stalled_since_s = None
        return True

    def _cut_if_stalled(self, listener: Listener, backlog: int) -> None:
        now_s = self._boot_s()
        if listener.stalled_since_s is None:
            listener.stalled_since_s = now_s
        if now_s - listener.stalled_since_s >= STALLED_LIMIT_S or backlog > self._backlog_limit:
            self.cut += 1
            listener.transport.abort()


async def listen(
    request: web.Request, broadcaster: Broadcaster, *, refresh: Callable[[], Awaitable[bool]] | None = None
) -> web.StreamResponse:
    """Serve one listener until it goes. `refresh` brings what carries a time up to date for the newcomer."""
    socket, transport = new_socket(request, most=LONGEST_FROM_LISTENER)
    listener = Listener(socket, transport)
    broadcaster.join(listener, request.remote or "", request[KEY])
    try:
        await socket.prepare(request)
        broadcaster.welcome(transport)
        if refresh is None or await refresh():
            broadcaster.begin(listener)
            await _until_gone(listener, broadcaster.frames())
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


async def _until_gone(listener: Listener, frames: TokenBucket) -> None:
    """Pings are answered while nothing waits; too many of them and anything else end the connection."""
    async for message in listener.socket:
        if not frames.take(1):
            await listener.socket.close(code=POLICY_VIOLATION, message=b"These are too many pings.")
        elif message.type is WSMsgType.PING:
            if listener.open and listener.backlog == 0:
                await listener.socket.pong(message.data)
        elif message.type is not WSMsgType.PONG:
            await listener.socket.close(code=POLICY_VIOLATION, message=b"This feed accepts nothing.")


# What phones in the hall get: a smaller picture and its beats, for a whole audience at once. A phone's places
# are its own: however many there are, they take none of the feed's.

MOST_PHONES = 1000
"""All of them may have one address, as long as no other one wants some: a whole audience sits behind one
router."""
PHONES_KEYED = 600
"""Phones that show the code of a seat have places of their own."""
PORTION = 100
"""Phones that are written to in one turn of the loop, about 1 ms: a command waits no longer."""
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


def phone_picture(picture: bytes) -> bytes:
    """A phone's part of this picture."""
    view = msgspec.json.decode(picture, type=PhonePicture)
    view.claims = [claim for claim in view.claims if claim.status == "open"][:MOST_CLAIMS]
    view.health.items = [item for item in view.health.items if item.key == STOOD_STILL]
    return msgspec.json.encode(view)


class PhoneBroadcaster(Broadcaster):
    """Writes to its listeners in portions, so that nobody else waits for all of them."""

    def __init__(self, boot_s: Callable[[], float]) -> None:
        super().__init__(boot_s)
        self._left: deque[Listener] = deque()
        """Who has not been looked at in this round."""
        self._beat: bytes | None = None
        """What the round brings to those who have the newest picture."""
        self._going = False

    def _make_places(self) -> Places[Listener]:
        return Places(strangers=MOST_PHONES, per_address=MOST_PHONES, keyed=PHONES_KEYED, end=Listener.end)

    def welcome(self, transport: asyncio.Transport) -> None:
        limit_input(transport)
        count_apart(transport)

    def beat(self, beat: bytes) -> None:
        self._begin_round(text_frame(beat))

    def _send_to_all(self) -> None:
        for listener in self._listeners:
            listener.behind = True
        self._begin_round(None)

    def _shown(self, picture: bytes) -> bytes:
        return phone_picture(picture)

    def _begin_round(self, beat: bytes | None) -> None:
        """Whoever is behind gets the newest picture, everybody else the beat."""
        self._beat = beat
        self._left = deque(self._listeners)
        if not self._going:
            self._portion()

    def _portion(self) -> None:
        left, beat = self._left, self._beat
        newest = self._frame_for(left[0]) if left else None
        for _ in range(min(PORTION, len(left))):
            listener = left.popleft()
            if not self._ready(listener):
                continue
            if not listener.behind:
                if beat is not None:
                    listener.transport.write(beat)
            elif newest is not None:
                listener.behind = False
                listener.transport.write(newest)
        self._going = bool(left)
        if self._going:
            asyncio.get_running_loop().call_soon(self._portion)
