"""A game moved by hand: time in seconds, commands by their dataclasses."""

from pi_controller.game.commands import Command, Start
from pi_controller.game.game import Decision, Game, apply, decide, new_game, tick
from pi_controller.game.room import Room, room
from pi_controller.game.rule_sets import CONNECT, RuleSet
from pi_controller.language.words import all_words

SECOND = 1_000_000_000


class Hall:
    """One game, its clock at `now` seconds."""

    def __init__(self, rules: RuleSet = CONNECT, seed: bytes = b"s" * 32) -> None:
        self.game: Game = new_game("test-game", rules, seed)
        self.now = 0.0

    @property
    def now_ns(self) -> int:
        return round(self.now * SECOND)

    @property
    def picture(self) -> Room:
        return room(self.game, self.now_ns)

    def wait(self, seconds: float) -> "Hall":
        self.now += seconds
        for event in tick(self.game, self.now_ns):
            self.game = apply(self.game, event)
        return self

    def ask(self, command: Command, *, ago: float = 0.0, source: str = "web") -> Decision:
        """Give a command whose cause lies `ago` seconds back; what it brings is applied."""
        at = round((self.now - ago) * SECOND)
        decision = decide(self.game, command, at_ns=at, now_ns=self.now_ns, source=source)
        for event in decision.events:
            self.game = apply(self.game, event)
        assert decision.game in (None, self.game)
        self.wait(0)
        return decision

    def do(self, command: Command, *, ago: float = 0.0, source: str = "web") -> "Hall":
        """As `ask`, but the command must be accepted."""
        decision = self.ask(command, ago=ago, source=source)
        assert not decision.reasons, decision.reasons
        return self

    def refused(self, command: Command, *, ago: float = 0.0, source: str = "web") -> str:
        """The sentence with which the command is refused; the game must be untouched."""
        before = self.game
        decision = self.ask(command, ago=ago, source=source)
        assert decision.reasons
        assert not decision.events
        assert self.game is before
        return " ".join(all_words(decision.reasons))

    def started(self) -> "Hall":
        """At the first moment of round 1."""
        return self.do(Start()).wait(self.game.rules.start_countdown_ms / 1000)

    def in_round(self, number: int) -> "Hall":
        """At the first moment of this round, robber phases having passed by themselves."""
        if self.picture.phase == "ready":
            self.started()
        while (self.picture.phase, self.picture.round) != ("round", number):
            self.wait(self.picture.remaining_ms / 1000)
        return self

    def in_robber_phase(self) -> "Hall":
        """At the first moment of the next robber phase."""
        if self.picture.phase == "ready":
            self.started()
        while self.picture.phase != "robber":
            self.wait(self.picture.remaining_ms / 1000)
        return self
