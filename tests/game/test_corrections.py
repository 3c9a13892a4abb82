"""Undo, redo and replace, also of an earlier verdict; and the list of actions that they change."""

import dataclasses
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pi_controller.game import actions as kept
from pi_controller.game import clockwork
from pi_controller.game.actions import Actions
from pi_controller.game.commands import (
    AddTime,
    Claim,
    Close,
    Contribute,
    End,
    LastRounds,
    Pause,
    Redo,
    Resources,
    Resume,
    Say,
    Sheet,
    Skip,
    Start,
    Undo,
    Verdict,
    Withdraw,
    WrongValue,
)
from pi_controller.game.events import Action, Closed
from pi_controller.game.game import ContradictionError, apply, decide
from pi_controller.game.rule_sets import CONNECT
from pi_controller.game.state import State
from pi_controller.language.words import words
from pi_controller.sentence import Sentence
from tests.game.hall import Hall
from tests.said import refuses


def test_replace_does_the_other_thing_at_the_moment_of_the_first():
    hall = Hall().started().wait(5).do(AddTime(60_000)).wait(2).do(Undo(AddTime(6_000)))
    assert hall.picture.remaining_ms == 34_000
    hall = Hall().started().wait(5).do(Pause()).wait(2).do(Undo(Skip()))
    assert (hall.picture.round, hall.picture.remaining_ms) == (2, 33_000)


def test_a_new_action_ends_the_way_back():
    hall = Hall().started().do(AddTime(1000)).do(Undo()).do(AddTime(5000))
    assert "nothing to redo" in hall.refused(Redo())


def test_there_may_be_nothing_to_undo():
    assert "nothing to undo" in Hall().refused(Undo())
    assert "nothing to undo" in Hall().do(Say("Welcome")).refused(Undo())


def test_tables_and_the_system_are_left_alone():
    hall = Hall().started().wait(1).do(AddTime(1000)).do(Claim("7", "sun"), source="table")
    hall.do(Pause("recovery"), source="system").do(Undo())
    assert hall.picture.remaining_ms == 34_000
    assert [c.board for c in hall.picture.claims] == ["7"]


def test_an_action_that_others_need_cannot_be_undone_alone():
    hall = Hall().started().do(Claim("7", "sun")).do(Withdraw("c2"), source="table")
    assert "This game has no claim c2" in hall.refused(Undo())


def test_nothing_before_the_published_seed_is_undone_or_done_again():
    hall = Hall().started().wait(5).do(End(confirm=True)).do(Undo()).do(Redo()).do(Close(confirm=True))
    assert (hall.picture.closed, hall.picture.seed) == (True, (b"s" * 32).hex())
    assert "seed of this game is published" in hall.refused(Undo())
    assert "seed of this game is published" in hall.refused(Undo(Pause()))
    assert "nothing to redo" in hall.refused(Redo())
    assert "arm a new game" in hall.refused(Resume())
    hall = Hall().started().do(AddTime(1000)).do(End(confirm=True)).do(Undo()).do(End(confirm=True))
    assert "nothing to redo" in hall.do(Close(confirm=True)).refused(Redo())


def test_only_an_ended_game_is_closed_in_two_steps_and_once():
    assert "Only a game that has ended" in Hall().refused(Close(confirm=True))
    hall = Hall().started()
    assert "Only a game that has ended" in hall.refused(Close(confirm=True))
    hall.do(End(confirm=True))
    assert "second step" in hall.refused(Close(confirm=False))
    before = hall.do(Close(confirm=True)).game
    assert hall.do(Close(confirm=True)).game is before


def test_no_sheet_changes_the_winners_of_a_closed_game():
    hall = Hall().started().do(End(confirm=True)).do(Claim("7", "sun")).do(Close(confirm=True))
    assert "game is closed" in hall.refused(Verdict("c3", sheet=Sheet(settlements=2, cities=0)))
    assert "game is closed" in hall.refused(Claim("8", "moon"))


def test_a_game_that_an_earlier_release_reopened_after_publishing_goes_on():
    """It wrote the seed with each end and undid that: its journals say so and are folded as they were."""
    hall = Hall().started().wait(5).do(AddTime(2000)).do(End(confirm=True))
    undone = decide(hall.game, Undo(), at_ns=hall.now_ns, now_ns=hall.now_ns, source="web").events
    for event in (Closed((b"s" * 32).hex()), *undone):
        hall.game = apply(hall.game, event)
    picture = hall.picture
    assert (picture.phase, picture.closed, picture.notices) == ("round", True, ["seed_published"])
    picture = hall.do(Resume()).wait(3).do(Skip()).do(Undo()).do(Redo()).picture
    assert picture.round == 2
    hall.do(Undo()).do(Undo())
    assert hall.picture.pause_reasons == ["director"]
    assert picture.seed is not None


def test_another_seed_than_the_games_own_is_a_contradiction():
    with pytest.raises(ContradictionError):
        apply(Hall().started().do(End(confirm=True)).game, Closed("0" * 64))


def test_time_that_the_hall_has_not_seen_is_never_jumped_over():
    hall = Hall().started().wait(5).do(Pause()).wait(60)
    assert "unseen by the hall" in hall.refused(Undo())
    hall = Hall().started().wait(5).do(AddTime(60_000)).wait(40)
    assert "unseen by the hall" in hall.refused(Undo())


def test_one_round_is_taken_back_and_two_are_not():
    def paused_in_round_1_and_played_on_to(number):
        return Hall().started().wait(5).do(Pause()).do(Resume()).wait(3).in_round(number)

    assert paused_in_round_1_and_played_on_to(2).do(Undo()).picture.round == 1
    assert "from round 3 back to round 1" in paused_in_round_1_and_played_on_to(3).refused(Undo())


def test_an_undone_start_keeps_the_public_word_closed():
    hall = Hall().do(Contribute("lantern")).do(Start()).wait(10).do(Undo())
    assert (hall.picture.phase, hall.picture.public_word) == ("ready", "lantern")
    assert "before the start" in hall.refused(Contribute("other"))


def test_the_public_word_cannot_slip_in_as_a_replacement():
    hall = Hall().started().wait(10)
    assert "can itself be undone" in hall.refused(Undo(Contribute("lantern")))
    assert "can itself be undone" in hall.refused(Undo(Say("Hello")))


def test_a_refusal_does_not_tell_whether_a_robber_phase_would_have_come():
    """Of 12 s it would be over by now; a round of 35 s would not."""
    rules = dataclasses.replace(CONNECT, rounds_without_seven=1)
    said, came = set(), set()
    for number in range(40):
        hall = Hall(rules, seed=bytes([number]) * 32).started().do(AddTime(1)).wait(13)
        said.add(hall.refused(Undo(Skip())))
        came.add(hall.do(Skip()).picture.phase)
    assert came == {"round", "robber"}
    assert said == {words(Sentence("undo.would_have_run_out"))}


def test_a_replacement_may_begin_an_unseen_phase_that_would_still_be_on_whatever_comes():
    rules = dataclasses.replace(CONNECT, rounds_without_seven=1)
    for number in range(10):
        hall = Hall(rules, seed=bytes([number]) * 32).started().do(AddTime(1)).wait(11).do(Undo(Skip()))
        assert hall.picture.remaining_ms == (24_000 if hall.picture.phase == "round" else 1_000)


# A wrong verdict is replaced, however many actions ago it was given (`undo` with `claim`).

SIX = Sheet(2, 2)
EIGHTEEN = Sheet(4, 5, foreign_left=True, foreign_right=True)
PAUSING = replace(CONNECT, claims="pause")


def instead(claim: str, sheet: Sheet | None = None) -> Undo:
    """This sheet, or a plain rejection, in place of the verdict on the claim."""
    verdict = Verdict(claim, confirmed=False) if sheet is None else Verdict(claim, sheet=sheet)
    return Undo(verdict, claim)


def standing(hall: Hall) -> list[tuple[str, int | None]]:
    return [(claim.status, claim.points) for claim in hall.picture.claims]


def test_a_sheet_of_the_ranking_is_corrected_several_actions_back() -> None:
    hall = Hall().started().do(LastRounds(0)).wait(35)
    for claim, board in (("c3", "A1"), ("c5", "A2"), ("c7", "A3")):
        hall.do(Claim(board, "sun")).do(Verdict(claim, sheet=SIX))
    hall.wait(60).do(End(confirm=True)).wait(60).do(instead("c5", EIGHTEEN))
    assert standing(hall) == [("confirmed", 6), ("confirmed", 18), ("confirmed", 6)]
    assert (hall.picture.phase, [one.board for one in hall.picture.winners]) == ("ended", ["A2"])
    hall.do(Redo())
    assert [one.board for one in hall.picture.winners] == ["A1", "A2", "A3"]


def test_a_tie_that_was_decided_by_a_wrong_sheet_is_decided_anew() -> None:
    hall = Hall().started().do(Claim("A1", "sun")).do(Claim("A2", "sun"))
    hall.do(Verdict("c2", sheet=structs.replace(EIGHTEEN, resources=Resources(ore=2))))
    hall.do(Verdict("c3", sheet=structs.replace(EIGHTEEN, resources=Resources(ore=1))))
    assert [one.board for one in hall.picture.winners] == ["A1"]
    hall.wait(90).do(instead("c2", EIGHTEEN))
    assert ([one.board for one in hall.picture.winners], hall.picture.decided_by) == (["A2"], "resources")


@pytest.mark.parametrize("rules", [CONNECT, PAUSING], ids=["asked", "paused"])
def test_a_victory_that_was_none_comes_back_paused(rules) -> None:
    hall = Hall(rules).started().wait(5).do(Claim("A1", "sun")).do(Verdict("c2", sheet=EIGHTEEN))
    hall.wait(600).do(instead("c2", SIX))
    picture = hall.picture
    assert (picture.phase, picture.remaining_ms, picture.pause_reasons) == ("round", 30_000, ["director"])
    assert (standing(hall), picture.winners) == ([("rejected", 6)], [])
    assert hall.do(Resume()).wait(3).picture.running
    assert hall.do(Pause()).do(Undo()).picture.running, "undo goes on with the last action"


def test_the_last_verdict_is_replaced_in_the_same_way() -> None:
    hall = Hall().started().wait(5).do(Claim("A1", "sun")).do(Verdict("c2", sheet=EIGHTEEN)).wait(600)
    assert hall.do(Undo(Verdict("c2", confirmed=False))).picture.pause_reasons == ["director"]


def test_a_victory_that_was_rejected_ends_the_game_at_that_moment_as_long_as_nothing_came_after() -> None:
    hall = Hall(PAUSING).started().do(Pause()).do(Claim("A1", "sun")).do(Verdict("c3", sheet=SIX)).wait(60)
    picture = hall.do(instead("c3", EIGHTEEN)).picture
    assert (picture.phase, [one.board for one in picture.winners]) == ("ended", ["A1"])


def test_where_play_went_on_it_is_said_what_to_do_instead() -> None:
    hall = Hall().started().do(Claim("A1", "sun")).do(Verdict("c2", sheet=SIX)).wait(5).do(Skip())
    said = hall.refused(instead("c2", EIGHTEEN))
    assert said.startswith("The game has moved on since the verdict on claim board A1 Sun")


def test_a_sheet_that_cannot_be_right_is_refused_as_ever() -> None:
    hall = Hall().started().do(Claim("A1", "sun")).do(Verdict("c2", sheet=SIX)).do(AddTime(5))
    assert "has only 5 settlements" in hall.refused(instead("c2", Sheet(6, 2)))


def test_only_a_verdict_that_was_given_is_replaced_and_only_by_one_on_its_claim() -> None:
    hall = Hall().started().do(Claim("A1", "sun"))
    assert "no verdict on claim board A1 Sun" in hall.refused(instead("c2", SIX))
    hall.do(Withdraw("c2"))
    assert "no verdict on claim board A1 Sun" in hall.refused(instead("c2", SIX))
    for wrong in (Verdict("c3", confirmed=False), Pause(), None):
        with refuses(WrongValue, "another verdict on the same claim"):
            Undo(wrong, "c2")


def test_no_verdict_before_the_published_seed_is_replaced() -> None:
    hall = Hall().started().do(Claim("A1", "sun")).do(Verdict("c2", sheet=EIGHTEEN)).do(Close(confirm=True))
    assert "seed of this game is published" in hall.refused(instead("c2", SIX))


def test_a_board_that_was_rejected_before_is_marked() -> None:
    hall = Hall().started()
    for board, side in (("A1", "sun"), ("A2", "sun"), ("a01", "sun")):
        hall.do(Claim(board, side))
        hall.do(Verdict(hall.picture.claims[-1].id, sheet=SIX))
    hall.do(Claim("A1", "sun"))
    assert [claim.rejected_before for claim in hall.picture.claims] == [0, 0, 1, 2]


# The kept states change nothing: every correction gives what a fold from the first action gives.


def numbered(number):
    return Action(number, AddTime(number), number, number, "web")


@given(count=st.integers(0, 100), cut=st.integers(0, 100))
def test_the_list_is_a_list(count, cut):
    states = [State(due_side="sun", schedule=(), began_ns=number) for number in range(count + 1)]
    listed, actions = [numbered(number) for number in range(count)], Actions.none(states[0])
    for action, after in zip(listed, states[1:], strict=True):
        actions = actions.with_one(action, after, CONNECT)
    assert (len(actions), list(actions)) == (count, listed)
    assert list(reversed(actions)) == listed[::-1]
    assert [actions[index] for index in range(count)] == listed
    cut = min(cut, count)
    assert list(actions.since(cut)) == listed[cut:]
    assert list(actions.first(cut, states[cut])) == listed[:cut]
    for some in (actions, actions.first(cut, states[cut])):
        before, between = some.kept_before(cut)
        assert len(between) <= kept.KEPT_EVERY
        place = cut - len(between)
        assert list(between) == listed[place:cut]
        assert before is states[place]


@pytest.mark.parametrize("count", [100, 2000])
def test_a_correction_does_again_only_what_lies_near_it(monkeypatch, count):
    hall = Hall().started()
    for number in range(count):
        hall.do(AddTime(1 if number % 2 else -1))
    done = []
    really = clockwork.advance
    monkeypatch.setattr(clockwork, "advance", lambda *given: done.append(1) or really(*given))
    for command in (Undo(), Redo(), Undo(AddTime(2000))):
        hall.do(command)
    assert len(done) <= 3 * 200
