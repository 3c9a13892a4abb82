"""Play that goes on over open claims passes them: they do not come back at the next pause (rule C15)."""

from dataclasses import replace

from pi_controller.game.commands import Claim, End, LastRounds, Pause, Press, Resume, Sheet, Skip, Verdict
from pi_controller.game.rule_sets import CONNECT
from tests.game.hall import Hall

EIGHTEEN = Sheet(4, 5, foreign_left=True, foreign_right=True)


def passed(rules=CONNECT) -> Hall:
    """A claim that was not judged, and play that went on over it."""
    return Hall(rules).started().wait(5).do(Claim("A1", "sun")).do(Pause()).do(Resume(override=True)).wait(3)


def standing(hall: Hall) -> list[tuple[str | None, str, bool]]:
    return [(claim.board, claim.status, claim.passed) for claim in hall.picture.claims]


def test_the_next_pause_is_not_held_up_by_a_claim_that_play_went_on_over():
    hall = passed().do(Pause())
    assert standing(hall) == [("A1", "open", True)]
    assert hall.do(Resume()).picture.resume_in_ms == 3_000
    assert "Open claims: board A1 Sun" in passed(replace(CONNECT, version=1)).do(Pause()).refused(Resume())


def test_only_an_override_passes_a_claim():
    hall = Hall().started().do(Claim("A1", "sun")).do(Pause())
    assert "A1" in hall.refused(Resume())
    assert standing(hall) == [("A1", "open", False)]


def test_it_can_still_be_judged_and_wins_over_later_rounds():
    hall = passed().do(Verdict("c2", confirmed=True))
    assert [one.board for one in hall.picture.winners] == ["A1"]
    hall = passed().in_round(3).do(Claim("A2", "sun"))
    hall.do(Verdict("c2", sheet=EIGHTEEN)).do(Verdict("c5", sheet=EIGHTEEN))
    assert [one.board for one in hall.picture.winners] == ["A1"]
    assert standing(passed().do(Verdict("c2", confirmed=False))) == [("A1", "rejected", True)]


def test_it_keeps_no_other_victory_waiting_and_is_over_with_the_game():
    hall = passed().in_round(3).do(Claim("A2", "sun")).do(Verdict("c5", confirmed=True))
    assert [one.board for one in hall.picture.winners] == ["A2"]
    assert standing(hall) == [("A1", "withdrawn", True), ("A2", "confirmed", False)]


def test_the_same_board_and_side_claims_anew_with_a_moment_of_its_own():
    hall = passed().in_round(3).wait(10).do(Claim("a1", "sun"))
    assert standing(hall) == [("A1", "withdrawn", True), ("A1", "open", False)]
    assert [claim.pressed_ms_before_end for claim in hall.picture.claims] == [30_000, 25_000]
    hall = passed().in_round(3).do(Claim("A1", "sun", button="well"), source="table")
    assert [(claim.count, claim.passed) for claim in hall.picture.claims] == [(2, False)]


def test_a_press_opens_a_claim_beside_it():
    hall = passed().do(Press())
    assert standing(hall) == [("A1", "open", True), (None, "open", False)]
    assert hall.picture.presses == []


def test_after_the_last_round_it_can_be_ranked_or_entered_anew():
    hall = passed().do(LastRounds(0)).do(Skip())
    assert standing(hall.do(Claim("A1", "sun"))) == [("A1", "withdrawn", True), ("A1", "open", False)]
    ranked = passed().do(LastRounds(0)).do(Skip()).do(Verdict("c2", sheet=Sheet(2, 2)))
    assert [one.board for one in ranked.do(End(confirm=True)).picture.winners] == ["A1"]
