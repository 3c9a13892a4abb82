"""A winner has a board and a side; a press during a claim keeps its moment; one board has one name."""

from dataclasses import replace

import pytest
from msgspec import structs

from pi_controller.game.claims import board_key
from pi_controller.game.commands import (
    Claim,
    Pause,
    Press,
    Resume,
    Sheet,
    Undo,
    Verdict,
    Withdraw,
    WrongValue,
)
from pi_controller.game.room import PressView, WinnerView
from pi_controller.game.rule_sets import CONNECT
from tests.game.hall import Hall
from tests.said import refuses

EIGHTEEN = Sheet(4, 5, foreign_left=True, foreign_right=True)
FIRST_VERSION = replace(CONNECT, version=1)


@pytest.mark.parametrize("verdict", [Verdict("c2", confirmed=True), Verdict("c2", sheet=EIGHTEEN)])
def test_nobody_wins_without_a_board_and_a_side(verdict: Verdict) -> None:
    hall = Hall().started().do(Press())
    assert "which board and which side" in hall.refused(verdict)
    assert "which board and which side" in hall.refused(structs.replace(verdict, board="A5"))
    picture = hall.do(structs.replace(verdict, board="A5", side="sun")).picture
    assert picture.winners == [
        WinnerView(claim="c2", board="A5", side="sun", points=picture.claims[0].points)
    ]


def test_a_claim_without_board_is_rejected_or_withdrawn_as_it_is() -> None:
    assert (
        Hall().started().do(Press()).do(Verdict("c2", confirmed=False)).picture.claims[0].status == "rejected"
    )
    assert Hall().started().do(Press()).do(Verdict("c2", sheet=Sheet(2, 1))).picture.claims[0].points == 4
    assert Hall().started().do(Press()).do(Withdraw("c2")).picture.claims[0].status == "withdrawn"


def test_a_game_armed_before_is_judged_as_it_was() -> None:
    hall = Hall(FIRST_VERSION).started().do(Press()).do(Verdict("c2", confirmed=True))
    assert hall.picture.winners == [WinnerView(claim="c2", board=None, side=None, points=None)]


def test_a_verdict_names_what_the_claim_lacks_and_no_more() -> None:
    hall = Hall().started().do(Claim("A5", None)).do(Claim("A6", "sun"))
    assert "keeps them" in hall.refused(Verdict("c2", sheet=EIGHTEEN, board="A7", side="sun"))
    assert "while the Moon side was not active" in hall.refused(Verdict("c2", sheet=EIGHTEEN, side="moon"))
    assert "one of sun, moon" in hall.refused(Verdict("c2", sheet=EIGHTEEN, side="star"))
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


def test_a_claim_with_a_press_names_no_other_press() -> None:
    """The first press stays the claim of somebody whose board is not known yet."""
    hall = Hall().started().do(Press()).do(Claim()).do(Claim("A6", "sun", press="p3"))
    assert [claim.board for claim in hall.picture.claims] == [None, "A6"]
    assert not hall.ask(Claim("A6", "sun")).events


def test_a_press_of_the_passive_side_is_no_moment_of_the_other() -> None:
    hall = Hall().started().do(Claim("A5", "sun")).do(Press())
    assert "counts in a round of its own side" in hall.refused(Claim("A6", "moon", press="p3"))
    with refuses(WrongValue, "needs `board` and `side`"):
        Claim("A6", press="p3")


def test_presses_go_when_play_goes_on_without_a_claim() -> None:
    hall = Hall().started().do(Claim("A5", "sun")).do(Press()).do(Resume(override=True)).wait(4)
    assert [press.id for press in hall.picture.presses] == ["p3"]
    hall.do(Pause()).do(Withdraw("c2")).do(Resume())
    assert hall.picture.presses == []


def test_as_many_presses_are_kept_as_may_be_claimants() -> None:
    hall = Hall().started()
    for number in range(12):
        hall.do(Claim(f"A{number}", "sun")).do(Press()).do(Resume(override=True)).wait(3)
    assert len(hall.picture.presses) == 8


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
