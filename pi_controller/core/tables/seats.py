"""Claims from phones with a seat code. Core decides which moment it believes.

A device gives the moment of the press on core's clock, as it has measured that clock. Core believes it within
the device's measured error, and only as far back as holding the button and the message's way can explain by
the round trips measured here. Otherwise the moment of arrival counts.
"""

from dataclasses import dataclass

from pi_controller.core.game_loop.commands import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.pending import Answer, PendingCommand
from pi_controller.core.game_loop.picture import NoSuchBoard
from pi_controller.core.runtime.threads import Threads
from pi_controller.core.runtime.timers import Alarm, Timers
from pi_controller.core.tables.claims import pressed, seat_at
from pi_controller.core.tables.roster import RosterKeeper
from pi_controller.game.commands import NAMES, Claim
from pi_controller.language.system_errors import why
from pi_controller.protocol.messages import AskSeatClaim, SeatCodeView
from pi_controller.roster.seat_codes import SeatAt, SeatCodes
from pi_controller.sentence import Sentence
from pi_controller.vocabulary import SIDES

SOURCE = "seat"
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
    """Called on the loop only. `codes` is None if the settings allow no claims from phones."""

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
            source=SOURCE,
            at_ns=moment.at_ns,
            key=f"{SOURCE}/{seat.board}/{seat.side}/{asked.key}",
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
