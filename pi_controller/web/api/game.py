"""The game that runs: its picture, feeds, commands, sound and logo, and which director directs it.

Core decides on commands; here they are limited, and refused while another director directs.
"""

import contextlib
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
from aiohttp import web
from msgspec import UNSET, Meta, Struct, UnsetType, structs

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
from pi_controller.web.http.access import Clocks, LinkBook, People
from pi_controller.web.http.limits import BucketsByKey
from pi_controller.web.http.routes import (
    COMMAND_PATH,
    KEY,
    LANGUAGE,
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
from pi_controller.web.live.broadcaster import Broadcaster, listen
from pi_controller.web.live.core_link import CoreLink
from pi_controller.web.live.notes import KeptFile

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
        self._links = links
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
        good = self._links.all()
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

    @get("/api/state", "public", hall=True, also=(503,))
    async def state(self, _request: web.Request) -> Picture:
        """The room picture of this moment.

        Never older than it says.
        """
        return await self._link.picture()

    @socket("/api/feed", "public", hall=True)
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """WebSocket: the picture at once and on every change, a beat once a second between."""
        return await listen(request, self._link.feed, refresh=self._link.refresh)

    @socket("/api/phone", "public", hall=True)
    async def phone(self, request: web.Request) -> web.StreamResponse:
        """WebSocket for phones: their part of the picture, now and on every change, and beats.

        In places of its own.
        """
        return await listen(request, self._link.phones, refresh=self._link.refresh)

    @get("/api/actions", "director", also=(422, 503))
    async def actions(self, request: web.Request) -> ActionsView:
        """The last actions, and what undoing them would leave; `?replace=` as in `undo`.

        422 when `replace` is no replacement. With the names of people in place of their numbers.
        """
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
        also=(408, 409, 422, 503, 507),
        answer=Answered,
        named={"claim": "judge", "withdraw": "judge", "verdict": "judge", "identify": "technician"},
    )
    async def command(self, request: web.Request) -> web.StreamResponse:
        """A command to the game.

        200 accepted, 409 refused by the game, 422 malformed, 503 no core, 507 done but not saved.
        """
        name, language = request.match_info["name"], request[LANGUAGE]
        key, seq, session = _conditions(request, name)
        body = await read_json(request)
        if name in CLAIMING and not self._claims.take(request[KEY], 1):
            raise Refusal(429, Sentence("web.too_many_claims"), {"Retry-After": "1"})
        person = request[PERSON]
        against = self._directing.against(person, name, key)
        if against is not None:  # in the shape of core's answer, which is not asked
            said = Answered(False, self._link.seq, [words(against, language)], [view(against)])  # noqa: FBT003
            return json_answer(said, 409, language_headers(language))
        answer = await self._link.client.command(
            name,
            body,
            source=person.source,
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

    @post("/api/halls/settle", "director", also=(409, 503))
    async def settle(self, request: web.Request, body: SettleBody) -> None:
        """Decide whether this controller or the other one leads, confirmed by a hall's name.

        409: not decided, with core's reason.
        """
        try:
            await self._link.client.ask(AskSettle(lead=body.lead, hall=body.hall, lang=request[LANGUAGE]))
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
        await self._link.client.ask(
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


def _raise(against: Sentence | None) -> None:
    if against is not None:
        raise Declined(against)
