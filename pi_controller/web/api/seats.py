"""Phones with a seat code: one device a seat, its clock measured against ours, its claims handed on to core.

What a device sends is limited before core sees any of it, and the round trips to it are measured from here.
Whether a claim counts, and from when, core decides.
"""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated

import msgspec
from aiohttp import WSMsgType, web
from msgspec import Meta, Struct

from pi_controller.defects import awaited_value_of
from pi_controller.game.claims import ClaimStatus
from pi_controller.hal.system.file_thread import DiskSlow, FileThread
from pi_controller.language.words import words
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed, NoCore
from pi_controller.protocol.messages import AskSeatClaim, AskSeatTaken
from pi_controller.protocol.sentences import view
from pi_controller.protocol.strict_json import decode, read_as
from pi_controller.roster.seat_codes import LONGEST_CODE, SeatAt, SeatCodes, WrongCode
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import Clocks
from pi_controller.web.http.connections import (
    POLICY_VIOLATION,
    count_apart,
    limit_input,
    new_socket,
    owes_key,
)
from pi_controller.web.http.guard import LOOK_PATIENCE_S
from pi_controller.web.http.limits import BROKEN_OFF, BucketsByKey, DefectCounter, ShownKey, TokenBucket
from pi_controller.web.http.routes import KEY, LANGUAGE, PERSON, Declined, Refusal, Role, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink

INSIDE = "defect.broken_off"
"""Core's sentence for a mistake of its own."""
NO_SUCH_CODE = 4403
TAKEN = 4409
"""Codes with which a socket closes: the seat code is not valid, with what is wrong with it (`WrongCode`) as
the reason; another device has the seat now."""
LONGEST_MESSAGE = 512
MESSAGES_A_S = 4
MESSAGES = 40
CODE_WITHIN_S = 10.0
ROUND_TRIPS = 8
"""So many are kept: of the last minute, as often as the page measures."""
CLAIMS_A_S = 1
CLAIMS = 6
"""At once, from one seat, whatever device has it."""
US_PER_S = 1_000_000
TOO_MANY = Sentence("web.seat_claims_too_fast")

LOG = logging.getLogger(__name__)


class Enter(Struct, forbid_unknown_fields=True):
    """The first message. `device` is what a device calls itself, for as long as it keeps that."""

    code: Annotated[str, Meta(max_length=LONGEST_CODE)]
    device: Annotated[str, Meta(min_length=8, max_length=64)]


class Claimed(Struct):
    """Any message, as far as it has the key of a claim."""

    claim: Annotated[str, Meta(pattern=r"^[0-9A-Za-z-]{8,64}\Z")] | None = None


class SeatSocketMessage(Struct, forbid_unknown_fields=True):
    """A `ping`, which is answered with our clock, or a `claim` by its key: see `AskSeatClaim`."""

    ping: int | None = None
    claim: Annotated[str, Meta(pattern=r"^[0-9A-Za-z-]{8,64}\Z")] | None = None
    pressed_us: int = 0
    error_us: Annotated[int, Meta(ge=0, le=3_600_000_000)] = 0


@dataclass(slots=True)
class _Seat:
    """Who has a seat; `device` stays when its socket is gone."""

    device: str
    claims: TokenBucket
    news: TokenBucket
    """Of other devices that take it, to the desk."""
    socket: web.WebSocketResponse | None = None
    code: str = ""


@dataclass(slots=True)
class _Open:
    """A socket whose device has a seat."""

    socket: web.WebSocketResponse
    seat: _Seat
    language: str
    waiting: set[asyncio.Task[None]] = field(default_factory=set)
    asked_s: dict[bytes, float] = field(default_factory=dict)
    """When a round trip began, by the payload of its ping, which nobody guesses."""
    round_trips_s: deque[float] = field(default_factory=lambda: deque(maxlen=ROUND_TRIPS))
    """The newest ones."""

    @property
    def round_trip_us(self) -> int | None:
        """The smallest one: one late answer makes no slow line. None: nothing was answered yet."""
        return round(min(self.round_trips_s) * US_PER_S) if self.round_trips_s else None

    async def measure(self, now_s: float) -> None:
        while len(self.asked_s) >= ROUND_TRIPS:
            del self.asked_s[next(iter(self.asked_s))]
        payload = secrets.token_bytes(8)
        self.asked_s[payload] = now_s
        await self.socket.ping(payload)

    def measured(self, payload: bytes, now_s: float) -> None:
        asked_s = self.asked_s.pop(payload, None)
        if asked_s is not None:
            self.round_trips_s.append(now_s - asked_s)


class SeatsApi:
    def __init__(
        self,
        client: AsyncClient,
        codes: SeatCodes,
        clocks: Clocks,
        files: FileThread,
        defects: DefectCounter,
        *,
        allowed: bool,
    ) -> None:
        self.allowed = allowed
        """Whether the settings let phones claim."""
        self._defects = defects
        self._client = client
        self._codes = codes
        self._files = files
        self._clocks = clocks
        self._seats: dict[SeatAt, _Seat] = {}
        """As many as there are valid codes at most."""
        self._reading: asyncio.Task[None] | None = None
        self._telling: set[asyncio.Task[None]] = set()

    @socket("/api/seat", "public", hall=True, claims=True, also=(404,))
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket of a device with a seat code: measures its clock, takes its claims."""
        codes = self._codes
        if not self.allowed:
            raise Refusal(404, Sentence("claim.no_seat_codes"))
        served, transport = new_socket(request, most=LONGEST_MESSAGE)
        await served.prepare(request)
        limit_input(transport)
        if request[KEY] is None:
            owes_key(transport)
        await self._serve(served, request, codes)
        return served

    def shown(self, request: web.Request) -> ShownKey | None:
        """The seat whose code stands in the address of the request, as it was known a second ago."""
        code = request.query.get("seat")
        seat = None if code is None or not self.allowed else self._codes.seat(code)
        return None if seat is None else ShownKey(seat)

    def sweep(self) -> None:
        """To be called about once a second: codes that were taken back are good for nothing any more."""
        if self.allowed:
            self._begin_reading(self._codes)

    def _begin_reading(self, codes: SeatCodes) -> "asyncio.Task[None]":
        """As the codes are now; one reading for all who ask meanwhile, so that a slow disk holds one
        thread."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._refresh(codes))
        return self._reading

    async def _refresh(self, codes: SeatCodes) -> None:
        """Codes that cannot be read are nobody's; while the disk does not answer, those that are known stay
        good."""
        try:
            await self._files.do(codes.refresh, patience_s=LOOK_PATIENCE_S)
        except DiskSlow as problem:
            LOG.debug("Seat codes as they were: %s", problem)
        except (OSError, ValueError) as problem:
            LOG.debug("No seat codes: %s", problem)
            codes.forget()

    async def _serve(self, served: web.WebSocketResponse, request: web.Request, codes: SeatCodes) -> None:
        entered = await self._entered(served, codes)
        if isinstance(entered, str) or request.transport is None:
            await served.close(code=NO_SUCH_CODE, message=str(entered).encode())
            return
        count_apart(request.transport)
        at, enter = entered
        seat = await self._take(at, enter, served)
        await served.send_json({"seat": {"board": at.board, "side": at.side}})
        here = _Open(served, seat, request[LANGUAGE])
        try:
            await self._listen(here)
        finally:
            for task in here.waiting:
                task.cancel()
            if seat.socket is served:
                seat.socket = None

    async def _entered(
        self, served: web.WebSocketResponse, codes: SeatCodes
    ) -> tuple[SeatAt, Enter] | WrongCode:
        """The seat of the code that comes first, or what is wrong with it."""
        try:
            async with asyncio.timeout(CODE_WITHIN_S):
                first = await served.receive()
                if first.type is not WSMsgType.TEXT:
                    return "no_code"
                enter = msgspec.json.decode(first.data, type=Enter)
                await asyncio.shield(self._begin_reading(codes))
        except (TimeoutError, msgspec.DecodeError) as problem:
            LOG.debug("No seat: %s", problem)
            return "no_code"
        seat = codes.read(enter.code)
        return (seat, enter) if isinstance(seat, SeatAt) else seat

    async def _take(self, at: SeatAt, enter: Enter, served: web.WebSocketResponse) -> _Seat:
        """The newest device has the seat; the desk hears when it is another one than before."""
        seat = self._seats.get(at)
        if seat is None:
            bucket = partial(TokenBucket, per_s=CLAIMS_A_S, at_once=CLAIMS, boot_s=self._clocks.boot_s)
            seat = self._seats[at] = _Seat(enter.device, bucket(), bucket())
        before, seat.socket = seat.socket, served
        changed, seat.device, seat.code = seat.device != enter.device, enter.device, enter.code
        if changed and seat.news.take(1):
            task = asyncio.create_task(self._tell_taken(enter.code))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
        if before is not None:
            await before.close(code=TAKEN if changed else 1000, drain=False)
        return seat

    async def _tell_taken(self, code: str) -> None:
        try:
            await self._client.ask(AskSeatTaken(code=code))
        except (NoCore, CoreTrouble) as problem:
            LOG.warning("The desk does not hear that a seat has changed its device: %s", problem)

    async def _listen(self, here: _Open) -> None:
        frames = TokenBucket(per_s=MESSAGES_A_S, at_once=MESSAGES, boot_s=self._clocks.boot_s)
        async for message in here.socket:
            kinds = (WSMsgType.TEXT, WSMsgType.PING, WSMsgType.PONG)
            if message.type not in kinds or not frames.take(1):
                await here.socket.close(code=POLICY_VIOLATION)
            elif message.type is WSMsgType.PING:
                await here.socket.pong(message.data)
            elif message.type is WSMsgType.PONG:
                here.measured(bytes(message.data), self._clocks.boot_s())
            else:
                await self._heard(here, message.data)

    async def _heard(self, here: _Open, text: str) -> None:
        try:
            asked: SeatSocketMessage = read_as(decode(text.encode()), SeatSocketMessage)
        except Malformed as problem:
            if (key := _claimed(text)) is not None and here.seat.claims.take(1):
                await _refuse(here, key, problem.sentence)
                return
            asked = SeatSocketMessage()
        if asked.ping is not None:
            at_us = round(self._clocks.boot_s() * US_PER_S)
            await here.socket.send_json({"pong": asked.ping, "at_us": at_us})
            await here.measure(self._clocks.boot_s())
        elif asked.claim is None:
            await here.socket.close(code=POLICY_VIOLATION)
        elif not here.seat.claims.take(1):
            await _refuse(here, asked.claim, TOO_MANY)
        else:
            task = asyncio.create_task(self._claim(here, asked.claim, asked))
            here.waiting.add(task)
            task.add_done_callback(here.waiting.discard)

    async def _claim(self, here: _Open, key: str, asked: SeatSocketMessage) -> None:
        request = AskSeatClaim(
            code=here.seat.code,
            key=key,
            pressed_us=asked.pressed_us,
            error_us=asked.error_us,
            round_trip_us=here.round_trip_us,
            lang=here.language,
        )
        answer = await awaited_value_of(self._client.ask(request))
        if isinstance(answer, NoCore | CoreTrouble):
            LOG.debug("A claim waits for core: %s", answer)
            return  # it is sent again
        if isinstance(answer, Exception):
            await _refuse(here, key, self._defects.told(answer, "a claim of a seat"))
            return
        if any(reason.key == INSIDE for reason in answer.reason_keys):
            await _refuse(here, key, BROKEN_OFF)  # what core says of its inside is no business of guests
            return
        told = {
            "claim": key,
            "accepted": answer.accepted or answer.done,
            "reasons": answer.reasons,
            "reason_keys": msgspec.to_builtins(answer.reason_keys),
        }
        if not here.socket.closed:
            await here.socket.send_json(told)


def _claimed(text: str) -> str | None:
    """The key of the claim in a message that is none."""
    try:
        return msgspec.json.decode(text, type=Claimed).claim
    except msgspec.DecodeError:
        return None


async def _refuse(here: _Open, key: str, why: Sentence) -> None:
    said = {"claim": key, "accepted": False, "reasons": [words(why, here.language)]}
    await here.socket.send_json(said | {"reason_keys": [msgspec.to_builtins(view(why))]})


# Claim sheets that are being filled in: judges and directors see at once what one of them writes, and nobody
# writes over what he has not seen.


MOST_SHEETS = 64
"""The one that was changed longest ago gives way, of those whose claim was judged if there is one."""
CHANGES_A_S = 10.0
CHANGES = 40.0
"""At once, by one log-in: a judge who taps as fast as he can."""

Name = Annotated[str, Meta(min_length=1, max_length=40)]
Count = Annotated[int, Meta(ge=0, le=99)]
Hand = Annotated[int, Meta(ge=0, le=999)]


class DraftHand(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Resources of a sheet that is being filled in."""

    grain: Hand
    ore: Hand
    brick: Hand
    lumber: Hand
    wool: Hand


class DraftSheet(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Counts on the table, as in a verdict's `sheet`; each is there."""

    settlements: Count
    cities: Count
    foreign_left: bool
    foreign_right: bool
    victory_cards: Count
    largest_army: bool
    longest_route: bool
    resources: DraftHand


class DraftBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Of `POST /api/sheets`. `number`: that of the draft which the sender saw, 0 for none."""

    game: Name
    claim: Name
    number: Annotated[int, Meta(ge=0)]
    sheet: DraftSheet


class Draft(DraftBody, kw_only=True):
    """A sheet as it was last written, and by whom."""

    number: int
    """Grows with each change."""
    role: Role
    name: str


class Drafts(msgspec.Struct):
    """Of `WS /api/sheets/feed`: all of them, the one that was changed last at the end."""

    sheets: list[Draft]


class SheetsApi:
    """Keeps drafts as long as the process lives: what counts is the verdict, which goes to the game."""

    def __init__(self, link: CoreLink, boot_s: Callable[[], float]) -> None:
        self.feed = Broadcaster(boot_s)
        self._link = link
        self._game = ""
        """Of the newest picture that was asked for."""
        self._claims: dict[str, ClaimStatus] = {}
        """Its claims."""
        self._changes = BucketsByKey(per_s=CHANGES_A_S, at_once=CHANGES, boot_s=boot_s)
        self._drafts: dict[tuple[str, str], Draft] = {}
        self.feed.keep(self._all())

    @socket("/api/sheets/feed", "judge", answer=Drafts)
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: all claim sheets that are being filled in, at once and on each change."""
        return await listen(request, self.feed)

    @post("/api/sheets", "judge", also=(409, 503))
    async def write(self, request: web.Request, body: DraftBody) -> None:
        """A claim sheet as it is filled in now.

        409: somebody else has changed it since the sender saw it, or the game that is on has no such
        claim.
        """
        person = request[PERSON]
        if not self._changes.take(request[KEY], 1):
            raise Refusal(429, Sentence("web.too_many_changes"), {"Retry-After": "1"})
        await self._look()
        if body.game != self._game or body.claim not in self._claims:
            raise Declined(Sentence("web.sheet_of_no_claim"))
        key = (body.game, body.claim)
        before = self._drafts.pop(key, None)
        seen = 0 if before is None else before.number
        if before is not None and body.number != seen:
            self._drafts[key] = before
            raise Declined(Sentence("web.sheet_has_changed"))
        self._drafts[key] = Draft(
            game=body.game,
            claim=body.claim,
            number=max(seen, body.number) + 1,
            sheet=body.sheet,
            role=person.role,
            name=person.name,
        )
        while len(self._drafts) > MOST_SHEETS:
            judged = (key for key in self._drafts if self._claims[key[1]] != "open")
            del self._drafts[next(judged, next(iter(self._drafts)))]
        self.feed.publish(self._all())

    async def _look(self) -> None:
        """Which game and claims there are; what belongs to another game goes. While core is away those count
        that were there last, so that nobody's sheet is lost to a restart. NoCore, CoreTrouble where none
        were."""
        try:
            picture = await self._link.picture()
        except (NoCore, CoreTrouble):
            if self._game == "":
                raise
            return
        self._game, self._claims = picture.game_id, {claim.id: claim.status for claim in picture.claims}
        gone = [key for key in self._drafts if key[0] != self._game or key[1] not in self._claims]
        for key in gone:
            del self._drafts[key]

    def _all(self) -> bytes:
        return msgspec.json.encode(Drafts(list(self._drafts.values())))
