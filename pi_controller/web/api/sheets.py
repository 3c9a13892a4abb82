"""Claim sheets that are being filled in: judges and directors see at once what one of them writes, and nobody
writes over what he has not seen."""

from collections.abc import Callable
from typing import Annotated

import msgspec
from aiohttp import web
from msgspec import Meta

from pi_controller.game.claims import ClaimStatus
from pi_controller.protocol.errors import CoreTrouble, NoCore
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, change_answer, own_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.limits import BucketsByKey
from pi_controller.web.http.roles import PERSON, Role
from pi_controller.web.http.routes import KEY, REFUSALS, Route, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink

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

    def __init__(self, feed: Broadcaster, link: CoreLink, boot_s: Callable[[], float]) -> None:
        self._feed = feed
        self._link = link
        self._game = ""
        """Of the newest picture that was asked for."""
        self._claims: dict[str, ClaimStatus] = {}
        """Its claims."""
        self._changes = BucketsByKey(per_s=CHANGES_A_S, at_once=CHANGES, boot_s=boot_s)
        self._drafts: dict[tuple[str, str], Draft] = {}
        self._feed.keep(self._all())

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/sheets/feed",
                handler=self.socket,
                access="judge",
                summary="WebSocket: all claim sheets that are being filled in, at once and on each change",
                answers=(101, 401, 403, 426, 429, 503),
            ),
            post(
                path="/api/sheets",
                handler=self.write,
                access="judge",
                summary="A claim sheet as it is filled in now",
                answers=(200, 408, 409, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="sheet_draft",
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/sheets/feed`."""
        return await listen(request, self._feed)

    async def write(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/sheets`: 409 when somebody else has changed it since the sender saw it, and when the
        game that is on has no such claim."""
        body, person, language = await read_body(request, DraftBody), request[PERSON], request[LANGUAGE]
        if not self._changes.take(request[KEY], 1):
            raise Refusal(429, Sentence("web.too_many_changes"), {"Retry-After": "1"})
        await self._look()
        if body.game != self._game or body.claim not in self._claims:
            return own_answer(language, Sentence("web.sheet_of_no_claim"))
        key = (body.game, body.claim)
        before = self._drafts.pop(key, None)
        seen = 0 if before is None else before.number
        if before is not None and body.number != seen:
            self._drafts[key] = before
            return own_answer(language, Sentence("web.sheet_has_changed"))
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
        self._feed.publish(self._all())
        return change_answer([], [], language)

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
