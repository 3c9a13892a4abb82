"""The papers with which a game goes on by hand."""

from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from pi_controller.game.rule_sets import CONNECT
from pi_controller.game.turn_order import Due
from pi_controller.language.languages import NAMES
from pi_controller.language.words import all_words, speaking
from pi_controller.paper.document import Paper
from pi_controller.replay.changes import ReplayedChange, changes_of
from pi_controller.report.fallback import (
    BUILT,
    COUNTS,
    FOREIGN,
    RESOURCES,
    add_dice,
    add_sheets,
    add_state,
    drawn,
    due_after,
)
from tests.core.disk import DiskHall
from tests.core.hand import S
from tests.paper.reading import pages
from tests.report.played import records_of


def test_the_sheet_says_where_the_game_stood_and_that_its_dice_are_others(
    changes: list[ReplayedChange],
) -> None:
    last = changes[-3]
    assert due_after(last, CONNECT) == Due(3, 0, "sun")
    paper = Paper("Playing on without the controller")
    rolls = list(drawn(CONNECT, due_after(last, CONNECT), count=12, source=Random(1)))
    add_state(paper, CONNECT, last)
    add_dice(paper, CONNECT, rolls)
    add_sheets(paper, CONNECT, 4)
    text = pages(paper.pdf())
    assert "round 2," in text[0]
    assert "these are not the dice of the game" in " ".join(text)
    assert sum(one.count("Claim sheet") for one in text) == 4


def test_without_a_game_it_begins_with_round_1() -> None:
    assert due_after(None, CONNECT) == Due(1, 0, "sun")
    paper = Paper("Playing on without the controller")
    add_state(paper, CONNECT, None)
    assert "From round 11 on" in pages(paper.pdf())[0]


def test_after_the_last_round_the_paper_says_that_sheets_are_collected(tmp_path: Path) -> None:
    hall = DiskHall(tmp_path).play()
    hall.ask("last_rounds", {"count": 0})
    hall.move(35 * S)
    assert hall.picture.phase == "collecting"
    paper = Paper("Playing on without the controller")
    add_state(paper, CONNECT, changes_of(records_of(hall))[-1])
    text = pages(paper.pdf())[0]
    assert "sheets are collected" in text
    assert "before the start" not in text


@pytest.mark.parametrize("language", NAMES)
def test_no_word_at_the_head_of_a_claim_sheet_is_cut(language: str) -> None:
    with speaking(language):
        paper = Paper("Playing on without the controller")
        add_sheets(paper, CONNECT, 1)
        (text,) = pages(paper.pdf())
        heads = all_words((*BUILT, *FOREIGN, *COUNTS, *RESOURCES))
    assert [word for head in heads for word in head.split() if word not in text] == []


FIRST = Due(1, 0, "sun")


def test_the_list_follows_the_rules_of_the_game() -> None:
    rolls = list(drawn(CONNECT, FIRST, count=400, source=Random(1)))
    assert all(sum(roll.dice) != 7 for roll in rolls[:10])
    rounds = [roll for roll in rolls if roll.coming.phase == "round"]
    assert [roll.coming.round for roll in rounds] == list(range(1, len(rounds) + 1))
    assert [roll.coming.seat for roll in islice(rounds, 3)] == ["sun", "moon", "sun"]
    robbers = [roll for roll in rolls if roll.coming.phase == "robber"]
    assert {sum(roll.dice) for roll in robbers} == {7}
    assert {roll.target for roll in robbers} <= set(CONNECT.robber_targets)
    assert "desert" in {roll.target for roll in robbers}
    assert all(roll.target is None for roll in rounds)


def test_it_goes_on_where_the_game_stood() -> None:
    (roll,) = drawn(CONNECT, Due(12, 1, "moon"), count=1, source=Random(2))
    assert roll.coming.round in {11, 12}


def test_without_consecutive_sevens_none_follows_another() -> None:
    rules = replace(CONNECT, allow_consecutive_sevens=False, robber_target_draw="uniform")
    rolls = list(drawn(rules, Due(11, 0, "sun"), count=400, source=Random(3)))
    phases = "".join(roll.coming.phase[1] for roll in rolls)
    assert "o" in phases
    assert "robber robber" not in " ".join(roll.coming.phase for roll in rolls)
