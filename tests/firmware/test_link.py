"""Epochs, order and age of STATE frames; and the life of the address."""

from hypothesis import given
from hypothesis import strategies as st

from table_node.link import HEARD, NEW_EPOCH, STALE, Link
from table_node.messages import State
from tests.firmware.hand_board import HandBoard

SECOND = 1_000_000


class Master:
    def __init__(self) -> None:
        self.board = HandBoard()
        self.link = Link(self.board)

    def say(self, epoch: int, seq: int, at_us: int | None = None) -> int:
        state = State()
        state.epoch, state.state_seq = epoch, seq & 0xFFFF
        state.master_us = self.board.now_us if at_us is None else at_us
        return self.link.judge(state, self.board.ticks_us())

    def pass_time(self, us: int) -> None:
        self.board.now_us += us
        self.link.watch(self.board.ticks_us())


def joined(epoch: int = 1, seq: int = 10) -> Master:
    master = Master()
    for _ in range(2):
        master.pass_time(200_000)
        master.say(epoch, seq)
    assert master.link.alive
    return master


def left(epoch: int = 2, seq: int = 5) -> Master:
    """Joined to epoch 1; then its master fell silent and another one came."""
    master = joined(epoch=1)
    master.pass_time(800_000)
    for _ in range(2):
        master.pass_time(200_000)
        master.say(epoch, seq)
    assert master.link.epoch == epoch
    return master


def test_a_new_epoch_needs_two_states() -> None:
    master = Master()
    master.pass_time(1000)
    assert master.say(7, 1) == STALE
    assert not master.link.alive
    master.pass_time(200_000)
    assert master.say(7, 1) == NEW_EPOCH
    assert (master.link.alive, master.link.epoch) == (True, 7)


def test_another_master_gets_nobody_who_heard_the_own_one_within_a_second() -> None:
    master = joined(epoch=1)
    for _ in range(19):
        master.pass_time(50_000)
        assert master.say(2, 5) == STALE
    master.pass_time(49_999)
    assert master.say(2, 5) == STALE
    master.pass_time(1)
    assert master.say(2, 5) == NEW_EPOCH


def test_each_state_of_the_own_master_begins_the_second_anew() -> None:
    """Another controller says three STATEs at a change: none of its frames may count."""
    master = joined(epoch=1)
    for number in range(40):
        for _ in range(3):
            master.pass_time(60_000)
            assert master.say(2, number) == STALE
        master.pass_time(20_000)
        assert master.say(1, 10) == HEARD


def test_two_copies_of_one_state_are_not_two_states() -> None:
    master = Master()
    assert master.say(7, 1, 5000) == STALE
    assert master.say(7, 1, 5000) == STALE
    assert master.say(7, 1, 20_000) == NEW_EPOCH


def test_older_is_stale_and_newer_counts_also_over_the_wrap() -> None:
    master = joined(seq=65_534)
    master.pass_time(1000)
    assert master.say(1, 65_533) == STALE
    assert master.say(1, 2) == HEARD
    assert master.say(1, 65_535) == STALE
    assert master.link.state_seq == 2


def test_a_replayed_state_does_not_keep_the_link_alive() -> None:
    master = joined()
    last_us = master.board.now_us
    for _ in range(20):
        master.pass_time(100_000)
        assert master.say(1, 10, last_us) == STALE
    master.pass_time(1000)
    assert not master.link.alive


def test_while_the_master_speaks_the_epoch_before_it_is_over() -> None:
    master = left()
    for _ in range(5):
        master.pass_time(10_000)
        assert master.say(1, 11) == STALE
    assert master.link.epoch == 2


def test_without_link_the_epoch_before_may_come_back() -> None:
    master = left()
    master.pass_time(2 * SECOND)
    master.say(1, 11)
    master.pass_time(200_000)
    assert master.say(1, 11) == NEW_EPOCH


def test_after_hours_off_the_cable_the_same_epoch_is_taken_again() -> None:
    """The sequence may have gone round by more than half."""
    master = joined(seq=10)
    master.pass_time(3 * SECOND)
    assert master.say(1, 40_000) == STALE
    master.pass_time(200_000)
    assert master.say(1, 40_000) == HEARD


@given(st.lists(st.booleans(), max_size=60))
def test_no_link_exactly_2_s_after_the_last_state_whatever_was_lost(lost: list[bool]) -> None:
    master = joined()
    last = master.board.now_us
    for gone in lost:
        for _ in range(20):
            master.pass_time(10_000)
            assert master.link.alive == (master.board.now_us - last < 2 * SECOND)
        if not gone and master.say(1, 10) == HEARD:
            last = master.board.now_us
