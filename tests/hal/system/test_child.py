import os
import signal
import sys

import pytest

from pi_controller.hal.system.child import LONGEST_WAIT_S, SETTLED_S, Child, GrowingPause, bound_to_parent


class HandClock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_early_deaths_make_the_next_start_wait_longer_and_a_long_life_forgives() -> None:
    clock = HandClock()
    child = Child("web", [sys.executable], pause_s=GrowingPause(), clock=clock)
    assert child.due_in_s is None
    assert [child.start_later() for _ in range(7)] == [
        0.2,
        0.4,
        0.8,
        1.6,
        3.2,
        LONGEST_WAIT_S,
        LONGEST_WAIT_S,
    ]
    assert child.due_in_s == LONGEST_WAIT_S
    clock.now += LONGEST_WAIT_S
    assert child.due_in_s == 0
    clock.now += SETTLED_S
    assert child.start_later() == 0.2


def test_a_program_that_is_missing_cannot_start() -> None:
    child = Child("core", ["/no/such/program"], pause_s=GrowingPause())
    with pytest.raises(FileNotFoundError):
        child.start()
    assert not child.lives


def test_a_child_stands_as_far_behind_as_it_is_told() -> None:
    waiting = [sys.executable, "-c", "import signal; signal.pause()"]
    child = Child("web", waiting, pause_s=GrowingPause(), preexec_fn=bound_to_parent(nice=5))
    child.start()
    try:
        assert child.pid is not None
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == min(19, os.nice(0) + 5)
    finally:
        child.kill()


def test_a_child_is_told_to_end_when_its_parent_dies() -> None:
    """prctl(2), PR_GET_PDEATHSIG."""
    ask = "import ctypes, sys; n = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(n)); sys.exit(n.value)"
    child = Child("web", [sys.executable, "-c", ask], pause_s=GrowingPause(), preexec_fn=bound_to_parent())
    child.start()
    assert child.pid is not None
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert child.reap() == signal.SIGTERM
