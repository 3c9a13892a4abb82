"""Who begins, where that is drawn or rolled for: nobody knows it before the start, and it changes no more after it."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import pi_controller.game
from pi_controller.game.commands import Contribute, Skip, Start, Undo
from pi_controller.game.rule_sets import CLASSIC, CONNECT, RuleSet
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.game.hall import Hall

DRAWN = replace(CONNECT, first_side="drawn")
BY_LOT = (DRAWN, CLASSIC, replace(CLASSIC, first_side="drawn"))


@pytest.mark.parametrize("rules", BY_LOT)
def test_the_lot_falls_at_the_start(rules: RuleSet):
    begin = set()
    for number in range(30):
        hall = Hall(rules, seed=bytes([number]) * 32)
        for word in (None, "heron", "lighthouse"):
            if word is not None:
                hall.do(Contribute(word))
            assert (hall.picture.next_side, hall.picture.next_seat) == (None, None)
            assert hall.picture.notices == ["by_lot"]
            assert hall.picture.side is None
        begin.add(hall.do(Start()).picture.next_side or hall.picture.side)
    assert begin == set(rules.seats)


@pytest.mark.parametrize("rules", [CONNECT, replace(CLASSIC, first_side="blue")])
def test_who_begins_by_the_settings_is_known_before(rules: RuleSet):
    picture = Hall(rules).picture
    assert (picture.notices, picture.next_side) == ([], rules.first_side)


def test_the_word_is_fixed_once_the_lot_has_fallen():
    hall = Hall(DRAWN).do(Contribute("heron")).do(Start())
    begins = hall.picture.next_side
    too_late = words(Sentence("word.too_late"))
    assert hall.refused(Contribute("lighthouse")) == too_late
    hall.do(Undo())
    assert (hall.picture.phase, hall.picture.next_side) == ("ready", None)
    assert hall.refused(Contribute("lighthouse")) == too_late
    assert hall.do(Start()).picture.next_side == begins
    assert hall.wait(3).picture.side == begins


def test_without_a_lot_a_start_that_was_undone_in_time_fixes_no_word():
    hall = Hall().do(Contribute("heron")).do(Start()).wait(1).do(Undo())
    assert hall.do(Contribute("lighthouse")).picture.public_word == "lighthouse"


def test_the_rolls_for_the_first_turn_are_shown_once_they_have_been_rolled():
    hall = Hall(CLASSIC).do(Start()).wait(0)
    turn = hall.picture.turn
    assert turn is not None
    assert turn.opening[-1][0].side == hall.picture.side


def test_who_begins_stays_the_same_over_a_skip():
    hall = Hall(DRAWN).do(Start()).wait(3)
    first = hall.picture.side
    assert hall.do(Skip()).picture.side != first


def test_the_rules_ask_for_rolls_in_one_place_only():
    """`Basis` stops whoever only looks ahead; nothing else of the rules may ask the dice."""
    rolls = {"round_roll", "robber_target", "first_seat", "opening_rolls"}
    asked = {
        (path.name, ast.unparse(node.func))
        for path in Path(pi_controller.game.__file__).parent.glob("*.py")
        if path.name != "dice.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in rolls
    }
    assert asked == {
        ("clockwork.py", "basis.robber_target"),
        ("moves.py", "moment.basis.first_seat"),
        ("clockwork.py", "basis.first_seat"),
        ("clockwork.py", "basis.opening_rolls"),
    }
