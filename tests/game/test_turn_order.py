"""Who acts when: asked of the order alone, and seen in games with two seats and with three."""

from dataclasses import replace
from itertools import count

import pytest
from msgspec import structs

from pi_controller.game.commands import Claim, Verdict
from pi_controller.game.rule_sets import CONNECT
from pi_controller.game.turn_order import Due, TurnOrder
from pi_controller.sentence import Sentence
from tests.game.hall import Hall
from tests.game.three_seats import THREE

ABC = TurnOrder(("a", "b", "c"), "due_side")


def test_the_seats_act_in_turn() -> None:
    due, acting = Due(1, 0, "b"), []
    for _ in range(5):
        coming = ABC.next_phase(due, (1, 1), due.draw)
        acting.append((coming.phase, coming.round, coming.seat))
        due = coming.after
    assert acting == [("round", 1 + i, "bcabc"[i]) for i in range(5)]


@pytest.mark.parametrize(("after_robber", "seat"), [("due_side", "b"), ("other_side", "c")])
def test_a_seven_is_no_turn_and_no_round(after_robber: str, seat: str) -> None:
    order = structs.replace(ABC, after_robber=after_robber)  # type: ignore[arg-type]
    coming = order.next_phase(Due(12, 3, "b"), (3, 4), 5)
    assert (coming.phase, coming.round, coming.seat) == ("robber", 11, None)
    assert coming.after == Due(12, 6, seat)


def test_a_drawn_seat_favours_nobody() -> None:
    assert [ABC.first("drawn", iter([byte])) for byte in (0, 1, 2, 3, 254)] == ["a", "b", "c", "a", "c"]
    assert ABC.first("drawn", iter([255, 4])) == "b"
    assert ABC.first("c", count()) == "c"


def test_the_picture_names_the_seats_and_who_of_them_acts() -> None:
    hall = Hall(THREE).in_round(1)
    for seat in (0, 1, 2, 0):
        picture = hall.picture
        assert (picture.seat, picture.next_seat) == (seat, (seat + 1) % 3)
        assert picture.seats[seat].id == picture.side
        while hall.picture.round == picture.round:
            hall.wait(hall.picture.remaining_ms / 1000)
        while hall.picture.phase == "robber":
            assert (hall.picture.seat, hall.picture.next_seat) == (None, picture.next_seat)
            hall.wait(hall.picture.remaining_ms / 1000)
    assert [seat.sign for seat in hall.picture.seats] == ["sun", "moon", "star"]
    assert [seat.id for seat in Hall(CONNECT).picture.seats] == ["sun", "moon"]


def test_the_third_seat_claims_in_its_own_round_and_wins() -> None:
    hall = Hall(THREE).in_round(2)
    assert "not the Star side's round" in hall.refused(Claim("7", "star"))
    hall.in_round(3).do(Claim("7", "star"))
    (claim,) = hall.picture.claims
    hall.do(Verdict(claim.id, confirmed=True))
    assert [winner.side for winner in hall.picture.winners] == ["star"]


def test_nobody_claims_for_a_seat_that_is_not_there() -> None:
    assert "one of sun, moon" in Hall(CONNECT).started().refused(Claim("7", "star"))


def test_a_first_seat_must_be_one_of_them() -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the sentence is looked at
        replace(CONNECT, first_side="star")
    assert refused.value.sentence == Sentence("range.first_side", given="star", known="sun, moon, drawn")
