"""Seeded games against the reference hall: `python -m tests.game.rules_run --games 100000`."""

import copy
import random
import sys

from pi_controller.game.commands import (
    AddTime,
    Claim,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resources,
    Resume,
    SetSchedule,
    Sheet,
    Skip,
    Start,
    Step,
    Undo,
    Verdict,
)
from pi_controller.game.events import PhaseBegan
from pi_controller.game.game import apply, decide, new_game, tick
from pi_controller.game.room import room
from pi_controller.game.rule_sets import CONNECT
from tests.game import many_games
from tests.game.reference import Hall, played

MS = 1_000_000
STEPS = 45
LIKELY = [
    "pause",
    "press",
    "press",
    "claim",
    "verdict",
    "resume",
    "resume",
    "skip",
    "add_time",
    "undo",
    "redo",
    "restart",
    "wait",
]
RARE = ["set_schedule", "last_rounds", "last_rounds", "start", "end"]
COLLECTING = ["claim", "claim", "verdict", "verdict", "verdict", "verdict", "end", "undo", "redo", "wait"]


class Pair:
    """The game under test and the reference, moved together and compared after every step."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(number)
        seed = self.chance.randbytes(32)
        self.game = new_game(f"game-{number}", CONNECT, seed)
        self.first = Hall(seed, f"game-{number}")
        self.hall = copy.deepcopy(self.first)
        self.actions: list[tuple] = []
        self.undone: list[tuple] = []
        self.most_rolls = 0
        self.now = 0
        self.phases = {"round": 0, "robber": 0}

    @property
    def compared(self) -> tuple[int, ...]:
        """Rounds and robber phases."""
        return self.phases["round"], self.phases["robber"]

    def run(self) -> None:
        self.do("start")
        for _ in range(STEPS):
            self.wait(self.chance.choice([1, 999, 3_000, *(self.chance.randrange(90_000) for _ in range(3))]))
            likely = COLLECTING if self.hall.phase == "collecting" else LIKELY
            name = self.chance.choice(RARE if self.chance.random() < 0.08 else likely)
            if name in ("undo", "redo"):
                getattr(self, name)()
            elif name == "restart":
                self.restart()
            elif name != "wait":
                self.do(name)
            self.compare(name)

    def wait(self, ms: int) -> None:
        self.now += ms
        for event in tick(self.game, self.now * MS):
            self.game = apply(self.game, event)
            if isinstance(event, PhaseBegan):
                self.phases[event.phase] += 1
            self.check_rules()
        self.hall.catch_up(self.now)
        self.most_rolls = max(self.most_rolls, self.hall.rolls)

    def check_rules(self) -> None:
        """What the rule book says of every phase, whatever the reference says."""
        state = self.game.state
        roll = state.roll
        assert roll is not None
        if roll.due_round <= 10:
            assert sum(roll.dice) != 7
        assert (state.phase == "robber") == (sum(roll.dice) == 7) or state.played
        if state.phase == "round":
            assert state.side == ("sun" if state.round % 2 else "moon")

    def restart(self) -> None:
        """The process died: the game comes back paused, its clock having stood still meanwhile."""
        self.do("pause", "recovery")

    def do(self, name: str, value: object = None) -> None:
        late = self.chance.choice([0, 4, 4, 30]) if name in ("press", "pause") else 0
        at = max(0, self.now - late)
        source = "system" if value == "recovery" else "web"
        if name in ("claim", "verdict") and self.hall.phase == "ended":
            return
        command, value = self._command(name, value)
        number = self.game.next_action
        decision = decide(self.game, command, at_ns=at * MS, now_ns=self.now * MS, source=source)
        before = copy.deepcopy(self.hall)
        done = self.hall.do((name, at, self.now, value, source, number))
        assert done == (not decision.reasons), (name, done, decision.reasons)
        if decision.events:
            self.actions.append((name, at, self.now, value, source, number))
            self.undone = [] if source == "web" else self.undone
        elif not done:
            self.hall = before
        self._apply(decision.events)

    def _command(self, name: str, value: object) -> tuple[object, object]:
        chance = self.chance
        match name:
            case "pause":
                return Pause(value or "director"), value or "director"
            case "claim":
                board = chance.choice(["A5", "a5", "A05", "B7"])
                side = self.hall.side if self.hall.side and chance.random() < 0.8 else "moon"
                known = [press["id"] for press in self.hall.presses]
                press = chance.choice([None, "p1", *known]) if chance.random() < 0.5 else None
                return Claim(board, side, press=press), (board, side, press)
            case "verdict":
                claim = chance.choice(["c1", *(claim["id"] for claim in self.hall.claims)])
                if self.hall.phase != "collecting" or chance.random() < 0.2:
                    return Verdict(claim, confirmed=False), (claim, None)
                cities, grain, ore = (chance.randrange(2, 4) for _ in range(3))
                cards = Resources(grain=grain, ore=ore)
                return Verdict(claim, sheet=Sheet(2, cities, resources=cards)), (
                    claim,
                    (2 + 2 * cities, (grain, ore)),
                )
            case "resume":
                override = chance.random() < 0.7
                return Resume(override), override
            case "add_time":
                ms = chance.choice([-90_000, -1, 1, 5_000, 30_000])
                return AddTime(ms), ms
            case "set_schedule":
                seconds = chance.choice([20, 40.5])
                return SetSchedule((Step(1, seconds), Step(9, 50))), [(1, round(seconds * 1000)), (9, 50_000)]
            case "last_rounds":
                count = chance.choice([0, 2, 9])
                return LastRounds(count), count
        others = {"start": Start(), "press": Press(), "skip": Skip(), "end": End(confirm=True)}
        return others[name], None

    def _apply(self, events: tuple) -> None:
        for event in events:
            self.game = apply(self.game, event)
        self.wait(0)

    def undo(self) -> None:
        index = max((i for i, action in enumerate(self.actions) if action[4] == "web"), default=None)
        if index is None:
            self._corrected(Undo(), None, [])
            return
        put = self._instead(index)
        changed = [*self.actions[:index], *put, *self.actions[index + 1 :]]
        removed = self.actions[index]
        if self._corrected(Undo(), changed, self.actions[:index]):
            self.undone.append((index, removed, len(put)))

    def _instead(self, index: int) -> list[tuple]:
        """A game that an action ended while the clock ran, or its last round, comes back paused at that
        moment."""
        _, at, seen, _, source, _ = self.actions[index]
        before = played(self.first, self.actions[:index], seen)
        after = played(self.first, self.actions[: index + 1], seen)
        over = ("collecting", "ended")
        ended = after.phase in over and before.phase not in over and before.mode in ("run", "count")
        return [("pause", at, seen, "director", source, self.game.next_action)] if ended else []

    def redo(self) -> None:
        if not self.undone:
            self._corrected(Redo(), None, [])
            return
        index, action, gone = self.undone[-1]
        changed = [*self.actions[:index], action, *self.actions[index + gone :]]
        if self._corrected(Redo(), changed, changed[: index + 1]):
            self.undone.pop()

    def _corrected(self, command: object, changed: list | None, certain: list) -> bool:
        """`certain` are the actions up to the corrected place: what they lead to at once may be new."""
        decision = decide(self.game, command, at_ns=self.now * MS, now_ns=self.now * MS, source="web")
        hall = None if changed is None else played(self.first, changed, self.now)
        allowed = hall is not None and self._may_become(hall, certain)
        assert allowed == (not decision.reasons), (command, allowed, decision.reasons)
        if allowed:
            self.hall, self.actions = hall, changed
            self._apply(decision.events)
        return allowed

    def _may_become(self, hall: Hall, certain: list) -> bool:
        """Nothing unseen may have passed, and at most one round is taken back."""
        at_once = played(self.first, certain, certain[-1][2] if certain else 0)
        most = max(self.most_rolls, at_once.rolls)
        seen = {one.phase for one in (self.hall, at_once)}
        seen |= {"collecting" for one in (self.hall, at_once) if one.ranked and one.phase == "ended"}
        unseen = hall.phase in ("collecting", "ended") and hall.phase not in seen
        return hall.rolls <= most and not unseen and hall.round >= self.hall.round - 1

    def compare(self, name: str) -> None:
        picture = room(self.game, self.now * MS)
        hall = self.hall
        expected = {
            "phase": hall.phase,
            "round": hall.round,
            "side": hall.side,
            "dice": hall.dice and tuple(hall.dice),
            "robber_target": hall.target,
            "running": hall.mode == "run",
            "paused": hall.mode in ("frozen", "count"),
            "pause_reasons": hall.reasons if hall.mode == "frozen" else [],
            "resume_in_ms": hall.go - self.now if hall.mode == "count" else None,
            "remaining_ms": hall.remaining(self.now),
        }
        found = {key: getattr(picture, key) for key in expected}
        assert found == expected, f"after {name} at {self.now} ms: {found} instead of {expected}"
        claims = [
            (
                claim.id,
                claim.board,
                claim.side,
                claim.round,
                claim.pressed_ms_before_end,
                claim.status == "open",
            )
            for claim in picture.claims
        ]
        claimed = [
            tuple(claim[key] for key in ("id", "board", "side", "round", "left", "open"))
            for claim in hall.claims
        ]
        assert claims == claimed, (name, claims, claimed)
        ranked = picture.ranking if picture.phase == "collecting" or hall.ranked else []
        ranking = [(one.claim, one.points) for one in ranked]
        assert ranking == [(claim, sheet[0]) for claim, sheet in hall.ranking()], (name, ranking)
        assert {one.claim for one in picture.winners} == set(hall.winners()), name
        presses = [(one.id, one.round, one.side, one.pressed_ms_before_end) for one in picture.presses]
        pressed = [tuple(one[key] for key in ("id", "round", "side", "left")) for one in hall.presses]
        assert presses == pressed, (name, presses, pressed)


AGREED = (
    f"{{}} games of {STEPS} steps agree with the reference to the millisecond: "
    "{} rounds and {} robber phases"
)

if __name__ == "__main__":
    sys.exit(many_games.main(Pair, about=__doc__, games=100_000, agreed=AGREED))
