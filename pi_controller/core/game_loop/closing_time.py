"""When an ended game is closed by itself, in real time: a restart neither lengthens nor forgets the wait."""

from collections.abc import Iterable
from datetime import datetime

from pi_controller.game.events import Ended, Event
from pi_controller.game.game import Game
from pi_controller.journal.record import Record

NS_PER_S = 1_000_000_000


class ClosingTime:
    """`at_ns` is the moment (CLOCK_BOOTTIME); None while the game has not ended, once it is closed, and where
    the settings give 0 minutes."""

    def __init__(self, minutes: int) -> None:
        self.at_ns: int | None = None
        self._after_ns = minutes * 60 * NS_PER_S

    def follow(self, game: Game, events: Iterable[Event], now_ns: int) -> None:
        """The game after these events. An end that comes again, with other winners, begins the wait anew."""
        if not self._waits(game):
            self.at_ns = None
        elif self.at_ns is None or any(isinstance(event, Ended) for event in events):
            self.at_ns = now_ns + self._after_ns

    def ended_before(self, game: Game, ended_ns: int | None, now_ns: int) -> None:
        """A game that comes back from the journal; `ended_ns` is its end, None when that is not known."""
        if self._waits(game):
            self.at_ns = (now_ns if ended_ns is None else ended_ns) + self._after_ns

    def due(self, now_ns: int) -> bool:
        return self.at_ns is not None and self.at_ns <= now_ns

    def _waits(self, game: Game) -> bool:
        return self._after_ns > 0 and game.state.phase == "ended" and not game.closed


def end_of(records: Iterable[Record], *, boot_ns: int, boot_id: str, wall: str) -> int | None:
    """CLOCK_BOOTTIME of the last end among these lines, which may lie before the computer's start; None
    without one. The moment now is given by both clocks; over a start of the computer that of the wall counts,
    and one that was put back makes the wait no longer than from now on."""
    ended = None
    for record in records:
        if record.kind == "ended":
            ended = record
    if ended is None:
        return None
    if ended.boot_id == boot_id:
        return ended.boot_ns
    passed = datetime.fromisoformat(wall) - datetime.fromisoformat(ended.wall)
    return boot_ns - max(0, round(passed.total_seconds() * NS_PER_S))
