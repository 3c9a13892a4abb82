"""Builds true exports of whole games: rounds, robber phases, words, undo, an end taken back."""

import hashlib
import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from pi_controller.game.dice import DiceBook
from pi_controller.game.dice_terms import TARGETS, ArmedTerms, DiceTerms
from pi_controller.game.turn_order import TurnOrder

ORDER = TurnOrder(("sun", "moon"), "due_side")

STEPS = ("next", "next", "next", "next", "back", "note", "schedule", "end")

Record = dict[str, Any]


def encoded(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def chained(records: Iterable[Record]) -> list[bytes]:
    """Lines with right seq, prev and hash, whatever the records say."""
    lines = []
    before = "0" * 64
    for number, record in enumerate(records):
        body = {**record, "seq": number, "prev": before}
        body.pop("hash", None)
        before = hashlib.sha256(encoded(body).encode()).hexdigest()
        lines.append(encoded({**body, "hash": before}).encode() + b"\n")
    return lines


def records_of(lines: Iterable[bytes]) -> list[Record]:
    return [json.loads(line) for line in lines]


@dataclass(frozen=True)
class Plan:
    """A game to build; `steps` are taken after the words, then the game ends with its seed.

    `after_robber` is that of a game of version 1; later ones have it in their terms. `seats` of a rule set
    other than Connect are in line 1. `more` are further fields of line 1: its seal's place, a rehearsal.
    """

    book: DiceBook
    after_robber: str = "due_side"
    words: tuple[str | None, ...] = ()
    steps: tuple[str, ...] = ("next",) * 20
    ended: bool = True
    seats: tuple[str, ...] = ORDER.seats
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> TurnOrder:
        armed = self.book.terms.armed
        return TurnOrder(self.seats, "due_side" if armed is None else armed.after_robber)

    @property
    def in_turns(self) -> bool:
        """A 7 begins no phase: the seats found and then have turns."""
        return self.order.after_robber == "no_phase"


@dataclass
class _Builder:
    """Writes the records of a plan; `turns` are those shown so far, `at` is the one that is on."""

    plan: Plan
    book: DiceBook
    records: list[Record] = field(default_factory=list)
    turns: list[Record] = field(default_factory=list)
    at: int = -1

    def add(self, kind: str, data: Record) -> None:
        now = 1_000_000_000 * len(self.records)
        clocks = {"game_ns": now, "boot_ns": now + 5, "boot_id": "b", "wall": "2026-11-20T19:00:00Z"}
        self.records.append({"kind": kind, "data": data, **clocks})

    def open(self) -> None:
        book = self.plan.book
        by_version = (
            {"format": 1, "after_robber": self.plan.after_robber}
            if book.terms.armed is None
            else {"format": 2, "derivation": 2}
        )
        rules = (
            {}
            if self.plan.seats == ORDER.seats
            else {"rules": {"sides": [[seat, {}] for seat in self.plan.seats]}}
        )
        self.add(
            "game",
            {
                **by_version,
                **rules,
                "game_id": book.game_id,
                "rule_set": book.terms.rule_set,
                "rule_set_version": book.terms.rule_set_version,
                "terms": book.terms.as_data(),
                "commitment": book.commitment,
                "software": "0.1.0",
                **self.plan.more,
            },
        )
        for word in self.plan.words:
            self.add("contributed", {"text": word})
            self.book = self.book.with_word(word)
        for placed in range(2 * len(self.plan.seats) * self.plan.in_turns):
            self.acts("founding", min(placed, 2 * len(self.plan.seats) - 1 - placed), 0)

    def acts(self, phase: str, place: int, round_no: int) -> None:
        seats = self.plan.seats
        seat = seats[(seats.index(self.book.first_seat(self.plan.order)) + place) % len(seats)]
        self.add("acts", {"phase": phase, "round": round_no, "seat": seat, "began_ns": 0, "duration_ns": 0})

    def step(self, name: str) -> None:
        match name:
            case "next":
                self.at += 1
                if self.at == len(self.turns):
                    if self.plan.in_turns:
                        self.acts("turn", self.at, self.at + 1)
                    self.turns.append(self.new_turn())
                self.add(
                    "turned", {**self.turns[self.at], "began_ns": self.at, "duration_ns": 35_000_000_000}
                )
            case "back" if self.at > 0:
                self.add("corrected", {"what": "undo"})
                self.at = max(-1, self.at - 4)
                self.step("next")
            case "end":
                self.add("ended", {"winners": []})
                self.add("seed", {"seed": self.book.seed.hex()})
                self.add("corrected", {"what": "undo", "of": "end"})
            case "schedule":
                body = {"steps": [{"from_round": 1, "seconds": 20.5}]}
                self.add("did", {"action": {"id": 9, "command": {"name": "set_schedule", "body": body}}})
            case _:
                self.add("note", {"text": "Zażółć gęślą jaźń 🎲 \u007f\n", "down_s": 0.1})

    def new_turn(self) -> Record:
        last = self.turns[-1] if self.turns else {"phase": "round", "due_round": 0, "draw": -1}
        again = last["phase"] == "robber"
        due = last["due_round"] + (not again)
        roll = self.book.round_roll(due, last["draw"] + 1 if again else 0)
        robber = roll.sum == 7 and not self.plan.in_turns
        target = self.book.robber_target(due, roll.draw) if robber else None
        return {
            "phase": "robber" if robber else "turn" if self.plan.in_turns else "round",
            "round": due - robber,
            "due_round": due,
            "side": None if robber else self.side(due),
            "dice": list(roll.dice),
            "draw": roll.draw,
            "robber_target": target and target.target,
            "robber_dice": target and target.dice and list(target.dice),
        }

    def side(self, due: int) -> str:
        robbers = sum(turn["phase"] == "robber" for turn in self.turns)
        armed = self.book.terms.armed
        after_robber = self.plan.after_robber if armed is None else armed.after_robber
        changes = due - 1 + (robbers if after_robber == "other_side" else 0)
        seats = self.plan.seats
        return seats[(seats.index(self.book.first_seat(self.plan.order)) + changes) % len(seats)]


def built(plan: Plan) -> list[bytes]:
    """The lines of this game's export."""
    builder = _Builder(plan, plan.book)
    builder.open()
    for step in plan.steps:
        builder.step(step)
    if plan.ended:
        builder.add("ended", {"winners": [{"board": "A3", "points": 18}]})
        builder.add("seed", {"seed": plan.book.seed.hex()})
    return chained(builder.records)


CONNECT = DiceTerms(
    rule_set="connect",
    rule_set_version=1,
    rounds_without_seven=10,
    allow_consecutive_sevens=True,
    robber_targets=TARGETS,
    robber_target_draw="dice",
    first_side="sun",
)
"""The default game in version 1 of the derivation."""

ARMED = ArmedTerms(
    after_robber="due_side",
    schedule=((1, 35_000), (11, 45_000)),
    robber_ms=12_000,
    start_countdown_ms=3_000,
    resume_countdown_ms=3_000,
    target_points=18,
    claims="ask",
)
CONNECT_2 = replace(CONNECT, armed=ARMED)
"""The same in version 2."""

COLOURS = ("red", "blue", "white", "orange", "green", "brown")
CLASSIC = replace(
    CONNECT,
    rule_set="classic",
    rounds_without_seven=0,
    first_side="highest",
    armed=replace(
        ARMED, after_robber="no_phase", schedule=(), robber_ms=0, start_countdown_ms=0, target_points=10
    ),
)
"""The classic game without a limit for turns."""

armed = st.builds(
    ArmedTerms,
    after_robber=st.sampled_from(["due_side", "other_side"]),
    schedule=st.lists(
        st.tuples(st.integers(2, 99), st.integers(1000, 3_600_000)),
        max_size=3,
        unique_by=lambda step: step[0],
    ).map(lambda steps: ((1, 35_000), *sorted(steps))),
    robber_ms=st.integers(0, 60_000),
    start_countdown_ms=st.integers(0, 30_000),
    resume_countdown_ms=st.integers(0, 30_000),
    target_points=st.integers(1, 99),
    claims=st.sampled_from(["ask", "pause"]),
)
terms = st.builds(
    DiceTerms,
    rule_set=st.sampled_from(["connect", "Vereinsabend 🎲"]),
    rule_set_version=st.integers(1, 9),
    rounds_without_seven=st.integers(0, 12),
    allow_consecutive_sevens=st.booleans(),
    robber_targets=st.lists(st.sampled_from(TARGETS), min_size=1, unique=True).map(tuple),
    robber_target_draw=st.sampled_from(["dice", "uniform"]),
    first_side=st.sampled_from(["sun", "moon", "drawn"]),
    armed=st.none() | armed,
)


def seal(number: int, evening: str = "evening", before: str | None = None) -> dict[str, Any]:
    """The place of a seal, as a field of line 1."""
    return {"seal": {"number": number, "of_evening": evening, "before": before}}


more = st.sampled_from([{}, {"rehearsal": True}, seal(1), seal(3, before="ab" * 32) | {"rehearsal": True}])
words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
connect_plans = st.builds(
    Plan,
    book=st.builds(DiceBook, seed=st.binary(min_size=32, max_size=32), game_id=words, terms=terms),
    after_robber=st.sampled_from(["due_side", "other_side"]),
    words=st.lists(words | st.none(), max_size=2).map(tuple),
    steps=st.lists(st.sampled_from(STEPS), max_size=60).map(tuple),
    more=more,
)


@st.composite
def classic_plans(draw: st.DrawFn) -> Plan:
    """Games of 3 to 6 seats in any order, some with the house rule, with a limit or with a seat that begins."""
    seats = tuple(draw(st.permutations(COLOURS))[: draw(st.integers(3, 6))])
    limit = draw(armed.map(lambda one: one.schedule) | st.just(()))
    assert CLASSIC.armed is not None
    terms = replace(
        CLASSIC,
        rounds_without_seven=draw(st.integers(0, 3)) * len(seats),
        first_side=draw(st.sampled_from(["highest", "drawn", *seats])),
        armed=replace(CLASSIC.armed, schedule=limit),
    )
    book = DiceBook(draw(st.binary(min_size=32, max_size=32)), draw(words), terms)
    plan = draw(connect_plans)
    return replace(plan, book=book, seats=seats)


plans = connect_plans | classic_plans()


def random_plan(rng: random.Random) -> Plan:
    """A game of some 25 turns, of version 1 or 2, every fourth a classic one, that publishes its seed once, in the
    last line."""
    word = rng.choice([None, "żaba", "the red hat"])
    if rng.randrange(4) == 0:
        return replace(classic_plan(rng), words=(word,) if word else ())
    after_robber = rng.choice(["due_side", "other_side"])
    return Plan(
        book=DiceBook(
            rng.randbytes(32),
            f"game-{rng.randrange(10**6)}",
            replace(
                CONNECT,
                rounds_without_seven=rng.randrange(6),
                robber_target_draw=rng.choice(["dice", "uniform"]),
                first_side=rng.choice(["sun", "moon", "drawn"]),
                armed=rng.choice([None, replace(ARMED, after_robber=after_robber)]),
            ),
        ),
        after_robber=after_robber,
        words=(word,) if word else (),
        steps=_random_steps(rng),
        more=rng.choice([{}, seal(rng.randrange(1, 9), before="0f" * 32), {"rehearsal": True}]),
    )


def classic_plan(rng: random.Random) -> Plan:
    """The same of a classic game with 3 to 6 seats in any order."""
    seats = tuple(rng.sample(COLOURS, rng.randint(3, 6)))
    terms = replace(
        CLASSIC,
        rounds_without_seven=rng.choice([0, 2 * len(seats)]),
        first_side=rng.choice(["highest", "highest", "drawn"]),
    )
    book = DiceBook(rng.randbytes(32), f"game-{rng.randrange(10**6)}", terms)
    return Plan(book, steps=_random_steps(rng), seats=seats)


def _random_steps(rng: random.Random) -> tuple[str, ...]:
    return ("next",) * 12 + tuple(rng.choice(STEPS[:-1]) for _ in range(15))


def golden_plan() -> Plan:
    """What `tests/vectors/export-v1.jsonl` was built from, once; the file itself must stay as it is."""
    return Plan(
        book=DiceBook(bytes(range(32)), "example-1", CONNECT),
        words=("Jürgen's hat",),
        steps=("next",) * 14 + ("note", "back", "next") + ("next",) * 16 + ("end",) + ("next",) * 3,
    )
