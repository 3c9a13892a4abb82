"""Claims made on table nodes: each becomes one command of the game, and its node hears what became of it.

A claim may be heard many times: after lost frames, a restarted segment or a restart of core. The key of its
command, kept in the journal with the game, makes it count once (`claim_keys`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from pi_controller.bus.values import ClaimStatus, NodeClaim
from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import PendingCommand
from pi_controller.core.runtime.timers import Tasks
from pi_controller.core.tables.claim_keys import PREFIX, ClaimKeys
from pi_controller.core.tables.claim_noise import ClaimNoise
from pi_controller.game.claims import ClaimRecord
from pi_controller.game.commands import Claim, Start, Withdraw
from pi_controller.game.state import Frozen, State
from pi_controller.hal.roles import TableBus
from pi_controller.sentence import Sentence

SOURCE = "table"
JUDGED_IN_PAUSE = frozenset({"claim", "button", "director"})
"""With one of these reasons the clock stands still so that somebody comes and counts."""
FUTURE_NS = 1_000_000_000
"""A first contact further ahead than this is no time of this evening (the wire's clock wraps)."""
BEFORE_GAME = Sentence("claim.before_this_game")
UNKNOWN_TIME = Sentence("claim.unknown_time")


@dataclass(slots=True)
class _Heard:
    """The newest claim of one side of one node."""

    claim: NodeClaim
    board: str
    key: str
    record: str | None = None
    """Its id in the game, once it is taken."""
    told: ClaimStatus | None = None
    taking_back: bool = False


@dataclass(frozen=True, slots=True)
class StoodStill:
    """While core was away, for this long before the anchor of this game's clock, no time passed in it."""

    game_id: str
    down_ns: int | None
    """None: the machine was away too, and earlier times mean nothing."""


class TableClaims:
    """Called on the loop only. `board_of` gives the name under which a node claims."""

    def __init__(
        self,
        *,
        loop: GameLoop,
        commands: CommandQueue,
        tasks: Tasks,
        bus: TableBus,
        board_of: Callable[[str], str],
        boot_ns: Callable[[], int],
        stood_still: StoodStill | None = None,
    ) -> None:
        self._loop = loop
        self._commands = commands
        self._tasks = tasks
        self._bus = bus
        self._board_of = board_of
        self._boot_ns = boot_ns
        self._stood_still = stood_still
        self._keys = ClaimKeys(commands.answers.keys(PREFIX), began_ns=boot_ns())
        self._noise = ClaimNoise()
        self._heard: dict[tuple[str, str], _Heard] = {}
        self._seen: State | None = None
        self._game_id = loop.game.game_id

    def heard(self, claim: NodeClaim, at_us: int) -> None:
        """A node reports a claim with its first contact (CLOCK_BOOTTIME)."""
        at_ns = at_us * 1_000
        key, what = self._keys.key(claim, at_ns)
        if what == "older" and self._commands.answers.get(key) is not None:
            return
        heard = self._heard.get((claim.uid, claim.side))
        if heard is None or heard.key != key:
            heard = _Heard(claim, self._board_of(claim.uid), key)
            if what != "older":
                self._heard[claim.uid, claim.side] = heard
        heard.told = None  # who reports it once more may not know what it was told
        faulty = what == "new" and self._noise.heard((claim.uid, claim.side), self._boot_ns())
        if faulty and (standing := self._record_of(heard)) is not None and standing.status == "open":
            heard.record = standing.id
            self._tell(heard, _status(standing, self._loop.game.state))
            return
        faulty = faulty or self._noise.faulty((claim.uid, claim.side))
        self._tasks.start(self._put(heard, self._standing_time(at_ns), faulty=faulty))

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
        faulty, quiet = self._noise.look(self._boot_ns())
        for uid, side in quiet:
            self._loop.report(f"button {uid} {side}", "warning", None)
        for uid, side in faulty:
            self._loop.report(f"button {uid} {side}", "warning", _too_fast(self._board_of(uid), side))

    async def _put(self, heard: _Heard, at_ns: int, *, faulty: bool) -> None:
        """Put a claim to the game and tell its node what became of it."""
        pending = self._pending(heard, at_ns, faulty=faulty)
        sentence = self._never(at_ns)
        if sentence is None or self._commands.answers.get(heard.key) is not None:
            await self._commands.carry_out(pending)
        else:
            self._commands.refuse(pending, sentence)
        self._decided(heard)

    def _pending(self, heard: _Heard, at_ns: int, *, faulty: bool) -> PendingCommand:
        claim = heard.claim
        return PendingCommand(
            name="claim",
            body={"node": claim.uid, "side": claim.side, "number": claim.number},
            command=Claim(heard.board, claim.side, "faulty" if faulty else "well"),
            source=SOURCE,
            at_ns=at_ns,
            key=heard.key,
        )

    def follow(self) -> None:
        """The game may have changed: tell the nodes what their claims are now."""
        if self._loop.game.game_id != self._game_id:
            self._next_game()
        state = self._loop.game.state
        if state is self._seen:
            return
        self._seen = state
        records = {record.id: record for record in state.claims}
        for heard in self._heard.values():
            if heard.record is not None:
                record = records.get(heard.record)
                self._tell(heard, "withdrawn" if record is None else _status(record, state))

    def _next_game(self) -> None:
        """What was claimed before stays known in the next game's journal, so that it is never taken there."""
        self._game_id = self._loop.game.game_id
        for heard in self._heard.values():
            heard.record = None
            self._tell(heard, "withdrawn")
            self._commands.refuse(self._pending(heard, 0, faulty=False), BEFORE_GAME)

    def _decided(self, heard: _Heard) -> None:
        """What counts is what was decided: an answer may also say that the disk is late."""
        kept = self._commands.answers.get(heard.key)
        if kept is None or not kept.accepted:
            over = self._loop.game.state.phase == "ended" or (
                kept is not None and kept.reasons in ((BEFORE_GAME,), (UNKNOWN_TIME,))
            )
            self._tell(heard, "withdrawn" if over else "wait")
            return
        record = self._record_of(heard)
        if record is None:
            self._tell(heard, "withdrawn")
            return
        heard.record = record.id
        self._tell(heard, _status(record, self._loop.game.state))
        if heard.taking_back:
            self._withdraw(heard, record.id)

    def _record_of(self, heard: _Heard) -> ClaimRecord | None:
        """The claim of this board and side: the open one, otherwise the newest."""
        own = [
            record
            for record in self._loop.game.state.claims
            if (record.board, record.side) == (heard.board, heard.claim.side)
        ]
        return max(own, key=lambda record: (record.status == "open", record.at_ns), default=None)

    def _withdraw(self, heard: _Heard, record: str) -> None:
        withdraw = PendingCommand(
            name="withdraw",
            body={"claim": record},
            command=Withdraw(record),
            source=SOURCE,
            at_ns=self._boot_ns(),
            key=f"{heard.key}/withdraw",
        )
        self._commands.start(withdraw)

    def _tell(self, heard: _Heard, status: ClaimStatus) -> None:
        if heard.told != status:
            heard.told = status
            self._bus.settle(heard.claim, status)

    def _standing_time(self, at_ns: int) -> int:
        """The first contact on the clock that stood still while core was away."""
        stood, anchor_ns = self._stood_still, self._loop.time.anchor_boot_ns
        if stood is None or stood.game_id != self._loop.game.game_id or at_ns >= anchor_ns:
            return at_ns
        return anchor_ns if stood.down_ns is None else min(anchor_ns, at_ns + stood.down_ns)

    def _never(self, at_ns: int) -> Sentence | None:
        """Why a claim of this moment is not even put to the game."""
        if at_ns > self._boot_ns() + FUTURE_NS:
            return UNKNOWN_TIME
        began_ns = next(
            (action.seen_ns for action in self._loop.game.actions if isinstance(action.command, Start)), None
        )
        early = began_ns is not None and self._loop.time.game_ns(at_ns) < began_ns
        return BEFORE_GAME if early else None


def _too_fast(board: str, side: str) -> Sentence:
    return Sentence("claim.too_fast", board=board, side=side.capitalize())


def _status(record: ClaimRecord, state: State) -> ClaimStatus:
    if record.status != "open":
        return record.status
    reasons = state.clock.reasons if isinstance(state.clock, Frozen) else ()
    return "judge_comes" if JUDGED_IN_PAUSE.intersection(reasons) else "open"
