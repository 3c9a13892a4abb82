"""Ranges are checked where a command is made, each with its own sentence."""

import pytest

from pi_controller.game.commands import (
    COMMANDS,
    NAMES,
    AddTime,
    Claim,
    Contribute,
    LastRounds,
    Resources,
    Say,
    SetSchedule,
    Sheet,
    Step,
    Timer,
    Verdict,
    WrongValue,
)
from tests.told import told_by


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Step(0, 35), "from_round must be from 1 to 4294967295, not 0"),
        (lambda: Step(2**32, 35), "from_round must be from 1 to 4294967295, not 4294967296"),
        (lambda: Step(1, 0.5), "seconds must be from 1 to 3600, not 0.5"),
        (lambda: SetSchedule(()), "must begin with from_round 1"),
        (lambda: SetSchedule((Step(2, 35),)), "must begin with from_round 1"),
        (lambda: SetSchedule((Step(1, 35), Step(1, 45))), "from_round 1 must be greater than 1"),
        (lambda: Contribute(" \n"), "1 to 200 characters, and not only spaces"),
        (lambda: Contribute("x" * 201), "1 to 200 characters, and not only spaces"),
        (lambda: AddTime(3_600_001), "from -3600000 to 3600000"),
        (lambda: Claim("", "sun"), "1 to 24 printable"),
        (lambda: Resources(ore=-1), "ore must be from 0 to 999, not -1"),
        (lambda: Sheet(3, 100), "cities must be from 0 to 99, not 100"),
        (lambda: Verdict("c1"), "either `confirmed` or a `sheet`"),
        (lambda: Verdict("c1", confirmed=True, sheet=Sheet(3, 1)), "either `confirmed` or a `sheet`"),
        (lambda: LastRounds(100), "count must be from 0 to 99, not 100"),
        (lambda: Say("x" * 201), "at most 200 printable"),
        (lambda: Say("x", 0.1), "seconds must be from 1 to 3600"),
        (lambda: Timer("Doors"), "either `seconds` or `stop`"),
        (lambda: Timer("Doors", 5, stop=True), "either `seconds` or `stop`"),
        (lambda: Timer("Doors", 0.5), "seconds must be from 1 to 86400"),
        (lambda: Timer("x" * 61, 60), "label must be at most 60"),
    ],
)
def test_a_wrong_value_is_a_sentence(make, words):
    with pytest.raises(WrongValue) as wrong:
        make()
    assert words in told_by(wrong.value)


def test_every_command_has_one_name():
    assert {NAMES[kind]: kind for kind in NAMES} == COMMANDS
