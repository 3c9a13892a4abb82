"""The control socket's language: one JSON value a line, each request with `version` and `id`.

A request is answered by one line with the same `id`: what was asked for, or a sentence as `malformed` or
`error`. `watch`, `panel`, `watch_tables`, `watch_uplink` and `watch_test` go on with lines without an `id`
until the asker hangs up.
"""

from collections.abc import Container
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pi_controller.game.room import PositiveOrZero
from pi_controller.hal.names import ContactName, LampName, Loudspeaker
from pi_controller.journal.witnesses import GameSummary
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import all_words, words
from pi_controller.protocol.errors import Malformed, RequestId
from pi_controller.protocol.firmware import FirmwareDeed, FirmwareView
from pi_controller.protocol.picture import (
    AnyUplink,
    Beat,
    Hall,
    HallName,
    LinkState,
    Minutes,
    Picture,
    Settlement,
    SoundAction,
    Unread,
)
from pi_controller.protocol.probes import Purpose, TestNews, read_probe
from pi_controller.protocol.question import (
    LONGEST_REQUEST,
    VERSION,
    AnswerT,
    AskCommand,
    CommandAnswer,
    Question,
    encode,
)
from pi_controller.protocol.sentences import SentenceView, view, views
from pi_controller.protocol.settings import SettingChanges, SettingsView
from pi_controller.protocol.simulated import PanelPicture, SimAction, check_sim
from pi_controller.protocol.strict_json import check_values, decode, read_as, shown
from pi_controller.protocol.tables import TableAction, TablesSnapshot, check_action
from pi_controller.roster.model import Roster
from pi_controller.sentence import Sentence
from pi_controller.software import Software
from pi_controller.vocabulary import Phase, Side

# Seat codes as they come over the control socket.


class SeatCodeView(Struct, kw_only=True, frozen=True):
    """What is printed for a side of a board, and lets one device claim for it."""

    board: str
    side: Side
    code: str


# The evening on a stick: what is there, and how far it has come.


StickState = Literal["none", "working", "done", "failed"]
StickStep = Literal["reports", "writing"]


class StickPlace(Struct, kw_only=True, frozen=True):
    """A stick that is mounted; `free_kib` is null where it does not tell."""

    place: str
    name: str
    free_kib: int | None
    read_only: bool


class StickFile(Struct, frozen=True):
    name: str
    bytes: int


class StickView(Struct, kw_only=True):
    """`number`: so many times saving was begun since core runs; the rest is about the last of them. `done` of
    so many files `of` its present step. `folder` and `files` were written and read back."""

    sticks: list[StickPlace]
    number: int = 0
    state: StickState = "none"
    place: str = ""
    step: StickStep = "reports"
    done: int = 0
    of: int = 0
    folder: str = ""
    files: list[StickFile] = []
    reason: str = ""
    reason_key: SentenceView | None = None


class StickLine(Struct, kw_only=True):
    """A line of `pi-controller stick --lines`: how far it is, at last what was written or why not."""

    step: StickStep = "reports"
    done: int = 0
    of: int = 0
    folder: str = ""
    files: list[StickFile] = []
    reason: SentenceView | None = None


# A USB key as the pause button.


ButtonChange = Literal["choose", "stop", "forget"]
"""Take the next key that is pressed; take none after all; have no button any more."""


class ButtonView(Struct, kw_only=True):
    """`usable`: the settings let a USB key be the pause button. `name` of the chosen device is for people and
    empty without one; `key` is its code in linux/input-event-codes.h. `presses` counts since core's start.
    `sentence`: why it is no button at present, or why nothing was chosen."""

    usable: bool
    choosing: bool = False
    name: str = ""
    device: str = ""
    key: int | None = None
    pressed: bool = False
    presses: int = 0
    sentence: str | None = None
    sentence_key: SentenceView | None = None


class CopyDeed(Struct, frozen=True, forbid_unknown_fields=True):
    """What is to become of a second copy that holds another controller's unfinished `game`: `take_over` ends
    core, which goes on with that game at its next start; `use` lets this hall write to the device, beside
    what is there."""

    do: Literal["take_over", "use"]
    game: str


# The last actions of the game as they are published, with what undoing and redoing them would leave.


class OutcomeView(Struct, kw_only=True):
    """The game as it would be, in fields of the picture; or why that is refused: then `reasons` are the
    sentences, `keys` the same before they were put into words, and the rest is as it stands now. `unseen` and
    nothing else: it would be done, and what then comes is a roll that the hall has not seen."""

    phase: Phase | Literal["unseen"]
    round: PositiveOrZero | UnsetType = UNSET
    side: str | UnsetType | None = UNSET
    paused: bool | UnsetType = UNSET
    remaining_ms: PositiveOrZero | UnsetType = UNSET
    open_claims: PositiveOrZero | UnsetType = UNSET
    reasons: list[str] | UnsetType = UNSET
    keys: list[SentenceView] | UnsetType = UNSET


class ActionView(Struct, kw_only=True):
    """What was done and who did it: `web`, `cli`, `button`, `table`, `system` or the name that a program gave
    itself. `at_ms` is its moment on core's clock."""

    id: int
    at_ms: int
    source: str
    text: str
    said: SentenceView
    """What `text` says, before it was put into words."""
    steps: int | None
    """The undo (or redo) of this action is so many away; None: none is foreseen."""
    outcome: OutcomeView | None
    """What the game would be after so many of them."""


class ActionsView(Struct, kw_only=True):
    """As of the picture `seq` of `session`, newest first. `outcome` is that of an undo with the replacement
    that was asked about; None without one."""

    game_id: str
    session: str
    seq: PositiveOrZero
    as_of_ms: int
    actions: list[ActionView]
    undone: list[ActionView]
    """In the order in which redo brings them back."""
    outcome: OutcomeView | None


# What core answers over the control socket, a line each, with the `id` of the request.


class PictureAnswer(Struct, kw_only=True):
    """`software` is core's own."""

    id: RequestId
    picture: Picture
    software: Software


class GamesAnswer(Struct, kw_only=True):
    id: RequestId
    games: list[GameSummary]


class ExportLinesAnswer(Struct, kw_only=True):
    id: RequestId
    lines: list[str]
    more: bool


class MetricsAnswer(Struct, kw_only=True):
    """Each a number, or numbers by a label such as `segment="1"`."""

    id: RequestId
    metrics: dict[str, float | dict[str, float]]


class TablesAnswer(Struct, kw_only=True):
    id: RequestId
    tables: TablesSnapshot


class RosterAnswer(Struct, kw_only=True):
    id: RequestId
    roster: Roster


class SeatCodesAnswer(Struct, kw_only=True):
    id: RequestId
    codes: list[SeatCodeView]


class ChangeAnswer(Struct, kw_only=True):
    """To `set_roster` and `table`; `reasons` are all mistakes in sentences, and nothing was changed then."""

    id: RequestId
    accepted: bool
    reasons: list[str] = []
    reason_keys: list[SentenceView] = []


class FirmwareAnswer(ChangeAnswer, kw_only=True):
    """`firmware` is how it stands then, whether accepted or not."""

    firmware: FirmwareView


class LeaseAnswer(ChangeAnswer, kw_only=True):
    """To `test_begin`; `lease` goes with everything that belongs to the test."""

    lease: str | None = None


class SettingsAnswer(Struct, kw_only=True):
    id: RequestId
    settings: SettingsView


class SetSettingsAnswer(ChangeAnswer, kw_only=True):
    """All changes or none; `mistakes` are the reasons by the key of the setting that each is about."""

    mistakes: dict[str, list[str]] = {}


class ProbeAnswer(Struct, kw_only=True):
    """`result` is what `protocol.probes.RESULTS` names for the probe."""

    id: RequestId
    result: Any


class ActionsAnswer(Struct, kw_only=True):
    id: RequestId
    actions: ActionsView


class StickAnswer(Struct, kw_only=True):
    id: RequestId
    stick: StickView


class ButtonAnswer(Struct, kw_only=True):
    id: RequestId
    button: ButtonView


class DoneAnswer(Struct, kw_only=True):
    id: RequestId
    done: bool = True


class LinkAnswer(Struct, kw_only=True):
    """To the links process. `controller`: by what the halls know this one; `term`, `over`: its lease, as
    kept on its disk; `lease_key`: by what it proves them, where it has the halls' pairing key; `settle`:
    what a person has decided, until it is carried out."""

    id: RequestId
    controller: str
    term: int = 1
    over: tuple[str, ...] = ()
    lease_key: str | None = None
    settle: Settlement | None = None


# What a stream brings, line by line, after its first answer.


class News(Struct, kw_only=True):
    """Any line of a stream; what it does not carry is None, but for `on`."""

    picture: Picture | None = None
    on: PositiveOrZero = 0
    """The `seq` of the picture on which a change rests; 0: none."""
    change: dict[str, Any] | None = None
    allowed: dict[str, Any] | None = None
    """Of a change the commands that differ."""
    beat: Beat | None = None
    panel: PanelPicture | None = None
    tables: TablesSnapshot | None = None
    test: TestNews | None = None
    uplink: AnyUplink | None = None


Who = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")]
FirmwareBoards = Annotated[list[Who], Meta(min_length=1, max_length=256)]
SeatCode = Annotated[str, Meta(min_length=1, max_length=80)]


class AskPicture(Question[PictureAnswer], tag="picture"):
    """The room picture once."""


class AskWatch(Question[PictureAnswer], tag="watch"):
    """The picture now and at each change, with a beat once a second between. With `changes` only what differs
    comes after the first (`protocol.changes`), or a whole picture where there is none to rest on."""

    changes: bool = False


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


class AskFirmware(Question[FirmwareAnswer], tag="firmware"):
    """New firmware for the tables over their cables. `begin` takes the hardware as a test does, and asks for
    consent: a press at the table that gets it first, or `consent`; `stop` ends it at any moment. `boards`:
    these alone; `again`: those too that have this firmware."""

    do: FirmwareDeed = "look"
    who: Who = "?"
    boards: FirmwareBoards | None = None
    again: bool = False


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


class AskWatchTest(_OfALease[News], tag="watch_test"):
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


class AskButton(Question[ButtonAnswer], tag="button"):
    """The USB key that is the pause button. `choose` takes the first key of a USB or Bluetooth device that is
    pressed and let go within 20 s; it is answered at once, and `choosing` says whether it goes on."""

    do: Literal[ButtonChange, "look"] = "look"


class AskCopy(Question[ChangeAnswer], tag="copy"):
    """What is to become of another controller's copy that was found in the place of the second copy."""

    deed: CopyDeed


class AskSettings(Question[SettingsAnswer], tag="settings"):
    """The settings that pages may change."""


class AskSetSettings(Question[SetSettingsAnswer], tag="set_settings"):
    """All of these changes or none."""

    changes: SettingChanges


class AskRestart(Question[ChangeAnswer], tag="restart"):
    """Start the controller again, so that all settings count; between games only."""


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
    halls: list[Hall] = msgspec.field(default_factory=list)
    trouble: SentenceView | None = None
    unread: list[Unread] = msgspec.field(default_factory=list)
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
    reasons: list[SentenceView] = msgspec.field(default_factory=list)


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
    | AskFirmware
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
    | AskButton
    | AskCopy
    | AskSettings
    | AskSetSettings
    | AskRestart
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


def encode_malformed(request_id: RequestId | None, said: Sentence, language: str = ENGLISH) -> bytes:
    """The line that answers what is no request: `malformed` is the sentence, `malformed_key` the same before
    it was put into words."""
    return encode({"id": request_id, "malformed": words(said, language), "malformed_key": view(said)})


def encode_error(request_id: RequestId | None, said: Sentence, language: str = ENGLISH) -> bytes:
    """The line that answers with this sentence, as `error` and `error_key`."""
    return encode({"id": request_id, "error": words(said, language), "error_key": view(said)})


def encode_change(request: Question[ChangeAnswer], against: tuple[Sentence, ...]) -> bytes:
    """The line that says whether it was done: not, where anything stands against it."""
    told, keys = all_words(against, request.language), views(against)
    return encode(ChangeAnswer(id=request.id, accepted=not against, reasons=told, reason_keys=keys))


def decode_request(line: bytes, only: Container[str] = REQUESTS) -> Request:
    """The request in this line, of those that this asker may make. Malformed carries the id as far as it was
    readable."""
    if len(line) > LONGEST_REQUEST:
        raise Malformed(Sentence("request.too_long", most=LONGEST_REQUEST, length=len(line)))
    if "command" in only and (plain := _plain_command(line)) is not None:
        return plain
    value = decode(line)
    if not isinstance(value, dict):
        raise Malformed(Sentence("request.no_object", value=shown(value)))
    request_id = value.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, int | str):
        raise Malformed(Sentence("request.without_id"))
    try:
        return _request(value, only)
    except Malformed as error:
        raise Malformed(error.sentence, request_id=request_id) from error


_plain = msgspec.json.Decoder(AskCommand)
_begins = encode(AskCommand(name=""))[:19]
"""As the line of each command of our own clients does."""


def _plain_command(line: bytes) -> AskCommand | None:
    """A command without a body in a line which is just what our own clients write: nothing in it can be read
    in two ways. It takes a tenth of the time, and a pause is one. None: it is read as any other line."""
    if not line.startswith(_begins):
        return None
    try:
        command = _plain.decode(line)
        check_values([command.id, command.if_seq])
    except (msgspec.DecodeError, Malformed):
        return None
    plain = not command.body and command.version == VERSION and encode(command) == line
    return command if plain else None


def _request(value: dict[str, Any], only: Container[str]) -> Request:
    if value.get("version") != VERSION:
        raise Malformed(Sentence("request.other_version", version=shown(value.get("version")), own=VERSION))
    asked = value.get("ask")
    if not isinstance(asked, str) or asked not in REQUESTS:
        raise Malformed(Sentence("request.not_asked", name=shown(asked), known=", ".join(REQUESTS)))
    if asked not in only:
        raise Malformed(Sentence("request.not_for_this_process", name=asked))
    expected = REQUESTS[asked]
    try:
        request: Request = read_as(value, expected)
    except Malformed as error:
        if expected is AskShowPin:
            raise Malformed(Sentence("request.wrong_pin")) from None  # which would quote what may be a PIN
        raise Malformed(Sentence("request.of_command", command=asked, problem=error.sentence)) from error
    if isinstance(request, AskSim):
        check_sim(request.do, contact=request.contact, lamp=request.lamp, name=request.name)
    if isinstance(request, AskProbe):
        request.probe = read_probe(request.probe)
    if isinstance(request, AskTable):
        check_action(request.deed)
    return request
