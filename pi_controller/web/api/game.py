"""The game that runs: its picture, feeds, commands, sound and logo, and which director directs it.

Core decides on commands; here they are limited, and refused while another director directs.
"""

import asyncio
import contextlib
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from aiohttp import web
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from pi_controller.defects import awaited_value_of
from pi_controller.hal.names import Loudspeaker
from pi_controller.hal.system.file_thread import FileThread
from pi_controller.language.words import words
from pi_controller.protocol import strict_json
from pi_controller.protocol.commands import COUNTING
from pi_controller.protocol.errors import CoreTrouble
from pi_controller.protocol.messages import ActionsView, ActionView, AskActions, AskSettle, AskSound
from pi_controller.protocol.picture import LONGEST_MUTE_MIN, HallName, Picture, SoundAction
from pi_controller.protocol.sentences import SentenceView, view
from pi_controller.sentence import Sentence
from pi_controller.web.http.access import Clocks, LinkBook
from pi_controller.web.http.connections import text_frame
from pi_controller.web.http.guard import NOT_SERVED, Login, refusal_of, refused_command
from pi_controller.web.http.limits import BucketsByKey, DefectCounter
from pi_controller.web.http.routes import (
    BODY_LIMIT,
    COMMAND_PATH,
    DECLARED,
    KEY,
    LANGUAGE,
    LET_IN,
    PERSON,
    POLICY,
    Declined,
    Person,
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
from pi_controller.web.live.broadcaster import Broadcaster, Listener, PictureBroadcaster, listen
from pi_controller.web.live.core_link import CoreLink
from pi_controller.web.live.notes import KeptFile

LONGEST_KEY = 128
SEQ = re.compile("[0-9]{1,15}")
CLAIMING = ("claim", "withdraw")
CLAIMS_A_S = 1.0
CLAIMS = 30.0
"""At once, by one log-in: a row of boards that is entered as fast as somebody can. Each is a line on the
disk."""

LONGEST_COMMAND = BODY_LIMIT + 1024
"""Bytes of a command over a socket."""
MOST_UNANSWERED = 32
"""Commands of one socket."""
VERSIONS = ("1", "2")
"""Of the feeds."""
LOGO = "/event/logo"
ONLY_DRAWN = {POLICY: "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"}
"""Opened by itself, a drawing is a document: it runs nothing, loads nothing and is of no origin."""
SOUND_ACTIONS: tuple[str, ...] = get_args(SoundAction)


# Which director directs: kept, shown to the directors' pages, taken over, handed over.

DIRECTING_FILE = "directing.json"
MOST_CHANGES = 12
MOST_KEYS = 256
"""Of commands that were let through: their repeats are, too."""
NEVER_REFUSED = "pause"


How = Literal["began", "took_over", "handed_over"]
"""Nobody directed, and a first command was given; it was taken; it was given."""


class Director(Struct, frozen=True, kw_only=True):
    """`number` is that of the person; all who logged in as director without a name are one, 0."""

    number: int
    name: str
    here: bool
    """Whether a director's page of theirs is open."""


class DirectingChange(Struct, frozen=True, kw_only=True):
    at: str
    """ISO 8601, UTC."""
    how: How
    before: int | None
    """Who directed until then; null: nobody."""
    number: int
    """Who has directed since."""
    name: str


class DirectingView(Struct, kw_only=True):
    """Of `WS /api/directing`."""

    directs: int | None
    directors: list[Director]
    """Who is logged in as director, by number."""
    changes: list[DirectingChange]
    """The newest first."""


class _Kept(Struct, kw_only=True):
    directs: int | None = None
    changes: list[DirectingChange] = []


class Directing:
    """Kept in `STATE/web`, so that it outlives the process. Called on the loop only.

    A person is a name, and counts once however many devices they are logged in on. Nobody directs until one
    gives a command, and again when the last log-in of who did has ended. Raises KeyFault.
    """

    def __init__(self, folder: Path, links: LinkBook, clocks: Clocks, files: FileThread) -> None:
        self.told = Broadcaster(clocks.boot_s)
        """To the directors' pages, on each change."""
        self._file = KeptFile[_Kept](folder / DIRECTING_FILE, files)
        self.links = links
        self._wall_s = clocks.wall_s
        self._kept = self._file.read(_Kept(), "It is forgotten who directs")
        self._here: Counter[int] = Counter()
        self._let_through: OrderedDict[str, None] = OrderedDict()
        self._said = b""
        """What was told last."""

    @property
    def directs(self) -> int | None:
        """The number of who directs; None when nobody does."""
        number = self._kept.directs
        return number if number in self._logged_in() else None

    def against(self, person: Person, command: str, key: str | None) -> Sentence | None:
        """Why this person may not give this command now; None lets it through. Who gives one while nobody
        directs does so from then on. Judges, technicians and scripts never direct and are not held up."""
        if person.role != "director" or person.link is None or command == NEVER_REFUSED:
            return None
        if key is not None and key in self._let_through:
            return None
        directs = self.directs
        if directs is None:
            self._change("began", person.number, person.name)
        elif directs != person.number:
            return self._other_directs(directs)
        if key is not None:
            self._let_through[key] = None
            while len(self._let_through) > MOST_KEYS:
                self._let_through.popitem(last=False)
        return None

    def take_over(self, person: Person, seen: int | None) -> Sentence | None:
        """This person directs from now on. The sentence refuses it when another one than `seen` does, so that
        of two who take over at once the second learns of the first."""
        directs = self.directs
        if directs == person.number:
            return None
        if directs != seen:
            return Sentence("directing.changed_since")
        self._change("took_over", person.number, person.name)
        return None

    def hand_over(self, person: Person, to: int) -> Sentence | None:
        """Another one directs from now on. The sentence says why not."""
        directs = self.directs
        if directs is not None and directs != person.number:
            return self._other_directs(directs)
        name = self._logged_in().get(to)
        if name is None or not self._here[to]:
            return Sentence("directing.not_here")
        if to != directs:
            self._change("handed_over", to, name)
        return None

    @contextlib.contextmanager
    def here(self, person: Person) -> Iterator[None]:
        """A page of this director is open for the length of the block; a script's is nobody's."""
        if person.link is None:
            yield
            return
        self._here[person.number] += 1
        self.tell()
        try:
            yield
        finally:
            self._here[person.number] -= 1
            self.tell()

    def tell(self) -> None:
        """To all pages, if it is not what they know; to be called about once a second, as log-ins end."""
        directors = self._logged_in()
        view = DirectingView(
            directs=self.directs,
            directors=[
                Director(number=number, name=directors[number], here=self._here[number] > 0)
                for number in sorted(directors)
            ],
            changes=self._kept.changes,
        )
        said = msgspec.json.encode(view)
        if said != self._said:
            self._said = said
            self.told.publish(said)

    def _other_directs(self, number: int) -> Sentence:
        name = self._logged_in().get(number, "")
        return (
            Sentence("directing.other_directs", name=name) if name else Sentence("directing.unnamed_directs")
        )

    def _logged_in(self) -> dict[int, str]:
        """The names of the directors with a good log-in, by their numbers."""
        good = self.links.all()
        return {link.number: link.name for link in good if link.role == "director" and link.used}

    def _change(self, how: How, number: int, name: str) -> None:
        at = datetime.fromtimestamp(self._wall_s(), UTC).isoformat(timespec="seconds")
        change = DirectingChange(at=at, how=how, before=self.directs, number=number, name=name)
        self._kept = _Kept(directs=number, changes=[change, *self._kept.changes][:MOST_CHANGES])
        self._file.keep(self._kept)
        self.tell()


# The interface.


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


class SocketCommand(Struct, forbid_unknown_fields=True, kw_only=True):
    """A command over `WS /api/desk`. `id` is repeated in the answer; the rest is as in `POST
    /api/commands/{name}` and its headers `Idempotency-Key`, `If-Seq` and `If-Session`."""

    id: Annotated[int, Meta(ge=0, le=2**53)]
    command: Annotated[str, Meta(max_length=LONGEST_KEY)]
    body: Any = None
    key: str | None = None
    if_seq: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    if_session: Annotated[str, Meta(max_length=LONGEST_KEY)] | None = None


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


Number = Annotated[int, Meta(ge=0, le=2**53)]


class TakeOverBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """Of `POST /api/directing/take-over`: who directs as far as the one who asks knows; null: nobody."""

    directs: Number | None


class HandOverBody(Struct, forbid_unknown_fields=True):
    """Of `POST /api/directing/hand-over`: the number of who is to direct."""

    to: Number


class GameApi:
    """While core is away the feed's listeners keep their sockets and hear nothing, so that pages go stale by
    themselves; with core's return the whole picture comes at once."""

    def __init__(
        self,
        *,
        link: CoreLink,
        directing: Directing,
        login: Login,
        logo: StaticFile | None,
        state_dir: Path,
        defects: DefectCounter,
        boot_s: Callable[[], float],
    ) -> None:
        """`logo` of the event: None where there is none that can be shown."""
        self.link, self.login, self.state_dir, self.defects = link, login, state_dir, defects
        self._logo = logo
        self._directing = directing
        self._people = login.tokens.links.people
        self._claims = BucketsByKey(per_s=CLAIMS_A_S, at_once=CLAIMS, boot_s=boot_s)

    @get("/api/state", "public", hall=True, also=(503,))
    async def state(self, _request: web.Request) -> Picture:
        """The room picture of this moment.

        Never older than it says.
        """
        return await self.link.picture()

    @socket("/api/feed", "public", hall=True, also=(422,))
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: the picture at once and on every change, a beat once a second between.

        With `?version=2` only what differs comes after the first. 422: another version.
        """
        return await self._follow(request, self.link.feed)

    @socket("/api/phone", "public", hall=True, also=(422,))
    async def phone(self, request: web.Request) -> web.StreamResponse:
        """WebSocket for phones: their part of the picture, now and on every change, and beats.

        In places of its own. With `?version=2` only what differs comes after the first. 422: another version.
        """
        return await self._follow(request, self.link.phones)

    async def _follow(self, request: web.Request, feed: PictureBroadcaster) -> web.StreamResponse:
        version = request.query.get("version", "1")
        if version not in VERSIONS:
            raise Refusal(422, Sentence("web.no_such_version", known=", ".join(VERSIONS)))
        return await listen(request, feed, edition=version, refresh=self.link.refresh, hear=feed.hear)

    @get("/api/actions", "director", also=(422, 503))
    async def actions(self, request: web.Request) -> ActionsView:
        """The last actions, and what undoing them would leave; `?replace=` as in `undo`.

        422 when `replace` is no replacement. With the names of people in place of their numbers.
        """
        asked = request.query.get("replace")
        replace = None if asked is None else strict_json.decode(asked.encode())
        answer = await self.link.client.ask(AskActions(replace=replace, lang=request[LANGUAGE]))
        told, sources = answer.actions, self._people.sources()

        def named(actions: list[ActionView]) -> list[ActionView]:
            return [structs.replace(one, source=sources.get(one.source, one.source)) for one in actions]

        return structs.replace(told, actions=named(told.actions), undone=named(told.undone))

    @post(
        COMMAND_PATH,
        "director",
        also=(408, 409, 422, 503, 507),
        answer=Answered,
        named={"claim": "judge", "withdraw": "judge", "verdict": "judge", "identify": "technician"},
    )
    async def command(self, request: web.Request) -> web.StreamResponse:
        """A command to the game.

        200 accepted, 409 refused by the game, 422 malformed, 503 no core, 507 done but not saved.
        """
        given = _of_request(request)
        given.body = await read_json(request)
        status, said = await self.carry_out(given, request[PERSON], request)
        return json_answer(said, status, {} if said.accepted else language_headers(request[LANGUAGE]))

    @socket("/api/desk", "judge")
    async def desk(self, request: web.Request) -> web.StreamResponse:
        """WebSocket for who directs or judges: the feed's version 2 with what is allowed; takes commands.

        A command is answered by its id, with the status and the JSON that it has over HTTP.
        """
        desk = _Desk(self, request)
        return await listen(
            request,
            self.link.feed,
            edition="desk",
            refresh=self.link.refresh,
            hear=desk.hear,
            most=LONGEST_COMMAND,
        )

    async def carry_out(
        self, given: SocketCommand, person: Person, request: web.Request
    ) -> tuple[int, Answered]:
        """Status and answer. Raises a Refusal, and what core's client raises."""
        name, key, language = given.command, given.key, request[LANGUAGE]
        if name in CLAIMING and not self._claims.take(request[KEY], 1):
            raise Refusal(429, Sentence("web.too_many_claims"), {"Retry-After": "1"})
        against = self._directing.against(person, name, key)
        if against is not None:  # in the shape of core's answer, which is not asked
            return 409, Answered(False, self.link.seq, [words(against, language)], [view(against)])  # noqa: FBT003
        counts = bool(COUNTING.get(name))
        answer = await self.link.client.command(
            name,
            given.body,
            source=person.source,
            key=key,
            if_seq=given.if_seq if counts else None,
            if_session=given.if_session if counts else None,
            lang=language,
        )
        said = Answered(answer.accepted, answer.seq, answer.reasons, answer.reason_keys)
        if answer.accepted:
            return 200, said
        if answer.done:
            said.done = True
        return 507 if answer.done else 409, said

    @post("/api/halls/settle", "director", also=(409, 503))
    async def settle(self, request: web.Request, body: SettleBody) -> None:
        """Decide whether this controller or the other one leads, confirmed by a hall's name.

        409: not decided, with core's reason.
        """
        try:
            await self.link.client.ask(AskSettle(lead=body.lead, hall=body.hall, lang=request[LANGUAGE]))
        except CoreTrouble as refusal:
            raise Declined(refusal.sentence) from refusal

    @post("/api/sound/{action}", "technician", also=(404, 503), body=SoundBody)
    async def sound(self, request: web.Request) -> None:
        """Mute, make softer, or test the loudspeakers.

        422: the body does not belong to the action.
        """
        action = request.match_info["action"]
        if action not in SOUND_ACTIONS:
            known = ", ".join(SOUND_ACTIONS)
            raise Refusal(404, Sentence("web.sound_unknown_action", action=repr(action), known=known))
        may_say, wrong = SoundBody.__struct_fields__, Sentence("web.form_of_sound_action")
        await self.link.client.ask(
            await read_action(request, AskSound, may_say, wrong, do=action, lang=request[LANGUAGE])
        )

    @get(LOGO, "public", hall=True, also=(304, 404), media_type="image/*")
    async def logo(self, request: web.Request) -> web.StreamResponse:
        """The logo of the event, a PNG or SVG picture."""
        if self._logo is None:
            raise Refusal(404, Sentence("web.no_logo"))
        return file_answer(request, self._logo, ONLY_DRAWN)

    @socket("/api/directing", "director", answer=DirectingView)
    async def follow_directing(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: who directs and who is there, at once and on every change."""
        with self._directing.here(request[PERSON]):
            return await listen(request, self._directing.told)

    @post("/api/directing/take-over", "director", also=(409,))
    async def take_over(self, request: web.Request, body: TakeOverBody) -> None:
        """Direct from now on; refused when another one directs than the body says.

        409: another one directs by now.
        """
        _raise(self._directing.take_over(request[PERSON], body.directs))

    @post("/api/directing/hand-over", "director", also=(409,))
    async def hand_over(self, request: web.Request, body: HandOverBody) -> None:
        """Let another director, whose page is open, direct from now on.

        409: not one's own to give, or they are not there.
        """
        _raise(self._directing.hand_over(request[PERSON], body.to))


def _of_request(request: web.Request) -> SocketCommand:
    """The command that this request gives, without its body: its name, its key, and `seq` and `session` of
    the picture that the sender saw, where a field counts: `pause` must not be refused for a header. Raises a
    Refusal (422)."""
    given = SocketCommand(id=0, command=request.match_info["name"])
    given.key, *more = request.headers.getall("Idempotency-Key", [None])
    if more or not _is_key(given.key):
        raise Refusal(422, Sentence("web.idempotency_key", most=LONGEST_KEY))
    seqs, sessions = request.headers.getall("If-Seq", []), request.headers.getall("If-Session", [])
    if seqs and COUNTING.get(given.command):
        one = len(seqs) == 1 and len(sessions) <= 1
        if not one or not SEQ.fullmatch(seqs[0]) or not "".join(sessions).isascii():
            raise Refusal(422, Sentence("web.if_seq"))
        given.if_seq, given.if_session = int(seqs[0]), sessions[0] if sessions else None
    return given


def _is_key(key: str | None) -> bool:
    return key is None or (1 <= len(key) <= LONGEST_KEY and key.isascii() and key.isprintable())


COMMAND = DECLARED[GameApi.command]


class _Desk:
    """Commands that come over one socket. Each is answered for itself: none waits for the one before it."""

    def __init__(self, api: GameApi, request: web.Request) -> None:
        self._api = api
        self._request = request
        self._under_way: set[asyncio.Task[None]] = set()

    def hear(self, listener: Listener, text: str) -> bool:
        """For `listen`."""
        if self._api.link.feed.hear(listener, text):
            return True
        if len(self._under_way) >= MOST_UNANSWERED:
            return False
        task = asyncio.get_running_loop().create_task(self._answer(listener, text))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return True

    async def _answer(self, listener: Listener, text: str) -> None:
        read: list[SocketCommand] = []
        found = await awaited_value_of(self._carried_out(text, read))
        if isinstance(found, Exception):
            status, said = await self._refused(found)
        else:
            status, said = found
        number = read[0].id if read else None
        if listener.open:
            message = {"id": number, "status": status, "answer": said}
            listener.transport.write(text_frame(msgspec.json.encode(message)))

    async def _carried_out(self, text: str, read: list[SocketCommand]) -> tuple[int, object]:
        """What a request goes through before its handler, without what has not changed since the socket was
        opened; `read` gets the command."""
        given = strict_json.read_as(strict_json.decode(text.encode()), SocketCommand)
        read.append(given)
        if not _is_key(given.key):
            raise Refusal(422, Sentence("web.idempotency_key", most=LONGEST_KEY))
        person = self._api.login.still(self._request)
        if person is None:
            raise Refusal(401, Sentence("web.needs_log_in"))
        if person.role not in LET_IN[COMMAND.named.get(given.command, COMMAND.access)]:
            raise Refusal(403, Sentence("web.other_role"))
        return await self._api.carry_out(given, person, self._request)

    async def _refused(self, problem: Exception) -> tuple[int, object]:
        if isinstance(problem, Refusal):
            why = problem
        elif isinstance(problem, NOT_SERVED):
            why = await refusal_of(problem, self._api.state_dir)
        else:
            why = Refusal(500, self._api.defects.told(problem, self._request.path))
        return why.status, refused_command(why, self._request[LANGUAGE], self._api.link.seq)


def _raise(against: Sentence | None) -> None:
    if against is not None:
        raise Declined(against)
