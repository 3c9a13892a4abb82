"""The game that runs: its picture, the feed of pictures, and commands, which core alone decides on."""

import re
from collections.abc import Callable, Mapping

from aiohttp import web
from msgspec import structs

from pi_controller.language.words import words
from pi_controller.protocol import strict_json
from pi_controller.protocol.actions import ActionsView, ActionView
from pi_controller.protocol.counting import COUNTING
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import AskActions
from pi_controller.protocol.sentences import view
from pi_controller.sentence import Sentence
from pi_controller.web.http.bodies import Refusal, json_answer, read_json
from pi_controller.web.http.language import LANGUAGE, language_headers
from pi_controller.web.http.limits import BucketsByKey
from pi_controller.web.http.people import People
from pi_controller.web.http.roles import PERSON
from pi_controller.web.http.routes import COMMAND_PATH, KEY, REFUSALS, Route, get, post, socket
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink
from pi_controller.web.live.directing import Directing

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
