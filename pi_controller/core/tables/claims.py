"""Claims from table nodes and phones: each becomes one command of the game, and its outcome is published.

A claim may be heard several times: after lost frames, a restarted segment or a restart of core. The key of
its command, kept in the journal, makes it count once (`ClaimKeys`).
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

from pi_controller.bus.values import BusEvent, ClaimHeard, ClaimOutcome, NodeClaim, NodeClaimStatus
from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import Answer, PendingCommand
from pi_controller.core.game_loop.picture import NoSuchBoard
from pi_controller.core.runtime import Alarm, Tasks, Threads, Timers
from pi_controller.core.tables.roster import RosterKeeper
from pi_controller.game.claims import board_key
from pi_controller.game.commands import NAMES, Claim, Start, Turn, Withdraw
from pi_controller.game.room import ClaimView, Room
from pi_controller.game.rule_sets import RuleSet
from pi_controller.game.turn_order import Seat
from pi_controller.hal.roles import TableBus
from pi_controller.language.system_errors import why
from pi_controller.protocol.messages import AskSeatClaim, SeatCodeView
from pi_controller.protocol.picture import Picture
from pi_controller.roster.model import Roster
from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES, Side

# Keys of claims. The same claim always has the same key, different claims have different ones. A node numbers
# its claims from 1 to 255 and then from 1 again, starting anywhere. A side has one claim at a time, and a
# node reports no other, so what is heard is compared with the side's newest claim only. A number that is used
# again gets a key of its own.


PREFIX = "table/"
SAME_CONTACT_NS = 1_000_000_000
"""First contacts of two claims of a side are further apart than this, since a hold of 0.6 s lies between; a
node's later correction of its claim's time is smaller."""

Heard = Literal["new", "again", "older"]
"""A new claim; the side's newest one again; or an older one that its node no longer reports."""


@dataclass(slots=True)
class _Newest:
    identity: str
    key: str
    at_ns: int | None
    """None: it was heard by an earlier run of core."""


class ClaimKeys:
    """`kept`: the keys in the journal, oldest first. `began_ns`: CLOCK_BOOTTIME of this core's start."""

    def __init__(self, kept: Iterable[str], *, began_ns: int) -> None:
        self._began_ns = began_ns
        self._newest: dict[tuple[str, str], _Newest] = {}
        self._uses: dict[str, int] = {}
        for key in kept:
            parts = key.removesuffix("/withdraw").split("/")
            identity = "/".join(parts[:5])
            self._uses[identity] = int(parts[5]) if len(parts) == 6 else 1
            self._newest[parts[1], parts[3]] = _Newest(identity, "/".join(parts), None)

    def key(self, claim: NodeClaim, at_ns: int) -> tuple[str, Heard]:
        """The key of this claim and what it is; `at_ns` is its first contact in CLOCK_BOOTTIME."""
        identity = f"{PREFIX}{claim.uid}/{claim.boots}/{claim.side}/{claim.number}"
        newest = self._newest.get((claim.uid, claim.side))
        if newest is not None and newest.identity == identity:
            # What an earlier core heard had its first contact before this one began.
            known_ns = self._began_ns if newest.at_ns is None else newest.at_ns
            if at_ns <= known_ns + SAME_CONTACT_NS:
                return newest.key, "again"
        elif newest is not None and newest.at_ns is not None and at_ns <= newest.at_ns:
            return _numbered(identity, self._uses.get(identity, 1)), "older"
        self._uses[identity] = self._uses.get(identity, 0) + 1
        key = _numbered(identity, self._uses[identity])
        self._newest[claim.uid, claim.side] = _Newest(identity, key, at_ns)
        return key, "new"


def _numbered(identity: str, use: int) -> str:
    return identity if use == 1 else f"{identity}/{use}"


# Faulty buttons: those that claim faster than a hand can are reported, and their claims are not listed.


MOST = 10
WINDOW_NS = 10_000_000_000
"""A claim and its withdrawal are two holds of 0.6 s: a hand manages eight claims in this time."""
QUIET_NS = 60_000_000_000
"""After this time without a claim the button counts as repaired."""
Button = tuple[str, Side]
"""A node's id and a side."""


class ClaimNoise:
    """Finds faulty buttons. Pure; times are CLOCK_BOOTTIME at which claims were heard."""

    def __init__(self) -> None:
        self._heard_ns: dict[Button, deque[int]] = {}
        self._noisy: set[Button] = set()

    def heard(self, button: Button, now_ns: int) -> bool:
        """Record a new claim. Returns whether its button is faulty."""
        times = self._heard_ns.setdefault(button, deque(maxlen=MOST + 1))
        times.append(now_ns)
        if len(times) > MOST and now_ns - times[0] < WINDOW_NS:
            self._noisy.add(button)
        return button in self._noisy

    def faulty(self, button: Button) -> bool:
        return button in self._noisy

    def look(self, now_ns: int) -> tuple[list[Button], list[Button]]:
        """The faulty buttons, and those that recovered since the last look."""
        quiet = [button for button in self._noisy if now_ns - self._heard_ns[button][-1] >= QUIET_NS]
        self._noisy.difference_update(quiet)
        return sorted(self._noisy), quiet


# Outcomes: what a node is told of its claim, by the room's state. Pure.


JUDGED_IN_PAUSE = frozenset({"claim", "button", "director"})
"""Reasons of a pause in which somebody comes to count."""
OVER = ("collecting", "ended")
"""Phases after the last round."""
BEFORE_GAME = Sentence("claim.before_this_game")
UNKNOWN_TIME = Sentence("claim.unknown_time")


def claim_of(shown: Room, board: str, seat: Seat) -> ClaimView | None:
    """The claim of this board and seat: the open one, otherwise the newest."""
    own = [
        (record.status == "open", at, record)
        for at, record in enumerate(shown.claims)
        if record.board is not None and record.side == seat and board_key(record.board) == board_key(board)
    ]
    return max(own)[-1] if own else None


def refused_as(shown: Room, *, never: bool) -> NodeClaimStatus:
    """Status of a claim that the game refused; `never`: it was not submitted to the game."""
    return "withdrawn" if never or shown.phase in OVER else "wait"


def status_of(record: ClaimView | None, shown: Room) -> NodeClaimStatus:
    """Status of a claim that the game accepted; None: an undo has removed it."""
    if record is None:
        return "withdrawn"
    if record.status == "confirmed":
        return _of_checked(record, shown)
    if record.status != "open":
        return record.status
    if record.passed:
        return "withdrawn"
    return "judge_comes" if JUDGED_IN_PAUSE.intersection(shown.pause_reasons) else "open"


def _of_checked(record: ClaimView, shown: Room) -> NodeClaimStatus:
    """Status of a claim with a checked sheet. A node shows `confirmed` as victory, which a checked sheet
    alone is not."""
    if any(winner.claim == record.id for winner in shown.winners):
        return "confirmed"
    return "withdrawn" if shown.phase == "ended" else "open"


# Time of a claim, on the clock of a game that may have stood still since.


FUTURE_NS = 1_000_000_000
"""A first contact further in the future than this is invalid (the wire's clock wraps)."""


@dataclass(frozen=True, slots=True)
class StoodStill:
    """No game time passed while core was away, for this long before the anchor of the game's clock."""

    game_id: str
    down_ns: int | None
    """None: the machine was restarted too, so earlier times are meaningless."""


class PressTimes:
    """Corrects the times of claims. All times are CLOCK_BOOTTIME."""

    def __init__(self, *, loop: GameLoop, timers: Timers, stood_still: StoodStill | None) -> None:
        self._loop = loop
        self._timers = timers
        self._stood_still = stood_still

    def standing(self, at_ns: int) -> int:
        """The first contact on the clock that stood still while core was away."""
        stood, anchor_ns = self._stood_still, self._loop.time.anchor_boot_ns
        if stood is None or stood.game_id != self._loop.game.game_id or at_ns >= anchor_ns:
            return at_ns
        return anchor_ns if stood.down_ns is None else min(anchor_ns, at_ns + stood.down_ns)

    def never(self, at_ns: int) -> Sentence | None:
        """Why a claim of this moment is not submitted to the game; None if it is."""
        if at_ns > self._timers.boot_ns() + FUTURE_NS:
            return UNKNOWN_TIME
        began_ns = next(
            (action.seen_ns for action in self._loop.game.actions if isinstance(action.command, Start)), 0
        )
        return BEFORE_GAME if self._loop.time.game_ns(at_ns) < began_ns else None


# Seats: who sits at which board, and what the button there does. Pure.


def seat_at(rules: RuleSet, roster: Roster, *, board: str, side: Side) -> Seat:
    """The seat at this side of a board. In a hall the first two seats sit at each board. At one table, with
    one node for two seats, the boards of the roster have the next two seats in order; a side left over gets a
    name that no seat has."""
    names = [one.name for one in roster.boards] if rules.play == "turns" else []
    at = 2 * (names.index(board) if board in names else 0) + SIDES.index(side)
    return rules.seats[at] if at < len(rules.seats) else f"{board} {side}"


def pressed(rules: RuleSet, claim: Claim) -> Claim | Turn:
    """What a press of a seat's button means: a claim or, in a game of turns, `turn` (rule K4)."""
    return Turn(claim.side) if rules.play == "turns" else claim


SOURCE = "table"


@dataclass(slots=True)
class _Heard:
    """The newest claim of one side of one node."""

    claim: NodeClaim
    at_us: int
    board: str
    key: str
    record: str | None = None
    """Its id in the game, once accepted."""
    refused: NodeClaimStatus | None = None
    """What its node shows, once refused."""
    taking_back: bool = False
    awaited: bool = False
    """The leader has accepted it, but it is not in the leader's picture yet."""


class ClaimInterceptor(Protocol):
    """A hardware test's part in the tables."""

    maintains: bool
    """True if tables show that they are under maintenance."""
    outcomes: tuple[ClaimOutcome, ...]
    """Outcomes of the newest claim that tests took from each side: withdrawn, once its test has ended."""

    def takes(self, event: BusEvent) -> bool:
        """Called first for each event. Returns True if it belongs to the test and not to the game."""


class TableClaims:
    """Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        commands: CommandQueue,
        tasks: Tasks,
        bus: TableBus,
        tap: ClaimInterceptor,
        keeper: RosterKeeper,
        timers: Timers,
        times: PressTimes,
    ) -> None:
        self._loop = loop
        self._commands = commands
        self._tasks = tasks
        self._bus = bus
        self._tap = tap
        self._keeper = keeper
        self._timers = timers
        self._times = times
        self._picture: Picture | None = None
        self._keys = ClaimKeys(commands.answers.keys(PREFIX), began_ns=timers.boot_ns())
        self._noise = ClaimNoise()
        self._heard: dict[tuple[str, Side], _Heard] = {}
        self._game_id = loop.game.game_id

    def heard(self, event: ClaimHeard) -> None:
        """A node has reported a claim."""
        claim, at_ns = event.claim, event.at_us * 1_000
        key, what = self._keys.key(claim, at_ns)
        if what == "older" and self._commands.answers.get(key) is not None:
            return
        heard = self._heard.get((claim.uid, claim.side))
        if heard is None or heard.key != key:
            heard = _Heard(claim, event.at_us, self._keeper.board_of(claim.uid), key)
            if what != "older":
                self._heard[claim.uid, claim.side] = heard
        faulty = what == "new" and self._noise.heard((claim.uid, claim.side), self._timers.boot_ns())
        if (
            faulty
            and (standing := self._record_of(heard, self._loop.picture())) is not None
            and standing.status == "open"
        ):
            heard.record = standing.id
            self.publish()
            return
        faulty = faulty or self._noise.faulty((claim.uid, claim.side))
        self._tasks.start(self._put(heard, self._times.standing(at_ns), faulty=faulty))

    def taken_back(self, claim: NodeClaim) -> None:
        """Withdraw a claim for its player, unless it is judged already. Claims of a faulty button are left to
        the director."""
        heard = self._heard.get((claim.uid, claim.side))
        if heard is None or heard.claim != claim or self._noise.faulty((claim.uid, claim.side)):
            return
        heard.taking_back = True
        if heard.record is not None:
            self._withdraw(heard, heard.record)

    def look(self) -> None:
        """Report faulty buttons."""
        faulty, quiet = self._noise.look(self._timers.boot_ns())
        for uid, side in quiet:
            self._loop.report(f"button {uid} {side}", "warning", None)
        for uid, side in faulty:
            self._loop.report(f"button {uid} {side}", "warning", self._too_fast(uid, side))

    def _too_fast(self, uid: str, side: Side) -> Sentence:
        rules = self._loop.game.rules
        name = rules.side_name(rules.seats[SIDES.index(side)])
        return Sentence("claim.too_fast", board=self._keeper.board_of(uid), side=name)

    async def _put(self, heard: _Heard, at_ns: int, *, faulty: bool) -> None:
        """Submit a claim to the game and publish its outcome."""
        pending = self._pending(heard, at_ns, faulty=faulty)
        sentence = self._times.never(at_ns)
        if sentence is None or self._commands.answers.get(heard.key) is not None:
            await self._commands.carry_out(pending)
        else:
            self._commands.refuse(pending, sentence)
        if heard.record is None and heard.refused is None:
            self._decided(heard, never=sentence is not None)
        self.publish()

    def _pending(self, heard: _Heard, at_ns: int, *, faulty: bool) -> PendingCommand:
        claim = heard.claim
        command = pressed(
            self._loop.game.rules,
            Claim(self._loop.board(heard.board), self._seat(claim), "faulty" if faulty else "well"),
        )
        return PendingCommand(
            name=NAMES[type(command)],
            body={"node": claim.uid, "side": claim.side, "number": claim.number},
            command=command,
            source=SOURCE,
            at_ns=at_ns,
            key=heard.key,
        )

    def follow(self, picture: Picture) -> None:
        """Update the outcomes after a change of the game."""
        self._picture = picture
        if self._loop.game.game_id != self._game_id:
            self._next_game()
        if self._heard or self._tap.outcomes:
            self.publish()

    def publish(self) -> None:
        """Publish the outcome of each side's newest claim; a test's claims have the outcome given by the
        test."""
        # That of what the tables were shown last.
        picture = self._loop.picture() if self._picture is None else self._picture
        records = {record.id: record for record in picture.claims}
        newest = {(one.claim.uid, one.claim.side): one for one in self._tap.outcomes}
        for button, heard in self._heard.items():
            if heard.awaited and (record := self._record_of(heard, picture)) is not None:
                self._stands(heard, record)
            status = _status(heard, records, picture)
            other = newest.get(button)
            if status is not None and (other is None or other.at_us < heard.at_us):
                newest[button] = ClaimOutcome(claim=heard.claim, at_us=heard.at_us, status=status)
        self._bus.outcomes(tuple(newest.values()))

    def _next_game(self) -> None:
        """Copy known claims to the next game's journal, so that they are never accepted there."""
        self._game_id = self._loop.game.game_id
        for heard in self._heard.values():
            heard.record, heard.refused = None, "withdrawn"
            self._commands.refuse(self._pending(heard, 0, faulty=False), BEFORE_GAME)

    def _decided(self, heard: _Heard, *, never: bool) -> None:
        """Take the outcome from the kept answer: the answer received may only say that the disk is late."""
        kept = self._commands.answers.get(heard.key)
        if kept is None or not kept.accepted:
            heard.refused = refused_as(self._loop.picture(), never=never)
        elif (record := self._record_of(heard, self._loop.picture())) is not None:
            self._stands(heard, record)
        elif self._loop.elsewhere is None:
            heard.refused = "withdrawn"
        else:
            heard.awaited = True

    def _stands(self, heard: _Heard, record: ClaimView) -> None:
        heard.record, heard.awaited = record.id, False
        if heard.taking_back:
            self._withdraw(heard, record.id)

    def _record_of(self, heard: _Heard, picture: Picture) -> ClaimView | None:
        return claim_of(picture, self._loop.board(heard.board), self._seat(heard.claim))

    def _seat(self, claim: NodeClaim) -> Seat:
        board = self._keeper.board_of(claim.uid)
        return seat_at(self._loop.game.rules, self._keeper.roster, board=board, side=claim.side)

    def _withdraw(self, heard: _Heard, record: str) -> None:
        withdraw = PendingCommand(
            name="withdraw",
            body={"claim": record},
            command=Withdraw(record),
            source=SOURCE,
            at_ns=self._timers.boot_ns(),
            key=f"{heard.key}/withdraw",
        )
        self._commands.start(withdraw)


def _status(heard: _Heard, records: dict[str, ClaimView], picture: Picture) -> NodeClaimStatus | None:
    """The status of a claim; None while undecided."""
    return heard.refused if heard.record is None else status_of(records.get(heard.record), picture)


# Claims from phones with a seat code. A device gives the moment of the press on core's clock, as it has
# measured that clock. Core believes it within the device's measured error, and only as far back as holding
# the button and the message's way can explain by the round trips measured here. Otherwise the moment of
# arrival counts.


SEAT = "seat"
NS_PER_US = 1_000
NS_PER_MS = 1_000_000
EARLIEST_NS = 2_000_000_000
"""Longest time before its arrival that a press may have been, however slow the line."""
HELD_NS = 600_000_000
"""Time for which a press is held before it is a claim, as at a table."""
SENT_AGAIN_NS = 300_000_000
"""Delay of a message that was lost and sent again."""
LARGEST_ERROR_NS = 1_000_000_000
"""With a larger error than this the device's time is not used."""
LONGEST_ERROR_MS = 60_000
TOLD_NS = 120_000_000_000
"""How long the desk is told that another device has taken a seat."""
NO_SEAT_CODE = Sentence("claim.no_seat_code")
NO_SEAT_CODES = Sentence("claim.no_seat_codes")


@dataclass(frozen=True, slots=True)
class PressMoment:
    """Moment of a press: within `error_ms` of `at_ns`."""

    at_ns: int
    error_ms: int


def moment_of(pressed_ns: int, error_ns: int, arrived_ns: int, round_trip_ns: int = 0) -> PressMoment:
    """The moment that counts for a press reported at `pressed_ns` with `error_ns` (CLOCK_BOOTTIME). The error
    is at least half the round trip: nobody can know our clock better."""
    late_ns, error_ns = arrived_ns - pressed_ns, max(error_ns, round_trip_ns // 2)
    latest_ns = min(EARLIEST_NS, HELD_NS + SENT_AGAIN_NS + round_trip_ns)
    if error_ns <= LARGEST_ERROR_NS and -error_ns <= late_ns <= latest_ns:
        return PressMoment(min(pressed_ns, arrived_ns), _ms(error_ns))
    return PressMoment(arrived_ns, min(LONGEST_ERROR_MS, _ms(max(0, late_ns) + error_ns)))


class SeatClaims:
    """Called on the loop only. `codes` is None while the settings allow no claims from phones."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        commands: CommandQueue,
        timers: Timers,
        threads: Threads,
        keeper: RosterKeeper,
        codes: SeatCodes | None,
    ) -> None:
        self._loop = loop
        self._commands = commands
        self._timers = timers
        self._threads = threads
        self._keeper = keeper
        self._codes = codes
        self._told: dict[SeatAt, Alarm] = {}

    def use(self, codes: SeatCodes | None) -> None:
        """Phones claim with these codes from now on; None: they may not."""
        self._codes = codes

    async def claim(self, asked: AskSeatClaim) -> Answer:
        """Submit a claim; it waits in the same queue as a table's. The same key gets the same answer."""
        arrived_ns = self._timers.boot_ns()
        seat = self._seat(asked.code)
        if isinstance(seat, Sentence):
            return Answer(accepted=False, seq=self._loop.seq, reasons=(seat,))
        moment = moment_of(
            asked.pressed_us * NS_PER_US,
            asked.error_us * NS_PER_US,
            arrived_ns,
            (asked.round_trip_us or 0) * NS_PER_US,
        )
        rules = self._loop.game.rules
        side = seat_at(rules, self._keeper.roster, board=seat.board, side=seat.side)
        command = pressed(rules, Claim(seat.board, side, "well", press_error_ms=moment.error_ms))
        pending = PendingCommand(
            name=NAMES[type(command)],
            body={"board": seat.board, "side": seat.side, "key": asked.key},
            command=command,
            source=SEAT,
            at_ns=moment.at_ns,
            key=f"{SEAT}/{seat.board}/{seat.side}/{asked.key}",
        )
        return await self._commands.carry_out(pending)

    def taken(self, code: str) -> None:
        """Another device has taken this seat: tell the desk for TOLD_NS."""
        seat = self._seat(code)
        if isinstance(seat, Sentence):
            return
        rules = self._loop.game.rules
        side = rules.side_name(rules.seats[SIDES.index(seat.side)])
        if seat in self._told:
            self._told[seat].cancel()
        name = f"seat {seat.board} {seat.side}"
        self._loop.report(name, "warning", Sentence("claim.seat_taken", board=seat.board, side=side))
        until_ns = self._timers.boot_ns() + TOLD_NS
        self._told[seat] = self._timers.call_at(until_ns, lambda: self._loop.report(name, "warning", None))

    def printed(self, revoke: str | None) -> list[SeatCodeView] | Sentence:
        """The codes of all boards of the roster; codes of `revoke` are revoked first."""
        if self._codes is None:
            return NO_SEAT_CODES
        if revoke is not None:
            try:
                self._loop.boards.spelled(Claim(revoke))
            except NoSuchBoard as error:
                return error.sentence
            self._codes.revoke(revoke)
            self._threads.run_in_thread(self._save, "saves the seat codes")
        seats = [SeatAt(board.name, side) for board in self._keeper.roster.boards for side in SIDES]
        return [SeatCodeView(board=at.board, side=at.side, code=self._codes.code(at)) for at in seats]

    def _save(self) -> None:
        codes = self._codes
        try:
            if codes is not None:
                codes.save()
        except OSError as error:
            said = Sentence("claim.seat_codes_not_saved", why=why(error))
            self._threads.call_on_loop(lambda: self._loop.report("seat codes", "warning", said))

    def _seat(self, code: str) -> SeatAt | Sentence:
        """The seat of this code, spelled as in the roster, or why there is none."""
        if self._codes is None:
            return NO_SEAT_CODES
        seat = self._codes.seat(code)
        if seat is None:
            return NO_SEAT_CODE
        try:
            spelled = self._loop.boards.spelled(Claim(seat.board, seat.side))
        except NoSuchBoard as error:
            return error.sentence
        board = spelled.board if isinstance(spelled, Claim) and spelled.board is not None else seat.board
        return SeatAt(board, seat.side)


def _ms(ns: int) -> int:
    return -(-ns // NS_PER_MS)
