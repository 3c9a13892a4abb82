"""The control socket's language: one JSON value a line, each request with `version` and `id`.

A request is answered by one line with the same `id`: what was asked for, or a sentence as `malformed` or
`error`. `watch`, `panel`, `watch_tables`, `watch_uplink` and `watch_test` go on with lines without an `id`
until the asker hangs up.
"""

from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pi_controller.hal.names import ContactName, LampName, Loudspeaker
from pi_controller.language.languages import ENGLISH, chosen
from pi_controller.language.words import words
from pi_controller.protocol.answer_types import (
    ActionsAnswer,
    ChangeAnswer,
    CommandAnswer,
    DoneAnswer,
    ErrorAnswer,
    ExportLinesAnswer,
    GamesAnswer,
    LeaseAnswer,
    LinkAnswer,
    MalformedAnswer,
    MetricsAnswer,
    PictureAnswer,
    ProbeAnswer,
    RequestId,
    RosterAnswer,
    SeatCodesAnswer,
    StickAnswer,
    TablesAnswer,
)
from pi_controller.protocol.halls import AnyUplink, Hall, HallName, LinkState, Unread
from pi_controller.protocol.news import News, TestLine
from pi_controller.protocol.picture import VERSION, Picture
from pi_controller.protocol.probes import Purpose
from pi_controller.protocol.sentences import SentenceView, view
from pi_controller.protocol.simulated import SimAction
from pi_controller.protocol.sound import Minutes, SoundAction
from pi_controller.protocol.stick import CopyDeed
from pi_controller.protocol.tables import TableAction
from pi_controller.sentence import Sentence

LONGEST_ANSWER = 1024 * 1024
"""Bytes of an answer: 512 players' claims in one picture stay well below it."""

Who = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")]
SeatCode = Annotated[str, Meta(min_length=1, max_length=80)]
AnswerT = TypeVar("AnswerT")


class Question(Struct, Generic[AnswerT], forbid_unknown_fields=True, kw_only=True, tag_field="ask"):
    """A request that is answered with an `AnswerT`; a stream begins with it. `lang`, a tag such as `pl`: the
    language of the sentences in the answer; without one, or with one that is not there, they are English."""

    version: int = VERSION
    id: RequestId = 1
    lang: str | UnsetType = UNSET

    @property
    def language(self) -> str:
        """Of the sentences in the answer."""
        return chosen([self.lang]) or ENGLISH if isinstance(self.lang, str) else ENGLISH


class AskPicture(Question[PictureAnswer], tag="picture"):
    """The room picture once."""


class AskWatch(Question[PictureAnswer], tag="watch"):
    """The picture now and at each change, with a beat once a second between."""


class AskCommand(Question[CommandAnswer], tag="command"):
    """`key` makes a repeat harmless; `if_seq` of `if_session` is the picture that its sender saw."""

    name: str
    body: Any = None
    source: str = "cli"
    key: str | None = None
    if_seq: Annotated[int, Meta(ge=0)] | None = None
    if_session: str | None = None


class AskActions(Question[ActionsAnswer], tag="actions"):
    """The last actions, and what undoing them would leave; `replace` as in the body of `undo`."""

    replace: Any = None


class AskPanel(Question[News], tag="panel"):
    """What lamps, buzzer and display show, now and at each change; simulated hardware only."""


class AskSim(Question[DoneAnswer], tag="sim"):
    """Do something to the simulated panel; `contact` is the wire that `break_wire` cuts (None: NC where it is
    wired), `lamp` the one that `lamp_dead` means. `fact` lets the simulated computer say that `name`, such as
    `temperature_c`, is `value`."""

    do: SimAction
    contact: ContactName | None = None
    lamp: LampName | None = None
    name: str | None = None
    value: Any = None


class AskGames(Question[GamesAnswer], tag="games"):
    """All games in the state folder."""


class AskExportLines(Question[ExportLinesAnswer], tag="export_lines"):
    """A part of a game's journal; `from` is the first line wanted, from 0."""

    game: str
    first: int = msgspec.field(name="from", default=0)


class AskMetrics(Question[MetricsAnswer], tag="metrics"):
    """Figures for the technician."""


class AskTables(Question[TablesAnswer], tag="tables"):
    """The table nodes once."""


class AskWatchTables(Question[News], tag="watch_tables"):
    """The table nodes now and at each change, at most twice a second."""


class AskRoster(Question[RosterAnswer], tag="roster"):
    """The hall's roster."""


class AskSetRoster(Question[ChangeAnswer], tag="set_roster"):
    """Put this roster in place of the present one. It comes as somebody wrote it: `roster.checks.read`
    names every mistake."""

    roster: dict[str, Any]


class AskTable(Question[ChangeAnswer], tag="table"):
    """Do something to a table."""

    deed: TableAction


class AskTestBegin(Question[LeaseAnswer], tag="test_begin"):
    """Take the lease of the hardware for a test. It ends with `test_end`, when this connection is closed, or
    30 s after the last probe or `test_keep`. `take`: also from somebody else who has it."""

    who: Who
    purpose: Purpose
    take: bool = False


class _OfALease(Question[AnswerT]):
    lease: str


class AskTestKeep(_OfALease[DoneAnswer], tag="test_keep"):
    """The test goes on."""


class AskTestEnd(_OfALease[DoneAnswer], tag="test_end"):
    """The test is over: outputs follow the game again."""


class AskProbe(Question[ProbeAnswer], tag="probe"):
    """Do this to the hardware, or look at it; `probe` is one of `protocol.probes`. Those in `FREE` need no
    lease."""

    probe: Any
    lease: str | None = None


class AskWatchTest(_OfALease[TestLine], tag="watch_test"):
    """The button's contacts now, at each change and once a second, its edges, and presses at the tables,
    until the lease ends."""


class AskShowPin(Question[DoneAnswer], tag="show_pin"):
    """Show the log-in PIN on the local display for a minute; it goes nowhere else."""

    pin: Annotated[str, msgspec.Meta(pattern="^[0-9]{6}\\Z")]

    def __repr__(self) -> str:
        return "AskShowPin(…)"


class AskStaffPages(Question[DoneAnswer], tag="staff_pages"):
    """Where the staff's pages are, for the local display; said at each start of core and when it changes.
    `fingerprint` is that of their certificate, empty where they are not encrypted; `doubt` what browsers will
    say against it, now or soon."""

    address: Annotated[str, Meta(pattern=r"^https?://[!-~]{1,80}:[0-9]{1,5}\Z")]
    fingerprint: Annotated[str, Meta(pattern=r"^([0-9A-F]{2}(:[0-9A-F]{2}){31})?\Z")]
    doubt: SentenceView | None = None


class AskSound(Question[DoneAnswer], tag="sound"):
    """`mute` for so many `minutes`, without them until `release`; `duck` makes softer while the director
    speaks, until `unduck`; `test` names a loudspeaker on it."""

    do: SoundAction
    minutes: Minutes | None = None
    loudspeaker: Loudspeaker = "both"


class AskStick(Question[StickAnswer], tag="stick"):
    """The sticks that are there, and how far saving has come. `save`: begin to write all games and reports of
    the evening on the stick in this place, unless more than `seen` times was begun already."""

    save: str | None = None
    seen: int = 0


class AskCopy(Question[ChangeAnswer], tag="copy"):
    """What is to become of another controller's copy that was found in the place of the second copy."""

    deed: CopyDeed


class AskPinGuesses(Question[DoneAnswer], tag="pin_guesses"):
    """So many wrong PINs came within the last hour; said after each."""

    wrong: Annotated[int, msgspec.Meta(ge=1, le=10_000)]


class AskSeatClaim(Question[CommandAnswer], tag="seat_claim"):
    """A claim of the device that holds this seat `code`. `pressed_us` is when its press began, on core's
    clock (CLOCK_BOOTTIME), as the device has measured that to within `error_us`; core believes it within
    bounds. `round_trip_us` is the smallest of the newest round trips to the device, measured by who asks;
    None: none was seen. `key` makes a repeat harmless."""

    code: SeatCode
    key: Annotated[str, Meta(pattern="^[0-9A-Za-z-]{8,64}\\Z")]
    pressed_us: int
    error_us: Annotated[int, Meta(ge=0, le=3_600_000_000)]
    round_trip_us: Annotated[int, Meta(ge=0, le=3_600_000_000)] | None = None


class AskSeatTaken(Question[DoneAnswer], tag="seat_taken"):
    """Another device than before holds this seat."""

    code: SeatCode


class AskSeatCodes(Question[SeatCodesAnswer], tag="seat_codes"):
    """The codes of all seats of the roster, after those of the board `revoke` have been made worthless."""

    revoke: Who | None = None


class AskLink(Question[LinkAnswer], tag="link"):
    """How it stands with the other halls, said by the links process once a second. `trouble` is what the
    director must know; `halls` are the others that a leader has heard of, or the leader of a follower."""

    state: LinkState
    leader: HallName | None = None
    term: Annotated[int, Meta(ge=0)] = 0
    halls: list[Hall] = []
    trouble: SentenceView | None = None
    unread: list[Unread] = []
    settled: str | None = None
    """The settlement that was carried out last."""


class AskSettle(Question[DoneAnswer], tag="settle"):
    """A person decides between controllers that lead: with `lead` this one does from now on, without it the
    other one. `hall` is what was typed: the name of the hall that shall lead."""

    lead: bool
    hall: Annotated[str, Meta(max_length=40)]


class AskKeepTerm(Question[DoneAnswer], tag="keep_term"):
    """A person has decided that this controller leads: its new term, and the leases over which that was
    decided, are to be on the disk before anybody hears of it."""

    term: Annotated[int, Meta(ge=1)]
    over: Annotated[list[str], Meta(max_length=64)]


class AskFollow(Question[DoneAnswer], tag="follow"):
    """News from the leader: its newest picture, or with None that nothing has changed. Its clock is
    `offset_us` ahead of this one's, to within `error_us`; None: it has not told its time yet. `heard_us`:
    when its core was last known to live, on this computer's clock; None: not yet, and the picture may be an
    old one that the broker kept."""

    leader: HallName
    term: Annotated[int, Meta(ge=0)]
    offset_us: int | None
    error_us: Annotated[int, Meta(ge=0)]
    heard_us: Annotated[int, Meta(ge=0)] | None
    picture: Picture | None = None


class AskWatchUplink(Question[News], tag="watch_uplink"):
    """What this follower has for its leader, now and as it comes, each once a connection; it stays until
    `uplink_done`."""


class AskUplinkDone(Question[DoneAnswer], tag="uplink_done"):
    """The leader has answered what has this `key`."""

    key: str
    accepted: bool
    reasons: list[SentenceView] = []


class AskHallCommand(Question[CommandAnswer], tag="hall_command"):
    """To the leader: what another hall has for it, with `at_us` on this core's clock."""

    hall: HallName
    uplink: AnyUplink


Request = (
    AskPicture
    | AskWatch
    | AskCommand
    | AskActions
    | AskPanel
    | AskSim
    | AskGames
    | AskExportLines
    | AskMetrics
    | AskTables
    | AskWatchTables
    | AskRoster
    | AskSetRoster
    | AskTable
    | AskTestBegin
    | AskTestKeep
    | AskTestEnd
    | AskProbe
    | AskWatchTest
    | AskShowPin
    | AskStaffPages
    | AskSound
    | AskStick
    | AskCopy
    | AskPinGuesses
    | AskSeatClaim
    | AskSeatTaken
    | AskSeatCodes
    | AskLink
    | AskFollow
    | AskWatchUplink
    | AskUplinkDone
    | AskHallCommand
    | AskSettle
    | AskKeepTerm
)
REQUESTS: dict[str, type[Request]] = {str(kind.__struct_config__.tag): kind for kind in Request.__args__}
OF_LINKS = frozenset(
    str(kind.__struct_config__.tag)
    for kind in (
        *(AskLink, AskKeepTerm, AskFollow, AskWatchUplink, AskUplinkDone, AskHallCommand),
        *(AskPicture, AskWatch, AskWatchTables, AskRoster),
    )
)
"""What the links process may ask, which hands on what strangers have published."""
ANSWERS: dict[type[Question[Any]], Any] = {
    kind: kind.__orig_bases__[0].__args__[0] for kind in Request.__args__
}
"""What each request is answered with."""


def answer_type(request: Question[AnswerT]) -> type[AnswerT]:
    """What it is answered with; for a stream, what its first line is."""
    kind: type[AnswerT] = ANSWERS[type(request)]
    return kind


def encode(answer: Struct) -> bytes:
    """The line of an answer or of news."""
    return msgspec.json.encode(answer) + b"\n"


def encode_malformed(request_id: RequestId | None, said: Sentence, language: str = ENGLISH) -> bytes:
    """The line that answers what is no request, with this sentence."""
    return encode(MalformedAnswer(id=request_id, malformed=words(said, language), malformed_key=view(said)))


def encode_error(request_id: RequestId | None, said: Sentence, language: str = ENGLISH) -> bytes:
    """The line that answers with this sentence."""
    return encode(ErrorAnswer(id=request_id, error=words(said, language), error_key=view(said)))
