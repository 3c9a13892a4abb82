"""Claims, verdicts and winners (rules C14 to C17, C20)."""

import re
from dataclasses import replace

import pytest
from msgspec import structs

from pi_controller.game.claims import board_key
from pi_controller.game.commands import (
    Claim,
    End,
    LastRounds,
    Pause,
    Press,
    Resources,
    Resume,
    SetClaims,
    Sheet,
    Skip,
    Undo,
    Verdict,
    Withdraw,
    WrongValue,
)
from pi_controller.game.room import PressView, WinnerView
from pi_controller.game.rule_sets import CONNECT
from pi_controller.sentence import Sentence
from tests.game.hall import Hall
from tests.said import refuses

EIGHTEEN = Sheet(4, 5, foreign_left=True, foreign_right=True)
NINETEEN = Sheet(5, 5, foreign_left=True, foreign_right=True)
FOURTEEN = Sheet(4, 5)
PAUSING = replace(CONNECT, claims="pause")


def sheet(**resources: int) -> Sheet:
    return structs.replace(EIGHTEEN, resources=Resources(**resources))


def claims(hall: Hall) -> list[tuple]:
    return [(c.id, c.board, c.side, c.status, c.points) for c in hall.picture.claims]


def test_the_big_button_opens_a_claim_without_board():
    hall = Hall().started().wait(10).do(Press())
    assert hall.picture.pause_reasons == ["button"]
    claim = hall.picture.claims[0]
    assert (claim.board, claim.side, claim.status, claim.pressed_ms_before_end) == (
        None,
        None,
        "open",
        25_000,
    )


def test_a_claim_asks_the_director_by_default_and_pauses_by_setting():
    assert not Hall().started().do(Claim("7", "sun")).picture.paused
    hall = Hall(PAUSING).started().wait(5).do(Claim("7", "sun"), ago=0.02)
    assert (hall.picture.pause_reasons, hall.picture.remaining_ms) == (["claim"], 30_020)


def test_the_director_switches_what_a_claim_does_during_the_game():
    hall = Hall().started().wait(5).do(SetClaims("pause"))
    assert hall.picture.claims_mode == "pause"
    assert hall.do(Claim("7", "sun")).picture.pause_reasons == ["claim"]
    hall.do(Withdraw("c3")).wait(3).do(SetClaims("ask")).do(Claim("9", "sun"))
    assert (hall.picture.paused, hall.picture.claims_mode) == (False, "ask")
    assert hall.do(Undo()).do(Undo()).picture.claims_mode == "pause"
    assert "undo the end" in hall.do(End(confirm=True)).refused(SetClaims("ask"))


def test_a_wrong_mode_is_an_error():
    with refuses(WrongValue, "mode must be ask or pause, not never"):
        SetClaims("never")


def test_the_passive_side_must_wait():
    assert "in a round of your own side" in Hall().started().refused(Claim("7", "moon"))
    assert "robber phase" in Hall().in_robber_phase().refused(Claim("7", "moon"))


def test_a_claim_made_in_time_counts_although_the_clock_has_turned():
    hall = Hall().started().wait(35.2).do(Claim("7", "sun"), ago=0.3, source="table")
    claim = hall.picture.claims[0]
    assert (claim.round, claim.on_active_side, claim.pressed_ms_before_end) == (1, True, 100)


def test_a_claim_from_before_everything_known_is_refused():
    hall = Hall().started().wait(1)
    decision = hall.ask(Claim("7", "sun"), ago=1.5, source="table")
    assert decision.reasons == (Sentence("claim.too_long_ago"),)


def test_open_claims_are_named_by_what_is_known_of_them():
    hall = Hall().started().do(Claim(None, "sun")).do(Claim("7", None)).do(Claim("9", "sun")).do(Pause())
    assert "Open claims: Sun side, board 7 and board 9 Sun" in hall.refused(Resume())


def test_resume_is_refused_while_a_claim_is_open():
    hall = Hall().started().do(Press()).do(Claim("7", "sun"))
    sentence = hall.refused(Resume())
    assert "board 7 Sun" in sentence
    assert "resume anyway" in sentence
    assert hall.do(Resume(override=True)).picture.claims[0].status == "open"


def test_going_on_all_the_same_drops_a_press_that_nobody_owned():
    hall = Hall().started().do(Press())
    assert "pause button" in hall.refused(Resume())
    assert claims(hall.do(Resume(override=True)))[0][3] == "withdrawn"


def test_a_single_claim_is_confirmed_by_word_and_ends_the_game():
    hall = Hall().started().do(Claim("7", "sun")).do(Verdict("c2", confirmed=True))
    picture = hall.picture
    assert (picture.phase, picture.decided_by, picture.running) == ("ended", "points", False)
    assert picture.winners == [WinnerView(claim="c2", board="7", side="sun", points=None)]


def test_the_game_ends_only_when_no_claim_is_open():
    hall = Hall().started().do(Claim("7", "sun")).do(Claim("9", "sun"))
    hall.do(Verdict("c2", sheet=NINETEEN))
    assert hall.picture.phase == "round"
    picture = hall.do(Verdict("c3", sheet=EIGHTEEN)).picture
    assert (picture.phase, picture.decided_by) == ("ended", "points")
    assert [winner.board for winner in picture.winners] == ["7"]


def test_several_claims_need_sheets():
    hall = Hall().started().do(Claim("7", "sun")).do(Claim("9", "sun"))
    assert "each needs a sheet" in hall.refused(Verdict("c2", confirmed=True))
    hall.do(Verdict("c2", sheet=NINETEEN))
    assert "each needs a sheet" in hall.refused(Verdict("c3", confirmed=True))


@pytest.mark.parametrize(
    ("first", "second", "step", "boards"),
    [
        (NINETEEN, EIGHTEEN, "points", ["7"]),
        (sheet(wool=1), sheet(wool=2), "resources", ["9"]),
        (sheet(grain=1, wool=1), sheet(grain=2), "grain", ["9"]),
        (sheet(ore=2), sheet(ore=1, wool=1), "ore", ["7"]),
        (sheet(brick=1, lumber=1), sheet(brick=2), "brick", ["9"]),
        (sheet(lumber=2), sheet(lumber=1, wool=1), "lumber", ["7"]),
        (sheet(grain=1), sheet(grain=1), "shared", ["7", "9"]),
    ],
)
def test_the_tie_break_ladder_names_the_step_that_decides(first, second, step, boards):
    hall = Hall().started().do(Claim("7", "sun")).do(Claim("9", "sun"))
    picture = hall.do(Verdict("c2", sheet=first)).do(Verdict("c3", sheet=second)).picture
    assert picture.decided_by == step
    assert [winner.board for winner in picture.winners] == boards


def test_a_claim_of_an_earlier_round_wins_over_later_ones():
    hall = Hall().started().do(Claim("7", "sun")).wait(70).do(Claim("9", "sun"))
    picture = hall.do(Verdict("c2", sheet=EIGHTEEN)).do(Verdict("c3", sheet=NINETEEN)).picture
    assert [winner.board for winner in picture.winners] == ["7"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (structs.replace(EIGHTEEN, settlements=6), "only 5 settlements, the sheet says 6"),
        (structs.replace(EIGHTEEN, cities=7), "only 5 cities, the sheet says 7"),
        (Sheet(1, 0, foreign_left=True, foreign_right=True), "foreign bonus needs"),
    ],
)
def test_a_sheet_that_cannot_be_right_is_refused(wrong, words):
    assert words in Hall().started().do(Claim("7", "sun")).refused(Verdict("c2", sheet=wrong))


@pytest.mark.parametrize(
    ("field", "words"), [("largest_army", "largest army"), ("longest_route", "longest trade route")]
)
def test_a_board_has_only_one_army_and_one_route(field, words):
    """Both players of a board can only claim together when the side changes between the contacts."""
    hall = Hall().started().wait(34).do(Claim("7", "sun")).wait(2).do(Claim("7", "moon"))
    hall.do(Verdict("c2", sheet=structs.replace(EIGHTEEN, **{field: True})))
    assert f"only one {words}" in hall.refused(
        Verdict("c3", sheet=structs.replace(EIGHTEEN, **{field: True}))
    )
    assert hall.do(Verdict("c3", sheet=EIGHTEEN)).picture.phase == "ended"


def test_a_press_in_a_robber_phase_is_never_confirmed():
    hall = Hall().in_robber_phase().do(Press())
    claim_id = hall.picture.claims[0].id
    assert "no side was active" in hall.refused(Verdict(claim_id, confirmed=True))
    assert hall.do(Verdict(claim_id, confirmed=False)).picture.claims[0].status == "rejected"


def test_unknown_and_closed_claims_are_named():
    hall = Hall().started().do(Claim("7", "sun"))
    assert "This game has no claim c9" in hall.refused(Withdraw("c9"))
    hall.do(Withdraw("c2"))
    assert "already withdrawn" in hall.refused(Verdict("c2", confirmed=True))


def test_claims_after_a_winner_are_refused():
    hall = Hall().started().do(Claim("7", "sun")).do(Verdict("c2", confirmed=True))
    assert "ended with a winner" in hall.refused(Claim("9", "sun"))
    ended = Hall().started().do(End(confirm=True))
    assert "needs board and side" in ended.refused(Claim())


def test_presses_that_nobody_owned_do_not_pile_up():
    hall = Hall().started()
    for _ in range(6):
        hall.wait(0.5).do(Press()).do(Resume(override=True)).wait(3)
    assert [c[0] for c in claims(hall)] == ["c8", "c10", "c12"]


def test_refusals_call_claims_as_people_do():
    """By board and side, or as that of the pause button: their ids stand on no page."""
    pressed, named = (
        Hall().started().do(Press()),
        Hall().started().do(Claim("7", "sun")).do(Claim("9", "sun")),
    )
    (nobodys,), (_, nine) = (tuple(claim.id for claim in hall.picture.claims) for hall in (pressed, named))
    refused = [
        (pressed, Resume()),
        (pressed, Verdict(nobodys, confirmed=True)),
        (named, Verdict(nine, confirmed=True)),
        (named, Verdict(nine, confirmed=False, board="8")),
        (named, Verdict(nine, sheet=Sheet(settlements=6, cities=5))),
        (named, Undo(replace=Verdict(nine, confirmed=True), claim=nine)),
    ]
    sentences = [hall.refused(command) for hall, command in refused]
    named.do(Pause())
    sentences.append(named.refused(Resume()))
    named.do(Withdraw(nine))
    sentences += [named.refused(Withdraw(nine)), named.refused(Verdict(nine, confirmed=True))]
    assert [said for said in sentences if re.search(r"\b[cp]\d+\b", said)] == []
    assert "board 9 Sun" in sentences[-1]


# A winner has a board and a side; a press during a claim keeps its moment; one board has one name.

FIRST_VERSION = replace(CONNECT, version=1)


@pytest.mark.parametrize("verdict", [Verdict("c2", confirmed=True), Verdict("c2", sheet=EIGHTEEN)])
def test_nobody_wins_without_a_board_and_a_side(verdict: Verdict) -> None:
    hall = Hall().started().do(Press())
    assert "which board and side" in hall.refused(verdict)
    assert "which board and side" in hall.refused(structs.replace(verdict, board="A5"))
    picture = hall.do(structs.replace(verdict, board="A5", side="sun")).picture
    assert picture.winners == [
        WinnerView(claim="c2", board="A5", side="sun", points=picture.claims[0].points)
    ]


def test_a_game_armed_before_is_judged_as_it_was() -> None:
    hall = Hall(FIRST_VERSION).started().do(Press()).do(Verdict("c2", confirmed=True))
    assert hall.picture.winners == [WinnerView(claim="c2", board=None, side=None, points=None)]


def test_a_verdict_names_what_the_claim_lacks_and_no_more() -> None:
    hall = Hall().started().do(Claim("A5", None)).do(Claim("A6", "sun"))
    assert "which stays" in hall.refused(Verdict("c2", sheet=EIGHTEEN, board="A7", side="sun"))
    assert "the Moon side was not active" in hall.refused(Verdict("c2", sheet=EIGHTEEN, side="moon"))
    assert "one of sun or moon" in hall.refused(Verdict("c2", sheet=EIGHTEEN, side="star"))
    hall.do(Verdict("c2", sheet=EIGHTEEN, side="sun", board="a5"))
    assert (hall.picture.claims[0].board, hall.picture.claims[0].side) == ("A5", "sun")


def test_a_verdict_names_no_board_and_side_that_claim_themselves() -> None:
    hall = Hall().started().do(Claim("A5", "sun")).do(Claim("A5", None))
    said = hall.refused(Verdict("c3", sheet=EIGHTEEN, side="sun"))
    assert said == "Claim board A5 Sun is already that of this board and side: judge that one."


def test_a_press_during_a_claim_pauses_and_keeps_its_moment() -> None:
    hall = Hall().started().wait(5).do(Claim("A5", "sun")).wait(5).do(Press(), ago=0.005)
    assert hall.picture.pause_reasons == ["button"]
    assert [claim.board for claim in hall.picture.claims] == ["A5"]
    assert hall.picture.presses == [PressView(id="p3", round=1, side="sun", pressed_ms_before_end=25_005)]
    hall.do(Claim("A6", "sun", press="p3"))
    assert [(c.board, c.pressed_ms_before_end) for c in hall.picture.claims] == [
        ("A5", 30_000),
        ("A6", 25_005),
    ]
    assert hall.picture.presses == []
    assert "not known any more" in hall.refused(Claim("A7", "sun", press="p3"))
    assert [press.id for press in hall.do(Undo()).picture.presses] == ["p3"]


def test_a_press_of_the_passive_side_is_no_moment_of_the_other() -> None:
    hall = Hall().started().do(Claim("A5", "sun")).do(Press())
    assert "in a round of your own side" in hall.refused(Claim("A6", "moon", press="p3"))
    with refuses(WrongValue, "needs `board` and `side`"):
        Claim("A6", press="p3")


@pytest.mark.parametrize("name", ["a5", "A05", " A 5", "a 005 "])
def test_a_board_is_the_same_however_it_is_written(name: str) -> None:
    assert board_key(name) == board_key("A5")
    hall = Hall().started().do(Claim("A5", "sun"))
    assert not hall.ask(Claim(name, "sun")).events
    assert (
        len(Hall(FIRST_VERSION).started().do(Claim("A5", "sun")).do(Claim(name, "sun")).picture.claims) == 2
    )


@pytest.mark.parametrize("name", ["A50", "A505", "B5", "A-5"])
def test_other_boards_have_other_keys(name: str) -> None:
    assert board_key(name) != board_key("A5")


def test_a_board_has_letters() -> None:
    assert "printable" in Hall().started().refused(Claim(" ", "sun"))


# Play that goes on over open claims passes them: they do not come back at the next pause (rule C15).


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


def test_it_can_still_be_judged_and_wins_over_later_rounds():
    hall = passed().do(Verdict("c2", confirmed=True))
    assert [one.board for one in hall.picture.winners] == ["A1"]
    hall = passed().in_round(3).do(Claim("A2", "sun"))
    hall.do(Verdict("c2", sheet=EIGHTEEN)).do(Verdict("c5", sheet=EIGHTEEN))
    assert [one.board for one in hall.picture.winners] == ["A1"]
    assert standing(passed().do(Verdict("c2", confirmed=False))) == [("A1", "rejected", True)]


def test_the_same_board_and_side_claims_anew_with_a_moment_of_its_own():
    hall = passed().in_round(3).wait(10).do(Claim("a1", "sun"))
    assert standing(hall) == [("A1", "withdrawn", True), ("A1", "open", False)]
    assert [claim.pressed_ms_before_end for claim in hall.picture.claims] == [30_000, 25_000]
    hall = passed().in_round(3).do(Claim("A1", "sun", button="well"), source="table")
    assert [(claim.count, claim.passed) for claim in hall.picture.claims] == [(2, False)]


def test_after_the_last_round_it_can_be_ranked_or_entered_anew():
    hall = passed().do(LastRounds(0)).do(Skip())
    assert standing(hall.do(Claim("A1", "sun"))) == [("A1", "withdrawn", True), ("A1", "open", False)]
    ranked = passed().do(LastRounds(0)).do(Skip()).do(Verdict("c2", sheet=Sheet(2, 2)))
    assert [one.board for one in ranked.do(End(confirm=True)).picture.winners] == ["A1"]
