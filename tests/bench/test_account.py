"""The clock benchmark's own account of pauses and rounds."""

import pytest

from pi_controller.bench.clock import Account


def test_rounds_follow_each_other_and_pauses_push_them_back() -> None:
    account = Account(round_ns=100, began_ns=1000)
    assert account.pause(1030) == 70
    account.resume(1090)
    assert account.deadline_ns == 1160
    assert account.pause(1265) == 95
    assert account.turns_ns == [1160, 1260]
    account.resume(1300)
    assert account.deadline_ns == 1395


def test_only_what_was_paused_goes_on() -> None:
    with pytest.raises(ValueError, match="nothing was paused"):
        Account(round_ns=100, began_ns=0).resume(5)
