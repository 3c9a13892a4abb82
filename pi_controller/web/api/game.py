"""The game that runs: its picture, the feed of pictures, and commands, which core alone decides on."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, get_args

from aiohttp import web
from msgspec import Meta, Struct, structs

from pi_controller.language.words import words
from pi_controller.protocol import strict_json
from pi_controller.protocol.commands import COUNTING
from pi_controller.protocol.errors import CoreTrouble, Malformed
from pi_controller.protocol.messages import ActionsView, ActionView, AskActions, AskSettle, AskSound
from pi_controller.protocol.picture import HallName, SoundAction
from pi_controller.protocol.sentences import view
from pi_controller.protocol.strict_json import read_as
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import People
from pi_controller.web.http.bodies import (
    LANGUAGE,
    POLICY,
    Refusal,
    change_answer,
    json_answer,
    language_headers,
    own_answer,
    read_body,
    read_json,
)
from pi_controller.web.http.limits import BucketsByKey
from pi_controller.web.http.routes import COMMAND_PATH, KEY, PERSON, REFUSALS, Route, get, post, socket
from pi_controller.web.http.static_files import StaticFile, file_answer
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink
from pi_controller.web.live.directing import LONGEST_NOTE, CannotNote, Directing, Notes

LONGEST_KEY = 128
SEQ = re.compile("[0-9]{1,15}")
CLAIMING = ("claim", "withdraw")
CLAIMS_A_S = 1.0
CLAIMS = 30.0
"""At once, by one log-in: a row of boards that is entered as fast as somebody can. Each is a line on the
disk."""


class GameApi:
    """While core is away the feed's listeners keep their sockets and hear nothing, so that pages go stale by
    themselves; with core's return the whole picture comes at once."""

    def __init__(
        self,
        link: CoreLink,
        broadcaster: Broadcaster,
        directing: Directing,
        people: People,
        boot_s: Callable[[], float],
    ) -> None:
        self._link = link
        self._broadcaster = broadcaster
        self._directing = directing
        self._people = people
        self._claims = BucketsByKey(per_s=CLAIMS_A_S, at_once=CLAIMS, boot_s=boot_s)

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/state",
                handler=self.state,
                access="public",
                summary="The room picture of this moment",
                answers=(200, 503),
                answer_schema="picture",
            ),
            socket(
                path="/api/feed",
                handler=self.socket,
                access="public",
                summary="WebSocket: the picture at once and on every change, a beat once a second between",
                answers=(101, 403, 426, 503),
            ),
            get(
                path="/api/actions",
                handler=self.actions,
                access="director",
                summary="The last actions, and what undoing them would leave; `?replace=` as in `undo`",
                answers=(200, 401, 403, 422, 503),
                answer_schema="actions",
            ),
            post(
                path=COMMAND_PATH,
                handler=self.command,
                access="director",
                named={"claim": "judge", "withdraw": "judge", "verdict": "judge", "identify": "technician"},
                summary="A command to the game",
                answers=(200, 408, 409, 422, 503, 507, *REFUSALS),
            ),
        )

    async def state(self, _request: web.Request) -> web.StreamResponse:
        """`GET /api/state`: the room picture, never older than it says."""
        return json_answer(await self._link.picture())

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/feed`."""
        return await listen(request, self._broadcaster, refresh=self._link.refresh)

    async def actions(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/actions`: 422 when `replace` is no replacement."""
        try:
            replace = _replacement(request.query.get("replace"))
            answer = await self._link.client.ask(AskActions(replace=replace, lang=request[LANGUAGE]))
        except Malformed as problem:
            raise Refusal(422, problem.sentence) from problem
        return json_answer(_named(answer.actions, self._people.sources()))

    async def command(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/commands/{name}`: 200 accepted, 409 refused by the game, 422 malformed, 503 no core, 507
        done but not saved."""
        key, language = _idempotency_key(request), request[LANGUAGE]
        name, body = request.match_info["name"], await read_json(request)
        seq, session = _seen(request, name)
        if name in CLAIMING and not self._claims.take(request[KEY], 1):
            raise Refusal(429, Sentence("web.too_many_claims"), {"Retry-After": "1"})
        against = self._directing.against(request[PERSON], name, key)
        if against is not None:
            return self._refused(language, against)
        try:
            answer = await self._link.client.command(
                name,
                body,
                source=request[PERSON].source,
                key=key,
                if_seq=seq,
                if_session=session,
                lang=language,
            )
        except Malformed as problem:
            raise Refusal(422, problem.sentence) from problem
        value = {
            "accepted": answer.accepted,
            "seq": answer.seq,
            "reasons": answer.reasons,
            "reason_keys": answer.reason_keys,
        }
        if answer.accepted:
            return json_answer(value, 200)
        headers = language_headers(language)
        if answer.done:
            return json_answer(value | {"done": True}, 507, headers)
        return json_answer(value, 409, headers)

    def _refused(self, language: str, against: Sentence) -> web.Response:
        """In the shape of core's answers, which was not asked."""
        value = {"accepted": False, "seq": self._link.seq, "reasons": [words(against, language)]}
        return json_answer(value | {"reason_keys": [view(against)]}, 409, language_headers(language))


def _named(actions: ActionsView, sources: Mapping[str, str]) -> ActionsView:
    """With the names of people in place of their numbers."""

    def named(told: list[ActionView]) -> list[ActionView]:
        return [structs.replace(one, source=sources.get(one.source, one.source)) for one in told]

    return structs.replace(actions, actions=named(actions.actions), undone=named(actions.undone))


def _replacement(text: str | None) -> object:
    """What stands in the address as JSON; None without it."""
    return None if text is None else strict_json.decode(text.encode())


def _idempotency_key(request: web.Request) -> str | None:
    keys = request.headers.getall("Idempotency-Key", [])
    if not keys:
        return None
    if (
        len(keys) > 1
        or not 1 <= len(keys[0]) <= LONGEST_KEY
        or not (keys[0].isascii() and keys[0].isprintable())
    ):
        raise Refusal(422, Sentence("web.idempotency_key", most=LONGEST_KEY))
    return keys[0]


def _seen(request: web.Request, command: str) -> tuple[int | None, str | None]:
    """`seq` and `session` of the picture that the sender saw; nothing where no field counts, as for `pause`,
    which must not be refused for a header."""
    seqs, sessions = request.headers.getall("If-Seq", []), request.headers.getall("If-Session", [])
    if not seqs or not COUNTING.get(command):
        return None, None
    if len(seqs) > 1 or not SEQ.fullmatch(seqs[0]) or len(sessions) > 1 or not "".join(sessions).isascii():
        raise Refusal(422, Sentence("web.if_seq"))
    return int(seqs[0]), sessions[0] if sessions else None


# Which director directs: followed by their pages, taken over, handed over.


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

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/directing",
                handler=self.follow,
                access="director",
                summary="WebSocket: who directs and who is there, at once and on every change",
                answers=(101, 401, 403, 426, 429, 503),
            ),
            post(
                path="/api/directing/take-over",
                handler=self.take_over,
                access="director",
                summary="Direct from now on; refused when another one directs than the body says",
                answers=(200, 408, 409, 422, *REFUSALS),
                answer_schema="change_answer",
                body_schema="take_over_body",
            ),
            post(
                path="/api/directing/hand-over",
                handler=self.hand_over,
                access="director",
                summary="Let another director, whose page is open, direct from now on",
                answers=(200, 408, 409, 422, *REFUSALS),
                answer_schema="change_answer",
                body_schema="hand_over_body",
            ),
        )

    async def follow(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/directing`."""
        with self._directing.here(request[PERSON]):
            return await listen(request, self._directing.told)

    async def take_over(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/directing/take-over`: 200 done, 409 another one directs by now."""
        body = await read_body(request, TakeOverBody)
        return _answer(request, self._directing.take_over(request[PERSON], body.directs))

    async def hand_over(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/directing/hand-over`: 200 done, 409 not one's own to give, or they are not there."""
        body = await read_body(request, HandOverBody)
        return _answer(request, self._directing.hand_over(request[PERSON], body.to))


def _answer(request: web.Request, against: Sentence | None) -> web.StreamResponse:
    return own_answer(request[LANGUAGE], *(() if against is None else (against,)))


# What the pages show of the event besides the picture: its logo, which comes from a file of the settings.


LOGO = "/event/logo"
ONLY_DRAWN = {POLICY: "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"}
"""Opened by itself, a drawing is a document: it runs nothing, loads nothing and is of no origin."""


class EventApi:
    def __init__(self, logo: StaticFile | None) -> None:
        """`logo`: None where there is none that can be shown."""
        self._logo = logo

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path=LOGO,
                handler=self.logo,
                access="public",
                summary="The logo of the event, a PNG or SVG picture",
                answers=(200, 304, 404),
                media_type="image/*",
            ),
        )

    async def logo(self, request: web.Request) -> web.StreamResponse:
        """`GET /event/logo`."""
        if self._logo is None:
            raise Refusal(404, Sentence("web.no_logo"))
        return file_answer(request, self._logo, ONLY_DRAWN)


# Two controllers that lead one game: what the director decides, handed on to core.


class SettleBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """Of `POST /api/halls/settle`. `lead`: whether this controller leads from now on; `hall`: what was typed,
    the name of the hall that shall lead."""

    lead: bool
    hall: HallName


class HallsApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    def routes(self) -> tuple[Route, ...]:
        return (
            post(
                path="/api/halls/settle",
                handler=self.settle,
                access="director",
                summary="Decide whether this controller or the other one leads, confirmed by a hall's name",
                answers=(200, 408, 409, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="settle_body",
            ),
        )

    async def settle(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/halls/settle`: 200 decided; 409 with the reason, and nothing was changed."""
        body, language = await read_body(request, SettleBody), request[LANGUAGE]
        try:
            await self._link.client.ask(AskSettle(lead=body.lead, hall=body.hall, lang=language))
        except CoreTrouble as refusal:
            return own_answer(language, refusal.sentence)
        return own_answer(language)


# Notes from the director to the moderator: written, read, taken back; both see them as they change.


LONGEST_ID = 16
ANSWERS = (200, 408, 409, 422, *REFUSALS)


class NoteBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/notes/write`."""

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_NOTE)]


class WhichNoteBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/notes/read` and `/api/notes/remove`."""

    id: Annotated[str, Meta(max_length=LONGEST_ID)]


class NotesApi:
    def __init__(self, notes: Notes, broadcaster: Broadcaster) -> None:
        self._notes = notes
        self._broadcaster = broadcaster

    def routes(self) -> tuple[Route, ...]:
        return (
            socket(
                path="/api/notes/feed",
                handler=self.socket,
                access="moderator",
                summary="WebSocket: all notes from the director to the moderator, now and on every change",
                answers=(101, 401, 403, 426, 429, 503),
            ),
            post(
                path="/api/notes/write",
                handler=self.write,
                access="director",
                summary="A note to the moderator, which nobody else sees",
                answers=ANSWERS,
                answer_schema="change_answer",
                body_schema="note_body",
            ),
            post(
                path="/api/notes/read",
                handler=self.read,
                access="moderator",
                summary="This note was read",
                answers=ANSWERS,
                answer_schema="change_answer",
                body_schema="which_note_body",
            ),
            post(
                path="/api/notes/remove",
                handler=self.remove,
                access="director",
                summary="Take this note back",
                answers=ANSWERS,
                answer_schema="change_answer",
                body_schema="which_note_body",
            ),
        )

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """`WS /api/notes/feed`."""
        return await listen(request, self._broadcaster)

    async def write(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/notes/write`: 409 when too many have not been read."""
        text = (await read_body(request, NoteBody)).text.strip()
        if not text or not text.isprintable():
            raise Refusal(422, Sentence("notes.form", most=LONGEST_NOTE))
        return await _answered(request, self._notes.write(text, request[PERSON].name))

    async def read(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/notes/read`: 409 when it has been taken back."""
        body = await read_body(request, WhichNoteBody)
        return await _answered(request, self._notes.read(body.id, request[PERSON].name))

    async def remove(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/notes/remove`: 409 when it is there no more."""
        body = await read_body(request, WhichNoteBody)
        return await _answered(request, self._notes.remove(body.id))


async def _answered(request: web.Request, change: Awaitable[None]) -> web.Response:
    try:
        await change
    except CannotNote as refusal:
        return own_answer(request[LANGUAGE], refusal.sentence)
    return own_answer(request[LANGUAGE])


# Mute, ducking and the test of the loudspeakers, handed on to core.


ACTIONS: tuple[str, ...] = get_args(SoundAction)


class SoundApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link

    def routes(self) -> tuple[Route, ...]:
        return (
            post(
                path="/api/sound/{action}",
                handler=self.act,
                access="technician",
                summary="Mute, make softer, or test the loudspeakers",
                answers=(200, 404, 408, 422, 503, *REFUSALS),
                answer_schema="change_answer",
                body_schema="sound_body",
            ),
        )

    async def act(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/sound/{action}`: 200 done, 422 the body does not belong to the action."""
        action = request.match_info["action"]
        if action not in ACTIONS:
            known = ", ".join(ACTIONS)
            raise Refusal(404, Sentence("web.sound_unknown_action", action=repr(action), known=known))
        language = request[LANGUAGE]
        await self._link.client.ask(_asked(action, await read_json(request), language))
        return change_answer([], [], language)


def _asked(action: str, body: object, language: str) -> AskSound:
    """Raises a Refusal (422)."""
    fields = {} if body is None else body
    if not isinstance(fields, dict) or fields.keys() - {"minutes", "loudspeaker"}:
        raise Refusal(422, Sentence("web.form_of_sound_action"))
    try:
        read: AskSound = read_as({"do": action, "lang": language, **fields}, AskSound)
    except Malformed as problem:
        raise Refusal(
            422, Sentence("request.of_command", command=action, problem=problem.sentence)
        ) from problem
    return read
