"""Games that were really played, with everything a director may do, pass both verifiers."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    Contribute,
    End,
    LastRounds,
    Pause,
    Redo,
    Resume,
    SetClaims,
    Skip,
    Start,
    Undo,
)
from pi_controller.game.events import Event
from pi_controller.game.game import Game, apply, decide, new_game, tick
from pi_controller.game.rule_sets import CONNECT
from pi_controller.journal.record import encode_event
from pi_controller.journal.verify import VerifyReport
from tests.journal.exports import chained
from tests.journal.test_verify import both

SECOND = 1_000_000_000
COMMANDS: tuple[Command, ...] = (
    Skip(),
    Skip(),
    Skip(),
    AddTime(40_000),
    AddTime(-50_000),
    Pause(),
    Resume(override=True),
    Undo(),
    Undo(replace=Skip()),
    Undo(replace=AddTime(-20_000)),
    Undo(replace=Pause()),
    Redo(),
    End(confirm=True),
    LastRounds(3),
    Start(),
    Contribute("late"),
    Claim("7", "sun"),
    SetClaims("pause"),
    SetClaims("ask"),
)
steps = st.lists(
    st.sampled_from(COMMANDS) | st.sampled_from([1, 12, 20, 35, 45, 100]), min_size=10, max_size=60
)


class Journalled:
    """A game, and the records of everything that happened in it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.now_ns = 0
        self.records: list[dict[str, Any]] = []
        rules = game.rules
        self.record(
            "game",
            {
                "format": 2,
                "derivation": 2,
                "game_id": game.game_id,
                "rule_set": rules.name,
                "rule_set_version": rules.version,
                "rules": {"sides": [[seat, sign.name] for seat, sign in rules.sides]},
                "terms": game.dice.terms.as_data(),
                "commitment": game.dice.commitment,
            },
        )

    def record(self, kind: str, data: dict[str, Any]) -> None:
        self.records.append({"kind": kind, "data": data, "game_ns": self.now_ns})

    def happen(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.game = apply(self.game, event)
            self.record(*encode_event(event))

    def do(self, command: Command) -> tuple[str, ...]:
        decision = decide(self.game, command, at_ns=self.now_ns, now_ns=self.now_ns, source="web")
        self.happen(decision.events)
        self.wait(0)
        return decision.reasons

    def wait(self, seconds: int) -> None:
        self.now_ns += seconds * SECOND
        self.happen(tick(self.game, self.now_ns))

    def verified(self) -> VerifyReport:
        self.record("seed", {"seed": self.game.dice.seed.hex()})
        return both(chained(self.records), commitment=self.game.dice.commitment)


@given(
    st.integers(0, 9999),
    st.sampled_from(["due_side", "other_side"]),
    st.sampled_from(["sun", "moon", "drawn"]),
    st.none() | st.just("lantern"),
    steps,
)
@settings(max_examples=150, deadline=None)
def test_whatever_the_director_does_the_game_passes(
    number: int, after_robber: Any, first_side: Any, word: str | None, todo: list[Any]
) -> None:
    rules = replace(CONNECT, after_robber=after_robber, first_side=first_side, rounds_without_seven=1)
    played = Journalled(new_game(f"played-{number}", rules, number.to_bytes(32, "big")))
    if word:
        played.do(Contribute(word))
    played.do(Start())
    for step in todo:
        played.wait(step) if isinstance(step, int) else played.do(step)
    report = played.verified()
    assert report.ok, report.told
    assert report.rolls == sum(record["kind"] == "turned" for record in played.records)


@pytest.mark.parametrize("word", [None, "lantern"])
def test_a_game_by_the_clock_alone_passes(word: str | None) -> None:
    played = Journalled(new_game("evening", CONNECT, bytes(range(32))))
    if word:
        played.do(Contribute(word))
    played.do(Start())
    played.wait(30 * 60)
    played.do(End(confirm=True))
    report = played.verified()
    assert report.ok
    assert report.rolls >= 40
    assert report.robber_phases >= 1
