"""Seeded games with undo, replace and redo against games in which only the intended commands were given:
`python -m tests.game.undo_run --games 100000`."""

import random
import sys
from dataclasses import dataclass

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resources,
    Resume,
    Say,
    Sheet,
    Skip,
    Start,
    Timer,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.events import Action, CommandApplied
from pi_controller.game.game import Game, apply, decide, new_game, tick
from pi_controller.game.room import room
from pi_controller.game.rule_sets import CONNECT, NS_PER_MS
from tests.game import many_games

STEPS = 28
BOARDS = ("A1", "A2", "a2", "B7")
ORDINARY = (
    *("pause", "resume", "skip", "add_time", "press", "claim", "claim", "verdict", "verdict"),
    "withdraw",
)

COLLECTING = ("claim", "claim", "verdict", "verdict", "verdict", "end")
CORRECTIONS = ("undo", "undo", "undo", "replace", "replace", "redo", "redo", "correct")
RARE = ("last_rounds", "end", "say", "timer")


@dataclass(frozen=True)
class Taken:
    """An action that an undo took out of the list of intended ones, and the one that came for it."""

    place: int
    action: Action
    instead: Action | None


class Pair:
    """A game with corrections, and the list of what was intended; that list never asks the game."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(number)
        self.first = new_game(f"game-{number}", CONNECT, self.chance.randbytes(32))
        self.game = self.first
        self.intended: list[Action] = []
        self.taken: list[Taken] = []
        self.now_ns = 0
        self.corrections = 0
        self.numbered = 0
        """What the correction that is under way would number an action of its own."""

    @property
    def compared(self) -> tuple[int, ...]:
        """Corrections."""
        return (self.corrections,)

    def run(self) -> None:
        self.give(Start())
        for _ in range(STEPS):
            self.wait(self.chance.choice([1, 200, 3_000, 3_000, self.chance.randrange(60_000)]))
            name = self.chance.choice(self._likely())
            if name in CORRECTIONS:
                self.correct(name)
            else:
                self.give(self.command(name), self.chance.choice(["web", "web", "web", "table"]))
        self.compare()

    def _likely(self) -> tuple[str, ...]:
        if self.chance.random() < 0.4:
            return CORRECTIONS
        if self.game.state.phase == "collecting":
            return COLLECTING
        return RARE if self.chance.random() < 0.15 else ORDINARY

    def wait(self, ms: int) -> None:
        self.now_ns += ms * NS_PER_MS
        self._tick()

    def _tick(self) -> None:
        for event in tick(self.game, self.now_ns):
            self.game = apply(self.game, event)

    def give(self, command: Command, source: str = "web") -> None:
        number = self.game.next_action
        decision = decide(self.game, command, at_ns=self.now_ns, now_ns=self.now_ns, source=source)
        for event in decision.events:
            self.game = apply(self.game, event)
        if not decision.events:
            return
        self.intended.append(Action(number, command, self.now_ns, self.now_ns, source))
        if self._can_be_undone(self.intended[-1]):
            self.taken = []
        self._tick()

    def correct(self, name: str) -> None:
        """`undo`, `replace` and `correct` take a place in the list, `redo` gives it back."""
        place = self._place(name)
        if place is None:
            return
        command = self._correction(name, place)
        before, self.numbered = self.game, self.game.next_action
        decision = decide(self.game, command, at_ns=self.now_ns, now_ns=self.now_ns, source="web")
        for event in decision.events:
            self.game = apply(self.game, event)
        if decision.reasons:
            assert self.game is before
            return
        self._change(place, command)
        self.corrections += 1
        self.compare()
        self._tick()

    def _place(self, name: str) -> int | None:
        if name == "redo":
            return 0 if self.taken else None
        places = range(len(self.intended) - 1, -1, -1)
        if name == "correct":
            judged = [place for place in places if isinstance(self.intended[place].command, Verdict)]
            newest = {self.intended[place].command.claim: place for place in reversed(judged)}
            return self.chance.choice(sorted(newest.values())) if newest else None
        return next((place for place in places if self._can_be_undone(self.intended[place])), None)

    def _can_be_undone(self, action: Action) -> bool:
        return action.source == "web" and not isinstance(action.command, Say | Timer)

    def _correction(self, name: str, place: int) -> Undo | Redo:
        if name == "redo":
            return Redo()
        if name == "undo":
            return Undo()
        if name == "correct":
            claim = self.intended[place].command.claim
            return Undo(self.verdict(claim), claim)
        return Undo(self.command(self.chance.choice(ORDINARY)))

    def _change(self, place: int, command: Undo | Redo) -> None:
        """What of the list is meant now."""
        if isinstance(command, Redo):
            back = self.taken.pop()
            gone = 0 if back.instead is None else 1
            self.intended[back.place : back.place + gone] = [back.action]
            return
        removed = self.intended[place]
        instead = self._instead(place, removed, command)
        self.intended[place : place + 1] = [] if instead is None else [instead]
        self.taken.append(Taken(place, removed, instead))

    def _instead(self, place: int, removed: Action, command: Undo) -> Action | None:
        """An end that came while the clock ran is a pause at that moment, and a verdict that takes the place
        of one which ended the game goes on with one (rules.md, Corrections)."""
        put = command.replace
        before = self.played(self.intended[:place], removed.seen_ns)
        after = self.played(self.intended[: place + 1], removed.seen_ns)
        over = ("collecting", "ended")
        ended = room(after, 0).phase in over and room(before, 0).phase not in over
        if isinstance(put, Verdict) and ended:
            put = Verdict(put.claim, put.confirmed, put.sheet, hold=True)
        picture = room(before, removed.seen_ns)
        if put is None and ended and (picture.running or picture.resume_in_ms is not None):
            put = Pause()
        if put is None:
            return None
        return Action(self.numbered, put, removed.at_ns, removed.seen_ns, removed.source)

    def played(self, actions: list[Action], until_ns: int) -> Game:
        """A game in which these commands and no others were given, each at its moment."""
        game = self.first
        for action in actions:
            for event in tick(game, action.seen_ns):
                game = apply(game, event)
            game = apply(game, CommandApplied(action))
        for event in tick(game, until_ns):
            game = apply(game, event)
        return game

    def compare(self) -> None:
        meant = self.played(self.intended, self.now_ns)
        assert self.game.state == meant.state, (self.intended, self.game.state, meant.state)
        assert room(self.game, self.now_ns) == room(meant, self.now_ns)

    def verdict(self, claim: str) -> Verdict:
        cards = Resources(grain=self.chance.randrange(3), ore=self.chance.randrange(3))
        good = Sheet(4, 5, foreign_left=True, foreign_right=True, resources=cards)
        poor = Sheet(self.chance.randrange(2, 5), 3, resources=cards)
        sheet = self.chance.choice([None, good, poor, poor])
        return Verdict(claim, confirmed=False) if sheet is None else Verdict(claim, sheet=sheet)

    def command(self, name: str) -> Command:
        chance, state = self.chance, self.game.state
        claim = chance.choice(["c2", *(one.id for one in state.claims)])
        match name:
            case "claim":
                side = state.side if state.side and chance.random() < 0.8 else "moon"
                return Claim(chance.choice(BOARDS), side)
            case "verdict":
                return self.verdict(claim)
            case "withdraw":
                return Withdraw(claim)
            case "add_time":
                return AddTime(chance.choice([-40_000, 1, 5_000, 90_000]))
            case "last_rounds":
                return LastRounds(chance.randrange(3))
            case "resume":
                return Resume(override=chance.random() < 0.8)
        plain = {"pause": Pause(), "skip": Skip(), "press": Press(), "end": End(confirm=True)}
        others = {"say": Say("hello"), "timer": Timer("Break", 60)}
        return (plain | others)[name]


AGREED = (
    f"{{}} games of {STEPS} steps with {{}} corrections are those in which only the "
    "intended commands were given"
)

if __name__ == "__main__":
    sys.exit(many_games.main(Pair, about=__doc__, games=100_000, agreed=AGREED))
