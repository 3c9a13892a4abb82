"""A claim button by itself: bounces, spikes, stuck contacts, and what holding it does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_node import view as v
from table_node.claim import Claim
from table_node.claim_button import MAY, NO, NO_NEWS, NOT_NOW, Button, ClaimPoint
from tests.firmware.hand_board import HandBoard


class Player:
    """Time in ms. `allowed` is what the game says now; the master's time is the true time plus 7 s."""

    def __init__(self) -> None:
        self.board = HandBoard()
        self.claim = Claim(self.board, 0)
        self.point = ClaimPoint(Button(self.board), self.claim)
        self.allowed = MAY
        self.began = 0
        self.levels("0" * 50)

    def levels(self, contacts: str) -> None:
        """One contact a millisecond, 1 is closed."""
        for contact in contacts:
            self.board.now_us += 1000
            ticks = self.board.ticks_us()
            self.began += self.point.watch(contact == "1", ticks, self.allowed, lambda at: at + 7_000_000)

    def press(self, ms: int) -> None:
        self.levels("1" * ms)

    def release(self, ms: int = 40) -> None:
        self.levels("0" * ms)


def test_a_hold_is_a_claim_with_the_time_of_the_first_touch() -> None:
    player = Player()
    touched = player.board.now_us + 1000
    player.levels("10110111")
    player.press(580)
    assert player.claim.status == v.NO_CLAIM
    player.press(20)
    assert (player.claim.status, player.claim.number, player.claim.at_us) == (v.SENT, 1, touched + 7_000_000)
    assert player.began == 1


def test_a_short_press_is_none() -> None:
    player = Player()
    player.press(590)
    player.release()
    player.press(590)
    assert player.claim.status == v.NO_CLAIM


def test_it_fills_while_held_and_empties_when_let_go() -> None:
    player = Player()
    player.press(300)
    assert 120 <= player.point.fill <= 130
    player.release(50)
    assert player.point.fill == 0


def test_a_loose_contact_does_not_break_a_hold() -> None:
    player = Player()
    for _ in range(30):
        player.levels("1" * 15 + "0" * 10)
    assert player.claim.status == v.SENT


@given(st.lists(st.integers(1, 6), max_size=40))
def test_spikes_are_no_press(spikes: list[int]) -> None:
    player = Player()
    for spike in spikes:
        player.levels("1" * spike + "0" * 40)
    assert (player.began, player.point.button.recent) == (0, False)


def test_what_is_stuck_from_the_start_is_no_press() -> None:
    board = HandBoard()
    button = Button(board)
    for _ in range(5000):
        board.now_us += 1000
        assert not button.sample(True, board.ticks_us())
    assert not button.recent


def test_a_press_is_told_for_1500_ms() -> None:
    player = Player()
    player.press(20)
    player.release(1490)
    assert player.point.button.recent
    player.release(20)
    assert not player.point.button.recent


def test_holding_on_is_one_claim() -> None:
    player = Player()
    player.press(5000)
    assert (player.claim.number, player.claim.withdrawing) == (1, False)


def test_holding_again_asks_to_take_it_back_until_the_master_says_so() -> None:
    player = Player()
    player.press(700)
    player.claim.answered(1, 2, player.board.ticks_us())
    assert player.claim.status == v.OPEN
    player.release()
    player.press(700)
    assert (player.claim.status, player.claim.withdrawing) == (v.OPEN, True)
    player.release()
    player.press(700)
    assert player.claim.withdrawing
    player.claim.answered(1, 5, player.board.ticks_us())
    assert (player.claim.shown, player.claim.stands(), player.claim.withdrawing) == (
        v.WITHDRAWN,
        False,
        False,
    )


def test_a_claim_can_be_taken_back_when_it_is_the_other_sides_turn() -> None:
    player = Player()
    player.press(700)
    player.release()
    player.allowed = NOT_NOW
    player.press(700)
    assert player.claim.withdrawing


def test_the_passive_side_is_told_to_wait_and_no_claim_is_made() -> None:
    player = Player()
    player.allowed = NOT_NOW
    player.press(240)
    assert player.claim.shown == v.NO_CLAIM
    player.press(460)
    assert (player.claim.shown, player.claim.number, player.claim.stands()) == (
        v.WAIT_FOR_YOUR_SIDE,
        0,
        False,
    )
    player.release(4000)
    assert player.claim.shown == v.NO_CLAIM


def test_the_turn_that_comes_in_the_middle_of_a_hold() -> None:
    """Late news of the own turn: the master judges by the time of the touch. Late by more: the touch was early."""
    player = Player()
    player.allowed = NOT_NOW
    player.press(200)
    player.allowed = MAY
    player.press(500)
    assert player.claim.status == v.SENT
    early = Player()
    early.allowed = NOT_NOW
    early.press(300)
    early.allowed = MAY
    early.press(500)
    assert (early.claim.status, early.claim.shown) == (v.NO_CLAIM, v.WAIT_FOR_YOUR_SIDE)


def test_a_claim_begun_in_the_own_turn_counts_after_it() -> None:
    player = Player()
    player.press(100)
    player.allowed = NOT_NOW
    player.press(600)
    assert player.claim.status == v.SENT


@pytest.mark.parametrize("allowed", [NO, NO_NEWS])
def test_without_a_game_or_without_news_a_hold_means_nothing(allowed: int) -> None:
    player = Player()
    player.allowed = allowed
    player.press(700)
    assert (player.claim.shown, player.point.fill, player.began) == (v.NO_CLAIM, 0, 1)


def test_a_hold_across_the_end_of_the_game_is_none() -> None:
    player = Player()
    player.press(100)
    player.allowed = NO
    player.press(600)
    assert player.claim.status == v.NO_CLAIM


def test_a_hold_goes_on_when_the_link_is_lost() -> None:
    player = Player()
    player.press(100)
    player.allowed = NO_NEWS
    player.press(600)
    assert player.claim.status == v.SENT


def test_numbers_go_round_without_0() -> None:
    board = HandBoard()
    claim = Claim(board, 254)
    numbers = []
    for _ in range(3):
        claim.make(0, board.ticks_us())
        numbers.append((claim.number, claim.at_us))
        claim.answered(claim.number, 4, board.ticks_us())
    assert numbers == [(255, 1), (1, 1), (2, 1)]


def test_what_the_master_says_of_another_number_is_not_taken() -> None:
    board = HandBoard()
    claim = Claim(board, 4)
    claim.make(5, board.ticks_us())
    claim.answered(4, 6, board.ticks_us())
    claim.answered(0, 0, board.ticks_us())
    assert claim.status == v.SENT
    claim.answered(5, 1, board.ticks_us())
    assert claim.status == v.RECEIVED


def test_a_master_that_does_not_know_the_claim_any_more_has_not_acknowledged_it() -> None:
    board = HandBoard()
    claim = Claim(board, 0)
    claim.make(5, board.ticks_us())
    claim.answered(1, 2, board.ticks_us())
    claim.answered(0, 0, board.ticks_us())
    assert (claim.status, claim.shown) == (v.SENT, v.SENT)


def test_a_verdict_that_is_undone_opens_the_claim_again() -> None:
    board = HandBoard()
    claim = Claim(board, 0)
    claim.make(5, board.ticks_us())
    claim.answered(1, 4, board.ticks_us())
    board.now_us += 5_000_000
    claim.watch(board.ticks_us())
    assert (claim.shown, claim.stands()) == (v.NO_CLAIM, False)
    claim.answered(1, 2, board.ticks_us())
    assert (claim.shown, claim.stands(), claim.at_us) == (v.OPEN, True, 5)


def test_confirmed_stays_until_another_game() -> None:
    board = HandBoard()
    claim = Claim(board, 0)
    claim.make(5, board.ticks_us())
    claim.answered(1, 6, board.ticks_us())
    board.now_us += 60_000_000
    claim.watch(board.ticks_us())
    assert claim.shown == v.CONFIRMED
    claim.forget()
    claim.answered(1, 6, board.ticks_us())
    assert claim.shown == v.NO_CLAIM
