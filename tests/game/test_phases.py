"""The table of allowed moves is complete, what it refuses changes nothing, and ranges are sentences."""

import typing
from dataclasses import replace

import pytest

from pi_controller.game.commands import (
    COMMANDS,
    NAMES,
    AddTime,
    Claim,
    Close,
    Command,
    Contribute,
    Cover,
    End,
    LastRounds,
    Pause,
    Press,
    Redo,
    Resources,
    Resume,
    Say,
    SetClaims,
    SetSchedule,
    Sheet,
    Skip,
    Start,
    Step,
    Timer,
    Turn,
    Undo,
    Verdict,
    Withdraw,
    WrongValue,
)
from pi_controller.game.game import not_allowed
from pi_controller.game.phases import TABLES, Situation, situation
from pi_controller.game.rule_sets import CLASSIC, CLASSIC_SEATS
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.game.hall import Hall
from tests.told import told_by


def classic():
    """In the turn of `red`, before its dice."""
    table = Hall(
        replace(CLASSIC, first_side="red", schedule=(Step(1, 60),), start_countdown_ms=3_000)
    ).started()
    for _ in range(8):
        table.do(Turn())
    return table


TURNS = {
    Situation.READY: lambda: Hall(CLASSIC),
    Situation.COUNTING: lambda: classic().do(Pause()).do(Resume()),
    Situation.PLAYING: classic,
    Situation.PAUSED: lambda: classic().do(Pause()),
    Situation.ENDED: lambda: classic().do(End(confirm=True)),
}
"""A game in turns is nowhere else: it collects no sheets."""
HALLS = {
    Situation.READY: Hall,
    Situation.COUNTING: lambda: Hall().do(Start()),
    Situation.PLAYING: lambda: Hall().started(),
    Situation.PAUSED: lambda: Hall().started().do(Pause()),
    Situation.COLLECTING: lambda: Hall().started().do(LastRounds(0)).wait(35),
    Situation.ENDED: lambda: Hall().started().do(End(confirm=True)),
}
EXAMPLES = [
    Contribute("word"),
    Start(),
    Pause(),
    Press(),
    Resume(),
    Turn(),
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
    Cover("black"),
    Timer("Doors", 60),
]
CASES = [("rounds", where, make) for where, make in HALLS.items()]
CASES += [("turns", where, make) for where, make in TURNS.items()]


def test_each_situation_knows_every_command():
    for table in TABLES.values():
        assert set(table) == set(Situation)
        for row in table.values():
            assert set(row) == set(typing.get_args(Command)) - {Undo, Redo, Close}


@pytest.mark.parametrize(("play", "where", "make"), CASES)
def test_each_situation_is_reached(play, where, make):
    hall = make()
    assert (hall.game.rules.play, situation(hall.game.state)) == (play, where)


@pytest.mark.parametrize(("play", "where", "make"), CASES)
def test_what_the_table_refuses_is_a_sentence_and_changes_nothing(play, where, make):
    for command in EXAMPLES:
        hall = make()
        entry, before = TABLES[play][where][type(command)], hall.game
        decision = hall.ask(command)
        if isinstance(entry, Sentence):
            assert decision.reasons == (entry,), command
        assert not decision.reasons or (not decision.events and hall.game is before), command


def test_moves_refuse_what_the_clock_alone_does_not_tell():
    counting = Hall().do(Start())
    assert "no phase to skip" in counting.refused(Skip())
    assert "no countdown to change" in counting.refused(AddTime(5))
    assert "nothing to claim" in counting.refused(Claim("7", "sun"))
    assert "nothing to end" in counting.refused(End(confirm=True))
    assert "second step" in Hall().started().refused(End(confirm=False))
    assert "while a round's clock runs" in Hall().started().refused(Timer("Break", 60))


def collected():
    """With one sheet."""
    hall = HALLS[Situation.COLLECTING]().do(Claim("7", "sun"))
    return hall.do(Verdict("c3", sheet=Sheet(3, 3)))


def building():
    rules = replace(CLASSIC, sides=CLASSIC_SEATS[:5], building_ms=20_000)
    table = Hall(rules).started()
    for _ in range(12):
        table.do(Turn())
    return table


SHEET = Sheet(settlements=5, cities=5, foreign_left=True, foreign_right=True)
PLACES = {
    **HALLS,
    "in the first 3-2-1, frozen": lambda: Hall().do(Start()).do(Pause()),
    "in a robber phase": lambda: Hall().in_robber_phase().do(AddTime(1000)),
    "paused with a claim": lambda: Hall().started().do(Press()).do(Claim("7", "sun")),
    "playing with a claim": lambda: Hall().started().do(Claim("7", "sun")),
    "won": lambda: Hall().started().do(Claim("7", "sun")).do(Verdict("c2", confirmed=True)),
    "ended with a sheet": lambda: Hall().started().do(End(confirm=True)).do(Claim("7", "sun")),
    "collecting with a claim": lambda: Hall().started().do(LastRounds(0)).do(Claim("7", "sun")).wait(35),
    "collecting with a sheet": collected,
    "ranked": lambda: collected().do(Claim("8", "sun")).do(End(confirm=True)),
    "closed": lambda: Hall().started().do(Claim("7", "sun")).do(End(confirm=True)).do(Close(confirm=True)),
    "begun and undone": lambda: Hall().started().do(Undo()),
    "with a timer": lambda: Hall().do(Timer("Doors", 60)),
    **{f"in turns, {where.value}": make for where, make in TURNS.items()},
    "founding": lambda: Hall(CLASSIC).started(),
    "in turns, with a claim": lambda: classic().do(Claim(side="red")),
    "in turns, won": lambda: classic().do(Claim(side="red")).do(Verdict("c10", confirmed=True)),
    "in turns, undone": lambda: classic().do(Undo()),
    "others build": building,
}


def forms(hall):
    """Forms of each command that would change something, by name; for a claim that is named, each one."""
    claims = [*(claim.id for claim in hall.game.state.claims), "c99"]
    return {
        **{NAMES[type(command)]: [command] for command in [*EXAMPLES, Close(confirm=True), Undo(), Redo()]},
        "undo": [Undo(), Undo(Pause())],
        "claim": [Claim(), *(Claim("9", seat) for seat in hall.game.rules.seats), Claim("9")],
        "withdraw": [Withdraw(claim) for claim in claims],
        "verdict": [
            verdict
            for claim in claims
            for verdict in (
                Verdict(claim, confirmed=True),
                Verdict(claim, confirmed=False),
                Verdict(claim, sheet=SHEET if hall.game.rules.play == "rounds" else Sheet(4, 3)),
            )
        ],
    }


@pytest.mark.parametrize("place", PLACES)
def test_what_is_not_allowed_is_refused_in_every_form_and_what_is_allowed_is_done_in_one(place):
    make = PLACES[place]
    told, given = not_allowed(make().game), forms(make())
    for name in set(COMMANDS) - {"press"}:
        decisions = [make().ask(command) for command in given[name]]
        against = told[name]
        if against is None:
            assert any(not decision.reasons for decision in decisions), name
            continue
        assert against.reasons, name
        assert all(decision.reasons for decision in decisions), name
        if name not in ("withdraw", "verdict"):  # their sentences name the claim
            assert all(decision.reasons == against.reasons for decision in decisions), name
        if against.override:
            assert not make().ask(Resume(override=True)).reasons


def test_arming_is_allowed_only_where_no_game_is_under_way():
    told = {place: not_allowed(make().game)["arm"] is None for place, make in PLACES.items()}
    free = {
        Situation.READY,
        Situation.ENDED,
        "won",
        "ended with a sheet",
        "ranked",
        "closed",
        "begun and undone",
        "with a timer",
        "in turns, before the start",
        "in turns, after the end",
        "in turns, won",
    }
    assert {place for place, allowed in told.items() if allowed} == free


def test_play_goes_on_over_an_open_claim_by_override_only():
    told = not_allowed(Hall().started().do(Press()).do(Claim("7", "sun")).game)
    assert told["resume"].override
    assert "board 7 Sun" in words(told["resume"].reasons[0])
    assert [name for name, one in told.items() if one and one.override] == ["resume"]


# Ranges are checked where a command is made, each with its own sentence.


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
