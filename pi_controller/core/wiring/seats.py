"""Settings to the claims of phones."""

from pi_controller.core.game_loop.command_queue import CommandQueue
from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.tables.seats import SeatClaims
from pi_controller.core.tables.tables import Tables
from pi_controller.core.wiring.start import Start
from pi_controller.roster.seat_codes import SeatCodes
from pi_controller.sentence import Sentence


def make_seats(start: Start, *, loop: GameLoop, commands: CommandQueue, tables: Tables) -> SeatClaims:
    """Without claims where the settings allow none, or where their key cannot be used, which health says."""
    codes = SeatCodes(start.options.state_dir) if start.settings.tables.seat_codes else None
    try:
        if codes is not None:
            codes.prepare()
    except (OSError, ValueError) as error:
        loop.report("seat codes", "warning", Sentence("claim.seat_codes_unreadable", why=str(error)))
        codes = None
    return SeatClaims(
        loop=loop,
        commands=commands,
        timers=start.runtime.timers,
        threads=start.runtime.threads,
        keeper=tables.keeper,
        codes=codes,
    )
