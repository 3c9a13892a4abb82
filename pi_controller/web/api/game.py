"""The game that runs: its picture, the feed of pictures, and commands, which core alone decides on."""

import re

from aiohttp import web

from pi_controller.protocol.counting import COUNTING
from pi_controller.protocol.errors import Malformed
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, json_answer, read_json
from pi_controller.web.http.language import LANGUAGE, language_headers
from pi_controller.web.http.routes import COMMAND_PATH, REFUSALS, Route, get, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink

LONGEST_KEY = 128
SEQ = re.compile("[0-9]{1,15}")


class GameApi:
    """While core is away the feed's listeners keep their sockets and hear nothing, so that pages go stale by
    themselves; with core's return the whole picture comes at once."""

    def __init__(self, link: CoreLink, broadcaster: Broadcaster) -> None:
        self._link = link
        self._broadcaster = broadcaster

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
            post(
                path=COMMAND_PATH,
                handler=self.command,
                access="director",
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

    async def command(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/commands/{name}`: 200 accepted, 409 refused by the game, 422 malformed, 503 no core, 507
        done but not saved."""
        key, language = _idempotency_key(request), request[LANGUAGE]
        name, body = request.match_info["name"], await read_json(request)
        seq, session = _seen(request, name)
        try:
            answer = await self._link.client.command(
                name, body, source="web", key=key, if_seq=seq, if_session=session, lang=language
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
