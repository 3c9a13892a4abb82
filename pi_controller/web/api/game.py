"""The game that runs: its picture, feeds, commands, sound and logo, and which director directs it.

Core decides on commands; here they are limited, and refused while another director directs.
"""

import re
from collections.abc import Callable
from typing import Annotated, Literal, get_args

from aiohttp import web
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from pi_controller.hal.names import Loudspeaker
from pi_controller.language.words import words
from pi_controller.protocol import strict_json
from pi_controller.protocol.commands import COUNTING
from pi_controller.protocol.errors import CoreTrouble
from pi_controller.protocol.messages import ActionsView, ActionView, AskActions, AskSettle, AskSound
from pi_controller.protocol.picture import LONGEST_MUTE_MIN, HallName, Picture, SoundAction
from pi_controller.protocol.sentences import SentenceView, view
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import People
from pi_controller.web.http.limits import BucketsByKey
from pi_controller.web.http.routes import (
    COMMAND_PATH,
    KEY,
    LANGUAGE,
    PERSON,
    POLICY,
    Declined,
    Refusal,
    get,
    json_answer,
    language_headers,
    post,
    read_action,
    read_json,
    socket,
)
from pi_controller.web.http.static_files import StaticFile, file_answer
from pi_controller.web.live.broadcaster import listen
from pi_controller.web.live.core_link import CoreLink
from pi_controller.web.live.directing import Directing, DirectingView

LONGEST_KEY = 128
SEQ = re.compile("[0-9]{1,15}")
CLAIMING = ("claim", "withdraw")
CLAIMS_A_S = 1.0
CLAIMS = 30.0
"""At once, by one log-in: a row of boards that is entered as fast as somebody can. Each is a line on the
disk."""

LOGO = "/event/logo"
ONLY_DRAWN = {POLICY: "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"}
"""Opened by itself, a drawing is a document: it runs nothing, loads nothing and is of no origin."""
SOUND_ACTIONS: tuple[str, ...] = get_args(SoundAction)


class Answered(Struct):
    """What is answered to a command."""

    accepted: Annotated[bool, Meta(description="On the disk; an effectless repeat is accepted, too.")]
    seq: Annotated[int, Meta(ge=0, description="The picture's `seq` after the command.")]
    reasons: Annotated[list[str], Meta(description="Empty when accepted.")]
    reason_keys: Annotated[
        list[SentenceView], Meta(description="The same before they were put into words.")
    ] = []
    done: (
        Annotated[Literal[True], Meta(description="Only with 507: done and shown, but not on the disk.")]
        | UnsetType
    ) = UNSET
    error: Annotated[str, Meta(description="Only where the game was not asked at all.")] | UnsetType = UNSET


class SettleBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """Of `POST /api/halls/settle`. `lead`: whether this controller leads from now on; `hall`: what was typed,
    the name of the hall that shall lead."""

    lead: bool
    hall: HallName


class SoundBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/sound/{action}`."""

    minutes: Annotated[
        Annotated[int, Meta(ge=1, le=LONGEST_MUTE_MIN)] | None,
        Meta(description="of mute; without it until release"),
    ] = None
    loudspeaker: Annotated[Loudspeaker, Meta(description="of test")] | UnsetType = UNSET


class GameApi:
    """While core is away the feed's listeners keep their sockets and hear nothing, so that pages go stale by
    themselves; with core's return the whole picture comes at once."""

    def __init__(
        self,
        link: CoreLink,
        directing: Directing,
        people: People,
        logo: StaticFile | None,
        boot_s: Callable[[], float],
    ) -> None:
        """`logo` of the event: None where there is none that can be shown."""
        self._link = link
        self._logo = logo
        self._directing = directing
        self._people = people
        self._claims = BucketsByKey(per_s=CLAIMS_A_S, at_once=CLAIMS, boot_s=boot_s)

    @get("/api/state", "public", summary="The room picture of this moment", hall=True, also=(503,))
    async def state(self, _request: web.Request) -> Picture:
        """Never older than it says."""
        return await self._link.picture()

    @socket(
        "/api/feed",
        "public",
        summary="WebSocket: the picture at once and on every change, a beat once a second between",
        hall=True,
    )
    async def follow(self, request: web.Request) -> web.StreamResponse:
        return await listen(request, self._link.feed, refresh=self._link.refresh)

    @socket(
        "/api/phone",
        "public",
        summary="WebSocket for phones: their part of the picture, now and on every change, and beats",
        hall=True,
    )
    async def phone(self, request: web.Request) -> web.StreamResponse:
        """In places of its own."""
        return await listen(request, self._link.phones, refresh=self._link.refresh)

    @get(
        "/api/actions",
        "director",
        summary="The last actions, and what undoing them would leave; `?replace=` as in `undo`",
        also=(422, 503),
    )
    async def actions(self, request: web.Request) -> ActionsView:
        """422 when `replace` is no replacement. With the names of people in place of their numbers."""
        asked = request.query.get("replace")
        replace = None if asked is None else strict_json.decode(asked.encode())
        answer = await self._link.client.ask(AskActions(replace=replace, lang=request[LANGUAGE]))
        told, sources = answer.actions, self._people.sources()

        def named(actions: list[ActionView]) -> list[ActionView]:
            return [structs.replace(one, source=sources.get(one.source, one.source)) for one in actions]

        return structs.replace(told, actions=named(told.actions), undone=named(told.undone))

    @post(
        COMMAND_PATH,
        "director",
        summary="A command to the game",
        also=(408, 409, 422, 503, 507),
        answer=Answered,
        named={"claim": "judge", "withdraw": "judge", "verdict": "judge", "identify": "technician"},
    )
    async def command(self, request: web.Request) -> web.StreamResponse:
        """200 accepted, 409 refused by the game, 422 malformed, 503 no core, 507 done but not saved."""
        name, language = request.match_info["name"], request[LANGUAGE]
        key, seq, session = _conditions(request, name)
        body = await read_json(request)
        if name in CLAIMING and not self._claims.take(request[KEY], 1):
            raise Refusal(429, Sentence("web.too_many_claims"), {"Retry-After": "1"})
        against = self._directing.against(request[PERSON], name, key)
        if against is not None:  # in the shape of core's answer, which is not asked
            said = Answered(False, self._link.seq, [words(against, language)], [view(against)])  # noqa: FBT003
            return json_answer(said, 409, language_headers(language))
        answer = await self._link.client.command(
            name,
            body,
            source=request[PERSON].source,
            key=key,
            if_seq=seq,
            if_session=session,
            lang=language,
        )
        said = Answered(answer.accepted, answer.seq, answer.reasons, answer.reason_keys)
        if answer.accepted:
            return json_answer(said)
        if answer.done:
            said.done = True
        return json_answer(said, 507 if answer.done else 409, language_headers(language))

    @post(
        "/api/halls/settle",
        "director",
        summary="Decide whether this controller or the other one leads, confirmed by a hall's name",
        also=(409, 503),
    )
    async def settle(self, request: web.Request, body: SettleBody) -> None:
        """409: not decided, with core's reason."""
        try:
            await self._link.client.ask(AskSettle(lead=body.lead, hall=body.hall, lang=request[LANGUAGE]))
        except CoreTrouble as refusal:
            raise Declined(refusal.sentence) from refusal

    @post(
        "/api/sound/{action}",
        "technician",
        summary="Mute, make softer, or test the loudspeakers",
        also=(404, 503),
        body=SoundBody,
    )
    async def sound(self, request: web.Request) -> None:
        """422: the body does not belong to the action."""
        action = request.match_info["action"]
        if action not in SOUND_ACTIONS:
            known = ", ".join(SOUND_ACTIONS)
            raise Refusal(404, Sentence("web.sound_unknown_action", action=repr(action), known=known))
        may_say, wrong = SoundBody.__struct_fields__, Sentence("web.form_of_sound_action")
        await self._link.client.ask(
            await read_action(request, AskSound, may_say, wrong, do=action, lang=request[LANGUAGE])
        )

    @get(
        LOGO,
        "public",
        summary="The logo of the event, a PNG or SVG picture",
        hall=True,
        also=(304, 404),
        media_type="image/*",
    )
    async def logo(self, request: web.Request) -> web.StreamResponse:
        if self._logo is None:
            raise Refusal(404, Sentence("web.no_logo"))
        return file_answer(request, self._logo, ONLY_DRAWN)


def _conditions(request: web.Request, command: str) -> tuple[str | None, int | None, str | None]:
    """The key of this command, and `seq` and `session` of the picture that the sender saw: neither where no
    field counts, as for `pause`, which must not be refused for a header. Raises a Refusal (422)."""
    key, *more = request.headers.getall("Idempotency-Key", [None])
    if more or not (key is None or (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable())):
        raise Refusal(422, Sentence("web.idempotency_key", most=LONGEST_KEY))
    seqs, sessions = request.headers.getall("If-Seq", []), request.headers.getall("If-Session", [])
    if not seqs or not COUNTING.get(command):
        return key, None, None
    if len(seqs) > 1 or not SEQ.fullmatch(seqs[0]) or len(sessions) > 1 or not "".join(sessions).isascii():
        raise Refusal(422, Sentence("web.if_seq"))
    return key, int(seqs[0]), sessions[0] if sessions else None


# Which director directs: shown to the directors' pages, taken over, handed over.

Number = Annotated[int, Meta(ge=0, le=2**53)]


class TakeOverBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """Of `POST /api/directing/take-over`: who directs as far as the one who asks knows; null: nobody."""

    directs: Number | None


class HandOverBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/directing/hand-over`: the number of who is to direct."""

    to: Number


class DirectingApi:
    def __init__(self, directing: Directing) -> None:
        self._directing = directing

    @socket(
        "/api/directing",
        "director",
        summary="WebSocket: who directs and who is there, at once and on every change",
        answer=DirectingView,
    )
    async def follow(self, request: web.Request) -> web.StreamResponse:
        with self._directing.here(request[PERSON]):
            return await listen(request, self._directing.told)

    @post(
        "/api/directing/take-over",
        "director",
        summary="Direct from now on; refused when another one directs than the body says",
        also=(409,),
    )
    async def take_over(self, request: web.Request, body: TakeOverBody) -> None:
        """409: another one directs by now."""
        _check(self._directing.take_over(request[PERSON], body.directs))

    @post(
        "/api/directing/hand-over",
        "director",
        summary="Let another director, whose page is open, direct from now on",
        also=(409,),
    )
    async def hand_over(self, request: web.Request, body: HandOverBody) -> None:
        """409: not one's own to give, or they are not there."""
        _check(self._directing.hand_over(request[PERSON], body.to))


def _check(against: Sentence | None) -> None:
    if against is not None:
        raise Declined(against)
