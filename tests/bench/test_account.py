"""The clock benchmark's own account of pauses and rounds."""

import pytest

from pi_controller.bench.catalogue import Account, drift_ns


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


def test_lateness_that_stays_is_no_drift() -> None:
    assert drift_ns([3, 900, 1, 2, 3, 1], 3) == -1
    assert drift_ns([0, 10, 20, 30, 40, 50], 2) == 40
