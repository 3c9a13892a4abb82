"""What the heartbeat says, put together at the moment it is written."""

from pi_controller.core.game_loop.loop import GameLoop
from pi_controller.core.game_loop.sight import sight_of
from pi_controller.hal.roles import Clock
from pi_controller.journal.beat import HeartbeatValue
from pi_controller.journal.writer import JournalWriter


class Beats:
    """Called on the heartbeat's threads. Says None until there is a loop with its game, and a writer."""

    def __init__(self, clock: Clock) -> None:
        self._of: tuple[GameLoop, JournalWriter] | None = None
        self._clock = clock

    def tell_of(self, loop: GameLoop, writer: JournalWriter) -> None:
        """From now on there is something to tell."""
        self._of = loop, writer

    def __call__(self) -> HeartbeatValue | None:
        if self._of is None:
            return None
        loop, writer = self._of
        # First how far the journal is, then the game, then the time: a change in between is newer than the
        # journal, and never the other way round.
        game_id, lines, saved = writer.progress()
        lines += loop.saves.held()  # at least a line each; the hall sees them
        game, time = loop.game, loop.time
        boot_ns = self._clock.boot_ns()
        if game_id != game.game_id:
            lines = saved = 0  # the next game is being armed: of the old one all is told by its own lines
        game_ns = time.game_ns(boot_ns)
        sight = sight_of(game, game_ns, lines=lines, saved=saved)
        return HeartbeatValue(game.game_id, loop.seq, game_ns, boot_ns, sight)
