"""Claim sheets that are being filled in: judges and directors see at once what one of them writes, and nobody
writes over what he has not seen."""

from collections.abc import Callable
from typing import Annotated

import msgspec
from aiohttp import web
from msgspec import Meta

from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, change_answer, own_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.limits import TokenBucket
from pi_controller.web.http.roles import PERSON, Role
from pi_controller.web.http.routes import REFUSALS, Route, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen

MOST_SHEETS = 64
"""The one that was changed longest ago gives way."""
CHANGES_A_S = 30.0
CHANGES = 120.0
"""At once, by all together: some judges who tap as fast as they can."""

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

    def __init__(self, feed: Broadcaster, boot_s: Callable[[], float]) -> None:
        self._feed = feed
        self._changes = TokenBucket(per_s=CHANGES_A_S, at_once=CHANGES, boot_s=boot_s)
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
                answers=(200, 408, 409, 422, *REFUSALS),
                answer_schema="change_answer",
                body_schema="sheet_draft",
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/sheets/feed`."""
        return await listen(request, self._feed)

    async def write(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/sheets`: 409 when somebody else has changed it since the sender saw it."""
        body, person, language = await read_body(request, DraftBody), request[PERSON], request[LANGUAGE]
        if not self._changes.take(1):
            raise Refusal(429, Sentence("web.too_many_changes"), {"Retry-After": "1"})
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
            del self._drafts[next(iter(self._drafts))]
        self._feed.publish(self._all())
        return change_answer([], [], language)

    def _all(self) -> bytes:
        return msgspec.json.encode(Drafts(list(self._drafts.values())))
