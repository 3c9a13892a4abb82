"""The table of allowed moves is complete, and what it refuses leaves the game untouched."""

import typing

import pytest

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Command,
    Contribute,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Skip,
    Start,
    Step,
    Timer,
    Undo,
    Verdict,
    Withdraw,
)
from pi_controller.game.phases import TABLE, Situation, situation
from tests.game.hall import Hall

HALLS = {
    Situation.READY: Hall,
    Situation.COUNTING: lambda: Hall().do(Start()),
    Situation.PLAYING: lambda: Hall().started(),
    Situation.PAUSED: lambda: Hall().started().do(Pause()),
    Situation.ENDED: lambda: Hall().started().do(End(confirm=True)),
}
EXAMPLES = [
    Contribute("word"),
    Start(),
    Pause(),
    Press(),
    Resume(),
    Skip(),
    AddTime(5),
    SetSchedule((Step(1, 30),)),
    SetClaims("pause"),
    Claim("7", "sun"),
    Withdraw("c1"),
    Verdict("c1", confirmed=True),
    LastRounds(3),
    End(confirm=True),
    Say("Hello"),
    Timer("Doors", 60),
]


@pytest.mark.parametrize("where", Situation)
def test_each_situation_is_reached_and_knows_every_command(where):
    assert situation(HALLS[where]().game.state) is where
    assert set(TABLE[where]) == set(typing.get_args(Command)) - {Undo, Redo}


@pytest.mark.parametrize("where", Situation)
@pytest.mark.parametrize("command", EXAMPLES, ids=lambda command: type(command).__name__)
def test_what_the_table_refuses_is_a_sentence_and_changes_nothing(where, command):
    hall = HALLS[where]()
    entry = TABLE[where][type(command)]
    if isinstance(entry, str):
        assert hall.refused(command) == entry
    else:
        before = hall.game
        decision = hall.ask(command)
        assert not decision.reasons or (not decision.events and hall.game is before)


def test_moves_refuse_what_the_clock_alone_does_not_tell():
    counting = Hall().do(Start())
    assert "no phase to skip" in counting.refused(Skip())
    assert "no countdown to change" in counting.refused(AddTime(5))
    assert "nothing to claim" in counting.refused(Claim("7", "sun"))
    assert "nothing to end" in counting.refused(End(confirm=True))
    assert "second step" in Hall().started().refused(End(confirm=False))
    assert "only outside rounds" in Hall().started().refused(Timer("Break", 60))
