"""Seeded classic games against the reference table: `python -m tests.game.classic_run --games 20000`."""

import copy
import random
import sys
from dataclasses import replace

from pi_controller.game.commands import (
    AddTime,
    Claim,
    End,
    Pause,
    Press,
    Redo,
    Resume,
    SetSchedule,
    Sheet,
    Skip,
    Start,
    Step,
    Turn,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.events import Event
from pi_controller.game.game import apply, decide, new_game, tick
from pi_controller.game.room import room
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS
from tests.game import many_games
from tests.game.classic_reference import Table
from tests.game.reference import played

MS = 1_000_000
STEPS = 60
LIKELY = (
    *(
        "turn",
        "turn",
        "turn",
        "turn",
        "turn",
        "turn",
        "turn",
        "press",
        "wrong",
        "claim",
        "verdict",
        "verdict",
    ),
    *("withdraw", "pause", "resume", "resume", "skip", "add_time", "undo", "undo", "redo", "restart", "wait"),
)
RARE = ("set_schedule", "start", "end")
LATE = ("turn", "press", "wrong", "claim", "pause")
SEATS = ("table", "seat", "system")
"""Whose claims no undo takes back."""


class Pair:
    """The game under test and the reference, moved together and compared after every step."""

    def __init__(self, number: int) -> None:
        self.chance = chance = random.Random(number)
        seats = chance.choice([3, 4, 5, 6])
        sides = CLASSIC_SEATS[:seats]
        ids = [seat for seat, _ in sides]
        first = chance.choice(["highest", "highest", "drawn", chance.choice(ids)])
        schedule = chance.choice([(), (Step(1, 60),), (Step(1, 20), Step(5, 8.5))])
        quiet = chance.choice([0, 0, 1, 2]) * seats
        building = chance.choice([0, 15_000])
        rules = replace(
            CLASSIC,
            sides=sides,
            first_side=first,
            schedule=schedule,
            rounds_without_seven=quiet,
            building_ms=building,
        )
        seed, name = chance.randbytes(32), f"game-{number}"
        self.game = self.new = new_game(name, rules, seed)
        steps = [(step.from_round, round(step.seconds * 1000)) for step in schedule]
        self.first = Table(seed, name, steps, seats=ids, first=first, quiet=quiet, building=building)
        self.table = copy.deepcopy(self.first)
        self.events: list[Event] = []
        self.actions: list[tuple] = []
        self.undone: list[tuple] = []
        self.furthest = (0, 0)
        self.now = 0

    @property
    def compared(self) -> tuple[int, ...]:
        """Turns."""
        return self.furthest[:1]

    def run(self) -> None:
        self.do("start")
        self.compare("start")
        for _ in range(self.chance.randrange(0, 30)):
            self.wait(self.chance.randrange(1, 9_000))
            self.do("turn")
            self.compare("turn")
        for _ in range(STEPS):
            self.wait(
                self.chance.choice([1, 20, 999, 3_000, *(self.chance.randrange(40_000) for _ in range(2))])
            )
            name = self.chance.choice(RARE if self.chance.random() < 0.03 else LIKELY)
            if name in ("undo", "redo"):
                getattr(self, name)()
            elif name == "restart":
                self.do("pause", "recovery")
            elif name != "wait":
                self.do(name)
            self.compare(name)
        self.compare_journal()

    def wait(self, ms: int) -> None:
        self.now += ms
        self._apply(tick(self.game, self.now * MS))
        self.table.catch_up(self.now)
        self.furthest = max(self.furthest, self.table.progress)

    def _apply(self, events: tuple[Event, ...]) -> None:
        self.events += events
        for event in events:
            self.game = apply(self.game, event)

    def do(self, name: str, value: object = None) -> None:
        late = self.chance.choice([0, 0, 4, 30, 2_000]) if name in LATE else 0
        at = max(0, self.now - late)
        command, value = self._command(name, value)
        name = "turn" if name == "wrong" else name
        source = "web"
        if name in ("turn", "press", "claim"):
            source = "button" if name == "press" else self.chance.choice(["web", "seat", "table"])
        if value == "recovery":
            source = "system"
        number = self.game.next_action
        decision = decide(self.game, command, at_ns=at * MS, now_ns=self.now * MS, source=source)
        before = copy.deepcopy(self.table)
        action = (name, at, self.now, value, source, number)
        done = self.table.do(action)
        assert done == (not decision.reasons), (name, value, done, decision.reasons)
        if decision.events:
            self.actions.append(action)
            self.undone = [] if _undoable(action) else self.undone
        elif not done:
            self.table = before
        self.furthest = max(self.furthest, self.table.progress)
        self._apply(decision.events)
        self.wait(0)

    def _command(self, name: str, value: object) -> tuple[object, object]:
        chance = self.chance
        match name:
            case "turn" | "wrong":
                whose = self.table.side or self.table.following
                seat = chance.choice([None, whose]) if name == "turn" else chance.choice(self.table.seats)
                return Turn(seat), seat
            case "pause":
                return Pause(value or "director"), value or "director"
            case "claim":
                seat = chance.choice([None, self.table.side, self.table.side, *self.table.seats])
                return Claim(None, seat), seat
            case "withdraw":
                claim = self._claim()
                return Withdraw(claim), claim
            case "verdict":
                return self._verdict()
            case "resume":
                override = chance.random() < 0.7
                return Resume(override), override
            case "add_time":
                ms = chance.choice([-90_000, -1, 1, 5_000, 30_000])
                return AddTime(ms), ms
            case "set_schedule":
                seconds = chance.choice([20, 40.5])
                return SetSchedule((Step(1, seconds), Step(9, 50))), [(1, round(seconds * 1000)), (9, 50_000)]
        others = {"start": Start(), "press": Press(), "skip": Skip(), "end": End(confirm=True)}
        return others[name], None

    def _claim(self) -> str:
        waiting = [claim["id"] for claim in self.table.claims if claim["status"] == "open"]
        known = [claim["id"] for claim in self.table.claims]
        return self.chance.choice(waiting * 3 or ["c1", *known])

    def _verdict(self) -> tuple[Verdict, tuple]:
        chance, claim = self.chance, self._claim()
        said = chance.choice([False, False, False, True, "sheet", "sheet", "sheet"])
        if said != "sheet":
            return Verdict(claim, confirmed=said), (claim, said)
        settlements, cities, cards = chance.randrange(7), chance.randrange(5), chance.randrange(3)
        army, route, foreign = (chance.random() < likely for likely in (0.3, 0.3, 0.1))
        sheet = Sheet(settlements, cities, foreign, False, cards, army, route)
        return Verdict(claim, sheet=sheet), (claim, (settlements, cities, cards, army, route, foreign))

    def undo(self) -> None:
        index = max((i for i, action in enumerate(self.actions) if _undoable(action)), default=None)
        if index is None:
            self._corrected(Undo(), None, [])
            return
        put, removed = self._instead(index), self.actions[index]
        changed = [*self.actions[:index], *put, *self.actions[index + 1 :]]
        if self._corrected(Undo(), changed, [*self.actions[:index], *put] if put else None):
            self.undone.append((index, removed, len(put)))

    def _instead(self, index: int) -> list[tuple]:
        """A game that was ended while the clock ran comes back paused at that moment; so does a turn whose button was
        pressed and whose time would be up by now."""
        name, at, seen, _, source, _ = self.actions[index]
        before = played(self.first, self.actions[:index], seen)
        after = played(self.first, self.actions[: index + 1], seen)
        ended = before.playing and not after.playing and before.mode in ("run", "count")
        over = name in ("turn", "press") and before.mode == "run" and before.end <= self.now
        return [("pause", at, seen, "director", source, self.game.next_action)] if ended or over else []

    def redo(self) -> None:
        if not self.undone:
            self._corrected(Redo(), None, None)
            return
        index, action, gone = self.undone[-1]
        changed = [*self.actions[:index], action, *self.actions[index + gone :]]
        if self._corrected(Redo(), changed, changed[: index + 1]):
            self.undone.pop()

    def _corrected(self, command: object, changed: list | None, certain: list | None) -> bool:
        """`certain` are the actions up to what is put in: what they lead to at once may be new."""
        decision = decide(self.game, command, at_ns=self.now * MS, now_ns=self.now * MS, source="web")
        table = None if changed is None else played(self.first, changed, self.now)
        allowed = table is not None and self._may_become(table, certain)
        assert allowed == (not decision.reasons), (command, allowed, decision.reasons)
        if allowed:
            self.table, self.actions = table, changed
            self.furthest = max(self.furthest, table.progress)
            self._apply(decision.events)
            self.wait(0)
        return allowed

    def _may_become(self, table: Table, certain: list | None) -> bool:
        """Nothing unseen may have passed, and at most one turn is taken back."""
        most, phases = self.furthest, {self.table.phase}
        if certain:
            at_once = played(self.first, certain, certain[-1][2])
            most, phases = max(most, at_once.progress), phases | {at_once.phase}
        unseen = table.phase == "ended" and "ended" not in phases
        return table.progress <= most and not unseen and table.round >= self.table.round - 1

    def compare(self, name: str) -> None:
        picture, table = room(self.game, self.now * MS), self.table
        on, timed = table.playing, table.playing and table.length < 86_400_000
        left = table.remaining(self.now)
        dice = table.dice if table.phase == "turn" else None
        expected = {
            "phase": table.phase,
            "round": table.round,
            "side": table.side,
            "next_side": table.following,
            "dice": dice,
            "robber_target": None,
            "running": table.mode == "run",
            "paused": table.mode in ("frozen", "count"),
            "pause_reasons": table.reasons if table.mode == "frozen" else [],
            "resume_in_ms": table.go - self.now if table.mode == "count" else None,
            "duration_ms": table.length if timed else 0,
            "remaining_ms": left if timed else 0,
            "gained_ms": {seat: ms for seat, ms in table.gained.items() if ms},
            "history": table.history,
            "claims": [
                tuple(claim[key] for key in ("id", "seat", "turn", "left", "status", "points", "passed"))
                for claim in table.claims
            ],
            "winners": table.winners,
            "turn": on
            and {
                "to_roll": table.phase == "turn" and table.dice is None,
                "building": table.phase == "turn" and table.side is None,
                "timed": timed,
                "elapsed_ms": table.length - left,
                "placed": table.placed,
                "opening": table.opening if table.phase == "founding" else [],
            },
        }
        turn, opening = picture.turn, []
        if turn is not None:
            opening = [[(one.side, one.dice) for one in rolls] for rolls in turn.opening]
        found = {key: getattr(picture, key) for key in expected} | {
            "history": [(one.round, one.side, one.dice) for one in picture.history],
            "claims": [
                (one.id, one.side, one.round, one.pressed_ms_before_end, one.status, one.points, one.passed)
                for one in picture.claims
            ],
            "winners": [one.claim for one in picture.winners],
            "turn": turn is not None
            and {key: getattr(turn, key) for key in ("to_roll", "building", "timed", "elapsed_ms", "placed")}
            | {"opening": opening},
        }
        differ = {key: (found[key], expected[key]) for key in expected if found[key] != expected[key]}
        assert not differ, f"after {name} at {self.now} ms, found and expected: {differ}"

    def compare_journal(self) -> None:
        """What was journalled leads to the same game."""
        folded = self.new
        for event in self.events:
            folded = apply(folded, event)
        for event in tick(folded, self.now * MS):
            folded = apply(folded, event)
        assert folded == self.game, "the fold of the journal is another game"


def _undoable(action: tuple) -> bool:
    """What the director did, and every press of a turn's button."""
    return action[0] == "turn" or action[4] not in SEATS


AGREED = "{} classic games agree with the reference to the millisecond: {} turns"

if __name__ == "__main__":
    sys.exit(many_games.main(Pair, about=__doc__, games=20_000, agreed=AGREED))
