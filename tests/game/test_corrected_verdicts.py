"""A wrong verdict is replaced, however many actions ago it was given (`undo` with `claim`)."""

from dataclasses import replace

import pytest
from msgspec import structs

from pi_controller.game.commands import (
    AddTime,
    Claim,
    Close,
    End,
    LastRounds,
    Pause,
    Redo,
    Resources,
    Resume,
    Sheet,
    Skip,
    Undo,
    Verdict,
    Withdraw,
    WrongValue,
)
from pi_controller.game.rule_sets import CONNECT
from tests.game.hall import Hall
from tests.said import refuses

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


def test_a_rejection_with_a_wrong_count_keeps_the_play_as_it_was() -> None:
    hall = Hall().started().do(Claim("A1", "sun")).do(Verdict("c2", sheet=SIX)).wait(5).do(AddTime(1_000))
    before = hall.picture.remaining_ms
    hall.do(instead("c2", Sheet(3, 2)))
    assert (standing(hall), hall.picture.remaining_ms) == ([("rejected", 7)], before)


def test_a_victory_that_was_rejected_ends_the_game_at_that_moment_as_long_as_nothing_came_after() -> None:
    hall = Hall(PAUSING).started().do(Pause()).do(Claim("A1", "sun")).do(Verdict("c3", sheet=SIX)).wait(60)
    picture = hall.do(instead("c3", EIGHTEEN)).picture
    assert (picture.phase, [one.board for one in picture.winners]) == ("ended", ["A1"])


def test_where_play_went_on_it_is_said_what_to_do_instead() -> None:
    hall = Hall().started().do(Claim("A1", "sun")).do(Verdict("c2", sheet=SIX)).wait(5).do(Skip())
    said = hall.refused(instead("c2", EIGHTEEN))
    assert said.startswith("Play has gone on since the verdict on claim board A1 Sun")


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
