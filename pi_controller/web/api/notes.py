"""Notes from the director to the moderator: written, read, taken back; both see them as they change."""

from collections.abc import Awaitable
from typing import Annotated

from aiohttp import web
from msgspec import Meta, Struct

from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, own_answer, read_body
from pi_controller.web.http.language import LANGUAGE
from pi_controller.web.http.roles import PERSON
from pi_controller.web.http.routes import REFUSALS, Route, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.notes import LONGEST_NOTE, CannotNote, Notes

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
