"""Claims made on table nodes: each becomes one command of the game, and what became of it is published.

A claim may be heard many times: after lost frames, a restarted segment or a restart of core. The key of its
command, kept in the journal with the game, makes it count once (`claim_keys`).
"""

from dataclasses import dataclass
from typing import Protocol

from pi_controller.bus.values import BusEvent, ClaimHeard, ClaimOutcome, NodeClaim, NodeClaimStatus
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PendingCommand
from pi_controller.core.runtime.timers import Tasks, Timers
from pi_controller.core.tables.claim_keys import PREFIX, ClaimKeys
from pi_controller.core.tables.claim_noise import ClaimNoise
from pi_controller.core.tables.claim_status import BEFORE_GAME, claim_of, refused_as, status_of
from pi_controller.core.tables.press_times import PressTimes
from pi_controller.core.tables.roster_keeper import RosterKeeper
from pi_controller.core.tables.seating import pressed, seat_at
from pi_controller.game.commands import NAMES, Claim, Withdraw
from pi_controller.game.room import ClaimView
from pi_controller.game.turn_order import Seat
from pi_controller.hal.roles import TableBus
from pi_controller.protocol.picture import Picture
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES, Side

SOURCE = "table"


@dataclass(slots=True)
class _Heard:
    """The newest claim of one side of one node."""

    claim: NodeClaim
    at_us: int
    board: str
    key: str
    record: str | None = None
    """Its id in the game, once it is taken."""
    refused: NodeClaimStatus | None = None
    """What its node shows, once the game has not taken it."""
    taking_back: bool = False
    awaited: bool = False
    """The leader has taken it, in whose picture it does not stand yet."""


class Tap(Protocol):
    """What a test of the hardware has to do with the tables."""

    @property
    def maintains(self) -> bool:
        """The tables show that they are worked on."""

    def takes(self, event: BusEvent) -> bool:
        """Each event comes here first: True when it belongs to the test and not to the game."""

    @property
    def outcomes(self) -> tuple[ClaimOutcome, ...]:
        """Of the newest claim that tests have taken from each side: withdrawn, once its test has ended."""


class TableClaims:
    """Called on the loop only."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        commands: CommandQueue,
        tasks: Tasks,
        bus: TableBus,
        tap: Tap,
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
        """A node reports a claim."""
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
        """The player withdraws the claim; one that is judged already stays as it is. What a faulty button
        claims only the director can judge."""
        heard = self._heard.get((claim.uid, claim.side))
        if heard is None or heard.claim != claim or self._noise.faulty((claim.uid, claim.side)):
            return
        heard.taking_back = True
        if heard.record is not None:
            self._withdraw(heard, heard.record)

    def look(self) -> None:
        """Time has passed: name the buttons that claim faster than a hand can."""
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
        """Put a claim to the game and publish what became of it."""
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
        """The game may have changed, and with it what became of claims."""
        self._picture = picture
        if self._loop.game.game_id != self._game_id:
            self._next_game()
        self.publish()

    def publish(self) -> None:
        """What became of each side's newest claim, as the game is now; those that a test took stand as it
        says."""
        picture = self._shown
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
        """What was claimed before stays known in the next game's journal, so that it is never taken there."""
        self._game_id = self._loop.game.game_id
        for heard in self._heard.values():
            heard.record, heard.refused = None, "withdrawn"
            self._commands.refuse(self._pending(heard, 0, faulty=False), BEFORE_GAME)

    def _decided(self, heard: _Heard, *, never: bool) -> None:
        """What counts is what was decided: an answer may also say that the disk is late."""
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

    @property
    def _shown(self) -> Picture:
        """The newest that the tables were shown."""
        return self._loop.picture() if self._picture is None else self._picture

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
    """None: nothing is decided yet."""
    return heard.refused if heard.record is None else status_of(records.get(heard.record), picture)
