"""What phones in the hall get: a smaller picture and its beats, for a whole audience at once.

A phone's places are its own: however many there are, they take none of the feed's.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, Never

import msgspec
from msgspec import Struct

from pi_controller.game.claims import ClaimStatus
from pi_controller.game.room import Dice, Message, SeatView, TimerView, TurnView, WinnerView
from pi_controller.game.rule_sets import DecidedBy, RulesView
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import AskStaffPages
from pi_controller.protocol.picture import CaptionView, LinkRole, LinkState
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.software import Software, known
from pi_controller.vocabulary import PauseReason, Phase, Target
from pi_controller.web.http.addresses import PageAddress
from pi_controller.web.http.bodies import text_frame
from pi_controller.web.http.connections import count_apart, limit_input
from pi_controller.web.http.limits import Places
from pi_controller.web.http.tls import Validity
from pi_controller.web.live.broadcaster import Broadcaster, Listener
from pi_controller.web.live.core_link import CoreLink

MOST_PHONES = 1000
"""All of them may have one address, as long as no other one wants some: a whole audience sits behind one
router."""
MOST_KEYED = 600
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
        self._whole: bytes | None = None
        """The newest picture."""
        self._frame: bytes | None = None
        """What phones get of it, made for the first of them."""

    def _make_places(self) -> Places[Listener]:
        return Places(strangers=MOST_PHONES, per_address=MOST_PHONES, keyed=MOST_KEYED, end=Listener.end)

    def welcome(self, transport: asyncio.Transport) -> None:
        limit_input(transport)
        count_apart(transport)

    @property
    def has_picture(self) -> bool:
        return self._whole is not None

    def keep(self, picture: bytes | None) -> None:
        self._whole, self._frame = picture, None

    def beat(self, beat: bytes) -> None:
        self._begin_round(text_frame(beat))

    def _send_to_all(self) -> None:
        for listener in self._listeners:
            listener.behind = True
        self._begin_round(None)

    def _frame_for(self, _listener: Listener) -> bytes | None:
        return self._made()

    def _made(self) -> bytes | None:
        if self._frame is None and self._whole is not None:
            self._frame = text_frame(phone_picture(self._whole))
        return self._frame

    def _begin_round(self, beat: bytes | None) -> None:
        """Whoever is behind gets the newest picture, everybody else the beat."""
        self._beat = beat
        self._left = deque(self._listeners)
        if not self._going:
            self._portion()

    def _portion(self) -> None:
        left, beat = self._left, self._beat
        newest = self._made() if left else None
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


# Tells core where the staff's pages are, for the local display.


LOOK_S = 1.0
"""A cable that has just been plugged in shows on the display soon."""

LOG = logging.getLogger(__name__)


class StaffPages:
    """`fingerprint` of their certificate and its `validity`, empty and None where they are not encrypted."""

    def __init__(
        self,
        link: CoreLink,
        address: PageAddress,
        fingerprint: str,
        *,
        validity: Validity | None,
        wall_s: Callable[[], float],
    ) -> None:
        self._validity = validity
        self._wall_s = wall_s
        self._link = link
        self._address = address
        self._fingerprint = fingerprint
        self._told: tuple[str, str, Sentence | None] | None = None

    async def keep(self) -> Never:
        """Tell at each start of core, and when the address or the doubt of the certificate has changed, for
        ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Tell what has not been told; an address that only this machine knows helps nobody."""
        session, address = self._link.session, self._address.from_elsewhere()
        now = datetime.fromtimestamp(self._wall_s(), UTC)
        doubt = None if self._validity is None else self._validity.doubt(now)
        if not session or address is None or self._told == (session, address, doubt):
            return
        asked = AskStaffPages(
            address=address, fingerprint=self._fingerprint, doubt=None if doubt is None else view(doubt)
        )
        try:
            await self._link.client.ask(asked)
            self._told = session, address, doubt
        except (NoCore, CoreTrouble, Malformed) as problem:
            LOG.debug("The local display does not know the staff's address: %s", problem)
