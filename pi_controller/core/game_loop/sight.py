"""What the hall sees at a moment, for the heartbeat; and how a game from the journal comes to stand where the
hall saw it last, although not everything had reached the disk. Pure."""

from dataclasses import dataclass, field

from pi_controller.game import clockwork
from pi_controller.game.commands import AddTime, Command, Pause, Resume, Start, Turn
from pi_controller.game.events import Event
from pi_controller.game.game import Game, apply, decide, tick
from pi_controller.game.rule_sets import NS_PER_MS
from pi_controller.game.state import SEAT_PHASES, ClockState, CountingDown, Frozen, Idle, Running
from pi_controller.journal.beat import Sight

_CLOCKS: dict[type[ClockState], str] = {
    Idle: "still",
    Running: "running",
    Frozen: "frozen",
    CountingDown: "counting",
}


def sight_of(game: Game, game_ns: int, *, lines: int, saved: int) -> Sight:
    """What the hall sees of this game; `lines` were handed to the journal before, `saved` are on the disk."""
    state = game.state
    due_round, draw = state.position
    return Sight(
        phase=state.phase,
        clock=_CLOCKS[type(state.clock)],
        remaining_ns=state.remaining_ns(game_ns),
        round=state.round,
        side=state.side,
        due_round=due_round,
        draw=draw,
        lines=lines,
        saved=saved,
    )


@dataclass
class Standing:
    """A game on its way from the journal's last line to where it stands still; `now_ns` is game time."""

    game: Game
    now_ns: int
    events: list[Event] = field(default_factory=list)

    def stand_at(self, at_ns: int) -> None:
        """Pause where the game's own clock has come to by this moment."""
        self.now_ns = max(self.now_ns, at_ns)
        self._follow(tick(self.game, self.now_ns))
        self._do(Pause("recovery"), self.now_ns)

    def stand_as_seen(self, sight: Sight) -> bool:
        """Pause with the roll and the time left that the hall saw last, never behind it; whether that could
        be reached. Commands that were lost cannot be made again: only the roll and the clock come back."""
        if self.game.state.phase == "ready" and sight.clock != "still":
            self._do(Start(), self.now_ns)
        while self._behind(sight) and self._turn():
            pass
        same_roll = self.game.state.position == sight.position
        if same_roll and self.game.state.in_play and sight.clock != "still":
            self._leave(sight.remaining_ns)
        else:
            self._do(Pause("recovery"), self._before_the_turn(self.now_ns))
        state = self.game.state
        off_ns = abs(state.remaining_ns(self.now_ns) - sight.remaining_ns)
        return (state.phase, state.position) == (sight.phase, sight.position) and off_ns <= 1

    def _behind(self, sight: Sight) -> bool:
        """A roll that the hall has seen is still to come, or the end of the last round."""
        state = self.game.state
        over = sight.phase == "collecting" and state.in_play and state.round == state.last_round
        return state.position < sight.position or over

    def _leave(self, remaining_ns: int) -> None:
        """Pause in this phase with exactly so much left (at least 1 ns: nothing turns by itself)."""
        clock = self.game.state.clock
        if isinstance(clock, Frozen | CountingDown) and clock.remaining_ns == remaining_ns:
            self._do(Pause("recovery"), self._before_the_turn(self.now_ns))
            return
        if not isinstance(clock, Running):
            self._turn()
            clock = self.game.state.clock
        if not isinstance(clock, Running):
            return
        left_ns = max(1, remaining_ns)
        lacking_ms = -(min(0, clock.deadline_ns - clock.since_ns - left_ns) // NS_PER_MS)
        deadline_ns = clock.deadline_ns + lacking_ms * NS_PER_MS
        if lacking_ms:
            self._do(AddTime(lacking_ms), clock.since_ns)
        self._do(Pause("recovery"), deadline_ns - left_ns)

    def _turn(self) -> bool:
        """Out of a pause, or whatever comes next by itself; False when nothing does."""
        if isinstance(self.game.state.clock, Frozen):
            self._do(Resume(override=True), self.now_ns)
        if isinstance(self.game.state.clock, Running) and self.game.state.phase in SEAT_PHASES:
            self._do(Turn(), self.now_ns)
            return True
        due_ns = clockwork.due_ns(self.game.state)
        if due_ns is None:
            return False
        self.now_ns = due_ns
        self._follow(tick(self.game, due_ns))
        return True

    def _before_the_turn(self, at_ns: int) -> int:
        """This moment, or the last one before the clock turns."""
        due_ns = clockwork.due_ns(self.game.state)
        return at_ns if due_ns is None else min(at_ns, due_ns - 1)

    def _do(self, command: Command, at_ns: int) -> None:
        """In a situation in which the command is refused nothing needs it."""
        self.now_ns = at_ns
        decision = decide(self.game, command, at_ns=at_ns, now_ns=at_ns, source="system")
        self._follow(decision.events)

    def _follow(self, events: tuple[Event, ...]) -> None:
        self.events += events
        for event in events:
            self.game = apply(self.game, event)
